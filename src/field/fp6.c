/* fp6.c: Fp6 = Fp2[v] / (v^3 - xi), xi = 1 + u. */
#include "field/fp6.h"

/* a d + c b = (a + c)(b + d) - ab - cd, the products ab and cd being known */
static void cross(cz_fp2 *r, const cz_fp2 *a, const cz_fp2 *c, const cz_fp2 *b, const cz_fp2 *d,
                  const cz_fp2 *ab, const cz_fp2 *cd)
{
    cz_fp2 s, t;

    cz_fp2_add(&s, a, c);
    cz_fp2_add(&t, b, d);
    cz_fp2_mul(r, &s, &t);
    cz_fp2_sub(r, r, ab);
    cz_fp2_sub(r, r, cd);
}

void cz_fp6_mul(cz_fp6 *r, const cz_fp6 *a, const cz_fp6 *b)
{
    cz_fp2 v0, v1, v2, t01, t02, t12;

    cz_fp2_mul(&v0, &a->c0, &b->c0);
    cz_fp2_mul(&v1, &a->c1, &b->c1);
    cz_fp2_mul(&v2, &a->c2, &b->c2);
    cross(&t01, &a->c0, &a->c1, &b->c0, &b->c1, &v0, &v1); /* a0 b1 + a1 b0 */
    cross(&t02, &a->c0, &a->c2, &b->c0, &b->c2, &v0, &v2);
    cross(&t12, &a->c1, &a->c2, &b->c1, &b->c2, &v1, &v2);
    cz_fp2_mul_by_xi(&t12, &t12); /* c0 = a0 b0 + xi (a1 b2 + a2 b1) */
    cz_fp2_add(&r->c0, &v0, &t12);
    cz_fp2_mul_by_xi(&v2, &v2); /* c1 = a0 b1 + a1 b0 + xi a2 b2 */
    cz_fp2_add(&r->c1, &t01, &v2);
    cz_fp2_add(&r->c2, &t02, &v1); /* c2 = a0 b2 + a2 b0 + a1 b1 */
}

void cz_fp6_mul_by_v(cz_fp6 *r, const cz_fp6 *a)
{
    cz_fp2 t = a->c2;

    r->c2 = a->c1;
    r->c1 = a->c0;
    cz_fp2_mul_by_xi(&r->c0, &t);
}

void cz_fp6_mul_by_01(cz_fp6 *r, const cz_fp6 *a, const cz_fp2 *b0, const cz_fp2 *b1)
{
    cz_fp2 v0, v1, t01, t12, t02;

    cz_fp2_mul(&v0, &a->c0, b0);
    cz_fp2_mul(&v1, &a->c1, b1);
    cross(&t01, &a->c0, &a->c1, b0, b1, &v0, &v1);
    cz_fp2_mul(&t12, &a->c2, b1);
    cz_fp2_mul(&t02, &a->c2, b0);
    cz_fp2_mul_by_xi(&t12, &t12);
    cz_fp2_add(&r->c0, &v0, &t12);
    r->c1 = t01;
    cz_fp2_add(&r->c2, &t02, &v1);
}

void cz_fp6_mul_by_1(cz_fp6 *r, const cz_fp6 *a, const cz_fp2 *b1)
{
    cz_fp6 t;

    cz_fp2_mul(&t.c0, &a->c0, b1);
    cz_fp2_mul(&t.c1, &a->c1, b1);
    cz_fp2_mul(&t.c2, &a->c2, b1);
    cz_fp6_mul_by_v(r, &t);
}

/* The adjugate of multiplication by a, over the norm: with
 *   t0 = a0^2 - xi a1 a2,  t1 = xi a2^2 - a0 a1,  t2 = a1^2 - a0 a2,
 * 1/a = (t0 + t1 v + t2 v^2) / (a0 t0 + xi (a2 t1 + a1 t2)). */
void cz_fp6_inv(cz_fp6 *r, const cz_fp6 *a)
{
    cz_fp2 t0, t1, t2, s, norm;

    cz_fp2_sqr(&t0, &a->c0);
    cz_fp2_mul(&s, &a->c1, &a->c2);
    cz_fp2_mul_by_xi(&s, &s);
    cz_fp2_sub(&t0, &t0, &s);
    cz_fp2_sqr(&t1, &a->c2);
    cz_fp2_mul_by_xi(&t1, &t1);
    cz_fp2_mul(&s, &a->c0, &a->c1);
    cz_fp2_sub(&t1, &t1, &s);
    cz_fp2_sqr(&t2, &a->c1);
    cz_fp2_mul(&s, &a->c0, &a->c2);
    cz_fp2_sub(&t2, &t2, &s);

    cz_fp2_mul(&norm, &a->c2, &t1);
    cz_fp2_mul(&s, &a->c1, &t2);
    cz_fp2_add(&norm, &norm, &s);
    cz_fp2_mul_by_xi(&norm, &norm);
    cz_fp2_mul(&s, &a->c0, &t0);
    cz_fp2_add(&norm, &norm, &s);
    cz_fp2_inv_var(&norm, &norm);

    cz_fp2_mul(&r->c0, &t0, &norm);
    cz_fp2_mul(&r->c1, &t1, &norm);
    cz_fp2_mul(&r->c2, &t2, &norm);
}
