/* Every circuit of empty-sector updates is the network's: sizes, densities and the digest of all
 * constraints. */
#include "golden_circuits.h"

static void test_digest_snap_2k(void **state)
{
    (void)state;
    check_digest("snap-2k");
}

static void test_digest_snap_4k(void **state)
{
    (void)state;
    check_digest("snap-4k");
}

static void test_digest_slow_snap_16k(void **state)
{
    (void)state;
    check_digest("snap-16k");
}

static void test_digest_slow_snap_32k(void **state)
{
    (void)state;
    check_digest("snap-32k");
}

static void test_digest_slow_snap_8m(void **state)
{
    (void)state;
    check_digest("snap-8m");
}

static void test_digest_slow_snap_16m(void **state)
{
    (void)state;
    check_digest("snap-16m");
}

static void test_digest_slow_snap_512m(void **state)
{
    (void)state;
    check_digest("snap-512m");
}

static void test_digest_slow_snap_32g(void **state)
{
    (void)state;
    check_digest("snap-32g");
}

static void test_digest_slow_snap_64g(void **state)
{
    (void)state;
    check_digest("snap-64g");
}

static void test_digest_snap_poseidon_2k(void **state)
{
    (void)state;
    check_digest("snap-poseidon-2k");
}

static void test_digest_snap_poseidon_4k(void **state)
{
    (void)state;
    check_digest("snap-poseidon-4k");
}

static void test_digest_snap_poseidon_16k(void **state)
{
    (void)state;
    check_digest("snap-poseidon-16k");
}

static void test_digest_snap_poseidon_32k(void **state)
{
    (void)state;
    check_digest("snap-poseidon-32k");
}

static void test_digest_snap_poseidon_8m(void **state)
{
    (void)state;
    check_digest("snap-poseidon-8m");
}

static void test_digest_snap_poseidon_16m(void **state)
{
    (void)state;
    check_digest("snap-poseidon-16m");
}

static void test_digest_slow_snap_poseidon_512m(void **state)
{
    (void)state;
    check_digest("snap-poseidon-512m");
}

static void test_digest_slow_snap_poseidon_32g(void **state)
{
    (void)state;
    check_digest("snap-poseidon-32g");
}

static void test_digest_slow_snap_poseidon_64g(void **state)
{
    (void)state;
    check_digest("snap-poseidon-64g");
}

static void test_checkpoints_snap_2k(void **state)
{
    (void)state;
    check_checkpoints("snap-2k", 100);
}

static void test_checkpoints_snap_poseidon_2k(void **state)
{
    (void)state;
    check_checkpoints("snap-poseidon-2k", 50);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_digest_snap_2k),
    cmocka_unit_test(test_digest_snap_4k),
    cmocka_unit_test(test_digest_slow_snap_16k),
    cmocka_unit_test(test_digest_slow_snap_32k),
    cmocka_unit_test(test_digest_slow_snap_8m),
    cmocka_unit_test(test_digest_slow_snap_16m),
    cmocka_unit_test(test_digest_slow_snap_512m),
    cmocka_unit_test(test_digest_slow_snap_32g),
    cmocka_unit_test(test_digest_slow_snap_64g),
    cmocka_unit_test(test_digest_snap_poseidon_2k),
    cmocka_unit_test(test_digest_snap_poseidon_4k),
    cmocka_unit_test(test_digest_snap_poseidon_16k),
    cmocka_unit_test(test_digest_snap_poseidon_32k),
    cmocka_unit_test(test_digest_snap_poseidon_8m),
    cmocka_unit_test(test_digest_snap_poseidon_16m),
    cmocka_unit_test(test_digest_slow_snap_poseidon_512m),
    cmocka_unit_test(test_digest_slow_snap_poseidon_32g),
    cmocka_unit_test(test_digest_slow_snap_poseidon_64g),
    cmocka_unit_test(test_checkpoints_snap_2k),
    cmocka_unit_test(test_checkpoints_snap_poseidon_2k),
};

CZ_TEST_MAIN(cases)
