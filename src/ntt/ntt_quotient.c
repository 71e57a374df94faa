/* ntt_quotient.c: see quotient.h. */
#include "ntt/quotient.h"

#include <string.h>

#include "ntt/ntt_forms.h"

enum { GRAIN = 1 << 12 };

typedef struct {
    const cz_ntt_form_table *form;
    cz_fr *a;
    const cz_fr *b;
} vectors;

static cz_err multiply(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const vectors *v = ctx;

    (void)worker;
    v->form->multiply(v->a + begin, v->b + begin, end - begin);
    return CZ_OK;
}

static cz_err subtract(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const vectors *v = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_fr_sub(&v->a[i], &v->a[i], &v->b[i]);
    return CZ_OK;
}

static cz_err for_all(const cz_ntt_plan *plan, cz_pool *pool, cz_loop_fn fn, cz_fr *a,
                      const cz_fr *b)
{
    vectors v = {cz_ntt_form_for(plan->log_n), a, b};

    return cz_parallel_for(pool, (size_t)1 << plan->log_n, GRAIN, fn, &v);
}

/* 1 / (7^n - 1); 7 generates the group of order r - 1, so 7^n is not 1. */
static void one_over_z(cz_fr *r, unsigned log_n)
{
    const cz_fr one = CZ_FR_ONE;
    const cz_fr shift = {CZ_FR_GENERATOR};

    *r = shift;
    for (unsigned i = 0; i < log_n; i++)
        cz_fr_sqr(r, r);
    cz_fr_sub(r, r, &one);
    cz_fr_inv(r, r);
}

/* What all coefficients are multiplied by. An element is stored as its 2^256-fold: the factor
 * 2^-256 leaves the integer itself. */
static void coefficient_factor(cz_fr *r, unsigned log_n, bool plain)
{
    one_over_z(r, log_n);
    if (plain) {
        cz_u256 bytes;

        cz_fr_to_u256(&bytes, r);
        memcpy(r, &bytes, sizeof bytes);
    }
}

cz_err cz_ntt_quotient_factor(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    CZ_TRY(cz_ntt_inverse_to_rev(plan, pool, xs));
    return cz_ntt_coset_forward_from_rev(plan, pool, xs);
}

cz_err cz_ntt_quotient_product(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a, const cz_fr *b,
                               bool plain)
{
    cz_fr factor;

    CZ_TRY(for_all(plan, pool, multiply, a, b));
    coefficient_factor(&factor, plan->log_n, plain);
    return cz_ntt_coset_inverse_scaled(plan, pool, a, &factor);
}

cz_err cz_ntt_quotient_subtract(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a, cz_fr *c,
                                bool plain)
{
    cz_fr factor;

    coefficient_factor(&factor, plan->log_n, plain);
    CZ_TRY(cz_ntt_inverse_scaled(plan, pool, c, &factor));
    CZ_TRY(for_all(plan, pool, subtract, a, c));
    return cz_ntt_bit_reverse(pool, a, plan->log_n);
}

cz_err cz_ntt_quotient(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a, cz_fr *b, cz_fr *c)
{
    CZ_TRY(cz_ntt_quotient_factor(plan, pool, a));
    CZ_TRY(cz_ntt_quotient_factor(plan, pool, b));
    CZ_TRY(cz_ntt_quotient_product(plan, pool, a, b, false));
    return cz_ntt_quotient_subtract(plan, pool, a, c, false);
}
