/* test_pairing.c: the pairing. */
#include "curve/pairing.h"

#include <string.h>

#include "known_answers.h"

static void random_scalar(cz_u256 *k)
{
    cz_fr x;
    cz_u256 raw;

    for (int i = 0; i < 4; i++)
        raw.l[i] = cz_test_random();
    cz_fr_from_u256(&x, &raw);
    cz_fr_to_u256(k, &x);
}

static void multiple_of_g1(cz_g1_affine *r, const cz_g1_affine *p, const cz_u256 *k)
{
    cz_g1 t;

    cz_g1_from_affine(&t, p);
    cz_g1_mul_var(&t, &t, k);
    cz_g1_to_affine(r, &t);
}

static void multiple_of_g2(cz_g2_affine *r, const cz_g2_affine *q, const cz_u256 *k)
{
    cz_g2 t;

    cz_g2_from_affine(&t, q);
    cz_g2_mul_var(&t, &t, k);
    cz_g2_to_affine(r, &t);
}

static void random_pair(cz_g1_affine *p, cz_g2_affine *q)
{
    cz_u256 k;

    random_scalar(&k);
    multiple_of_g1(p, &cz_g1_generator, &k);
    random_scalar(&k);
    multiple_of_g2(q, &cz_g2_generator, &k);
}

static void negate_g1(cz_g1_affine *p)
{
    cz_fp_neg(&p->y, &p->y);
}

static void fp12_pow(cz_fp12 *r, const cz_fp12 *a, const cz_u256 *k)
{
    cz_fp12 acc;

    cz_fp12_set_one(&acc);
    for (int i = 256; i-- > 0;) {
        cz_fp12_sqr(&acc, &acc);
        if (k->l[i / 64] >> (i % 64) & 1)
            cz_fp12_mul(&acc, &acc, a);
    }
    *r = acc;
}

/* ---- against the reference stack ---- */

static void read_fp(cz_json_iter *it, cz_fp *r)
{
    uint8_t bytes[48];
    cz_json v;

    assert_true(ka_next(it, &v));
    ka_bytes(v, bytes, sizeof bytes);
    assert_true(cz_fp_from_le(r, bytes));
}

static void assert_gt(cz_json row, const char *key, const cz_fp12 *got)
{
    cz_json_iter it = ka_rows(ka_get(row, key));
    cz_fp12 want;
    cz_fp2 *order[6] = {&want.c0.c0, &want.c0.c1, &want.c0.c2,
                        &want.c1.c0, &want.c1.c1, &want.c1.c2};

    for (int i = 0; i < 6; i++) {
        read_fp(&it, &order[i]->c0);
        read_fp(&it, &order[i]->c1);
    }
    assert_true(cz_fp12_equal(got, &want));
}

static void read_u256(cz_json v, cz_u256 *k)
{
    uint8_t le[32];

    ka_bytes(v, le, sizeof le);
    for (size_t i = 0; i < 4; i++)
        k->l[i] = cz_load_le64(le + 8 * i);
}

static void check_known_row(cz_json row)
{
    uint8_t bytes[96];
    cz_g1_affine p;
    cz_g2_affine q;
    cz_fp12 e;
    cz_u256 k;

    ka_bytes(ka_get(row, "p"), bytes, 48);
    assert_ok(cz_g1_decompress(&p, bytes));
    ka_bytes(ka_get(row, "q"), bytes, 96);
    assert_ok(cz_g2_decompress(&q, bytes));
    cz_pairing(&e, &p, &q);
    assert_gt(row, "e_p_q", &e);
    read_u256(ka_get(row, "a"), &k);
    multiple_of_g1(&p, &p, &k);
    read_u256(ka_get(row, "b"), &k);
    multiple_of_g2(&q, &q, &k);
    cz_pairing(&e, &p, &q);
    assert_gt(row, "e_ap_bq", &e);
}

static void known_answers_of_the_pairing(void **state)
{
    known_answers ka;
    cz_json row;
    cz_json_iter it;
    size_t rows = 0;

    (void)state;
    known_answers_open(&ka);
    it = ka_rows(ka_get(ka_get(ka.root, "pairing"), "cases"));
    while (ka_next(&it, &row)) {
        check_known_row(row);
        rows++;
    }
    assert_in_range(rows, 10, 100);
    known_answers_close(&ka);
}

/* ---- laws ---- */

