/* verify.c: e(A, B) = e(alpha, beta) e(sum x_k ic_k, gamma) e(C, delta), as three Miller loops and
 * one final exponentiation against the precomputed first pairing. */
#include <stdlib.h>
#include <string.h>

#include "groth16/verifier.h"
#include "msm/msm.h"

static void negate_g2(cz_g2_affine *r, const cz_g2_affine *p)
{
    r->x = p->x;
    cz_fp2_neg(&r->y, &p->y);
}

static void precompute(cz_verifier *v, const cz_vk *vk)
{
    v->n_ic = vk->n_ic;
    memcpy(v->ic, vk->ic, vk->n_ic * sizeof *v->ic);
    v->alpha = vk->alpha_g1;
    negate_g2(&v->minus_beta, &vk->beta_g2);
    negate_g2(&v->minus_gamma, &vk->gamma_g2);
    negate_g2(&v->minus_delta, &vk->delta_g2);
    cz_pairing(&v->alpha_beta, &vk->alpha_g1, &vk->beta_g2);
}

cz_err cz_verifier_create(cz_verifier **out, const cz_vk *vk)
{
    cz_verifier *v = calloc(1, sizeof *v);

    if (v != NULL)
        v->ic = malloc(vk->n_ic * sizeof *v->ic);
    if (v == NULL || v->ic == NULL) {
        cz_verifier_destroy(v);
        return cz_fail(CZ_E_NOMEM, "no memory for a verifier of %lu inputs",
                       (unsigned long)vk->n_ic);
    }
    precompute(v, vk);
    *out = v;
    return CZ_OK;
}

void cz_verifier_destroy(cz_verifier *v)
{
    if (v == NULL)
        return;
    free(v->ic);
    free(v);
}

size_t cz_verifier_inputs(const cz_verifier *v)
{
    return v->n_ic - 1;
}

cz_err cz_verifier_check_inputs(const cz_verifier *v, size_t n_inputs)
{
    if (n_inputs != cz_verifier_inputs(v))
        return cz_fail(CZ_E_INPUT, "%zu public inputs, but the verifying key is for %zu", n_inputs,
                       cz_verifier_inputs(v));
    return CZ_OK;
}

cz_err cz_verifier_ic_sum(cz_g1_affine *out, const cz_verifier *v, cz_pool *pool,
                          const cz_u256 *scalars)
{
    cz_g1 sum;

    CZ_TRY(cz_msm_g1(pool, &sum, v->ic, scalars, v->n_ic));
    cz_g1_to_affine(out, &sum);
    return CZ_OK;
}

static cz_err sum_inputs(cz_g1_affine *out, const cz_verifier *v, const cz_fr *inputs)
{
    cz_u256 *scalars = malloc(v->n_ic * sizeof *scalars);
    cz_err err;

    if (scalars == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %lu inputs", (unsigned long)v->n_ic);
    scalars[0] = (cz_u256){{1, 0, 0, 0}};
    for (uint32_t k = 1; k < v->n_ic; k++)
        cz_fr_to_u256(&scalars[k], &inputs[k - 1]);
    err = cz_verifier_ic_sum(out, v, NULL, scalars);
    free(scalars);
    return err;
}

cz_err cz_groth16_verify(const cz_verifier *v, const cz_proof *proof, const cz_fr *inputs,
                         size_t n_inputs)
{
    cz_g1_affine g1[3] = {proof->a, {CZ_FP_ZERO, CZ_FP_ZERO}, proof->c};
    cz_g2_affine g2[3] = {proof->b, v->minus_gamma, v->minus_delta};
    cz_fp12 product;

    CZ_TRY(cz_verifier_check_inputs(v, n_inputs));
    CZ_TRY(sum_inputs(&g1[1], v, inputs));
    cz_miller_loop(&product, g1, g2, 3);
    cz_final_exp(&product, &product);
    if (!cz_fp12_equal(&product, &v->alpha_beta))
        return cz_fail(CZ_E_VERIFY, "the proof does not verify");
    return CZ_OK;
}
