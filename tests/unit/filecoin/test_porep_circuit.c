/* Every PoRep circuit is the network's: sizes, densities and the digest of all constraints. */
#include "golden_circuits.h"

static void test_digest_2k(void **state)
{
    (void)state;
    check_digest("porep-2k");
}

static void test_digest_4k(void **state)
{
    (void)state;
    check_digest("porep-4k");
}

static void test_digest_16k(void **state)
{
    (void)state;
    check_digest("porep-16k");
}

static void test_digest_32k(void **state)
{
    (void)state;
    check_digest("porep-32k");
}

static void test_digest_8m(void **state)
{
    (void)state;
    check_digest("porep-8m");
}

static void test_digest_16m(void **state)
{
    (void)state;
    check_digest("porep-16m");
}

static void test_digest_512m(void **state)
{
    (void)state;
    check_digest("porep-512m");
}

static void test_digest_1g(void **state)
{
    (void)state;
    check_digest("porep-1g");
}

static void test_digest_slow_32g(void **state)
{
    (void)state;
    check_digest("porep-32g");
}

static void test_digest_slow_64g(void **state)
{
    (void)state;
    check_digest("porep-64g");
}

static void test_checkpoints_2k(void **state)
{
    (void)state;
    check_checkpoints("porep-2k", 100);
}

/* A blank circuit has no witness to give. */
static void test_blank_has_no_values(void **state)
{
    cz_circuit *circuit;
    cz_cs cs;
    static const cz_cs_ops no_ops = {0};

    (void)state;
    assert_ok(cz_circuit_create_blank(&circuit, "porep-2k"));
    cz_cs_init(&cs, &no_ops, true, false);
    circuit->synthesize(circuit, &cs);
    assert_fails(cz_cs_status(&cs), CZ_E_ARG, "porep-2k: this circuit has no witness");
    cz_circuit_destroy(circuit);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_digest_2k),       cmocka_unit_test(test_digest_4k),
    cmocka_unit_test(test_digest_16k),      cmocka_unit_test(test_digest_32k),
    cmocka_unit_test(test_digest_8m),       cmocka_unit_test(test_digest_16m),
    cmocka_unit_test(test_digest_512m),     cmocka_unit_test(test_digest_1g),
    cmocka_unit_test(test_digest_slow_32g), cmocka_unit_test(test_digest_slow_64g),
    cmocka_unit_test(test_checkpoints_2k),  cmocka_unit_test(test_blank_has_no_values),
};

CZ_TEST_MAIN(cases)
