/* fp_device.h: Fp on CUDA devices, twelve 32-bit limbs; the same text runs on the host for tests.
 *
 * The bytes of an element are those of cz_fp: Montgomery form, R = 2^384, little-endian.
 * "canonical" is below p, "lazy" below 2 p; R / p = 9.8, so products need no final subtraction.
 *
 * Method: as fr_device.h; -1/p = -196611 mod 2^32. A square computes each mixed product once.
 * Inversion: half-delta divsteps, 30 at a time on 13 signed limbs of 30 bits [BY19]; all lanes of a
 * warp take the same steps, so 32 inversions cost as much as one.
 *
 * Cost on an H200: 27.8 G products, 34.6 G squares a second, the limit of its multipliers. */
#ifndef CZ_FIELD_FP_DEVICE_H
#define CZ_FIELD_FP_DEVICE_H

#include "field/field_constants.h"
#include "field/limbs32_device.h"

typedef struct {
    uint32_t v[12];
} cz_fp32;

#define CZ_FP32_M_INV ((uint32_t)CZ_FP_M_INV) /* -1/p mod 2^32 */

CZ_DEV uint32_t cz_fp32_modulus_limb(int i)
{
    const uint64_t m[6] = CZ_FP_MODULUS;

    return (uint32_t)(m[i / 2] >> (32 * (i % 2)));
}

CZ_DEV void cz_fp32_modulus(uint32_t *m)
{
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        m[i] = cz_fp32_modulus_limb(i);
}

CZ_DEV void cz_fp32_twice_modulus(uint32_t *m)
{
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        m[i] = cz_fp32_modulus_limb(i) << 1 | (i > 0 ? cz_fp32_modulus_limb(i - 1) >> 31 : 0);
}

CZ_DEV void cz_fp32_zero(uint32_t *r)
{
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        r[i] = 0;
}

CZ_DEV void cz_fp32_one(uint32_t *r)
{
    const uint64_t one[6] = CZ_FP_R;

    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        r[i] = (uint32_t)(one[i / 2] >> (32 * (i % 2)));
}

/* ---- products ---- */

/* Add q p to `even` (limbs 0 up) and `odd` (limbs 1 up), q = -even[0]/p mod 2^32. The carry into
 * `odd` is cc's. */
CZ_DEV void cz_fp32_add_multiple(uint32_t *even, uint32_t *odd, const uint32_t *odd_in, uint32_t q,
                                 cz_cc *cc)
{
    CZ_UNROLL
    for (int j = 0; j < 12; j += 2) {
        const uint32_t p = cz_fp32_modulus_limb(j + 1);

        odd[j] = cz_madc_lo_cc(p, q, odd_in[j], cc);
        odd[j + 1] =
            j < 10 ? cz_madc_hi_cc(p, q, odd_in[j + 1], cc) : cz_madc_hi(p, q, odd_in[j + 1], cc);
    }
    even[0] = cz_mad_lo_cc(cz_fp32_modulus_limb(0), q, even[0], cc);
    even[1] = cz_madc_hi_cc(cz_fp32_modulus_limb(0), q, even[1], cc);
    CZ_UNROLL
    for (int j = 2; j < 12; j += 2) {
        even[j] = cz_madc_lo_cc(cz_fp32_modulus_limb(j), q, even[j], cc);
        even[j + 1] = cz_madc_hi_cc(cz_fp32_modulus_limb(j), q, even[j + 1], cc);
    }
    odd[11] = cz_addc(odd[11], 0, cc);
}

