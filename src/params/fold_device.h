/* fold_device.h: transforms of points of G1 and sparse sums of them, on CUDA devices; the same text
 * runs on the host for tests.
 *
 * The transform: radix 2, natural order in, bit-reversed out. What is transformed is, in the
 * exponent, the polynomial sum h_i X^i; a layer halves each block: modulo X^(2 m) - c^2 it becomes
 * modulo X^m - c and X^m + c, (P, Q) -> (P + c Q, P - c Q). Block b of every layer has
 * c = w^-rev(b), rev reversing log_n - 1 bits. Points are affine between layers; the
 * normalisation of c Q and the division that sum and difference share are two inversions, which the
 * threads of a block do together [Mon87].
 *
 * A product with a scalar: in two halves by the endomorphism [GLV01], k = a + b omega, omega the
 * cube root of unity that (x, y) -> (beta x, y) multiplies by. Its digits are to the base 4, in
 * Z[omega], where each of the 16 classes modulo 4 is that of 0, of a unit, of a unit times 1 -
 * omega, or of twice a unit. So three points do for a table: D, (1 - omega) D and 2 D; units turn
 * and negate them. All lanes of a warp take the same way, whatever their scalars: 65 times two
 * doublings and an addition. The three points are brought to one denominator, which is left out
 * until the end (the curve y^2 = x^3 + b is isomorphic to that with b u^6, and formulas do not know
 * b).
 *
 * No addition of a product is of equal, opposite or infinite points where the point has order r:
 * the partial sum is 4 v D, v in Z[omega], and 4 v + d or 4 v - d is 0 modulo r only if its norm is
 * 0 or at least r; norms stay below 3 2^253 < r, and 4 v is a digit only if both are 0. Points of
 * other orders give some point.
 *
 * Coordinates are Montgomery, 12 words; affine ones canonical, others lazy (fp_device.h); all zero
 * is infinity. */
#ifndef CZ_PARAMS_FOLD_DEVICE_H
#define CZ_PARAMS_FOLD_DEVICE_H

#include <stddef.h>

#include "curve/curve_constants.h"
#include "msm/glv_device.h"
#include "params/setup_device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CZ_FOLD_POINT = 24,  /* words of an affine point */
    CZ_FOLD_DIGITS = 65, /* of a scalar, to the base 4 */
    CZ_FOLD_TABLE = 9    /* coordinates of a product's table */
};

/* ---- coordinates in memory: pieces of 16 bytes, `stride` pieces apart ---- */

CZ_DEV void cz_fold_get(uint32_t *r, const uint32_t *from, unsigned stride)
{
    CZ_UNROLL
    for (unsigned i = 0; i < 3; i++) {
#ifdef __CUDA_ARCH__
        const uint4 v = ((const uint4 *)from)[i * stride];

        r[4 * i] = v.x, r[4 * i + 1] = v.y, r[4 * i + 2] = v.z, r[4 * i + 3] = v.w;
#else
        cz_limbs_copy(r + 4 * (size_t)i, from + 4 * (size_t)i * stride, 4);
#endif
    }
}

CZ_DEV void cz_fold_put(uint32_t *to, unsigned stride, const uint32_t *v)
{
    CZ_UNROLL
    for (unsigned i = 0; i < 3; i++) {
#ifdef __CUDA_ARCH__
        ((uint4 *)to)[i * stride] = make_uint4(v[4 * i], v[4 * i + 1], v[4 * i + 2], v[4 * i + 3]);
#else
        cz_limbs_copy(to + 4 * (size_t)i * stride, v + 4 * (size_t)i, 4);
#endif
    }
}

/* ---- arithmetic ---- */

/* Products that an item needs once are called: a seventh of the code, and as quick. */
#ifdef __CUDACC__
static __noinline__ __host__ __device__ cz_fp32 cz_fold_mul_called(cz_fp32 a, cz_fp32 b)
{
    cz_fp32_mul(a.v, a.v, b.v);
    return a;
}

static __noinline__ __host__ __device__ cz_fp32 cz_fold_sqr_called(cz_fp32 a)
{
    cz_fp32_sqr(a.v, a.v);
    return a;
}

CZ_DEV void cz_fold_mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    cz_fp32 x, y;

    cz_limbs_copy(x.v, a, 12);
    cz_limbs_copy(y.v, b, 12);
    x = cz_fold_mul_called(x, y);
    cz_limbs_copy(r, x.v, 12);
}

CZ_DEV void cz_fold_sqr(uint32_t *r, const uint32_t *a)
{
    cz_fp32 x;

    cz_limbs_copy(x.v, a, 12);
    x = cz_fold_sqr_called(x);
    cz_limbs_copy(r, x.v, 12);
}
#else
#define cz_fold_mul cz_setup_fp_mul
#define cz_fold_sqr cz_setup_fp_sqr
#endif

/* Those of the long loops are not. */
#define cz_fold_mul_hot cz_setup_fp_mul
#define cz_fold_sqr_hot cz_setup_fp_sqr
#define cz_fold_sub     cz_fp32_sub_of_lazy

