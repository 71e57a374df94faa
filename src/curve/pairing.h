/* pairing.h: the optimal ate pairing e: G1 x G2 -> GT of BLS12-381.
 *
 * Method: Miller loop over the BLS parameter |x| with line functions on the twist [CLN10], final
 * exponentiation in the form of [HHT20] (the result is e^3 of the textbook exponent; the same for
 * both sides of every equation here, and the one that the reference stack computes). GT elements
 * are compared, never serialised on the wire.
 *
 * Points are on their curves and in the subgroup (curve.h checks). Cost of n pairs: the squarings
 * of one loop for 16 pairs, n times the lines, and one final exponentiation. Aliasing: r may be f.
 * Timing: variable. */
#ifndef CZ_CURVE_PAIRING_H
#define CZ_CURVE_PAIRING_H

#include "curve/curve.h"
#include "field/fp12.h"

/** Product of Miller loops of n pairs, before the final exponentiation. Pairs with infinity
 * contribute one. */
void cz_miller_loop(cz_fp12 *r, const cz_g1_affine *ps, const cz_g2_affine *qs, size_t n);

/** f^(3 (p^12 - 1) / r), which has order r or is one; f is not 0. */
void cz_final_exp(cz_fp12 *r, const cz_fp12 *f);

/** e(p, q). */
void cz_pairing(cz_fp12 *r, const cz_g1_affine *p, const cz_g2_affine *q);

/** True when the product of e(ps[i], qs[i]) is one. */
bool cz_pairing_product_is_one(const cz_g1_affine *ps, const cz_g2_affine *qs, size_t n);

#endif
