/* test_sha256.c: known answers, and each form of the compression function against the portable one.
 */
#include "hash/sha256.h"

#include "known_answers.h"

enum { MAX_MESSAGE = 4096 };

static void assert_hash(const uint8_t got[32], const char *want_hex)
{
    char hex[65];

    cz_hex_encode(hex, got, 32);
    assert_string_equal(hex, want_hex);
}

/* [FIPS 180-4] examples and the million a's of [RFC 6234]. */
static void test_standard_examples(void **state)
{
    static uint8_t a[1000];
    uint8_t hash[32];
    cz_sha256 s;

    (void)state;
    cz_sha256_of(hash, "abc", 3);
    assert_hash(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    cz_sha256_of(hash, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56);
    assert_hash(hash, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    memset(a, 'a', sizeof a);
    cz_sha256_init(&s);
    for (int i = 0; i < 1000; i++)
        cz_sha256_update(&s, a, sizeof a);
    cz_sha256_final(&s, hash);
    assert_hash(hash, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_golden_hashes(void **state)
{
    uint8_t data[MAX_MESSAGE], want[32], got[32];
    cz_json root, v;
    cz_json_doc *doc = answers_open(cz_vector_path("golden/known-answers.json"), &root);
    cz_json_iter it = answers_walk(root, "sha256");

    (void)state;
    while (cz_json_next(&it, &v, NULL)) {
        size_t n = answers_get_hex(v, "data", data, sizeof data);

        (void)answers_get_hex(v, "hash", want, sizeof want);
        cz_sha256_of(got, data, n);
        assert_memory_equal(got, want, 32);
    }
    cz_json_destroy(doc);
}

static void test_golden_tree_nodes(void **state)
{
    uint8_t left[32], right[32], want[32], got[32];
    cz_json root, v;
    cz_json_doc *doc = answers_open(cz_vector_path("golden/known-answers.json"), &root);
    cz_json_iter it = answers_walk(root, "sha256_node");

    (void)state;
    while (cz_json_next(&it, &v, NULL)) {
        (void)answers_get_hex(v, "left", left, 32);
        (void)answers_get_hex(v, "right", right, 32);
        (void)answers_get_hex(v, "node", want, 32);
        cz_sha254_node(got, left, right);
        assert_memory_equal(got, want, 32);
    }
    cz_json_destroy(doc);
}

/* However a message is cut into updates, and at every length around the block and padding edges. */
static void test_updates_of_any_size(void **state)
{
    uint8_t data[300], whole[32], cut[32];

    (void)state;
    cz_test_random_bytes(data, sizeof data);
    for (size_t n = 0; n <= sizeof data; n++) {
        size_t at = 0;
        cz_sha256 s;

        cz_sha256_of(whole, data, n);
        cz_sha256_init(&s);
        while (at < n) {
            size_t step = cz_test_random() % 130;

            step = step < n - at ? step : n - at;
            cz_sha256_update(&s, data + at, step);
            at += step;
        }
        cz_sha256_final(&s, cut);
        assert_memory_equal(cut, whole, 32);
    }
}

static void test_ni_equals_portable(void **state)
{
    uint8_t blocks[64 * 9];
    uint32_t want[8], got[8];

    (void)state;
    if (!cz_sha256_has_ni())
        skip();
    for (size_t round = 0; round < 200; round++) {
        size_t n = round % 10;

        cz_test_random_bytes(blocks, sizeof blocks);
        cz_test_random_bytes((uint8_t *)want, sizeof want);
        memcpy(got, want, sizeof got);
        cz_sha256_compress_portable(want, blocks, n);
        cz_sha256_compress_ni(got, blocks, n);
        assert_memory_equal(got, want, sizeof got);
        cz_sha256_compress(want, blocks, n);
        cz_sha256_compress_portable(got, blocks, n);
        assert_memory_equal(got, want, sizeof got);
    }
}

/* The number of bits at the end has 64: as if a tebibyte had gone before. */
static void test_long_messages_end_with_their_length(void **state)
{
    uint8_t last[64] = {0x80}, got[32], want[32];
    uint32_t h[8];
    cz_sha256 s;

    (void)state;
    cz_sha256_init(&s);
    s.n_bytes = (uint64_t)1 << 40;
    cz_sha256_final(&s, got);
    last[64 - 6] = 0x08; /* 2^43, big-endian */
    memcpy(h, cz_sha256_iv, sizeof h);
    cz_sha256_compress_portable(h, last, 1);
    for (int i = 0; i < 8; i++)
        cz_store_be32(want + 4 * i, h[i]);
    assert_memory_equal(got, want, sizeof got);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_standard_examples),
    cmocka_unit_test(test_golden_hashes),
    cmocka_unit_test(test_golden_tree_nodes),
    cmocka_unit_test(test_updates_of_any_size),
    cmocka_unit_test(test_ni_equals_portable),
    cmocka_unit_test(test_long_messages_end_with_their_length),
};
CZ_TEST_MAIN(cases)
