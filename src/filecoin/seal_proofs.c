/* seal_proofs.c: vanilla proofs of a sealed sector. */
#include <stdlib.h>
#include <string.h>

#include "filecoin/comm.h"
#include "filecoin/gen_random.h"
#include "filecoin/porep_label.h"
#include "filecoin/seal.h"

/* --- PoRep --- */

static const cz_fr *column_at(const cz_sealed_sector *s, uint64_t node)
{
    return s->labels + node * s->shape->layers;
}

static void open_column(const cz_sealed_sector *s, cz_column_proof *p, uint32_t node)
{
    p->index = node;
    memcpy(p->rows, column_at(s, node), s->shape->layers * sizeof *p->rows);
    cz_full_tree_open(s->tree_c, &p->inclusion, node);
}

static void copy_label(cz_label_proof *l, const cz_fr *const columns[CZ_PARENTS], unsigned row,
                       uint32_t node)
{
    l->layer = row + 1;
    l->node = node;
    cz_porep_label_parents(l->parents, columns, row);
}

static void open_node(const cz_sealed_sector *s, cz_porep_opening *o, const cz_porep_node *n)
{
    const unsigned layers = s->shape->layers;
    const cz_fr *columns[CZ_PARENTS];

    cz_full_tree_open(s->tree_d, &o->comm_d, n->node);
    cz_full_tree_open(s->tree_r_last, &o->comm_r_last, n->node);
    open_column(s, &o->c_x, n->node);
    for (unsigned i = 0; i < CZ_PARENTS; i++) {
        open_column(s, &o->parents[i], n->parents[i]);
        columns[i] = column_at(s, n->parents[i]);
    }
    for (unsigned row = 0; row < layers; row++)
        copy_label(&o->labels[row], columns, row, n->node);
    copy_label(&o->encoding, columns, layers - 1, n->node);
}

static void copy_header(cz_porep_vanilla *v, const cz_sealed_sector *s, const uint8_t seed[32])
{
    cz_fr_to_le(v->comm_d, &s->comm_d);
    cz_fr_to_le(v->comm_r, &s->comm_r);
    memcpy(v->replica_id, s->replica_id, 32);
    memcpy(v->ticket, s->ticket, 32);
    memcpy(v->seed, seed, 32);
}

static cz_err open_partitions(const cz_porep_vanilla *v, const cz_sealed_sector *s)
{
    cz_porep_statement statement = {.shape = s->shape, .api = s->spec->api};
    cz_porep_node nodes[CZ_MAX_POREP_CHALLENGES];

    statement.features = s->spec->features;
    memcpy(statement.porep_id, s->spec->porep_id, 32);
    memcpy(statement.replica_id, v->replica_id, 32);
    memcpy(statement.comm_d, v->comm_d, 32);
    memcpy(statement.comm_r, v->comm_r, 32);
    memcpy(statement.seed, v->seed, 32);
    for (unsigned k = 0; k < v->n_partitions; k++) {
        CZ_TRY(cz_porep_nodes(nodes, &statement, k));
        for (unsigned i = 0; i < v->n_challenges; i++)
            open_node(s, cz_porep_opening_at(v, k, i), &nodes[i]);
    }
    return CZ_OK;
}

cz_err cz_sealed_porep(cz_porep_vanilla **out, const cz_sealed_sector *s, const uint8_t seed[32])
{
    cz_porep_vanilla *v;
    cz_err err;

    CZ_TRY(cz_porep_vanilla_create(&v, s->spec));
    copy_header(v, s, seed);
    err = open_partitions(v, s);
    if (err != CZ_OK) {
        cz_porep_vanilla_destroy(v);
        return err;
    }
    *out = v;
    return CZ_OK;
}

/* --- PoSt --- */

cz_err cz_sealed_post(cz_post_vanilla *v, const cz_post_statement *statement, size_t i,
                      const cz_sealed_sector *s)
{
    cz_post_sector *sector = &v->sectors[i];

    CZ_ASSERT(s->shape == v->shape);
    sector->number = s->id.sector_number;
    sector->comm_r = s->comm_r;
    sector->comm_c = *cz_full_tree_root(s->tree_c);
    sector->comm_r_last = *cz_full_tree_root(s->tree_r_last);
    for (unsigned n = 0; n < v->n_challenges; n++)
        cz_full_tree_open(s->tree_r_last, &sector->openings[n],
                          cz_post_challenge(statement, i, sector->number, n));
    return CZ_OK;
}

/* --- update --- */

