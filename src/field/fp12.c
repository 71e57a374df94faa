/* fp12.c: Fp12 = Fp6[w] / (w^2 - v). */
#include "field/fp12.h"

void cz_fp12_set_one(cz_fp12 *r)
{
    const cz_fp12 one = {{CZ_FP2_ONE, CZ_FP2_ZERO, CZ_FP2_ZERO},
                         {CZ_FP2_ZERO, CZ_FP2_ZERO, CZ_FP2_ZERO}};

    *r = one;
}

bool cz_fp12_is_one(const cz_fp12 *a)
{
    cz_fp12 one;

    cz_fp12_set_one(&one);
    return cz_fp12_equal(a, &one);
}

bool cz_fp12_equal(const cz_fp12 *a, const cz_fp12 *b)
{
    return cz_fp6_equal(&a->c0, &b->c0) && cz_fp6_equal(&a->c1, &b->c1);
}

void cz_fp12_mul(cz_fp12 *r, const cz_fp12 *a, const cz_fp12 *b)
{
    cz_fp6 v0, v1, s, t;

    cz_fp6_mul(&v0, &a->c0, &b->c0);
    cz_fp6_mul(&v1, &a->c1, &b->c1);
    cz_fp6_add(&s, &a->c0, &a->c1);
    cz_fp6_add(&t, &b->c0, &b->c1);
    cz_fp6_mul(&s, &s, &t);
    cz_fp6_sub(&s, &s, &v0);
    cz_fp6_sub(&r->c1, &s, &v1);
    cz_fp6_mul_by_v(&v1, &v1);
    cz_fp6_add(&r->c0, &v0, &v1);
}

/* c0 = (a0 + a1)(a0 + v a1) - (1 + v) a0 a1, c1 = 2 a0 a1 */
void cz_fp12_sqr(cz_fp12 *r, const cz_fp12 *a)
{
    cz_fp6 product, s, t;

    cz_fp6_mul(&product, &a->c0, &a->c1);
    cz_fp6_add(&s, &a->c0, &a->c1);
    cz_fp6_mul_by_v(&t, &a->c1);
    cz_fp6_add(&t, &t, &a->c0);
    cz_fp6_mul(&s, &s, &t);
    cz_fp6_sub(&s, &s, &product);
    cz_fp6_mul_by_v(&t, &product);
    cz_fp6_sub(&r->c0, &s, &t);
    cz_fp6_add(&r->c1, &product, &product);
}

void cz_fp12_mul_by_014(cz_fp12 *r, const cz_fp12 *a, const cz_fp2 *b0, const cz_fp2 *b1,
                        const cz_fp2 *b4)
{
    cz_fp6 v0, v1, s;
    cz_fp2 b14;

    cz_fp6_mul_by_01(&v0, &a->c0, b0, b1);
    cz_fp6_mul_by_1(&v1, &a->c1, b4);
    cz_fp2_add(&b14, b1, b4);
    cz_fp6_add(&s, &a->c0, &a->c1);
    cz_fp6_mul_by_01(&s, &s, b0, &b14);
    cz_fp6_sub(&s, &s, &v0);
    cz_fp6_sub(&r->c1, &s, &v1);
    cz_fp6_mul_by_v(&v1, &v1);
    cz_fp6_add(&r->c0, &v0, &v1);
}

void cz_fp12_conjugate(cz_fp12 *r, const cz_fp12 *a)
{
    r->c0 = a->c0;
    cz_fp6_neg(&r->c1, &a->c1);
}

/* conjugate(a) / (a0^2 - v a1^2) */
void cz_fp12_inv(cz_fp12 *r, const cz_fp12 *a)
{
    cz_fp6 norm, t;

    cz_fp6_mul(&norm, &a->c0, &a->c0);
    cz_fp6_mul(&t, &a->c1, &a->c1);
    cz_fp6_mul_by_v(&t, &t);
    cz_fp6_sub(&norm, &norm, &t);
    cz_fp6_inv(&norm, &norm);
    cz_fp6_mul(&r->c0, &a->c0, &norm);
    cz_fp6_mul(&t, &a->c1, &norm);
    cz_fp6_neg(&r->c1, &t);
}

