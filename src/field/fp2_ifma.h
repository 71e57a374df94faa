/* fp2_ifma.h: Fp2 in the 8 lanes of AVX-512 IFMA; only for files named *_ifma.c.
 *
 * Both coordinates of a cz_fp2_x8 follow the rules of fp_ifma.h, in its words: "< k p" holds of the
 * value of each lane of both. Only products are more than their Fp parts. */
#ifndef CZ_FIELD_FP2_IFMA_H
#define CZ_FIELD_FP2_IFMA_H

#include "field/fp2.h"
#include "field/fp_ifma.h"

typedef struct {
    cz_fp_x8 c0, c1;
} cz_fp2_x8;

/* 256 p^2, in 16 limbs */
#define CZ_X8_256_P2                                                                               \
    {                                                                                              \
        0x0001c718e3900, 0x76382eab26aa0, 0x13cfd7ced6b1d, 0x43162c3383621, 0x6bf91ed3e71b7,       \
            0x85a87091a0496, 0xc86185c7b292e, 0x78ef011d68619, 0xa6ef531493309, 0x50a62cfd16ddc,   \
            0x59e49349e8bd0, 0xe50e7046b466e, 0x22f25e9e2dc90, 0x5fc74bd278eaa, 0x002a437a4b8c3,   \
            0x0000000000000                                                                        \
    }

static const uint64_t cz_x8_256_p2[16] = CZ_X8_256_P2;

/* ---- products ---- */

/* c = a b in 16 limbs */
CZ_X8_CALL void cz_x8_product(__m512i c[16], const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    __m512i t[17];

    CZ_X8_UNROLL
    for (int i = 0; i < 17; i++)
        t[i] = _mm512_setzero_si512();
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++) {
        cz_x8_product_row(t + i, a, b->l[i]);
        CZ_X8_UNROLL
        for (int j = 0; j < 9; j++)
            CZ_X8_FENCE(t[i + j]);
    }
    CZ_X8_UNROLL
    for (int i = 0; i < 16; i++)
        c[i] = t[i];
}

CZ_X8_CALL void cz_x8_reduce_call(cz_fp_x8 *r, const __m512i c[16])
{
    __m512i t[17];

    CZ_X8_UNROLL
    for (int i = 0; i < 16; i++)
        t[i] = c[i];
    t[16] = _mm512_setzero_si512();
    cz_x8_reduce(r, t);
}

/* r = a b: < CZ_X8_JUST; a, b carried, < 16 p. Three products and two reductions [AKLGL11]: c1 =
 * (a0 + a1)(b0 + b1) - a0 b0 - a1 b1, c0 = a0 b0 - a1 b1 + 256 p^2, neither negative. */
CZ_X8_CALL void cz_fp2_x8_mul(cz_fp2_x8 *r, const cz_fp2_x8 *a, const cz_fp2_x8 *b)
{
    const uint64_t *offset = cz_x8_256_p2;
    __m512i low[16], high[16], mixed[16];
    cz_fp_x8 sum_a, sum_b;

    cz_fp_x8_add(&sum_a, &a->c0, &a->c1);
    cz_fp_x8_add(&sum_b, &b->c0, &b->c1);
    cz_x8_product(low, &a->c0, &b->c0);
    cz_x8_product(high, &a->c1, &b->c1);
    cz_x8_product(mixed, &sum_a, &sum_b);
    CZ_X8_OPAQUE(offset);
    CZ_X8_UNROLL
    for (int i = 0; i < 16; i++) {
        mixed[i] = _mm512_sub_epi64(mixed[i], _mm512_add_epi64(low[i], high[i]));
        low[i] = _mm512_add_epi64(_mm512_sub_epi64(low[i], high[i]), CZ_X8_SET1(offset[i]));
    }
    cz_x8_reduce_call(&r->c0, low);
    cz_x8_reduce_call(&r->c1, mixed);
}

/* r = a^2: < CZ_X8_JUST; a carried, < 4 p. c0 = (a0 + a1)(a0 - a1 + 4 p), c1 = 2 a0 a1. */
CZ_X8_CALL void cz_fp2_x8_sqr(cz_fp2_x8 *r, const cz_fp2_x8 *a)
{
    cz_fp_x8 sum, difference, twice;

    cz_fp_x8_add(&sum, &a->c0, &a->c1);
    cz_fp_x8_sub_kp(&difference, &a->c0, &a->c1, 4);
    cz_fp_x8_add(&twice, &a->c0, &a->c0);
    cz_fp_x8_mul(&r->c1, &twice, &a->c1);
    cz_fp_x8_mul(&r->c0, &sum, &difference);
}

