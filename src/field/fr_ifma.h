/* fr_ifma.h: eight elements of Fr at once, on AVX-512 IFMA. Included by *_ifma.c files alone, and
 * reached only after cz_cpu_has(CZ_CPU_AVX512IFMA).
 *
 * Form. A cz_fr8 holds one element a lane: five vectors of 52-bit limbs, value sum l[i] 2^(52 i)
 * mod 2^260. An element keeps the Montgomery form of cz_fr (times 2^256): loading only repacks
 * limbs.
 *
 *   loose       limbs are signed 64-bit numbers, the value mod 2^260 counts
 *   normalised  limbs 0 … 2^52 - 1
 *   canonical   normalised and below r
 *
 * 2^260 / r = 35.3 leaves room for lazy reduction; each function says what range it takes and
 * gives.
 *
 * Multiplication is by a prepared factor w (not in Montgomery form), with the quotient q = floor(w
 * 2^260 / r) beside it [Sho]: x w - floor(x q / 2^260) r, all mod 2^260. From x q only the five
 * highest of ten columns are summed, from the two other products the five lowest: 75 multiply-adds
 * where a Montgomery product takes 105, and no chain of quotient digits. Leaving out the columns
 * below makes the quotient up to 10 too small, so a product lies in [0, 10.1 r).
 *
 * Lanes. Loading eight elements of an array puts element cz_fr8_lane[i] into lane i (a permutation
 * that is its own inverse); loading rows and storing do the same, so lanes need care only when one
 * of them is singled out.
 *
 * [Sho] V. Shoup, NTL; analysed in D. Harvey, Faster arithmetic for number-theoretic transforms,
 * 2014, section 2. */
#ifndef CZ_FIELD_FR_IFMA_H
#define CZ_FIELD_FR_IFMA_H

#include <immintrin.h>

#include "field/fr.h"

typedef struct {
    __m512i l[5];
} cz_fr8;

/* Eight factors: w canonical, q its quotient. */
typedef struct {
    cz_fr8 w;
    cz_fr8 q;
} cz_fr8_factor;

/* A lane's limb, wherever a vector lies. */
typedef int64_t __attribute__((may_alias)) cz_fr8_limb;

static const uint8_t cz_fr8_lane[8] = {0, 2, 1, 3, 4, 6, 5, 7};

/* ---- constants: five limbs of 52 bits each; tests/unit/ntt/test_fr8.c remakes them ---- */

/* k r */
static const int64_t cz_fr8_1r[5] = {0xfffff00000001, 0x02fffe5bfefff, 0x9a1d80553bda4,
                                     0x7d483339d8080, 0x073eda753299d};
static const int64_t cz_fr8_4r[5] = {0xffffc00000004, 0x0bfff96ffbfff, 0x68760154ef690,
                                     0xf520cce760202, 0x1cfb69d4ca675};
static const int64_t cz_fr8_8r[5] = {0xffff800000008, 0x17fff2dff7fff, 0xd0ec02a9ded20,
                                     0xea4199cec0404, 0x39f6d3a994ceb};
static const int64_t cz_fr8_11r[5] = {0xffff50000000b, 0x20ffedf3f4fff, 0x9f4483a99260c,
                                      0x621a337c48586, 0x4fb363092c9c4};
static const int64_t cz_fr8_16r[5] = {0xffff000000010, 0x2fffe5bfeffff, 0xa1d80553bda40,
                                      0xd483339d80809, 0x73eda753299d7};

/* 2^260 - r */
static const int64_t cz_fr8_minus_r[5] = {0x00000ffffffff, 0xfd0001a401000, 0x65e27faac425b,
                                          0x82b7ccc627f7f, 0xf8c1258acd662};

/* -1/r mod 2^260 */
static const int64_t cz_fr8_minus_inv[5] = {0xffffeffffffff, 0xfffffe5bfdfff, 0x04ec0653ba5b,
                                            0x2839181b2c170, 0x03d443ab0d7bf};

/* floor(2^(260 + 46) / r): the highest limb times this is the quotient by r, times 2^(52 + 46) */
enum { CZ_FR8_QUOTIENT_SHIFT = 46 };
static const int64_t cz_fr8_quotient = 0x8d54253b7fb78;