static void the_pairing_is_bilinear(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        cz_g1_affine p, kp;
        cz_g2_affine q, kq;
        cz_fp12 e, left, right, want;
        cz_u256 k;

        random_pair(&p, &q);
        random_scalar(&k);
        multiple_of_g1(&kp, &p, &k);
        multiple_of_g2(&kq, &q, &k);
        cz_pairing(&e, &p, &q);
        cz_pairing(&left, &kp, &q);
        cz_pairing(&right, &p, &kq);
        fp12_pow(&want, &e, &k);
        assert_true(cz_fp12_equal(&left, &want));
        assert_true(cz_fp12_equal(&right, &want));
    }
}

static void the_pairing_has_order_r(void **state)
{
    const cz_u256 order = {CZ_FR_MODULUS};
    cz_fp12 e;

    (void)state;
    cz_pairing(&e, &cz_g1_generator, &cz_g2_generator);
    assert_false(cz_fp12_is_one(&e));
    fp12_pow(&e, &e, &order);
    assert_true(cz_fp12_is_one(&e));
}

static void infinity_pairs_to_one(void **state)
{
    cz_g1_affine p = {CZ_FP_ZERO, CZ_FP_ZERO};
    cz_g2_affine q = {CZ_FP2_ZERO, CZ_FP2_ZERO};
    cz_fp12 e;

    (void)state;
    cz_pairing(&e, &p, &cz_g2_generator);
    assert_true(cz_fp12_is_one(&e));
    cz_pairing(&e, &cz_g1_generator, &q);
    assert_true(cz_fp12_is_one(&e));
    cz_pairing(&e, &p, &q);
    assert_true(cz_fp12_is_one(&e));
    assert_true(cz_pairing_product_is_one(NULL, NULL, 0));
}

enum { MAX_N = 40 };

/* For sizes round the number of pairs that share a loop, some of them infinite. */
static void a_product_is_the_product_of_its_pairings(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 15, 16, 17, 32, 33};
    cz_g1_affine ps[MAX_N];
    cz_g2_affine qs[MAX_N];

    (void)state;
    for (size_t i = 0; i < MAX_N; i++) {
        random_pair(&ps[i], &qs[i]);
        if (i % 11 == 2)
            memset(&ps[i], 0, sizeof ps[i]);
        if (i % 13 == 3)
            memset(&qs[i], 0, sizeof qs[i]);
    }
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        cz_fp12 want, got, e;

        cz_fp12_set_one(&want);
        for (size_t i = 0; i < sizes[k]; i++) {
            cz_pairing(&e, &ps[i], &qs[i]);
            cz_fp12_mul(&want, &want, &e);
        }
        cz_miller_loop(&got, ps, qs, sizes[k]);
        cz_final_exp(&got, &got);
        assert_true(cz_fp12_equal(&got, &want));
    }
}

/* e(a P, b Q) e(-ab P, Q) = 1, and not with another scalar. */
static void products_that_are_one(void **state)
{
    cz_g1_affine ps[2];
    cz_g2_affine qs[2];
    cz_u256 a, b, ab;
    cz_fr x, y;

    (void)state;
    random_scalar(&a);
    random_scalar(&b);
    cz_fr_from_u256(&x, &a);
    cz_fr_from_u256(&y, &b);
    cz_fr_mul(&x, &x, &y);
    cz_fr_to_u256(&ab, &x);
    multiple_of_g1(&ps[0], &cz_g1_generator, &a);
    multiple_of_g2(&qs[0], &cz_g2_generator, &b);
    multiple_of_g1(&ps[1], &cz_g1_generator, &ab);
    negate_g1(&ps[1]);
    qs[1] = cz_g2_generator;
    assert_true(cz_pairing_product_is_one(ps, qs, 2));
    negate_g1(&ps[1]);
    assert_false(cz_pairing_product_is_one(ps, qs, 2));
    negate_g1(&ps[1]);
    ab.l[0] ^= 1;
    multiple_of_g1(&ps[1], &cz_g1_generator, &ab);
    negate_g1(&ps[1]);
    assert_false(cz_pairing_product_is_one(ps, qs, 2));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(known_answers_of_the_pairing),
    cmocka_unit_test(the_pairing_is_bilinear),
    cmocka_unit_test(the_pairing_has_order_r),
    cmocka_unit_test(infinity_pairs_to_one),
    cmocka_unit_test(a_product_is_the_product_of_its_pairings),
    cmocka_unit_test(products_that_are_one),
};

CZ_TEST_MAIN(cases)
