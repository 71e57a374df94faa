/* test_satisfied.c: a good witness, and which constraint a bad one violates first. */
#include "cs/satisfied.h"

#include "hash/sha256.h"
#include "toy.h"

static void test_good_witness(void **state)
{
    /* inputs 1, 27; aux 3, 9, 27, 1 */
    static const uint8_t values[] = {1, 27, 3, 9, 27, 1};
    toy_circuit toy = toy_make(3, 27, 1);
    cz_fr out = toy_fr(27);
    uint8_t bytes[sizeof values * 32] = {0}, want[32];
    cz_witness_report r;

    (void)state;
    assert_ok(cz_circuit_check(&r, &toy.circuit));
    assert_true(r.satisfied);
    assert_int_equal(r.inputs, 2);
    assert_int_equal(r.aux, 4);
    assert_int_equal(r.constraints, 4);
    assert_int_equal(r.aux_zero, 0);
    assert_int_equal(r.aux_one, 1);
    assert_int_equal(r.aux_other, 3);
    assert_true(cz_fr_equal(&r.public_inputs[0], &out));
    for (size_t i = 0; i < sizeof values; i++)
        bytes[32 * i] = values[i];
    cz_sha256_of(want, bytes, sizeof bytes);
    assert_memory_equal(r.witness_sha256, want, 32);
    cz_witness_report_clear(&r);
}

static void test_negative_values(void **state)
{
    toy_circuit toy = toy_make(-2, -8, 0);
    cz_witness_report r;

    (void)state;
    assert_ok(cz_circuit_check(&r, &toy.circuit));
    assert_true(r.satisfied);
    assert_int_equal(r.aux_zero, 1);
    cz_witness_report_clear(&r);
}

static void assert_violates(toy_circuit toy, uint64_t constraint, const char *path)
{
    cz_witness_report r;

    assert_ok(cz_circuit_check(&r, &toy.circuit));
    assert_false(r.satisfied);
    assert_int_equal(r.first_failing, constraint);
    assert_string_equal(r.failing_path, path);
    assert_int_equal(r.constraints, 4); /* counted to the end all the same */
    cz_witness_report_clear(&r);
}

static void test_first_violation_is_named(void **state)
{
    (void)state;
    assert_violates(toy_make(3, 28, 1), 2, "equal");
    assert_violates(toy_make(3, 27, 2), 3, "flag 4/boolean");
    assert_violates(toy_make(3, 28, 2), 2, "equal");
}

static void failing_synthesize(const cz_circuit *self, cz_cs *cs)
{
    (void)self;
    cz_cs_fail(cs, cz_fail(CZ_E_INPUT, "the challenge is odd"));
    cz_cs_fail(cs, CZ_E_NOMEM); /* the first one counts */
}

static void test_failure_of_the_circuit_comes_back(void **state)
{
    cz_circuit circuit = {"broken", failing_synthesize};
    cz_witness_report r;

    (void)state;
    assert_fails(cz_circuit_check(&r, &circuit), CZ_E_INPUT,
                 "circuit broken: the challenge is odd");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_good_witness),
    cmocka_unit_test(test_negative_values),
    cmocka_unit_test(test_first_violation_is_named),
    cmocka_unit_test(test_failure_of_the_circuit_comes_back),
};
CZ_TEST_MAIN(cases)
