/* fp_ifma.h: Fp in the 8 lanes of AVX-512 IFMA; only for files named *_ifma.c.
 *
 * A cz_fp_x8 holds 8 elements, one a lane, as 8 limbs of 52 bits: value = sum of l[i] 2^(52 i), in
 * Montgomery form for R = 2^416. R / p is above 2^35, so sums and differences need no reduction:
 * values are only bounded, and every function says which bounds it needs and gives. The words:
 *   carried    limbs 0 … 6 in [0, 2^52), limb 7 in [0, 2^52): the form that products take
 *   raw        limbs are signed integers below 2^58 in size: the form of sums before a carry
 *   canonical  carried, and below p
 *   "< k p"    the value of each lane
 * CZ_X8_JUST is p (1 + 2^-20): the bound of every product whose factors are < 16 p.
 *
 * Method: operand scanning with interleaved reduction [KAA96, section 5], a lane an element
 * [GK16]. The reduction's first six rows do not use p: a limb c of weight 2^(52 i) is replaced by
 * c (2^-52 mod p) of weight 2^(52 (i+1)), which needs no quotient digit, so that 16 instead of 17
 * products make a row and rows depend on one another through one product instead of two. Each such
 * row adds less than 2^52 p at its weight; the last two rows, the usual ones with quotient digits,
 * bring the sum below p (1 + 2^-50) + a b / 2^416. 258 IFMA a product, 202 a square.
 *
 * Compilers must not reorder rows: with all 258 products in view they run out of registers. FENCE
 * pins a row's sums, and the tables are read through pointers that the compiler cannot see through,
 * so that their entries stay memory operands.
 *
 * Results may overlap operands. Nothing here branches on values but the _canonical functions. */
#ifndef CZ_FIELD_FP_IFMA_H
#define CZ_FIELD_FP_IFMA_H

#include <immintrin.h>
#include <stdint.h>

#include "field/fp.h"

typedef struct {
    __m512i l[8];
} cz_fp_x8;

/* Calls cost less than the instruction cache that inlined products would take. */
#define CZ_X8_CALL static __attribute__((noinline, unused))

#define CZ_X8_MASK ((uint64_t)0xfffffffffffff)

/* Limbs of 52 bits of constants; checked by tests/unit/msm/test_fp_ifma.c. */
#define CZ_X8_P                                                                                    \
    {                                                                                              \
        0xeffffffffaaab, 0xfeb153ffffb9f, 0x6b0f6241eabff, 0x12bf6730d2a0f, 0x764774b84f385,       \
            0x1ba7b6434bacd, 0x1ea397fe69a4b, 0x000000001a011                                      \
    }
/* -1/p mod 2^52 */
#define CZ_X8_P_INV 0x3fffcfffcfffdu
/* 2^-52 mod p */
#define CZ_X8_SHIFT                                                                                \
    {                                                                                              \
        0x04be07d2027cb, 0xd7786e39002d4, 0xf51047083c4dd, 0x96079a7670223, 0x04ca513044b79,       \
            0x6615d3780ea11, 0xf9a5623d6a279, 0x0000000006803                                      \
    }
/* 2^416 mod p: one */
#define CZ_X8_ONE                                                                                  \
    {                                                                                              \
        0x6480ea8e9b9af, 0x65766c8fe444f, 0x8b540fea96f7d, 0x3b2ee82efd422, 0xa6723e5f0ade5,       \
            0xff6eb6fdd4230, 0xe06ef23c24a25, 0x0000000014c8e                                      \
    }
static const uint64_t cz_x8_p[8] = CZ_X8_P;
static const uint64_t cz_x8_shift[8] = CZ_X8_SHIFT;

/* k p, limb by limb, not carried */
#define CZ_X8_TIMES_P(k)                                                                           \
    {                                                                                              \
        (k) * 0xeffffffffaaabu, (k)*0xfeb153ffffb9fu, (k)*0x6b0f6241eabffu, (k)*0x12bf6730d2a0fu,  \
            (k)*0x764774b84f385u, (k)*0x1ba7b6434bacdu, (k)*0x1ea397fe69a4bu, (k)*0x000000001a011u \
    }
