/* fp2.c: Fp2 = Fp[u] / (u^2 + 1). */
#include "field/fp2.h"

/* (a0 + a1 u)(b0 + b1 u) = a0 b0 - a1 b1 + ((a0 + a1)(b0 + b1) - a0 b0 - a1 b1) u */
void cz_fp2_mul(cz_fp2 *r, const cz_fp2 *a, const cz_fp2 *b)
{
    cz_fp sum_a, sum_b, v0, v1;

    cz_fp_add(&sum_a, &a->c0, &a->c1);
    cz_fp_add(&sum_b, &b->c0, &b->c1);
    cz_fp_mul(&v0, &a->c0, &b->c0);
    cz_fp_mul(&v1, &a->c1, &b->c1);
    cz_fp_mul(&r->c1, &sum_a, &sum_b);
    cz_fp_sub(&r->c1, &r->c1, &v0);
    cz_fp_sub(&r->c1, &r->c1, &v1);
    cz_fp_sub(&r->c0, &v0, &v1);
}

/* (a0 + a1 u)^2 = (a0 + a1)(a0 - a1) + 2 a0 a1 u */
void cz_fp2_sqr(cz_fp2 *r, const cz_fp2 *a)
{
    cz_fp sum, diff, product;

    cz_fp_add(&sum, &a->c0, &a->c1);
    cz_fp_sub(&diff, &a->c0, &a->c1);
    cz_fp_mul(&product, &a->c0, &a->c1);
    cz_fp_mul(&r->c0, &sum, &diff);
    cz_fp_dbl(&r->c1, &product);
}

/* a0^2 + a1^2, the norm to Fp */
static void norm(cz_fp *r, const cz_fp2 *a)
{
    cz_fp t;

    cz_fp_sqr(r, &a->c0);
    cz_fp_sqr(&t, &a->c1);
    cz_fp_add(r, r, &t);
}

/* conjugate(a) * inverse_norm */
static void divide_conjugate(cz_fp2 *r, const cz_fp2 *a, const cz_fp *inverse_norm)
{
    cz_fp_mul(&r->c0, &a->c0, inverse_norm);
    cz_fp_mul(&r->c1, &a->c1, inverse_norm);
    cz_fp_neg(&r->c1, &r->c1);
}

void cz_fp2_inv(cz_fp2 *r, const cz_fp2 *a)
{
    cz_fp n;

    norm(&n, a);
    cz_fp_inv(&n, &n);
    divide_conjugate(r, a, &n);
}

void cz_fp2_inv_var(cz_fp2 *r, const cz_fp2 *a)
{
    cz_fp n;

    norm(&n, a);
    cz_fp_inv_var(&n, &n);
    divide_conjugate(r, a, &n);
}

/* As field_body.h's. */
void cz_fp2_batch_inv(cz_fp2 *xs, cz_fp2 *scratch, size_t n)
{
    cz_fp2 acc = CZ_FP2_ONE;

    for (size_t i = 0; i < n; i++) {
        scratch[i] = acc;
        if (!cz_fp2_is_zero(&xs[i]))
            cz_fp2_mul(&acc, &acc, &xs[i]);
    }
    cz_fp2_inv_var(&acc, &acc);
    for (size_t i = n; i-- > 0;) {
        cz_fp2 x = xs[i];

        if (cz_fp2_is_zero(&x))
            continue;
        cz_fp2_mul(&xs[i], &acc, &scratch[i]);
        cz_fp2_mul(&acc, &acc, &x);
    }
}

/* The half of a0 + s, or of a0 - s where that is 0 (then a1 is 0 and s was -a0). */
static void half_of_sum(cz_fp *r, const cz_fp *a0, const cz_fp *s)
{
    static const cz_fp half = {CZ_FP_HALF};

    cz_fp_add(r, a0, s);
    if (cz_fp_is_zero(r))
        cz_fp_sub(r, a0, s);
    cz_fp_mul(r, r, &half);
}

/* The complex method [AR14]. With s^2 the norm and d = (a0 + s)/2, a root is x + (a1/2x) u where
 * x^2 = d, or else x^2 = (a0 - s)/2 = -a1^2/4d. Let t = d^((p-3)/4), so that d t^2 = 1 or -1.
 * If 1:  x = d t,    a1/2x = a1 t/2.
 * If -1: x = a1 t/2, a1/2x = 1/t = -d t.
 * A square's norm is a square and the other way round, so the first root decides. */
bool cz_fp2_sqrt(cz_fp2 *r, const cz_fp2 *a)
{
    static const cz_fp half = {CZ_FP_HALF};
    cz_fp s, d, t, x, square, y;

    norm(&s, a);
    if (!cz_fp_sqrt(&s, &s))
        return false;
    half_of_sum(&d, &a->c0, &s);
    cz_fp_inv_sqrt(&t, &d);
    cz_fp_mul(&x, &d, &t);
    cz_fp_mul(&y, &a->c1, &t);
    cz_fp_mul(&y, &y, &half);
    cz_fp_sqr(&square, &x);
    if (cz_fp_equal(&square, &d)) {
        r->c0 = x;
        r->c1 = y;
    } else {
        r->c0 = y;
        cz_fp_neg(&r->c1, &x);
    }
    return true;
}

bool cz_fp2_is_lexically_largest(const cz_fp2 *a)
{
    const cz_fp *deciding = cz_fp_is_zero(&a->c1) ? &a->c0 : &a->c1;

    return cz_fp_is_lexically_largest(deciding);
}