CZ_DEV void cz_fold_add(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t m[12], t[12];

    cz_fp32_twice_modulus(m);
    cz_limbs_add(t, a, b, 12);
    cz_limbs_reduce_once(r, t, m, 12);
}

/* r = a / 2, below 3/2 p */
CZ_DEV void cz_fold_half(uint32_t *r, const uint32_t *a)
{
    const uint32_t odd = 0u - (a[0] & 1);
    uint32_t m[12], t[12];

    cz_fp32_modulus(m);
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        m[i] &= odd;
    cz_limbs_add(t, a, m, 12);
    CZ_UNROLL
    for (int i = 0; i < 11; i++)
        r[i] = t[i] >> 1 | t[i + 1] << 31;
    r[11] = t[11] >> 1;
}

CZ_DEV void cz_fold_negate_if(uint32_t *a, uint32_t yes)
{
    uint32_t m[12], t[12];

    cz_fp32_twice_modulus(m);
    (void)cz_limbs_sub(t, m, a, 12);
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        a[i] = yes ? t[i] : a[i];
}

/* Is a lazy number 0? */
CZ_DEV int cz_fold_is_zero(const uint32_t *a)
{
    uint32_t t[12];

    cz_fp32_canonical(t, a);
    return cz_limbs_are_zero(t, 12);
}

CZ_DEV void cz_fold_beta(uint32_t *r)
{
    const struct {
        uint64_t l[6];
    } beta = CZ_G1_BETA;

    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        r[i] = (uint32_t)(beta.l[i / 2] >> (32 * (i % 2)));
}

CZ_DEV int cz_fold_is_infinity(const uint32_t *x, const uint32_t *y)
{
    return cz_limbs_are_zero(x, 12) & cz_limbs_are_zero(y, 12);
}

/* ---- scalars ---- */

/* A scalar's digits: classes modulo 4, a + 4 b for a + b omega, the highest digit on top. */
typedef struct {
    uint32_t stack[9];
} cz_fold_digits;

/* (a - d) / 4, of 128 bits with a sign. */
CZ_DEV void cz_fold_drop_digit(uint32_t *a, int32_t d)
{
    int64_t t = -(int64_t)d;

    CZ_UNROLL
    for (int i = 0; i < 4; i++) {
        t += a[i];
        a[i] = (uint32_t)t;
        t >>= 32;
    }
    CZ_UNROLL
    for (int i = 0; i < 3; i++)
        a[i] = a[i] >> 2 | a[i + 1] << 30;
    a[3] = (uint32_t)((int32_t)a[3] >> 2);
}

CZ_DEV void cz_fold_signed_half(uint32_t *a, const cz_glv_half *k)
{
    int64_t t = k->negative;

    CZ_UNROLL
    for (int i = 0; i < 4; i++) {
        t += k->limb[i] ^ (0u - k->negative);
        a[i] = (uint32_t)t;
        t >>= 32;
    }
}

/* Class c's digit, a's part and b's. */
CZ_DEV int32_t cz_fold_digit_a(uint32_t c)
{
    return (int32_t)(0x1032143214321432u >> (4 * c) & 15) - 2;
}

CZ_DEV int32_t cz_fold_digit_b(uint32_t c)
{
    return (int32_t)(0x1111044433332222u >> (4 * c) & 15) - 2;
}

/** Of an element of Fr, canonical. */
CZ_DEV void cz_fold_digits_of(cz_fold_digits *d, const uint32_t *scalar)
{
    const uint32_t one[8] = {1};
    uint32_t plain[8], a[4], b[4];
    cz_glv_half k[2];

    cz_fr32_mul_canonical(plain, scalar, one);
    cz_glv_split(k, plain);
    cz_fold_signed_half(a, &k[0]);
    cz_fold_signed_half(b, &k[1]);
    CZ_UNROLL
    for (int i = 0; i < 9; i++)
        d->stack[i] = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int j = 0; j < CZ_FOLD_DIGITS; j++) {
        const uint32_t c = (a[0] & 3) | (b[0] & 3) << 2;

        CZ_UNROLL
        for (int i = 8; i > 0; i--)
            d->stack[i] = d->stack[i] << 4 | d->stack[i - 1] >> 28;
        d->stack[0] = d->stack[0] << 4 | c;
        cz_fold_drop_digit(a, cz_fold_digit_a(c));
        cz_fold_drop_digit(b, cz_fold_digit_b(c));
    }
}

/** The next digit's class, from the top. */
CZ_DEV uint32_t cz_fold_digits_next(cz_fold_digits *d)
{
    const uint32_t c = d->stack[0] & 15;

    CZ_UNROLL
    for (int i = 0; i < 8; i++)
        d->stack[i] = d->stack[i] >> 4 | d->stack[i + 1] << 28;
    d->stack[8] >>= 4;
    return c;
}

/* v^e as low[e mod 2^low_bits] high[e / 2^low_bits]; canonical. */
struct cz_fold_powers {
    const cz_fr32 *low, *high;
    unsigned low_bits;
};