/* 2^260 mod r and 2^-256 mod r, each with its quotient */
static const int64_t cz_fr8_2_260[10] = {
    0x00022ffffffdd, 0x9700396c23000, 0xedf77458d1293, 0xdf20ff1776e6a, 0x026821fa14f77,
    0xa020c0d639310, 0xbe4bad7142737, 0x08ed365043eb4, 0x7c38b5dcb707e, 0x55094edfede37};
static const int64_t cz_fr8_2_minus_256[10] = {
    0x75b69fe75c040, 0x8f09dc705f13f, 0xf77266aab6fca, 0x9d577204078a4, 0x01bbe86933000,
    0xfffeffffffff0, 0xffffe5bfdffff, 0x04ec0653ba5bf, 0x839181b2c1700, 0x3d443ab0d7bf2};

#define CZ_FR8_MASK _mm512_set1_epi64(0xfffffffffffff)

CZ_INLINE cz_fr8 cz_fr8_broadcast(const int64_t limbs[5])
{
    return (cz_fr8){{_mm512_set1_epi64(limbs[0]), _mm512_set1_epi64(limbs[1]),
                     _mm512_set1_epi64(limbs[2]), _mm512_set1_epi64(limbs[3]),
                     _mm512_set1_epi64(limbs[4])}};
}

CZ_INLINE cz_fr8_factor cz_fr8_factor_broadcast(const int64_t limbs[10])
{
    return (cz_fr8_factor){cz_fr8_broadcast(limbs), cz_fr8_broadcast(limbs + 5)};
}

/** One factor of eight, in every lane. */
CZ_INLINE cz_fr8_factor cz_fr8_factor_lane(const cz_fr8_factor *f, unsigned lane)
{
    const cz_fr8_limb *p = (const cz_fr8_limb *)f + lane;
    cz_fr8_factor r;

    for (int i = 0; i < 5; i++) {
        r.w.l[i] = _mm512_set1_epi64(p[8 * i]);
        r.q.l[i] = _mm512_set1_epi64(p[8 * i + 40]);
    }
    return r;
}

/* ---- loose arithmetic: no carries, no reduction ---- */

CZ_INLINE cz_fr8 cz_fr8_add(cz_fr8 a, cz_fr8 b)
{
    return (cz_fr8){{_mm512_add_epi64(a.l[0], b.l[0]), _mm512_add_epi64(a.l[1], b.l[1]),
                     _mm512_add_epi64(a.l[2], b.l[2]), _mm512_add_epi64(a.l[3], b.l[3]),
                     _mm512_add_epi64(a.l[4], b.l[4])}};
}

CZ_INLINE cz_fr8 cz_fr8_sub(cz_fr8 a, cz_fr8 b)
{
    return (cz_fr8){{_mm512_sub_epi64(a.l[0], b.l[0]), _mm512_sub_epi64(a.l[1], b.l[1]),
                     _mm512_sub_epi64(a.l[2], b.l[2]), _mm512_sub_epi64(a.l[3], b.l[3]),
                     _mm512_sub_epi64(a.l[4], b.l[4])}};
}

/* Subtract the constant where bit `bit` of the highest limb is set. Carries from the limbs below
 * are not in that limb yet; values stay away from the ends of [0, 2^260), so this moves the
 * threshold by less than 2^-30 of r and nothing else. */
CZ_INLINE cz_fr8 cz_fr8_sub_where(cz_fr8 a, int bit, const int64_t limbs[5])
{
    __mmask8 k = _mm512_test_epi64_mask(a.l[4], _mm512_set1_epi64(1LL << bit));
    cz_fr8 c = cz_fr8_broadcast(limbs);

    return (cz_fr8){{_mm512_mask_sub_epi64(a.l[0], k, a.l[0], c.l[0]),
                     _mm512_mask_sub_epi64(a.l[1], k, a.l[1], c.l[1]),
                     _mm512_mask_sub_epi64(a.l[2], k, a.l[2], c.l[2]),
                     _mm512_mask_sub_epi64(a.l[3], k, a.l[3], c.l[3]),
                     _mm512_mask_sub_epi64(a.l[4], k, a.l[4], c.l[4])}};
}

/** [0.8 r, 33 r) into [0.8 r, 17.7 r): 2^259 is 17.67 r. */
CZ_INLINE cz_fr8 cz_fr8_below_18r(cz_fr8 a)
{
    return cz_fr8_sub_where(a, 51, cz_fr8_16r);
}

