/* tree_hash.h: the two hashes that Merkle trees are built with, in a circuit: Poseidon, and SHA-256
 * of the nodes' 32 bytes with the two top bits of the digest cleared ("SHA-254"). */
#ifndef CZ_GADGETS_TREE_HASH_H
#define CZ_GADGETS_TREE_HASH_H

#include "gadgets/num.h"

typedef enum { CZ_TREE_SHA254, CZ_TREE_POSEIDON } cz_tree_hash;

/** A node over n children, as Merkle paths make it. SHA-254 takes up to CZ_INSERT_MAX children. */
cz_num cz_tree_hash_node(cz_cs *cs, cz_name name, cz_tree_hash hash, const cz_num *children,
                         unsigned n);

/** A node over two numbers. The same constraints as cz_tree_hash_node, other names. */
cz_num cz_tree_hash2(cz_cs *cs, cz_name name, cz_tree_hash hash, const cz_num *left,
                     const cz_num *right);

#endif
