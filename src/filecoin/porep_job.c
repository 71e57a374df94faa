/* porep_job.c: a PoRep request as a job: C1 decoded, its statement derived, everything checked. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "filecoin/c1.h"
#include "filecoin/circuits.h"
#include "filecoin/jobs.h"
#include "filecoin/porep_check.h"
#include "filecoin/porep_circuit.h"
#include "filecoin/replica_id.h"

typedef struct {
    cz_job job;
    cz_porep_vanilla *vanilla;
    cz_porep_statement statement;
    cz_porep_node *nodes; /* of all partitions, in order */
} porep_job;

/* --- does the C1 agree with the request? --- */

static cz_err check_proof_type(const cz_request *r, const cz_proof_spec *c1)
{
    const cz_proof_spec *wanted;

    if (r->sector_size != 0 && r->sector_size != c1->sector_size)
        return cz_fail(CZ_E_INPUT,
                       "sector_size: the request says %" PRIu64 ", the C1 is %s (%" PRIu64 ")",
                       r->sector_size, c1->name, c1->sector_size);
    if (!r->has_registered_proof)
        return CZ_OK;
    CZ_TRY(cz_proof_spec_find(&wanted, CZ_KIND_POREP, r->registered_proof, r->sector_size));
    if (wanted != c1)
        return cz_fail(CZ_E_INPUT,
                       "registered_proof: the request says %" PRIu64 " (%s), the C1 says %s",
                       wanted->number, wanted->name, c1->name);
    return CZ_OK;
}

static cz_err check_commitment(bool given, const uint8_t request[32], const uint8_t c1[32],
                               const char *request_name, const char *c1_name)
{
    char a[65], b[65];

    if (!given || memcmp(request, c1, 32) == 0)
        return CZ_OK;
    cz_hex_encode(a, request, 32);
    cz_hex_encode(b, c1, 32);
    return cz_fail(CZ_E_INPUT, "%s: the request says %s, the C1 has %s %s", request_name, a,
                   c1_name, b);
}

/* A PoRep request has no use for commitments; where it has them, they must not contradict. */
static cz_err check_commitments(const cz_request *r, const cz_porep_vanilla *v)
{
    CZ_TRY(check_commitment(r->has_comm_r_new, r->comm_r_new, v->comm_r, "comm_r_new", "comm_r"));
    return check_commitment(r->has_comm_d_new, r->comm_d_new, v->comm_d, "comm_d_new", "comm_d");
}

/* --- the replica id --- */

/* Who the prover is: the request says so, or the bincode around the C1, or nobody. */
static cz_err find_prover(const cz_request *r, const cz_porep_vanilla *v, uint8_t prover[32],
                          bool *known)
{
    *known = r->has_identity || v->has_prover_id;
    if (!r->has_identity) {
        memcpy(prover, v->prover_id, 32);
        return CZ_OK;
    }
    cz_prover_id(prover, r->miner_id);
    if (v->has_prover_id && memcmp(prover, v->prover_id, 32) != 0)
        return cz_fail(CZ_E_INPUT,
                       "miner_id: the request says %" PRIu64
                       ", the C1 comes with another prover id",
                       r->miner_id);
    return CZ_OK;
}

/* A sector number of 0 in the request may also mean "not given". */
static cz_err find_sector(const cz_request *r, const cz_porep_vanilla *v, uint64_t *sector)
{
    *sector = r->sector_number;
    if (!v->has_sector_number)
        return CZ_OK;
    if (r->sector_number != 0 && r->sector_number != v->sector_number)
        return cz_fail(CZ_E_INPUT,
                       "sector_number: the request says %" PRIu64 ", the C1's envelope %" PRIu64,
                       r->sector_number, v->sector_number);
    *sector = v->sector_number;
    return CZ_OK;
}