/* ---- the rest, by coordinates ---- */

CZ_INLINE void cz_fp2_x8_copy(cz_fp2_x8 *r, const cz_fp2_x8 *a)
{
    cz_fp_x8_copy(&r->c0, &a->c0);
    cz_fp_x8_copy(&r->c1, &a->c1);
}

CZ_INLINE void cz_fp2_x8_set_one(cz_fp2_x8 *r)
{
    static const uint64_t zero[8] = {0};

    cz_fp_x8_set_one(&r->c0);
    cz_fp_x8_set1(&r->c1, zero);
}

CZ_INLINE void cz_fp2_x8_add_raw(cz_fp2_x8 *r, const cz_fp2_x8 *a, const cz_fp2_x8 *b)
{
    cz_fp_x8_add_raw(&r->c0, &a->c0, &b->c0);
    cz_fp_x8_add_raw(&r->c1, &a->c1, &b->c1);
}

CZ_INLINE void cz_fp2_x8_sub_raw(cz_fp2_x8 *r, const cz_fp2_x8 *a, const cz_fp2_x8 *b)
{
    cz_fp_x8_sub_raw(&r->c0, &a->c0, &b->c0);
    cz_fp_x8_sub_raw(&r->c1, &a->c1, &b->c1);
}

CZ_INLINE void cz_fp2_x8_add_kp_raw(cz_fp2_x8 *r, const cz_fp2_x8 *a, uint64_t k)
{
    cz_fp_x8_add_kp_raw(&r->c0, &a->c0, k);
    cz_fp_x8_add_kp_raw(&r->c1, &a->c1, k);
}

CZ_INLINE void cz_fp2_x8_carry(cz_fp2_x8 *r)
{
    cz_fp_x8_carry(&r->c0);
    cz_fp_x8_carry(&r->c1);
}

CZ_INLINE void cz_fp2_x8_sub_kp(cz_fp2_x8 *r, const cz_fp2_x8 *a, const cz_fp2_x8 *b, uint64_t k)
{
    cz_fp_x8_sub_kp(&r->c0, &a->c0, &b->c0, k);
    cz_fp_x8_sub_kp(&r->c1, &a->c1, &b->c1, k);
}

CZ_INLINE void cz_fp2_x8_negate_raw(cz_fp2_x8 *r, const cz_fp2_x8 *a, __mmask8 negate)
{
    cz_fp_x8_negate_raw(&r->c0, &a->c0, negate);
    cz_fp_x8_negate_raw(&r->c1, &a->c1, negate);
}

CZ_INLINE void cz_fp2_x8_blend(cz_fp2_x8 *r, __mmask8 mask, const cz_fp2_x8 *a, const cz_fp2_x8 *b)
{
    cz_fp_x8_blend(&r->c0, mask, &a->c0, &b->c0);
    cz_fp_x8_blend(&r->c1, mask, &a->c1, &b->c1);
}

CZ_INLINE void cz_fp2_x8_canonical(cz_fp2_x8 *r, const cz_fp2_x8 *a)
{
    cz_fp_x8_canonical(&r->c0, &a->c0);
    cz_fp_x8_canonical(&r->c1, &a->c1);
}

CZ_INLINE __mmask8 cz_fp2_x8_maybe_equal(const cz_fp2_x8 *a, const cz_fp2_x8 *b)
{
    return cz_fp_x8_maybe_equal(&a->c0, &b->c0);
}

CZ_INLINE __mmask8 cz_fp2_x8_maybe_zero(const cz_fp2_x8 *a)
{
    return cz_fp_x8_maybe_zero(&a->c0);
}

CZ_INLINE void cz_fp2_x8_exchange(cz_fp2_x8 *r, const cz_fp2_x8 *a, int distance)
{
    cz_fp_x8_exchange(&r->c0, &a->c0, distance);
    cz_fp_x8_exchange(&r->c1, &a->c1, distance);
}

#endif
