/* test_lc.c: linear combinations: merging, order, values. */
#include "cs/lc.h"

#include "toy.h"

enum { N_VARS = 40 };

/* Variable number k of the tests: 10 inputs, then aux. */
static cz_var nth_var(uint32_t k)
{
    return k < 10 ? toy_input(k) : toy_aux(k - 10);
}

static uint32_t nth_of(cz_var v)
{
    return cz_var_is_aux(v) ? cz_var_index(v) + 10 : cz_var_index(v);
}

/* Is lc exactly the dense vector, as a normal form? */
static void assert_is(const cz_lc *lc, const cz_fr dense[N_VARS])
{
    uint32_t at = 0;

    for (uint32_t k = 0; k < N_VARS; k++) {
        if (cz_fr_is_zero(&dense[k]))
            continue;
        assert_true(at < lc->n);
        assert_int_equal(nth_of(lc->terms[at].var), k);
        assert_true(cz_fr_equal(&lc->terms[at].coeff, &dense[k]));
        at++;
    }
    assert_int_equal(at, lc->n);
}

static int64_t small_random(void)
{
    return (int64_t)(cz_test_random() % 7) - 3;
}

static void test_normal_form_of_random_sums(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 400; round++) {
        uint32_t n = (uint32_t)(cz_test_random() % (round % 2 ? 12 : 700));
        cz_fr dense[N_VARS] = {0};
        cz_lc lc;

        cz_lc_init(&lc);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = (uint32_t)(cz_test_random() % N_VARS);
            cz_fr c = toy_fr(small_random());

            cz_lc_add(&lc, &c, nth_var(k));
            cz_fr_add(&dense[k], &dense[k], &c);
        }
        cz_lc_normalize(&lc);
        assert_true(lc.sorted);
        assert_is(&lc, dense);
        cz_lc_normalize(&lc); /* changes nothing */
        assert_is(&lc, dense);
        cz_lc_clear(&lc);
    }
}

/* Long ascending runs, as the additions of words make them. */
static void test_runs_are_merged(void **state)
{
    enum { RUNS = 9, LENGTH = 100 };
    cz_lc lc;

    (void)state;
    cz_lc_init(&lc);
    for (uint32_t run = 0; run < RUNS; run++) {
        for (uint32_t i = 0; i < LENGTH; i++)
            toy_add(&lc, (int64_t)run + 1, toy_aux(3 * i + run % 3));
    }
    cz_lc_normalize(&lc);
    assert_int_equal(lc.n, 3 * LENGTH);
    for (uint32_t i = 0; i < lc.n; i++) {
        cz_fr want = toy_fr((int64_t)(i % 3 + 1) * 3 + 9); /* runs r, r + 3, r + 6, each plus 1 */

        assert_int_equal(lc.terms[i].var.id, toy_aux(i).id);
        assert_true(cz_fr_equal(&lc.terms[i].coeff, &want));
    }
    cz_lc_clear(&lc);
}

static void test_inputs_come_before_aux(void **state)
{
    cz_lc lc;

    (void)state;
    cz_lc_init(&lc);
    cz_lc_add_var(&lc, toy_aux(0));
    cz_lc_add_var(&lc, toy_input(5));
    cz_lc_sub_var(&lc, toy_input(2));
    cz_lc_normalize(&lc);
    assert_int_equal(lc.n, 3);
    assert_int_equal(lc.terms[0].var.id, toy_input(2).id);
    assert_int_equal(lc.terms[1].var.id, toy_input(5).id);
    assert_int_equal(lc.terms[2].var.id, toy_aux(0).id);
    cz_lc_clear(&lc);
}

static void test_what_cancels_disappears(void **state)
{
    cz_lc lc;

    (void)state;
    cz_lc_init(&lc);
    cz_lc_add_var(&lc, toy_aux(1));
    toy_add(&lc, 0, toy_aux(7)); /* ascending, so nothing is sorted here */
    assert_true(lc.sorted);
    cz_lc_normalize(&lc);
    assert_int_equal(lc.n, 1);
    cz_lc_sub_lc(&lc, &lc);
    cz_lc_normalize(&lc);
    assert_int_equal(lc.n, 0);
    cz_lc_clear(&lc);
}

static void fill_random(cz_lc *lc, uint32_t n)
{
    cz_lc_init(lc);
    for (uint32_t i = 0; i < n; i++)
        toy_add(lc, small_random(), nth_var((uint32_t)(cz_test_random() % N_VARS)));
}

static void random_values(cz_fr values[N_VARS])
{
    for (uint32_t k = 0; k < N_VARS; k++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(&values[k], bytes);
    }
    values[0] = CZ_FR_ONE;
    values[3] = CZ_FR_ONE;
    values[12] = CZ_FR_ZERO;
    values[13] = CZ_FR_ONE;
}

