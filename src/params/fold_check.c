/* fold_check.c: the random check of a folded key; fold.h has its equations.
 *
 * Why the first holds: the sum over j of x^j H'_j is sum over i of g^-i / (z n) times the geometric
 * series of x w^-i over n terms, and that series is n L_i(x). Neither the transforms of points nor
 * the columns of C have a part in it: scalars come from Lagrange's polynomials, from C by rows and
 * from a transform of field elements. */
#include <stdlib.h>

#include "base/blocks.h"
#include "cs/compiled_columns.h"
#include "cs/compiled_eval.h"
#include "ntt/ntt.h"
#include "params/fold.h"
#include "params/fold_sums.h"
#include "params/lagrange.h"

typedef struct {
    const cz_params *params;
    const cz_folded *folded;
    const cz_compiled *circuit;
    cz_pool *pool;
    size_t n, n_vars; /* of the domain; inputs and aux */
    cz_fr over_z;     /* 1 / z */
    cz_fold_sums *sums;
    cz_fr *rows; /* n */
    cz_fr *vars; /* n_vars */
} check;

/* ---- scalars ---- */

typedef struct {
    cz_fr *xs;
    cz_fr factor, base;
} scaling;

/* xs[i] = factor base^i xs[i] */
static cz_err scale_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const scaling *s = ctx;
    const uint64_t e = begin;
    cz_fr power;

    (void)worker;
    cz_fr_pow_var(&power, &s->base, &e, 1);
    cz_fr_mul(&power, &power, &s->factor);
    for (size_t i = begin; i < end; i++) {
        cz_fr_mul(&s->xs[i], &s->xs[i], &power);
        cz_fr_mul(&power, &power, &s->base);
    }
    return CZ_OK;
}

enum { SCALED_AT_ONCE = 4096 };

static cz_err scale(const check *c, const cz_fr *factor, const cz_fr *base)
{
    scaling s = {c->rows, *factor, *base};

    return cz_parallel_for(c->pool, c->n, SCALED_AT_ONCE, scale_range, &s);
}

/* ---- h ---- */

static cz_err refuse(const check *c, const char *list)
{
    return cz_fail(CZ_E_INPUT, "%s: %s: does not follow from the points of %s",
                   c->folded->file.path, list, c->params->path);
}

static cz_err check_h(check *c)
{
    const cz_fr one = CZ_FR_ONE, shift = {CZ_FR_GENERATOR};
    cz_g1 folded, classic;
    cz_fr x, shift_inv;

    cz_fold_sums_step(c->sums, "check h", 2 * (uint64_t)c->n - 1);
    CZ_TRY(cz_fr_random(&x));
    CZ_TRY(cz_scaled_powers(c->rows, 0, c->n, &x, &one, c->pool));
    CZ_TRY(cz_fold_sum(c->sums, &folded, &c->folded->file, &c->folded->file.h, c->rows));
    cz_fr_inv(&shift_inv, &shift);
    CZ_TRY(cz_lagrange_at(c->rows, c->n, c->folded->log_n, &x, c->pool));
    CZ_TRY(scale(c, &c->over_z, &shift_inv));
    CZ_TRY(cz_fold_sum(c->sums, &classic, c->params, &c->params->h, c->rows));
    return cz_g1_equal(&folded, &classic) ? CZ_OK : refuse(c, "h");
}

/* ---- l ---- */

/* rows = 1/z times the coefficients of the polynomial through C v */
static cz_err make_coefficients(check *c)
{
    const cz_fr one = CZ_FR_ONE, zero = CZ_FR_ZERO;
    cz_ntt_plan *plan;
    cz_err err;

    CZ_TRY(cz_compiled_c_times(c->rows, c->circuit, c->vars, c->pool));
    for (size_t i = cz_compiled_rows(c->circuit); i < c->n; i++)
        c->rows[i] = zero;
    CZ_TRY(cz_ntt_plan_create(&plan, c->folded->log_n, c->pool));
    err = cz_ntt_inverse(plan, c->pool, c->rows);
    cz_ntt_plan_destroy(plan);
    CZ_TRY(err);
    return scale(c, &c->over_z, &one);
}

