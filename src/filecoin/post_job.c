/* post_job.c: a winning or window PoSt request as a job of one partition: every sector's vanilla
 * proof decoded and checked against the derived challenges. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "filecoin/circuits.h"
#include "filecoin/jobs.h"
#include "filecoin/post_check.h"
#include "filecoin/post_circuit.h"
#include "filecoin/post_witness.h"

typedef struct {
    cz_job job;
    cz_post_statement statement;
    cz_post_vanilla *vanilla;
    cz_post_public_sector *sectors;
} post_job;

/* --- from the request --- */

/* A winning proof is about one sector, a window proof about at most a partition. */
static cz_err check_sector_count(const cz_request *r, const cz_sector_shape *shape)
{
    const size_t most = r->kind == CZ_KIND_WINNING ? 1 : shape->window_sectors;

    if (r->vanilla_proof_len != 0)
        return cz_fail(CZ_E_INPUT, "vanilla_proof: a PoSt has its sectors in vanilla_proofs");
    if (r->n_vanilla_proofs == 0)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: no sectors");
    if (r->n_vanilla_proofs > most)
        return cz_fail(CZ_E_INPUT,
                       "vanilla_proofs: %zu sectors, a %s proof of %s takes at most %zu",
                       r->n_vanilla_proofs, cz_proof_kind_name(r->kind), shape->tag, most);
    return CZ_OK;
}

static cz_err derive_statement(post_job *j, const cz_request *r)
{
    const cz_proof_spec *spec;

    CZ_TRY(cz_proof_spec_find(&spec, r->kind, r->registered_proof, r->sector_size));
    if (!r->has_randomness)
        return cz_fail(CZ_E_INPUT, "randomness is not given");
    j->statement.kind = r->kind;
    j->statement.shape = cz_sector_shape_find(spec->sector_size);
    j->statement.api = spec->api;
    cz_post_randomness(j->statement.randomness, r->randomness);
    return CZ_OK;
}

/* The network's verifier has its sectors in a map, so in ascending order, and so has the client
 * that asks it for challenges. Proofs that come in another order are put into this one. */
typedef struct {
    uint64_t number;
    size_t at; /* in the request */
} place;

static int by_number(const void *a, const void *b)
{
    const place *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* A proof too short for a number is the decoder's to refuse. */
static cz_err order_sectors(place **out, const cz_request *r)
{
    place *places = malloc(r->n_vanilla_proofs * sizeof *places);

    if (places == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu sector numbers", r->n_vanilla_proofs);
    for (size_t i = 0; i < r->n_vanilla_proofs; i++)
        places[i] = (place){
            r->vanilla_proof_lens[i] < 8 ? UINT64_MAX : cz_load_le64(r->vanilla_proofs[i]), i};
    qsort(places, r->n_vanilla_proofs, sizeof *places, by_number);
    *out = places;
    return CZ_OK;
}

typedef struct {
    post_job *job;
    const cz_request *request;
    const place *places; /* of each slot's proof */
} decode_context;

static cz_err decode_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const decode_context *c = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        const size_t at = c->places[i].at;

        CZ_TRY_IN(cz_post_sector_decode(c->job->vanilla, i, c->request->vanilla_proofs[at],
                                        c->request->vanilla_proof_lens[at]),
                  "[%zu]", at);
        c->job->vanilla->sectors[i].at = at;
    }
    return CZ_OK;
}

static cz_err decode(post_job *j, const cz_request *r, cz_pool *pool)
{
    decode_context c = {j, r, NULL};
    place *places;
    cz_err err;

    CZ_TRY(cz_post_vanilla_create(&j->vanilla, j->statement.shape, r->n_vanilla_proofs,
                                  cz_post_openings(r->kind)));
    CZ_TRY(order_sectors(&places, r));
    c.places = places;
    err = cz_parallel_for(pool, r->n_vanilla_proofs, 16, decode_some, &c);
    free(places);
    return err;
}

