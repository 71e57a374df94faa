/* job.c: a request becomes a job of its kind; what all kinds answer alike. */
#include "filecoin/jobs.h"

typedef cz_err (*create_fn)(cz_job **out, const cz_request *request, cz_pool *pool);

static create_fn create_of(cz_proof_kind kind)
{
    switch (kind) {
    case CZ_KIND_POREP:
        return cz_porep_job_create;
    case CZ_KIND_WINDOW:
    case CZ_KIND_WINNING:
        return cz_post_job_create;
    case CZ_KIND_SNAP:
        return cz_snap_job_create;
    case CZ_KIND_UNSPECIFIED:
        break;
    }
    return NULL;
}

cz_err cz_job_create(cz_job **out, const cz_request *request, cz_pool *pool)
{
    const create_fn create = create_of(request->kind);

    if (create == NULL)
        return cz_fail(CZ_E_INPUT, "proof_kind is not given");
    return create(out, request, pool);
}

void cz_job_destroy(cz_job *job)
{
    if (job != NULL)
        job->ops->destroy(job);
}

const char *cz_job_circuit_id(const cz_job *job)
{
    return job->circuit_id;
}

size_t cz_job_partitions(const cz_job *job)
{
    return job->n_partitions;
}

static cz_err check_partition(const cz_job *job, size_t k)
{
    if (k < job->n_partitions)
        return CZ_OK;
    return cz_fail(CZ_E_ARG, "there is no partition %zu, only %zu of them", k, job->n_partitions);
}

cz_err cz_job_circuit(const cz_job *job, size_t k, cz_circuit **out)
{
    CZ_TRY(check_partition(job, k));
    return job->ops->circuit(job, k, out);
}

cz_err cz_job_witness_source(const cz_job *job, size_t k, const cz_compiled *c,
                             cz_witness_source **out)
{
    CZ_TRY(check_partition(job, k));
    *out = NULL;
    if (job->ops->witness_source == NULL)
        return CZ_OK;
    return job->ops->witness_source(job, c, out);
}

cz_err cz_job_public_inputs(const cz_job *job, size_t k, cz_fr **out, size_t *n)
{
    CZ_TRY(check_partition(job, k));
    return job->ops->public_inputs(job, k, out, n);
}
