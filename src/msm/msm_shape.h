/* msm_shape.h: how a sum is cut: windows of the scalars, signed digits, chunks of points.
 *
 * A scalar k < 2^255 is written in n_windows digits of c bits, all but the top one signed:
 * k = sum of d_w 2^(c w), -2^(c-1) <= d_w < 2^(c-1). Adding the constant sum of 2^(c-1) 2^(c w) to
 * k once makes every digit a plain bit field, so no carry is chained. Window w has one bucket for
 * each magnitude 1 … 2^bits(w); bits(w) is c - 1, and top_bits in the top window. */
#ifndef CZ_MSM_MSM_SHAPE_H
#define CZ_MSM_MSM_SHAPE_H

#include <stddef.h>
#include <stdint.h>

#include "field/fr.h"

enum { CZ_MSM_SCALAR_BITS = 255, CZ_MSM_MAX_WINDOW = 20, CZ_MSM_RECODED_LIMBS = 5 };

typedef struct {
    unsigned c; /* bits of a window, 2 … CZ_MSM_MAX_WINDOW */
    unsigned n_windows;
    unsigned top_bits; /* log2 of the top window's number of buckets */
    uint64_t offset[4];
} cz_msm_shape;

/** The shape of windows of c bits. */
void cz_msm_shape_init(cz_msm_shape *s, unsigned c);

/** The shape with the fewest point additions, when each of n points costs one addition a window and
 * each bucket costs per_bucket; c at most max_window. */
void cz_msm_shape_choose(cz_msm_shape *s, size_t n, unsigned per_bucket, unsigned max_window);

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

/** Digit of a recoded scalar: magnitude << 1 | negative; 0 for the digit 0. */
static inline uint32_t cz_msm_digit(const uint64_t r[CZ_MSM_RECODED_LIMBS], unsigned window,
                                    const cz_msm_shape *s)
{
    unsigned at = window * s->c;
    unsigned shift = at % 64;
    uint64_t low = r[at / 64] >> shift;
    uint64_t high = r[at / 64 + 1] << 1 << (63 - shift);
    uint32_t field = (uint32_t)(low | high);
    uint32_t half = 1u << (s->c - 1);

    if (window + 1 == s->n_windows)
        return field << 1; /* what is left above: unsigned */
    field &= 2 * half - 1;
    return field >= half ? (field - half) << 1 : (half - field) << 1 | 1;
}

#endif
