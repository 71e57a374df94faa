/* spool.h: the inputs of accepted jobs, a file each; inside engine/. Threads: any, for different
 * jobs. */
#ifndef CZ_ENGINE_SPOOL_H
#define CZ_ENGINE_SPOOL_H

#include <stdbool.h>

#include "engine/journal.h"

/** Make <dir>/spool. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_spool_open(const char *dir);
CZ_MUST_CHECK cz_err cz_spool_write(const char *dir, const char *job_id, const cz_request *request);
CZ_MUST_CHECK cz_err cz_spool_read(const char *dir, const char *job_id, const uint8_t content[32],
                                   cz_request **out);
CZ_MUST_CHECK cz_err cz_spool_shape(const char *dir, const char *job_id, cz_request **out);
void cz_spool_remove(const char *dir, const char *job_id);

/** Make a file of so many bytes, and remove it. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_spool_probe(const char *dir, uint64_t bytes);

/** Remove every file whose name `wanted` does not know. */
void cz_spool_sweep(const char *dir, bool (*wanted)(void *ctx, const char *job_id), void *ctx);

#endif
