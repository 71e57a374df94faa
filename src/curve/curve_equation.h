/* curve_equation.h: the right-hand sides of the curves' equations; for this room alone. */
#ifndef CZ_CURVE_CURVE_EQUATION_H
#define CZ_CURVE_CURVE_EQUATION_H

#include "curve/curve_constants.h"
#include "field/fp2.h"

/* x^3 + 4 */
CZ_INLINE void cz_g1_rhs(cz_fp *r, const cz_fp *x)
{
    const cz_fp b = CZ_G1_B;
    cz_fp t;

    cz_fp_sqr(&t, x);
    cz_fp_mul(&t, &t, x);
    cz_fp_add(r, &t, &b);
}

/* x^3 + 4 (1 + u) */
CZ_INLINE void cz_g2_rhs(cz_fp2 *r, const cz_fp2 *x)
{
    const cz_fp2 b = CZ_G2_B;
    cz_fp2 t;

    cz_fp2_sqr(&t, x);
    cz_fp2_mul(&t, &t, x);
    cz_fp2_add(r, &t, &b);
}

#endif
