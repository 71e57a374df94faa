/* test_poseidon_many.c: each form of many permutations against the definition, and the forms'
 * witnesses against each other. That the witness is the circuit's: tests/unit/gadgets. */
#include "hash/poseidon_many.h"

#include <stdlib.h>

#include "support.h"

static const unsigned arities[] = {2, 4, 8, 11, 16, 24, 36};
enum { N_ARITIES = sizeof arities / sizeof arities[0], MOST = 27 };

static void random_elements(cz_fr *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(&out[i], bytes);
    }
}

/* Montgomery forms at the ends of their range: 0, 1, 2^256 mod r (one), r - 1, limbs all ones. */
static void edge_elements(cz_fr *out, size_t n, size_t from)
{
    const cz_fr zero = CZ_FR_ZERO, one = CZ_FR_ONE, small = {{1}};
    cz_fr edges[6] = {zero, one, small, {CZ_FR_MODULUS}, {CZ_FR_MODULUS}, {{0}}};

    edges[3].l[0] -= 1;
    edges[4].l[3] -= 1;
    edges[4].l[0] = edges[4].l[1] = edges[4].l[2] = UINT64_MAX;
    cz_fr_neg(&edges[5], &one);
    for (size_t i = 0; i < n; i++)
        out[i] = edges[(i + from) % 6];
}

/* Run `test` with this form, or skip the case where the CPU lacks it; the best one is in use
 * afterwards. */
static void with_form(const char *name, void (*test)(void))
{
    const char *best = cz_poseidon_form();

    if (cz_poseidon_select(name) == CZ_E_NODEV)
        skip();
    assert_string_equal(cz_poseidon_form(), name);
    test();
    assert_ok(cz_poseidon_select(best));
}

/* --- digests --- */

static void compare_digests(const cz_poseidon_constants *k, const cz_fr *preimages, size_t n)
{
    cz_fr got[MOST + 1];
    const cz_fr poison = {{1, 2, 3, 4}};

    for (size_t i = 0; i <= MOST; i++)
        got[i] = poison;
    cz_poseidon_hash_many(got, k, preimages, n);
    for (size_t i = 0; i < n; i++) {
        cz_fr want;

        cz_poseidon_ref_hash(&want, k, preimages + i * k->arity);
        assert_true(cz_fr_equal(&got[i], &want));
    }
    assert_true(cz_fr_equal(&got[n], &poison));
}

static void digests_of_all_arities(void)
{
    static cz_fr preimages[MOST * CZ_POSEIDON_MAX_ARITY];

    for (unsigned a = 0; a < N_ARITIES; a++) {
        const cz_poseidon_constants *k = cz_poseidon_get(arities[a]);

        assert_non_null(k);
        random_elements(preimages, (size_t)9 * k->arity);
        compare_digests(k, preimages, 9);
        edge_elements(preimages, (size_t)8 * k->arity, a);
        compare_digests(k, preimages, 8);
        memset(preimages, 0, sizeof preimages);
        compare_digests(k, preimages, 1);
    }
}

static void test_digests_of_all_arities_scalar(void **state)
{
    (void)state;
    with_form("scalar", digests_of_all_arities);
}

static void test_digests_of_all_arities_ifma(void **state)
{
    (void)state;
    with_form("ifma", digests_of_all_arities);
}

static void digests_of_all_counts(void)
{
    static cz_fr preimages[MOST * 2];
    const cz_poseidon_constants *k = cz_poseidon_get(2);

    random_elements(preimages, MOST * 2);
    for (size_t n = 0; n <= MOST; n++)
        compare_digests(k, preimages, n);
}

static void test_digests_of_all_counts_scalar(void **state)
{
    (void)state;
    with_form("scalar", digests_of_all_counts);
}

static void test_digests_of_all_counts_ifma(void **state)
{
    (void)state;
    with_form("ifma", digests_of_all_counts);
}

static void digests_with_tags(void)
{
    const cz_poseidon_constants *k = cz_poseidon_get(4);
    cz_fr preimages[3 * 4], got[3], want, tag;

    random_elements(preimages, 12);
    cz_fr_from_u64(&tag, (uint64_t)1 << 40);
    cz_poseidon_hash_many_tagged(got, k, &tag, preimages, 3);
    for (size_t i = 0; i < 3; i++) {
        cz_poseidon_hash_tagged(&want, k, &tag, preimages + 4 * i);
        assert_true(cz_fr_equal(&got[i], &want));
    }
}

static void test_digests_with_tags_scalar(void **state)
{
    (void)state;
    with_form("scalar", digests_with_tags);
}

