/* The graph and what it is made of: ChaCha, the Feistel permutation, parents. */
#include "filecoin/graph.h"

#include "filecoin/chacha.h"
#include "golden.h"
#include "hash/sha256.h"

/* --- ChaCha --- */

static void test_chacha20_rfc8439(void **state)
{
    /* [RFC 8439, section 2.4.2]: the key stream from block 1 encrypts this text. */
    static const char text[] = "Ladies and Gentlemen of the class of '99: If I could offer you "
                               "only one tip for the future, sunscreen would be it.";
    static const char cipher[] = "6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b"
                                 "f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8"
                                 "07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736"
                                 "5af90bbf74a35be6b40b8eedf2785e42874d";
    static const uint8_t nonce[12] = {0, 0, 0, 0, 0, 0, 0, 0x4a, 0, 0, 0, 0};
    uint8_t key[32], stream[sizeof text - 1], wanted[sizeof text - 1];
    cz_chacha c;

    (void)state;
    for (unsigned i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    assert_true(cz_hex_decode(wanted, sizeof wanted, cipher, strlen(cipher)));
    cz_chacha20_init(&c, key, nonce);
    cz_chacha_seek(&c, 64);
    cz_chacha_bytes(&c, stream, sizeof stream);
    for (size_t i = 0; i < sizeof stream; i++)
        assert_int_equal(stream[i] ^ (uint8_t)text[i], wanted[i]);
}

static void test_chacha8_zero_key(void **state)
{
    /* draft-strombergson-chacha-test-vectors, TC1, 256-bit key, 8 rounds */
    static const char stream[] = "3e00ef2f895f40d67f5bb8e81f09a5a12c840ec3ce9a7f3b181be188ef711a1e"
                                 "984ce172b9216f419f445367456d5619314a42a3da86b001387bfdb80e0cfe42";
    static const uint8_t key[32] = {0};
    uint8_t wanted[64], got[64];
    cz_chacha c;

    (void)state;
    assert_true(cz_hex_decode(wanted, 64, stream, 128));
    cz_chacha8_init(&c, key);
    cz_chacha_bytes(&c, got, 64);
    assert_memory_equal(got, wanted, 64);
}

static void test_chacha_pieces_and_seeks(void **state)
{
    static const uint8_t nonce[12] = "any nonce..";
    uint8_t key[32], whole[300], part[300];
    cz_chacha c;

    (void)state;
    cz_test_random_bytes(key, sizeof key);
    cz_chacha20_init(&c, key, nonce);
    cz_chacha_bytes(&c, whole, sizeof whole);
    for (size_t from = 0; from < sizeof whole; from += 13) {
        cz_chacha_seek(&c, from);
        cz_chacha_bytes(&c, part, 1);
        cz_chacha_bytes(&c, part + 1, sizeof whole - from - 1);
        assert_memory_equal(part, whole + from, sizeof whole - from);
    }
    cz_chacha_seek(&c, 8);
    assert_int_equal(cz_chacha_u64(&c), cz_load_le64(whole + 8));
}

/* --- Feistel --- */

static void check_permutation(uint64_t n)
{
    static const uint64_t keys[4] = {1, 2, 3, 4};
    uint8_t *hit = calloc(n, 1);
    cz_feistel f;

    assert_non_null(hit);
    cz_feistel_init(&f, n, keys);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t image = n;

        assert_ok(cz_feistel_permute(&f, i, &image));
        assert_true(image < n);
        assert_false(hit[image]);
        hit[image] = 1;
    }
    free(hit);
}

static void test_feistel_is_a_permutation(void **state)
{
    (void)state;
    check_permutation(1);
    check_permutation(3);
    check_permutation(4);
    check_permutation(5);
    check_permutation(512);
    check_permutation(1000);
    check_permutation(1024);
}

/* --- parents --- */

static void test_graph_properties(void **state)
{
    enum { NODES = 512 };
    static const uint8_t porep_id[32] = {5};
    unsigned used[NODES] = {0};
    cz_graph g;

    (void)state;
    cz_graph_init(&g, NODES, porep_id, CZ_API_1_1);
    for (uint32_t node = 0; node < NODES; node++) {
        uint32_t parents[CZ_PARENTS];

        assert_ok(cz_graph_parents(&g, node, parents));
        assert_int_equal(parents[0], node == 0 ? 0 : node - 1);
        for (unsigned i = 0; i < CZ_DRG_PARENTS; i++)
            assert_true(parents[i] < node || node == 0);
        for (unsigned i = CZ_DRG_PARENTS; i < CZ_PARENTS; i++)
            used[parents[i]]++;
    }
    for (uint32_t node = 0; node < NODES; node++)
        assert_int_equal(used[node], CZ_EXP_PARENTS); /* the expander is a permutation of slots */
}