/* How many of the first sector's openings are where the statement wants them. */
static unsigned count_matches(const post_job *j)
{
    const cz_post_sector *first = &j->vanilla->sectors[0];
    unsigned n_matches = 0;

    for (unsigned n = 0; n < j->vanilla->n_challenges; n++)
        n_matches += cz_inclusion_index(&j->statement.shape->tree_r, &first->openings[n]) ==
                     cz_post_challenge(&j->statement, 0, first->number, n);
    return n_matches;
}

/* Before api 1.2.0 a later partition's sectors are numbered on from those before it when one
 * message proves all of them, and from 0 when it has a message of its own. A request does not say
 * which, but its vanilla proofs were made for one of the two. */
static void number_sectors(post_job *j, const cz_request *r)
{
    const uint64_t going_on = (uint64_t)r->partition_index * j->statement.shape->window_sectors;
    unsigned from_zero;

    if (r->kind != CZ_KIND_WINDOW || j->statement.api == CZ_API_1_2)
        return;
    from_zero = count_matches(j);
    j->statement.first_index = going_on;
    if (count_matches(j) < from_zero)
        j->statement.first_index = 0;
}

static cz_err note_public_sectors(post_job *j)
{
    const cz_post_vanilla *v = j->vanilla;

    j->sectors = calloc(v->n_sectors, sizeof *j->sectors);
    if (j->sectors == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu sectors", v->n_sectors);
    for (size_t i = 0; i < v->n_sectors; i++)
        j->sectors[i] = (cz_post_public_sector){v->sectors[i].number, v->sectors[i].comm_r};
    return CZ_OK;
}

static cz_err fill(post_job *j, const cz_request *r, cz_pool *pool)
{
    CZ_TRY(derive_statement(j, r));
    CZ_TRY(check_sector_count(r, j->statement.shape));
    CZ_TRY_IN(decode(j, r, pool), "vanilla_proofs");
    number_sectors(j, r);
    CZ_TRY_IN(cz_post_check(j->vanilla, &j->statement, pool), "vanilla_proofs");
    CZ_TRY(note_public_sectors(j));
    j->job.circuit_id = cz_circuit_id(
        r->kind == CZ_KIND_WINNING ? CZ_FAMILY_WINNING : CZ_FAMILY_WINDOW, j->statement.shape);
    j->job.n_partitions = 1;
    return CZ_OK;
}

/* --- operations --- */

static void destroy(cz_job *job)
{
    post_job *j = (post_job *)(void *)job;

    cz_post_vanilla_destroy(j->vanilla);
    free(j->sectors);
    free(j);
}

static cz_err circuit(const cz_job *job, size_t k, cz_circuit **out)
{
    const post_job *j = (const post_job *)(const void *)job;

    (void)k;
    return cz_post_circuit_create(out, job->circuit_id, j->statement.kind, j->vanilla);
}

static cz_err public_inputs(const cz_job *job, size_t k, cz_fr **out, size_t *n)
{
    const post_job *j = (const post_job *)(const void *)job;

    (void)k;
    *n = cz_post_n_inputs(j->statement.kind, j->statement.shape);
    *out = malloc(*n * sizeof **out);
    if (*out == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for public inputs");
    cz_post_inputs(*out, &j->statement, j->sectors, j->vanilla->n_sectors);
    return CZ_OK;
}

/* A winning proof's 66 paths are made sooner on the host. */
static cz_err witness_source(const cz_job *job, const cz_compiled *c, cz_witness_source **out)
{
    const post_job *j = (const post_job *)(const void *)job;

    if (j->statement.kind != CZ_KIND_WINDOW)
        return CZ_OK;
    return cz_post_witness_source(out, j->statement.kind, j->vanilla, c);
}

cz_err cz_post_job_create(cz_job **out, const cz_request *request, cz_pool *pool)
{
    static const cz_job_ops ops = {.circuit = circuit,
                                   .public_inputs = public_inputs,
                                   .witness_source = witness_source,
                                   .destroy = destroy};
    post_job *j = calloc(1, sizeof *j);
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