static void test_digests_with_tags_ifma(void **state)
{
    (void)state;
    with_form("ifma", digests_with_tags);
}

/* Lanes also take numbers that are not reduced (r, 2 r - 1, all below 2^256). */
static void unreduced_input(void)
{
    const cz_poseidon_constants *k = cz_poseidon_get(8);
    cz_fr loose[8 * 8], reduced[8 * 8], got[8], want;

    edge_elements(reduced, 64, 0);
    for (size_t i = 0; i < 64; i++) {
        uint64_t carry = 0;

        for (int l = 0; l < 4; l++)
            loose[i].l[l] = cz_adc(reduced[i].l[l], cz_fr_modulus[l], &carry);
        assert_int_equal(carry, 0);
    }
    cz_poseidon_hash_many(got, k, loose, 8);
    for (size_t i = 0; i < 8; i++) {
        cz_poseidon_ref_hash(&want, k, reduced + 8 * i);
        assert_true(cz_fr_equal(&got[i], &want));
    }
}

static void test_unreduced_input_in_lanes(void **state)
{
    (void)state;
    with_form("ifma", unreduced_input);
}

/* --- witnesses --- */

/* n witnesses by the form in use, one after another. */
static cz_fr *witnesses(const cz_poseidon_constants *k, const cz_fr *preimages, size_t n)
{
    const size_t size = cz_poseidon_witness_size(k);
    cz_fr *values = calloc(n * size + 1, sizeof *values);
    cz_fr *rows[MOST];

    assert_non_null(values);
    values[n * size].l[0] = 77;
    for (size_t i = 0; i < n; i++)
        rows[i] = values + i * size;
    cz_poseidon_witness_many(rows, k, &k->domain_tag, preimages, n);
    assert_int_equal(values[n * size].l[0], 77);
    return values;
}

static void compare_witnesses(const cz_poseidon_constants *k, const cz_fr *preimages, size_t n)
{
    const size_t size = cz_poseidon_witness_size(k);
    const char *best = cz_poseidon_form();
    cz_fr *want, *got;

    assert_ok(cz_poseidon_select("scalar"));
    want = witnesses(k, preimages, n);
    assert_ok(cz_poseidon_select(best));
    got = witnesses(k, preimages, n);
    assert_memory_equal(got, want, n * size * sizeof *got);
    for (size_t i = 0; i < n; i++) {
        cz_fr digest;

        cz_poseidon_ref_hash(&digest, k, preimages + i * k->arity);
        assert_true(cz_fr_equal(&want[(i + 1) * size - 1], &digest));
    }
    free(want);
    free(got);
}

static void test_witnesses_in_lanes_equal_the_scalar_ones(void **state)
{
    static cz_fr preimages[MOST * CZ_POSEIDON_MAX_ARITY];

    (void)state;
    if (strcmp(cz_poseidon_form(), "ifma") != 0)
        skip();
    for (unsigned a = 0; a < N_ARITIES; a++) {
        const cz_poseidon_constants *k = cz_poseidon_get(arities[a]);

        random_elements(preimages, (size_t)11 * k->arity);
        compare_witnesses(k, preimages, 11);
        edge_elements(preimages, (size_t)8 * k->arity, a);
        compare_witnesses(k, preimages, 8);
    }
}

static void test_witness_sizes_are_the_circuits(void **state)
{
    (void)state;
    assert_int_equal(cz_poseidon_witness_size(cz_poseidon_get(2)), 311);
    assert_int_equal(cz_poseidon_witness_size(cz_poseidon_get(4)), 377);
    assert_int_equal(cz_poseidon_witness_size(cz_poseidon_get(8)), 505);
    assert_int_equal(cz_poseidon_witness_size(cz_poseidon_get(11)), 598);
}

static void test_unknown_forms_are_refused(void **state)
{
    (void)state;
    assert_fails(cz_poseidon_select("abacus"), CZ_E_NOTFOUND, "'abacus': no such form");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_digests_of_all_arities_scalar),
    cmocka_unit_test(test_digests_of_all_arities_ifma),
    cmocka_unit_test(test_digests_of_all_counts_scalar),
    cmocka_unit_test(test_digests_of_all_counts_ifma),
    cmocka_unit_test(test_digests_with_tags_scalar),
    cmocka_unit_test(test_digests_with_tags_ifma),
    cmocka_unit_test(test_unreduced_input_in_lanes),
    cmocka_unit_test(test_witnesses_in_lanes_equal_the_scalar_ones),
    cmocka_unit_test(test_witness_sizes_are_the_circuits),
    cmocka_unit_test(test_unknown_forms_are_refused),
};
CZ_TEST_MAIN(cases)
