/* sha256.c: SHA-256 over streams, and the portable compression function; see sha256.h. */
#include "hash/sha256.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"

enum { BLOCK = 64, LENGTH_AT = 56 };

/* [FIPS 180-4, 4.2.2]: first 32 bits of the fractions of the cube roots of the first 64 primes. */
const uint32_t cz_sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* [FIPS 180-4, 5.3.3]: the same of the square roots of the first 8. */
const uint32_t cz_sha256_iv[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

/* ---- compression, portable ---- */

static inline uint32_t rotr(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static void message_schedule(uint32_t w[64], const uint8_t *block)
{
    for (int i = 0; i < 16; i++)
        w[i] = cz_load_be32(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t s0 = rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3;
        uint32_t s1 = rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10;

        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
}

static void compress_block(uint32_t h[8], const uint8_t *block)
{
    uint32_t w[64];
    uint32_t v[8]; /* a … h */

    message_schedule(w, block);
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 64; i++) {
        uint32_t s1 = rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + cz_sha256_k[i] + w[i];
        uint32_t s0 = rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

        memmove(v + 1, v, 7 * sizeof v[0]);
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

void cz_sha256_compress_portable(uint32_t h[8], const uint8_t *blocks, size_t n_blocks)
{
    for (size_t i = 0; i < n_blocks; i++)
        compress_block(h, blocks + BLOCK * i);
}

/* ---- the form in use, chosen before main() ---- */

static void (*compress)(uint32_t h[8], const uint8_t *blocks,
                        size_t n_blocks) = cz_sha256_compress_portable;

__attribute__((constructor(101))) static void choose_best(void)
{
    if (cz_sha256_has_ni())
        compress = cz_sha256_compress_ni;
}

int cz_sha256_has_ni(void)
{
    return cz_cpu_has(CZ_CPU_SHA);
}

void cz_sha256_compress(uint32_t h[8], const uint8_t *blocks, size_t n_blocks)
{
    compress(h, blocks, n_blocks);
}

/* ---- streams ---- */

void cz_sha256_init(cz_sha256 *s)
{
    memcpy(s->h, cz_sha256_iv, sizeof s->h);
    s->n_bytes = 0;
}

void cz_sha256_update(cz_sha256 *s, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    size_t waiting = s->n_bytes % BLOCK;
    size_t whole;

    if (n == 0)
        return;
    s->n_bytes += n;
    if (waiting > 0) {
        size_t fill = n < BLOCK - waiting ? n : BLOCK - waiting;

        memcpy(s->block + waiting, p, fill);
        p += fill;
        n -= fill;
        if (waiting + fill < BLOCK)
            return;
        compress(s->h, s->block, 1);
    }
    whole = n / BLOCK;
    compress(s->h, p, whole);
    memcpy(s->block, p + BLOCK * whole, n % BLOCK);
}

void cz_sha256_final(cz_sha256 *s, uint8_t out[32])
{
    size_t waiting = s->n_bytes % BLOCK;

    s->block[waiting++] = 0x80;
    if (waiting > LENGTH_AT) {
        memset(s->block + waiting, 0, BLOCK - waiting);
        compress(s->h, s->block, 1);
        waiting = 0;
    }
    memset(s->block + waiting, 0, LENGTH_AT - waiting);
    cz_store_be64(s->block + LENGTH_AT, s->n_bytes * 8);
    compress(s->h, s->block, 1);
    for (int i = 0; i < 8; i++)
        cz_store_be32(out + 4 * i, s->h[i]);
}

void cz_sha256_of(uint8_t out[32], const void *bytes, size_t n)
{
    cz_sha256 s;

    cz_sha256_init(&s);
    cz_sha256_update(&s, bytes, n);
    cz_sha256_final(&s, out);
}

void cz_sha254_node(uint8_t out[32], const uint8_t left[32], const uint8_t right[32])
{
    cz_sha256 s;

    cz_sha256_init(&s);
    cz_sha256_update(&s, left, 32);
    cz_sha256_update(&s, right, 32);
    cz_sha256_final(&s, out);
    out[31] &= 0x3f;
}