/* eval(a + f b - b) = eval(a) + f eval(b) - eval(b), before and after normalising; f = 1 too. */
static void test_value_is_linear(void **state)
{
    cz_fr values[N_VARS];

    (void)state;
    random_values(values);
    for (unsigned round = 0; round < 200; round++) {
        cz_fr f = toy_fr(round % 3 == 0 ? 1 : small_random());
        cz_fr va, vb, want, got;
        cz_lc a, b;

        fill_random(&a, (uint32_t)(cz_test_random() % 30));
        fill_random(&b, (uint32_t)(cz_test_random() % 30));
        if (round % 2 == 0)
            cz_lc_normalize(&b);
        cz_lc_eval(&va, &a, values, values + 10);
        cz_lc_eval(&vb, &b, values, values + 10);
        cz_fr_mul(&want, &f, &vb);
        cz_fr_add(&want, &want, &va);
        cz_fr_sub(&want, &want, &vb);

        cz_lc_add_scaled(&a, &f, &b);
        cz_lc_sub_lc(&a, &b);
        cz_lc_eval(&got, &a, values, values + 10);
        assert_true(cz_fr_equal(&got, &want));
        cz_lc_normalize(&a);
        cz_lc_eval(&got, &a, values, values + 10);
        assert_true(cz_fr_equal(&got, &want));
        cz_lc_clear(&a);
        cz_lc_clear(&b);
    }
}

/* Value of a combination term by term, without short cuts. */
static void test_value_equals_the_sum_of_products(void **state)
{
    cz_fr values[N_VARS];

    (void)state;
    random_values(values);
    for (unsigned round = 0; round < 100; round++) {
        cz_fr want = CZ_FR_ZERO;
        cz_fr got;
        cz_lc lc;

        fill_random(&lc, 50);
        for (uint32_t i = 0; i < lc.n; i++) {
            cz_fr p;

            cz_fr_mul(&p, &lc.terms[i].coeff, &values[nth_of(lc.terms[i].var)]);
            cz_fr_add(&want, &want, &p);
        }
        cz_lc_eval(&got, &lc, values, values + 10);
        assert_true(cz_fr_equal(&got, &want));
        cz_lc_clear(&lc);
    }
}

static void test_a_combination_added_to_itself(void **state)
{
    cz_fr three = toy_fr(3);
    cz_fr want = toy_fr(8);
    cz_lc lc;

    (void)state;
    cz_lc_init(&lc);
    for (uint32_t i = 0; i < CZ_LC_INLINE_TERMS; i++)
        cz_lc_add_var(&lc, toy_aux(i)); /* full, so that adding moves the terms */
    cz_lc_add_lc(&lc, &lc);
    cz_lc_add_scaled(&lc, &three, &lc);
    cz_lc_add(&lc, &lc.terms[0].coeff, toy_aux(9));
    cz_lc_normalize(&lc);
    assert_int_equal(lc.n, CZ_LC_INLINE_TERMS + 1);
    assert_true(cz_fr_equal(&lc.terms[0].coeff, &want));
    assert_true(cz_fr_is_one(&lc.terms[CZ_LC_INLINE_TERMS].coeff));
    cz_lc_reset(&lc);
    assert_int_equal(lc.n, 0);
    assert_true(lc.sorted);
    cz_lc_clear(&lc);
}

/* Who lacks memory says so to whom he is added, so that no constraint is made of half a sum. */
static void test_a_failure_is_passed_on(void **state)
{
    const cz_fr three = toy_fr(3);
    cz_lc failed, sum;

    (void)state;
    cz_lc_init(&failed);
    cz_lc_add_var(&failed, toy_aux(1));
    failed.failed = true;
    cz_lc_init(&sum);
    cz_lc_add_lc(&sum, &failed);
    assert_true(sum.failed);
    cz_lc_reset(&sum);
    assert_false(sum.failed);
    cz_lc_sub_lc(&sum, &failed);
    assert_true(sum.failed);
    cz_lc_reset(&sum);
    cz_lc_add_scaled(&sum, &three, &failed);
    assert_true(sum.failed);
    cz_lc_clear(&sum);
    cz_lc_clear(&failed);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_normal_form_of_random_sums),
    cmocka_unit_test(test_runs_are_merged),
    cmocka_unit_test(test_inputs_come_before_aux),
    cmocka_unit_test(test_what_cancels_disappears),
    cmocka_unit_test(test_value_is_linear),
    cmocka_unit_test(test_value_equals_the_sum_of_products),
    cmocka_unit_test(test_a_combination_added_to_itself),
    cmocka_unit_test(test_a_failure_is_passed_on),
};
CZ_TEST_MAIN(cases)
