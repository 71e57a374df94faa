/* ntt_quotient.c: see quotient.h. */
#include "ntt/quotient.h"

#include "ntt/ntt_forms.h"

enum { GRAIN = 1 << 12 };

typedef struct {
    const cz_ntt_form_table *form;
    cz_fr *a;
    const cz_fr *b, *c;
} vectors;

static cz_err multiply_subtract(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const vectors *v = ctx;

    (void)worker;
    v->form->multiply_subtract(v->a + begin, v->b + begin, v->c + begin, end - begin);
    return CZ_OK;
}

/* Values on the domain become values on the coset. */
static cz_err onto_coset(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    CZ_TRY(cz_ntt_inverse_to_rev(plan, pool, xs));
    return cz_ntt_coset_forward_from_rev(plan, pool, xs);
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

cz_err cz_ntt_quotient(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a, cz_fr *b, cz_fr *c)
{
    vectors v = {cz_ntt_form_for(plan->log_n), a, b, c};
    cz_fr z_inv;

    CZ_TRY(onto_coset(plan, pool, a));
    CZ_TRY(onto_coset(plan, pool, b));
    CZ_TRY(onto_coset(plan, pool, c));
    CZ_TRY(cz_parallel_for(pool, (size_t)1 << plan->log_n, GRAIN, multiply_subtract, &v));
    one_over_z(&z_inv, plan->log_n);
    return cz_ntt_coset_inverse_scaled(plan, pool, a, &z_inv);
}
