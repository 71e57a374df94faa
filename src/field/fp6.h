/* fp6.h: Fp6 = Fp2[v] / (v^3 - (1 + u)), the middle of the tower that pairings live in.
 * c0 + c1 v + c2 v^2. Aliasing, threads and timing as in fr.h. */
#ifndef CZ_FIELD_FP6_H
#define CZ_FIELD_FP6_H

#include "field/fp2.h"

typedef struct cz_fp6 {
    cz_fp2 c0, c1, c2;
} cz_fp6;

CZ_INLINE void cz_fp6_add(cz_fp6 *r, const cz_fp6 *a, const cz_fp6 *b)
{
    cz_fp2_add(&r->c0, &a->c0, &b->c0);
    cz_fp2_add(&r->c1, &a->c1, &b->c1);
    cz_fp2_add(&r->c2, &a->c2, &b->c2);
}

CZ_INLINE void cz_fp6_sub(cz_fp6 *r, const cz_fp6 *a, const cz_fp6 *b)
{
    cz_fp2_sub(&r->c0, &a->c0, &b->c0);
    cz_fp2_sub(&r->c1, &a->c1, &b->c1);
    cz_fp2_sub(&r->c2, &a->c2, &b->c2);
}

CZ_INLINE void cz_fp6_neg(cz_fp6 *r, const cz_fp6 *a)
{
    cz_fp2_neg(&r->c0, &a->c0);
    cz_fp2_neg(&r->c1, &a->c1);
    cz_fp2_neg(&r->c2, &a->c2);
}

CZ_INLINE bool cz_fp6_equal(const cz_fp6 *a, const cz_fp6 *b)
{
    return cz_fp2_equal(&a->c0, &b->c0) && cz_fp2_equal(&a->c1, &b->c1) &&
           cz_fp2_equal(&a->c2, &b->c2);
}

/** 6 multiplications in Fp2 (Karatsuba). */
void cz_fp6_mul(cz_fp6 *r, const cz_fp6 *a, const cz_fp6 *b);

/** v a. */
void cz_fp6_mul_by_v(cz_fp6 *r, const cz_fp6 *a);

/** (b0 + b1 v) a: 5 multiplications in Fp2. */
void cz_fp6_mul_by_01(cz_fp6 *r, const cz_fp6 *a, const cz_fp2 *b0, const cz_fp2 *b1);

/** b1 v a: 3 multiplications in Fp2. */
void cz_fp6_mul_by_1(cz_fp6 *r, const cz_fp6 *a, const cz_fp2 *b1);

/** 1/a; 0 gives 0. */
void cz_fp6_inv(cz_fp6 *r, const cz_fp6 *a);

#endif
