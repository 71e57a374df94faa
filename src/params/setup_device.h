/* setup_device.h: many multiples of a group's generator as a parameter file's bytes, on CUDA
 * devices; the same text runs on the host for tests.
 *
 * Method: fixed base with a table of windows [BGMW92], digits that are never zero [JT09]. An odd
 * scalar k below 2^255 is the sum of d_w 2^(c w) with odd digits, |d_w| < 2^c: with k_w the w-th c
 * bits of k, |d_w| is k_w | 1 where the window above is odd (or there is none), else 2^c - (k_w |
 * 1), negative. The table holds the odd multiples of 2^(c w) times the base; where k is even, r - k
 * is taken and the result negated. So there is one addition a window, without a branch.
 *
 * From the top window down no addition is of equal, opposite or infinite points: a partial sum is
 * an odd multiple of 2^(c (w + 1)), positive, and what is added is less than 2^(c (w + 1)), so
 * neither sum nor difference is 0. Modulo r neither is: below r + 2^(c (w + 1)) it could only be r,
 * which is odd, hence w = 0; the sum is k, which is below r; and the difference is r only if k = r
 * + 2 d_0, d_0 < 0, which with r = 1 mod 2^32 means d_0 = -2^c - 1, too much. Zero is marked apart.
 *
 * Sums are (x / zz, y / zzz) with zz^3 = zzz^2 [BL07], and CZ_SETUP_CHAIN of them share an
 * inversion of zzz [Mon87]. */
#ifndef CZ_PARAMS_SETUP_DEVICE_H
#define CZ_PARAMS_SETUP_DEVICE_H

#include "field/fp2_device.h"
#include "field/fr_device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CZ_SETUP_CHAIN = 16,  /* points of an inversion */
    CZ_SETUP_SCRATCH = 5, /* coordinates of scratch a point: the sum's four, a running product */
    CZ_SETUP_SCALAR_BITS = 256
};

/** Points of a table; c divides 32. */
CZ_DEV uint32_t cz_setup_table_points(unsigned c)
{
    return (uint32_t)CZ_SETUP_SCALAR_BITS / c << (c - 1);
}

/* A scalar's digits, from the top. */
typedef struct {
    uint32_t k[8]; /* odd; what is left of it, at the top */
    uint32_t odd_above;
    uint32_t minus; /* all is to be negated */
} cz_setup_digits;

/** From an element of Fr; false: it is zero, and the digits are some digits. */
CZ_DEV int cz_setup_digits_begin(cz_setup_digits *d, const uint32_t *scalar)
{
    const uint32_t one[8] = {1};
    uint32_t m[8], negated[8];
    int nonzero;

    cz_fr32_mul_canonical(d->k, scalar, one);
    nonzero = !cz_limbs_are_zero(d->k, 8);
    d->minus = ~d->k[0] & 1;
    cz_fr32_modulus(m);
    (void)cz_limbs_sub(negated, m, d->k, 8);
    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        d->k[i] = d->minus ? negated[i] : d->k[i];
    d->odd_above = 1;
    return nonzero;
}

/** The next digit: (|d| - 1) / 2, and whether it is negative. */
CZ_DEV uint32_t cz_setup_digits_next(cz_setup_digits *d, unsigned c, uint32_t *negative)
{
    const uint32_t bits = d->k[7] >> (32 - c), odd = bits | 1;
    const uint32_t magnitude = d->odd_above ? odd : (1u << c) - odd;

    *negative = d->odd_above == d->minus;
    d->odd_above = bits & 1;
    CZ_UNROLL
    for (int i = 7; i > 0; i--)
        d->k[i] = d->k[i] << c | d->k[i - 1] >> (32 - c);
    d->k[0] <<= c;
    return magnitude >> 1;
}

/* ---- coordinates in memory, 48 bytes at a multiple of 16 ---- */

CZ_DEV void cz_setup_load(uint32_t *r, const uint32_t *from)
{
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int i = 0; i < 3; i++) {
        const uint4 v = ((const uint4 *)from)[i];

        r[4 * i] = v.x, r[4 * i + 1] = v.y, r[4 * i + 2] = v.z, r[4 * i + 3] = v.w;
    }
#else
    cz_limbs_copy(r, from, 12);
#endif
}

CZ_DEV void cz_setup_store(uint32_t *to, const uint32_t *v)
{
#ifdef __CUDA_ARCH__
#pragma unroll
    for (int i = 0; i < 3; i++)
        ((uint4 *)to)[i] = make_uint4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
#else
    cz_limbs_copy(to, v, 12);
#endif
}

/** Montgomery form, lazy, to big-endian bytes; nothing: zeros. */
CZ_DEV void cz_setup_encode(uint32_t *bytes, const uint32_t *v, int nothing)
{
    const uint32_t one[12] = {1};
    uint32_t plain[12], out[12];

    cz_fp32_mul(plain, v, one);
    cz_fp32_canonical(plain, plain);
    CZ_UNROLL
    for (int i = 0; i < 12; i++) {
        const uint32_t w = plain[11 - i];

        out[i] = nothing ? 0 : w >> 24 | (w >> 8 & 0xff00) | (w << 8 & 0xff0000) | w << 24;
    }
    cz_setup_store(bytes, out);
}

/** Mark a point's bytes as infinity's, which has no other bit set. */
CZ_DEV void cz_setup_mark_infinity(uint32_t *bytes)
{
    bytes[0] |= 0x40; /* of the first byte */
}

