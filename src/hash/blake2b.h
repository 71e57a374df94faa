/* blake2b.h: unkeyed BLAKE2b-512 [RFC 7693], by OpenSSL, for file digests, Feistel keys and
 * synthetic challenges. */
#ifndef CZ_HASH_BLAKE2B_H
#define CZ_HASH_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct cz_blake2b cz_blake2b;

CZ_MUST_CHECK cz_err cz_blake2b_create(cz_blake2b **out);
CZ_MUST_CHECK cz_err cz_blake2b_update(cz_blake2b *s, const void *bytes, size_t n);
CZ_MUST_CHECK cz_err cz_blake2b_final(cz_blake2b *s, uint8_t out[64]);
void cz_blake2b_destroy(cz_blake2b *s);

/** One call for all. */
CZ_MUST_CHECK cz_err cz_blake2b_of(uint8_t out[64], const void *bytes, size_t n);

#endif
