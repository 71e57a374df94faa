/* test_tower.c: Fp2, Fp6 and Fp12, by the laws that define them. */
#include "field/fp12.h"

#include <string.h>

#include "field_cases.h"

static void random_fp2(cz_fp2 *r)
{
    random_limbs(r->c0.l, cz_fp_modulus, 6);
    random_limbs(r->c1.l, cz_fp_modulus, 6);
}

static void random_fp6(cz_fp6 *r)
{
    random_fp2(&r->c0);
    random_fp2(&r->c1);
    random_fp2(&r->c2);
}

static void random_fp12(cz_fp12 *r)
{
    random_fp6(&r->c0);
    random_fp6(&r->c1);
}

/* ---- Fp2 ---- */

static void fp2_multiplication_is_the_schoolbook_one(void **state)
{
    (void)state;
    for (int i = 0; i < 300; i++) {
        cz_fp2 a, b, got;
        cz_fp s, t;

        random_fp2(&a);
        random_fp2(&b);
        cz_fp2_mul(&got, &a, &b);
        cz_fp_mul(&s, &a.c0, &b.c0);
        cz_fp_mul(&t, &a.c1, &b.c1);
        cz_fp_sub(&s, &s, &t);
        assert_true(cz_fp_equal(&got.c0, &s));
        cz_fp_mul(&s, &a.c0, &b.c1);
        cz_fp_mul(&t, &a.c1, &b.c0);
        cz_fp_add(&s, &s, &t);
        assert_true(cz_fp_equal(&got.c1, &s));
        cz_fp2_sqr(&got, &a);
        cz_fp2_mul(&b, &a, &a);
        assert_true(cz_fp2_equal(&got, &b));
    }
}

static void fp2_xi_is_one_plus_u(void **state)
{
    const cz_fp2 xi = {CZ_FP_ONE, CZ_FP_ONE};
    cz_fp2 a, want;

    (void)state;
    random_fp2(&a);
    cz_fp2_mul(&want, &a, &xi);
    cz_fp2_mul_by_xi(&a, &a);
    assert_true(cz_fp2_equal(&a, &want));
}

static void fp2_inverses(void **state)
{
    const cz_fp2 one = CZ_FP2_ONE;
    cz_fp2 a, b, zero = CZ_FP2_ZERO;

    (void)state;
    for (int i = 0; i < 50; i++) {
        random_fp2(&a);
        if (i == 1)
            a.c0 = CZ_FP_ZERO;
        if (i == 2)
            a.c1 = CZ_FP_ZERO;
        cz_fp2_inv(&b, &a);
        cz_fp2_mul(&b, &b, &a);
        assert_true(cz_fp2_equal(&b, &one));
        cz_fp2_inv_var(&b, &a);
        cz_fp2_mul(&b, &b, &a);
        assert_true(cz_fp2_equal(&b, &one));
    }
    cz_fp2_inv(&b, &zero);
    assert_true(cz_fp2_is_zero(&b));
}

static void fp2_batch_inverse_keeps_zeros(void **state)
{
    enum { N = 20 };
    cz_fp2 xs[N], originals[N], scratch[N];
    cz_fp2 want;

    (void)state;
    for (int i = 0; i < N; i++) {
        random_fp2(&xs[i]);
        if (i % 6 == 0)
            xs[i] = CZ_FP2_ZERO;
        originals[i] = xs[i];
    }
    cz_fp2_batch_inv(xs, scratch, N);
    for (int i = 0; i < N; i++) {
        cz_fp2_inv(&want, &originals[i]);
        assert_true(cz_fp2_equal(&xs[i], &want));
    }
}

static void assert_is_root(const cz_fp2 *a)
{
    cz_fp2 root, square;

    assert_true(cz_fp2_sqrt(&root, a));
    cz_fp2_sqr(&square, &root);
    assert_true(cz_fp2_equal(&square, a));
}

