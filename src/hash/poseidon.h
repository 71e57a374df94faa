/* poseidon.h: the Poseidon hash over Fr with Filecoin's constants (neptune, strength "standard").
 *
 * Constants are computed, never pasted: round constants from the Grain LFSR [GKRRS21, supplementary
 * F], a Cauchy MDS matrix 1/(i + t + j), domain tag 2^arity - 1 (Merkle tree), 8 full rounds,
 * partial rounds 55, 56, 57, 57, 59, 59, 60 for arities 2, 4, 8, 11, 16, 24, 36, S-box x^5. The
 * digest is element 1 of the final state. The permutation runs in the optimised form (compressed
 * round constants, sparse matrices), which the circuit also follows; poseidon_ref.c is the
 * definition (full rounds, dense matrix). For many at once, and for circuits' witnesses, see
 * poseidon_many.h. Threads: constants are built once (pthread_once) and
 * immutable afterwards. */
#ifndef CZ_HASH_POSEIDON_H
#define CZ_HASH_POSEIDON_H

#include "base/err.h"
#include "field/fr.h"

enum { CZ_POSEIDON_MAX_ARITY = 36, CZ_POSEIDON_MAX_WIDTH = 37, CZ_POSEIDON_FULL_ROUNDS = 8 };

/* The linear layer of one partial round, a matrix that is the identity but for its first row and
 * column. On a row x of elements: x'[0] = sum of w_hat[i] x[i], x'[i] = x[i] + v_rest[i - 1] x[0].
 * poseidon_constants.c derives it. */
typedef struct {
    cz_fr w_hat[CZ_POSEIDON_MAX_WIDTH]; /* the first column, `width` elements; [0] is the corner */
    cz_fr
        v_rest[CZ_POSEIDON_MAX_WIDTH]; /* the first row without the corner, `width` - 1 elements */
} cz_poseidon_sparse;

typedef struct {
    unsigned arity;
    unsigned width; /* arity + 1 */
    unsigned partial_rounds;
    cz_fr domain_tag;
    cz_fr *round_constants;     /* width * (8 + partial_rounds), the plain ones */
    cz_fr *compressed;          /* 8 width + partial_rounds, in the order of use: `width` before
                                   the first round, then what is added after each S-box */
    cz_fr *mds;                 /* width x width, row i column j at [i * width + j]; symmetric */
    cz_fr *pre_sparse;          /* width x width: the layer of the last round before the partial
                                   ones; x'[j] = sum of x[i] pre_sparse[i * width + j] */
    cz_poseidon_sparse *sparse; /* partial_rounds of them, in the order of use */
    struct cz_poseidon_lanes *lanes; /* the same for poseidon_ifma.c, NULL without IFMA */
} cz_poseidon_constants;

/** The constants of an arity in {2, 4, 8, 11, 16, 24, 36}; built on first use, never freed. NULL
 * for another arity or without memory. */
const cz_poseidon_constants *cz_poseidon_get(unsigned arity);

/** Digest of `arity` elements under the Merkle-tree tag. */
void cz_poseidon_hash(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *preimage);

/** The same with another domain tag (SnapDeals' custom hash types). */
void cz_poseidon_hash_tagged(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *tag,
                             const cz_fr *preimage);

/** The definition, for tests. */
void cz_poseidon_ref_hash(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *preimage);

#endif
