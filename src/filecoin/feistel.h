/* feistel.h: the keyed permutation of [0, n) that the expander graph is made of.
 *
 * A Feistel network of three rounds over the smallest even number of bits that holds n, walked
 * until it lands below n; the round function is the first 8 bytes (big-endian) of BLAKE2b-512 of
 * the right half and the key. Source: rust-fil-proofs storage-proofs-core/src/crypto/feistel.rs. */
#ifndef CZ_FILECOIN_FEISTEL_H
#define CZ_FILECOIN_FEISTEL_H

#include <stdint.h>

#include "base/err.h"

enum { CZ_FEISTEL_ROUNDS = 3 };

typedef struct {
    uint64_t n;       /* 1 … 2^62 */
    uint64_t keys[4]; /* the first three are used */
    unsigned half_bits;
} cz_feistel;

void cz_feistel_init(cz_feistel *f, uint64_t n, const uint64_t keys[4]);

/** The image of index (below n). Fails only when BLAKE2b does (CZ_E_NOMEM). */
CZ_MUST_CHECK cz_err cz_feistel_permute(const cz_feistel *f, uint64_t index, uint64_t *out);

#endif
