/* fr_dot.h: what the forms of cz_fr_dot have in common; for this room alone.
 *
 * Rows of the product are summed over all terms before a limb is reduced, so a sum of n products
 * takes one Montgomery reduction [KAA96] in place of n. Before and after each row the sum is below
 * (n + 2) r; at the end it is below (0.46 n + 1) r, for r / 2^256 < 0.46. */
#ifndef CZ_FIELD_FR_DOT_H
#define CZ_FIELD_FR_DOT_H

#include "field/fr.h"

enum { CZ_FR_TOP_SHIFT = 48, CZ_FR_TOP = 0x73ed }; /* r / 2^240, rounded down */

/* t, five limbs and below 31 r, into canonical: the quotient from the bits above 240 is right or
 * one too small, as 31 / CZ_FR_TOP is far below 1. */
CZ_INLINE void cz_fr_dot_finish(cz_fr *r, const uint64_t t[5])
{
    const uint64_t top = t[4] << (64 - CZ_FR_TOP_SHIFT) | t[3] >> CZ_FR_TOP_SHIFT;
    const uint64_t q = top / (CZ_FR_TOP + 1);
    uint64_t d[4];
    uint64_t carry = 0, borrow = 0;

    for (int i = 0; i < 4; i++) {
        const uint64_t product = cz_mac(0, q, cz_fr_modulus[i], &carry);

        d[i] = cz_sbb(t[i], product, &borrow);
    }
    cz_mont_reduce_once(r->l, d, 0, cz_fr_modulus, 4);
}

#endif
