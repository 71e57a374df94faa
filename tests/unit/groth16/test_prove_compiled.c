/* Proofs from compiled circuits: the classic path's bytes. */
#define _GNU_SOURCE
#include "bits_circuit.h"
#include "toy_key.h"
#include "trace_records.h"

#include <string.h>

#include "cs/compile.h"
#include "groth16/key.h"
#include "groth16/prove_compiled.h"
#include "groth16/prove_memory.h"

typedef struct {
    const cz_circuit *circuit;
    const cz_prover_key *key;
    cz_compiled *compiled;
    cz_pool *pool;
} prover;

static void assert_same_proofs(const prover *p, const cz_fr *r, const cz_fr *s)
{
    uint8_t classic[CZ_PROOF_BYTES], fast[CZ_PROOF_BYTES];
    cz_proof proof;
    cz_assignment a;
    cz_bit_witness w;

    assert_ok(cz_assignment_synthesize(&a, p->circuit));
    assert_ok(cz_groth16_prove(&proof, p->key, &a, r, s, p->pool, NULL));
    cz_assignment_clear(&a);
    cz_proof_write(classic, &proof);

    assert_ok(cz_bit_witness_synthesize(&w, p->compiled, p->circuit));
    assert_ok(cz_groth16_prove_compiled(&proof, p->key, p->compiled, &w, r, s, p->pool, NULL));
    cz_proof_write(fast, &proof);
    assert_memory_equal(fast, classic, sizeof fast);
    /* the witness was only read */
    assert_ok(cz_groth16_prove_compiled(&proof, p->key, p->compiled, &w, r, s, NULL, NULL));
    cz_bit_witness_clear(&w);
    cz_proof_write(fast, &proof);
    assert_memory_equal(fast, classic, sizeof fast);
}

static void test_proofs_of_toys(void **state)
{
    const toy_circuit circuits[] = {toy_make(1, 2, 0), toy_make(2, 3, 4), toy_make(8, 100, 70)};
    const char *names[] = {"0.params", "1.params", "2.params"};
    prover p;

    (void)state;
    assert_ok(cz_pool_create(&p.pool, 2));
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++) {
        cz_fr r = toy_key_random(), s = toy_key_random();
        toy_key k;

        toy_key_init(&k, circuits[i], names[i], p.pool);
        p.circuit = &k.toy.base;
        p.key = k.key;
        assert_ok(cz_circuit_compile(&p.compiled, p.circuit, NULL));
        assert_same_proofs(&p, &r, &s);
        cz_compiled_destroy(p.compiled);
        toy_key_free(&k);
    }
    cz_pool_destroy(p.pool);
}

static void test_proof_of_bits(void **state)
{
    const cz_toxic_waste waste = {toy_key_random(), toy_key_random(), toy_key_random(),
                                  toy_key_random(), toy_key_random()};
    cz_fr r = toy_key_random(), s = toy_key_random();
    const char *path = scratch_path("bits.params");
    prover p = {.circuit = &bits_circuit};
    cz_prover_key *key;
    cz_params params;

    (void)state;
    assert_ok(cz_pool_create(&p.pool, 2));
    assert_ok(
        cz_params_setup(&bits_circuit, &waste, path, scratch_path("bits.vk"), p.pool, NULL, NULL));
    assert_ok(cz_params_open(&params, path));
    assert_ok(cz_prover_key_load(&key, &params, p.pool, NULL));
    p.key = key;
    assert_ok(cz_circuit_compile(&p.compiled, &bits_circuit, NULL));
    assert_same_proofs(&p, &r, &s);
    cz_compiled_destroy(p.compiled);
    cz_prover_key_destroy(key);
    cz_params_close(&params);
    cz_pool_destroy(p.pool);
}

