/* chacha.c: ChaCha8 and ChaCha20 as sources of words; see chacha.h. */
#include "filecoin/chacha.h"

#include <string.h>

#include "base/bytes.h"

static uint32_t rotl(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static void quarter_round(uint32_t *a, uint32_t *b, uint32_t *c, uint32_t *d)
{
    *a += *b;
    *d = rotl(*d ^ *a, 16);
    *c += *d;
    *b = rotl(*b ^ *c, 12);
    *a += *b;
    *d = rotl(*d ^ *a, 8);
    *c += *d;
    *b = rotl(*b ^ *c, 7);
}

static void make_block(cz_chacha *c)
{
    uint32_t x[16];

    memcpy(x, c->state, sizeof x);
    for (unsigned i = 0; i < c->rounds; i += 2) {
        for (unsigned k = 0; k < 4; k++)
            quarter_round(&x[k], &x[4 + k], &x[8 + k], &x[12 + k]);
        for (unsigned k = 0; k < 4; k++)
            quarter_round(&x[k], &x[4 + (k + 1) % 4], &x[8 + (k + 2) % 4], &x[12 + (k + 3) % 4]);
    }
    for (unsigned i = 0; i < 16; i++)
        cz_store_le32(c->block + (size_t)4 * i, x[i] + c->state[i]);
}

/* Word 13 is the counter's upper half for ChaCha8. ChaCha20's users stay below 2^32 blocks, so its
 * nonce is never carried into. */
static void next_block(cz_chacha *c)
{
    make_block(c);
    if (++c->state[12] == 0)
        c->state[13]++;
    c->used = 0;
}

static void init(cz_chacha *c, unsigned rounds, const uint8_t key[32])
{
    static const uint8_t constants[16] = "expand 32-byte k";

    memset(c, 0, sizeof *c);
    for (unsigned i = 0; i < 4; i++)
        c->state[i] = cz_load_le32(constants + (size_t)4 * i);
    for (unsigned i = 0; i < 8; i++)
        c->state[4 + i] = cz_load_le32(key + (size_t)4 * i);
    c->rounds = rounds;
    c->used = sizeof c->block;
}

void cz_chacha8_init(cz_chacha *c, const uint8_t key[32])
{
    init(c, 8, key);
}

void cz_chacha20_init(cz_chacha *c, const uint8_t key[32], const uint8_t nonce[12])
{
    init(c, 20, key);
    for (unsigned i = 0; i < 3; i++)
        c->state[13 + i] = cz_load_le32(nonce + (size_t)4 * i);
}

void cz_chacha_seek(cz_chacha *c, uint64_t offset)
{
    c->state[12] = (uint32_t)(offset / 64);
    next_block(c);
    c->used = (unsigned)(offset % 64);
}

void cz_chacha_bytes(cz_chacha *c, uint8_t *out, size_t n)
{
    while (n > 0) {
        size_t take;

        if (c->used == sizeof c->block)
            next_block(c);
        take = sizeof c->block - c->used;
        if (take > n)
            take = n;
        memcpy(out, c->block + c->used, take);
        c->used += (unsigned)take;
        out += take;
        n -= take;
    }
}

uint64_t cz_chacha_u64(cz_chacha *c)
{
    uint8_t b[8];

    cz_chacha_bytes(c, b, sizeof b);
    return cz_load_le64(b);
}
