/* points_device.h: points out of a parameter file's bytes on CUDA devices, one a thread; the same
 * text runs on the host for tests.
 *
 * What is checked is what params.h's loaders check: no flags, canonical coordinates, the curve
 * equation (which the encoding of infinity fails, too). */
#ifndef CZ_PARAMS_POINTS_DEVICE_H
#define CZ_PARAMS_POINTS_DEVICE_H

#include "field/fp_device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CZ_POINT_G1_WORDS = 24, CZ_POINT_G2_WORDS = 48 };

/* A destination: which part, and the place in it. */
#define CZ_POINT_PART1 0x80000000u

/* 12 words of big-endian bytes to Montgomery form, canonical; false: not below p, or a flag. */
CZ_DEV int cz_point_coordinate(uint32_t *r, const uint32_t *bytes)
{
    const uint64_t to_montgomery[6] = CZ_FP_R2;
    uint32_t plain[12], m[12], r2[12];

    CZ_UNROLL
    for (int i = 0; i < 12; i++) {
        const uint32_t v = bytes[11 - i];

        plain[i] = v >> 24 | (v >> 8 & 0xff00) | (v << 8 & 0xff0000) | v << 24;
        r2[i] = (uint32_t)(to_montgomery[i / 2] >> (32 * (i % 2)));
    }
    cz_fp32_modulus(m);
    if (cz_limbs_sub(r, plain, m, 12) == 0)
        return 0;
    cz_fp32_mul(r, plain, r2);
    cz_fp32_canonical(r, r);
    return 1;
}

CZ_DEV void cz_point_mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    cz_fp32_mul(r, a, b);
    cz_fp32_canonical(r, r);
}

/* a += 4 */
CZ_DEV void cz_point_add_four(uint32_t *a)
{
    uint32_t four[12];

    cz_fp32_one(four);
    cz_fp32_add(four, four, four);
    cz_fp32_add(four, four, four);
    cz_fp32_add(a, a, four);
}

/** x and y, 24 words, of a point of G1; false when it is none. */
CZ_DEV int cz_point_decode_g1(uint32_t *out, const uint32_t *bytes)
{
    uint32_t left[12], right[12];

    if (!cz_point_coordinate(out, bytes) || !cz_point_coordinate(out + 12, bytes + 12))
        return 0;
    cz_point_mul(left, out + 12, out + 12);
    cz_point_mul(right, out, out);
    cz_point_mul(right, right, out);
    cz_point_add_four(right);
    return cz_limbs_are_equal(left, right, 12);
}

/* r = a b over Fp2, 24 words each, canonical; r is neither. */
CZ_DEV void cz_point_mul2(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t t[12];

    cz_point_mul(r, a, b);
    cz_point_mul(t, a + 12, b + 12);
    cz_fp32_sub(r, r, t);
    cz_point_mul(r + 12, a, b + 12);
    cz_point_mul(t, a + 12, b);
    cz_fp32_add(r + 12, r + 12, t);
}

/** x and y, each c0 then c1, of a point of G2, whose bytes have c1 first. */
CZ_DEV int cz_point_decode_g2(uint32_t *out, const uint32_t *bytes)
{
    uint32_t left[24], right[24], square[24];

    if (!cz_point_coordinate(out + 12, bytes) || !cz_point_coordinate(out, bytes + 12) ||
        !cz_point_coordinate(out + 36, bytes + 24) || !cz_point_coordinate(out + 24, bytes + 36))
        return 0;
    cz_point_mul2(left, out + 24, out + 24);
    cz_point_mul2(square, out, out);
    cz_point_mul2(right, square, out);
    cz_point_add_four(right);
    cz_point_add_four(right + 12);
    return cz_limbs_are_equal(left, right, 24);
}

#ifdef __cplusplus
}
#endif
#endif
