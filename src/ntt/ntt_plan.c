/* ntt_plan.c: the tables that all transforms of a size share. */
#include <stdlib.h>

#include "base/cpu.h"
#include "ntt/ntt_forms.h"

/* first, first step, first step^2, … */
static void powers(cz_fr *out, size_t n, const cz_fr *step)
{
    cz_fr p = CZ_FR_ONE;

    for (size_t i = 0; i < n; i++) {
        out[i] = p;
        cz_fr_mul(&p, &p, step);
    }
}

void cz_ntt_root_power(cz_fr *r, const cz_ntt_plan *plan, bool inverse, size_t e)
{
    const size_t n = (size_t)1 << plan->log_n;

    e = (inverse ? n - e : e) & (n - 1);
    cz_fr_mul(r, &plan->high[e >> plan->low_bits],
              &plan->low[e & (((size_t)1 << plan->low_bits) - 1)]);
}

static void fill_root_powers(cz_ntt_plan *plan)
{
    cz_fr root;

    cz_fr_root_of_unity(&root, plan->log_n);
    powers(plan->low, (size_t)1 << plan->low_bits, &root);
    for (unsigned i = 0; i < plan->low_bits; i++)
        cz_fr_sqr(&root, &root);
    powers(plan->high, (size_t)1 << (plan->log_n - plan->low_bits), &root);
}

/* u[i] = w^(rev(i) n / 2^(log_u + 1)), rev of log_u bits */
static void fill_twiddles(const cz_ntt_plan *plan, cz_fr *u, bool inverse)
{
    for (size_t i = 0; i < (size_t)1 << plan->log_u; i++) {
        size_t e = cz_ntt_rev(i, plan->log_u) << (plan->log_n - plan->log_u);

        cz_ntt_root_power(&u[i], plan, inverse, e >> 1);
    }
}

static cz_err fill(cz_ntt_plan *plan)
{
    fill_root_powers(plan);
    for (int k = 0; k < 2; k++) {
        fill_twiddles(plan, plan->u[k], k == 1);
        if (cz_cpu_has(CZ_CPU_AVX512IFMA))
            CZ_TRY(cz_ntt_ifma_make_u(&plan->u_ifma[k], plan->u[k], plan->log_u));
    }
    return CZ_OK;
}

static void set_sizes(cz_ntt_plan *plan, unsigned log_n)
{
    plan->log_n = log_n;
    plan->low_bits = log_n / 2;
    plan->log_u = log_n < CZ_NTT_MAX_LOG_M ? log_n : CZ_NTT_MAX_LOG_M;
    plan->log_u -= plan->log_u > 0; /* the layer with the most twiddles has m / 2 */
}

size_t cz_ntt_plan_bytes(unsigned log_n)
{
    cz_ntt_plan plan;
    size_t elements;

    set_sizes(&plan, log_n);
    elements = ((size_t)1 << plan.low_bits) + ((size_t)1 << (log_n - plan.low_bits)) +
               ((size_t)2 << plan.log_u);
    return elements * sizeof(cz_fr) +
           (cz_cpu_has(CZ_CPU_AVX512IFMA) ? 2 * cz_ntt_ifma_u_bytes(plan.log_u) : 0);
}

cz_err cz_ntt_plan_create(cz_ntt_plan **out, unsigned log_n, cz_pool *pool)
{
    cz_ntt_plan *plan;
    cz_err err;

    (void)pool; /* the tables are too small to share out */
    if (log_n > CZ_NTT_MAX_LOG_N)
        return cz_fail(CZ_E_ARG, "a transform of size 2^%u: at most 2^%d is supported", log_n,
                       CZ_NTT_MAX_LOG_N);
    plan = calloc(1, sizeof *plan);
    if (plan == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for the plan of a transform");
    set_sizes(plan, log_n);
    plan->low = malloc(sizeof(cz_fr) << plan->low_bits);
    plan->high = malloc(sizeof(cz_fr) << (log_n - plan->low_bits));
    plan->u[0] = malloc(sizeof(cz_fr) << plan->log_u);
    plan->u[1] = malloc(sizeof(cz_fr) << plan->log_u);
    if (plan->low == NULL || plan->high == NULL || plan->u[0] == NULL || plan->u[1] == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory for the twiddles of a transform of size 2^%u", log_n);
    else
        err = fill(plan);
    if (err != CZ_OK) {
        cz_ntt_plan_destroy(plan);
        return err;
    }
    *out = plan;
    return CZ_OK;
}

void cz_ntt_plan_destroy(cz_ntt_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->low);
    free(plan->high);
    for (int k = 0; k < 2; k++) {
        free(plan->u[k]);
        free(plan->u_ifma[k]);
    }
    free(plan);
}

unsigned cz_ntt_plan_log_n(const cz_ntt_plan *plan)
{
    return plan->log_n;
}
