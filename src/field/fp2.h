/* fp2.h: Fp2 = Fp[u] / (u^2 + 1), the field that G2's coordinates live in. c0 + c1 u. */
#ifndef CZ_FIELD_FP2_H
#define CZ_FIELD_FP2_H

#include "field/fp.h"

typedef struct cz_fp2 {
    cz_fp c0, c1;
} cz_fp2;

#define CZ_FP2_ZERO ((cz_fp2){CZ_FP_ZERO, CZ_FP_ZERO})
#define CZ_FP2_ONE  ((cz_fp2){CZ_FP_ONE, CZ_FP_ZERO})

CZ_INLINE void cz_fp2_add(cz_fp2 *r, const cz_fp2 *a, const cz_fp2 *b)
{
    cz_fp_add(&r->c0, &a->c0, &b->c0);
    cz_fp_add(&r->c1, &a->c1, &b->c1);
}

CZ_INLINE void cz_fp2_sub(cz_fp2 *r, const cz_fp2 *a, const cz_fp2 *b)
{
    cz_fp_sub(&r->c0, &a->c0, &b->c0);
    cz_fp_sub(&r->c1, &a->c1, &b->c1);
}

CZ_INLINE void cz_fp2_dbl(cz_fp2 *r, const cz_fp2 *a)
{
    cz_fp2_add(r, a, a);
}

CZ_INLINE void cz_fp2_neg(cz_fp2 *r, const cz_fp2 *a)
{
    cz_fp_neg(&r->c0, &a->c0);
    cz_fp_neg(&r->c1, &a->c1);
}

/* c0 - c1 u, which is also the p-th power */
CZ_INLINE void cz_fp2_conjugate(cz_fp2 *r, const cz_fp2 *a)
{
    r->c0 = a->c0;
    cz_fp_neg(&r->c1, &a->c1);
}

CZ_INLINE bool cz_fp2_is_zero(const cz_fp2 *a)
{
    return cz_fp_is_zero(&a->c0) && cz_fp_is_zero(&a->c1);
}

CZ_INLINE bool cz_fp2_equal(const cz_fp2 *a, const cz_fp2 *b)
{
    return cz_fp_equal(&a->c0, &b->c0) && cz_fp_equal(&a->c1, &b->c1);
}

/* (1 + u) a; 1 + u is what the tower above is built on */
CZ_INLINE void cz_fp2_mul_by_xi(cz_fp2 *r, const cz_fp2 *a)
{
    cz_fp t;

    cz_fp_sub(&t, &a->c0, &a->c1);
    cz_fp_add(&r->c1, &a->c0, &a->c1);
    r->c0 = t;
}

/** 3 multiplications in Fp (Karatsuba). */
void cz_fp2_mul(cz_fp2 *r, const cz_fp2 *a, const cz_fp2 *b);

/** 2 multiplications in Fp. */
void cz_fp2_sqr(cz_fp2 *r, const cz_fp2 *a);

/** 1/a; 0 gives 0. Does not branch on a. */
void cz_fp2_inv(cz_fp2 *r, const cz_fp2 *a);

/** As cz_fp2_inv, faster, in variable time. */
void cz_fp2_inv_var(cz_fp2 *r, const cz_fp2 *a);

/** As cz_fp_batch_inv. */
void cz_fp2_batch_inv(cz_fp2 *xs, cz_fp2 *scratch, size_t n);

/** A square root; false, *r undefined, when a is no square. */
CZ_MUST_CHECK bool cz_fp2_sqrt(cz_fp2 *r, const cz_fp2 *a);

/** The sign that point encodings store: c1's, or c0's where c1 is 0. */
bool cz_fp2_is_lexically_largest(const cz_fp2 *a);

#endif
