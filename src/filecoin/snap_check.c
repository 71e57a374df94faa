/* snap_check.c: does a decoded update prove its statement? See snap_check.h. */
#include "filecoin/snap_check.h"

#include <stdlib.h>
#include <string.h>

#include "filecoin/comm.h"

typedef struct {
    const cz_snap_vanilla *v;
    const cz_snap_statement *s;
    cz_fr phi;
    uint32_t *nodes; /* challenges of all partitions, in order */
} check;

/* --- one partition's commitments --- */

static cz_err check_root(const cz_fr *comm_c, const cz_fr *root, const cz_fr *comm_r,
                         const char *comm_r_name, const char *proof_name)
{
    cz_fr hash;

    CZ_TRY(cz_comm_r(&hash, comm_c, root));
    if (!cz_fr_equal(&hash, comm_r))
        return cz_fail(CZ_E_INPUT, "comm_c and the root of challenge_proofs[0]: %s do not give %s",
                       proof_name, comm_r_name);
    return CZ_OK;
}

static cz_err check_roots(const check *c, const cz_snap_partition *p)
{
    CZ_TRY(check_root(&p->comm_c, &p->openings[0].r_old.root, &c->s->comm_r_old, "comm_r_old",
                      "proof_r_old"));
    return check_root(&p->comm_c, &p->openings[0].r_new.root, &c->s->comm_r_new, "comm_r_new",
                      "proof_r_new");
}

/* The node at `levels` above the leaf of a data path. */
static cz_err node_above(cz_fr *out, const cz_inclusion_proof *p, unsigned levels)
{
    const cz_tree_shape below = {CZ_TREE_SHA254, 2, 0, 0, levels};

    return cz_inclusion_root(out, &below, p);
}

static cz_err check_apex_leaf(const check *c, const cz_snap_partition *p, const cz_snap_opening *o,
                              uint32_t node)
{
    const cz_snap_dims *d = &c->v->dims;
    const unsigned levels = d->node_bits - d->partition_bits - d->apex_bits;
    const uint32_t at = node >> levels & (d->apex_leaves - 1);
    cz_fr above;

    CZ_TRY(node_above(&above, &o->d_new, levels));
    if (!cz_fr_equal(&above, &p->apex_leaves[at]))
        return cz_fail(CZ_E_INPUT, "proof_d_new: the path does not pass through apex_leafs[%u]",
                       at);
    return CZ_OK;
}

/* Root of the apex leaves of a partition. */
static cz_err apex_root(cz_fr *out, const check *c, const cz_snap_partition *p)
{
    cz_fr row[CZ_SNAP_MAX_APEX_LEAVES];

    memcpy(row, p->apex_leaves, c->v->dims.apex_leaves * sizeof *row);
    for (unsigned n = c->v->dims.apex_leaves / 2; n > 0; n /= 2)
        for (unsigned i = 0; i < n; i++)
            CZ_TRY(cz_merkle_node(&row[i], CZ_TREE_SHA254, &row[2 * i], 2));
    *out = row[0];
    return CZ_OK;
}

/* The apex tree is the partition's part of the data tree: its root is where the path of any
 * challenge enters the partitions' tree. */
static cz_err check_apex(const check *c, const cz_snap_partition *p)
{
    const cz_snap_dims *d = &c->v->dims;
    cz_fr from_leaves, from_path;

    if (d->apex_leaves == 0)
        return CZ_OK;
    CZ_TRY(apex_root(&from_leaves, c, p));
    CZ_TRY(node_above(&from_path, &p->openings[0].d_new, d->node_bits - d->partition_bits));
    if (!cz_fr_equal(&from_leaves, &from_path))
        return cz_fail(CZ_E_INPUT,
                       "apex_leafs: their root is not the node of the data tree above them");
    return CZ_OK;
}

/* --- one challenge --- */

static cz_err check_encoding(const check *c, const cz_snap_opening *o, uint32_t node)
{
    cz_fr rho, encoded;

    CZ_TRY(cz_snap_rho(&rho, c->s->shape, &c->phi, node));
    cz_fr_mul(&encoded, &rho, &o->d_new.leaf);
    cz_fr_add(&encoded, &encoded, &o->r_old.leaf);
    if (!cz_fr_equal(&encoded, &o->r_new.leaf))
        return cz_fail(CZ_E_INPUT,
                       "proof_r_new: leaf is not the old node plus rho times the data node");
    return CZ_OK;
}

static cz_err check_opening(const check *c, const cz_snap_partition *p, const cz_snap_opening *o,
                            uint32_t node)
{
    const cz_tree_shape *tree_r = &c->s->shape->tree_r;

    CZ_TRY_IN(cz_inclusion_check(tree_r, &o->r_old, node, &p->openings[0].r_old.root,
                                 "that of challenge_proofs[0]"),
              "proof_r_old");
    CZ_TRY_IN(
        cz_inclusion_check(c->v->dims.tree_d, &o->d_new, node, &c->s->comm_d_new, "comm_d_new"),
        "proof_d_new");
    CZ_TRY_IN(cz_inclusion_check(tree_r, &o->r_new, node, &p->openings[0].r_new.root,
                                 "that of challenge_proofs[0]"),
              "proof_r_new");
    if (c->v->dims.apex_leaves != 0)
        CZ_TRY(check_apex_leaf(c, p, o, node));
    return check_encoding(c, o, node);
}

/* --- all --- */

static cz_err check_challenge(const check *c, size_t k, size_t i)
{
    const cz_snap_partition *p = &c->v->partitions[k];

    if (i == 0)
        CZ_TRY(check_roots(c, p));
    CZ_TRY_IN(check_opening(c, p, &p->openings[i], c->nodes[k * c->v->dims.challenges + i]),
              "challenge_proofs[%zu]", i);
    return i == 0 ? check_apex(c, p) : CZ_OK;
}

static cz_err check_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const check *c = ctx;
    const size_t n = c->v->dims.challenges;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY_IN(check_challenge(c, i / n, i % n), "[%zu]", i / n);
    return CZ_OK;
}

static cz_err derive_nodes(check *c)
{
    const cz_snap_dims *d = &c->v->dims;

    for (unsigned k = 0; k < d->partitions; k++)
        CZ_TRY(cz_snap_challenges(c->nodes + (size_t)k * d->challenges, d, &c->s->comm_r_new, k));
    return CZ_OK;
}

static cz_err run(check *c, cz_pool *pool)
{
    CZ_TRY(derive_nodes(c));
    CZ_TRY(cz_snap_phi(&c->phi, &c->s->comm_d_new, &c->s->comm_r_old));
    return cz_parallel_for(pool, (size_t)c->v->dims.partitions * c->v->dims.challenges, 4,
                           check_range, c);
}

cz_err cz_snap_check(const cz_snap_vanilla *v, const cz_snap_statement *s, cz_pool *pool)
{
    check c = {.v = v, .s = s};
    cz_err err;

    c.nodes = calloc((size_t)v->dims.partitions * v->dims.challenges, sizeof *c.nodes);
    if (c.nodes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for challenges");
    err = run(&c, pool);
    free(c.nodes);
    return err;
}