typedef struct {
    const cz_sealed_sector *s;
    cz_snap_statement *statement;
    cz_snap_dims dims;
    cz_fr *leaves; /* scratch, a node each */
    cz_fr phi;
    cz_full_tree *tree_d_new, *tree_r_new;
} update;

static cz_err make_new_data(update *u, uint64_t seed, cz_pool *pool)
{
    const cz_gen_stream data = {seed, "sealed update data", u->s->id.sector_number};

    for (uint64_t i = 0; i < u->s->shape->nodes; i++)
        cz_gen_element(&u->leaves[i], &data, i, 0);
    CZ_TRY(cz_full_tree_create(&u->tree_d_new, u->dims.tree_d, u->leaves, pool));
    u->statement->comm_r_old = u->s->comm_r;
    u->statement->comm_d_new = *cz_full_tree_root(u->tree_d_new);
    return cz_snap_phi(&u->phi, &u->statement->comm_d_new, &u->statement->comm_r_old);
}

static cz_err encode_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const update *u = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++) {
        cz_fr rho;

        CZ_TRY(cz_snap_rho(&rho, u->s->shape, &u->phi, (uint32_t)i));
        cz_fr_mul(&u->leaves[i], &u->tree_d_new->levels[0][i], &rho);
        cz_fr_add(&u->leaves[i], &u->leaves[i], &u->s->tree_r_last->levels[0][i]);
    }
    return CZ_OK;
}

static cz_err make_new_replica(update *u, cz_pool *pool)
{
    CZ_TRY(cz_parallel_for(pool, (size_t)u->s->shape->nodes, 256, encode_some, u));
    CZ_TRY(cz_full_tree_create(&u->tree_r_new, &u->s->shape->tree_r, u->leaves, pool));
    return cz_comm_r(&u->statement->comm_r_new, cz_full_tree_root(u->s->tree_c),
                     cz_full_tree_root(u->tree_r_new));
}

static cz_err open_update_partition(const update *u, cz_snap_partition *p, unsigned k)
{
    const unsigned level = u->dims.node_bits - u->dims.partition_bits - u->dims.apex_bits;
    uint32_t nodes[CZ_SNAP_MAX_CHALLENGES];

    p->comm_c = *cz_full_tree_root(u->s->tree_c);
    memcpy(p->apex_leaves, u->tree_d_new->levels[level] + (size_t)k * u->dims.apex_leaves,
           u->dims.apex_leaves * sizeof *p->apex_leaves);
    CZ_TRY(cz_snap_challenges(nodes, &u->dims, &u->statement->comm_r_new, k));
    for (unsigned i = 0; i < u->dims.challenges; i++) {
        cz_full_tree_open(u->s->tree_r_last, &p->openings[i].r_old, nodes[i]);
        cz_full_tree_open(u->tree_d_new, &p->openings[i].d_new, nodes[i]);
        cz_full_tree_open(u->tree_r_new, &p->openings[i].r_new, nodes[i]);
    }
    return CZ_OK;
}

static cz_err run_update(update *u, const cz_snap_vanilla *v, uint64_t seed, cz_pool *pool)
{
    CZ_TRY(make_new_data(u, seed, pool));
    CZ_TRY(make_new_replica(u, pool));
    for (unsigned k = 0; k < u->dims.partitions; k++)
        CZ_TRY(open_update_partition(u, &v->partitions[k], k));
    return CZ_OK;
}

cz_err cz_sealed_update(cz_snap_vanilla **out, cz_snap_statement *statement,
                        const cz_sealed_sector *s, uint64_t seed, cz_pool *pool)
{
    update u = {.s = s, .statement = statement};
    cz_snap_vanilla *v;
    cz_err err;

    statement->shape = s->shape;
    statement->variant = CZ_SNAP_SHA;
    u.dims = cz_snap_dims_of(s->shape, CZ_SNAP_SHA);
    CZ_TRY(cz_snap_vanilla_create(&v, s->shape, CZ_SNAP_SHA));
    u.leaves = malloc((size_t)s->shape->nodes * sizeof *u.leaves);
    err = u.leaves == NULL ? cz_fail(CZ_E_NOMEM, "no memory for a sector's nodes")
                           : run_update(&u, v, seed, pool);
    free(u.leaves);
    cz_full_tree_destroy(u.tree_d_new);
    cz_full_tree_destroy(u.tree_r_new);
    if (err != CZ_OK) {
        cz_snap_vanilla_destroy(v);
        return err;
    }
    *out = v;
    return CZ_OK;
}
