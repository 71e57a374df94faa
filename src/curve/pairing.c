/* pairing.c: Miller loops and the final exponentiation. */
#include "curve/pairing.h"

#include "curve/curve_constants.h"

/* A pair in its Miller loop: (xp, yp) on G1, q on the twist, t the running multiple of q. */
typedef struct {
    cz_fp xp, yp;
    cz_g2_affine q;
    cz_g2 t;
} pair;

enum { MAX_PAIRS = 16 }; /* share the squarings; more pairs run in groups */

/* The line through two points of the twist, at (xp, yp), times w^3 and a factor in Fp2, which the
 * final exponentiation both sends to one. With the slope n/d:
 *   (n x - d y) - n xp v + d yp v w,   (x, y) any point of the line. */
static void multiply_line(cz_fp12 *f, const pair *p, const cz_fp2 *b0, const cz_fp2 *n,
                          const cz_fp2 *d)
{
    cz_fp2 b1, b4;

    cz_fp_mul(&b1.c0, &n->c0, &p->xp);
    cz_fp_mul(&b1.c1, &n->c1, &p->xp);
    cz_fp2_neg(&b1, &b1);
    cz_fp_mul(&b4.c0, &d->c0, &p->yp);
    cz_fp_mul(&b4.c1, &d->c1, &p->yp);
    cz_fp12_mul_by_014(f, f, b0, &b1, &b4);
}

/* t := 2 t, f := f times the tangent at t. dbl-2009-l [BL07]: A = X^2, B = Y^2, C = B^2,
 * D = 4 X B, E = 3 A, X3 = E^2 - 2 D, Y3 = E (D - X3) - 8 C, Z3 = 2 Y Z.
 * The slope is E / Z3; over the common factor Z^2 Z3 the line is
 *   (E X - 2 B) - E Z^2 xp v + Z3 Z^2 yp v w. */
static void double_step(cz_fp12 *f, pair *p)
{
    cz_g2 *t = &p->t;
    cz_fp2 a, b, c, d, e, zz, b0, n, den;

    cz_fp2_sqr(&a, &t->x);
    cz_fp2_sqr(&b, &t->y);
    cz_fp2_sqr(&c, &b);
    cz_fp2_sqr(&zz, &t->z);
    cz_fp2_mul(&d, &t->x, &b);
    cz_fp2_dbl(&d, &d);
    cz_fp2_dbl(&d, &d);
    cz_fp2_dbl(&e, &a);
    cz_fp2_add(&e, &e, &a);

    cz_fp2_mul(&b0, &e, &t->x);
    cz_fp2_sub(&b0, &b0, &b);
    cz_fp2_sub(&b0, &b0, &b);
    cz_fp2_mul(&n, &e, &zz);

    cz_fp2_mul(&t->z, &t->y, &t->z);
    cz_fp2_dbl(&t->z, &t->z);
    cz_fp2_sqr(&t->x, &e);
    cz_fp2_sub(&t->x, &t->x, &d);
    cz_fp2_sub(&t->x, &t->x, &d);
    cz_fp2_sub(&d, &d, &t->x);
    cz_fp2_mul(&t->y, &e, &d);
    cz_fp2_dbl(&c, &c);
    cz_fp2_dbl(&c, &c);
    cz_fp2_dbl(&c, &c);
    cz_fp2_sub(&t->y, &t->y, &c);

    cz_fp2_mul(&den, &t->z, &zz);
    multiply_line(f, p, &b0, &n, &den);
}

/* t := t + q, f := f times the line through t and q. With H = xq Z^2 - X, R = yq Z^3 - Y:
 * Z3 = Z H, V = X H^2, X3 = R^2 - H^3 - 2 V, Y3 = R (V - X3) - Y H^3.
 * The slope is R / Z3, so the line is (R xq - Z3 yq) - R xp v + Z3 yp v w. */
static void add_step(cz_fp12 *f, pair *p)
{
    cz_g2 *t = &p->t;
    cz_fp2 h, hh, hhh, r, v, s, b0;

    cz_fp2_sqr(&s, &t->z);
    cz_fp2_mul(&h, &p->q.x, &s);
    cz_fp2_sub(&h, &h, &t->x);
    cz_fp2_mul(&s, &s, &t->z);
    cz_fp2_mul(&r, &p->q.y, &s);
    cz_fp2_sub(&r, &r, &t->y);
    cz_fp2_sqr(&hh, &h);
    cz_fp2_mul(&hhh, &hh, &h);
    cz_fp2_mul(&v, &t->x, &hh);

    cz_fp2_mul(&t->z, &t->z, &h);
    cz_fp2_sqr(&t->x, &r);
    cz_fp2_sub(&t->x, &t->x, &hhh);
    cz_fp2_sub(&t->x, &t->x, &v);
    cz_fp2_sub(&t->x, &t->x, &v);
    cz_fp2_sub(&v, &v, &t->x);
    cz_fp2_mul(&s, &t->y, &hhh);
    cz_fp2_mul(&t->y, &r, &v);
    cz_fp2_sub(&t->y, &t->y, &s);

    cz_fp2_mul(&b0, &r, &p->q.x);
    cz_fp2_mul(&s, &t->z, &p->q.y);
    cz_fp2_sub(&b0, &b0, &s);
    multiply_line(f, p, &b0, &r, &t->z);
}

