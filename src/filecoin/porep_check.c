/* porep_check.c: does a decoded C1 prove its statement? Opening by opening; see porep_check.h. */
#include "filecoin/porep_check.h"

#include <inttypes.h>
#include <string.h>

#include "filecoin/comm.h"
#include "filecoin/porep_label.h"
#include "hash/poseidon_many.h"

typedef struct {
    const cz_porep_vanilla *v;
    const cz_porep_statement *s;
    const cz_porep_node *nodes;
    const cz_poseidon_constants *column_hash;
    cz_fr comm_d, comm_c, comm_r_last; /* the roots that all openings must share */
} check;

/* --- hashes of an opening, side by side --- */

enum { COLUMNS = 1 + CZ_PARENTS }; /* the challenged node's, then its parents' */

typedef struct {
    cz_fr columns[COLUMNS]; /* their hashes */
    cz_fr roots[COLUMNS];   /* what their paths lead to */
    cz_fr r_last;           /* what the replica's path leads to */
} hashes;

static const cz_column_proof *column_of(const cz_porep_opening *o, unsigned i)
{
    return i == 0 ? &o->c_x : &o->parents[i - 1];
}

static cz_err compute_hashes(const check *c, hashes *h, const cz_porep_opening *o)
{
    const unsigned layers = c->s->shape->layers;
    const cz_inclusion_proof *paths[COLUMNS + 1];
    cz_fr rows[COLUMNS * CZ_MAX_LAYERS];
    cz_fr roots[COLUMNS + 1];

    for (unsigned i = 0; i < COLUMNS; i++) {
        memcpy(rows + (size_t)i * layers, column_of(o, i)->rows, layers * sizeof *rows);
        paths[i] = &column_of(o, i)->inclusion;
    }
    paths[COLUMNS] = &o->comm_r_last;
    cz_poseidon_hash_many(h->columns, c->column_hash, rows, COLUMNS);
    CZ_TRY(cz_inclusion_roots(roots, &c->s->shape->tree_r, paths, COLUMNS + 1));
    memcpy(h->roots, roots, sizeof h->roots);
    h->r_last = roots[COLUMNS];
    return CZ_OK;
}

/* --- tree C --- */

static cz_err check_column(const check *c, const hashes *h, const cz_porep_opening *o, unsigned i,
                           uint32_t node)
{
    const cz_column_proof *col = column_of(o, i);

    if (col->index != node)
        return cz_fail(CZ_E_INPUT, "column: index: %u, expected node %u", col->index, node);
    if (!cz_fr_equal(&h->columns[i], &col->inclusion.leaf))
        return cz_fail(CZ_E_INPUT, "inclusion_proof: leaf is not the hash of the column");
    CZ_TRY_IN(cz_inclusion_check_reached(&c->s->shape->tree_r, &col->inclusion, node, &c->comm_c,
                                         "comm_c", &h->roots[i]),
              "inclusion_proof");
    return CZ_OK;
}

static cz_err check_columns(const check *c, const hashes *h, const cz_porep_opening *o,
                            const cz_porep_node *n)
{
    CZ_TRY_IN(check_column(c, h, o, 0, n->node), "c_x");
    for (unsigned i = 0; i < CZ_DRG_PARENTS; i++)
        CZ_TRY_IN(check_column(c, h, o, 1 + i, n->parents[i]), "drg_parents[%u]", i);
    for (unsigned i = CZ_DRG_PARENTS; i < CZ_PARENTS; i++)
        CZ_TRY_IN(check_column(c, h, o, 1 + i, n->parents[i]), "exp_parents[%u]",
                  i - CZ_DRG_PARENTS);
    return CZ_OK;
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
    hashes h;

    CZ_TRY(compute_hashes(c, &h, o));
    CZ_TRY_IN(cz_inclusion_check(&shape->tree_d, &o->comm_d, n->node, &c->comm_d, "comm_d"),
              "comm_d_proofs");
    CZ_TRY_IN(cz_inclusion_check_reached(&shape->tree_r, &o->comm_r_last, n->node, &c->comm_r_last,
                                         "comm_r_last", &h.r_last),
              "comm_r_last_proof");
    CZ_TRY_IN(check_columns(c, &h, o, n), "replica_column_proofs");
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
