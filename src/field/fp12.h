/* fp12.h: Fp12 = Fp6[w] / (w^2 - v), where pairings take their values. c0 + c1 w.
 *
 * The cyclotomic subgroup is what the first part of a final exponentiation maps to: there the
 * inverse is the conjugate, and squaring is cheaper. Aliasing and threads as in fr.h. */
#ifndef CZ_FIELD_FP12_H
#define CZ_FIELD_FP12_H

#include "field/fp6.h"

typedef struct cz_fp12 {
    cz_fp6 c0, c1;
} cz_fp12;

void cz_fp12_set_one(cz_fp12 *r);
bool cz_fp12_is_one(const cz_fp12 *a);
bool cz_fp12_equal(const cz_fp12 *a, const cz_fp12 *b);

/** 18 multiplications in Fp2. */
void cz_fp12_mul(cz_fp12 *r, const cz_fp12 *a, const cz_fp12 *b);

/** 12 multiplications in Fp2. */
void cz_fp12_sqr(cz_fp12 *r, const cz_fp12 *a);

/** (b0 + b1 v + b4 v w) a, the shape of a line: 13 multiplications in Fp2. */
void cz_fp12_mul_by_014(cz_fp12 *r, const cz_fp12 *a, const cz_fp2 *b0, const cz_fp2 *b1,
                        const cz_fp2 *b4);

/** c0 - c1 w, the (p^6)-th power. */
void cz_fp12_conjugate(cz_fp12 *r, const cz_fp12 *a);

/** 1/a; 0 gives 0. */
void cz_fp12_inv(cz_fp12 *r, const cz_fp12 *a);

/** a^p. */
void cz_fp12_frobenius(cz_fp12 *r, const cz_fp12 *a);

/** a^2 for a in the cyclotomic subgroup: 9 squarings in Fp2 [GS10]. */
void cz_fp12_cyclotomic_sqr(cz_fp12 *r, const cz_fp12 *a);

#endif
