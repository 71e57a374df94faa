/* Every PoSt circuit is the network's: sizes, densities and the digest of all constraints. */
#include "golden_circuits.h"

static void test_digest_winning_2k(void **state)
{
    (void)state;
    check_digest("winning-2k");
}

static void test_digest_winning_4k(void **state)
{
    (void)state;
    check_digest("winning-4k");
}

static void test_digest_winning_16k(void **state)
{
    (void)state;
    check_digest("winning-16k");
}

static void test_digest_winning_32k(void **state)
{
    (void)state;
    check_digest("winning-32k");
}

static void test_digest_winning_8m(void **state)
{
    (void)state;
    check_digest("winning-8m");
}

static void test_digest_winning_512m(void **state)
{
    (void)state;
    check_digest("winning-512m");
}

static void test_digest_winning_32g(void **state)
{
    (void)state;
    check_digest("winning-32g");
}

static void test_digest_winning_64g(void **state)
{
    (void)state;
    check_digest("winning-64g");
}

static void test_digest_wpost_2k(void **state)
{
    (void)state;
    check_digest("wpost-2k");
}

static void test_digest_wpost_4k(void **state)
{
    (void)state;
    check_digest("wpost-4k");
}

static void test_digest_wpost_16k(void **state)
{
    (void)state;
    check_digest("wpost-16k");
}

static void test_digest_wpost_32k(void **state)
{
    (void)state;
    check_digest("wpost-32k");
}

static void test_digest_wpost_8m(void **state)
{
    (void)state;
    check_digest("wpost-8m");
}

static void test_digest_wpost_512m(void **state)
{
    (void)state;
    check_digest("wpost-512m");
}

static void test_digest_slow_wpost_32g(void **state)
{
    (void)state;
    check_digest("wpost-32g");
}

static void test_digest_slow_wpost_64g(void **state)
{
    (void)state;
    check_digest("wpost-64g");
}

static void test_checkpoints_winning_2k(void **state)
{
    (void)state;
    check_checkpoints("winning-2k", 100);
}

static void test_checkpoints_wpost_2k(void **state)
{
    (void)state;
    check_checkpoints("wpost-2k", 30);
}

/* A blank circuit has no witness to give. */
static void test_blank_has_no_values(void **state)
{
    static const cz_cs_ops no_ops = {0};
    cz_circuit *circuit;
    cz_cs cs;

    (void)state;
    assert_ok(cz_circuit_create_blank(&circuit, "wpost-2k"));
    cz_cs_init(&cs, &no_ops, true, false);
    circuit->synthesize(circuit, &cs);
    assert_fails(cz_cs_status(&cs), CZ_E_ARG, "wpost-2k: this circuit has no witness");
    cz_circuit_destroy(circuit);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_digest_winning_2k),      cmocka_unit_test(test_digest_winning_4k),
    cmocka_unit_test(test_digest_winning_16k),     cmocka_unit_test(test_digest_winning_32k),
    cmocka_unit_test(test_digest_winning_8m),      cmocka_unit_test(test_digest_winning_512m),
    cmocka_unit_test(test_digest_winning_32g),     cmocka_unit_test(test_digest_winning_64g),
    cmocka_unit_test(test_digest_wpost_2k),        cmocka_unit_test(test_digest_wpost_4k),
    cmocka_unit_test(test_digest_wpost_16k),       cmocka_unit_test(test_digest_wpost_32k),
    cmocka_unit_test(test_digest_wpost_8m),        cmocka_unit_test(test_digest_wpost_512m),
    cmocka_unit_test(test_digest_slow_wpost_32g),  cmocka_unit_test(test_digest_slow_wpost_64g),
    cmocka_unit_test(test_checkpoints_winning_2k), cmocka_unit_test(test_checkpoints_wpost_2k),
    cmocka_unit_test(test_blank_has_no_values),
};

CZ_TEST_MAIN(cases)
