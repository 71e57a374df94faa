/* time_msm.c: sums of points. The points are known multiples of the generator, so that one
 * multiplication of it tells what the sum must be. */
#include <stdlib.h>
#include <string.h>

#include "curve/curve.h"
#include "msm/msm.h"
#include "msm/msm_shape.h"
#include "time_case.h"

typedef enum { MSM, BIT_SUM, FIXED_BASE } what;

typedef struct {
    time_case base;
    what what;
    bool g2;
    size_t n;
    cz_u256 *multiples; /* point i is multiples[i] times the generator */
    cz_u256 *scalars;
    uint64_t *bits;
    cz_g1_affine *points1;
    cz_g2_affine *points2;
    cz_g1 sum1;
    cz_g2 sum2;
} msm_case;

/* --- input ---------------------------------------------------------------------------------- */

/* xorshift64*: the same input every time. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

static void fill_scalars(cz_u256 *out, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        for (int l = 0; l < 4; l++)
            out[i].l[l] = next_random(&seed);
        out[i].l[3] >>= 2; /* below 2^254, and so below r */
    }
}

static cz_err make_points(msm_case *c)
{
    const cz_g1_affine g1 = cz_g1_generator;
    const cz_g2_affine g2 = cz_g2_generator;

    if (c->g2)
        return cz_fixed_base_g2(c->base.pool, c->points2, &g2, c->multiples, c->n);
    return cz_fixed_base_g1(c->base.pool, c->points1, &g1, c->multiples, c->n);
}

static cz_err allocate(msm_case *c)
{
    c->multiples = calloc(c->n, sizeof *c->multiples);
    c->scalars = calloc(c->n, sizeof *c->scalars);
    c->bits = calloc(c->n / 64 + 1, sizeof *c->bits);
    if (c->g2)
        c->points2 = calloc(c->n, sizeof *c->points2);
    else
        c->points1 = calloc(c->n, sizeof *c->points1);
    if (c->multiples == NULL || c->scalars == NULL || c->bits == NULL ||
        (c->points1 == NULL && c->points2 == NULL))
        return cz_fail(CZ_E_NOMEM, "no memory for %zu points", c->n);
    return CZ_OK;
}

static cz_err fill(msm_case *c)
{
    uint64_t seed = 3;

    CZ_TRY(allocate(c));
    fill_scalars(c->multiples, c->n, 1);
    fill_scalars(c->scalars, c->n, 2);
    for (size_t i = 0; i < (c->n + 63) / 64; i++)
        c->bits[i] = next_random(&seed);
    return c->what == FIXED_BASE ? CZ_OK : make_points(c);
}

/* --- running -------------------------------------------------------------------------------- */

static cz_err run(time_case *base)
{
    msm_case *c = (msm_case *)base;

    switch (c->what) {
    case MSM:
        return c->g2 ? cz_msm_g2(base->pool, &c->sum2, c->points2, c->scalars, c->n)
                     : cz_msm_g1(base->pool, &c->sum1, c->points1, c->scalars, c->n);
    case BIT_SUM:
        return c->g2 ? cz_bit_sum_g2(base->pool, &c->sum2, c->points2, c->bits, c->n)
                     : cz_bit_sum_g1(base->pool, &c->sum1, c->points1, c->bits, c->n);
    default:
        return make_points(c);
    }
}

/* --- checking ------------------------------------------------------------------------------- */

static bool is_bit_set(const msm_case *c, size_t i)
{
    return (c->bits[i / 64] >> (i % 64) & 1) != 0;
}

/* The generator's multiple that the sum is. */
static cz_u256 expected_multiple(const msm_case *c)
{
    cz_fr sum = CZ_FR_ZERO;
    cz_u256 plain;

    for (size_t i = 0; i < c->n; i++) {
        cz_fr multiple, scalar;

        if (c->what == BIT_SUM && !is_bit_set(c, i))
            continue;
        cz_fr_from_u256(&multiple, &c->multiples[i]);
        cz_fr_from_u256(&scalar, &c->scalars[i]);
        if (c->what == MSM)
            cz_fr_mul(&multiple, &multiple, &scalar);
        cz_fr_add(&sum, &sum, &multiple);
    }
    cz_fr_to_u256(&plain, &sum);
    return plain;
}

/* Of many multiples the sum of all is checked. */
static cz_err sum_up(msm_case *c)
{
    memset(c->bits, 0xff, (c->n / 64 + 1) * sizeof *c->bits);
    return c->g2 ? cz_bit_sum_g2(c->base.pool, &c->sum2, c->points2, c->bits, c->n)
                 : cz_bit_sum_g1(c->base.pool, &c->sum1, c->points1, c->bits, c->n);
}

