/* request_codec.h: a request as bytes: for the spool folder, and for its identity.
 *
 * Format "CZREQ1\n": every field of cz_request in the order of request_codec.c, numbers as u64 LE,
 * byte strings as a u64 LE length and the bytes. The content digest is SHA-256 over the same bytes
 * without request_id and priority, so two requests have the same content exactly when they ask for
 * the same proof. */
#ifndef CZ_ENGINE_REQUEST_CODEC_H
#define CZ_ENGINE_REQUEST_CODEC_H

#include "base/file.h"
#include "filecoin/job.h"

/** SHA-256 of what the request asks for. */
void cz_request_content(uint8_t out[32], const cz_request *request);

/** Write to an open file. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_request_write(const cz_request *request, cz_file_writer *file);

/** Read what cz_request_write wrote; `bytes` may be freed afterwards. CZ_E_INPUT names the field;
 * CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_request_read(cz_request **out, const uint8_t *bytes, size_t n);

/** The same without the vanilla proofs: their lengths are there (several count as one), their bytes
 * are not, and are not looked at. Enough to tell what the request will cost. */
CZ_MUST_CHECK cz_err cz_request_read_shape(cz_request **out, const uint8_t *bytes, size_t n);

/** Bytes of its byte strings. */
uint64_t cz_request_bytes(const cz_request *request);

#endif
