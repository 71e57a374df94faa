/* chacha.h: the ChaCha stream [RFC 8439; Ber08] of 8 or 20 rounds, as a source of words.
 *
 * Two users fix the two layouts of the state's last row: the DRG samples with ChaCha8 under a
 * 64-bit block counter and nonce 0 (rand_chacha's stream), synthetic challenges come from ChaCha20
 * under a 32-bit counter and a 96-bit nonce. A few blocks a node: the plain form is enough.
 */
#ifndef CZ_FILECOIN_CHACHA_H
#define CZ_FILECOIN_CHACHA_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[16]; /* constants, key, counter and nonce of the next block */
    unsigned rounds;    /* 8 or 20 */
    uint8_t block[64];
    unsigned used; /* bytes of block already given out */
} cz_chacha;

/** ChaCha8 with a 64-bit counter from 0 and nonce 0. */
void cz_chacha8_init(cz_chacha *c, const uint8_t key[32]);

/** ChaCha20 with a 32-bit counter from 0. */
void cz_chacha20_init(cz_chacha *c, const uint8_t key[32], const uint8_t nonce[12]);

/** Go to byte `offset` of the key stream, below 2^38. */
void cz_chacha_seek(cz_chacha *c, uint64_t offset);

/** The next n bytes of the key stream. */
void cz_chacha_bytes(cz_chacha *c, uint8_t *out, size_t n);

/** The next 8 bytes as a little-endian number. */
uint64_t cz_chacha_u64(cz_chacha *c);

#endif