/* Add the multiple of p that makes even[0] zero. */
CZ_DEV void cz_fp32_reduce_row(uint32_t *even, uint32_t *odd)
{
    const uint32_t q = even[0] * CZ_FP32_M_INV;
    cz_cc cc = {0};

    odd[0] = cz_mad_lo_cc(cz_fp32_modulus_limb(1), q, odd[0], &cc);
    odd[1] = cz_madc_hi_cc(cz_fp32_modulus_limb(1), q, odd[1], &cc);
    CZ_UNROLL
    for (int j = 2; j < 12; j += 2) {
        const uint32_t p = cz_fp32_modulus_limb(j + 1);

        odd[j] = cz_madc_lo_cc(p, q, odd[j], &cc);
        odd[j + 1] =
            j < 10 ? cz_madc_hi_cc(p, q, odd[j + 1], &cc) : cz_madc_hi(p, q, odd[j + 1], &cc);
    }
    even[0] = cz_mad_lo_cc(cz_fp32_modulus_limb(0), q, even[0], &cc);
    even[1] = cz_madc_hi_cc(cz_fp32_modulus_limb(0), q, even[1], &cc);
    CZ_UNROLL
    for (int j = 2; j < 12; j += 2) {
        even[j] = cz_madc_lo_cc(cz_fp32_modulus_limb(j), q, even[j], &cc);
        even[j + 1] = cz_madc_hi_cc(cz_fp32_modulus_limb(j), q, even[j + 1], &cc);
    }
    odd[11] = cz_addc(odd[11], 0, &cc);
}

/** r = a b / 2^384, lazy; a and b lazy, or one of them below 4 p. r may be a or b. */
CZ_DEV void cz_fp32_mul(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t even[12], odd[12];

    cz_row_first(even, odd, a, b[0], 12);
    cz_fp32_reduce_row(even, odd);
    CZ_UNROLL
    for (int i = 1; i < 12; i++) {
        cz_row_next(even, odd, a, b[i], 12);
        cz_fp32_reduce_row(even, odd);
    }
    cz_row_join(r, even, odd, 12);
}

/** r = (a b + c d) / 2^384, lazy, with one reduction; all at most 2 p. r may be one of them. */
CZ_DEV void cz_fp32_mul_sum(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                            const uint32_t *d)
{
    uint32_t even[12], odd[12];

    cz_row_first(even, odd, a, b[0], 12);
    cz_row_more(even, odd, c, d[0], 12);
    cz_fp32_reduce_row(even, odd);
    CZ_UNROLL
    for (int i = 1; i < 12; i++) {
        cz_row_next(even, odd, a, b[i], 12);
        cz_row_more(even, odd, c, d[i], 12);
        cz_fp32_reduce_row(even, odd);
    }
    cz_row_join(r, even, odd, 12);
}

/* t = sum of a[i] a[j] 2^(32 (i + j)) over i < j, 24 limbs. Products of even i + j go to one
 * accumulator, of odd to another, as in a row. */
CZ_DEV void cz_fp32_mixed_products(uint32_t *t, const uint32_t *a)
{
    uint32_t by_parity[2][26] = {{0}};
    cz_cc cc = {0};

    CZ_UNROLL
    for (int i = 0; i < 11; i++) {
        CZ_UNROLL
        for (int parity = 0; parity < 2; parity++) {
            uint32_t *w = by_parity[parity];
            const int first = i + 1 + ((2 * i + 1 + parity) & 1);
            const int last = 11 - ((i + 11 + parity) & 1);

            CZ_UNROLL
            for (int j = first; j <= last; j += 2) {
                const int c = i + j;

                if (i == 0) {
                    cz_mul_wide(&w[c], &w[c + 1], a[0], a[j]);
                    continue;
                }
                w[c] = j == first ? cz_mad_lo_cc(a[i], a[j], w[c], &cc)
                                  : cz_madc_lo_cc(a[i], a[j], w[c], &cc);
                /* where the row goes beyond those before, its end cannot carry */
                w[c + 1] = j == last && last == 11 ? cz_madc_hi(a[i], a[j], w[c + 1], &cc)
                                                   : cz_madc_hi_cc(a[i], a[j], w[c + 1], &cc);
            }
            if (i > 0 && first <= last && last < 11)
                w[i + last + 2] = cz_addc(w[i + last + 2], 0, &cc);
        }
    }
    t[0] = 0;
    t[1] = by_parity[1][1];
    t[2] = cz_add_cc(by_parity[0][2], by_parity[1][2], &cc);
    CZ_UNROLL
    for (int c = 3; c < 23; c++)
        t[c] = cz_addc_cc(by_parity[0][c], by_parity[1][c], &cc);
    t[23] = cz_addc(by_parity[0][23], by_parity[1][23], &cc);
}

