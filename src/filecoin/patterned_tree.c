/* patterned_tree.c: a tree over a pattern of leaves, equal nodes once; see patterned_tree.h. */
#include "filecoin/patterned_tree.h"

#include <stdlib.h>
#include <string.h>

unsigned cz_pattern_kind(uint64_t leaf)
{
    unsigned sum = 0;

    for (; leaf != 0; leaf >>= 3)
        sum += (unsigned)(leaf & 7);
    return sum % CZ_PATTERN_VALUES;
}

static unsigned log2_of(unsigned n)
{
    return (unsigned)__builtin_ctz(n);
}

/* Nodes of a level within a range are stored by range and kind, those above ranges by index. */
static bool is_within_range(const cz_patterned_tree *t, unsigned level)
{
    return t->spans[level] <= t->range_bits;
}

static uint64_t stored_at(const cz_patterned_tree *t, unsigned level, uint64_t index)
{
    const uint64_t leaf = index << t->spans[level];

    if (!is_within_range(t, level))
        return index;
    return (leaf >> t->range_bits) * CZ_PATTERN_VALUES + cz_pattern_kind(leaf);
}

const cz_fr *cz_patterned_tree_node(const cz_patterned_tree *t, unsigned level, uint64_t index)
{
    return &t->levels[level][stored_at(t, level, index)];
}

const cz_fr *cz_patterned_tree_root(const cz_patterned_tree *t)
{
    return cz_patterned_tree_node(t, cz_tree_levels(t->shape), 0);
}

/* --- building --- */

typedef struct {
    cz_patterned_tree *t;
    unsigned level; /* that is being built, from the one below */
} build_context;

/* Stored places of the children of stored node `at`. Within a range, a child's kind is the node's
 * plus what the child's own bits add. */
static void children_of(const build_context *c, uint64_t at, uint64_t places[CZ_TREE_ARITY])
{
    const cz_patterned_tree *t = c->t;
    const unsigned arity = cz_tree_level_arity(t->shape, c->level - 1);

    for (unsigned i = 0; i < arity; i++) {
        const unsigned own = cz_pattern_kind((uint64_t)i << t->spans[c->level - 1]);

        if (is_within_range(t, c->level))
            places[i] = at / CZ_PATTERN_VALUES * CZ_PATTERN_VALUES + (at + own) % CZ_PATTERN_VALUES;
        else
            places[i] = stored_at(t, c->level - 1, at * arity + i);
    }
}

enum { NODES_AT_ONCE = 64 };

/* Nodes [begin, end) of the level, at most NODES_AT_ONCE. */
static cz_err hash_nodes(const build_context *c, size_t begin, size_t end)
{
    const unsigned arity = cz_tree_level_arity(c->t->shape, c->level - 1);
    cz_fr children[NODES_AT_ONCE * CZ_TREE_ARITY];
    uint64_t places[CZ_TREE_ARITY] = {0};
    cz_fr *next = children;

    for (size_t at = begin; at < end; at++) {
        children_of(c, at, places);
        for (unsigned i = 0; i < arity; i++)
            *next++ = c->t->levels[c->level - 1][places[i]];
    }
    return cz_merkle_nodes(&c->t->levels[c->level][begin], c->t->shape->hash, children, arity,
                           end - begin);
}

static cz_err build_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    (void)worker;
    for (; end - begin > NODES_AT_ONCE; begin += NODES_AT_ONCE)
        CZ_TRY(hash_nodes(ctx, begin, begin + NODES_AT_ONCE));
    return hash_nodes(ctx, begin, end);
}

static size_t n_stored(const cz_patterned_tree *t, unsigned level, unsigned leaf_bits)
{
    if (is_within_range(t, level))
        return (size_t)CZ_PATTERN_VALUES << (leaf_bits - t->range_bits);
    return (size_t)1 << (leaf_bits - t->spans[level]);
}

static cz_err build(cz_patterned_tree *t, const cz_fr *values, cz_pool *pool)
{
    const unsigned leaf_bits = cz_tree_index_bits(t->shape);

    for (unsigned level = 0; level <= cz_tree_levels(t->shape); level++) {
        const size_t n = n_stored(t, level, leaf_bits);
        build_context c = {t, level};

        t->levels[level] = malloc(n * sizeof(cz_fr));
        if (t->levels[level] == NULL)
            return cz_fail(CZ_E_NOMEM, "no memory for a tree");
        if (level == 0)
            memcpy(t->levels[0], values, n * sizeof *values);
        else
            CZ_TRY(cz_parallel_for(pool, n, 256, build_some, &c));
    }
    return CZ_OK;
}

cz_err cz_patterned_tree_create(cz_patterned_tree **out, const cz_tree_shape *shape,
                                const cz_fr *values, unsigned range_count_bits, cz_pool *pool)
{
    cz_patterned_tree *t = calloc(1, sizeof *t);
    cz_err err;

    if (t == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a tree");
    t->shape = shape;
    t->range_bits = cz_tree_index_bits(shape) - range_count_bits;
    for (unsigned level = 0; level < cz_tree_levels(shape); level++)
        t->spans[level + 1] = t->spans[level] + log2_of(cz_tree_level_arity(shape, level));
    err = build(t, values, pool);
    if (err != CZ_OK) {
        cz_patterned_tree_destroy(t);
        return err;
    }
    *out = t;
    return CZ_OK;
}

void cz_patterned_tree_destroy(cz_patterned_tree *t)
{
    if (t == NULL)
        return;
    for (unsigned level = 0; level <= CZ_MAX_TREE_LEVELS; level++)
        free(t->levels[level]);
    free(t);
}

void cz_patterned_tree_open(const cz_patterned_tree *t, cz_inclusion_proof *p, uint64_t index)
{
    cz_fr *siblings = p->siblings;

    p->leaf = *cz_patterned_tree_node(t, 0, index);
    p->root = *cz_patterned_tree_root(t);
    for (unsigned level = 0; level < cz_tree_levels(t->shape); level++) {
        const unsigned arity = cz_tree_level_arity(t->shape, level);
        const uint64_t first = index / arity * arity;

        p->indices[level] = (uint32_t)(index - first);
        for (unsigned c = 0; c < arity; c++)
            if (first + c != index)
                *siblings++ = *cz_patterned_tree_node(t, level, first + c);
        index /= arity;
    }
}