/** [0.8 r, 33 r) into [0.8 r, 9.7 r): 2^258 is 8.83 r. */
CZ_INLINE cz_fr8 cz_fr8_below_10r(cz_fr8 a)
{
    return cz_fr8_sub_where(cz_fr8_below_18r(a), 50, cz_fr8_8r);
}

/** Carry, leaving in each limb bits above 52 that multiplications do not read. */
CZ_INLINE cz_fr8 cz_fr8_carry(cz_fr8 a)
{
    for (int i = 0; i < 4; i++)
        a.l[i + 1] = _mm512_add_epi64(a.l[i + 1], _mm512_srai_epi64(a.l[i], 52));
    return a;
}

CZ_INLINE cz_fr8 cz_fr8_normalise(cz_fr8 a)
{
    a = cz_fr8_carry(a);
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_and_si512(a.l[i], CZ_FR8_MASK);
    return a;
}

/* ---- multiplication ---- */

#define CZ_FR8_LO(acc, x, y) acc = _mm512_madd52lo_epu64(acc, x, y)
#define CZ_FR8_HI(acc, x, y) acc = _mm512_madd52hi_epu64(acc, x, y)

/* a + x y mod 2^260; a is loose, x and y are carried. */
CZ_INLINE cz_fr8 cz_fr8_low_product(cz_fr8 a, cz_fr8 x, cz_fr8 y)
{
    __m512i h1 = _mm512_setzero_si512();
    __m512i h2 = h1, h3 = h1, h4 = h1;

    CZ_FR8_LO(a.l[0], x.l[0], y.l[0]);
    CZ_FR8_LO(a.l[1], x.l[0], y.l[1]);
    CZ_FR8_LO(a.l[2], x.l[0], y.l[2]);
    CZ_FR8_LO(a.l[3], x.l[0], y.l[3]);
    CZ_FR8_LO(a.l[4], x.l[0], y.l[4]);
    CZ_FR8_HI(h1, x.l[0], y.l[0]);
    CZ_FR8_HI(h2, x.l[0], y.l[1]);
    CZ_FR8_HI(h3, x.l[0], y.l[2]);
    CZ_FR8_HI(h4, x.l[0], y.l[3]);
    CZ_FR8_LO(a.l[1], x.l[1], y.l[0]);
    CZ_FR8_LO(a.l[2], x.l[1], y.l[1]);
    CZ_FR8_LO(a.l[3], x.l[1], y.l[2]);
    CZ_FR8_LO(a.l[4], x.l[1], y.l[3]);
    CZ_FR8_HI(h2, x.l[1], y.l[0]);
    CZ_FR8_HI(h3, x.l[1], y.l[1]);
    CZ_FR8_HI(h4, x.l[1], y.l[2]);
    CZ_FR8_LO(a.l[2], x.l[2], y.l[0]);
    CZ_FR8_LO(a.l[3], x.l[2], y.l[1]);
    CZ_FR8_LO(a.l[4], x.l[2], y.l[2]);
    CZ_FR8_HI(h3, x.l[2], y.l[0]);
    CZ_FR8_HI(h4, x.l[2], y.l[1]);
    CZ_FR8_LO(a.l[3], x.l[3], y.l[0]);
    CZ_FR8_LO(a.l[4], x.l[3], y.l[1]);
    CZ_FR8_HI(h4, x.l[3], y.l[0]);
    CZ_FR8_LO(a.l[4], x.l[4], y.l[0]);
    a.l[1] = _mm512_add_epi64(a.l[1], h1);
    a.l[2] = _mm512_add_epi64(a.l[2], h2);
    a.l[3] = _mm512_add_epi64(a.l[3], h3);
    a.l[4] = _mm512_add_epi64(a.l[4], h4);
    return a;
}