CZ_DEV void cz_fold_power(uint32_t *r, const struct cz_fold_powers *powers, uint64_t e)
{
    uint32_t low[8], high[8];

    cz_fr32_read(low, powers->low + (e & ((1u << powers->low_bits) - 1)));
    cz_fr32_read(high, powers->high + (e >> powers->low_bits));
    cz_fr32_mul_canonical(r, low, high);
}

CZ_DEV int cz_fold_is_one(const uint32_t *scalar)
{
    uint32_t one[8];

    cz_fr32_one(one);
    return cz_limbs_are_equal(scalar, one, 8);
}

/** The low `bits` of v the other way round; v is below 2^bits. */
CZ_DEV uint32_t cz_fold_reverse(uint32_t v, unsigned bits)
{
#ifdef __CUDA_ARCH__
    return bits == 0 ? 0 : __brev(v) >> (32 - bits);
#else
    uint32_t r = 0;

    for (unsigned i = 0; i < bits; i++)
        r |= (v >> i & 1) << (bits - 1 - i);
    return r;
#endif
}

/* ---- a product ---- */

/* (x / z^2, y / z^3); z = 0 is infinity. */
typedef struct {
    uint32_t x[12], y[12], z[12];
} cz_fold_jacobian;

/* 3 products, 4 squares; the usual coordinates divided by powers of 2. Infinity stays. */
CZ_DEV void cz_fold_double(cz_fold_jacobian *p)
{
    uint32_t l[12], t[12], yy[12], xyy[12];

    cz_fold_mul_hot(p->z, p->z, p->y);
    cz_fold_sqr_hot(l, p->x);
    cz_fold_half(t, l);
    cz_fold_add(l, l, t); /* 3/2 x^2 */
    cz_fold_sqr_hot(yy, p->y);
    cz_fold_mul_hot(xyy, p->x, yy);
    cz_fold_sqr_hot(p->x, l);
    cz_fold_sub(p->x, p->x, xyy);
    cz_fold_sub(p->x, p->x, xyy);
    cz_fold_sub(t, xyy, p->x);
    cz_fold_mul_hot(p->y, l, t);
    cz_fold_sqr_hot(yy, yy);
    cz_fold_sub(p->y, p->y, yy);
}

/* p += (x, y), which is neither p nor -p; neither is infinity. 8 products, 3 squares. */
CZ_DEV void cz_fold_mixed(cz_fold_jacobian *p, const uint32_t *x, const uint32_t *y)
{
    uint32_t h[12], r[12], t[12], v[12];

    cz_fold_sqr_hot(t, p->z);
    cz_fold_mul_hot(h, x, t);
    cz_fold_sub(h, h, p->x);
    cz_fold_mul_hot(t, t, p->z);
    cz_fold_mul_hot(r, y, t);
    cz_fold_sub(r, r, p->y);
    cz_fold_mul_hot(p->z, p->z, h);
    cz_fold_sqr_hot(t, h);
    cz_fold_mul_hot(v, p->x, t);
    cz_fold_mul_hot(t, t, h);
    cz_fold_sqr_hot(p->x, r);
    cz_fold_sub(p->x, p->x, t);
    cz_fold_sub(p->x, p->x, v);
    cz_fold_sub(p->x, p->x, v);
    cz_fold_mul_hot(t, p->y, t);
    cz_fold_sub(v, v, p->x);
    cz_fold_mul_hot(p->y, r, v);
    cz_fold_sub(p->y, p->y, t);
}

/* The table of a product: of each of D, (1 - omega) D, 2 D its x, beta x, y. */
typedef struct {
    uint32_t *at; /* of this thread */
    unsigned stride;
} cz_fold_table;

CZ_DEV uint32_t *cz_fold_slot(const cz_fold_table *table, uint32_t slot)
{
    return table->at + (size_t)12 * slot * table->stride;
}

CZ_DEV void cz_fold_put_entry(const cz_fold_table *table, uint32_t entry, const uint32_t *x,
                              const uint32_t *y)
{
    uint32_t t[12];

    cz_fold_put(cz_fold_slot(table, 3 * entry), table->stride, x);
    cz_fold_put(cz_fold_slot(table, 3 * entry + 2), table->stride, y);
    cz_fold_beta(t);
    cz_fold_mul(t, t, x);
    cz_fold_put(cz_fold_slot(table, 3 * entry + 1), table->stride, t);
}

/* (1 - omega) (x, y) = (x, y) + (beta x, -y), of denominator h = (beta - 1) x, and brought to 2 y
 * h. hh, hhh: h's powers; yy = y^2. */