/* As a polynomial in w over Fp2 the coefficients are c0.c0, c1.c0, c0.c1, c1.c1, c0.c2, c1.c2. */
void cz_fp12_frobenius(cz_fp12 *r, const cz_fp12 *a)
{
    static const cz_fp2 factors[5] = CZ_FP12_FROBENIUS;

    cz_fp2_conjugate(&r->c0.c0, &a->c0.c0);
    cz_fp2_conjugate(&r->c1.c0, &a->c1.c0);
    cz_fp2_conjugate(&r->c0.c1, &a->c0.c1);
    cz_fp2_conjugate(&r->c1.c1, &a->c1.c1);
    cz_fp2_conjugate(&r->c0.c2, &a->c0.c2);
    cz_fp2_conjugate(&r->c1.c2, &a->c1.c2);
    cz_fp2_mul(&r->c1.c0, &r->c1.c0, &factors[0]);
    cz_fp2_mul(&r->c0.c1, &r->c0.c1, &factors[1]);
    cz_fp2_mul(&r->c1.c1, &r->c1.c1, &factors[2]);
    cz_fp2_mul(&r->c0.c2, &r->c0.c2, &factors[3]);
    cz_fp2_mul(&r->c1.c2, &r->c1.c2, &factors[4]);
}

/* (a + b s)^2 in Fp4 = Fp2[s] / (s^2 - xi): a^2 + xi b^2, and (a + b)^2 - a^2 - b^2 = 2 a b */
static void fp4_sqr(cz_fp2 *c0, cz_fp2 *c1, const cz_fp2 *a, const cz_fp2 *b)
{
    cz_fp2 aa, bb, s;

    cz_fp2_sqr(&aa, a);
    cz_fp2_sqr(&bb, b);
    cz_fp2_add(&s, a, b);
    cz_fp2_sqr(&s, &s);
    cz_fp2_sub(&s, &s, &aa);
    cz_fp2_sub(c1, &s, &bb);
    cz_fp2_mul_by_xi(&bb, &bb);
    cz_fp2_add(c0, &aa, &bb);
}

/* r = 3 t - 2 a */
static void three_minus_two(cz_fp2 *r, const cz_fp2 *t, const cz_fp2 *a)
{
    cz_fp2 s;

    cz_fp2_sub(&s, t, a);
    cz_fp2_dbl(&s, &s);
    cz_fp2_add(r, &s, t);
}

/* r = 3 t + 2 a */
static void three_plus_two(cz_fp2 *r, const cz_fp2 *t, const cz_fp2 *a)
{
    cz_fp2 s;

    cz_fp2_add(&s, t, a);
    cz_fp2_dbl(&s, &s);
    cz_fp2_add(r, &s, t);
}

/* [GS10]: Fp12 as a cubic extension of Fp4; three squarings in Fp4. */
void cz_fp12_cyclotomic_sqr(cz_fp12 *r, const cz_fp12 *a)
{
    cz_fp2 a0, a1, b0, b1, c0, c1, t;

    fp4_sqr(&a0, &a1, &a->c0.c0, &a->c1.c1);
    fp4_sqr(&b0, &b1, &a->c1.c0, &a->c0.c2);
    fp4_sqr(&c0, &c1, &a->c0.c1, &a->c1.c2);
    three_minus_two(&r->c0.c0, &a0, &a->c0.c0);
    three_plus_two(&r->c1.c1, &a1, &a->c1.c1);
    cz_fp2_mul_by_xi(&t, &c1);
    three_plus_two(&r->c1.c0, &t, &a->c1.c0);
    three_minus_two(&r->c0.c2, &c0, &a->c0.c2);
    three_minus_two(&r->c0.c1, &b0, &a->c0.c1);
    three_plus_two(&r->c1.c2, &b1, &a->c1.c2);
}