static const uint64_t cz_x8_kp[5][8] = {CZ_X8_TIMES_P(0), CZ_X8_TIMES_P(1), CZ_X8_TIMES_P(2),
                                        CZ_X8_TIMES_P(3), CZ_X8_TIMES_P(4)};

#define CZ_X8_FENCE(v)        __asm__("" : "+v"(v))
#define CZ_X8_OPAQUE(pointer) __asm__("" : "+r"(pointer))
#define CZ_X8_UNROLL          _Pragma("GCC unroll 16")
#define CZ_X8_SET1(limb)      _mm512_set1_epi64((long long)(limb))
#define CZ_X8_LOW(sum, a, b)  _mm512_madd52lo_epu64((sum), (a), (b))
#define CZ_X8_HIGH(sum, a, b) _mm512_madd52hi_epu64((sum), (a), (b))

/* ---- carries, sums, differences ---- */

/* raw, value in [0, 2^416) -> carried */
CZ_INLINE void cz_x8_carry_limbs(cz_fp_x8 *r, const __m512i *c)
{
    const __m512i mask = CZ_X8_SET1(CZ_X8_MASK);
    __m512i limb = c[0];

    CZ_X8_UNROLL
    for (int i = 0; i < 7; i++) {
        __m512i next = _mm512_add_epi64(c[i + 1], _mm512_srai_epi64(limb, 52));

        r->l[i] = _mm512_and_si512(limb, mask);
        limb = next;
    }
    r->l[7] = limb;
}

CZ_INLINE void cz_fp_x8_carry(cz_fp_x8 *r)
{
    cz_x8_carry_limbs(r, r->l);
}

CZ_INLINE void cz_fp_x8_set1(cz_fp_x8 *r, const uint64_t limbs[8])
{
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = CZ_X8_SET1(limbs[i]);
}

CZ_INLINE void cz_fp_x8_set_one(cz_fp_x8 *r)
{
    static const uint64_t one[8] = CZ_X8_ONE;

    cz_fp_x8_set1(r, one);
}

/* Limb by limb: copies of whole structures would stay in memory. */
CZ_INLINE void cz_fp_x8_copy(cz_fp_x8 *r, const cz_fp_x8 *a)
{
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = a->l[i];
}

/* r = a + b, raw */
CZ_INLINE void cz_fp_x8_add_raw(cz_fp_x8 *r, const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(a->l[i], b->l[i]);
}

/* r = a - b, raw */
CZ_INLINE void cz_fp_x8_sub_raw(cz_fp_x8 *r, const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_sub_epi64(a->l[i], b->l[i]);
}

/* r = a + k p, raw; k at most 4 */
CZ_INLINE void cz_fp_x8_add_kp_raw(cz_fp_x8 *r, const cz_fp_x8 *a, uint64_t k)
{
    const uint64_t *kp = cz_x8_kp[k];

    CZ_X8_OPAQUE(kp);
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_add_epi64(a->l[i], CZ_X8_SET1(kp[i]));
}

/* r = a + b, carried; of carried values */
CZ_INLINE void cz_fp_x8_add(cz_fp_x8 *r, const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    cz_fp_x8_add_raw(r, a, b);
    cz_fp_x8_carry(r);
}

/* r = a - b + k p, carried; b <= k p, k at most 4 */
CZ_INLINE void cz_fp_x8_sub_kp(cz_fp_x8 *r, const cz_fp_x8 *a, const cz_fp_x8 *b, uint64_t k)
{
    cz_fp_x8_sub_raw(r, a, b);
    cz_fp_x8_add_kp_raw(r, r, k);
    cz_fp_x8_carry(r);
}

/* r = a, negated where the mask is set, raw */
CZ_INLINE void cz_fp_x8_negate_raw(cz_fp_x8 *r, const cz_fp_x8 *a, __mmask8 negate)
{
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_mask_sub_epi64(a->l[i], negate, _mm512_setzero_si512(), a->l[i]);
}

/* r = mask ? b : a */
CZ_INLINE void cz_fp_x8_blend(cz_fp_x8 *r, __mmask8 mask, const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_mask_blend_epi64(mask, a->l[i], b->l[i]);
}

/* ---- comparison, reduction to canonical form ---- */

