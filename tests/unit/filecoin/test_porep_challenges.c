/* Challenges and replica ids against the reference's own test values and the golden cases. */
#include "filecoin/porep_challenges.h"

#include "filecoin/registry.h"
#include "filecoin/replica_id.h"
#include "golden.h"

static void assert_numbers(cz_json wanted, const uint32_t *got)
{
    for (size_t i = 0; i < golden_size(wanted); i++)
        assert_int_equal(golden_u64(golden_at(wanted, i)), got[i]);
}

/* A small field element as its 32 bytes. */
static void small_element(uint8_t out[32], uint64_t v)
{
    memset(out, 0, 32);
    cz_store_le64(out, v);
}

static void test_synthetic_known_answers(void **state)
{
    const char *path = cz_shared_vector_path("challenges/challenge-kat.json");
    cz_porep_challenge_inputs in = {.features = CZ_FEATURE_SYNTHETIC};
    uint32_t set[21], chosen[10], again[10];
    cz_json kat;
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    kat = golden_get(g.root, "synthetic_porep");
    in.nodes = golden_get_u64(kat, "sector_nodes");
    small_element(in.replica_id, golden_get_u64(kat, "replica_id_fr"));
    small_element(in.comm_r, golden_get_u64(kat, "comm_r_fr"));
    golden_get_hex(kat, "rand", in.seed, 32);
    assert_ok(cz_synthetic_challenges(set, &in, 0, 21));
    assert_numbers(golden_get(kat, "synth_challenges"), set);
    assert_ok(cz_synthetic_selection(chosen, &in, 21, 0, 10));
    assert_numbers(golden_get(kat, "porep_challenges"), chosen);
    assert_ok(cz_synthetic_selection(again, &in, 21, 4, 6));
    assert_memory_equal(again, chosen + 4, 6 * sizeof *again);
    golden_close(&g);
}

static void test_interactive_8m(void **state)
{
    const char *path = cz_shared_vector_path("challenges/challenge-kat.json");
    cz_porep_challenge_inputs in = {0};
    uint32_t got[2];
    cz_json kat;
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    kat = golden_get(g.root, "interactive_porep_8mib");
    in.nodes = golden_get_u64(kat, "sector_nodes");
    golden_get_hex(kat, "replica_id", in.replica_id, 32);
    golden_get_hex(kat, "seed", in.seed, 32);
    assert_ok(cz_porep_challenges(got, &in, 0, 2));
    assert_numbers(golden_get(kat, "challenges"), got);
    golden_close(&g);
}

static golden open_meta(const char *name)
{
    char path[256];

    (void)snprintf(path, sizeof path, "golden/cases/%s/meta.json", name);
    return golden_open(cz_vector_path(path));
}

static void check_golden_challenges(const char *name, unsigned features)
{
    golden g = open_meta(name);
    cz_porep_challenge_inputs in = {.nodes = 64, .features = features};
    cz_json partitions = golden_get(g.root, "partitions");

    golden_get_hex(g.root, "replica_id", in.replica_id, 32);
    golden_get_hex(g.root, "comm_r", in.comm_r, 32);
    golden_get_hex(g.root, "seed", in.seed, 32);
    for (uint32_t k = 0; k < golden_size(partitions); k++) {
        uint32_t got[2];

        assert_ok(cz_porep_challenges(got, &in, 2 * k, 2));
        assert_numbers(golden_get(golden_at(partitions, k), "challenges"), got);
    }
    golden_close(&g);
}

static void test_golden_challenges(void **state)
{
    (void)state;
    check_golden_challenges("porep-2k-v1", 0);
    check_golden_challenges("porep-2k-v1_1", 0);
    check_golden_challenges("porep-2k-synth", CZ_FEATURE_SYNTHETIC);
    check_golden_challenges("porep-2k-ni", CZ_FEATURE_NON_INTERACTIVE);
}

/* Never node 0, never past the end, and every other node can be drawn. */
static void test_range(void **state)
{
    enum { N = 1000 };
    static const unsigned features[3] = {0, CZ_FEATURE_SYNTHETIC, CZ_FEATURE_NON_INTERACTIVE};
    uint32_t got[N];

    (void)state;
    for (unsigned f = 0; f < 3; f++) {
        cz_porep_challenge_inputs in = {.nodes = 8, .features = features[f]};
        unsigned seen = 0;

        cz_test_random_bytes(in.replica_id, 32);
        assert_ok(cz_porep_challenges(got, &in, 0, N));
        for (unsigned i = 0; i < N; i++) {
            assert_true(got[i] >= 1 && got[i] < 8);
            seen |= 1u << got[i];
        }
        if (features[f] != CZ_FEATURE_SYNTHETIC) /* its set has just 8 members */
            assert_int_equal(seen, 0xfe);
    }
}

/* --- replica ids --- */

static void check_replica_id(const char *name)
{
    golden g = open_meta(name);
    const cz_proof_spec *spec;
    uint8_t prover[32], wanted_prover[32], comm_d[32], ticket[32], wanted[32], got[32];

    golden_get_hex(g.root, "prover_id", wanted_prover, 32);
    cz_prover_id(prover, golden_get_u64(g.root, "miner_id"));
    assert_memory_equal(prover, wanted_prover, 32);
    golden_get_hex(g.root, "ticket", ticket, 32);
    golden_get_hex(g.root, "comm_d", comm_d, 32);
    golden_get_hex(g.root, "replica_id", wanted, 32);
    assert_ok(
        cz_proof_spec_find(&spec, CZ_KIND_POREP, golden_get_u64(g.root, "registered_proof"), 0));
    cz_replica_id(got, prover, golden_get_u64(g.root, "sector_number"), ticket, comm_d,
                  spec->porep_id);
    assert_memory_equal(got, wanted, 32);
    golden_close(&g);
}

static void test_replica_ids(void **state)
{
    (void)state;
    check_replica_id("porep-2k-v1");
    check_replica_id("porep-2k-v1_1");
    check_replica_id("porep-2k-synth");
    check_replica_id("porep-2k-ni");
}

static void test_prover_ids(void **state)
{
    static const struct {
        uint64_t miner;
        uint8_t bytes[10];
    } known[] = {
        {0, {0}},
        {127, {0x7f}},
        {128, {0x80, 0x01}},
        {1006, {0xee, 0x07}},
        {UINT64_MAX, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}},
    };
    static const uint8_t zeros[22] = {0};
    uint8_t got[32];

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        cz_prover_id(got, known[i].miner);
        assert_memory_equal(got, known[i].bytes, 10);
        assert_memory_equal(got + 10, zeros, 22);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_synthetic_known_answers),
    cmocka_unit_test(test_interactive_8m),
    cmocka_unit_test(test_golden_challenges),
    cmocka_unit_test(test_range),
    cmocka_unit_test(test_replica_ids),
    cmocka_unit_test(test_prover_ids),
};

CZ_TEST_MAIN(cases)