CZ_DEV void cz_fold_put_turned(const cz_fold_table *table, const uint32_t *x, const uint32_t *y,
                               const uint32_t *yy, const uint32_t *hh, const uint32_t *hhh)
{
    uint32_t r[12], rr[12], v[12], tx[12], ty[12];

    cz_fold_add(r, y, y); /* minus the difference of the ordinates */
    cz_fold_add(rr, yy, yy);
    cz_fold_add(rr, rr, rr);
    cz_fold_mul(v, x, hh);
    cz_fold_sub(tx, rr, hhh);
    cz_fold_sub(tx, tx, v);
    cz_fold_sub(tx, tx, v);
    cz_fold_sub(v, tx, v);
    cz_fold_mul(ty, r, v);
    cz_fold_mul(v, y, hhh);
    cz_fold_sub(ty, ty, v);
    cz_fold_mul(tx, tx, rr);
    cz_fold_mul(r, r, rr);
    cz_fold_mul(ty, ty, r);
    cz_fold_put_entry(table, 1, tx, ty);
}

/* 2 (x, y), of denominator 2 y, and brought to 2 y h. */
CZ_DEV void cz_fold_put_doubled(const cz_fold_table *table, const uint32_t *x, const uint32_t *xyy4,
                                const uint32_t *yyyy8, const uint32_t *hh, const uint32_t *hhh)
{
    uint32_t m[12], t[12], tx[12], ty[12];

    cz_fold_sqr(t, x);
    cz_fold_add(m, t, t);
    cz_fold_add(m, m, t);
    cz_fold_sqr(tx, m);
    cz_fold_sub(tx, tx, xyy4);
    cz_fold_sub(tx, tx, xyy4);
    cz_fold_sub(t, xyy4, tx);
    cz_fold_mul(ty, m, t);
    cz_fold_sub(ty, ty, yyyy8);
    cz_fold_mul(tx, tx, hh);
    cz_fold_mul(ty, ty, hhh);
    cz_fold_put_entry(table, 2, tx, ty);
}

/* z: the denominator of all three, 2 y (beta - 1) x. It is 0 for infinity. */
CZ_DEV void cz_fold_make_table(const cz_fold_table *table, uint32_t *z, const uint32_t *x,
                               const uint32_t *y)
{
    uint32_t h[12], hh[12], yy[12], xyy4[12], yyyy8[12];

    cz_fold_beta(h);
    cz_fold_mul(h, h, x);
    cz_fold_sub(h, h, x);
    cz_fold_mul(z, y, h);
    cz_fold_add(z, z, z);
    cz_fold_sqr(hh, h);
    cz_fold_mul(h, h, hh);
    cz_fold_sqr(yy, y);
    cz_fold_put_turned(table, x, y, yy, hh, h);
    cz_fold_mul(xyy4, x, yy);
    cz_fold_add(xyy4, xyy4, xyy4);
    cz_fold_add(xyy4, xyy4, xyy4);
    cz_fold_sqr(yyyy8, yy);
    cz_fold_add(yyyy8, yyyy8, yyyy8);
    cz_fold_add(yyyy8, yyyy8, yyyy8);
    cz_fold_add(yyyy8, yyyy8, yyyy8);
    cz_fold_put_doubled(table, x, xyy4, yyyy8, hh, h);
    cz_fold_mul(xyy4, xyy4, hh);
    cz_fold_mul(yyyy8, yyyy8, h);
    cz_fold_put_entry(table, 0, xyy4, yyyy8);
}

/* The digit of class c, not 0, times D: which of the table, turned how often, negated. */
CZ_DEV void cz_fold_table_point(uint32_t *x, uint32_t *y, const cz_fold_table *table, uint32_t c)
{
    const uint32_t entry = 0x14665020u >> (2 * c) & 3, turn = 0xa1652900u >> (2 * c) & 3;
    const uint32_t *const at = cz_fold_slot(table, 3 * entry);
    const size_t coordinate = (size_t)12 * table->stride;
    uint32_t t[12];

    cz_fold_get(x, at, table->stride);
    cz_fold_get(t, at + coordinate, table->stride);
    cz_fold_get(y, at + 2 * coordinate, table->stride);
    cz_fold_negate_if(y, 0x1ce8u >> c & 1);
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        x[i] = turn == 1 ? t[i] : x[i];
    if (turn == 2) { /* beta^2 = -1 - beta */
        cz_fold_add(x, x, t);
        cz_fold_negate_if(x, 1);
    }
}

/** p = the scalar times (x, y), which may be infinity. */
CZ_DEV void cz_fold_product(cz_fold_jacobian *p, const uint32_t *x, const uint32_t *y,
                            cz_fold_digits *digits, const cz_fold_table *table)
{
    uint32_t z[12], px[12], py[12];
    int none = 1;

    cz_fold_make_table(table, z, x, y);
    cz_fp32_one(p->x);
    cz_fp32_one(p->y);
    cz_fp32_one(p->z);
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int j = 0; j < CZ_FOLD_DIGITS; j++) {
        const uint32_t c = cz_fold_digits_next(digits);

#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
        for (int k = 0; k < 2; k++)
            cz_fold_double(p);
        if (c == 0)
            continue;
        cz_fold_table_point(px, py, table, c);
        if (none) {
            cz_limbs_copy(p->x, px, 12);
            cz_limbs_copy(p->y, py, 12);
            cz_fp32_one(p->z);
            none = 0;
        } else {
            cz_fold_mixed(p, px, py);
        }
    }
    cz_fold_mul(p->z, p->z, z);
    if (none)
        cz_fp32_zero(p->z);
}