/* Lanes where a = b, both carried (as limbs: as elements only where both are canonical). */
CZ_INLINE __mmask8 cz_fp_x8_equal(const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    __mmask8 same = 0xff;

    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        same = (__mmask8)(same & _mm512_cmpeq_epi64_mask(a->l[i], b->l[i]));
    return same;
}

/* Lanes where all limbs are 0. */
CZ_INLINE __mmask8 cz_fp_x8_is_zero(const cz_fp_x8 *a)
{
    __m512i any = a->l[0];

    CZ_X8_UNROLL
    for (int i = 1; i < 8; i++)
        any = _mm512_or_si512(any, a->l[i]);
    return _mm512_testn_epi64_mask(any, any);
}

/* Lanes where the lowest limbs agree: those where a = b, and seldom another. */
CZ_INLINE __mmask8 cz_fp_x8_maybe_equal(const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    return _mm512_cmpeq_epi64_mask(a->l[0], b->l[0]);
}

CZ_INLINE __mmask8 cz_fp_x8_maybe_zero(const cz_fp_x8 *a)
{
    return _mm512_testn_epi64_mask(a->l[0], a->l[0]);
}

/* Carried, < 2 p -> canonical. */
CZ_X8_CALL void cz_fp_x8_subtract_p_once(cz_fp_x8 *r)
{
    cz_fp_x8 d;
    __mmask8 below;

    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        d.l[i] = _mm512_sub_epi64(r->l[i], CZ_X8_SET1(cz_x8_p[i]));
    cz_fp_x8_carry(&d);
    below = _mm512_movepi64_mask(d.l[7]);
    cz_fp_x8_blend(r, below, &d, r);
}

/* raw, value in [0, 3 p + 2^-10 p) -> canonical.
 *
 * The value's bits from 364 on, T, are found from the upper three raw limbs to within 1: e. The
 * multiple k p, k = 1, 2, is subtracted where e >= floor(k p / 2^364) + 2; then T >= floor(k p /
 * 2^364) + 1, so k p is not above the value, and the rest is below p + max(4 2^364, 2^-10 p). That
 * it is still p or more happens to one lane in about 2^15, and is looked for. */
CZ_INLINE void cz_fp_x8_canonical(cz_fp_x8 *r, const cz_fp_x8 *a)
{
    enum { P_TOP = 0x1a011, P_TOP_2 = 0x34022 };
    __m512i e = _mm512_add_epi64(a->l[6], _mm512_srai_epi64(a->l[5], 52));
    const uint64_t *p = cz_x8_p;
    __mmask8 from_1, from_2;

    CZ_X8_OPAQUE(p);
    e = _mm512_add_epi64(a->l[7], _mm512_srai_epi64(e, 52));
    from_1 = _mm512_cmpge_epi64_mask(e, CZ_X8_SET1(P_TOP + 2));
    from_2 = _mm512_cmpge_epi64_mask(e, CZ_X8_SET1(P_TOP_2 + 2));
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++) {
        __m512i limb = _mm512_mask_sub_epi64(a->l[i], from_1, a->l[i], CZ_X8_SET1(p[i]));

        r->l[i] = _mm512_mask_sub_epi64(limb, from_2, limb, CZ_X8_SET1(p[i]));
    }
    cz_fp_x8_carry(r);
    if (__builtin_expect(_mm512_cmpge_epi64_mask(r->l[7], CZ_X8_SET1(P_TOP)) != 0, 0)) {
        cz_fp_x8 t; /* so that r may live in registers */

        cz_fp_x8_copy(&t, r);
        cz_fp_x8_subtract_p_once(&t);
        cz_fp_x8_copy(r, &t);
    }
}

/* ---- products ---- */

/* c[i] … c[i + 8] += a b_i 2^(52 i); c has 17 limbs */
CZ_INLINE void cz_x8_product_row(__m512i *c, const cz_fp_x8 *a, __m512i b_i)
{
    CZ_X8_UNROLL
    for (int j = 0; j < 8; j++)
        c[j] = CZ_X8_LOW(c[j], b_i, a->l[j]);
    CZ_X8_UNROLL
    for (int j = 0; j < 8; j++)
        c[j + 1] = CZ_X8_HIGH(c[j + 1], b_i, a->l[j]);
}