/* Every element of Fp is a square in Fp2; 1 + u is none, so of a and (1 + u) a exactly one is. */
static void fp2_square_roots(void **state)
{
    cz_fp2 a, b, root;

    (void)state;
    for (int i = 0; i < 40; i++) {
        random_fp2(&a);
        cz_fp2_sqr(&b, &a);
        assert_is_root(&b);
        cz_fp2_mul_by_xi(&b, &b);
        assert_false(cz_fp2_sqrt(&root, &b));
        a.c1 = CZ_FP_ZERO; /* real: a root is real or imaginary */
        assert_is_root(&a);
        a.c1 = a.c0; /* imaginary */
        a.c0 = CZ_FP_ZERO;
        cz_fp2_sqr(&b, &a);
        assert_is_root(&b);
    }
    a = CZ_FP2_ZERO;
    assert_is_root(&a);
    a = CZ_FP2_ONE;
    assert_is_root(&a);
    cz_fp2_neg(&a, &a);
    assert_is_root(&a);
}

static void fp2_sign_is_that_of_the_deciding_coordinate(void **state)
{
    cz_fp2 a;

    (void)state;
    for (int i = 0; i < 50; i++) {
        random_fp2(&a);
        assert_int_equal(cz_fp2_is_lexically_largest(&a), cz_fp_is_lexically_largest(&a.c1));
        a.c1 = CZ_FP_ZERO;
        assert_int_equal(cz_fp2_is_lexically_largest(&a), cz_fp_is_lexically_largest(&a.c0));
    }
    a = CZ_FP2_ZERO;
    assert_false(cz_fp2_is_lexically_largest(&a));
}

/* ---- Fp6 ---- */

static void fp6_ring_laws(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++) {
        cz_fp6 a, b, c, s, t, u;

        random_fp6(&a);
        random_fp6(&b);
        random_fp6(&c);
        cz_fp6_mul(&s, &a, &b); /* (a b) c = a (b c) */
        cz_fp6_mul(&s, &s, &c);
        cz_fp6_mul(&t, &b, &c);
        cz_fp6_mul(&t, &a, &t);
        assert_true(cz_fp6_equal(&s, &t));
        cz_fp6_add(&s, &b, &c); /* a (b + c) = a b + a c */
        cz_fp6_mul(&s, &a, &s);
        cz_fp6_mul(&t, &a, &b);
        cz_fp6_mul(&u, &a, &c);
        cz_fp6_add(&t, &t, &u);
        assert_true(cz_fp6_equal(&s, &t));
    }
}

/* The short products equal the long one, and v^3 = 1 + u. */
static void fp6_short_products(void **state)
{
    cz_fp6 a, b, want, got;
    const cz_fp6 v = {CZ_FP2_ZERO, CZ_FP2_ONE, CZ_FP2_ZERO};
    const cz_fp6 xi = {{CZ_FP_ONE, CZ_FP_ONE}, CZ_FP2_ZERO, CZ_FP2_ZERO};

    (void)state;
    random_fp6(&a);
    random_fp6(&b);
    cz_fp6_mul(&got, &v, &v);
    cz_fp6_mul(&got, &got, &v);
    assert_true(cz_fp6_equal(&got, &xi));
    cz_fp6_mul(&want, &a, &v);
    cz_fp6_mul_by_v(&got, &a);
    assert_true(cz_fp6_equal(&got, &want));
    b.c2 = CZ_FP2_ZERO;
    cz_fp6_mul(&want, &a, &b);
    cz_fp6_mul_by_01(&got, &a, &b.c0, &b.c1);
    assert_true(cz_fp6_equal(&got, &want));
    b.c0 = CZ_FP2_ZERO;
    cz_fp6_mul(&want, &a, &b);
    cz_fp6_mul_by_1(&got, &a, &b.c1);
    assert_true(cz_fp6_equal(&got, &want));
    got = a; /* in place */
    cz_fp6_mul_by_1(&got, &got, &b.c1);
    assert_true(cz_fp6_equal(&got, &want));
}

static void fp6_inverse(void **state)
{
    const cz_fp6 one = {CZ_FP2_ONE, CZ_FP2_ZERO, CZ_FP2_ZERO};
    cz_fp6 a, b;

    (void)state;
    for (int i = 0; i < 20; i++) {
        random_fp6(&a);
        if (i == 1)
            a.c0 = CZ_FP2_ZERO;
        if (i == 2)
            a.c1 = a.c2 = CZ_FP2_ZERO;
        cz_fp6_inv(&b, &a);
        cz_fp6_mul(&b, &b, &a);
        assert_true(cz_fp6_equal(&b, &one));
    }
}

/* ---- Fp12 ---- */

