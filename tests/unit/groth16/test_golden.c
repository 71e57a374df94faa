/* The reference stack's parameters and proofs, byte for byte: from the same toxic waste the same
 * files, from the same vanilla proof, r and s the same 192 bytes a partition. */
#include "../filecoin/golden_request.h"
#include "golden_params.h"

typedef struct {
    golden meta;
    cz_job *job;
    cz_params params;
    cz_prover_key *key;
    cz_verifier *verifier;
    cz_pool *pool;
} golden_case;

static void open_case(golden_case *c, const char *case_name)
{
    const cz_params_options options = {.pool = NULL};
    char path[256], params[512], vk[512];

    assert_ok(cz_pool_create(&c->pool, 0));
    golden_params(case_name, params, vk, c->pool);
    (void)snprintf(path, sizeof path, "golden/cases/%s/meta.json", case_name);
    c->meta = golden_open(cz_vector_path(path));
    c->job = golden_job(case_name);
    assert_ok(cz_params_open_with(&c->params, params, &options));
    assert_ok(cz_prover_key_load(&c->key, &c->params, c->pool, NULL));
    assert_ok(cz_verifier_create(&c->verifier, cz_prover_key_vk(c->key)));
}

static void close_case(golden_case *c)
{
    cz_verifier_destroy(c->verifier);
    cz_prover_key_destroy(c->key);
    cz_params_close(&c->params);
    cz_job_destroy(c->job);
    golden_close(&c->meta);
    cz_pool_destroy(c->pool);
}

static cz_fr scalar(cz_json partition, const char *key)
{
    uint8_t bytes[32];
    cz_fr r;

    golden_get_hex(partition, key, bytes, 32);
    assert_true(cz_fr_from_le(&r, bytes));
    return r;
}

static void prove_partition(const golden_case *c, size_t k, cz_proof *proof)
{
    cz_json partition = golden_at(golden_get(c->meta.root, "partitions"), k);
    cz_fr r = scalar(partition, "r"), s = scalar(partition, "s");
    uint8_t expected[CZ_PROOF_BYTES], got[CZ_PROOF_BYTES];
    cz_circuit *circuit;
    cz_assignment w;

    assert_ok(cz_job_circuit(c->job, k, &circuit));
    assert_ok(cz_assignment_synthesize(&w, circuit));
    cz_circuit_destroy(circuit);
    assert_ok(cz_groth16_prove(proof, c->key, &w, &r, &s, c->pool, NULL));
    cz_assignment_clear(&w);
    cz_proof_write(got, proof);
    golden_get_hex(partition, "proof", expected, CZ_PROOF_BYTES);
    assert_memory_equal(got, expected, CZ_PROOF_BYTES);
}

static void assert_case(const char *case_name)
{
    golden_case c;
    size_t n_partitions, n_inputs = 0;
    cz_proof *proofs;
    cz_fr *inputs;

    open_case(&c, case_name);
    n_partitions = cz_job_partitions(c.job);
    assert_int_equal(n_partitions, golden_get_u64(c.meta.root, "partition_count"));
    proofs = malloc(n_partitions * sizeof *proofs);
    inputs = malloc(n_partitions * cz_verifier_inputs(c.verifier) * sizeof *inputs);
    assert_true(proofs != NULL && inputs != NULL);
    for (size_t k = 0; k < n_partitions; k++) {
        cz_fr *own;

        prove_partition(&c, k, &proofs[k]);
        assert_ok(cz_job_public_inputs(c.job, k, &own, &n_inputs));
        assert_int_equal(n_inputs, cz_verifier_inputs(c.verifier));
        memcpy(inputs + k * n_inputs, own, n_inputs * sizeof *own);
        free(own);
    }
    assert_ok(cz_groth16_verify_batch(c.verifier, c.pool, proofs, n_partitions, inputs, n_inputs));
    free(proofs);
    free(inputs);
    close_case(&c);
}

static void test_golden_slow_porep_2k_v1(void **state)
{
    (void)state;
    assert_case("porep-2k-v1");
}

static void test_golden_slow_porep_2k_v1_1(void **state)
{
    (void)state;
    assert_case("porep-2k-v1_1");
}

static void test_golden_slow_porep_2k_synth(void **state)
{
    (void)state;
    assert_case("porep-2k-synth");
}

static void test_golden_slow_porep_2k_ni(void **state)
{
    (void)state;
    assert_case("porep-2k-ni");
}

static void test_golden_slow_winning_2k(void **state)
{
    (void)state;
    assert_case("winning-2k");
}

static void test_golden_slow_winning_8m(void **state)
{
    (void)state;
    assert_case("winning-8m");
}

static void test_golden_wpost_2k_full(void **state)
{
    (void)state;
    assert_case("wpost-2k-full");
}

static void test_golden_wpost_2k_short(void **state)
{
    (void)state;
    assert_case("wpost-2k-short");
}

static void test_golden_wpost_2k_two(void **state)
{
    (void)state;
    assert_case("wpost-2k-two");
}

static void test_golden_wpost_2k_v1_2(void **state)
{
    (void)state;
    assert_case("wpost-2k-v1_2");
}

static void test_golden_slow_wpost_8m(void **state)
{
    (void)state;
    assert_case("wpost-8m");
}

static void test_golden_slow_snap_2k(void **state)
{
    (void)state;
    assert_case("snap-2k");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_golden_slow_porep_2k_v1),
    cmocka_unit_test(test_golden_slow_porep_2k_v1_1),
    cmocka_unit_test(test_golden_slow_porep_2k_synth),
    cmocka_unit_test(test_golden_slow_porep_2k_ni),
    cmocka_unit_test(test_golden_slow_winning_2k),
    cmocka_unit_test(test_golden_slow_winning_8m),
    cmocka_unit_test(test_golden_wpost_2k_full),
    cmocka_unit_test(test_golden_wpost_2k_short),
    cmocka_unit_test(test_golden_wpost_2k_two),
    cmocka_unit_test(test_golden_wpost_2k_v1_2),
    cmocka_unit_test(test_golden_slow_wpost_8m),
    cmocka_unit_test(test_golden_slow_snap_2k),
};

CZ_TEST_MAIN(cases)