/** r = a^2 / 2^384, lazy; a lazy. r may be a. */
CZ_DEV void cz_fp32_sqr(uint32_t *r, const uint32_t *a)
{
    uint32_t t[24], odd[12] = {0}, next[12], q;
    cz_cc cc = {0};

    cz_fp32_mixed_products(t, a);
    CZ_UNROLL
    for (int c = 23; c > 0; c--)
        t[c] = t[c] << 1 | t[c - 1] >> 31;
    t[0] = cz_mad_lo_cc(a[0], a[0], 0, &cc);
    t[1] = cz_madc_hi_cc(a[0], a[0], t[1], &cc);
    CZ_UNROLL
    for (int i = 1; i < 12; i++) {
        t[2 * i] = cz_madc_lo_cc(a[i], a[i], t[2 * i], &cc);
        t[2 * i + 1] = i < 11 ? cz_madc_hi_cc(a[i], a[i], t[2 * i + 1], &cc)
                              : cz_madc_hi(a[i], a[i], t[2 * i + 1], &cc);
    }
    /* reduce the low half; the high one comes in at the end */
    uint32_t even[12];

    cz_limbs_copy(even, t, 12);
    cz_fp32_reduce_row(even, odd);
    CZ_UNROLL
    for (int i = 1; i < 12; i++) {
        uint32_t shifted[12];

        CZ_UNROLL
        for (int j = 0; j < 12; j++)
            shifted[j] = j < 10 ? even[j + 2] : 0;
        odd[0] = cz_add_cc(odd[0], even[1], &cc);
        q = odd[0] * CZ_FP32_M_INV;
        cz_fp32_add_multiple(odd, next, shifted, q, &cc);
        cz_limbs_copy(even, odd, 12);
        cz_limbs_copy(odd, next, 12);
    }
    cz_row_join(r, even, odd, 12);
    cz_limbs_add(r, r, t + 12, 12);
}

/* ---- sums ---- */

/** Lazy to canonical; r may be a. */
CZ_DEV void cz_fp32_canonical(uint32_t *r, const uint32_t *a)
{
    uint32_t m[12];

    cz_fp32_modulus(m);
    cz_limbs_reduce_once(r, a, m, 12);
}

/** r = a - b, lazy and not zero; a, b canonical: a - b + p. */
CZ_DEV void cz_fp32_sub_lazy(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t m[12], t[12];

    cz_fp32_modulus(m);
    cz_limbs_add(t, a, m, 12);
    (void)cz_limbs_sub(r, t, b, 12);
}

/** r = a - b for lazy a and b, lazy. */
CZ_DEV void cz_fp32_sub_of_lazy(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t m[12];

    cz_fp32_twice_modulus(m);
    cz_limbs_sub_mod(r, a, b, m, 12);
}

/** r = a - b for lazy a, canonical b: lazy. */
CZ_DEV void cz_fp32_sub_canonical(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    uint32_t m[12];

    cz_fp32_modulus(m);
    cz_limbs_sub_mod(r, a, b, m, 12);
}

/** r = a + b, all canonical. */
CZ_DEV void cz_fp32_add(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    cz_limbs_add(r, a, b, 12);
    cz_fp32_canonical(r, r);
}

/** r = a - b, all canonical. */
CZ_DEV void cz_fp32_sub(uint32_t *r, const uint32_t *a, const uint32_t *b)
{
    cz_fp32_sub_canonical(r, a, b);
}

/** a = p - a where `yes`: canonical when a is canonical and not zero. */
CZ_DEV void cz_fp32_negate_if(uint32_t *a, uint32_t yes)
{
    uint32_t m[12], t[12];

    cz_fp32_modulus(m);
    (void)cz_limbs_sub(t, m, a, 12);
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        a[i] = yes ? t[i] : a[i];
}

