/* ntt.c: the transforms of ntt.h as jobs, and the choice of the form. */
#include "ntt/ntt.h"

#include <stdatomic.h>
#include <string.h>

#include "ntt/ntt_forms.h"

enum { SMALLEST_WIDE_LOG_N = 8 };

/* Best first. */
static const cz_ntt_form_table *const forms[] = {&cz_ntt_ifma, &cz_ntt_scalar};
enum { N_FORMS = sizeof forms / sizeof forms[0] };

/* NULL: the best. */
static _Atomic(const cz_ntt_form_table *) selected;

static const cz_ntt_form_table *current_form(void)
{
    const cz_ntt_form_table *form = atomic_load(&selected);

    for (size_t i = 0; form == NULL && i < N_FORMS; i++)
        if (forms[i]->runs_here()) // NOLINT(clang-analyzer-core.NullDereference): i < N_FORMS
            form = forms[i];
    return form != NULL ? form : &cz_ntt_scalar;
}

const char *cz_ntt_form(void)
{
    return current_form()->name;
}

cz_err cz_ntt_select(const char *form)
{
    for (size_t i = 0; i < N_FORMS; i++) {
        if (strcmp(forms[i]->name, form) != 0)
            continue;
        if (!forms[i]->runs_here())
            return cz_fail(CZ_E_NODEV, "transform '%s': this CPU cannot run it", form);
        atomic_store(&selected, forms[i]);
        return CZ_OK;
    }
    return cz_fail(CZ_E_NOTFOUND, "transform '%s': no such form", form);
}

const cz_ntt_form_table *cz_ntt_form_for(unsigned log_n)
{
    return log_n < SMALLEST_WIDE_LOG_N ? &cz_ntt_scalar : current_form();
}

/* The factor 1/n of inverse transforms. */
static void one_over_n(cz_fr *r, const cz_ntt_plan *plan)
{
    cz_fr_from_u64(r, (uint64_t)1 << plan->log_n);
    cz_fr_inv(r, r);
}

cz_err cz_ntt_forward(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    const cz_ntt_job job = {.plan = plan, .shift = CZ_FR_ONE, .scale = CZ_FR_ONE};

    CZ_TRY(cz_ntt_run(&job, pool, xs));
    return cz_ntt_bit_reverse(pool, xs, plan->log_n);
}

cz_err cz_ntt_inverse_scaled(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs, const cz_fr *factor)
{
    cz_ntt_job job = {.plan = plan, .inverse = true, .shift = CZ_FR_ONE};

    one_over_n(&job.scale, plan);
    cz_fr_mul(&job.scale, &job.scale, factor);
    return cz_ntt_run(&job, pool, xs);
}

cz_err cz_ntt_inverse_to_rev(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    const cz_fr one = CZ_FR_ONE;

    return cz_ntt_inverse_scaled(plan, pool, xs, &one);
}

cz_err cz_ntt_inverse(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    CZ_TRY(cz_ntt_inverse_to_rev(plan, pool, xs));
    return cz_ntt_bit_reverse(pool, xs, plan->log_n);
}

cz_err cz_ntt_coset_forward(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    const cz_ntt_job job = {.plan = plan, .shift = {CZ_FR_GENERATOR}, .scale = CZ_FR_ONE};

    CZ_TRY(cz_ntt_run(&job, pool, xs));
    return cz_ntt_bit_reverse(pool, xs, plan->log_n);
}

cz_err cz_ntt_coset_forward_from_rev(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    const cz_ntt_job job = {
        .plan = plan, .from_rev = true, .shift = {CZ_FR_GENERATOR}, .scale = CZ_FR_ONE};

    return cz_ntt_run(&job, pool, xs);
}

cz_err cz_ntt_coset_inverse_scaled(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs,
                                   const cz_fr *factor)
{
    cz_ntt_job job = {.plan = plan,
                      .inverse = true,
                      .has_post = true,
                      .shift = CZ_FR_ONE,
                      .post = {CZ_FR_GENERATOR}};

    one_over_n(&job.scale, plan);
    cz_fr_mul(&job.scale, &job.scale, factor);
    cz_fr_inv(&job.post, &job.post);
    return cz_ntt_run(&job, pool, xs);
}

cz_err cz_ntt_coset_inverse(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs)
{
    const cz_fr one = CZ_FR_ONE;

    CZ_TRY(cz_ntt_coset_inverse_scaled(plan, pool, xs, &one));
    return cz_ntt_bit_reverse(pool, xs, plan->log_n);
}
