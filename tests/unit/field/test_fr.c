/* test_fr.c: Fr. */
#include "field/fr.h"

#include <string.h>

#include "base/bytes.h"
#include "field_cases.h"
#include "known_answers.h"

#define FIELD      cz_fr
#define F(name)    cz_fr_##name
#define LIMBS      4
#define MODULUS    cz_fr_modulus
#define M_INV      CZ_FR_M_INV
#define ONE        CZ_FR_ONE
#define ZERO       CZ_FR_ZERO
#define KA_SECTION "fr"
#include "field_laws_body.h"

static void non_canonical_bytes_are_told_apart(void **state)
{
    known_answers ka;
    cz_json row;
    cz_json_iter it;

    (void)state;
    known_answers_open(&ka);
    it = ka_rows(ka_get(ka_get(ka.root, "fr"), "non_canonical"));
    while (ka_next(&it, &row)) {
        uint8_t bytes[32];
        cz_fr a;

        ka_bytes(ka_get(row, "bytes"), bytes, 32);
        assert_int_equal(cz_fr_from_le(&a, bytes), ka_bool(ka_get(row, "canonical")));
    }
    known_answers_close(&ka);
}

/* v as an integer equals a sum of 2^64-adic digits in Fr, for v from 0 to 2^256 - 1. */
static void any_256_bit_integer_is_reduced(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++) {
        cz_u256 v;
        cz_fr want = CZ_FR_ZERO, digit, got, base;
        uint8_t le[32];

        for (int j = 0; j < 4; j++)
            v.l[j] = i == 0 ? UINT64_MAX : cz_test_random();
        cz_fr_from_u64(&base, UINT64_MAX);
        cz_fr_from_u64(&digit, 1);
        cz_fr_add(&base, &base, &digit); /* 2^64 */
        for (size_t j = 4; j-- > 0;) {
            cz_fr_mul(&want, &want, &base);
            cz_fr_from_u64(&digit, v.l[j]);
            cz_fr_add(&want, &want, &digit);
            cz_store_le64(le + 8 * j, v.l[j]);
        }
        cz_fr_from_u256(&got, &v);
        assert_same(&got, &want);
        cz_fr_from_le_mod(&got, le);
        assert_same(&got, &want);
    }
}

static void plain_integers_round_trip(void **state)
{
    const cz_fr one = CZ_FR_ONE;
    cz_fr a, b;
    cz_u256 v;

    (void)state;
    cz_fr_from_u64(&a, 1);
    assert_true(cz_fr_is_one(&a) && cz_fr_equal(&a, &one));
    for (int i = 0; i < RANDOM_RUNS; i++) {
        random_element(&a);
        cz_fr_to_u256(&v, &a);
        assert_true(limbs_below(v.l, cz_fr_modulus, 4));
        cz_fr_from_u256(&b, &v);
        assert_same(&a, &b);
    }
    cz_fr_from_u64(&a, UINT64_MAX);
    cz_fr_to_u256(&v, &a);
    assert_true(v.l[0] == UINT64_MAX && (v.l[1] | v.l[2] | v.l[3]) == 0);
}

static void roots_of_unity_have_their_order(void **state)
{
    known_answers ka;
    cz_fr root, want, minus_one, t;
    const cz_fr one = CZ_FR_ONE;
    const cz_fr generator = {CZ_FR_GENERATOR};

    (void)state;
    known_answers_open(&ka);
    cz_fr_root_of_unity(&root, 32);
    assert_true(read_element(ka_get(ka.root, "fr"), "root_of_unity_2_32", &want));
    assert_same(&root, &want);
    assert_true(read_element(ka_get(ka.root, "fr"), "generator", &want));
    assert_same(&generator, &want);
    known_answers_close(&ka);

    cz_fr_neg(&minus_one, &one);
    cz_fr_root_of_unity(&root, 0);
    assert_true(cz_fr_is_one(&root));
    for (unsigned log_n = 1; log_n <= 32; log_n++) { /* root^(n/2) = -1 */
        cz_fr_root_of_unity(&root, log_n);
        t = root;
        for (unsigned i = 1; i < log_n; i++)
            cz_fr_sqr(&t, &t);
        assert_same(&t, &minus_one);
    }
}

/* All draws canonical and distinct, every bit position seen as 0 and as 1. */
static void random_elements_fill_the_field(void **state)
{
    cz_u256 ones = {{0}}, zeros = {{0}};
    cz_fr previous = CZ_FR_ZERO;

    (void)state;
    for (int i = 0; i < 500; i++) {
        cz_fr a;
        cz_u256 v;

        assert_ok(cz_fr_random(&a));
        assert_canonical(&a);
        assert_false(cz_fr_equal(&a, &previous));
        previous = a;
        cz_fr_to_u256(&v, &a);
        for (int j = 0; j < 4; j++) {
            ones.l[j] |= v.l[j];
            zeros.l[j] |= ~v.l[j];
        }
    }
    assert_true(ones.l[3] == UINT64_MAX >> 1);
    assert_true(zeros.l[3] == UINT64_MAX);
    for (int j = 0; j < 3; j++)
        assert_true(ones.l[j] == UINT64_MAX && zeros.l[j] == UINT64_MAX);
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
    cmocka_unit_test(non_canonical_bytes_are_told_apart),
    cmocka_unit_test(any_256_bit_integer_is_reduced),
    cmocka_unit_test(plain_integers_round_trip),
    cmocka_unit_test(roots_of_unity_have_their_order),
    cmocka_unit_test(random_elements_fill_the_field),
};

CZ_TEST_MAIN(cases)
