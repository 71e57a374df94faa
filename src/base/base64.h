/* base64.h: decoding base64 as clients write it [RFC 4648]: the standard or the URL alphabet, with
 * or without padding, line breaks and blanks ignored. Anything else is refused, the offset named.
 */
#ifndef CZ_BASE_BASE64_H
#define CZ_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/** Upper bound of the decoded length of n characters. */
size_t cz_base64_max_decoded(size_t n);

/** Decode into out (room for cz_base64_max_decoded(n)); *out_len is the true length. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err cz_base64_decode(uint8_t *out, size_t *out_len, const char *text, size_t n);

size_t cz_base64_encoded_len(size_t n);

/** Standard alphabet, padded, NUL-terminated: out takes cz_base64_encoded_len(n) + 1. */
void cz_base64_encode(char *out, const uint8_t *bytes, size_t n);

#endif
