/* fp2_device.h: Fp2 = Fp[u] / (u^2 + 1) on CUDA devices: an element lies on two neighbouring lanes.
 *
 * The even lane holds c0, the odd one c1 of c0 + c1 u, each as an element of Fp (fp_device.h). So a
 * lane has the registers and the memory accesses of Fp, sums need no exchange, and a product costs
 * a lane 1.5 products of Fp: two row by row with one reduction. That is as many 32-bit products as
 * Karatsuba's three, without its sums.
 *
 * The functions take what a lane has and what its neighbour has, and say what the lane gets; the
 * exchange itself is the caller's (msm/coord_cuda.h), so that they run on the host as well.
 *
 * "lazy" is below 2 p, as there. `component` is 0 or 1. */
#ifndef CZ_FIELD_FP2_DEVICE_H
#define CZ_FIELD_FP2_DEVICE_H

#include "field/fp_device.h"

CZ_DEV void cz_fp2_32_select(uint32_t *r, uint32_t component, const uint32_t *of_c0,
                             const uint32_t *of_c1)
{
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        r[i] = component ? of_c1[i] : of_c0[i];
}

/** The lane's component of a b, lazy: c0 = a0 b0 - a1 b1, c1 = a0 b1 + a1 b0. All lazy; r may be
 * one of them. */
CZ_DEV void cz_fp2_32_mul(uint32_t *r, uint32_t component, const uint32_t *a,
                          const uint32_t *a_other, const uint32_t *b, const uint32_t *b_other)
{
    uint32_t first[12], second[12], t[12];

    cz_fp32_twice_modulus(t);
    (void)cz_limbs_sub(t, t, b_other, 12);
    cz_fp2_32_select(t, component, t, b_other);
    cz_fp2_32_select(first, component, a, a_other);
    cz_fp2_32_select(second, component, a_other, a);
    cz_fp32_mul_sum(r, first, b, second, t);
}

/** The lane's component of a^2, lazy: c0 = (a0 + a1)(a0 - a1), c1 = 2 a0 a1. All lazy; r may be one
 * of them. */
CZ_DEV void cz_fp2_32_sqr(uint32_t *r, uint32_t component, const uint32_t *a,
                          const uint32_t *a_other)
{
    uint32_t sum[12], second[12], t[12];

    cz_fp2_32_select(sum, component, a_other, a);
    cz_limbs_add(sum, sum, a, 12);
    cz_fp32_sub_of_lazy(t, a, a_other);
    cz_fp2_32_select(second, component, t, a_other);
    cz_fp32_mul(r, sum, second);
}

/** The lane's part of the norm a0^2 + a1^2, which is the sum of both, lazy. */
CZ_DEV void cz_fp2_32_norm_part(uint32_t *r, const uint32_t *a)
{
    cz_fp32_sqr(r, a);
    cz_fp32_canonical(r, r);
}

/** The lane's component of 1/a from both lanes' parts of the norm, canonical; 0 gives 0. */
CZ_DEV void cz_fp2_32_inv(uint32_t *r, uint32_t component, const uint32_t *a, const uint32_t *part,
                          const uint32_t *part_other)
{
    uint32_t t[12], minus[12];

    cz_fp32_add(t, part, part_other);
    cz_fp32_inv(t, t);
    cz_fp32_mul(t, t, a);
    cz_fp32_canonical(t, t);
    cz_limbs_copy(minus, t, 12);
    cz_fp32_negate_if(minus, 1);
    cz_fp32_canonical(minus, minus);
    cz_fp2_32_select(r, component, t, minus);
}

#endif
