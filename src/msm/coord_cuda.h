/* coord_cuda.h: the fields that coordinates of device points live in, one interface for both.
 *
 * A coordinate takes LANES neighbouring lanes of a warp, each with twelve limbs: one for Fp, two
 * for Fp2 (field/fp2_device.h). What is written for these types serves both groups.
 *
 *   coord_fp         G1
 *   coord_fp2        G2; lanes of a warp come to products, tests and votes together
 *   coord_fp2_apart  G2 where pairs of lanes go their own ways; slower
 *
 * For the *_cuda.h of this room, and params/setup_cuda.cu. */
#ifndef CZ_MSM_COORD_CUDA_H
#define CZ_MSM_COORD_CUDA_H

#include <cuda_runtime.h>

#include "curve/curve_constants.h"
#include "field/fp2_device.h"

#define COORD_DEV static __device__ __forceinline__

/* A constant's limbs. */
#define COORD_CONSTANT(r, constant)                                                                \
    do {                                                                                           \
        const struct {                                                                             \
            uint64_t l[6];                                                                         \
        } value_ = constant;                                                                       \
        _Pragma("unroll") for (int i_ = 0; i_ < 12; i_++)(r)[i_] =                                 \
            (uint32_t)(value_.l[i_ / 2] >> (32 * (i_ % 2)));                                       \
    } while (0)

/* x1 = x2 or one of them zero, by the low words; d = x2 - x1 + p. Right but once in 2^30. */
COORD_DEV bool coord_may_be_rare(const uint32_t *x1, const uint32_t *x2, const uint32_t *d)
{
    return d[0] == cz_fp32_modulus_limb(0) || x1[0] == 0 || x2[0] == 0;
}

struct coord_fp {
    enum { LANES = 1, PIECES = 6 }; /* a point's pieces of 16 bytes */

    COORD_DEV uint32_t component(void)
    {
        return 0;
    }

    /* Products: lazy from lazy. */
    COORD_DEV void mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
    {
        cz_fp32_mul(r, a, b);
    }

    COORD_DEV void sqr(uint32_t *r, const uint32_t *a)
    {
        cz_fp32_sqr(r, a);
    }

    COORD_DEV void inv(uint32_t *r, const uint32_t *a)
    {
        cz_fp32_inv(r, a);
    }

    COORD_DEV void one(uint32_t *r)
    {
        cz_fp32_one(r);
    }

    /* The endomorphism's constant, an element of Fp. */
    COORD_DEV void beta(uint32_t *r)
    {
        COORD_CONSTANT(r, CZ_G1_BETA);
    }

    /* Of the whole coordinate, on all its lanes. */
    COORD_DEV bool is_zero(const uint32_t *a)
    {
        return cz_limbs_are_zero(a, 12);
    }

    COORD_DEV bool are_equal(const uint32_t *a, const uint32_t *b)
    {
        return cz_limbs_are_equal(a, b, 12);
    }

    /* x1 = x2 or one of them zero; d = x2 - x1 + p. */
    COORD_DEV bool is_rare(const uint32_t *x1, const uint32_t *x2, const uint32_t *d)
    {
        return coord_may_be_rare(x1, x2, d) &&
               (cz_limbs_are_zero(x1, 12) | cz_limbs_are_zero(x2, 12) |
                cz_limbs_are_equal(x1, x2, 12));
    }

    /* Does any of those that must go together say yes? */
    COORD_DEV bool any(bool yes)
    {
        return yes;
    }
};

template <bool APART> struct coord_fp2_lanes {
    enum { LANES = 2, PIECES = 12 };

    COORD_DEV uint32_t component(void)
    {
        return threadIdx.x & 1;
    }

    COORD_DEV uint32_t mask(void)
    {
        return APART ? 3u << (threadIdx.x & 30) : ~0u;
    }

    COORD_DEV uint32_t swap(uint32_t v)
    {
        return __shfl_xor_sync(mask(), v, 1);
    }

    /* What the neighbour holds. */
    COORD_DEV void other(uint32_t *r, const uint32_t *a)
    {
#pragma unroll
        for (int i = 0; i < 12; i++)
            r[i] = swap(a[i]);
    }

    COORD_DEV void mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
    {
        uint32_t a_other[12], b_other[12];

        other(a_other, a);
        other(b_other, b);
        cz_fp2_32_mul(r, component(), a, a_other, b, b_other);
    }

    COORD_DEV void sqr(uint32_t *r, const uint32_t *a)
    {
        uint32_t a_other[12];

        other(a_other, a);
        cz_fp2_32_sqr(r, component(), a, a_other);
    }

    COORD_DEV void inv(uint32_t *r, const uint32_t *a)
    {
        uint32_t part[12], part_other[12];

        cz_fp2_32_norm_part(part, a);
        other(part_other, part);
        cz_fp2_32_inv(r, component(), a, part, part_other);
    }

    COORD_DEV void one(uint32_t *r)
    {
        cz_fp32_one(r);
#pragma unroll
        for (int i = 0; i < 12; i++)
            r[i] = component() ? 0 : r[i];
    }

    COORD_DEV void beta(uint32_t *r)
    {
        COORD_CONSTANT(r, CZ_G2_BETA);
    }

    COORD_DEV bool both(bool mine)
    {
        return (mine & swap(mine)) != 0;
    }

    COORD_DEV bool is_zero(const uint32_t *a)
    {
        return both(cz_limbs_are_zero(a, 12));
    }

    COORD_DEV bool are_equal(const uint32_t *a, const uint32_t *b)
    {
        return both(cz_limbs_are_equal(a, b, 12));
    }

    COORD_DEV bool is_rare(const uint32_t *x1, const uint32_t *x2, const uint32_t *d)
    {
        uint32_t mine;

        if (!any(coord_may_be_rare(x1, x2, d)))
            return false;
        mine = (uint32_t)cz_limbs_are_zero(x1, 12) | (uint32_t)cz_limbs_are_zero(x2, 12) << 1 |
               (uint32_t)cz_limbs_are_equal(x1, x2, 12) << 2;
        return (mine & swap(mine)) != 0;
    }

    COORD_DEV bool any(bool yes)
    {
        return __any_sync(mask(), yes) != 0;
    }
};

typedef coord_fp2_lanes<false> coord_fp2;
typedef coord_fp2_lanes<true> coord_fp2_apart;

#endif
