/* gen_porep.c: a PoRep whose challenged nodes are labelled as the graph demands, while all other
 * nodes have seeded labels: exactly what the circuit can see.
 *
 * Challenges follow from the replica id, and that one from comm_d, so the data is a whole patterned
 * sector; the trees of columns and of the replica are sparse. */
#include <stdlib.h>
#include <string.h>

#include "filecoin/comm.h"
#include "filecoin/gen_vanilla.h"
#include "filecoin/patterned_tree.h"
#include "filecoin/porep_label.h"
#include "filecoin/replica_id.h"
#include "filecoin/sparse_tree.h"
#include "hash/poseidon_many.h"

/* A node whose column is opened. */
typedef struct {
    uint32_t node;
    const cz_porep_node *challenge; /* NULL: only a parent of one */
    cz_fr labels[CZ_MAX_LAYERS];    /* by layer */
} column;

typedef struct {
    cz_porep_vanilla *v;
    cz_porep_statement s;
    uint64_t seed;
    size_t n_nodes; /* challenges of all partitions */
    cz_porep_node *nodes;
    size_t n_columns;
    column *columns; /* of all challenges and their parents, ascending by node */
    cz_patterned_tree *tree_d;
    cz_sparse_tree *tree_c, *tree_r_last;
} context;

static cz_gen_stream stream(const context *c, const char *purpose)
{
    return (cz_gen_stream){c->seed, purpose, 0};
}

/* --- statement and challenges --- */

static cz_err make_data(context *c)
{
    const cz_gen_stream data = stream(c, "porep data");
    cz_fr values[CZ_PATTERN_VALUES];

    for (unsigned i = 0; i < CZ_PATTERN_VALUES; i++)
        cz_gen_element(&values[i], &data, i, 0);
    CZ_TRY(cz_patterned_tree_create(&c->tree_d, &c->v->shape->tree_d, values, 0, NULL));
    cz_fr_to_le(c->v->comm_d, cz_patterned_tree_root(c->tree_d));
    return CZ_OK;
}

static void make_identity(context *c, const cz_gen_identity *id)
{
    const cz_gen_stream ticket = stream(c, "porep ticket"), seed = stream(c, "porep seed");
    uint8_t prover[32];

    cz_gen_bytes32(c->v->ticket, &ticket, 0, 0);
    cz_gen_bytes32(c->v->seed, &seed, 0, 0);
    cz_prover_id(prover, id->miner_id);
    cz_replica_id(c->v->replica_id, prover, id->sector_number, c->v->ticket, c->v->comm_d,
                  c->v->spec->porep_id);
}

static cz_err derive_nodes(context *c)
{
    c->s.shape = c->v->shape;
    c->s.api = c->v->spec->api;
    memcpy(c->s.porep_id, c->v->spec->porep_id, 32);
    memcpy(c->s.replica_id, c->v->replica_id, 32);
    memcpy(c->s.seed, c->v->seed, 32);
    c->n_nodes = (size_t)c->v->n_partitions * c->v->n_challenges;
    c->nodes = calloc(c->n_nodes, sizeof *c->nodes);
    if (c->nodes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for challenges");
    for (unsigned k = 0; k < c->v->n_partitions; k++)
        CZ_TRY(cz_porep_nodes(c->nodes + (size_t)k * c->v->n_challenges, &c->s, k));
    return CZ_OK;
}

/* --- columns --- */

/* By node; of equal ones the challenged first. */
static int by_node(const void *a, const void *b)
{
    const column *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->challenge == NULL) - (y->challenge == NULL);
}

static int compare_node(const void *key, const void *element)
{
    const uint32_t node = *(const uint32_t *)key, other = ((const column *)element)->node;

    return node < other ? -1 : node > other;
}

static column *column_of(const context *c, uint32_t node)
{
    return bsearch(&node, c->columns, c->n_columns, sizeof *c->columns, compare_node);
}

