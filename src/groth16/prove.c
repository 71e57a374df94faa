/* prove.c: a proof as the list of its stages. */
#include "base/bytes.h"
#include "groth16/stages.h"

static cz_err run_stages(cz_proof_job *job)
{
    cz_fr *const rows[] = {job->w->a, job->w->b, job->w->c};

    CZ_TRY(cz_stage_check(job));
    cz_stage_pin(job, rows, 3);
    CZ_TRY(cz_stage_quotient(job));
    CZ_TRY(cz_stage_h(job));
    cz_stage_drop(job, &job->w->a);
    CZ_TRY(cz_stage_split(job));
    CZ_TRY(cz_stage_l(job));
    CZ_TRY(cz_stage_a(job));
    CZ_TRY(cz_stage_b1(job));
    return cz_stage_b2(job);
}

static void erase(cz_proof_job *job)
{
    cz_stage_drop(job, &job->w->a); /* when a stage failed */
    cz_stage_drop(job, &job->w->b);
    cz_stage_drop(job, &job->w->c);
    cz_split_clear(&job->inputs);
    cz_split_clear(&job->aux);
    cz_secure_zero(job, sizeof *job);
}

cz_err cz_groth16_prove(cz_proof *out, const cz_prover_key *key, cz_assignment *w, const cz_fr *r,
                        const cz_fr *s, cz_pool *pool, cz_trace *trace)
{
    return cz_groth16_prove_with(out, key, w, r, s, pool, trace, NULL);
}

cz_err cz_groth16_prove_with(cz_proof *out, const cz_prover_key *key, cz_assignment *w,
                             const cz_fr *r, const cz_fr *s, cz_pool *pool, cz_trace *trace,
                             const cz_prove_options *options)
{
    cz_proof_job job = {.key = key, .w = w, .pool = pool, .trace = trace};
    cz_err err;

    if (options != NULL)
        job.options = *options;
    err = run_stages(&job);

    if (err == CZ_OK)
        cz_stage_assemble(out, &job, r, s);
    erase(&job);
    return err;
}

cz_err cz_groth16_prove_blinded(cz_proof *out, const cz_prover_key *key, cz_assignment *w,
                                cz_pool *pool, cz_trace *trace)
{
    cz_fr r, s;
    cz_err err;

    CZ_TRY(cz_fr_random(&r));
    err = cz_fr_random(&s);
    if (err == CZ_OK)
        err = cz_groth16_prove(out, key, w, &r, &s, pool, trace);
    cz_secure_zero(&r, sizeof r);
    cz_secure_zero(&s, sizeof s);
    return err;
}
