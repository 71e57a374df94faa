/* test_fp.c: Fp. */
#include "field/fp.h"

#include <string.h>

#include "base/bytes.h"
#include "field_cases.h"
#include "known_answers.h"

#define FIELD      cz_fp
#define F(name)    cz_fp_##name
#define LIMBS      6
#define MODULUS    cz_fp_modulus
#define M_INV      CZ_FP_M_INV
#define ONE        CZ_FP_ONE
#define ZERO       CZ_FP_ZERO
#define KA_SECTION "fp"
#include "field_laws_body.h"

/* The reference's root may be the other one. */
static void square_roots_match_the_known_answers(void **state)
{
    known_answers ka;
    cz_json row;
    cz_json_iter it;
    size_t squares = 0, others = 0;

    (void)state;
    known_answers_open(&ka);
    it = ka_rows(ka_get(ka_get(ka.root, "fp"), "ops"));
    while (ka_next(&it, &row)) {
        cz_fp a, want, got, minus;
        bool is_square;

        assert_true(read_element(row, "a", &a));
        is_square = read_element(row, "sqrt_a", &want);
        assert_int_equal(cz_fp_sqrt(&got, &a), is_square);
        if (is_square) {
            cz_fp_neg(&minus, &got);
            assert_true(cz_fp_equal(&got, &want) || cz_fp_equal(&minus, &want));
        }
        squares += is_square;
        others += !is_square;
    }
    assert_true(squares > 5 && others > 5);
    known_answers_close(&ka);
}

/* -1 is no square: of a and -a exactly one is. */
static void of_a_and_minus_a_one_is_a_square(void **state)
{
    (void)state;
    for (int i = 0; i < 50; i++) {
        cz_fp a, b, root, square;
        bool first;

        random_element(&a);
        cz_fp_neg(&b, &a);
        first = cz_fp_sqrt(&root, &a);
        if (first) {
            cz_fp_sqr(&square, &root);
            assert_same(&square, &a);
        }
        assert_int_equal(cz_fp_sqrt(&root, &b), !first);
    }
}

/* By halves: (p - 1)/2 is not above itself, its successor is; of a and -a one is. */
static void sign_splits_at_half_the_modulus(void **state)
{
    static const uint64_t half[6] = CZ_FP_P_MINUS_1_OVER_2;
    const cz_fp one = CZ_FP_ONE;
    uint8_t le[48];
    cz_fp a, b;

    (void)state;
    for (size_t i = 0; i < 6; i++)
        cz_store_le64(le + 8 * i, half[i]);
    assert_true(cz_fp_from_le(&a, le));
    cz_fp_add(&b, &a, &a);
    cz_fp_add(&b, &b, &one);
    assert_true(cz_fp_is_zero(&b));
    assert_false(cz_fp_is_lexically_largest(&a));
    cz_fp_add(&a, &a, &one);
    assert_true(cz_fp_is_lexically_largest(&a));
    a = CZ_FP_ZERO;
    assert_false(cz_fp_is_lexically_largest(&a));
    for (int i = 0; i < RANDOM_RUNS; i++) {
        random_element(&a);
        cz_fp_neg(&b, &a);
        assert_true(cz_fp_is_lexically_largest(&a) != cz_fp_is_lexically_largest(&b));
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(portable_equals_the_definition),
    cmocka_unit_test(adx_equals_the_definition),
    cmocka_unit_test(portable_gives_the_known_answers),
    cmocka_unit_test(adx_gives_the_known_answers),
    cmocka_unit_test(multiplication_distributes_and_associates),
    cmocka_unit_test(results_may_overlap_operands),
    cmocka_unit_test(inverses_agree_and_invert),
    cmocka_unit_test(batch_inverse_keeps_zeros),
    cmocka_unit_test(powers_match_repeated_multiplication),
    cmocka_unit_test(bytes_round_trip_in_both_orders),
    cmocka_unit_test(integers_from_the_modulus_up_are_refused),
    cmocka_unit_test(predicates_tell_zero_and_equality),
    cmocka_unit_test(square_roots_match_the_known_answers),
    cmocka_unit_test(of_a_and_minus_a_one_is_a_square),
    cmocka_unit_test(sign_splits_at_half_the_modulus),
};

CZ_TEST_MAIN(cases)
