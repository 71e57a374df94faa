/* gen_snap.c: an update of a whole patterned sector: old replica and new data are seeded, the new
 * replica is their encoding, so that its root and the challenges that follow from it exist. */
#include <stdlib.h>

#include "filecoin/comm.h"
#include "filecoin/gen_random.h"
#include "filecoin/gen_vanilla.h"
#include "filecoin/patterned_tree.h"

typedef struct {
    cz_snap_statement *s;
    cz_snap_dims dims;
    uint64_t seed;
    cz_pool *pool;
    unsigned range_count_bits; /* a range for each value of a node's h high bits */
    cz_fr *r_old, *d_new, *r_new;
    cz_patterned_tree *tree_r_old, *tree_d_new, *tree_r_new;
    cz_fr comm_c, phi;
} context;

static size_t n_values(const context *c)
{
    return (size_t)CZ_PATTERN_VALUES << c->range_count_bits;
}

static cz_err alloc_values(context *c)
{
    c->r_old = malloc(n_values(c) * sizeof *c->r_old);
    c->d_new = malloc(n_values(c) * sizeof *c->d_new);
    c->r_new = malloc(n_values(c) * sizeof *c->r_new);
    if (c->r_old == NULL || c->d_new == NULL || c->r_new == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a sector's pattern");
    return CZ_OK;
}

static cz_err make_old_and_data(context *c)
{
    const cz_gen_stream old = {c->seed, "snap old", 0}, data = {c->seed, "snap data", 0},
                        comm_c = {c->seed, "snap comm_c", 0};

    for (size_t i = 0; i < n_values(c); i++) {
        cz_gen_element(&c->r_old[i], &old, i, 0);
        cz_gen_element(&c->d_new[i], &data, i, 0);
    }
    cz_gen_element(&c->comm_c, &comm_c, 0, 0);
    CZ_TRY(cz_patterned_tree_create(&c->tree_r_old, &c->s->shape->tree_r, c->r_old,
                                    c->range_count_bits, c->pool));
    CZ_TRY(cz_patterned_tree_create(&c->tree_d_new, c->dims.tree_d, c->d_new, c->range_count_bits,
                                    c->pool));
    c->s->comm_d_new = *cz_patterned_tree_root(c->tree_d_new);
    return cz_comm_r(&c->s->comm_r_old, &c->comm_c, cz_patterned_tree_root(c->tree_r_old));
}

static cz_err encode_range(const context *c, size_t range)
{
    const unsigned range_bits = c->dims.node_bits - c->range_count_bits;
    cz_fr rho;

    CZ_TRY(cz_snap_rho(&rho, c->s->shape, &c->phi, (uint32_t)(range << range_bits)));
    for (size_t i = range * CZ_PATTERN_VALUES; i < (range + 1) * CZ_PATTERN_VALUES; i++) {
        cz_fr_mul(&c->r_new[i], &c->d_new[i], &rho);
        cz_fr_add(&c->r_new[i], &c->r_new[i], &c->r_old[i]);
    }
    return CZ_OK;
}

static cz_err make_new(context *c)
{
    CZ_TRY(cz_snap_phi(&c->phi, &c->s->comm_d_new, &c->s->comm_r_old));
    for (size_t range = 0; range < (size_t)1 << c->range_count_bits; range++)
        CZ_TRY(encode_range(c, range));
    CZ_TRY(cz_patterned_tree_create(&c->tree_r_new, &c->s->shape->tree_r, c->r_new,
                                    c->range_count_bits, c->pool));
    return cz_comm_r(&c->s->comm_r_new, &c->comm_c, cz_patterned_tree_root(c->tree_r_new));
}

static void open_challenge(const context *c, cz_snap_opening *o, uint32_t node)
{
    cz_patterned_tree_open(c->tree_r_old, &o->r_old, node);
    cz_patterned_tree_open(c->tree_d_new, &o->d_new, node);
    cz_patterned_tree_open(c->tree_r_new, &o->r_new, node);
}

static void copy_apex(const context *c, cz_snap_partition *p, unsigned k)
{
    const unsigned level = c->dims.node_bits - c->dims.partition_bits - c->dims.apex_bits;

    for (unsigned i = 0; i < c->dims.apex_leaves; i++)
        p->apex_leaves[i] =
            *cz_patterned_tree_node(c->tree_d_new, level, (uint64_t)k * c->dims.apex_leaves + i);
}

static cz_err open_partitions(const context *c, const cz_snap_vanilla *v, uint32_t *nodes)
{
    for (unsigned k = 0; k < c->dims.partitions; k++) {
        cz_snap_partition *p = &v->partitions[k];

        p->comm_c = c->comm_c;
        copy_apex(c, p, k);
        CZ_TRY(cz_snap_challenges(nodes, &c->dims, &c->s->comm_r_new, k));
        for (unsigned i = 0; i < c->dims.challenges; i++)
            open_challenge(c, &p->openings[i], nodes[i]);
    }
    return CZ_OK;
}

static cz_err fill(context *c, const cz_snap_vanilla *v)
{
    uint32_t *nodes;
    cz_err err;

    CZ_TRY(alloc_values(c));
    CZ_TRY(make_old_and_data(c));
    CZ_TRY(make_new(c));
    nodes = malloc(c->dims.challenges * sizeof *nodes);
    if (nodes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for challenges");
    err = open_partitions(c, v, nodes);
    free(nodes);
    return err;
}

static void clear(context *c)
{
    cz_patterned_tree_destroy(c->tree_r_old);
    cz_patterned_tree_destroy(c->tree_d_new);
    cz_patterned_tree_destroy(c->tree_r_new);
    free(c->r_old);
    free(c->d_new);
    free(c->r_new);
}

cz_err cz_gen_snap(cz_snap_vanilla **out, cz_snap_statement *s, uint64_t seed, cz_pool *pool)
{
    context c = {.s = s, .seed = seed, .pool = pool};
    cz_snap_vanilla *v;
    cz_err err;

    c.dims = cz_snap_dims_of(s->shape, s->variant);
    c.range_count_bits = cz_snap_hs(s->shape)[cz_snap_h_index(s->shape)];
    CZ_TRY(cz_snap_vanilla_create(&v, s->shape, s->variant));
    err = fill(&c, v);
    clear(&c);
    if (err != CZ_OK) {
        cz_snap_vanilla_destroy(v);
        return err;
    }
    *out = v;
    return CZ_OK;
}
