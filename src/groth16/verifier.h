/* verifier.h: what a verifier holds, and the pieces that single and batch verification share. */
#ifndef CZ_GROTH16_VERIFIER_H
#define CZ_GROTH16_VERIFIER_H

#include "curve/pairing.h"
#include "groth16/groth16.h"

struct cz_verifier {
    cz_g1_affine *ic;
    uint32_t n_ic;
    cz_g2_affine minus_gamma, minus_delta;
    cz_g1_affine alpha;
    cz_g2_affine minus_beta;
    cz_fp12 alpha_beta; /* e(alpha, beta) */
};

CZ_MUST_CHECK cz_err cz_verifier_check_inputs(const cz_verifier *v, size_t n_inputs);

/** sum of scalars[k] ic[k]; all n_ic of them, scalars[0] for the constant one. */
CZ_MUST_CHECK cz_err cz_verifier_ic_sum(cz_g1_affine *out, const cz_verifier *v, cz_pool *pool,
                                        const cz_u256 *scalars);

#endif