/* About x y / 2^260, at most 9.1 below it, carried; x and y are carried. */
CZ_INLINE cz_fr8 cz_fr8_high_product(cz_fr8 x, cz_fr8 y)
{
    __m512i zero = _mm512_setzero_si512();
    __m512i g5 = zero, h5 = zero, g6 = zero, h6 = zero, c7 = zero, c8 = zero, c9 = zero;
    cz_fr8 r;

    CZ_FR8_HI(h5, x.l[0], y.l[4]);
    CZ_FR8_LO(g5, x.l[1], y.l[4]);
    CZ_FR8_HI(h5, x.l[1], y.l[3]);
    CZ_FR8_LO(g5, x.l[2], y.l[3]);
    CZ_FR8_HI(h5, x.l[2], y.l[2]);
    CZ_FR8_LO(g5, x.l[3], y.l[2]);
    CZ_FR8_HI(h5, x.l[3], y.l[1]);
    CZ_FR8_LO(g5, x.l[4], y.l[1]);
    CZ_FR8_HI(h5, x.l[4], y.l[0]);
    CZ_FR8_HI(h6, x.l[1], y.l[4]);
    CZ_FR8_LO(g6, x.l[2], y.l[4]);
    CZ_FR8_HI(h6, x.l[2], y.l[3]);
    CZ_FR8_LO(g6, x.l[3], y.l[3]);
    CZ_FR8_HI(h6, x.l[3], y.l[2]);
    CZ_FR8_LO(g6, x.l[4], y.l[2]);
    CZ_FR8_HI(h6, x.l[4], y.l[1]);
    CZ_FR8_HI(c7, x.l[2], y.l[4]);
    CZ_FR8_HI(c7, x.l[3], y.l[3]);
    CZ_FR8_HI(c7, x.l[4], y.l[2]);
    CZ_FR8_LO(c7, x.l[3], y.l[4]);
    CZ_FR8_LO(c7, x.l[4], y.l[3]);
    CZ_FR8_HI(c8, x.l[3], y.l[4]);
    CZ_FR8_HI(c8, x.l[4], y.l[3]);
    CZ_FR8_LO(c8, x.l[4], y.l[4]);
    CZ_FR8_HI(c9, x.l[4], y.l[4]);
    r = (cz_fr8){{_mm512_add_epi64(g5, h5), _mm512_add_epi64(g6, h6), c7, c8, c9}};
    return cz_fr8_carry(r);
}

/** a + x w: a is loose, x carried and anything below 2^260; the second term lies in [0, 10.1 r). */
CZ_INLINE cz_fr8 cz_fr8_mul_add(cz_fr8 a, cz_fr8 x, const cz_fr8_factor *f)
{
    cz_fr8 q = cz_fr8_high_product(x, f->q);

    a = cz_fr8_low_product(a, x, f->w);
    return cz_fr8_low_product(a, q, cz_fr8_broadcast(cz_fr8_minus_r));
}

/** [0, 2^260) loose into [0, 2 r) normalised. */
CZ_INLINE cz_fr8 cz_fr8_below_2r(cz_fr8 a)
{
    const cz_fr8 minus_r = cz_fr8_broadcast(cz_fr8_minus_r);
    __m512i q = _mm512_setzero_si512();

    CZ_FR8_HI(q, cz_fr8_carry(a).l[4], _mm512_set1_epi64(cz_fr8_quotient));
    q = _mm512_srli_epi64(q, CZ_FR8_QUOTIENT_SHIFT); /* a / r, or one less */
    for (int i = 0; i < 5; i++)
        CZ_FR8_LO(a.l[i], q, minus_r.l[i]);
    for (int i = 0; i < 4; i++)
        CZ_FR8_HI(a.l[i + 1], q, minus_r.l[i]);
    return cz_fr8_normalise(a);
}

/** [0, 2^260) loose into canonical. */
CZ_INLINE cz_fr8 cz_fr8_canonical(cz_fr8 a)
{
    cz_fr8 d;
    __mmask8 below;

    a = cz_fr8_below_2r(a);
    d = cz_fr8_carry(cz_fr8_sub(a, cz_fr8_broadcast(cz_fr8_1r)));
    below = _mm512_movepi64_mask(d.l[4]);
    for (int i = 0; i < 5; i++)
        a.l[i] = _mm512_mask_and_epi64(a.l[i], (__mmask8)~below, d.l[i], CZ_FR8_MASK);
    return a;
}

/** The factor for canonical w: q = (w 2^260 - (w 2^260 mod r)) / r, a division mod 2^260. */
CZ_INLINE cz_fr8_factor cz_fr8_prepare(cz_fr8 w)
{
    const cz_fr8 zero = {{_mm512_setzero_si512(), _mm512_setzero_si512(), _mm512_setzero_si512(),
                          _mm512_setzero_si512(), _mm512_setzero_si512()}};
    const cz_fr8_factor shift = cz_fr8_factor_broadcast(cz_fr8_2_260);
    cz_fr8 rest = cz_fr8_canonical(cz_fr8_mul_add(zero, w, &shift));
    cz_fr8 q = cz_fr8_low_product(zero, rest, cz_fr8_broadcast(cz_fr8_minus_inv));

    return (cz_fr8_factor){w, cz_fr8_normalise(q)};
}

