/* g2.c: G2, y^2 = x^3 + 4 (1 + u) over Fp2. */
#include <string.h>

#include "base/bytes.h"
#include "curve/curve.h"
#include "curve/curve_constants.h"
#include "curve/curve_equation.h"

const cz_g2_affine cz_g2_generator = {CZ_G2_GENERATOR_X, CZ_G2_GENERATOR_Y};

static void mul_by_b3(cz_fp2 *r, const cz_fp2 *a) /* 12 (1 + u) a */
{
    cz_fp2 t, t3;

    cz_fp2_mul_by_xi(&t, a);
    cz_fp2_dbl(&t3, &t);
    cz_fp2_add(&t3, &t3, &t);
    cz_fp2_dbl(&t3, &t3);
    cz_fp2_dbl(r, &t3);
}

#define GROUP   cz_g2
#define AFFINE  cz_g2_affine
#define XYZZ    cz_g2_xyzz
#define G(name) cz_g2_##name
#define COORD   cz_fp2
#define C(name) cz_fp2_##name
#define rhs     cz_g2_rhs
#define COORD_ZERO                                                                                 \
    {                                                                                              \
        {{0}},                                                                                     \
        {                                                                                          \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define COORD_ONE                                                                                  \
    {                                                                                              \
        {CZ_FP_R},                                                                                 \
        {                                                                                          \
            {                                                                                      \
                0                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#include "curve/group_body.h"

bool cz_g2_affine_in_subgroup_ref(const cz_g2_affine *a)
{
    static const cz_u256 order = {CZ_FR_MODULUS};
    cz_g2 p;

    cz_g2_from_affine(&p, a);
    cz_g2_mul_var(&p, &p, &order);
    return cz_g2_is_infinity(&p);
}

/* psi: out of the twist, Frobenius, back onto the twist. */
static void psi(cz_g2_affine *r, const cz_g2_affine *a)
{
    static const cz_fp2 factor_x = CZ_G2_PSI_X;
    static const cz_fp2 factor_y = CZ_G2_PSI_Y;

    cz_fp2_conjugate(&r->x, &a->x);
    cz_fp2_conjugate(&r->y, &a->y);
    cz_fp2_mul(&r->x, &r->x, &factor_x);
    cz_fp2_mul(&r->y, &r->y, &factor_y);
}

/* Is psi(a) = x a, x the BLS parameter, which is negative? [Sco21]. On the whole twist psi^2 - (x +
 * 1) psi + p = 0, so what passes is killed by x^2 - (x + 1) x + p = p - x = h1 r, h1 the cofactor
 * of G1. It is also killed by the twist's order h2 r, and h1 and h2 have no common factor
 * (tools/gen_curve_constants.py asserts it). One product by a 64-bit number. */
bool cz_g2_affine_in_subgroup(const cz_g2_affine *a)
{
    cz_g2_affine image;
    cz_g2 p, q;

    psi(&image, a);
    cz_g2_from_affine(&q, &image);
    cz_g2_from_affine(&p, a);
    mul_by_x_abs(&p, &p);
    cz_g2_neg(&p, &p);
    return cz_g2_equal(&p, &q);
}
