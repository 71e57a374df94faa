/* poseidon_ref.c: Poseidon as it is defined [GKRRS21, section 4]: every round adds its constants,
 * applies the S-box to all elements (full) or the first (partial), and multiplies by the dense
 * matrix. */
#include "hash/fr_matrix.h"
#include "hash/poseidon.h"

static void fifth_power(cz_fr *x)
{
    cz_fr x4;

    cz_fr_sqr(&x4, x);
    cz_fr_sqr(&x4, &x4);
    cz_fr_mul(x, x, &x4);
}

static bool is_full(const cz_poseidon_constants *k, unsigned round)
{
    unsigned half = CZ_POSEIDON_FULL_ROUNDS / 2;

    return round < half || round >= half + k->partial_rounds;
}

void cz_poseidon_ref_hash(cz_fr *out, const cz_poseidon_constants *k, const cz_fr *preimage)
{
    unsigned t = k->width;
    cz_fr state[CZ_POSEIDON_MAX_WIDTH];
    cz_fr mixed[CZ_POSEIDON_MAX_WIDTH];

    state[0] = k->domain_tag;
    memcpy(state + 1, preimage, k->arity * sizeof *preimage);
    for (unsigned round = 0; round < CZ_POSEIDON_FULL_ROUNDS + k->partial_rounds; round++) {
        unsigned n_sboxes = is_full(k, round) ? t : 1;

        for (unsigned i = 0; i < t; i++)
            cz_fr_add(&state[i], &state[i], &k->round_constants[round * t + i]);
        for (unsigned i = 0; i < n_sboxes; i++)
            fifth_power(&state[i]);
        cz_fr_row_times_matrix(mixed, state, k->mds, t);
        memcpy(state, mixed, t * sizeof state[0]);
    }
    *out = state[1];
}