static bool sum_is(const msm_case *c, const cz_u256 *multiple)
{
    const cz_g1_affine g1 = cz_g1_generator;
    const cz_g2_affine g2 = cz_g2_generator;
    cz_g1 want1;
    cz_g2 want2;

    if (c->g2) {
        cz_g2_from_affine(&want2, &g2);
        cz_g2_mul_var(&want2, &want2, multiple);
        return cz_g2_equal(&want2, &c->sum2);
    }
    cz_g1_from_affine(&want1, &g1);
    cz_g1_mul_var(&want1, &want1, multiple);
    return cz_g1_equal(&want1, &c->sum1);
}

static cz_err check(time_case *base)
{
    msm_case *c = (msm_case *)base;
    cz_u256 multiple;

    if (c->what == FIXED_BASE)
        CZ_TRY(sum_up(c));
    multiple = expected_multiple(c);
    if (!sum_is(c, &multiple))
        return cz_fail(CZ_E_INTERNAL, "the sum is not the multiple of the generator that it must "
                                      "be");
    return CZ_OK;
}

/* --- cost ----------------------------------------------------------------------------------- */

/* Affine additions of a sum, and the points that are fetched for them. */
static void count_additions(const msm_case *c, double *additions, double *fetches)
{
    cz_msm_shape shape;

    switch (c->what) {
    case MSM:
        cz_msm_shape_choose(&shape, c->n, 2, CZ_MSM_MAX_WINDOW);
        *fetches = (double)c->n * shape.n_windows;
        *additions = *fetches + 2.0 * (double)cz_msm_n_buckets(&shape);
        break;
    case BIT_SUM:
        *fetches = *additions = (double)c->n / 2;
        break;
    default:
        cz_msm_shape_choose(&shape, c->n, 1, 16);
        *fetches = *additions = (double)c->n * shape.n_windows;
    }
}

/* An affine addition with its share of an inversion is five products and a square. */
static void count_cost(msm_case *c)
{
    const bool lanes = strcmp(cz_msm_form(), "ifma") == 0;
    const double point_bytes = lanes ? 128 : 96;
    double additions, fetches;

    count_additions(c, &additions, &fetches);
    c->base.cost = (time_cost){
        .form = lanes ? "ifma" : "cpu",
        .item = "point",
        .items = (double)c->n,
        .bytes = fetches * (point_bytes * (c->g2 ? 2 : 1) + 8),
    };
    if (lanes)
        c->base.cost.multiply_adds =
            additions / 8 *
            (c->g2 ? 5 * IFMA_FP2_MUL + IFMA_FP2_SQR : 5 * IFMA_FP_MUL + IFMA_FP_SQR);
    else
        c->base.cost.products =
            additions * (c->g2 ? 17 * MULX_FP_MUL : 5 * MULX_FP_MUL + MULX_FP_SQR);
}

/* --- from the command line ------------------------------------------------------------------ */

static void destroy(time_case *base)
{
    msm_case *c = (msm_case *)base;

    free(c->multiples);
    free(c->scalars);
    free(c->bits);
    free(c->points1);
    free(c->points2);
    free(c);
}

static cz_err parse(msm_case *c, const time_order *order)
{
    unsigned log_n;

    c->what = strcmp(order->words[0], "msm") == 0      ? MSM
              : strcmp(order->words[0], "bitsum") == 0 ? BIT_SUM
                                                       : FIXED_BASE;
    if (order->n_words != 3 ||
        (strcmp(order->words[1], "g1") != 0 && strcmp(order->words[1], "g2") != 0))
        return args_mistake(cz_fail(CZ_E_INPUT,
                                    "%s: a group and a size are wanted, as in %s:g1:2^16",
                                    order->text, order->words[0]));
    CZ_TRY_IN(time_parse_log2(&log_n, order->words[2], 0, 27), "%s", order->text);
    c->g2 = strcmp(order->words[1], "g2") == 0;
    c->n = (size_t)1 << log_n;
    return CZ_OK;
}

cz_err time_msm_create(time_case **out, const time_order *order)
{
    msm_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){.pool = order->pool, .run = run, .check = check, .destroy = destroy};
    err = parse(c, order);
    if (err == CZ_OK)
        err = fill(c);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    count_cost(c);
    *out = &c->base;
    return CZ_OK;
}
