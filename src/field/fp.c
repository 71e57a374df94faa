/* fp.c: Fp beyond the inner loops: inversion, square roots, conversions. */
#include "field/fp.h"

#include <string.h>

#include "base/bytes.h"

#define FIELD   cz_fp
#define F(name) cz_fp_##name
#define LIMBS   6
#define ONE     CZ_FP_ONE
#define ZERO    CZ_FP_ZERO
#define MODULUS cz_fp_modulus
#define R2      CZ_FP_R2
#include "field/field_body.h"

/* p = 3 mod 4, so a^((p-3)/4) is 1/sqrt(a) of a square a, and a times it is a root. */
void cz_fp_inv_sqrt(cz_fp *r, const cz_fp *a)
{
    static const uint64_t e[6] = CZ_FP_P_MINUS_3_OVER_4;

    cz_fp_pow_var(r, a, e, 6);
}

bool cz_fp_sqrt(cz_fp *r, const cz_fp *a)
{
    cz_fp root;
    cz_fp square;

    cz_fp_inv_sqrt(&root, a);
    cz_fp_mul(&root, &root, a);
    cz_fp_sqr(&square, &root);
    if (!cz_fp_equal(&square, a))
        return false;
    *r = root;
    return true;
}

/* v > (p-1)/2 exactly when p - 1 - v < v; p - 1 is even, so halving it is exact. */
bool cz_fp_is_lexically_largest(const cz_fp *a)
{
    static const uint64_t half[6] = CZ_FP_P_MINUS_1_OVER_2;
    uint64_t v[6];
    uint64_t borrow = 0;

    to_limbs(v, a);
    for (int i = 0; i < 6; i++)
        (void)cz_sbb(half[i], v[i], &borrow);
    return borrow != 0;
}
