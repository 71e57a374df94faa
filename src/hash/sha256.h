/* sha256.h: SHA-256 [FIPS 180-4]. Forms: portable, and SHA-NI when the CPU has it; chosen once at
 * start. */
#ifndef CZ_HASH_SHA256_H
#define CZ_HASH_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t h[8];
    uint8_t block[64];
    uint64_t n_bytes; /* hashed so far; the last n_bytes % 64 wait in block */
} cz_sha256;

void cz_sha256_init(cz_sha256 *s);
void cz_sha256_update(cz_sha256 *s, const void *bytes, size_t n);
void cz_sha256_final(cz_sha256 *s, uint8_t out[32]);

/** One call for all. */
void cz_sha256_of(uint8_t out[32], const void *bytes, size_t n);

/** The compression function on n_blocks of 64 bytes; h in host words. */
void cz_sha256_compress(uint32_t h[8], const uint8_t *blocks, size_t n_blocks);

/* The two forms behind it, for tests; the second only where cz_sha256_has_ni(). */
void cz_sha256_compress_portable(uint32_t h[8], const uint8_t *blocks, size_t n_blocks);
void cz_sha256_compress_ni(uint32_t h[8], const uint8_t *blocks, size_t n_blocks);
int cz_sha256_has_ni(void);

/** The round constants and the initial state, for circuits. */
extern const uint32_t cz_sha256_k[64];
extern const uint32_t cz_sha256_iv[8];

/** Filecoin's binary tree node: SHA-256(left || right) with the two top bits of the last byte
 * cleared ("SHA-254"). */
void cz_sha254_node(uint8_t out[32], const uint8_t left[32], const uint8_t right[32]);

#endif
