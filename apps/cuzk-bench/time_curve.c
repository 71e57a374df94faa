/* time_curve.c: pairings, and whether points are in the subgroup, by one thread. The points are
 * known multiples of the generators. */
#include <stdlib.h>
#include <string.h>

#include "curve/pairing.h"
#include "msm/msm.h"
#include "time_case.h"

typedef enum { PAIRING, SUBGROUP_G1, SUBGROUP_G2 } what;

typedef struct {
    time_case base;
    what what;
    size_t n;
    cz_u256 *multiples; /* both points i are multiples[i] times the generator */
    cz_g1_affine *g1;
    cz_g2_affine *g2;
    bool *in_subgroup;
    cz_fp12 value; /* the last pairing's */
} curve_case;

static cz_err run(time_case *base)
{
    curve_case *c = (curve_case *)base;

    for (size_t i = 0; i < c->n; i++) {
        if (c->what == PAIRING)
            cz_pairing(&c->value, &c->g1[i], &c->g2[i]);
        else if (c->what == SUBGROUP_G1)
            c->in_subgroup[i] = cz_g1_affine_in_subgroup(&c->g1[i]);
        else
            c->in_subgroup[i] = cz_g2_affine_in_subgroup(&c->g2[i]);
    }
    return CZ_OK;
}

/* --- checking ------------------------------------------------------------------------------- */

/* e(k P, k Q) = e(k^2 P, Q) */
static cz_err check_pairing(const curve_case *c)
{
    cz_fr square;
    cz_u256 plain;
    cz_g1 p;
    cz_g1_affine multiple;
    cz_fp12 want;

    cz_fr_from_u256(&square, &c->multiples[c->n - 1]);
    cz_fr_sqr(&square, &square);
    cz_fr_to_u256(&plain, &square);
    cz_g1_from_affine(&p, &cz_g1_generator);
    cz_g1_mul_var(&p, &p, &plain);
    cz_g1_to_affine(&multiple, &p);
    cz_pairing(&want, &multiple, &cz_g2_generator);
    if (!cz_fp12_equal(&want, &c->value))
        return cz_fail(CZ_E_INTERNAL, "the pairing is not bilinear");
    return CZ_OK;
}

static cz_err check_subgroup(const curve_case *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const bool want = c->what == SUBGROUP_G1 ? cz_g1_affine_in_subgroup_ref(&c->g1[i])
                                                 : cz_g2_affine_in_subgroup_ref(&c->g2[i]);

        if (c->in_subgroup[i] != want)
            return cz_fail(CZ_E_INTERNAL, "point %zu: not the verdict of the definition", i);
    }
    return CZ_OK;
}

static cz_err check(time_case *base)
{
    const curve_case *c = (curve_case *)base;

    return c->what == PAIRING ? check_pairing(c) : check_subgroup(c);
}

/* --- from the command line ------------------------------------------------------------------ */

static void destroy(time_case *base)
{
    curve_case *c = (curve_case *)base;

    free(c->multiples);
    free(c->g1);
    free(c->g2);
    free(c->in_subgroup);
    free(c);
}

static cz_err parse(curve_case *c, const time_order *order)
{
    const bool pairing = strcmp(order->words[0], "pairing") == 0;
    const unsigned size_at = pairing ? 1 : 2;
    const char *group = order->n_words >= 2 ? order->words[1] : "";
    unsigned log_n = 6;

    c->what = pairing ? PAIRING : strcmp(group, "g2") == 0 ? SUBGROUP_G2 : SUBGROUP_G1;
    if (order->n_words > size_at + 1 || (c->what == SUBGROUP_G1 && strcmp(group, "g1") != 0))
        return args_mistake(
            cz_fail(CZ_E_INPUT, "%s: wanted as in pairing:2^6 or subgroup:g1:2^6", order->text));
    if (order->n_words == size_at + 1)
        CZ_TRY_IN(time_parse_log2(&log_n, order->words[size_at], 0, 20), "%s", order->text);
    c->n = (size_t)1 << log_n;
    return CZ_OK;
}

static cz_err fill(curve_case *c)
{
    cz_fr k = {CZ_FR_GENERATOR};

    c->multiples = calloc(c->n, sizeof *c->multiples);
    c->g1 = calloc(c->n, sizeof *c->g1);
    c->g2 = calloc(c->n, sizeof *c->g2);
    c->in_subgroup = calloc(c->n, sizeof *c->in_subgroup);
    if (c->multiples == NULL || c->g1 == NULL || c->g2 == NULL || c->in_subgroup == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu points", c->n);
    for (size_t i = 0; i < c->n; i++) {
        cz_fr_sqr(&k, &k);
        cz_fr_to_u256(&c->multiples[i], &k);
    }
    CZ_TRY(cz_fixed_base_g1(c->base.pool, c->g1, &cz_g1_generator, c->multiples, c->n));
    return cz_fixed_base_g2(c->base.pool, c->g2, &cz_g2_generator, c->multiples, c->n);
}

cz_err time_curve_create(time_case **out, const time_order *order)
{
    curve_case *c = calloc(1, sizeof *c);
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
    c->base.cost = (time_cost){.form = cz_field_kernels.name,
                               .item = c->what == PAIRING ? "pairing" : "point",
                               .items = (double)c->n};
    *out = &c->base;
    return CZ_OK;
}
