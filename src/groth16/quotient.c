/* quotient.c: the quotient polynomial h and its sum over the H points.
 *
 * h = (a b - c) / t on the domain's coset, in coefficients; deg h is at most n - 2, so the last of
 * the n coefficients has no point and is zero for a satisfied circuit. */
#include "ntt/quotient.h"
#include "base/bytes.h"
#include "groth16/stages.h"
#include "msm/msm.h"
#include "msm/msm_memory.h"

void cz_stage_pin(const cz_proof_job *job, cz_fr *const rows[], unsigned n)
{
    cz_span span;

    if (job->options.pin != CZ_PIN_PER_PROOF)
        return;
    span = cz_trace_begin(job->trace, CZ_PHASE_PIN, job->options.partition);
    for (unsigned i = 0; i < n; i++)
        (void)cz_block_pin(rows[i], job->w->row_capacity * sizeof **rows);
    cz_trace_end(&span);
}

void cz_stage_drop(const cz_proof_job *job, cz_fr **rows)
{
    cz_span span;

    if (*rows == NULL)
        return;
    span = cz_trace_begin(job->trace, CZ_PHASE_UNPIN, job->options.partition);
    if (job->options.pin == CZ_PIN_PER_PROOF)
        cz_block_unpin(*rows, job->w->row_capacity * sizeof **rows);
    cz_assignment_drop_rows(job->w, rows);
    cz_trace_end(&span);
}

static cz_err multiply_on_coset(const cz_proof_job *job)
{
    const cz_ntt_plan *plan = job->key->plan;
    const cz_assignment *w = job->w;
    cz_span span = cz_trace_begin(job->trace, CZ_PHASE_NTT_MSM_H, job->options.partition);
    cz_err err;

    CZ_TRY_GOTO(err, cz_ntt_quotient_factor(plan, job->pool, w->a));
    CZ_TRY_GOTO(err, cz_ntt_quotient_factor(plan, job->pool, w->b));
    CZ_TRY_GOTO(err, cz_ntt_quotient_product(plan, job->pool, w->a, w->b, true));
done:
    cz_trace_end(&span);
    return err;
}

static cz_err subtract_c(const cz_proof_job *job)
{
    cz_span span = cz_trace_begin(job->trace, CZ_PHASE_NTT_MSM_H, job->options.partition);
    cz_err err = cz_ntt_quotient_subtract(job->key->plan, job->pool, job->w->a, job->w->c, true);

    cz_trace_end(&span);
    return err;
}

cz_err cz_stage_quotient(cz_proof_job *job)
{
    cz_err err = multiply_on_coset(job);

    cz_stage_drop(job, &job->w->b);
    if (err == CZ_OK)
        err = subtract_c(job);
    cz_stage_drop(job, &job->w->c);
    return err;
}

static cz_err add_h_chunk(cz_proof_job *job, cz_g1_affine *points, size_t first, size_t n)
{
    const cz_params *p = job->key->params;
    const cz_u256 *scalars = (const cz_u256 *)(const void *)job->w->a;
    cz_span span = cz_trace_begin(job->trace, CZ_PHASE_SRS_LOAD, job->options.partition);
    cz_err err = cz_params_load_g1(p, &p->h, job->pool, first, n, points);
    cz_g1 part;

    span.bytes = n * sizeof *points;
    cz_trace_end(&span);
    CZ_TRY(err);
    span = cz_trace_begin(job->trace, CZ_PHASE_NTT_MSM_H, job->options.partition);
    err = cz_msm_g1(job->pool, &part, points, scalars + first, n);
    if (err == CZ_OK)
        cz_g1_add(&job->h, &job->h, &part);
    cz_trace_end(&span);
    cz_secure_zero(&part, sizeof part);
    return err;
}

cz_err cz_stage_h(cz_proof_job *job)
{
    size_t n = job->key->params->h.n, chunk = n < job->key->h_chunk ? n : job->key->h_chunk;
    cz_msm_memory memory = {0};
    cz_g1_affine *points;
    cz_err err;

    CZ_TRY_IN(cz_msm_take(&memory, &points, chunk + 1, sizeof *points), "points of h");
    err = CZ_OK;
    cz_g1_set_infinity(&job->h);
    for (size_t first = 0; err == CZ_OK && first < n; first += chunk)
        err = add_h_chunk(job, points, first, n - first < chunk ? n - first : chunk);
    cz_msm_release(&memory);
    return err;
}
