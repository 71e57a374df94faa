/* sparse_tree.h: a Merkle tree of any size of which only some leaves are given.
 *
 * Every node that has no given leaf below it is what a seed says; the others are hashes. So the
 * paths of the given leaves are consistent, in time and memory that depend on their number alone,
 * and a tree of 2^30 leaves is no more work than its paths. Threads: immutable once built. */
#ifndef CZ_FILECOIN_SPARSE_TREE_H
#define CZ_FILECOIN_SPARSE_TREE_H

#include "filecoin/gen_random.h"
#include "filecoin/merkle.h"
#include "filecoin/shapes.h"

typedef struct {
    uint64_t index;
    cz_fr value;
} cz_tree_node;

typedef struct {
    const cz_tree_shape *shape;
    cz_gen_stream filler;
    cz_tree_node *nodes[CZ_MAX_TREE_LEVELS + 1]; /* of each level from the leaves up, ascending */
    size_t n_nodes[CZ_MAX_TREE_LEVELS + 1];
} cz_sparse_tree;

/** leaves: n > 0, in any order; of equal indices the first one counts. Sorted in place. CZ_E_NOMEM.
 */
CZ_MUST_CHECK cz_err cz_sparse_tree_create(cz_sparse_tree **out, const cz_tree_shape *shape,
                                           const cz_gen_stream *filler, cz_tree_node *leaves,
                                           size_t n);
void cz_sparse_tree_destroy(cz_sparse_tree *t);

const cz_fr *cz_sparse_tree_root(const cz_sparse_tree *t);

/** The proof of a given leaf; p's arrays have the shape's lengths. */
void cz_sparse_tree_open(const cz_sparse_tree *t, cz_inclusion_proof *p, uint64_t index);

#endif