/** What is to be inverted for cz_fold_affine; true: p is infinity. */
CZ_DEV int cz_fold_affine_denominator(uint32_t *d, const cz_fold_jacobian *p)
{
    const int none = cz_fold_is_zero(p->z);
    uint32_t one[12];

    cz_fp32_one(one);
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        d[i] = none ? one[i] : p->z[i];
    return none;
}

/** p in affine form, given 1 / z. */
CZ_DEV void cz_fold_affine(uint32_t *x, uint32_t *y, const cz_fold_jacobian *p,
                           const uint32_t *inverse, int none)
{
    uint32_t t[12];

    cz_fold_sqr(t, inverse);
    cz_fold_mul(x, p->x, t);
    cz_fold_mul(t, t, inverse);
    cz_fold_mul(y, p->y, t);
    cz_fp32_canonical(x, x);
    cz_fp32_canonical(y, y);
    CZ_UNROLL
    for (int i = 0; i < 12; i++) {
        x[i] = none ? 0 : x[i];
        y[i] = none ? 0 : y[i];
    }
}

/* ---- a butterfly ---- */

/** What is to be inverted for P + Q and P - Q: not 0 in any case. */
CZ_DEV void cz_fold_sum_denominator(uint32_t *d, const uint32_t *px, const uint32_t *py,
                                    const uint32_t *qx, const uint32_t *qy)
{
    if (cz_fold_is_infinity(px, py) || cz_fold_is_infinity(qx, qy))
        cz_fp32_one(d);
    else if (cz_limbs_are_equal(px, qx, 12))
        cz_limbs_add(d, py, py, 12); /* no point has y = 0: the curve's order is odd */
    else
        cz_fp32_sub_lazy(d, qx, px);
}

/* (x3, y3) = P + Q for points with that denominator and this numerator of the slope. */
CZ_DEV void cz_fold_chord(uint32_t *x3, uint32_t *y3, const uint32_t *px, const uint32_t *py,
                          const uint32_t *qx, const uint32_t *numerator, const uint32_t *inverse)
{
    uint32_t slope[12], t[12];

    cz_fold_mul(slope, numerator, inverse);
    cz_fold_sqr(t, slope);
    cz_fold_sub(t, t, px);
    cz_fold_sub(t, t, qx);
    cz_fp32_canonical(x3, t);
    cz_fold_sub(t, px, x3);
    cz_fold_mul(t, slope, t);
    cz_fp32_sub_canonical(t, t, py);
    cz_fp32_canonical(y3, t);
}

/** out = P + Q, or P - Q where `minus`, given the denominator's inverse; all affine. */
CZ_DEV void cz_fold_sum(uint32_t *out, const uint32_t *px, const uint32_t *py, const uint32_t *qx,
                        const uint32_t *qy, const uint32_t *inverse, uint32_t minus)
{
    const int p_none = cz_fold_is_infinity(px, py), q_none = cz_fold_is_infinity(qx, qy);
    uint32_t y[12], x3[12], y3[12], numerator[12];

    cz_limbs_copy(y, qy, 12);
    cz_fp32_negate_if(y, minus & (uint32_t)!q_none);
    if (p_none | q_none) {
        cz_limbs_copy(x3, p_none ? qx : px, 12);
        cz_limbs_copy(y3, p_none ? y : py, 12);
    } else if (cz_limbs_are_equal(px, qx, 12) && !cz_limbs_are_equal(py, y, 12)) {
        cz_fp32_zero(x3);
        cz_fp32_zero(y3);
    } else {
        if (cz_limbs_are_equal(px, qx, 12)) {
            cz_fold_sqr(y3, px);
            cz_fold_add(numerator, y3, y3);
            cz_fold_add(numerator, numerator, y3);
            /* the denominator was 2 py, which is what a tangent has */
        } else {
            cz_fp32_sub_lazy(numerator, y, py);
        }
        cz_fold_chord(x3, y3, px, py, qx, numerator, inverse);
    }
    cz_setup_store(out, x3);
    cz_setup_store(out + 12, y3);
}

/* ---- many products ---- */

typedef enum {
    CZ_FOLD_SCALE,  /* points[i] times v^i */
    CZ_FOLD_LAYER,  /* butterfly i of a layer */
    CZ_FOLD_FACTORS /* products[i] = points[factor i's] times its coefficient */
} cz_fold_task_kind;

typedef struct {
    uint32_t point, coefficient;
} cz_fold_factor;

/* Items first, …, first + n - 1; all pointers to device memory. */
struct cz_fold_task {
    cz_fold_task_kind kind;
    uint32_t *points; /* affine */
    uint64_t first, n;
    struct cz_fold_powers powers; /* of v; of 1 / w */
    unsigned log_n, layer;
    const cz_fold_factor *factors;
    const uint32_t *n_factors; /* how many there are: n may be more */
    const cz_fr32 *coefficients;
    uint32_t *products;
};

