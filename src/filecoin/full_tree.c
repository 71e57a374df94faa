/* full_tree.c: a Merkle tree with all of its nodes, level by level. */
#include "filecoin/full_tree.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    cz_full_tree *t;
    unsigned level; /* that is being built, from the one below */
} context;

static cz_err hash_some(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const context *c = ctx;
    const unsigned arity = cz_tree_level_arity(c->t->shape, c->level - 1);

    (void)worker;
    return cz_merkle_nodes(&c->t->levels[c->level][begin], c->t->shape->hash,
                           &c->t->levels[c->level - 1][begin * arity], arity, end - begin);
}

static cz_err build(cz_full_tree *t, const cz_fr *leaves, cz_pool *pool)
{
    size_t n = (size_t)1 << cz_tree_index_bits(t->shape);

    for (unsigned level = 0; level <= cz_tree_levels(t->shape); level++) {
        context c = {t, level};

        if (level != 0)
            n /= cz_tree_level_arity(t->shape, level - 1);
        t->levels[level] = malloc(n * sizeof(cz_fr));
        if (t->levels[level] == NULL)
            return cz_fail(CZ_E_NOMEM, "no memory for a tree");
        if (level == 0)
            memcpy(t->levels[0], leaves, n * sizeof *leaves);
        else
            CZ_TRY(cz_parallel_for(pool, n, 256, hash_some, &c));
    }
    return CZ_OK;
}

cz_err cz_full_tree_create(cz_full_tree **out, const cz_tree_shape *shape, const cz_fr *leaves,
                           cz_pool *pool)
{
    cz_full_tree *t = calloc(1, sizeof *t);
    cz_err err;

    if (t == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a tree");
    t->shape = shape;
    err = build(t, leaves, pool);
    if (err != CZ_OK) {
        cz_full_tree_destroy(t);
        return err;
    }
    *out = t;
    return CZ_OK;
}

void cz_full_tree_destroy(cz_full_tree *t)
{
    if (t == NULL)
        return;
    for (unsigned level = 0; level <= CZ_MAX_TREE_LEVELS; level++)
        free(t->levels[level]);
    free(t);
}

const cz_fr *cz_full_tree_root(const cz_full_tree *t)
{
    return t->levels[cz_tree_levels(t->shape)];
}

void cz_full_tree_open(const cz_full_tree *t, cz_inclusion_proof *p, uint64_t index)
{
    cz_fr *siblings = p->siblings;

    p->leaf = t->levels[0][index];
    p->root = *cz_full_tree_root(t);
    for (unsigned level = 0; level < cz_tree_levels(t->shape); level++) {
        const unsigned arity = cz_tree_level_arity(t->shape, level);
        const uint64_t first = index / arity * arity;

        p->indices[level] = (uint32_t)(index - first);
        for (unsigned c = 0; c < arity; c++)
            if (first + c != index)
                *siblings++ = t->levels[level][first + c];
        index /= arity;
    }
}
