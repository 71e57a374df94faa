/* sparse_tree.c: a tree of which only some leaves are given; see sparse_tree.h. */
#include "filecoin/sparse_tree.h"

#include <stdlib.h>
#include <string.h>

static int by_index(const void *a, const void *b)
{
    const cz_tree_node *x = a, *y = b;

    return x->index < y->index ? -1 : x->index > y->index;
}

static const cz_tree_node *find(const cz_sparse_tree *t, unsigned level, uint64_t index)
{
    const cz_tree_node key = {.index = index};

    return bsearch(&key, t->nodes[level], t->n_nodes[level], sizeof key, by_index);
}

static cz_fr value_at(const cz_sparse_tree *t, unsigned level, uint64_t index)
{
    const cz_tree_node *node = find(t, level, index);
    cz_fr value;

    if (node != NULL)
        return node->value;
    cz_gen_element(&value, &t->filler, level, index);
    return value;
}

/* The numbers of the nodes above `level`, each once; how many. */
static size_t list_parents(const cz_sparse_tree *t, unsigned level, cz_tree_node *above)
{
    const unsigned arity = cz_tree_level_arity(t->shape, level);
    size_t n = 0;

    for (size_t i = 0; i < t->n_nodes[level]; i++) {
        const uint64_t parent = t->nodes[level][i].index / arity;

        if (n == 0 || above[n - 1].index != parent)
            above[n++].index = parent;
    }
    return n;
}

enum { NODES_AT_ONCE = 64 };

/* The values of n nodes above `level`, at most NODES_AT_ONCE. */
static cz_err hash_nodes(const cz_sparse_tree *t, unsigned level, cz_tree_node *above, size_t n)
{
    const unsigned arity = cz_tree_level_arity(t->shape, level);
    cz_fr children[NODES_AT_ONCE * CZ_TREE_ARITY];
    cz_fr values[NODES_AT_ONCE];
    cz_fr *next = children;

    for (size_t i = 0; i < n; i++)
        for (unsigned c = 0; c < arity; c++)
            *next++ = value_at(t, level, above[i].index * arity + c);
    CZ_TRY(cz_merkle_nodes(values, t->shape->hash, children, arity, n));
    for (size_t i = 0; i < n; i++)
        above[i].value = values[i];
    return CZ_OK;
}

/* The level above `level`: one node for each parent of a node there. */
static cz_err build_level(cz_sparse_tree *t, unsigned level)
{
    cz_tree_node *above = calloc(t->n_nodes[level], sizeof *above);
    size_t n;

    t->nodes[level + 1] = above;
    if (above == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a tree");
    n = list_parents(t, level, above);
    t->n_nodes[level + 1] = n;
    for (size_t at = 0; at < n; at += NODES_AT_ONCE)
        CZ_TRY(hash_nodes(t, level, above + at, n - at < NODES_AT_ONCE ? n - at : NODES_AT_ONCE));
    return CZ_OK;
}

static cz_err take_leaves(cz_sparse_tree *t, cz_tree_node *leaves, size_t n)
{
    size_t kept = 0;

    qsort(leaves, n, sizeof *leaves, by_index);
    t->nodes[0] = malloc(n * sizeof *leaves);
    if (t->nodes[0] == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a tree of %zu leaves", n);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || t->nodes[0][kept - 1].index != leaves[i].index)
            t->nodes[0][kept++] = leaves[i];
    t->n_nodes[0] = kept;
    return CZ_OK;
}

static cz_err build(cz_sparse_tree *t, cz_tree_node *leaves, size_t n)
{
    CZ_TRY(take_leaves(t, leaves, n));
    for (unsigned level = 0; level < cz_tree_levels(t->shape); level++)
        CZ_TRY(build_level(t, level));
    return CZ_OK;
}

cz_err cz_sparse_tree_create(cz_sparse_tree **out, const cz_tree_shape *shape,
                             const cz_gen_stream *filler, cz_tree_node *leaves, size_t n)
{
    cz_sparse_tree *t = calloc(1, sizeof *t);
    cz_err err;

    if (t == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a tree");
    t->shape = shape;
    t->filler = *filler;
    err = build(t, leaves, n);
    if (err != CZ_OK) {
        cz_sparse_tree_destroy(t);
        return err;
    }
    *out = t;
    return CZ_OK;
}

void cz_sparse_tree_destroy(cz_sparse_tree *t)
{
    if (t == NULL)
        return;
    for (unsigned level = 0; level <= CZ_MAX_TREE_LEVELS; level++)
        free(t->nodes[level]);
    free(t);
}

const cz_fr *cz_sparse_tree_root(const cz_sparse_tree *t)
{
    return &t->nodes[cz_tree_levels(t->shape)][0].value;
}

void cz_sparse_tree_open(const cz_sparse_tree *t, cz_inclusion_proof *p, uint64_t index)
{
    cz_fr *siblings = p->siblings;

    p->leaf = value_at(t, 0, index);
    p->root = *cz_sparse_tree_root(t);
    for (unsigned level = 0; level < cz_tree_levels(t->shape); level++) {
        const unsigned arity = cz_tree_level_arity(t->shape, level);
        const uint64_t first = index / arity * arity;

        p->indices[level] = (uint32_t)(index - first);
        for (unsigned c = 0; c < arity; c++)
            if (first + c != index)
                *siblings++ = value_at(t, level, first + c);
        index /= arity;
    }
}