/* Move limb c[0] up: c[0] 2^-52 mod p, added to c[1] … c[9]. */
CZ_INLINE void cz_x8_shift_row(__m512i *c)
{
    const uint64_t *shift = cz_x8_shift;
    __m512i low = c[0];

    CZ_X8_OPAQUE(shift);
    c[1] = _mm512_add_epi64(c[1], _mm512_srai_epi64(low, 52));
    CZ_X8_UNROLL
    for (int j = 0; j < 8; j++)
        c[j + 1] = CZ_X8_LOW(c[j + 1], low, CZ_X8_SET1(shift[j]));
    CZ_X8_UNROLL
    for (int j = 0; j < 8; j++)
        c[j + 2] = CZ_X8_HIGH(c[j + 2], low, CZ_X8_SET1(shift[j]));
}

/* The same by a quotient digit: c + q p with c[0] = 0 mod 2^52. */
CZ_INLINE void cz_x8_quotient_row(__m512i *c)
{
    const uint64_t *p = cz_x8_p;
    __m512i q = CZ_X8_LOW(_mm512_setzero_si512(), c[0], CZ_X8_SET1(CZ_X8_P_INV));

    CZ_X8_OPAQUE(p);
    CZ_X8_UNROLL
    for (int j = 0; j < 8; j++)
        c[j] = CZ_X8_LOW(c[j], q, CZ_X8_SET1(p[j]));
    c[1] = _mm512_add_epi64(c[1], _mm512_srai_epi64(c[0], 52));
    CZ_X8_UNROLL
    for (int j = 0; j < 8; j++)
        c[j + 1] = CZ_X8_HIGH(c[j + 1], q, CZ_X8_SET1(p[j]));
}

enum { CZ_X8_SHIFT_ROWS = 6 };

CZ_INLINE void cz_x8_reduction_row(__m512i *c, int i)
{
    if (i < CZ_X8_SHIFT_ROWS)
        cz_x8_shift_row(c + i);
    else
        cz_x8_quotient_row(c + i);
}

/* r = c / 2^416. c: 16 limbs and a spare one, signed, below 2^60 in size; value in [0, 2^776).
 * Gives carried, < CZ_X8_JUST. */
CZ_INLINE void cz_x8_reduce(cz_fp_x8 *r, __m512i c[17])
{
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++) {
        cz_x8_reduction_row(c, i);
        CZ_X8_UNROLL
        for (int j = 1; j < 9; j++)
            CZ_X8_FENCE(c[i + j]);
    }
    cz_x8_carry_limbs(r, c + 8);
}

/* r = a b: carried, < CZ_X8_JUST; a, b carried, < 16 p */
CZ_X8_CALL void cz_fp_x8_mul(cz_fp_x8 *r, const cz_fp_x8 *a, const cz_fp_x8 *b)
{
    __m512i c[17];

    CZ_X8_UNROLL
    for (int i = 0; i < 17; i++)
        c[i] = _mm512_setzero_si512();
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++) {
        cz_x8_product_row(c + i, a, b->l[i]);
        cz_x8_reduction_row(c, i);
        CZ_X8_UNROLL
        for (int j = 1; j < 10; j++)
            if (i + j < 17)
                CZ_X8_FENCE(c[i + j]);
    }
    cz_x8_carry_limbs(r, c + 8);
}

/* c = a^2 in 16 limbs; c[16] = 0 */
CZ_INLINE void cz_x8_square(__m512i c[17], const cz_fp_x8 *a)
{
    CZ_X8_UNROLL
    for (int i = 0; i < 17; i++)
        c[i] = _mm512_setzero_si512();
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++) {
        CZ_X8_UNROLL
        for (int j = i + 1; j < 8; j++)
            c[i + j] = CZ_X8_LOW(c[i + j], a->l[i], a->l[j]);
        CZ_X8_UNROLL
        for (int j = i + 1; j < 8; j++)
            c[i + j + 1] = CZ_X8_HIGH(c[i + j + 1], a->l[i], a->l[j]);
        CZ_X8_UNROLL
        for (int j = 0; j < 16; j++)
            CZ_X8_FENCE(c[j]);
    }
    CZ_X8_UNROLL
    for (int i = 1; i < 15; i++)
        c[i] = _mm512_add_epi64(c[i], c[i]);
    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++) {
        c[2 * i] = CZ_X8_LOW(c[2 * i], a->l[i], a->l[i]);
        c[2 * i + 1] = CZ_X8_HIGH(c[2 * i + 1], a->l[i], a->l[i]);
    }
    CZ_X8_UNROLL
    for (int j = 0; j < 16; j++)
        CZ_X8_FENCE(c[j]);
}