/* The key is loaded before. */
static void test_phases_are_of_the_partition(void **state)
{
    const cz_prove_options options = {.partition = 7};
    const cz_fr r = toy_key_random(), s = toy_key_random();
    cz_assignment classic;
    cz_trace *trace;
    cz_bit_witness w;
    cz_compiled *c;
    cz_proof proof;
    toy_key k;

    (void)state;
    toy_key_init(&k, toy_make(8, 100, 70), "toy.params", NULL);
    assert_ok(cz_circuit_compile(&c, &k.toy.base, NULL));
    assert_ok(cz_bit_witness_synthesize(&w, c, &k.toy.base));
    assert_ok(cz_assignment_synthesize(&classic, &k.toy.base));
    assert_ok(cz_trace_create(&trace));
    assert_ok(cz_groth16_prove_compiled_with(&proof, k.key, c, &w, &r, &s, NULL, trace, &options));
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_ASSEMBLE) > 0);
    assert_ok(cz_groth16_prove_with(&proof, k.key, &classic, &r, &s, NULL, trace, &options));
    assert_records_of(trace, 7);
    cz_trace_destroy(trace);
    cz_assignment_clear(&classic);
    cz_bit_witness_clear(&w);
    cz_compiled_destroy(c);
    toy_key_free(&k);
}

static void test_blinded_proof_verifies(void **state)
{
    cz_bit_witness w;
    cz_compiled *c;
    cz_fr inputs[2];
    cz_proof proof;
    toy_key k;

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    assert_ok(cz_circuit_compile(&c, &k.toy.base, NULL));
    assert_ok(cz_bit_witness_synthesize(&w, c, &k.toy.base));
    assert_ok(cz_groth16_prove_compiled_blinded(&proof, k.key, c, &w, NULL, NULL));
    toy_key_inputs(&k, k.toy.seed, inputs);
    assert_ok(cz_groth16_verify(k.verifier, &proof, inputs, 2));
    cz_bit_witness_clear(&w);
    cz_compiled_destroy(c);
    toy_key_free(&k);
}

static void test_memory_account(void **state)
{
    cz_prove_memory m;
    cz_compiled *c;
    size_t peak = 0;
    uint64_t n = 1;

    (void)state;
    assert_ok(cz_circuit_compile(&c, &bits_circuit, NULL));
    while (n < cz_compiled_stats(c).constraints + cz_compiled_stats(c).inputs)
        n *= 2;
    cz_prove_memory_count(&m, c, NULL);
    for (int stage = 0; stage < CZ_MEMORY_STAGES; stage++) {
        size_t total = 0;

        for (int i = 0; i < CZ_MEMORY_PARTS; i++)
            total += m.parts[i].bytes[stage];
        assert_int_equal(total, m.total[stage]);
        peak = total > peak ? total : peak;
    }
    assert_int_equal(m.peak, peak);
    assert_string_equal(m.parts[4].name, "vectors of the domain");
    assert_int_equal(m.parts[4].bytes[CZ_MEMORY_ROWS], 2 * n * sizeof(cz_fr));
    assert_int_equal(m.parts[4].bytes[CZ_MEMORY_H], n * sizeof(cz_fr));
    assert_int_equal(m.parts[4].bytes[CZ_MEMORY_G1], 0);
    assert_int_equal(m.parts[0].bytes[0], cz_compiled_measure(c).memory_bytes);
    cz_compiled_destroy(c);
}

static void test_what_does_not_belong_together(void **state)
{
    cz_bit_witness w, of_other;
    cz_compiled *c, *c_other;
    cz_fr r = toy_key_random();
    cz_proof proof;
    toy_key k;

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    assert_ok(cz_circuit_compile(&c, &k.toy.base, NULL));
    assert_ok(cz_circuit_compile(&c_other, &bits_circuit, NULL));
    assert_ok(cz_bit_witness_synthesize(&w, c, &k.toy.base));
    assert_ok(cz_bit_witness_synthesize(&of_other, c_other, &bits_circuit));
    assert_fails(cz_groth16_prove_compiled(&proof, k.key, c, &of_other, &r, &r, NULL, NULL),
                 CZ_E_ARG, "not one of");
    assert_fails(cz_groth16_prove_compiled(&proof, k.key, c_other, &of_other, &r, &r, NULL, NULL),
                 CZ_E_INPUT, "toy.params");
    cz_bit_witness_clear(&w);
    cz_bit_witness_clear(&of_other);
    cz_compiled_destroy(c);
    cz_compiled_destroy(c_other);
    toy_key_free(&k);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_proofs_of_toys, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_proof_of_bits, scratch_make, scratch_remove),
    cmocka_unit_test(test_memory_account),
    cmocka_unit_test_setup_teardown(test_phases_are_of_the_partition, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_blinded_proof_verifies, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_what_does_not_belong_together, scratch_make,
                                    scratch_remove),
};
CZ_TEST_MAIN(cases)
