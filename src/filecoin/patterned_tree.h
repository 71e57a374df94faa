/* patterned_tree.h: a Merkle tree over all leaves of a sector that repeat a pattern.
 *
 * An update's challenges follow from the root of the new replica, so its trees must exist as a
 * whole before the first path is known. Here every leaf is given, but there are few different ones:
 * the sector is cut into equal ranges, and within range j a leaf is one of 8 values by the sum of
 * its number's octal digits mod 8. Then nodes within a range are of 8 kinds a level too, whatever
 * the arity, siblings all differ, and 2^30 leaves take some ten thousand hashes a tree. Threads:
 * immutable once built. */
#ifndef CZ_FILECOIN_PATTERNED_TREE_H
#define CZ_FILECOIN_PATTERNED_TREE_H

#include "base/pool.h"
#include "filecoin/merkle.h"
#include "filecoin/shapes.h"

enum { CZ_PATTERN_VALUES = 8 };

typedef struct {
    const cz_tree_shape *shape;
    unsigned range_bits;                    /* leaves of a range */
    cz_fr *levels[CZ_MAX_TREE_LEVELS + 1];  /* kinds of nodes, or, above ranges, all nodes */
    unsigned spans[CZ_MAX_TREE_LEVELS + 1]; /* leaves below a node, log2 */
} cz_patterned_tree;

/** Which of a range's values a leaf has. */
unsigned cz_pattern_kind(uint64_t leaf);

/** values: CZ_PATTERN_VALUES for each of the 2^range_count_bits ranges. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_patterned_tree_create(cz_patterned_tree **out, const cz_tree_shape *shape,
                                              const cz_fr *values, unsigned range_count_bits,
                                              cz_pool *pool);
void cz_patterned_tree_destroy(cz_patterned_tree *t);

/** A node of a level, counted from the leaves up. */
const cz_fr *cz_patterned_tree_node(const cz_patterned_tree *t, unsigned level, uint64_t index);
const cz_fr *cz_patterned_tree_root(const cz_patterned_tree *t);

/** The proof of a leaf; p's arrays have the shape's lengths. */
void cz_patterned_tree_open(const cz_patterned_tree *t, cz_inclusion_proof *p, uint64_t index);

#endif
