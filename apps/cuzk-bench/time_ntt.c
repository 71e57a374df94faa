/* time_ntt.c: transforms, compared element by element with the reference twin. */
#include <stdlib.h>
#include <string.h>

#include "ntt/ntt.h"
#include "time_case.h"

/* The twin is one loop on one thread: minutes above this. */
enum { MAX_LOG_N_OF_TWIN = 24 };

typedef struct {
    time_case base;
    unsigned log_n;
    size_t n;
    cz_ntt_plan *plan;
    cz_fr *in, *xs;
} ntt_case;

static cz_err prepare(time_case *base)
{
    ntt_case *c = (ntt_case *)base;

    memcpy(c->xs, c->in, c->n * sizeof *c->xs);
    return CZ_OK;
}

static cz_err run(time_case *base)
{
    ntt_case *c = (ntt_case *)base;

    return cz_ntt_forward(c->plan, base->pool, c->xs);
}

/* Above the twin's sizes: back again. */
static cz_err make_expected(ntt_case *c)
{
    if (c->log_n > MAX_LOG_N_OF_TWIN)
        return cz_ntt_inverse(c->plan, c->base.pool, c->xs);
    cz_ntt_ref_forward(c->in, c->log_n);
    return CZ_OK;
}

static cz_err check(time_case *base)
{
    ntt_case *c = (ntt_case *)base;

    CZ_TRY(make_expected(c));
    if (memcmp(c->in, c->xs, c->n * sizeof *c->xs) != 0)
        return cz_fail(CZ_E_INTERNAL, "the transform is not the reference's");
    return CZ_OK;
}

/* A multiplication a butterfly; one an element in each pass but the first (the twist); elements in
 * and out once a pass, and once for the permutation. */
static void count_cost(ntt_case *c)
{
    const bool lanes = strcmp(cz_ntt_form(), "ifma") == 0 && c->log_n >= 8;
    const double n = (double)c->n;
    const double passes = c->log_n <= 22 ? 2 : 3;
    const double products = n / 2 * c->log_n + n * (passes - 1);

    c->base.cost = (time_cost){.form = lanes ? "ifma" : "scalar",
                               .item = "butterfly",
                               .items = n / 2 * c->log_n,
                               .bytes = (passes + 1) * 2 * n * sizeof(cz_fr)};
    if (lanes)
        c->base.cost.multiply_adds = products / 8 * IFMA_FR_FACTOR;
    else
        c->base.cost.products = products * MULX_FR_MUL;
}

static void destroy(time_case *base)
{
    ntt_case *c = (ntt_case *)base;

    cz_ntt_plan_destroy(c->plan);
    free(c->in);
    free(c->xs);
    free(c);
}

static cz_err fill(ntt_case *c, const time_order *order)
{
    cz_fr x = CZ_FR_ONE;
    cz_fr step;

    if (order->n_words != 2)
        return cz_fail(CZ_E_INPUT, "%s: a size is wanted, as in ntt:2^20", order->text);
    CZ_TRY_IN(time_parse_log2(&c->log_n, order->words[1], 0, CZ_NTT_MAX_LOG_N), "%s", order->text);
    c->n = (size_t)1 << c->log_n;
    c->in = malloc(c->n * sizeof *c->in);
    c->xs = malloc(c->n * sizeof *c->xs);
    if (c->in == NULL || c->xs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu elements", c->n);
    cz_fr_from_u64(&step, 0x9e3779b97f4a7c15u);
    for (size_t i = 0; i < c->n; i++) {
        c->in[i] = x;
        cz_fr_mul(&x, &x, &step);
    }
    return cz_ntt_plan_create(&c->plan, c->log_n, order->pool);
}

cz_err time_ntt_create(time_case **out, const time_order *order)
{
    ntt_case *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    c->base = (time_case){
        .pool = order->pool, .prepare = prepare, .run = run, .check = check, .destroy = destroy};
    err = fill(c, order);
    if (err != CZ_OK) {
        destroy(&c->base);
        return err;
    }
    count_cost(c);
    *out = &c->base;
    return CZ_OK;
}
