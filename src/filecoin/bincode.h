/* bincode.h: the pieces that all vanilla proofs in bincode share: little-endian, lengths of 64
 * bits, enum tags of 32, field elements in 32 bytes, fields in the order of the Rust structures.
 *
 * Lengths are fixed by the sector's shape, so nothing is ever allocated for a length that the input
 * claims. Failures are CZ_E_INPUT with the field named. */
#ifndef CZ_FILECOIN_BINCODE_H
#define CZ_FILECOIN_BINCODE_H

#include "base/bytes.h"
#include "filecoin/merkle.h"

/** 32 bytes that must be below r. */
CZ_MUST_CHECK cz_err cz_bincode_element(cz_reader *r, cz_fr *out, const char *what);

/** A length that must be `expected`; `of` names the things counted ("elements"). */
CZ_MUST_CHECK cz_err cz_bincode_count(cz_reader *r, uint64_t expected, const char *what,
                                      const char *of);

/** A list of exactly n elements. */
CZ_MUST_CHECK cz_err cz_bincode_elements(cz_reader *r, cz_fr *out, size_t n, const char *what);

/** A Merkle proof: the variant that the tree's shape says (Single 0, Sub 1, Top 2), then root, leaf
 * and path of a Single, or base path, sub path, top path, root and leaf of the others. */
CZ_MUST_CHECK cz_err cz_bincode_inclusion(cz_reader *r, const cz_tree_shape *t,
                                          cz_inclusion_proof *p);

/** Nothing may follow. */
CZ_MUST_CHECK cz_err cz_bincode_end(const cz_reader *r);

#endif