/* Butterfly t of a layer. */
typedef struct {
    uint64_t p, q;     /* numbers of its points */
    uint32_t exponent; /* of 1 / w */
} cz_fold_butterfly;

CZ_DEV cz_fold_butterfly cz_fold_butterfly_at(uint64_t t, unsigned log_n, unsigned layer)
{
    const unsigned log_half = log_n - 1 - layer;
    const uint64_t block = t >> log_half, half = (uint64_t)1 << log_half;
    cz_fold_butterfly b;

    b.p = (block << (log_half + 1)) + (t & (half - 1));
    b.q = b.p + half;
    b.exponent = cz_fold_reverse((uint32_t)block, log_n - 1);
    return b;
}

/** What is to be multiplied for item i, and with which scalar; true: nothing, the product is the
 * point. */
CZ_DEV int cz_fold_operand(const struct cz_fold_task *task, uint64_t i, uint32_t *x, uint32_t *y,
                           uint32_t *scalar)
{
    uint64_t point = i;

    if (task->kind == CZ_FOLD_FACTORS) {
        const cz_fold_factor factor = task->factors[i];

        point = factor.point;
        cz_fr32_read(scalar, task->coefficients + factor.coefficient);
    } else {
        uint64_t e = i;

        if (task->kind == CZ_FOLD_LAYER) {
            const cz_fold_butterfly b = cz_fold_butterfly_at(i, task->log_n, task->layer);

            point = b.q;
            e = b.exponent;
        }
        cz_fold_power(scalar, &task->powers, e);
    }
    cz_setup_load(x, task->points + CZ_FOLD_POINT * point);
    cz_setup_load(y, task->points + CZ_FOLD_POINT * point + 12);
    return cz_fold_is_one(scalar);
}

/** Where a product that is the result goes. */
CZ_DEV uint32_t *cz_fold_place(const struct cz_fold_task *task, uint64_t i)
{
    return (task->kind == CZ_FOLD_FACTORS ? task->products : task->points) + CZ_FOLD_POINT * i;
}

CZ_DEV void cz_fold_load_p(uint32_t *x, uint32_t *y, const struct cz_fold_task *task,
                           const cz_fold_butterfly *b)
{
    cz_setup_load(x, task->points + CZ_FOLD_POINT * b->p);
    cz_setup_load(y, task->points + CZ_FOLD_POINT * b->p + 12);
}

/** Butterfly i of a layer, its product being (qx, qy): the denominator of its sums. */
CZ_DEV void cz_fold_layer_denominator(uint32_t *d, const struct cz_fold_task *task, uint64_t i,
                                      const uint32_t *qx, const uint32_t *qy)
{
    const cz_fold_butterfly b = cz_fold_butterfly_at(i, task->log_n, task->layer);
    uint32_t px[12], py[12];

    cz_fold_load_p(px, py, task, &b);
    cz_fold_sum_denominator(d, px, py, qx, qy);
}

/** Then, given that one's inverse: its sums. */
CZ_DEV void cz_fold_layer_sums(const struct cz_fold_task *task, uint64_t i, const uint32_t *qx,
                               const uint32_t *qy, const uint32_t *inverse)
{
    const cz_fold_butterfly b = cz_fold_butterfly_at(i, task->log_n, task->layer);
    uint32_t px[12], py[12];

    cz_fold_load_p(px, py, task, &b);
    for (uint32_t minus = 0; minus < 2; minus++)
        cz_fold_sum(task->points + CZ_FOLD_POINT * (minus ? b.q : b.p), px, py, qx, qy, inverse,
                    minus);
}

/* ---- sums of many points ---- */

/* (x / zz, y / zzz), lazy; zzz = 0 in all words is infinity. As setup_device.h's. */
typedef cz_setup_g1_sum cz_fold_xyzz;

CZ_DEV void cz_fold_xyzz_zero(cz_fold_xyzz *p)
{
    cz_fp32_zero(p->x);
    cz_fp32_zero(p->y);
    cz_fp32_zero(p->zz);
    cz_fp32_zero(p->zzz);
}

/* What sums seldom need is called. */
#ifdef __CUDACC__
#define CZ_FOLD_RARE static __noinline__ __host__ __device__
#else
#define CZ_FOLD_RARE static __attribute__((noinline, unused))
#endif

/* Not infinity. */
CZ_FOLD_RARE void cz_fold_xyzz_double(cz_fold_xyzz *p)
{
    uint32_t u[12], v[12], w[12], s[12], m[12];

    cz_fold_add(u, p->y, p->y);
    cz_fold_sqr(v, u);
    cz_fold_mul(w, u, v);
    cz_fold_mul(s, p->x, v);
    cz_fold_sqr(u, p->x);
    cz_fold_add(m, u, u);
    cz_fold_add(m, m, u);
    cz_fold_sqr(p->x, m);
    cz_fold_sub(p->x, p->x, s);
    cz_fold_sub(p->x, p->x, s);
    cz_fold_sub(s, s, p->x);
    cz_fold_mul(m, m, s);
    cz_fold_mul(u, w, p->y);
    cz_fold_sub(p->y, m, u);
    cz_fold_mul(p->zz, p->zz, v);
    cz_fold_mul(p->zzz, p->zzz, w);
}

