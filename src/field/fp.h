/* fp.h: Fp, the base field of BLS12-381 (prime p, 381 bits).
 *
 * A cz_fp is always in Montgomery form (times 2^384), canonical (below p), limbs little-endian.
 * Aliasing, threads and timing as in fr.h. */
#ifndef CZ_FIELD_FP_H
#define CZ_FIELD_FP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "field/addsub_x86.h"
#include "field/field_constants.h"
#include "field/kernels.h"
#include "field/modulus.h"
#include "field/mont.h"

typedef struct cz_fp {
    uint64_t l[6];
} cz_fp;

#define CZ_FP_ZERO ((cz_fp){{0, 0, 0, 0, 0, 0}})
#define CZ_FP_ONE  ((cz_fp){CZ_FP_R})

CZ_INLINE void cz_fp_add(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    cz_fp_add_x86(r->l, a->l, b->l);
}

CZ_INLINE void cz_fp_sub(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    cz_fp_sub_x86(r->l, a->l, b->l);
}

CZ_INLINE void cz_fp_dbl(cz_fp *r, const cz_fp *a)
{
    cz_fp_add(r, a, a);
}

CZ_INLINE void cz_fp_neg(cz_fp *r, const cz_fp *a)
{
    const cz_fp zero = CZ_FP_ZERO;

    cz_fp_sub(r, &zero, a);
}

CZ_INLINE void cz_fp_mul(cz_fp *r, const cz_fp *a, const cz_fp *b)
{
    cz_field_kernels.fp_mul(r, a, b);
}

CZ_INLINE void cz_fp_sqr(cz_fp *r, const cz_fp *a)
{
    cz_field_kernels.fp_sqr(r, a);
}

CZ_INLINE bool cz_fp_is_zero(const cz_fp *a)
{
    return (a->l[0] | a->l[1] | a->l[2] | a->l[3] | a->l[4] | a->l[5]) == 0;
}

CZ_INLINE bool cz_fp_equal(const cz_fp *a, const cz_fp *b)
{
    uint64_t d = 0;

    for (int i = 0; i < 6; i++)
        d |= a->l[i] ^ b->l[i];
    return d == 0;
}

/** a^e, e a plain integer of n limbs. Variable time in e. */
void cz_fp_pow_var(cz_fp *r, const cz_fp *a, const uint64_t *e, size_t n);

/** 1/a; 0 gives 0. Does not branch on a. */
void cz_fp_inv(cz_fp *r, const cz_fp *a);

/** As cz_fp_inv, faster, in variable time. */
void cz_fp_inv_var(cz_fp *r, const cz_fp *a);

/** Every xs[i] becomes 1/xs[i], zeros stay zero; `scratch` takes n elements. 3 n multiplications
 * and one inversion. Variable time. */
void cz_fp_batch_inv(cz_fp *xs, cz_fp *scratch, size_t n);

/** A square root; false, *r undefined, when a is no square. */
CZ_MUST_CHECK bool cz_fp_sqrt(cz_fp *r, const cz_fp *a);

/** a^((p-3)/4): 1/sqrt(a) where a is a square, and what a root in Fp2 is made of. */
void cz_fp_inv_sqrt(cz_fp *r, const cz_fp *a);

/** True when the canonical integer is above (p - 1) / 2: the sign that point encodings store. */
bool cz_fp_is_lexically_largest(const cz_fp *a);

/** 48 bytes big-endian; false, and *r = 0, when the integer is p or more. */
CZ_MUST_CHECK bool cz_fp_from_be(cz_fp *r, const uint8_t bytes[48]);
CZ_MUST_CHECK bool cz_fp_from_le(cz_fp *r, const uint8_t bytes[48]);
void cz_fp_to_be(uint8_t bytes[48], const cz_fp *a);
void cz_fp_to_le(uint8_t bytes[48], const cz_fp *a);

#endif
