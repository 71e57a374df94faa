/* insertion.h: choosing among numbers by bits: one of two, one of 2^n, and inserting a node among
 * its siblings in a Merkle path.
 *
 * Cost: insertion into 2, 4, 8 takes 2, 8, 22 constraints, by sharing partial choices. */
#ifndef CZ_GADGETS_INSERTION_H
#define CZ_GADGETS_INSERTION_H

#include "gadgets/num.h"

enum { CZ_INSERT_MAX = 8, CZ_SELECT_MAX_BITS = 8 };

/** a if condition, else b; one constraint. */
cz_num cz_pick(cz_cs *cs, cz_name name, cz_bit condition, const cz_num *a, const cz_num *b);

/** from[index], the index given by n_bits bits, least significant first; from has 2^n_bits
 * elements, n_bits 1 … CZ_SELECT_MAX_BITS. */
cz_num cz_select(cz_cs *cs, cz_name name, const cz_num *from, const cz_bit *index_bits,
                 unsigned n_bits);

/** The size - 1 siblings with `element` put at the index that the bits say; size 2, 4 or 8, with 1,
 * 2 or 3 bits, least significant first. Works at the caller's path level. `out` takes size elements
 * and overlaps nothing. */
void cz_insert(cz_cs *cs, cz_num *out, unsigned size, const cz_num *element,
               const cz_bit *index_bits, const cz_num *siblings);

#endif
