/* seal.c: sealing a small sector in memory; see seal.h. */
#include "filecoin/seal.h"

#include <stdlib.h>

#include "filecoin/comm.h"
#include "filecoin/gen_random.h"
#include "filecoin/graph.h"
#include "filecoin/porep_label.h"
#include "filecoin/replica_id.h"
#include "hash/poseidon_many.h"

typedef struct {
    cz_sealed_sector *s;
    uint64_t seed;
    cz_graph graph;
    uint32_t *parents; /* CZ_PARENTS a node */
    cz_fr *leaves;     /* of the tree that is being built */
    const cz_poseidon_constants *column_hash;
} context;

static cz_gen_stream stream(const context *c, const char *purpose)
{
    return (cz_gen_stream){c->seed, purpose, c->s->id.sector_number};
}

static cz_fr *column_at(const cz_sealed_sector *s, uint64_t node)
{
    return s->labels + node * s->shape->layers;
}

/* --- data --- */

static cz_err alloc_arrays(context *c)
{
    const size_t nodes = (size_t)c->s->shape->nodes;

    c->s->data = malloc(nodes * sizeof *c->s->data);
    c->s->labels = malloc(nodes * c->s->shape->layers * sizeof *c->s->labels);
    c->parents = malloc(nodes * CZ_PARENTS * sizeof *c->parents);
    c->leaves = malloc(nodes * sizeof *c->leaves);
    if (c->s->data == NULL || c->s->labels == NULL || c->parents == NULL || c->leaves == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a sector of %zu nodes", nodes);
    return CZ_OK;
}

static cz_err make_data(context *c, cz_pool *pool)
{
    const cz_gen_stream data = stream(c, "sealed data"), ticket = stream(c, "sealed ticket");
    uint8_t prover[32], comm_d[32];

    for (uint64_t i = 0; i < c->s->shape->nodes; i++)
        cz_gen_element(&c->s->data[i], &data, i, 0);
    CZ_TRY(cz_full_tree_create(&c->s->tree_d, &c->s->shape->tree_d, c->s->data, pool));
    c->s->comm_d = *cz_full_tree_root(c->s->tree_d);
    cz_fr_to_le(comm_d, &c->s->comm_d);
    cz_gen_bytes32(c->s->ticket, &ticket, 0, 0);
    cz_prover_id(prover, c->s->id.miner_id);
    cz_replica_id(c->s->replica_id, prover, c->s->id.sector_number, c->s->ticket, comm_d,
                  c->s->spec->porep_id);
    return CZ_OK;
}

/* --- labels --- */

static cz_err find_parents(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const context *c = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY(cz_graph_parents(&c->graph, (uint32_t)i, c->parents + i * CZ_PARENTS));
    return CZ_OK;
}

/* Node 0 has no parents: its label is a hash of replica id, layer and node alone. */
static void label_first(const context *c, unsigned row)
{
    cz_porep_label_of_first(column_at(c->s, 0) + row, c->s->replica_id, row + 1);
}

static void label_node(const context *c, unsigned row, uint64_t node)
{
    const cz_fr *columns[CZ_PARENTS];
    cz_fr parents[CZ_LABEL_PARENTS];

    for (unsigned i = 0; i < CZ_PARENTS; i++)
        columns[i] = column_at(c->s, c->parents[node * CZ_PARENTS + i]);
    cz_porep_label_parents(parents, columns, row);
    cz_porep_label(column_at(c->s, node) + row, c->s->replica_id, row + 1, node, parents);
}

static cz_err make_labels(context *c, cz_pool *pool)
{
    const cz_sector_shape *shape = c->s->shape;

    cz_graph_init(&c->graph, shape->nodes, c->s->spec->porep_id, c->s->spec->api);
    CZ_TRY(cz_parallel_for(pool, (size_t)shape->nodes, 1024, find_parents, c));
    for (unsigned row = 0; row < shape->layers; row++) {
        label_first(c, row);
        for (uint64_t node = 1; node < shape->nodes; node++)
            label_node(c, row, node);
    }
    return CZ_OK;
}

/* --- columns and replica --- */

static cz_err hash_columns(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const context *c = ctx;

    (void)worker;
    cz_poseidon_hash_many(c->leaves + begin, c->column_hash, column_at(c->s, begin), end - begin);
    return CZ_OK;
}

static cz_err make_tree_c(context *c, cz_pool *pool)
{
    c->column_hash = cz_poseidon_get(c->s->shape->layers);
    if (c->column_hash == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for Poseidon's constants");
    CZ_TRY(cz_parallel_for(pool, (size_t)c->s->shape->nodes, 256, hash_columns, c));
    return cz_full_tree_create(&c->s->tree_c, &c->s->shape->tree_r, c->leaves, pool);
}

static cz_err make_replica(context *c, cz_pool *pool)
{
    const unsigned last = c->s->shape->layers - 1;

    for (uint64_t i = 0; i < c->s->shape->nodes; i++)
        cz_fr_add(&c->leaves[i], &c->s->data[i], column_at(c->s, i) + last);
    CZ_TRY(cz_full_tree_create(&c->s->tree_r_last, &c->s->shape->tree_r, c->leaves, pool));
    return cz_comm_r(&c->s->comm_r, cz_full_tree_root(c->s->tree_c),
                     cz_full_tree_root(c->s->tree_r_last));
}

static cz_err fill(context *c, cz_pool *pool)
{
    CZ_TRY(alloc_arrays(c));
    CZ_TRY(make_data(c, pool));
    CZ_TRY(make_labels(c, pool));
    CZ_TRY(make_tree_c(c, pool));
    return make_replica(c, pool);
}

cz_err cz_seal(cz_sealed_sector **out, const cz_proof_spec *spec, uint64_t seed,
               const cz_gen_identity *id, cz_pool *pool)
{
    const cz_sector_shape *shape = cz_sector_shape_find(spec->sector_size);
    context c = {.seed = seed};
    cz_err err;

    if (shape->nodes > CZ_SEAL_MAX_NODES)
        return cz_fail(CZ_E_UNSUPPORTED, "sectors of %s are not sealed in memory, at most 8m",
                       shape->tag);
    c.s = calloc(1, sizeof *c.s);
    if (c.s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a sector");
    c.s->spec = spec;
    c.s->shape = shape;
    c.s->id = *id;
    err = fill(&c, pool);
    free(c.parents);
    free(c.leaves);
    if (err != CZ_OK) {
        cz_sealed_sector_destroy(c.s);
        return err;
    }
    *out = c.s;
    return CZ_OK;
}

void cz_sealed_sector_destroy(cz_sealed_sector *s)
{
    if (s == NULL)
        return;
    cz_full_tree_destroy(s->tree_d);
    cz_full_tree_destroy(s->tree_c);
    cz_full_tree_destroy(s->tree_r_last);
    free(s->data);
    free(s->labels);
    free(s);
}