static void fp12_ring_laws(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        cz_fp12 a, b, c, s, t;

        random_fp12(&a);
        random_fp12(&b);
        random_fp12(&c);
        cz_fp12_mul(&s, &a, &b);
        cz_fp12_mul(&s, &s, &c);
        cz_fp12_mul(&t, &b, &c);
        cz_fp12_mul(&t, &a, &t);
        assert_true(cz_fp12_equal(&s, &t));
        cz_fp12_sqr(&s, &a);
        cz_fp12_mul(&t, &a, &a);
        assert_true(cz_fp12_equal(&s, &t));
        cz_fp12_inv(&s, &a);
        cz_fp12_mul(&s, &s, &a);
        assert_true(cz_fp12_is_one(&s));
        cz_fp12_mul(&s, &a, &b);
        cz_fp12_mul(&a, &a, &b); /* in place */
        assert_true(cz_fp12_equal(&s, &a));
    }
}

static void fp12_lines_multiply_like_full_elements(void **state)
{
    cz_fp12 a, b, want, got;

    (void)state;
    random_fp12(&a);
    random_fp12(&b);
    b.c0.c2 = b.c1.c0 = b.c1.c2 = CZ_FP2_ZERO;
    cz_fp12_mul(&want, &a, &b);
    cz_fp12_mul_by_014(&got, &a, &b.c0.c0, &b.c0.c1, &b.c1.c1);
    assert_true(cz_fp12_equal(&got, &want));
}

static void fp12_pow(cz_fp12 *r, const cz_fp12 *a, const uint64_t *e, int n)
{
    cz_fp12 acc;

    cz_fp12_set_one(&acc);
    for (int i = 64 * n; i-- > 0;) {
        cz_fp12_sqr(&acc, &acc);
        if (e[i / 64] >> (i % 64) & 1)
            cz_fp12_mul(&acc, &acc, a);
    }
    *r = acc;
}

static void fp12_frobenius_is_the_power_p(void **state)
{
    cz_fp12 a, want, got;

    (void)state;
    random_fp12(&a);
    fp12_pow(&want, &a, cz_fp_modulus, 6);
    cz_fp12_frobenius(&got, &a);
    assert_true(cz_fp12_equal(&got, &want));
    got = a;
    for (int i = 0; i < 6; i++)
        cz_fp12_frobenius(&got, &got);
    cz_fp12_conjugate(&want, &a);
    assert_true(cz_fp12_equal(&got, &want));
    for (int i = 0; i < 6; i++)
        cz_fp12_frobenius(&got, &got);
    assert_true(cz_fp12_equal(&got, &a));
}

/* a^((p^6 - 1)(p^2 + 1)) is in the cyclotomic subgroup. */
static void fp12_cyclotomic_square_is_the_square(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        cz_fp12 a, s, t;

        random_fp12(&a);
        cz_fp12_inv(&s, &a);
        cz_fp12_conjugate(&t, &a);
        cz_fp12_mul(&a, &s, &t);
        cz_fp12_frobenius(&s, &a);
        cz_fp12_frobenius(&s, &s);
        cz_fp12_mul(&a, &a, &s);
        cz_fp12_sqr(&s, &a);
        cz_fp12_cyclotomic_sqr(&t, &a);
        assert_true(cz_fp12_equal(&s, &t));
        cz_fp12_cyclotomic_sqr(&a, &a);
        assert_true(cz_fp12_equal(&s, &a));
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(fp2_multiplication_is_the_schoolbook_one),
    cmocka_unit_test(fp2_xi_is_one_plus_u),
    cmocka_unit_test(fp2_inverses),
    cmocka_unit_test(fp2_batch_inverse_keeps_zeros),
    cmocka_unit_test(fp2_square_roots),
    cmocka_unit_test(fp2_sign_is_that_of_the_deciding_coordinate),
    cmocka_unit_test(fp6_ring_laws),
    cmocka_unit_test(fp6_short_products),
    cmocka_unit_test(fp6_inverse),
    cmocka_unit_test(fp12_ring_laws),
    cmocka_unit_test(fp12_lines_multiply_like_full_elements),
    cmocka_unit_test(fp12_frobenius_is_the_power_p),
    cmocka_unit_test(fp12_cyclotomic_square_is_the_square),
};

CZ_TEST_MAIN(cases)
