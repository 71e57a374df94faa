/* fr.h: Fr, the scalar field of BLS12-381 (order r, 255 bits).
 *
 * A cz_fr is always in Montgomery form (times 2^256), canonical (below r), limbs little-endian; a
 * cz_u256 is a plain integer. Conversions are named functions, never casts. Field arithmetic cannot
 * fail. Aliasing: results may overlap operands. Threads: everything here is safe from any thread.
 * Timing: add, sub, neg, mul and sqr do not branch on values; functions named _var do. */
#ifndef CZ_FIELD_FR_H
#define CZ_FIELD_FR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "field/addsub_x86.h"
#include "field/field_constants.h"
#include "field/kernels.h"
#include "field/modulus.h"
#include "field/mont.h"

typedef struct cz_fr {
    uint64_t l[4];
} cz_fr;

typedef struct cz_u256 {
    uint64_t l[4];
} cz_u256;

#define CZ_FR_ZERO ((cz_fr){{0, 0, 0, 0}})
#define CZ_FR_ONE  ((cz_fr){CZ_FR_R})

CZ_INLINE void cz_fr_add(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    cz_fr_add_x86(r->l, a->l, b->l);
}

CZ_INLINE void cz_fr_sub(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    cz_fr_sub_x86(r->l, a->l, b->l);
}

CZ_INLINE void cz_fr_dbl(cz_fr *r, const cz_fr *a)
{
    cz_fr_add(r, a, a);
}

CZ_INLINE void cz_fr_neg(cz_fr *r, const cz_fr *a)
{
    const cz_fr zero = CZ_FR_ZERO;

    cz_fr_sub(r, &zero, a);
}

CZ_INLINE void cz_fr_mul(cz_fr *r, const cz_fr *a, const cz_fr *b)
{
    cz_field_kernels.fr_mul(r, a, b);
}

CZ_INLINE void cz_fr_sqr(cz_fr *r, const cz_fr *a)
{
    cz_field_kernels.fr_sqr(r, a);
}

enum { CZ_FR_DOT_MAX = 64 };

/** The sum of a[i] b[i * b_stride], i < n, 1 <= n <= CZ_FR_DOT_MAX: products are added as integers
 * and reduced once. r overlaps neither. */
CZ_INLINE void cz_fr_dot(cz_fr *r, const cz_fr *a, const cz_fr *b, size_t b_stride, size_t n)
{
    cz_field_kernels.fr_dot(r, a, b, b_stride, n);
}

CZ_INLINE bool cz_fr_is_zero(const cz_fr *a)
{
    return (a->l[0] | a->l[1] | a->l[2] | a->l[3]) == 0;
}

CZ_INLINE bool cz_fr_equal(const cz_fr *a, const cz_fr *b)
{
    return ((a->l[0] ^ b->l[0]) | (a->l[1] ^ b->l[1]) | (a->l[2] ^ b->l[2]) |
            (a->l[3] ^ b->l[3])) == 0;
}

CZ_INLINE bool cz_fr_is_one(const cz_fr *a)
{
    const cz_fr one = CZ_FR_ONE;

    return cz_fr_equal(a, &one);
}

/** a^e, e a plain integer of n limbs. Variable time in e. */
void cz_fr_pow_var(cz_fr *r, const cz_fr *a, const uint64_t *e, size_t n);

/** 1/a; 0 gives 0. Does not branch on a. */
void cz_fr_inv(cz_fr *r, const cz_fr *a);

/** As cz_fr_inv, faster, in variable time. */
void cz_fr_inv_var(cz_fr *r, const cz_fr *a);

/** Every xs[i] becomes 1/xs[i], zeros stay zero; `scratch` takes n elements. 3 n multiplications
 * and one inversion. Variable time. */
void cz_fr_batch_inv(cz_fr *xs, cz_fr *scratch, size_t n);

void cz_fr_from_u64(cz_fr *r, uint64_t v);

/** The integer v mod r (v may be r or more). */
void cz_fr_from_u256(cz_fr *r, const cz_u256 *v);
void cz_fr_to_u256(cz_u256 *r, const cz_fr *a);

/** 32 bytes little-endian; false, and *r = 0, when the integer is r or more. */
CZ_MUST_CHECK bool cz_fr_from_le(cz_fr *r, const uint8_t bytes[32]);
CZ_MUST_CHECK bool cz_fr_from_be(cz_fr *r, const uint8_t bytes[32]);

/** 32 bytes little-endian, reduced mod r. */
void cz_fr_from_le_mod(cz_fr *r, const uint8_t bytes[32]);

/** Canonical bytes. */
void cz_fr_to_le(uint8_t bytes[32], const cz_fr *a);
void cz_fr_to_be(uint8_t bytes[32], const cz_fr *a);

/** A uniform element from the operating system's generator. */
CZ_MUST_CHECK cz_err cz_fr_random(cz_fr *r);

/** A primitive root of unity of order 2^log_n, log_n 0 … 32: the one that the network's domains
 * use. */
void cz_fr_root_of_unity(cz_fr *r, unsigned log_n);

#endif