/* SHA-256 over all nodes' parents, as the network's parent caches are laid out. */
static void parents_digest(char hex[65], uint64_t nodes, uint8_t porep_number, cz_api_version api)
{
    const uint8_t porep_id[32] = {porep_number};
    uint8_t digest[32];
    cz_sha256 s;
    cz_graph g;

    cz_graph_init(&g, nodes, porep_id, api);
    cz_sha256_init(&s);
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t parents[CZ_PARENTS];
        uint8_t bytes[4 * CZ_PARENTS];

        assert_ok(cz_graph_parents(&g, node, parents));
        for (unsigned i = 0; i < CZ_PARENTS; i++)
            cz_store_le32(bytes + (size_t)4 * i, parents[i]);
        cz_sha256_update(&s, bytes, sizeof bytes);
    }
    cz_sha256_final(&s, digest);
    cz_hex_encode(hex, digest, sizeof digest);
}

/* The published digests do not say which porep id they belong to; the legacy and the current graph
 * of a size must be two different ones among those of that size. */
static void check_parent_caches(uint64_t sector_size, uint8_t legacy, uint8_t current)
{
    const char *path = cz_shared_vector_path("graph/parent_cache.json");
    char hex[2][65];
    unsigned found[2] = {0, 0};
    const char *key;
    cz_json_iter it;
    cz_json v;
    golden g;

    if (path == NULL)
        skip();
    g = golden_open(path);
    parents_digest(hex[0], sector_size / 32, legacy, CZ_API_1_0);
    parents_digest(hex[1], sector_size / 32, current, CZ_API_1_1);
    assert_string_not_equal(hex[0], hex[1]);
    assert_ok(cz_json_iterate(g.root, &it));
    while (cz_json_next(&it, &v, &key))
        for (unsigned i = 0; i < 2; i++)
            found[i] += golden_get_u64(v, "sector_size") == sector_size &&
                        strcmp(golden_get_text(v, "digest"), hex[i]) == 0;
    assert_int_equal(found[0], 1);
    assert_int_equal(found[1], 1);
    golden_close(&g);
}

static void test_parent_caches_2k(void **state)
{
    (void)state;
    check_parent_caches(2048, 0, 5);
}

static void test_parent_caches_slow_8m(void **state)
{
    (void)state;
    check_parent_caches(8 << 20, 1, 6);
}

static void assert_numbers(cz_json wanted, const uint32_t *got, size_t n)
{
    assert_int_equal(golden_size(wanted), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(golden_u64(golden_at(wanted, i)), got[i]);
}

/* 180 nodes of a real 32 GiB sector of the first network version. */
static void test_parents_32g_legacy(void **state)
{
    const char *path = cz_shared_vector_path("graph/parents-32gib-api1.0.0-porep3.json");
    static const uint8_t porep_id[32] = {3};
    cz_json_iter it;
    cz_json v;
    cz_graph graph;
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    cz_graph_init(&graph, UINT64_C(1) << 30, porep_id, CZ_API_1_0);
    assert_ok(cz_json_iterate(g.root, &it));
    while (cz_json_next(&it, &v, NULL)) {
        uint32_t parents[CZ_PARENTS];

        assert_ok(cz_graph_parents(&graph, (uint32_t)golden_get_u64(v, "challenge"), parents));
        assert_numbers(golden_get(v, "drg_parents"), parents, CZ_DRG_PARENTS);
        assert_numbers(golden_get(v, "exp_parents"), parents + CZ_DRG_PARENTS, CZ_EXP_PARENTS);
    }
    assert_int_equal(golden_size(g.root), 180);
    golden_close(&g);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_chacha20_rfc8439),        cmocka_unit_test(test_chacha8_zero_key),
    cmocka_unit_test(test_chacha_pieces_and_seeks), cmocka_unit_test(test_feistel_is_a_permutation),
    cmocka_unit_test(test_graph_properties),        cmocka_unit_test(test_parent_caches_2k),
    cmocka_unit_test(test_parent_caches_slow_8m),   cmocka_unit_test(test_parents_32g_legacy),
};

CZ_TEST_MAIN(cases)
