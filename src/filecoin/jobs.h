/* jobs.h: what the kinds of jobs have in common. Inside filecoin/ only.
 *
 * A kind of proof supplies a create function, which decodes and checks, and these operations. */
#ifndef CZ_FILECOIN_JOBS_H
#define CZ_FILECOIN_JOBS_H

#include "filecoin/job.h"

typedef struct {
    cz_err (*circuit)(const cz_job *job, size_t k, cz_circuit **out);
    cz_err (*public_inputs)(const cz_job *job, size_t k, cz_fr **out, size_t *n);
    /* NULL: the host makes the witnesses. */
    cz_err (*witness_source)(const cz_job *job, const cz_compiled *c, cz_witness_source **out);
    void (*destroy)(cz_job *job);
} cz_job_ops;

/* Jobs embed this first. */
struct cz_job {
    const cz_job_ops *ops;
    const char *circuit_id;
    size_t n_partitions;
};

CZ_MUST_CHECK cz_err cz_porep_job_create(cz_job **out, const cz_request *request, cz_pool *pool);
CZ_MUST_CHECK cz_err cz_post_job_create(cz_job **out, const cz_request *request, cz_pool *pool);
CZ_MUST_CHECK cz_err cz_snap_job_create(cz_job **out, const cz_request *request, cz_pool *pool);

#endif
