/* full_tree.h: a Merkle tree with all of its nodes, for sectors small enough to hold.
 * Threads: immutable once built. */
#ifndef CZ_FILECOIN_FULL_TREE_H
#define CZ_FILECOIN_FULL_TREE_H

#include "base/pool.h"
#include "filecoin/merkle.h"
#include "filecoin/shapes.h"

typedef struct {
    const cz_tree_shape *shape;
    cz_fr *levels[CZ_MAX_TREE_LEVELS + 1]; /* from the leaves up */
} cz_full_tree;

/** Over all leaves (copied). CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_full_tree_create(cz_full_tree **out, const cz_tree_shape *shape,
                                         const cz_fr *leaves, cz_pool *pool);
void cz_full_tree_destroy(cz_full_tree *t);

const cz_fr *cz_full_tree_root(const cz_full_tree *t);

/** The proof of a leaf; p's arrays have the shape's lengths. */
void cz_full_tree_open(const cz_full_tree *t, cz_inclusion_proof *p, uint64_t index);

#endif
