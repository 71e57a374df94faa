/* time_ntt.c: transforms, and quotients, which are made of six; compared element by element with
 * the reference twins. */
#include <stdlib.h>
#include <string.h>

#include "ntt/quotient.h"
#include "time_case.h"

/* The twin is one loop on one thread: minutes above this. */
enum { MAX_LOG_N_OF_TWIN = 24 };

typedef struct {
    time_case base;
    bool quotient;
    unsigned log_n;
    size_t n, n_vectors;
    cz_ntt_plan *plan;
    cz_fr *in, *xs; /* n_vectors of n elements */
} ntt_case;

static cz_err prepare(time_case *base)
{
    ntt_case *c = (ntt_case *)base;

    memcpy(c->xs, c->in, c->n_vectors * c->n * sizeof *c->xs);
    return CZ_OK;
}

static cz_err run(time_case *base)
{
    ntt_case *c = (ntt_case *)base;

    if (c->quotient)
        return cz_ntt_quotient(c->plan, base->pool, c->xs, c->xs + c->n, c->xs + 2 * c->n);
    return cz_ntt_forward(c->plan, base->pool, c->xs);
}

/* Above the twin's sizes: back again. */
static cz_err make_expected(ntt_case *c)
{
    if (c->quotient) {
        cz_ntt_quotient_ref(c->in, c->in + c->n, c->in + 2 * c->n, c->log_n);
        return CZ_OK;
    }
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
        return cz_fail(CZ_E_INTERNAL, "the result is not the reference's");
    return CZ_OK;
}

/* Of a transform: a multiplication a butterfly; one an element in each pass but the first (the
 * twist); elements in and out once a pass. Once more for the permutation. A quotient: six
 * transforms, a factor an element behind the coset's inverse, products and differences of two
 * vectors. */
static void count_cost(ntt_case *c)
{
    const bool lanes = strcmp(cz_ntt_form(), "ifma") == 0 && c->log_n >= 8;
    const double n = (double)c->n;
    const double transforms = c->quotient ? 6 : 1;
    const double passes = c->log_n <= 22 ? 2 : 3;
    const double butterflies = transforms * n / 2 * c->log_n;
    const double factors = butterflies + transforms * n * (passes - 1) + (c->quotient ? n : 0);
    const double products = c->quotient ? n : 0;
    const double moved = n * (transforms * passes * 2 + 2 + (c->quotient ? 6 : 0));

    c->base.cost = (time_cost){.form = lanes ? "ifma" : "scalar",
                               .item = "butterfly",
                               .items = butterflies,
                               .bytes = moved * sizeof(cz_fr)};
    if (lanes)
        c->base.cost.multiply_adds = factors / 8 * IFMA_FR_FACTOR + products / 8 * IFMA_FR_MUL;
    else
        c->base.cost.products = (factors + products) * MULX_FR_MUL;
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

    c->quotient = strcmp(order->words[0], "quotient") == 0;
    if (order->n_words != 2)
        return args_mistake(cz_fail(CZ_E_INPUT, "%s: a size is wanted, as in %s:2^20", order->text,
                                    order->words[0]));
    CZ_TRY_IN(time_parse_log2(&c->log_n, order->words[1], 0,
                              c->quotient ? MAX_LOG_N_OF_TWIN : CZ_NTT_MAX_LOG_N),
              "%s", order->text);
    c->n = (size_t)1 << c->log_n;
    c->n_vectors = c->quotient ? 3 : 1;
    c->in = malloc(c->n_vectors * c->n * sizeof *c->in);
    c->xs = malloc(c->n_vectors * c->n * sizeof *c->xs);
    if (c->in == NULL || c->xs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu elements", c->n_vectors * c->n);
    cz_fr_from_u64(&step, 0x9e3779b97f4a7c15u);
    for (size_t i = 0; i < c->n_vectors * c->n; i++) {
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