/* ---- inversion ---- */

enum { CZ_FP32_LIMBS30 = 13, CZ_FP32_DIVSTEP_ROUNDS = 30 };

/* Limb i of 30 bits of a number of 12 limbs of 32. */
CZ_DEV uint32_t cz_limb30(const uint32_t *a, int i)
{
    const int word = 30 * i / 32, shift = 30 * i % 32;
    uint64_t t = a[word];

    if (word + 1 < 12)
        t |= (uint64_t)a[word + 1] << 32;
    return (uint32_t)(t >> shift) & 0x3fffffff;
}

/* The transition matrix of 30 divsteps, times 2^30. */
typedef struct {
    int32_t u, v, q, r;
} cz_divsteps;

CZ_DEV int32_t cz_divsteps30(cz_divsteps *m, int32_t zeta, uint32_t f, uint32_t g)
{
    uint32_t u = 1, v = 0, q = 0, r = 1;

    for (int i = 0; i < 30; i++) {
        uint32_t swap = (uint32_t)(zeta >> 31);
        const uint32_t odd = 0u - (g & 1);
        const uint32_t x = (f ^ swap) - swap, y = (u ^ swap) - swap, z = (v ^ swap) - swap;

        g += x & odd;
        q += y & odd;
        r += z & odd;
        swap &= odd;
        zeta = (int32_t)((uint32_t)zeta ^ swap) - 1;
        f += g & swap;
        u += q & swap;
        v += r & swap;
        g >>= 1;
        u <<= 1;
        v <<= 1;
    }
    m->u = (int32_t)u, m->v = (int32_t)v, m->q = (int32_t)q, m->r = (int32_t)r;
    return zeta;
}

/* (d, e) = matrix (d, e) / 2^30 mod p, both in (-2 p, p). */
CZ_DEV void cz_divsteps_update_de(int32_t *d, int32_t *e, const int32_t *p, uint32_t p_inv,
                                  const cz_divsteps *m)
{
    const int32_t d_sign = d[12] >> 31, e_sign = e[12] >> 31;
    int32_t md = (m->u & d_sign) + (m->v & e_sign), me = (m->q & d_sign) + (m->r & e_sign);
    int64_t cd = (int64_t)m->u * d[0] + (int64_t)m->v * e[0];
    int64_t ce = (int64_t)m->q * d[0] + (int64_t)m->r * e[0];

    md -= (int32_t)((p_inv * (uint32_t)cd + (uint32_t)md) & 0x3fffffff);
    me -= (int32_t)((p_inv * (uint32_t)ce + (uint32_t)me) & 0x3fffffff);
    cd = (cd + (int64_t)p[0] * md) >> 30;
    ce = (ce + (int64_t)p[0] * me) >> 30;
    CZ_UNROLL
    for (int i = 1; i < CZ_FP32_LIMBS30; i++) {
        cd += (int64_t)m->u * d[i] + (int64_t)m->v * e[i] + (int64_t)p[i] * md;
        ce += (int64_t)m->q * d[i] + (int64_t)m->r * e[i] + (int64_t)p[i] * me;
        d[i - 1] = (int32_t)cd & 0x3fffffff;
        e[i - 1] = (int32_t)ce & 0x3fffffff;
        cd >>= 30;
        ce >>= 30;
    }
    d[12] = (int32_t)cd;
    e[12] = (int32_t)ce;
}

/* (f, g) = matrix (f, g) / 2^30; nonzero when g is. */
CZ_DEV int cz_divsteps_update_fg(int32_t *f, int32_t *g, const cz_divsteps *m)
{
    int64_t cf = ((int64_t)m->u * f[0] + (int64_t)m->v * g[0]) >> 30;
    int64_t cg = ((int64_t)m->q * f[0] + (int64_t)m->r * g[0]) >> 30;
    int any = 0;

    CZ_UNROLL
    for (int i = 1; i < CZ_FP32_LIMBS30; i++) {
        cf += (int64_t)m->u * f[i] + (int64_t)m->v * g[i];
        cg += (int64_t)m->q * f[i] + (int64_t)m->r * g[i];
        f[i - 1] = (int32_t)cf & 0x3fffffff;
        g[i - 1] = (int32_t)cg & 0x3fffffff;
        any |= g[i - 1];
        cf >>= 30;
        cg >>= 30;
    }
    f[12] = (int32_t)cf;
    g[12] = (int32_t)cg;
    return any | g[12];
}