static cz_err derive_replica_id(const cz_request *r, const cz_porep_vanilla *v, uint8_t out[32])
{
    uint8_t prover[32];
    uint64_t sector;
    bool known;
    char c1[65], derived[65];

    CZ_TRY(find_prover(r, v, prover, &known));
    CZ_TRY(find_sector(r, v, &sector));
    memcpy(out, v->replica_id, 32);
    if (!known)
        return CZ_OK;
    cz_replica_id(out, prover, sector, v->ticket, v->comm_d, v->spec->porep_id);
    if (memcmp(out, v->replica_id, 32) == 0)
        return CZ_OK;
    cz_hex_encode(c1, v->replica_id, 32);
    cz_hex_encode(derived, out, 32);
    return cz_fail(CZ_E_INPUT,
                   "replica_id: the C1 has %s, but miner %" PRIu64 ", sector %" PRIu64
                   ", ticket and comm_d give %s",
                   c1, r->miner_id, sector, derived);
}

/* --- statement and nodes --- */

static cz_err derive_statement(const cz_request *r, const cz_porep_vanilla *v,
                               cz_porep_statement *s)
{
    s->shape = v->shape;
    memcpy(s->porep_id, v->spec->porep_id, 32);
    s->api = v->spec->api;
    s->features = v->spec->features;
    memcpy(s->comm_d, v->comm_d, 32);
    memcpy(s->comm_r, v->comm_r, 32);
    memcpy(s->seed, v->seed, 32);
    return derive_replica_id(r, v, s->replica_id);
}

static cz_err derive_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const porep_job *j = ctx;

    (void)worker;
    for (size_t k = begin; k < end; k++)
        CZ_TRY(cz_porep_nodes(j->nodes + k * j->vanilla->n_challenges, &j->statement, (unsigned)k));
    return CZ_OK;
}

static cz_err derive_nodes(porep_job *j, cz_pool *pool)
{
    const cz_porep_vanilla *v = j->vanilla;

    j->nodes = calloc((size_t)v->n_partitions * v->n_challenges, sizeof *j->nodes);
    if (j->nodes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for challenges");
    return cz_parallel_for(pool, v->n_partitions, 1, derive_some, j);
}

static cz_err fill(porep_job *j, const cz_request *r, cz_pool *pool)
{
    if (r->n_vanilla_proofs != 0)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: a PoRep has its C1 in vanilla_proof");
    CZ_TRY_IN(cz_c1_decode(&j->vanilla, r->vanilla_proof, r->vanilla_proof_len), "vanilla_proof");
    CZ_TRY(check_proof_type(r, j->vanilla->spec));
    CZ_TRY(check_commitments(r, j->vanilla));
    CZ_TRY(derive_statement(r, j->vanilla, &j->statement));
    CZ_TRY(derive_nodes(j, pool));
    CZ_TRY_IN(cz_porep_check(j->vanilla, &j->statement, j->nodes, pool), "vanilla_proof");
    j->job.circuit_id = cz_circuit_id(CZ_FAMILY_POREP, j->vanilla->shape);
    j->job.n_partitions = j->vanilla->n_partitions;
    return CZ_OK;
}

/* --- operations --- */

static void destroy(cz_job *job)
{
    porep_job *j = (porep_job *)(void *)job;

    cz_porep_vanilla_destroy(j->vanilla);
    free(j->nodes);
    free(j);
}

static cz_err circuit(const cz_job *job, size_t k, cz_circuit **out)
{
    const porep_job *j = (const porep_job *)(const void *)job;

    return cz_porep_circuit_create(out, job->circuit_id, j->vanilla, j->statement.replica_id,
                                   (unsigned)k);
}

static cz_err public_inputs(const cz_job *job, size_t k, cz_fr **out, size_t *n)
{
    const porep_job *j = (const porep_job *)(const void *)job;
    const size_t n_inputs = cz_porep_n_inputs(j->vanilla->shape);
    cz_fr *inputs = malloc(n_inputs * sizeof *inputs);
    cz_err err;

    if (inputs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for public inputs");
    err = cz_porep_inputs(inputs, &j->statement, j->nodes + k * j->vanilla->n_challenges);
    if (err != CZ_OK) {
        free(inputs);
        return err;
    }
    *out = inputs;
    *n = n_inputs;
    return CZ_OK;
}

cz_err cz_porep_job_create(cz_job **out, const cz_request *request, cz_pool *pool)
{
    static const cz_job_ops ops = {
        .circuit = circuit, .public_inputs = public_inputs, .destroy = destroy};
    porep_job *j = calloc(1, sizeof *j);
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