/* r = a^2: carried, < CZ_X8_JUST; a carried, < 16 p */
CZ_X8_CALL void cz_fp_x8_sqr(cz_fp_x8 *r, const cz_fp_x8 *a)
{
    __m512i c[17];

    cz_x8_square(c, a);
    cz_x8_reduce(r, c);
}

/* ---- between lanes and memory ---- */

/* Transpose an 8 x 8 matrix of 64-bit words. */
CZ_INLINE void cz_x8_transpose(__m512i r[8], const __m512i a[8])
{
    const __m512i even = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
    const __m512i odd = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
    __m512i low[4], high[4]; /* of two rows each: words 0 2 4 6, words 1 3 5 7 */

    CZ_X8_UNROLL
    for (int i = 0; i < 4; i++) {
        low[i] = _mm512_unpacklo_epi64(a[2 * i], a[2 * i + 1]);
        high[i] = _mm512_unpackhi_epi64(a[2 * i], a[2 * i + 1]);
    }
    CZ_X8_UNROLL
    for (int half = 0; half < 2; half++) {
        const __m512i *t = half == 0 ? low : high;
        __m512i u0 = _mm512_permutex2var_epi64(t[0], even, t[1]); /* rows 0-3, words h, h + 4 */
        __m512i u1 = _mm512_permutex2var_epi64(t[2], even, t[3]);
        __m512i v0 = _mm512_permutex2var_epi64(t[0], odd, t[1]); /* words h + 2, h + 6 */
        __m512i v1 = _mm512_permutex2var_epi64(t[2], odd, t[3]);

        r[half] = _mm512_shuffle_i64x2(u0, u1, 0x44);
        r[half + 4] = _mm512_shuffle_i64x2(u0, u1, 0xee);
        r[half + 2] = _mm512_shuffle_i64x2(v0, v1, 0x44);
        r[half + 6] = _mm512_shuffle_i64x2(v0, v1, 0xee);
    }
}

/* Words 4 half … 4 half + 3 of two rows. */
CZ_INLINE __m512i cz_x8_half_rows(const uint64_t *row, const uint64_t *other, int half)
{
    __m256i low = _mm256_load_si256((const __m256i *)row + half);

    return _mm512_inserti64x4(_mm512_castsi256_si512(low),
                              _mm256_load_si256((const __m256i *)other + half), 1);
}

/* 8 elements of 8 limbs each, each in one cache line. A transposition; taking half rows saves a
 * third of its shuffles. */
CZ_INLINE void cz_fp_x8_load(cz_fp_x8 *r, const uint64_t *const rows[8])
{
    CZ_X8_UNROLL
    for (int half = 0; half < 2; half++) {
        __m512i *l = r->l + 4 * half;
        __m512i a = cz_x8_half_rows(rows[0], rows[2], half);
        __m512i b = cz_x8_half_rows(rows[1], rows[3], half);
        __m512i c = cz_x8_half_rows(rows[4], rows[6], half);
        __m512i d = cz_x8_half_rows(rows[5], rows[7], half);
        __m512i low_ab = _mm512_unpacklo_epi64(a, b); /* rows 0 1: limbs 0, 2; rows 2 3 */
        __m512i high_ab = _mm512_unpackhi_epi64(a, b);
        __m512i low_cd = _mm512_unpacklo_epi64(c, d);
        __m512i high_cd = _mm512_unpackhi_epi64(c, d);

        l[0] = _mm512_shuffle_i64x2(low_ab, low_cd, 0x88);
        l[1] = _mm512_shuffle_i64x2(high_ab, high_cd, 0x88);
        l[2] = _mm512_shuffle_i64x2(low_ab, low_cd, 0xdd);
        l[3] = _mm512_shuffle_i64x2(high_ab, high_cd, 0xdd);
    }
}

