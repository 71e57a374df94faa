#include "filecoin/porep_check.h"

#include <inttypes.h>
#include <string.h>

#include "filecoin/comm.h"
#include "filecoin/porep_label.h"
#include "hash/poseidon.h"

typedef struct {
    const cz_porep_vanilla *v;
    const cz_porep_statement *s;
    const cz_porep_node *nodes;
    const cz_poseidon_constants *column_hash;
    cz_fr comm_d, comm_c, comm_r_last; /* the roots that all openings must share */
} check;

/* --- tree C --- */

static cz_err check_column(const check *c, const cz_column_proof *col, uint32_t node)
{
    cz_fr hash;

    if (col->index != node)
        return cz_fail(CZ_E_INPUT, "column: index: %u, expected node %u", col->index, node);
    cz_poseidon_hash(&hash, c->column_hash, col->rows);
    if (!cz_fr_equal(&hash, &col->inclusion.leaf))
        return cz_fail(CZ_E_INPUT, "inclusion_proof: leaf is not the hash of the column");
    CZ_TRY_IN(cz_inclusion_check(&c->s->shape->tree_r, &col->inclusion, node, &c->comm_c, "comm_c"),
              "inclusion_proof");
    return CZ_OK;
}

static cz_err check_parents(const check *c, const cz_column_proof *columns, const uint32_t *nodes,
                            unsigned n, const char *what)
{
    for (unsigned i = 0; i < n; i++)
        CZ_TRY_IN(check_column(c, &columns[i], nodes[i]), "%s[%u]", what, i);
    return CZ_OK;
}

static cz_err check_columns(const check *c, const cz_porep_opening *o, const cz_porep_node *n)
{
    CZ_TRY_IN(check_column(c, &o->c_x, n->node), "c_x");
    CZ_TRY(check_parents(c, o->parents, n->parents, CZ_DRG_PARENTS, "drg_parents"));
    return check_parents(c, o->parents + CZ_DRG_PARENTS, n->parents + CZ_DRG_PARENTS,
                         CZ_EXP_PARENTS, "exp_parents");
}

/* --- labels --- */

/* A label proof only repeats what the columns say. */
static cz_err check_label_copy(const cz_label_proof *l, uint32_t layer, uint32_t node,
                               const cz_fr parents[CZ_LABEL_PARENTS])
{
    if (l->layer != layer)
        return cz_fail(CZ_E_INPUT, "layer_index: %u, expected %u", l->layer, layer);
    if (l->node != node)
        return cz_fail(CZ_E_INPUT, "node: %" PRIu64 ", expected %u", l->node, node);
    for (unsigned i = 0; i < CZ_LABEL_PARENTS; i++)
        if (!cz_fr_equal(&l->parents[i], &parents[i]))
            return cz_fail(CZ_E_INPUT, "parents[%u] differs from the parent's column", i);
    return CZ_OK;
}

/* Every label of the node; the last layer's parents are also what the key comes from. */
static cz_err check_labels(const check *c, const cz_porep_opening *o, uint32_t node)
{
    const cz_fr *columns[CZ_PARENTS];
    cz_fr parents[CZ_LABEL_PARENTS];
    cz_fr label;

    for (unsigned i = 0; i < CZ_PARENTS; i++)
        columns[i] = o->parents[i].rows;
    for (unsigned row = 0; row < c->s->shape->layers; row++) {
        cz_porep_label_parents(parents, columns, row);
        CZ_TRY_IN(check_label_copy(&o->labels[row], row + 1, node, parents), "labeling_proofs[%u]",
                  row);
        cz_porep_label(&label, c->s->replica_id, row + 1, node, parents);
        if (!cz_fr_equal(&label, &o->c_x.rows[row]))
            return cz_fail(CZ_E_INPUT,
                           "replica_column_proofs: c_x: column: rows[%u] is not the label that "
                           "replica id and parents give",
                           row);
    }
    CZ_TRY_IN(check_label_copy(&o->encoding, c->s->shape->layers, node, parents), "encoding_proof");
    return CZ_OK;
}

/* --- one opening --- */

static cz_err check_encoding(const check *c, const cz_porep_opening *o)
{
    cz_fr encoded;

    cz_fr_add(&encoded, &o->comm_d.leaf, &o->c_x.rows[c->s->shape->layers - 1]);
    if (!cz_fr_equal(&encoded, &o->comm_r_last.leaf))
        return cz_fail(CZ_E_INPUT,
                       "comm_r_last_proof: leaf is not the data node encoded by its key");
    return CZ_OK;
}

static cz_err check_opening(const check *c, const cz_porep_opening *o, const cz_porep_node *n)
{
    const cz_sector_shape *shape = c->s->shape;

    CZ_TRY_IN(cz_inclusion_check(&shape->tree_d, &o->comm_d, n->node, &c->comm_d, "comm_d"),
              "comm_d_proofs");
    CZ_TRY_IN(cz_inclusion_check(&shape->tree_r, &o->comm_r_last, n->node, &c->comm_r_last,
                                 "comm_r_last"),
              "comm_r_last_proof");
    CZ_TRY_IN(check_columns(c, o, n), "replica_column_proofs");
    CZ_TRY(check_labels(c, o, n->node));
    return check_encoding(c, o);
}

static cz_err check_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const check *c = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        CZ_TRY_IN(check_opening(c, &c->v->openings[i], &c->nodes[i]),
                  "partition %zu: challenge %zu", i / c->v->n_challenges, i % c->v->n_challenges);
    return CZ_OK;
}

/* --- the whole --- */

static cz_err check_comm_r(const check *c)
{
    uint8_t bytes[32];
    cz_fr comm_r;

    CZ_TRY(cz_comm_r(&comm_r, &c->comm_c, &c->comm_r_last));
    cz_fr_to_le(bytes, &comm_r);
    if (memcmp(bytes, c->s->comm_r, 32) != 0)
        return cz_fail(CZ_E_INPUT, "comm_r is not the hash of the roots of the column tree and the "
                                   "replica tree in partition 0: challenge 0");
    return CZ_OK;
}

cz_err cz_porep_check(const cz_porep_vanilla *v, const cz_porep_statement *s,
                      const cz_porep_node *nodes, cz_pool *pool)
{
    check c = {.v = v, .s = s, .nodes = nodes};

    c.column_hash = cz_poseidon_get(s->shape->layers);
    if (c.column_hash == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for Poseidon's constants");
    CZ_TRY_IN(cz_fr_from_bytes(&c.comm_d, s->comm_d), "comm_d");
    c.comm_c = v->openings[0].c_x.inclusion.root;
    c.comm_r_last = v->openings[0].comm_r_last.root;
    CZ_TRY(check_comm_r(&c));
    return cz_parallel_for(pool, (size_t)v->n_partitions * v->n_challenges, 1, check_range, &c);
}
