/* snap_job.c: an empty-sector-update request as a job: every partition's vanilla proof decoded and
 * checked against the commitments and the challenges that follow from them. */
#include <stdlib.h>
#include <string.h>

#include "filecoin/circuits.h"
#include "filecoin/comm.h"
#include "filecoin/jobs.h"
#include "filecoin/snap_check.h"
#include "filecoin/snap_circuit.h"

typedef struct {
    cz_job job;
    cz_snap_statement statement;
    cz_snap_vanilla *vanilla;
} snap_job;

/* --- from the request --- */

static cz_err read_commitment(cz_fr *out, const uint8_t bytes[32], bool given, const char *name)
{
    if (!given)
        return cz_fail(CZ_E_INPUT, "%s is not given", name);
    CZ_TRY_IN(cz_fr_from_bytes(out, bytes), "%s", name);
    return CZ_OK;
}

static cz_err derive_statement(cz_snap_statement *s, const cz_request *r)
{
    const cz_proof_spec *spec;

    CZ_TRY(cz_proof_spec_find(&spec, CZ_KIND_SNAP, r->registered_proof, r->sector_size));
    s->shape = cz_sector_shape_find(spec->sector_size);
    s->variant = CZ_SNAP_SHA;
    CZ_TRY(read_commitment(&s->comm_r_old, r->comm_r_old, r->has_comm_r_old, "comm_r_old"));
    CZ_TRY(read_commitment(&s->comm_r_new, r->comm_r_new, r->has_comm_r_new, "comm_r_new"));
    return read_commitment(&s->comm_d_new, r->comm_d_new, r->has_comm_d_new, "comm_d_new");
}

static cz_err check_partition_count(const cz_request *r, const cz_sector_shape *shape)
{
    if (r->vanilla_proof_len != 0)
        return cz_fail(CZ_E_INPUT, "vanilla_proof: an update has its partitions in vanilla_proofs");
    if (r->n_vanilla_proofs != shape->snap_partitions)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: %zu partitions, a snap proof of %s has %u",
                       r->n_vanilla_proofs, shape->tag, shape->snap_partitions);
    return CZ_OK;
}

typedef struct {
    snap_job *job;
    const cz_request *request;
} decode_context;

static cz_err decode_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const decode_context *c = ctx;

    (void)worker;
    for (size_t k = begin; k < end; k++)
        CZ_TRY_IN(cz_snap_partition_decode(c->job->vanilla, k, c->request->vanilla_proofs[k],
                                           c->request->vanilla_proof_lens[k]),
                  "[%zu]", k);
    return CZ_OK;
}

static cz_err decode(snap_job *j, const cz_request *r, cz_pool *pool)
{
    decode_context c = {j, r};

    CZ_TRY(cz_snap_vanilla_create(&j->vanilla, j->statement.shape, j->statement.variant));
    return cz_parallel_for(pool, r->n_vanilla_proofs, 1, decode_some, &c);
}

static cz_err fill(snap_job *j, const cz_request *r, cz_pool *pool)
{
    CZ_TRY(derive_statement(&j->statement, r));
    CZ_TRY(check_partition_count(r, j->statement.shape));
    CZ_TRY_IN(decode(j, r, pool), "vanilla_proofs");
    CZ_TRY_IN(cz_snap_check(j->vanilla, &j->statement, pool), "vanilla_proofs");
    j->job.circuit_id = cz_circuit_id(CZ_FAMILY_SNAP, j->statement.shape);
    j->job.n_partitions = j->vanilla->dims.partitions;
    return CZ_OK;
}

/* --- operations --- */

static void destroy(cz_job *job)
{
    snap_job *j = (snap_job *)(void *)job;

    cz_snap_vanilla_destroy(j->vanilla);
    free(j);
}

static cz_err circuit(const cz_job *job, size_t k, cz_circuit **out)
{
    const snap_job *j = (const snap_job *)(const void *)job;

    return cz_snap_circuit_create(out, job->circuit_id, &j->statement, j->vanilla, (unsigned)k);
}

static cz_err public_inputs(const cz_job *job, size_t k, cz_fr **out, size_t *n)
{
    const snap_job *j = (const snap_job *)(const void *)job;

    *n = CZ_SNAP_INPUTS;
    *out = malloc(*n * sizeof **out);
    if (*out == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for public inputs");
    cz_snap_public_inputs(*out, &j->statement, (unsigned)k);
    return CZ_OK;
}

cz_err cz_snap_job_create(cz_job **out, const cz_request *request, cz_pool *pool)
{
    static const cz_job_ops ops = {
        .circuit = circuit, .public_inputs = public_inputs, .destroy = destroy};
    snap_job *j = calloc(1, sizeof *j);
    cz_err err;

    if (j == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a job");
    j->job.ops = &ops;
    err = fill(j, request, pool);
    if (err != CZ_OK) {
        destroy(&j->job);
        return err;
    }
    *out = &j->job;
    return CZ_OK;
}