/* The first n lanes. */
CZ_INLINE void cz_fp_x8_store(uint64_t *const rows[8], const cz_fp_x8 *a, unsigned n)
{
    __m512i t[8];

    cz_x8_transpose(t, a->l);
    if (__builtin_expect(n == 8, 1))
        CZ_X8_UNROLL
    for (unsigned i = 0; i < 8; i++)
        _mm512_store_si512(rows[i], t[i]);
    else for (unsigned i = 0; i < n; i++) _mm512_store_si512(rows[i], t[i]);
}

/* The integers below 2^384 that 8 cz_fp hold, as limbs of 52 bits: carried, nothing converted. */
CZ_INLINE void cz_fp_x8_unpack(cz_fp_x8 *r, const cz_fp *const rows[8])
{
    const __m512i mask = CZ_X8_SET1(CZ_X8_MASK);
    __m512i t[8], w[8];

    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        t[i] = _mm512_maskz_loadu_epi64(0x3f, rows[i]);
    cz_x8_transpose(w, t);
    r->l[0] = w[0];
    r->l[1] = _mm512_or_si512(_mm512_srli_epi64(w[0], 52), _mm512_slli_epi64(w[1], 12));
    r->l[2] = _mm512_or_si512(_mm512_srli_epi64(w[1], 40), _mm512_slli_epi64(w[2], 24));
    r->l[3] = _mm512_or_si512(_mm512_srli_epi64(w[2], 28), _mm512_slli_epi64(w[3], 36));
    r->l[4] = _mm512_or_si512(_mm512_srli_epi64(w[3], 16), _mm512_slli_epi64(w[4], 48));
    r->l[5] = _mm512_srli_epi64(w[4], 4);
    r->l[6] = _mm512_or_si512(_mm512_srli_epi64(w[4], 56), _mm512_slli_epi64(w[5], 8));
    r->l[7] = _mm512_srli_epi64(w[5], 44);
    CZ_X8_UNROLL
    for (int i = 0; i < 7; i++)
        r->l[i] = _mm512_and_si512(r->l[i], mask);
}

/* The first n lanes of carried values below 2^384 into cz_fp; nothing converted. */
CZ_INLINE void cz_fp_x8_pack(cz_fp *const rows[8], const cz_fp_x8 *a, unsigned n)
{
    const __m512i *l = a->l;
    __m512i t[8], w[8];

    w[0] = _mm512_or_si512(l[0], _mm512_slli_epi64(l[1], 52));
    w[1] = _mm512_or_si512(_mm512_srli_epi64(l[1], 12), _mm512_slli_epi64(l[2], 40));
    w[2] = _mm512_or_si512(_mm512_srli_epi64(l[2], 24), _mm512_slli_epi64(l[3], 28));
    w[3] = _mm512_or_si512(_mm512_srli_epi64(l[3], 36), _mm512_slli_epi64(l[4], 16));
    w[4] =
        _mm512_or_si512(_mm512_srli_epi64(l[4], 48),
                        _mm512_or_si512(_mm512_slli_epi64(l[5], 4), _mm512_slli_epi64(l[6], 56)));
    w[5] = _mm512_or_si512(_mm512_srli_epi64(l[6], 8), _mm512_slli_epi64(l[7], 44));
    w[6] = w[7] = _mm512_setzero_si512();
    cz_x8_transpose(t, w);
    for (unsigned i = 0; i < n; i++)
        _mm512_mask_storeu_epi64(rows[i], 0x3f, t[i]);
}

/* a with its lanes permuted: lane i of r is lane (i ^ distance) of a; distance 1, 2 or 4 */
CZ_INLINE void cz_fp_x8_exchange(cz_fp_x8 *r, const cz_fp_x8 *a, int distance)
{
    const __m512i lanes =
        _mm512_xor_si512(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), _mm512_set1_epi64(distance));

    CZ_X8_UNROLL
    for (int i = 0; i < 8; i++)
        r->l[i] = _mm512_permutexvar_epi64(lanes, a->l[i]);
}

#endif
