/* merkle.h: Merkle inclusion proofs as vanilla proofs carry them, and their check outside a
 * circuit. The circuit twin is gadgets/por.h, whose tree shapes are used here. */
#ifndef CZ_FILECOIN_MERKLE_H
#define CZ_FILECOIN_MERKLE_H

#include "base/err.h"
#include "gadgets/por.h"

/* siblings: cz_tree_siblings elements, levels from the leaf up, each level from left to right
 * without the node itself; indices: cz_tree_levels elements, the node's place in each level, below
 * the level's arity. The arrays belong to whoever made the proof. */
typedef struct {
    cz_fr root, leaf;
    cz_fr *siblings;
    uint32_t *indices;
} cz_inclusion_proof;

/** The node over `arity` children (2 for SHA-254). CZ_E_NOMEM (Poseidon's constants). */
CZ_MUST_CHECK cz_err cz_merkle_node(cz_fr *out, cz_tree_hash hash, const cz_fr *children,
                                    unsigned arity);

/** n nodes over n * arity children, in lanes where the CPU has them. Errors: as cz_merkle_node. */
CZ_MUST_CHECK cz_err cz_merkle_nodes(cz_fr *out, cz_tree_hash hash, const cz_fr *children,
                                     unsigned arity, size_t n);

/** Number of the leaf that the path's indices spell. */
uint64_t cz_inclusion_index(const cz_tree_shape *shape, const cz_inclusion_proof *p);

/** The root that the path leads to from the leaf. CZ_E_NOMEM (Poseidon's constants). */
CZ_MUST_CHECK cz_err cz_inclusion_root(cz_fr *out, const cz_tree_shape *shape,
                                       const cz_inclusion_proof *p);

/** The same of n paths of one shape side by side, in lanes where the CPU has them. Indices are
 * below their level's arity, as decoding sees to. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_inclusion_roots(cz_fr *out, const cz_tree_shape *shape,
                                        const cz_inclusion_proof *const *p, size_t n);

/** The leaf is number `index` under `root`. CZ_E_INPUT says what does not hold; root_name names the
 * root in the message ("comm_d"). */
CZ_MUST_CHECK cz_err cz_inclusion_check(const cz_tree_shape *shape, const cz_inclusion_proof *p,
                                        uint64_t index, const cz_fr *root, const char *root_name);

/** The same where cz_inclusion_roots has said what the path leads to: `reached`. */
CZ_MUST_CHECK cz_err cz_inclusion_check_reached(const cz_tree_shape *shape,
                                                const cz_inclusion_proof *p, uint64_t index,
                                                const cz_fr *root, const char *root_name,
                                                const cz_fr *reached);

/** The same proof as circuits take it. */
static inline cz_merkle_path cz_inclusion_path(const cz_inclusion_proof *p)
{
    return (cz_merkle_path){p->siblings, p->indices};
}

#endif
