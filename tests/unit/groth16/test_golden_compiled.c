/* The reference stack's proofs, byte for byte, through compiled circuits. */
#include "../filecoin/golden_request.h"
#include "cs/compile.h"
#include "golden_params.h"
#include "groth16/prove_compiled.h"

typedef struct {
    golden meta;
    cz_job *job;
    cz_params params;
    cz_prover_key *key;
    cz_compiled *compiled;
    cz_compile_options options; /* holds the pool */
} golden_case;

static void open_case(golden_case *c, const char *case_name)
{
    const cz_params_options params_options = {.pool = NULL};
    char path[256], params[512], vk[512];
    cz_circuit *blank;

    *c = (golden_case){.compiled = NULL};
    assert_ok(cz_pool_create(&c->options.pool, 0));
    golden_params(case_name, params, vk, c->options.pool);
    (void)snprintf(path, sizeof path, "golden/cases/%s/meta.json", case_name);
    c->meta = golden_open(cz_vector_path(path));
    c->job = golden_job(case_name);
    assert_ok(cz_params_open_with(&c->params, params, &params_options));
    assert_ok(cz_prover_key_load(&c->key, &c->params, c->options.pool, NULL));
    assert_ok(cz_circuit_create_blank(&blank, cz_job_circuit_id(c->job)));
    assert_ok(cz_circuit_compile(&c->compiled, blank, &c->options));
    cz_circuit_destroy(blank);
}

static void close_case(golden_case *c)
{
    cz_compiled_destroy(c->compiled);
    cz_prover_key_destroy(c->key);
    cz_params_close(&c->params);
    cz_job_destroy(c->job);
    golden_close(&c->meta);
    cz_pool_destroy(c->options.pool);
}

static cz_fr scalar(cz_json partition, const char *key)
{
    uint8_t bytes[32];
    cz_fr r;

    golden_get_hex(partition, key, bytes, 32);
    assert_true(cz_fr_from_le(&r, bytes));
    return r;
}

static void prove_partition(const golden_case *c, size_t k)
{
    cz_json partition = golden_at(golden_get(c->meta.root, "partitions"), k);
    cz_fr r = scalar(partition, "r"), s = scalar(partition, "s");
    uint8_t expected[CZ_PROOF_BYTES], got[CZ_PROOF_BYTES];
    cz_circuit *circuit;
    cz_bit_witness w;
    cz_proof proof;

    assert_ok(cz_job_circuit(c->job, k, &circuit));
    assert_ok(cz_bit_witness_synthesize_pool(&w, c->compiled, circuit, c->options.pool));
    cz_circuit_destroy(circuit);
    assert_ok(
        cz_groth16_prove_compiled(&proof, c->key, c->compiled, &w, &r, &s, c->options.pool, NULL));
    cz_bit_witness_clear(&w);
    cz_proof_write(got, &proof);
    golden_get_hex(partition, "proof", expected, CZ_PROOF_BYTES);
    assert_memory_equal(got, expected, CZ_PROOF_BYTES);
}

static void assert_case(const char *case_name)
{
    golden_case c;

    open_case(&c, case_name);
    for (size_t k = 0; k < cz_job_partitions(c.job); k++)
        prove_partition(&c, k);
    close_case(&c);
}

static void test_compiled_slow_porep_2k_v1(void **state)
{
    (void)state;
    assert_case("porep-2k-v1");
}

static void test_compiled_slow_porep_2k_v1_1(void **state)
{
    (void)state;
    assert_case("porep-2k-v1_1");
}

static void test_compiled_slow_porep_2k_synth(void **state)
{
    (void)state;
    assert_case("porep-2k-synth");
}

static void test_compiled_slow_porep_2k_ni(void **state)
{
    (void)state;
    assert_case("porep-2k-ni");
}

static void test_compiled_winning_2k(void **state)
{
    (void)state;
    assert_case("winning-2k");
}

static void test_compiled_slow_winning_8m(void **state)
{
    (void)state;
    assert_case("winning-8m");
}

static void test_compiled_slow_wpost_2k_full(void **state)
{
    (void)state;
    assert_case("wpost-2k-full");
}

static void test_compiled_wpost_2k_short(void **state)
{
    (void)state;
    assert_case("wpost-2k-short");
}

static void test_compiled_slow_wpost_2k_two(void **state)
{
    (void)state;
    assert_case("wpost-2k-two");
}

static void test_compiled_slow_wpost_2k_v1_2(void **state)
{
    (void)state;
    assert_case("wpost-2k-v1_2");
}

static void test_compiled_slow_wpost_8m(void **state)
{
    (void)state;
    assert_case("wpost-8m");
}

static void test_compiled_slow_snap_2k(void **state)
{
    (void)state;
    assert_case("snap-2k");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_compiled_slow_porep_2k_v1),
    cmocka_unit_test(test_compiled_slow_porep_2k_v1_1),
    cmocka_unit_test(test_compiled_slow_porep_2k_synth),
    cmocka_unit_test(test_compiled_slow_porep_2k_ni),
    cmocka_unit_test(test_compiled_winning_2k),
    cmocka_unit_test(test_compiled_slow_winning_8m),
    cmocka_unit_test(test_compiled_slow_wpost_2k_full),
    cmocka_unit_test(test_compiled_wpost_2k_short),
    cmocka_unit_test(test_compiled_slow_wpost_2k_two),
    cmocka_unit_test(test_compiled_slow_wpost_2k_v1_2),
    cmocka_unit_test(test_compiled_slow_wpost_8m),
    cmocka_unit_test(test_compiled_slow_snap_2k),
};
CZ_TEST_MAIN(cases)