/** Out of Montgomery form: carried, below 2^260, into canonical. */
CZ_INLINE cz_fr8 cz_fr8_plain(cz_fr8 a)
{
    const cz_fr8 r = cz_fr8_broadcast(cz_fr8_1r);
    const cz_fr8_factor shift = cz_fr8_factor_broadcast(cz_fr8_2_minus_256);

    return cz_fr8_canonical(cz_fr8_mul_add(r, a, &shift));
}

/** x y / 2^256 of canonical x and y, the product of two Montgomery forms; [0, 2 r) loose.
 *
 * Product, then a Montgomery reduction by 2^260 [KAA96]; the factor 2^4 that this takes too much is
 * given to x, which has room for it. -1/r = -(1 + 2^32) mod 2^52. */
CZ_INLINE cz_fr8 cz_fr8_mont_mul(cz_fr8 x, cz_fr8 y)
{
    const cz_fr8 r = cz_fr8_broadcast(cz_fr8_1r);
    const __m512i m_inv = _mm512_set1_epi64(cz_fr8_minus_inv[0]);
    __m512i t[11];

    for (int i = 4; i > 0; i--)
        x.l[i] = _mm512_or_si512(_mm512_slli_epi64(x.l[i], 4), _mm512_srli_epi64(x.l[i - 1], 48));
    x.l[0] = _mm512_slli_epi64(x.l[0], 4);
    for (int i = 0; i < 11; i++)
        t[i] = _mm512_setzero_si512();
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            CZ_FR8_LO(t[i + j], x.l[i], y.l[j]);
            CZ_FR8_HI(t[i + j + 1], x.l[i], y.l[j]);
        }
    for (int i = 0; i < 5; i++) {
        __m512i q = _mm512_setzero_si512();

        CZ_FR8_LO(q, t[i], m_inv);
        for (int j = 0; j < 5; j++) {
            CZ_FR8_LO(t[i + j], q, r.l[j]);
            CZ_FR8_HI(t[i + j + 1], q, r.l[j]);
        }
        t[i + 1] = _mm512_add_epi64(t[i + 1], _mm512_srli_epi64(t[i], 52));
    }
    return (cz_fr8){{t[5], t[6], t[7], t[8], t[9]}};
}

/* ---- in and out of memory ---- */

/* 64-bit limbs into 52-bit limbs: any 256-bit number, normalised. */
CZ_INLINE cz_fr8 cz_fr8_from_64(__m512i a, __m512i b, __m512i c, __m512i d)
{
    const __m512i mask = CZ_FR8_MASK;

    return (cz_fr8){{_mm512_and_si512(a, mask),
                     _mm512_and_si512(
                         _mm512_or_si512(_mm512_srli_epi64(a, 52), _mm512_slli_epi64(b, 12)), mask),
                     _mm512_and_si512(
                         _mm512_or_si512(_mm512_srli_epi64(b, 40), _mm512_slli_epi64(c, 24)), mask),
                     _mm512_and_si512(
                         _mm512_or_si512(_mm512_srli_epi64(c, 28), _mm512_slli_epi64(d, 36)), mask),
                     _mm512_srli_epi64(d, 16)}};
}

/* 52-bit limbs, normalised and below 2^256, into 64-bit limbs. */
CZ_INLINE void cz_fr8_to_64(__m512i out[4], cz_fr8 a)
{
    for (int i = 0; i < 4; i++)
        out[i] = _mm512_or_si512(_mm512_srli_epi64(a.l[i], (unsigned)(12 * i)),
                                 _mm512_slli_epi64(a.l[i + 1], (unsigned)(52 - 12 * i)));
}

