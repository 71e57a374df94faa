/* fold_product_device.h: products of points of G1 with scalars, for fold_device.h.
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
#ifndef CZ_PARAMS_FOLD_PRODUCT_DEVICE_H
#define CZ_PARAMS_FOLD_PRODUCT_DEVICE_H

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

/* Products are calls: in line, those of a doubling and an addition are more code than the
 * instruction cache holds. */
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

#define cz_fold_sub cz_fp32_sub_of_lazy

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

    cz_fold_mul(p->z, p->z, p->y);
    cz_fold_sqr(l, p->x);
    cz_fold_half(t, l);
    cz_fold_add(l, l, t); /* 3/2 x^2 */
    cz_fold_sqr(yy, p->y);
    cz_fold_mul(xyy, p->x, yy);
    cz_fold_sqr(p->x, l);
    cz_fold_sub(p->x, p->x, xyy);
    cz_fold_sub(p->x, p->x, xyy);
    cz_fold_sub(t, xyy, p->x);
    cz_fold_mul(p->y, l, t);
    cz_fold_sqr(yy, yy);
    cz_fold_sub(p->y, p->y, yy);
}

/* p += (x, y), which is neither p nor -p; neither is infinity. 8 products, 3 squares. */
CZ_DEV void cz_fold_mixed(cz_fold_jacobian *p, const uint32_t *x, const uint32_t *y)
{
    uint32_t h[12], r[12], t[12], v[12];

    cz_fold_sqr(t, p->z);
    cz_fold_mul(h, x, t);
    cz_fold_sub(h, h, p->x);
    cz_fold_mul(t, t, p->z);
    cz_fold_mul(r, y, t);
    cz_fold_sub(r, r, p->y);
    cz_fold_mul(p->z, p->z, h);
    cz_fold_sqr(t, h);
    cz_fold_mul(v, p->x, t);
    cz_fold_mul(t, t, h);
    cz_fold_sqr(p->x, r);
    cz_fold_sub(p->x, p->x, t);
    cz_fold_sub(p->x, p->x, v);
    cz_fold_sub(p->x, p->x, v);
    cz_fold_mul(t, p->y, t);
    cz_fold_sub(v, v, p->x);
    cz_fold_mul(p->y, r, v);
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

#ifdef __cplusplus
}
#endif
#endif