/* ---- one point ---- */

/* On the host products are called, for its compilers' sake. */
#ifdef __CUDACC__
#define CZ_SETUP_CALLED CZ_DEV
#else
#define CZ_SETUP_CALLED static __attribute__((noinline, unused))
#endif

CZ_SETUP_CALLED void cz_setup_fp_mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    cz_fp32_mul(r, a, b);
}

CZ_SETUP_CALLED void cz_setup_fp_sqr(uint32_t *r, const uint32_t *a)
{
    cz_fp32_sqr(r, a);
}

CZ_SETUP_CALLED void cz_setup_fp_inv(uint32_t *r, const uint32_t *a)
{
    cz_fp32_inv(r, a);
}

/* a = p - a, where yes; a canonical. */
CZ_DEV void cz_setup_negate_if(uint32_t *a, uint32_t yes)
{
    cz_fp32_negate_if(a, yes);
}

#define DEV                     CZ_DEV
#define FN(name)                cz_setup_g1_##name
#define W                       12
#define MUL                     cz_setup_fp_mul
#define SQR                     cz_setup_fp_sqr
#define SUB                     cz_fp32_sub_of_lazy
#define INV                     cz_setup_fp_inv
#define ONE                     cz_fp32_one
#define NEGATE_IF               cz_setup_negate_if
#define IS_ZERO(a)              cz_limbs_are_zero(a, 12)
#define LOAD(r, from, i)        cz_setup_load(r, (from) + (size_t)12 * (i))
#define STORE(to, i, v)         cz_setup_store((to) + (size_t)12 * (i), v)
#define ENCODE(to, i, v, none)  cz_setup_encode((to) + (size_t)12 * (i), v, none)
#define MARK_INFINITY(bytes, i) cz_setup_mark_infinity((bytes) + (size_t)24 * (i))
#include "params/setup_body_device.h"

/* G2 by one thread, for the host: devices give a component to each of two lanes (setup_cuda.cu). */
#ifndef __CUDACC__

CZ_SETUP_CALLED void cz_setup_fp2_mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t t[24];

    cz_fp2_32_mul(t, 0, a, a + 12, b, b + 12);
    cz_fp2_32_mul(t + 12, 1, a + 12, a, b + 12, b);
    cz_limbs_copy(r, t, 24);
}

CZ_SETUP_CALLED void cz_setup_fp2_sqr(uint32_t *r, const uint32_t *a)
{
    uint32_t t[24];

    cz_fp2_32_sqr(t, 0, a, a + 12);
    cz_fp2_32_sqr(t + 12, 1, a + 12, a);
    cz_limbs_copy(r, t, 24);
}

CZ_DEV void cz_setup_fp2_sub(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    cz_fp32_sub_of_lazy(r, a, b);
    cz_fp32_sub_of_lazy(r + 12, a + 12, b + 12);
}

CZ_SETUP_CALLED void cz_setup_fp2_inv(uint32_t *r, const uint32_t *a)
{
    uint32_t part[24], t[24];

    cz_fp2_32_norm_part(part, a);
    cz_fp2_32_norm_part(part + 12, a + 12);
    cz_fp2_32_inv(t, 0, a, part, part + 12);
    cz_fp2_32_inv(t + 12, 1, a + 12, part + 12, part);
    cz_limbs_copy(r, t, 24);
}

CZ_DEV void cz_setup_fp2_one(uint32_t *r)
{
    cz_fp32_one(r);
    cz_fp32_zero(r + 12);
}

CZ_DEV void cz_setup_fp2_negate_if(uint32_t *a, uint32_t yes)
{
    cz_setup_negate_if(a, yes);
    cz_setup_negate_if(a + 12, yes);
}

CZ_DEV void cz_setup_fp2_load(uint32_t *r, const uint32_t *from)
{
    cz_setup_load(r, from);
    cz_setup_load(r + 12, from + 12);
}

CZ_DEV void cz_setup_fp2_store(uint32_t *to, const uint32_t *v)
{
    cz_setup_store(to, v);
    cz_setup_store(to + 12, v + 12);
}

/* c1 comes first. */
CZ_DEV void cz_setup_fp2_encode(uint32_t *bytes, const uint32_t *v, int nothing)
{
    cz_setup_encode(bytes, v + 12, nothing);
    cz_setup_encode(bytes + 12, v, nothing);
}

#define DEV                     CZ_DEV
#define FN(name)                cz_setup_g2_##name
#define W                       24
#define MUL                     cz_setup_fp2_mul
#define SQR                     cz_setup_fp2_sqr
#define SUB                     cz_setup_fp2_sub
#define INV                     cz_setup_fp2_inv
#define ONE                     cz_setup_fp2_one
#define NEGATE_IF               cz_setup_fp2_negate_if
#define IS_ZERO(a)              cz_limbs_are_zero(a, 24)
#define LOAD(r, from, i)        cz_setup_fp2_load(r, (from) + (size_t)24 * (i))
#define STORE(to, i, v)         cz_setup_fp2_store((to) + (size_t)24 * (i), v)
#define ENCODE(to, i, v, none)  cz_setup_fp2_encode((to) + (size_t)24 * (i), v, none)
#define MARK_INFINITY(bytes, i) cz_setup_mark_infinity((bytes) + (size_t)48 * (i))
#include "params/setup_body_device.h"

#endif

#ifdef __cplusplus
}
#endif
#endif