/* The values of those inputs that have a point, moved to right before the aux variables'. */
static const cz_fr *folded_values(check *c)
{
    size_t first = c->folded->n_inputs;

    for (size_t k = c->folded->n_inputs; k-- > 0;)
        if (c->folded->input_has_point[k / 64] >> (k % 64) & 1)
            c->vars[--first] = c->vars[k];
    return c->vars + first;
}

static cz_err check_l(check *c)
{
    const cz_fr one = CZ_FR_ONE;
    cz_g1 folded, classic, of_c;
    cz_fr y;

    cz_fold_sums_step(c->sums, "check l",
                      (uint64_t)c->folded->file.l.n + c->params->l.n + c->params->h.n);
    CZ_TRY(cz_fr_random(&y));
    CZ_TRY(cz_scaled_powers(c->vars, 0, c->n_vars, &y, &one, c->pool));
    CZ_TRY(make_coefficients(c));
    CZ_TRY(cz_fold_sum(c->sums, &of_c, c->params, &c->params->h, c->rows));
    CZ_TRY(cz_fold_sum(c->sums, &classic, c->params, &c->params->l, c->vars + c->folded->n_inputs));
    CZ_TRY(cz_fold_sum(c->sums, &folded, &c->folded->file, &c->folded->file.l, folded_values(c)));
    cz_g1_add(&folded, &folded, &of_c);
    return cz_g1_equal(&folded, &classic) ? CZ_OK : refuse(c, "l");
}

/* ---- both ---- */

/* That the lists are as long as the scalars. */
static cz_err check_sizes(const check *c)
{
    const cz_compiled_header *h = cz_compiled_view(c->circuit)->header;
    const cz_folded *f = c->folded;
    const cz_circuit_stats stats = cz_compiled_stats(c->circuit);

    CZ_TRY(cz_params_match(c->params, &stats, cz_compiled_id(c->circuit)));
    if (f->n_inputs != h->n_inputs || f->n_aux != h->n_aux || f->file.h.n != c->n ||
        c->params->h.n + (size_t)1 != c->n)
        return cz_fail(CZ_E_INPUT, "%s: does not belong to %s", f->file.path,
                       cz_compiled_id(c->circuit));
    return CZ_OK;
}

static cz_err prepare(check *c, const cz_fold_options *options)
{
    const cz_fr shift = {CZ_FR_GENERATOR};
    const size_t l = c->folded->file.l.n, longest = c->n > l ? c->n : l;

    cz_vanishing_at(&c->over_z, c->folded->log_n, &shift);
    cz_fr_inv(&c->over_z, &c->over_z);
    c->rows = cz_blocks_take(NULL, c->n * sizeof *c->rows);
    c->vars = cz_blocks_take(NULL, c->n_vars * sizeof *c->vars);
    if (c->rows == NULL || c->vars == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to check", c->folded->file.path);
    return cz_fold_sums_create(&c->sums, options, longest);
}

cz_err cz_folded_check(const cz_params *params, const cz_folded *folded, const cz_compiled *circuit,
                       const cz_fold_options *options)
{
    check c = {.params = params,
               .folded = folded,
               .circuit = circuit,
               .pool = options->pool,
               .n = (size_t)1 << folded->log_n,
               .n_vars = (size_t)folded->n_inputs + folded->n_aux};
    cz_err err = check_sizes(&c);

    if (err == CZ_OK)
        err = prepare(&c, options);
    if (err == CZ_OK)
        err = check_h(&c);
    if (err == CZ_OK)
        err = check_l(&c);
    cz_fold_sums_destroy(c.sums);
    cz_blocks_give(NULL, c.rows, c.n * sizeof *c.rows);
    cz_blocks_give(NULL, c.vars, c.n_vars * sizeof *c.vars);
    return err;
}
