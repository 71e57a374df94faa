/* verify_batch.c: many proofs under one key by a random linear combination [BGR98].
 *
 * With a weight z_i for each proof, all equations hold if and only if (but for a chance of 2^-128)
 *   prod e(z_i A_i, B_i) e(sum z_i x_ik ic_k, -gamma) e(sum z_i C_i, -delta) e(z alpha, -beta) = 1
 * where z is the sum of the weights: n + 3 Miller loops and one final exponentiation. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "groth16/verifier.h"
#include "msm/msm.h"

enum { EXTRA_PAIRS = 3, PAIRS_A_TURN = 8 };

typedef struct {
    const cz_verifier *v;
    cz_pool *pool;
    const cz_proof *proofs;
    const cz_fr *inputs;
    size_t n;
    cz_u256 *weights;    /* n, 128 bits each */
    cz_fr *weights_fr;   /* the same in the field */
    cz_u256 *ic_scalars; /* n_ic */
    cz_g1_affine *g1;    /* n + EXTRA_PAIRS pairs */
    cz_g2_affine *g2;
    cz_fp12 *partials; /* a turn's Miller loop */
} batch;

static cz_err draw_weights(batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        uint8_t bytes[16];

        CZ_TRY(cz_random_bytes(bytes, sizeof bytes));
        b->weights[i] = (cz_u256){{cz_load_le64(bytes), cz_load_le64(bytes + 8), 0, 0}};
        cz_fr_from_u256(&b->weights_fr[i], &b->weights[i]);
    }
    return CZ_OK;
}

/* scalars[0] = sum of the weights; scalars[k] = sum of weight times the k-th input. */
static cz_err weigh_inputs(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const batch *b = ctx;
    size_t n_inputs = cz_verifier_inputs(b->v);

    (void)worker;
    for (size_t k = begin; k < end; k++) {
        cz_fr sum = CZ_FR_ZERO, t;

        for (size_t i = 0; i < b->n; i++) {
            t = b->weights_fr[i];
            if (k > 0)
                cz_fr_mul(&t, &t, &b->inputs[i * n_inputs + k - 1]);
            cz_fr_add(&sum, &sum, &t);
        }
        cz_fr_to_u256(&b->ic_scalars[k], &sum);
    }
    return CZ_OK;
}

static cz_err weigh_pairs(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const batch *b = ctx;
    cz_g1 p;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cz_g1_from_affine(&p, &b->proofs[i].a);
        cz_g1_mul_var(&p, &p, &b->weights[i]);
        cz_g1_to_affine(&b->g1[i], &p);
        b->g2[i] = b->proofs[i].b;
    }
    return CZ_OK;
}

static cz_err weigh_c(batch *b, cz_g1_affine *out)
{
    cz_g1_affine *cs = malloc(b->n * sizeof *cs);
    cz_g1 sum;
    cz_err err;

    if (cs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu proofs", b->n);
    for (size_t i = 0; i < b->n; i++)
        cs[i] = b->proofs[i].c;
    err = cz_msm_g1(b->pool, &sum, cs, b->weights, b->n);
    free(cs);
    CZ_TRY(err);
    cz_g1_to_affine(out, &sum);
    return CZ_OK;
}

static void weigh_alpha(const batch *b, cz_g1_affine *out)
{
    cz_g1 p;

    cz_g1_from_affine(&p, &b->v->alpha);
    cz_g1_mul_var(&p, &p, &b->ic_scalars[0]);
    cz_g1_to_affine(out, &p);
}

/* The three pairs after those of the proofs. */
static cz_err make_extra_pairs(batch *b)
{
    cz_g1_affine *g1 = b->g1 + b->n;
    cz_g2_affine *g2 = b->g2 + b->n;

    CZ_TRY(cz_verifier_ic_sum(&g1[0], b->v, b->pool, b->ic_scalars));
    g2[0] = b->v->minus_gamma;
    CZ_TRY(weigh_c(b, &g1[1]));
    g2[1] = b->v->minus_delta;
    weigh_alpha(b, &g1[2]);
    g2[2] = b->v->minus_beta;
    return CZ_OK;
}

static cz_err miller_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const batch *b = ctx;

    (void)worker;
    cz_miller_loop(&b->partials[begin / PAIRS_A_TURN], b->g1 + begin, b->g2 + begin, end - begin);
    return CZ_OK;
}

static cz_err check_product(batch *b, bool *valid)
{
    size_t n = b->n + EXTRA_PAIRS;
    cz_fp12 product;

    CZ_TRY(cz_parallel_for(b->pool, n, PAIRS_A_TURN, miller_range, b));
    cz_fp12_set_one(&product);
    for (size_t i = 0; i < (n + PAIRS_A_TURN - 1) / PAIRS_A_TURN; i++)
        cz_fp12_mul(&product, &product, &b->partials[i]);
    cz_final_exp(&product, &product);
    *valid = cz_fp12_is_one(&product);
    return CZ_OK;
}

static cz_err combine(batch *b, bool *valid)
{
    CZ_TRY(draw_weights(b));
    CZ_TRY(cz_parallel_for(b->pool, b->v->n_ic, 256, weigh_inputs, b));
    CZ_TRY(cz_parallel_for(b->pool, b->n, 4, weigh_pairs, b));
    CZ_TRY(make_extra_pairs(b));
    return check_product(b, valid);
}

static cz_err allocate(batch *b)
{
    size_t pairs = b->n + EXTRA_PAIRS;

    b->weights = malloc(b->n * sizeof *b->weights);
    b->weights_fr = malloc(b->n * sizeof *b->weights_fr);
    b->ic_scalars = malloc(b->v->n_ic * sizeof *b->ic_scalars);
    b->g1 = malloc(pairs * sizeof *b->g1);
    b->g2 = malloc(pairs * sizeof *b->g2);
    b->partials = malloc(pairs * sizeof *b->partials);
    if (b->weights == NULL || b->weights_fr == NULL || b->ic_scalars == NULL || b->g1 == NULL ||
        b->g2 == NULL || b->partials == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to verify %zu proofs", b->n);
    return CZ_OK;
}

static void release(batch *b)
{
    free(b->weights);
    free(b->weights_fr);
    free(b->ic_scalars);
    free(b->g1);
    free(b->g2);
    free(b->partials);
}

/* The combination failed: say which proof it was. */
static cz_err name_the_bad_one(const batch *b)
{
    size_t n_inputs = cz_verifier_inputs(b->v);

    for (size_t i = 0; i < b->n; i++)
        CZ_TRY_IN(cz_groth16_verify(b->v, &b->proofs[i], b->inputs + i * n_inputs, n_inputs),
                  "proof %zu of %zu", i, b->n);
    return cz_fail(CZ_E_INTERNAL, "a batch of %zu proofs fails, but each proof alone verifies",
                   b->n);
}

cz_err cz_groth16_verify_batch(const cz_verifier *v, cz_pool *pool, const cz_proof *proofs,
                               size_t n, const cz_fr *inputs, size_t n_inputs)
{
    batch b = {.v = v, .pool = pool, .proofs = proofs, .inputs = inputs, .n = n};
    bool valid = false;
    cz_err err;

    if (n == 0)
        return cz_fail(CZ_E_INPUT, "no proofs to verify");
    CZ_TRY(cz_verifier_check_inputs(v, n_inputs));
    err = allocate(&b);
    if (err == CZ_OK)
        err = combine(&b, &valid);
    if (err == CZ_OK && !valid)
        err = name_the_bad_one(&b);
    release(&b);
    return err;
}
