/* test_poseidon.c: digests and constants against the outside world, the optimised permutation
 * against the definition. */
#include "hash/poseidon.h"

#include <stdio.h>

#include "known_answers.h"

static const unsigned arities[] = {2, 4, 8, 11, 16, 24, 36};
enum { N_ARITIES = sizeof arities / sizeof arities[0] };

static const cz_poseidon_constants *constants(unsigned arity)
{
    const cz_poseidon_constants *k = cz_poseidon_get(arity);

    assert_non_null(k);
    assert_int_equal(k->arity, arity);
    assert_int_equal(k->width, arity + 1);
    return k;
}

static void random_elements(cz_fr *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(&out[i], bytes);
    }
}

static void test_golden_digests(void **state)
{
    cz_json root, v;
    cz_json_doc *doc = answers_open(cz_vector_path("golden/known-answers.json"), &root);
    cz_json_iter it = answers_walk(root, "poseidon");

    (void)state;
    while (cz_json_next(&it, &v, NULL)) {
        cz_fr preimage[CZ_POSEIDON_MAX_ARITY], got;
        uint8_t bytes[32], want[32];
        cz_json arity_value, element;
        cz_json_iter elements;
        uint64_t arity = 0;
        size_t n = 0;

        assert_ok(cz_json_get(v, "arity", &arity_value));
        assert_ok(cz_json_u64(arity_value, &arity));
        elements = answers_walk(v, "preimage");
        while (cz_json_next(&elements, &element, NULL)) {
            assert_true(n < CZ_POSEIDON_MAX_ARITY);
            assert_int_equal(answers_hex(element, bytes, 32), 32);
            assert_true(cz_fr_from_le(&preimage[n++], bytes));
        }
        assert_int_equal(n, arity);
        (void)answers_get_hex(v, "hash", want, 32);
        cz_poseidon_hash(&got, constants((unsigned)arity), preimage);
        cz_fr_to_le(bytes, &got);
        assert_memory_equal(bytes, want, 32);
    }
    cz_json_destroy(doc);
}

/* neptune's own expected digests of 0, 1, …, arity - 1: "0x" and big-endian digits. */
static void test_digests_of_neptune(void **state)
{
    const char *path = cz_shared_vector_path("poseidon/poseidon_kat.json");
    cz_json root, kind, standard;
    cz_json_doc *doc;

    (void)state;
    if (path == NULL)
        skip();
    doc = answers_open(path, &root);
    assert_ok(cz_json_get(root, "merkle_tree_hash_type", &kind));
    assert_ok(cz_json_get(kind, "standard", &standard));
    for (unsigned a = 0; a < N_ARITIES; a++) {
        cz_fr preimage[CZ_POSEIDON_MAX_ARITY], got;
        uint8_t bytes[32];
        char name[8], hex[67] = "0x";
        const char *want;
        cz_json v;
        size_t n;

        for (unsigned i = 0; i < arities[a]; i++)
            cz_fr_from_u64(&preimage[i], i);
        cz_poseidon_hash(&got, constants(arities[a]), preimage);
        cz_fr_to_be(bytes, &got);
        cz_hex_encode(hex + 2, bytes, 32);
        (void)snprintf(name, sizeof name, "%u", arities[a]);
        assert_ok(cz_json_get(standard, name, &v));
        assert_ok(cz_json_string(v, &want, &n));
        assert_string_equal(hex, want);
    }
    cz_json_destroy(doc);
}

/* Compare n elements in Montgomery form with the file's bytes; where the file goes on. */
static const uint8_t *assert_elements(const uint8_t *file, const cz_fr *want, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t limb = 0; limb < 4; limb++)
            assert_int_equal(cz_load_le64(file + 32 * i + 8 * limb), want[i].l[limb]);
    return file + 32 * n;
}

/* supra_seal's files: compressed constants, MDS, pre-sparse, then w_hat and v_rest of each round.
 */
static void compare_constants(const cz_poseidon_constants *k, const char *path)
{
    size_t t = k->width;
    size_t n = 0;
    uint8_t *file = cz_test_read(path, &n);
    const uint8_t *at = file;

    assert_int_equal(
        n, 32 * (8 * t + k->partial_rounds + 2 * t * t + k->partial_rounds * (2 * t - 1)));
    at = assert_elements(at, k->compressed, 8 * t + k->partial_rounds);
    at = assert_elements(at, k->mds, t * t);
    at = assert_elements(at, k->pre_sparse, t * t);
    for (unsigned round = 0; round < k->partial_rounds; round++) {
        at = assert_elements(at, k->sparse[round].w_hat, t);
        at = assert_elements(at, k->sparse[round].v_rest, t - 1);
    }
    free(file);
}

static void test_constants_of_supraseal(void **state)
{
    (void)state;
    for (unsigned a = 0; a < N_ARITIES; a++) {
        char name[64];
        const char *path;

        (void)snprintf(name, sizeof name, "poseidon/supraseal-constants_%u.bin", arities[a]);
        path = cz_shared_vector_path(name);
        if (path == NULL)
            skip();
        compare_constants(constants(arities[a]), path);
    }
}

static void test_optimised_form_equals_the_definition(void **state)
{
    (void)state;
    for (unsigned a = 0; a < N_ARITIES; a++) {
        const cz_poseidon_constants *k = constants(arities[a]);

        for (int round = 0; round < 20; round++) {
            cz_fr preimage[CZ_POSEIDON_MAX_ARITY], want, got;

            random_elements(preimage, k->arity);
            cz_poseidon_ref_hash(&want, k, preimage);
            cz_poseidon_hash(&got, k, preimage);
            assert_true(cz_fr_equal(&got, &want));
        }
    }
}

static void test_tag_changes_the_digest(void **state)
{
    const cz_poseidon_constants *k = constants(2);
    cz_fr preimage[2], merkle, same, other, tag;

    (void)state;
    random_elements(preimage, 2);
    cz_fr_from_u64(&tag, 3); /* 2^2 - 1 */
    cz_poseidon_hash(&merkle, k, preimage);
    cz_poseidon_hash_tagged(&same, k, &tag, preimage);
    assert_true(cz_fr_equal(&merkle, &same));
    cz_fr_from_u64(&tag, (uint64_t)1 << 40);
    cz_poseidon_hash_tagged(&other, k, &tag, preimage);
    assert_false(cz_fr_equal(&merkle, &other));
}

static void test_other_arities_do_not_exist(void **state)
{
    (void)state;
    assert_null(cz_poseidon_get(0));
    assert_null(cz_poseidon_get(3));
    assert_null(cz_poseidon_get(37));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_golden_digests),
    cmocka_unit_test(test_digests_of_neptune),
    cmocka_unit_test(test_constants_of_supraseal),
    cmocka_unit_test(test_optimised_form_equals_the_definition),
    cmocka_unit_test(test_tag_changes_the_digest),
    cmocka_unit_test(test_other_arities_do_not_exist),
};
CZ_TEST_MAIN(cases)