/* p has the abscissa of what is to be added; r: the difference of the ordinates. */
CZ_FOLD_RARE void cz_fold_xyzz_same(cz_fold_xyzz *p, const uint32_t *r)
{
    if (cz_fold_is_zero(r))
        cz_fold_xyzz_double(p);
    else
        cz_fold_xyzz_zero(p);
}

/** p += (x, y), whatever they are. */
CZ_DEV void cz_fold_xyzz_add(cz_fold_xyzz *p, const uint32_t *x, const uint32_t *y)
{
    uint32_t d[12], r[12];

    if (cz_fold_is_infinity(x, y))
        return;
    if (cz_limbs_are_zero(p->zzz, 12)) {
        cz_limbs_copy(p->x, x, 12);
        cz_limbs_copy(p->y, y, 12);
        cz_fp32_one(p->zz);
        cz_fp32_one(p->zzz);
        return;
    }
    cz_fold_mul_hot(d, x, p->zz);
    cz_fold_sub(d, d, p->x);
    if (cz_fold_is_zero(d)) {
        cz_fold_mul(r, y, p->zzz);
        cz_fold_sub(r, r, p->y);
        cz_fold_xyzz_same(p, r);
        return;
    }
    cz_setup_g1_add(p, x, y);
}

/** p += q, whatever they are. */
CZ_DEV void cz_fold_xyzz_add_sum(cz_fold_xyzz *p, const cz_fold_xyzz *q)
{
    uint32_t u[12], s[12], d[12], r[12], t[12];

    if (cz_limbs_are_zero(q->zzz, 12))
        return;
    if (cz_limbs_are_zero(p->zzz, 12)) {
        *p = *q;
        return;
    }
    cz_fold_mul(u, p->x, q->zz);
    cz_fold_mul(d, q->x, p->zz);
    cz_fold_sub(d, d, u);
    cz_fold_mul(s, p->y, q->zzz);
    cz_fold_mul(r, q->y, p->zzz);
    cz_fold_sub(r, r, s);
    if (cz_fold_is_zero(d)) {
        cz_fold_xyzz_same(p, r);
        return;
    }
    cz_fold_mul(p->zz, p->zz, q->zz);
    cz_fold_mul(p->zzz, p->zzz, q->zzz);
    cz_fold_sqr(t, d);
    cz_fold_mul(d, d, t);
    cz_fold_mul(u, u, t);
    cz_fold_mul(p->zz, p->zz, t);
    cz_fold_mul(p->zzz, p->zzz, d);
    cz_fold_sqr(p->x, r);
    cz_fold_sub(p->x, p->x, d);
    cz_fold_sub(p->x, p->x, u);
    cz_fold_sub(p->x, p->x, u);
    cz_fold_sub(u, u, p->x);
    cz_fold_mul(u, r, u);
    cz_fold_mul(s, s, d);
    cz_fold_sub(p->y, u, s);
}

/* ---- columns ---- */

/* What a coefficient is. */
typedef enum { CZ_FOLD_ANY, CZ_FOLD_ONE, CZ_FOLD_MINUS_ONE, CZ_FOLD_ZERO } cz_fold_kind;

/* A term of a column: the number of a point of the transform, in its order there, or of a product;
 * or none. */
#define CZ_FOLD_NEGATED   0x80000000u
#define CZ_FOLD_IS_RESULT 0x40000000u
#define CZ_FOLD_NONE      0x7fffffffu

/* A sum to be made: of terms first, …, first + n - 1 and point `list` of the list, or none of
 * these; in later rounds, of sums. */
typedef struct {
    uint32_t first, n, to, list;
} cz_fold_job;

enum { CZ_FOLD_SEGMENT = 64, CZ_FOLD_MAX_ROUNDS = 8 };

/* A part of the columns; everything in device memory. */
struct cz_fold_part {
    uint32_t *points;     /* the transform, bit-reversed; read */
    const uint32_t *list; /* affine */
    unsigned log_n;
    size_t n; /* columns */
    size_t n_entries;
    const uint32_t *row, *coefficient;
    const cz_fr32 *coefficients;
    const uint8_t *kinds; /* of the coefficients */
    uint32_t *terms;
    cz_fold_factor *factors; /* as many as entries, at most */
    uint32_t *n_factors;
    uint32_t *products; /* theirs, affine */
    const cz_fold_job *jobs;
    unsigned n_rounds;
    size_t round_first[CZ_FOLD_MAX_ROUNDS + 1]; /* jobs */
    uint32_t *sums;                             /* xyzz; those of the columns first */
    uint32_t *running;                          /* a coordinate a column */
    uint32_t *bytes;
};