static cz_err collect_columns(context *c)
{
    size_t n = 0;

    c->columns = calloc(c->n_nodes * (1 + CZ_PARENTS), sizeof *c->columns);
    if (c->columns == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for columns");
    for (size_t i = 0; i < c->n_nodes; i++) {
        c->columns[n].node = c->nodes[i].node;
        c->columns[n++].challenge = &c->nodes[i];
        for (unsigned j = 0; j < CZ_PARENTS; j++)
            c->columns[n++].node = c->nodes[i].parents[j];
    }
    qsort(c->columns, n, sizeof *c->columns, by_node);
    for (size_t i = 0; i < n; i++)
        if (c->n_columns == 0 || c->columns[c->n_columns - 1].node != c->columns[i].node)
            c->columns[c->n_columns++] = c->columns[i];
    return CZ_OK;
}

static void parents_of(const context *c, const cz_porep_node *challenge,
                       const cz_fr *columns[CZ_PARENTS])
{
    for (unsigned i = 0; i < CZ_PARENTS; i++)
        columns[i] = column_of(c, challenge->parents[i])->labels;
}

static void label(const context *c, column *col, unsigned row)
{
    const cz_gen_stream other = stream(c, "porep label");
    const cz_fr *columns[CZ_PARENTS];
    cz_fr parents[CZ_LABEL_PARENTS];

    if (col->challenge == NULL) {
        cz_gen_element(&col->labels[row], &other, col->node, row);
        return;
    }
    parents_of(c, col->challenge, columns);
    cz_porep_label_parents(parents, columns, row);
    cz_porep_label(&col->labels[row], c->v->replica_id, row + 1, col->node, parents);
}

/* Layer by layer, ascending: parents in the same layer have smaller numbers. */
static void label_columns(const context *c)
{
    for (unsigned row = 0; row < c->v->shape->layers; row++)
        for (size_t i = 0; i < c->n_columns; i++)
            label(c, &c->columns[i], row);
}

/* --- trees --- */

enum { COLUMNS_AT_ONCE = 64 };

/* The leaves of columns [begin, begin + n), n at most COLUMNS_AT_ONCE. */
static void hash_columns(const context *c, cz_tree_node *leaves, const cz_poseidon_constants *k,
                         size_t begin, size_t n)
{
    cz_fr labels[COLUMNS_AT_ONCE * CZ_MAX_LAYERS];
    cz_fr hashes[COLUMNS_AT_ONCE];

    for (size_t i = 0; i < n; i++)
        memcpy(labels + i * k->arity, c->columns[begin + i].labels, k->arity * sizeof *labels);
    cz_poseidon_hash_many(hashes, k, labels, n);
    for (size_t i = 0; i < n; i++)
        leaves[begin + i] = (cz_tree_node){c->columns[begin + i].node, hashes[i]};
}

static cz_err make_tree_c(context *c, cz_tree_node *leaves)
{
    const cz_poseidon_constants *k = cz_poseidon_get(c->v->shape->layers);
    const cz_gen_stream filler = stream(c, "porep tree c");

    if (k == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for Poseidon's constants");
    for (size_t i = 0; i < c->n_columns; i += COLUMNS_AT_ONCE)
        hash_columns(c, leaves, k, i,
                     c->n_columns - i < COLUMNS_AT_ONCE ? c->n_columns - i : COLUMNS_AT_ONCE);
    return cz_sparse_tree_create(&c->tree_c, &c->v->shape->tree_r, &filler, leaves, c->n_columns);
}

static cz_err make_tree_r_last(context *c, cz_tree_node *leaves)
{
    const cz_gen_stream filler = stream(c, "porep tree r last");

    for (size_t i = 0; i < c->n_nodes; i++) {
        const uint32_t node = c->nodes[i].node;
        const cz_fr *key = &column_of(c, node)->labels[c->v->shape->layers - 1];

        leaves[i].index = node;
        cz_fr_add(&leaves[i].value, cz_patterned_tree_node(c->tree_d, 0, node), key);
    }
    return cz_sparse_tree_create(&c->tree_r_last, &c->v->shape->tree_r, &filler, leaves,
                                 c->n_nodes);
}

static cz_err make_trees(context *c)
{
    cz_tree_node *leaves = malloc(c->n_columns * sizeof *leaves);
    cz_fr comm_r;
    cz_err err;

    if (leaves == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for leaves");
    err = make_tree_c(c, leaves);
    if (err == CZ_OK)
        err = make_tree_r_last(c, leaves);
    free(leaves);
    CZ_TRY(err);
    CZ_TRY(cz_comm_r(&comm_r, cz_sparse_tree_root(c->tree_c), cz_sparse_tree_root(c->tree_r_last)));
    cz_fr_to_le(c->v->comm_r, &comm_r);
    return CZ_OK;
}

/* --- openings --- */

static void open_column(const context *c, cz_column_proof *p, uint32_t node)
{
    p->index = node;
    memcpy(p->rows, column_of(c, node)->labels, c->v->shape->layers * sizeof *p->rows);
    cz_sparse_tree_open(c->tree_c, &p->inclusion, node);
}

static void copy_labels(const context *c, cz_porep_opening *o, const cz_porep_node *n)
{
    const cz_fr *columns[CZ_PARENTS];

    parents_of(c, n, columns);
    for (unsigned row = 0; row < c->v->shape->layers; row++) {
        o->labels[row].layer = row + 1;
        o->labels[row].node = n->node;
        cz_porep_label_parents(o->labels[row].parents, columns, row);
    }
    o->encoding.layer = c->v->shape->layers;
    o->encoding.node = n->node;
    cz_porep_label_parents(o->encoding.parents, columns, c->v->shape->layers - 1);
}

static void open_node(const context *c, cz_porep_opening *o, const cz_porep_node *n)
{
    cz_patterned_tree_open(c->tree_d, &o->comm_d, n->node);
    cz_sparse_tree_open(c->tree_r_last, &o->comm_r_last, n->node);
    open_column(c, &o->c_x, n->node);
    for (unsigned i = 0; i < CZ_PARENTS; i++)
        open_column(c, &o->parents[i], n->parents[i]);
    copy_labels(c, o, n);
}

static cz_err open_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const context *c = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        open_node(c, &c->v->openings[i], &c->nodes[i]);
    return CZ_OK;
}

static cz_err fill(context *c, const cz_gen_identity *id, cz_pool *pool)
{
    CZ_TRY(make_data(c));
    make_identity(c, id);
    CZ_TRY(derive_nodes(c));
    CZ_TRY(collect_columns(c));
    label_columns(c);
    CZ_TRY(make_trees(c));
    return cz_parallel_for(pool, c->n_nodes, 1, open_some, c);
}

static void clear(context *c)
{
    cz_patterned_tree_destroy(c->tree_d);
    cz_sparse_tree_destroy(c->tree_c);
    cz_sparse_tree_destroy(c->tree_r_last);
    free(c->columns);
    free(c->nodes);
}

cz_err cz_gen_porep(cz_porep_vanilla **out, const cz_proof_spec *spec, uint64_t seed,
                    const cz_gen_identity *id, cz_pool *pool)
{
    context c = {.seed = seed};
    cz_err err;

    if (spec->features != 0)
        return cz_fail(CZ_E_UNSUPPORTED,
                       "%s: its challenges follow from the sealed sector, so they cannot be chosen "
                       "without one",
                       spec->name);
    CZ_TRY(cz_porep_vanilla_create(&c.v, spec));
    err = fill(&c, id, pool);
    clear(&c);
    if (err != CZ_OK) {
        cz_porep_vanilla_destroy(c.v);
        return err;
    }
    *out = c.v;
    return CZ_OK;
}