/* The loop over |x| for at most MAX_PAIRS pairs, none infinite; x is negative: conjugate. */
static void miller_group(cz_fp12 *r, pair *pairs, size_t n)
{
    cz_fp12 f;

    cz_fp12_set_one(&f);
    for (unsigned bit = 63; bit-- > 0;) {
        if (bit != 62)
            cz_fp12_sqr(&f, &f);
        for (size_t i = 0; i < n; i++)
            double_step(&f, &pairs[i]);
        for (size_t i = 0; i < n && (CZ_BLS_X_ABS >> bit & 1); i++)
            add_step(&f, &pairs[i]);
    }
    cz_fp12_conjugate(r, &f);
}

void cz_miller_loop(cz_fp12 *r, const cz_g1_affine *ps, const cz_g2_affine *qs, size_t n)
{
    pair pairs[MAX_PAIRS];
    size_t used = 0;
    cz_fp12 product, group;

    cz_fp12_set_one(&product);
    for (size_t i = 0; i < n; i++) {
        if (!cz_g1_affine_is_infinity(&ps[i]) && !cz_g2_affine_is_infinity(&qs[i])) {
            pairs[used].xp = ps[i].x;
            pairs[used].yp = ps[i].y;
            pairs[used].q = qs[i];
            cz_g2_from_affine(&pairs[used].t, &qs[i]);
            used++;
        }
        if (used == MAX_PAIRS || (used > 0 && i + 1 == n)) {
            miller_group(&group, pairs, used);
            cz_fp12_mul(&product, &product, &group);
            used = 0;
        }
    }
    *r = product;
}

/* a^x, a in the cyclotomic subgroup, x the BLS parameter (negative). */
static void cyclotomic_pow_x(cz_fp12 *r, const cz_fp12 *a)
{
    cz_fp12 acc = *a;

    for (unsigned bit = 63; bit-- > 0;) {
        cz_fp12_cyclotomic_sqr(&acc, &acc);
        if (CZ_BLS_X_ABS >> bit & 1)
            cz_fp12_mul(&acc, &acc, a);
    }
    cz_fp12_conjugate(r, &acc);
}

/* a^(x-1) */
static void cyclotomic_pow_x_minus_1(cz_fp12 *r, const cz_fp12 *a)
{
    cz_fp12 t, inverse;

    cz_fp12_conjugate(&inverse, a);
    cyclotomic_pow_x(&t, a);
    cz_fp12_mul(r, &t, &inverse);
}

/* f^((p^6 - 1)(p^2 + 1)): into the cyclotomic subgroup */
static void easy_part(cz_fp12 *r, const cz_fp12 *f)
{
    cz_fp12 t, s;

    cz_fp12_inv(&s, f);
    cz_fp12_conjugate(&t, f);
    cz_fp12_mul(&t, &t, &s);
    cz_fp12_frobenius(&s, &t);
    cz_fp12_frobenius(&s, &s);
    cz_fp12_mul(r, &s, &t);
}

/* [HHT20]: 3 (p^4 - p^2 + 1)/r = (x - 1)^2 (x + p)(x^2 + p^2 - 1) + 3 */
static void hard_part(cz_fp12 *r, const cz_fp12 *m)
{
    cz_fp12 a, b, s, t;

    cyclotomic_pow_x_minus_1(&a, m);
    cyclotomic_pow_x_minus_1(&a, &a);
    cyclotomic_pow_x(&b, &a); /* b = a^(x + p) */
    cz_fp12_frobenius(&s, &a);
    cz_fp12_mul(&b, &b, &s);
    cyclotomic_pow_x(&t, &b); /* t = b^(x^2 + p^2 - 1) */
    cyclotomic_pow_x(&t, &t);
    cz_fp12_frobenius(&s, &b);
    cz_fp12_frobenius(&s, &s);
    cz_fp12_mul(&t, &t, &s);
    cz_fp12_conjugate(&s, &b);
    cz_fp12_mul(&t, &t, &s);
    cz_fp12_cyclotomic_sqr(&s, m);
    cz_fp12_mul(&t, &t, &s);
    cz_fp12_mul(r, &t, m);
}

void cz_final_exp(cz_fp12 *r, const cz_fp12 *f)
{
    cz_fp12 m;

    easy_part(&m, f);
    hard_part(r, &m);
}

void cz_pairing(cz_fp12 *r, const cz_g1_affine *p, const cz_g2_affine *q)
{
    cz_miller_loop(r, p, q, 1);
    cz_final_exp(r, r);
}

bool cz_pairing_product_is_one(const cz_g1_affine *ps, const cz_g2_affine *qs, size_t n)
{
    cz_fp12 f;

    cz_miller_loop(&f, ps, qs, n);
    cz_final_exp(&f, &f);
    return cz_fp12_is_one(&f);
}