/** Its products. */
CZ_DEV struct cz_fold_task cz_fold_part_products(const struct cz_fold_part *part)
{
    const struct cz_fold_task task = {CZ_FOLD_FACTORS,
                                      part->points,
                                      0,
                                      part->n_entries,
                                      {NULL, NULL, 0},
                                      0,
                                      0,
                                      part->factors,
                                      part->n_factors,
                                      part->coefficients,
                                      part->products};

    return task;
}

CZ_DEV uint32_t cz_fold_next_number(uint32_t *counter)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(counter, 1);
#else
    return (*counter)++;
#endif
}

/** Entry i becomes a term, and a product to be made where it needs one. */
CZ_DEV void cz_fold_entry(const struct cz_fold_part *part, size_t i)
{
    const uint32_t coefficient = part->coefficient[i];
    uint32_t term = cz_fold_reverse(part->row[i], part->log_n);

    switch (part->kinds[coefficient]) {
    case CZ_FOLD_ONE:
        break;
    case CZ_FOLD_MINUS_ONE:
        term |= CZ_FOLD_NEGATED;
        break;
    case CZ_FOLD_ZERO:
        term = CZ_FOLD_NONE;
        break;
    default: {
        const uint32_t number = cz_fold_next_number(part->n_factors);

        part->factors[number].point = term;
        part->factors[number].coefficient = coefficient;
        term = number | CZ_FOLD_IS_RESULT;
        break;
    }
    }
    part->terms[i] = term;
}

CZ_DEV void cz_fold_add_point(cz_fold_xyzz *sum, const uint32_t *point, uint32_t negated)
{
    uint32_t x[12], y[12];

    cz_setup_load(x, point);
    cz_setup_load(y, point + 12);
    cz_fp32_negate_if(y, negated && !cz_limbs_are_zero(y, 12));
    cz_fold_xyzz_add(sum, x, y);
}

CZ_DEV void cz_fold_put_sum(uint32_t *sums, size_t i, const cz_fold_xyzz *sum)
{
    cz_setup_store(sums + 48 * i, sum->x);
    cz_setup_store(sums + 48 * i + 12, sum->y);
    cz_setup_store(sums + 48 * i + 24, sum->zz);
    cz_setup_store(sums + 48 * i + 36, sum->zzz);
}

CZ_DEV void cz_fold_get_sum(cz_fold_xyzz *sum, const uint32_t *sums, size_t i)
{
    cz_setup_load(sum->x, sums + 48 * i);
    cz_setup_load(sum->y, sums + 48 * i + 12);
    cz_setup_load(sum->zz, sums + 48 * i + 24);
    cz_setup_load(sum->zzz, sums + 48 * i + 36);
}

/** A job of the first round. */
CZ_DEV void cz_fold_sum_terms(const struct cz_fold_part *part, const cz_fold_job *job)
{
    cz_fold_xyzz sum;

    cz_fold_xyzz_zero(&sum);
    for (uint32_t i = 0; i <= job->n; i++) { /* the last is the list's point */
        const uint32_t term = i < job->n ? part->terms[job->first + i] : job->list;
        const uint32_t *from = i == job->n                ? part->list
                               : term & CZ_FOLD_IS_RESULT ? part->products
                                                          : part->points;
        const uint32_t number = i < job->n ? term & (CZ_FOLD_IS_RESULT - 1) : term;

        if (term != CZ_FOLD_NONE)
            cz_fold_add_point(&sum, from + (size_t)CZ_FOLD_POINT * number,
                              i < job->n && (term & CZ_FOLD_NEGATED) != 0);
    }
    cz_fold_put_sum(part->sums, job->to, &sum);
}

/** A job of a later round. */
CZ_DEV void cz_fold_sum_sums(const struct cz_fold_part *part, const cz_fold_job *job)
{
    cz_fold_xyzz sum, next;

    cz_fold_xyzz_zero(&sum);
    for (uint32_t i = 0; i < job->n; i++) {
        cz_fold_get_sum(&next, part->sums, job->first + i);
        cz_fold_xyzz_add_sum(&sum, &next);
    }
    cz_fold_put_sum(part->sums, job->to, &sum);
}

/** Point `first + i` of a transform, in natural order, as the file's bytes; i-th of `bytes`. */
CZ_DEV void cz_fold_encode(uint32_t *bytes, const uint32_t *points, unsigned log_n, size_t first,
                           size_t i)
{
    const uint32_t *from =
        points + (size_t)CZ_FOLD_POINT * cz_fold_reverse((uint32_t)(first + i), log_n);
    uint32_t x[12], y[12];
    int none;

    cz_setup_load(x, from);
    cz_setup_load(y, from + 12);
    none = cz_fold_is_infinity(x, y);
    cz_setup_encode(bytes + CZ_FOLD_POINT * i, x, none);
    cz_setup_encode(bytes + CZ_FOLD_POINT * i + 12, y, none);
    if (none)
        cz_setup_mark_infinity(bytes + CZ_FOLD_POINT * i);
}

#ifdef __cplusplus
}
#endif
#endif
