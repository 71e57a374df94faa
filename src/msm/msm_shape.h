/* msm_shape.h: how a sum is cut: windows of the scalars, signed digits, chunks of points.
 *
 * A scalar k < 2^255 is written in n_windows digits of c bits, all but the top one signed:
 * k = sum of d_w 2^(c w), -2^(c-1) <= d_w < 2^(c-1). Adding the constant sum of 2^(c-1) 2^(c w) to
 * k once makes every digit a plain bit field, so no carry is chained. Window w has one bucket for
 * each magnitude 1 … 2^bits(w); bits(w) is c - 1, and top_bits in the top window. */
#ifndef CZ_MSM_MSM_SHAPE_H
#define CZ_MSM_MSM_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

enum {
    CZ_MSM_SCALAR_BITS = 255,
    CZ_MSM_MAX_WINDOW = 20,
    CZ_MSM_RECODED_LIMBS = 5,
    CZ_MSM_SCALAR_BLOCK = 128
};

typedef struct {
    unsigned c; /* bits of a window, 2 … CZ_MSM_MAX_WINDOW */
    unsigned n_windows;
    unsigned top_bits; /* log2 of the top window's number of buckets */
    uint64_t offset[4];
} cz_msm_shape;

/** The shape of windows of c bits. */
void cz_msm_shape_init(cz_msm_shape *s, unsigned c);

/** The shape with the fewest point additions, when each of n points costs one addition a window and
 * each bucket costs per_bucket; c at most max_window, and less where the buckets would take much
 * more memory than the points. */
void cz_msm_shape_choose(cz_msm_shape *s, size_t n, unsigned per_bucket, unsigned max_window);

/** The same by the rule that msm.h's cz_msm_set_window has set. */
void cz_msm_shape_rule(cz_msm_shape *s, size_t n, unsigned per_bucket, unsigned max_window);

static inline unsigned cz_msm_bucket_bits(const cz_msm_shape *s, unsigned window)
{
    return window + 1 == s->n_windows ? s->top_bits : s->c - 1;
}

/** Number of the first bucket of a window; `window` may be n_windows: the number of all buckets. */
static inline size_t cz_msm_bucket_base(const cz_msm_shape *s, unsigned window)
{
    size_t lower = (size_t)1 << (s->c - 1);

    if (window == s->n_windows)
        return (window - 1) * lower + ((size_t)1 << s->top_bits);
    return window * lower;
}

static inline size_t cz_msm_n_buckets(const cz_msm_shape *s)
{
    return cz_msm_bucket_base(s, s->n_windows);
}

/** k plus the shape's constant; the digits are its bit fields. */
static inline void cz_msm_recode(uint64_t r[CZ_MSM_RECODED_LIMBS], const cz_u256 *k,
                                 const cz_msm_shape *s)
{
    uint64_t carry = 0;

    for (int i = 0; i < 4; i++)
        r[i] = cz_adc(k->l[i], s->offset[i], &carry);
    r[4] = 0; /* k < 2^255 and the constant is below 2^255 */
}

/* A digit is written as magnitude << 1 | negative; 0 is the digit 0. */

/** The digit whose bit field, with bits above it, is `field`. */
static inline uint32_t cz_msm_digit_of(uint32_t field, bool top, uint32_t half)
{
    int32_t d = (int32_t)(field & (2 * half - 1)) - (int32_t)half;
    int32_t sign = d >> 31; /* 0 or -1 */

    if (top)
        return field << 1; /* what is left above: unsigned */
    return (uint32_t)((d ^ sign) - sign) << 1 | (uint32_t)(sign & 1);
}

/** Digit of one recoded scalar. */
static inline uint32_t cz_msm_digit(const uint64_t r[CZ_MSM_RECODED_LIMBS], unsigned window,
                                    const cz_msm_shape *s)
{
    unsigned at = window * s->c;
    unsigned shift = at % 64;
    uint64_t low = r[at / 64] >> shift;
    uint64_t high = r[at / 64 + 1] << 1 << (63 - shift);

    return cz_msm_digit_of((uint32_t)(low | high), window + 1 == s->n_windows, 1u << (s->c - 1));
}

/* Many recoded scalars, limb by limb, so that compilers make vectors of the loops. */
typedef struct {
    uint64_t limbs[CZ_MSM_RECODED_LIMBS][CZ_MSM_SCALAR_BLOCK];
} cz_msm_scalar_block;

/** n scalars, at most CZ_MSM_SCALAR_BLOCK, recoded. */
static inline void cz_msm_recode_block(cz_msm_scalar_block *b, const cz_u256 *ks, size_t n,
                                       const cz_msm_shape *s)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t r[CZ_MSM_RECODED_LIMBS];

        cz_msm_recode(r, &ks[i], s);
        for (int l = 0; l < CZ_MSM_RECODED_LIMBS; l++)
            b->limbs[l][i] = r[l];
    }
}

/** Their digits in a window. */
static inline void cz_msm_digit_block(uint32_t *digits, const cz_msm_scalar_block *b, size_t n,
                                      unsigned window, const cz_msm_shape *s)
{
    unsigned at = window * s->c;
    unsigned shift = at % 64;
    bool top = window + 1 == s->n_windows;
    uint32_t half = 1u << (s->c - 1);
    const uint64_t *low = b->limbs[at / 64];
    const uint64_t *high = b->limbs[at / 64 + 1];

    for (size_t i = 0; i < n; i++)
        digits[i] =
            cz_msm_digit_of((uint32_t)(low[i] >> shift | high[i] << 1 << (63 - shift)), top, half);
}

#endif