/* d sign(f), in (-2 p, 2 p), to 32-bit limbs, canonical. */
CZ_DEV void cz_divsteps_result(uint32_t *r, const int32_t *d, int32_t f_sign)
{
    uint32_t w[CZ_FP32_LIMBS30], m[12], t[12];
    uint32_t negative;
    int64_t carry = 0;

    CZ_UNROLL
    for (int i = 0; i < CZ_FP32_LIMBS30; i++) {
        carry += (d[i] ^ f_sign) - f_sign;
        w[i] = i < 12 ? (uint32_t)carry & 0x3fffffff : (uint32_t)carry;
        carry >>= 30;
    }
    negative = (uint32_t)((int32_t)w[12] >> 31);
    CZ_UNROLL
    for (int i = 0; i < 12; i++) {
        const int limb = 32 * i / 30, shift = 32 * i % 30;
        uint64_t x = (uint64_t)w[limb] >> shift;

        if (limb + 1 < CZ_FP32_LIMBS30)
            x |= (uint64_t)w[limb + 1] << (30 - shift);
        if (limb + 2 < CZ_FP32_LIMBS30 && 60 - shift < 32)
            x |= (uint64_t)w[limb + 2] << (60 - shift);
        t[i] = (uint32_t)x;
    }
    cz_fp32_twice_modulus(m);
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        m[i] &= negative;
    cz_limbs_add(t, t, m, 12);
    cz_fp32_canonical(r, t);
}

/* r = the plain inverse of the plain integer a, lazy and not 0 mod p; canonical. */
CZ_DEV void cz_fp32_inverse_plain(uint32_t *r, const uint32_t *a)
{
    int32_t p[CZ_FP32_LIMBS30], f[CZ_FP32_LIMBS30], g[CZ_FP32_LIMBS30];
    int32_t d[CZ_FP32_LIMBS30], e[CZ_FP32_LIMBS30], zeta = -1;
    uint32_t m[12];

    cz_fp32_modulus(m);
    CZ_UNROLL
    for (int i = 0; i < CZ_FP32_LIMBS30; i++) {
        p[i] = f[i] = (int32_t)cz_limb30(m, i);
        g[i] = (int32_t)cz_limb30(a, i);
        d[i] = 0;
        e[i] = i == 0;
    }
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (int round = 0; round < CZ_FP32_DIVSTEP_ROUNDS; round++) {
        cz_divsteps matrix;

        zeta = cz_divsteps30(&matrix, zeta, (uint32_t)f[0] | (uint32_t)f[1] << 30,
                             (uint32_t)g[0] | (uint32_t)g[1] << 30);
        cz_divsteps_update_de(d, e, p, (0u - CZ_FP32_M_INV) & 0x3fffffff, &matrix);
        if (cz_divsteps_update_fg(f, g, &matrix) == 0)
            break;
    }
    cz_divsteps_result(r, d, f[12] >> 31);
}

/** r = 1/a in Montgomery form, canonical; a lazy. 0 gives 0. */
CZ_DEV void cz_fp32_inv(uint32_t *r, const uint32_t *a)
{
    const uint64_t r3[6] = CZ_FP_R3;
    uint32_t t[12], c[12];

    cz_fp32_inverse_plain(t, a);
    CZ_UNROLL
    for (int i = 0; i < 12; i++)
        c[i] = (uint32_t)(r3[i / 2] >> (32 * (i % 2)));
    cz_fp32_mul(t, t, c);
    cz_fp32_canonical(r, t);
}

#endif
