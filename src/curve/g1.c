/* g1.c: G1, y^2 = x^3 + 4 over Fp. */
#include <string.h>

#include "base/bytes.h"
#include "curve/curve.h"
#include "curve/curve_constants.h"
#include "curve/curve_equation.h"

const cz_g1_affine cz_g1_generator = {CZ_G1_GENERATOR_X, CZ_G1_GENERATOR_Y};

static void mul_by_b3(cz_fp *r, const cz_fp *a) /* 12 a */
{
    cz_fp t;

    cz_fp_dbl(&t, a);
    cz_fp_add(&t, &t, a);
    cz_fp_dbl(&t, &t);
    cz_fp_dbl(r, &t);
}

#define GROUP   cz_g1
#define AFFINE  cz_g1_affine
#define XYZZ    cz_g1_xyzz
#define G(name) cz_g1_##name
#define COORD   cz_fp
#define C(name) cz_fp_##name
#define rhs     cz_g1_rhs
#define COORD_ZERO                                                                                 \
    {                                                                                              \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define COORD_ONE                                                                                  \
    {                                                                                              \
        CZ_FP_R                                                                                    \
    }
#include "curve/group_body.h"

bool cz_g1_affine_in_subgroup_ref(const cz_g1_affine *a)
{
    static const cz_u256 order = {CZ_FR_MODULUS};
    cz_g1 p;

    cz_g1_from_affine(&p, a);
    cz_g1_mul_var(&p, &p, &order);
    return cz_g1_is_infinity(&p);
}

/* Is (beta x, y) = l (x, y) with l = -x^2, x the BLS parameter? [Sco21]. The endomorphism satisfies
 * its equation f^2 + f + 1 = 0 on the whole curve, so what passes is killed by l^2 + l + 1 =
 * x^4 - x^2 + 1 = r; and r divides the curve's order once. Two products by a 64-bit number. */
bool cz_g1_affine_in_subgroup(const cz_g1_affine *a)
{
    static const cz_fp beta = CZ_G1_BETA;
    cz_g1_affine image = *a;
    cz_g1 p, q;

    cz_fp_mul(&image.x, &image.x, &beta);
    cz_g1_from_affine(&q, &image);
    cz_g1_from_affine(&p, a);
    mul_by_x_abs(&p, &p);
    mul_by_x_abs(&p, &p);
    cz_g1_neg(&p, &p);
    return cz_g1_equal(&p, &q);
}
