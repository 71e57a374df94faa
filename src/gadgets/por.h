/* por.h: inclusion of a leaf in a Merkle tree ("proof of retrievability").
 *
 * A tree is a base tree, and above it, in large sectors, one level that joins base trees (sub) and
 * one more that joins those (top), each with its own arity. A path lists its levels from the leaf
 * up: base levels, then sub, then top. */
#ifndef CZ_GADGETS_POR_H
#define CZ_GADGETS_POR_H

#include "gadgets/num.h"
#include "gadgets/tree_hash.h"

enum { CZ_POR_MAX_INDEX_BITS = 128 };

typedef struct {
    cz_tree_hash hash;
    unsigned base_arity; /* 2, 4 or 8 */
    unsigned sub_arity;  /* the same, or 0: no such level */
    unsigned top_arity;
    unsigned base_levels;
} cz_tree_shape;

/** Levels of a path; siblings along it; bits of a leaf's index. */
unsigned cz_tree_levels(const cz_tree_shape *shape);
unsigned cz_tree_level_arity(const cz_tree_shape *shape, unsigned level);
unsigned cz_tree_siblings(const cz_tree_shape *shape);
unsigned cz_tree_index_bits(const cz_tree_shape *shape);

/** The shape over n_leaves (a power of two). CZ_E_ARG when the arities do not divide it up. */
CZ_MUST_CHECK cz_err cz_tree_shape_init(cz_tree_shape *shape, cz_tree_hash hash,
                                        unsigned base_arity, unsigned sub_arity, unsigned top_arity,
                                        uint64_t n_leaves);

/* The witness of a path. Both NULL without values. */
typedef struct {
    const cz_fr *siblings;   /* cz_tree_siblings, from the leaf up */
    const uint32_t *indices; /* cz_tree_levels: the node's place among its siblings */
} cz_merkle_path;

/** The leaf lies under the root at the index that becomes a public input (all index bits packed,
 * leaf level least significant). */
void cz_por(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_merkle_path *path,
            const cz_num *leaf, const cz_num *root);

/** The same for a leaf that is not allocated yet: "value" below `name`. `leaf` may be NULL without
 * values. */
void cz_por_value(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_merkle_path *path,
                  const cz_fr *leaf, const cz_num *root);

/* A path in a system of its own, for paths of one shape that are taken side by side. */
typedef struct {
    cz_cs *cs;
    cz_name name;
    cz_merkle_path path;
    const cz_num *num; /* the leaf; NULL: as cz_por_value, from */
    const cz_fr *leaf; /* this, which may be NULL without values */
    cz_num root;
} cz_por_lane;

/** cz_por or cz_por_value for n lanes, 1 … CZ_CS_LANES, of the same mode. */
void cz_por_lanes(const cz_por_lane *lanes, unsigned n, const cz_tree_shape *shape);

/** The same with the index given as bits (cz_tree_index_bits of them, least significant first) and
 * the siblings as numbers; no public input. */
void cz_por_at(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_bit *index_bits,
               const cz_num *siblings, const cz_num *leaf, const cz_num *root);

#endif