/** Eight neighbours. */
CZ_INLINE cz_fr8 cz_fr8_load(const cz_fr *p)
{
    const __m512i z0 = _mm512_loadu_si512(p), z1 = _mm512_loadu_si512(p + 2);
    const __m512i z2 = _mm512_loadu_si512(p + 4), z3 = _mm512_loadu_si512(p + 6);
    const __m512i a = _mm512_unpacklo_epi64(z0, z1), b = _mm512_unpackhi_epi64(z0, z1);
    const __m512i c = _mm512_unpacklo_epi64(z2, z3), d = _mm512_unpackhi_epi64(z2, z3);

    return cz_fr8_from_64(_mm512_shuffle_i64x2(a, c, 0x88), _mm512_shuffle_i64x2(b, d, 0x88),
                          _mm512_shuffle_i64x2(a, c, 0xdd), _mm512_shuffle_i64x2(b, d, 0xdd));
}

CZ_INLINE void cz_fr8_store(cz_fr *p, cz_fr8 a)
{
    const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    __m512i l[4], even, odd;

    cz_fr8_to_64(l, a);
    even = _mm512_permutex2var_epi64(l[0], low, l[2]);
    odd = _mm512_permutex2var_epi64(l[1], low, l[3]);
    _mm512_storeu_si512(p, _mm512_unpacklo_epi64(even, odd));
    _mm512_storeu_si512(p + 2, _mm512_unpackhi_epi64(even, odd));
    even = _mm512_permutex2var_epi64(l[0], high, l[2]);
    odd = _mm512_permutex2var_epi64(l[1], high, l[3]);
    _mm512_storeu_si512(p + 4, _mm512_unpacklo_epi64(even, odd));
    _mm512_storeu_si512(p + 6, _mm512_unpackhi_epi64(even, odd));
}

/* Transpose 4 x 4 pairs of limbs. */
CZ_INLINE void cz_fr8_transpose_pairs(__m512i t[4])
{
    const __m512i a = _mm512_shuffle_i64x2(t[0], t[1], 0x44);
    const __m512i b = _mm512_shuffle_i64x2(t[2], t[3], 0x44);
    const __m512i c = _mm512_shuffle_i64x2(t[0], t[1], 0xee);
    const __m512i d = _mm512_shuffle_i64x2(t[2], t[3], 0xee);

    t[0] = _mm512_shuffle_i64x2(a, b, 0x88);
    t[1] = _mm512_shuffle_i64x2(a, b, 0xdd);
    t[2] = _mm512_shuffle_i64x2(c, d, 0x88);
    t[3] = _mm512_shuffle_i64x2(c, d, 0xdd);
}

/** Two neighbours from each of eight rows that begin `gap` elements apart. */
CZ_INLINE void cz_fr8_load_rows(cz_fr8 out[2], const cz_fr *p, size_t gap)
{
    __m512i even[4], odd[4];

    for (size_t i = 0; i < 4; i++) {
        const size_t row = i / 2 * 4 + i % 2;
        const __m512i z = _mm512_loadu_si512(p + row * gap);
        const __m512i y = _mm512_loadu_si512(p + (row + 2) * gap);

        even[i] = _mm512_unpacklo_epi64(z, y);
        odd[i] = _mm512_unpackhi_epi64(z, y);
    }
    cz_fr8_transpose_pairs(even);
    cz_fr8_transpose_pairs(odd);
    out[0] = cz_fr8_from_64(even[0], odd[0], even[1], odd[1]);
    out[1] = cz_fr8_from_64(even[2], odd[2], even[3], odd[3]);
}

/* Row i of the result: element i of in[0], then element i of in[1]. */
CZ_INLINE void cz_fr8_to_pairs(__m512i out[8], const cz_fr8 in[2])
{
    __m512i l[8], even[4], odd[4];

    cz_fr8_to_64(l, in[0]);
    cz_fr8_to_64(l + 4, in[1]);
    for (int i = 0; i < 4; i++) {
        even[i] = l[2 * i];
        odd[i] = l[2 * i + 1];
    }
    cz_fr8_transpose_pairs(even);
    cz_fr8_transpose_pairs(odd);
    for (size_t i = 0; i < 4; i++) {
        const size_t row = i / 2 * 4 + i % 2;

        out[row] = _mm512_unpacklo_epi64(even[i], odd[i]);
        out[row + 2] = _mm512_unpackhi_epi64(even[i], odd[i]);
    }
}

CZ_INLINE void cz_fr8_store_rows(cz_fr *p, size_t gap, const cz_fr8 in[2])
{
    __m512i rows[8];

    cz_fr8_to_pairs(rows, in);
    for (size_t row = 0; row < 8; row++)
        _mm512_storeu_si512(p + row * gap, rows[row]);
}

#endif
