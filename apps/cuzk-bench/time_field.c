/* time_field.c: operations of a field, one after another: each takes what the one before gave, as
 * in formulas of points. The same chain by the definitions (field/mont.h, Fermat) tells what must
 * come out. */
#include <stdlib.h>
#include <string.h>

#include "field/fp.h"
#include "field/fr.h"
#include "time_case.h"

typedef enum { MUL, SQR, INV, N_OPS } operation;

typedef struct {
    time_case base;
    operation op;
    bool is_fp;
    size_t n;
    cz_fr fr;
    cz_fp fp; /* what the chain came to */
} field_case;

static const cz_fr fr_start = {CZ_FR_GENERATOR};
static const cz_fp fp_start = {CZ_FP_HALF};

/* --- chains --------------------------------------------------------------------------------- */

static void fr_chain(cz_fr *x, operation op, size_t n)
{
    const cz_fr y = *x;

    if (op == MUL)
        for (size_t i = 0; i < n; i++)
            cz_fr_mul(x, x, &y);
    else if (op == SQR)
        for (size_t i = 0; i < n; i++)
            cz_fr_sqr(x, x);
    else
        for (size_t i = 0; i < n; i++) {
            cz_fr_inv_var(x, x);
            cz_fr_add(x, x, &y);
        }
}

static void fp_chain(cz_fp *x, operation op, size_t n)
{
    const cz_fp y = *x;

    if (op == MUL)
        for (size_t i = 0; i < n; i++)
            cz_fp_mul(x, x, &y);
    else if (op == SQR)
        for (size_t i = 0; i < n; i++)
            cz_fp_sqr(x, x);
    else
        for (size_t i = 0; i < n; i++) {
            cz_fp_inv_var(x, x);
            cz_fp_add(x, x, &y);
        }
}

static void fr_chain_ref(cz_fr *x, operation op, size_t n)
{
    const cz_fr y = *x;

    for (size_t i = 0; i < n; i++) {
        if (op != INV) {
            cz_mont_mul(x->l, x->l, op == MUL ? y.l : x->l, cz_fr_modulus, CZ_FR_M_INV, 4);
            continue;
        }
        cz_fr_inv(x, x);
        cz_mont_add(x->l, x->l, y.l, cz_fr_modulus, 4);
    }
}

static void fp_chain_ref(cz_fp *x, operation op, size_t n)
{
    const cz_fp y = *x;

    for (size_t i = 0; i < n; i++) {
        if (op != INV) {
            cz_mont_mul(x->l, x->l, op == MUL ? y.l : x->l, cz_fp_modulus, CZ_FP_M_INV, 6);
            continue;
        }
        cz_fp_inv(x, x);
        cz_mont_add(x->l, x->l, y.l, cz_fp_modulus, 6);
    }
}

/* --- running and checking ------------------------------------------------------------------- */

static cz_err run(time_case *base)
{
    field_case *c = (field_case *)base;

    c->fr = fr_start;
    c->fp = fp_start;
    if (c->is_fp)
        fp_chain(&c->fp, c->op, c->n);
    else
        fr_chain(&c->fr, c->op, c->n);
    return CZ_OK;
}

static cz_err check(time_case *base)
{
    const field_case *c = (field_case *)base;
    cz_fr fr = fr_start;
    cz_fp fp = fp_start;

    if (c->is_fp)
        fp_chain_ref(&fp, c->op, c->n);
    else
        fr_chain_ref(&fr, c->op, c->n);
    if (c->is_fp ? !cz_fp_equal(&fp, &c->fp) : !cz_fr_equal(&fr, &c->fr))
        return cz_fail(CZ_E_INTERNAL, "the chain does not end where the definition's does");
    return CZ_OK;
}

/* --- from the command line ------------------------------------------------------------------ */

static void destroy(time_case *base)
{
    free(base);
}

/* Inversions count nothing: their steps depend on the number. */
static void count_cost(field_case *c)
{
    static const double products[2][N_OPS] = {{MULX_FR_MUL, MULX_FR_SQR, 0},
                                              {MULX_FP_MUL, MULX_FP_SQR, 0}};

    c->base.cost = (time_cost){.form = cz_field_kernels.name,
                               .item = c->op == INV ? "reciprocal" : "product",
                               .items = (double)c->n,
                               .products = (double)c->n * products[c->is_fp][c->op]};
}

static cz_err parse(field_case *c, const time_order *order)
{
    static const char *const names[N_OPS] = {"mul", "sqr", "inv"};
    const char *name = order->n_words >= 2 ? order->words[1] : "";
    unsigned log_n = 14;

    c->is_fp = strcmp(order->words[0], "fp") == 0;
    while (c->op < N_OPS && strcmp(name, names[c->op]) != 0)
        c->op++;
    if (c->op == N_OPS || order->n_words > 3)
        return args_mistake(cz_fail(
            CZ_E_INPUT, "%s: mul, sqr or inv is wanted, and a size may follow", order->text));
    if (order->n_words == 3)
        CZ_TRY_IN(time_parse_log2(&log_n, order->words[2], 0, 28), "%s", order->text);
    c->n = (size_t)1 << log_n;
    return CZ_OK;
}

cz_err time_field_create(time_case **out, const time_order *order)
{
    field_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){.pool = order->pool, .run = run, .check = check, .destroy = destroy};
    err = parse(c, order);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    count_cost(c);
    *out = &c->base;
    return CZ_OK;
}
