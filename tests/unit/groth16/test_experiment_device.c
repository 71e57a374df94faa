/* The laboratory's prover on a device: every way of bringing the witness there gives the same
 * proof. On the host's stand-in by default, on a device with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "bits_circuit.h"
#include "host_prover.h"
#include "toy_key.h"

#include <stdlib.h>
#include <string.h>

#include "cs/compile.h"
#include "groth16/experiment_device.h"

typedef struct {
    cz_params params;
    cz_prover_key *host_key;
    cz_compiled *compiled;
    cz_fr r, s;
    uint8_t expected[CZ_PROOF_BYTES]; /* the CPU's */
} bench;

static void open_bench(bench *b)
{
    const cz_toxic_waste waste = {toy_key_random(), toy_key_random(), toy_key_random(),
                                  toy_key_random(), toy_key_random()};
    const char *path = scratch_path("lab-device.params");
    const cz_experiment defaults = cz_experiment_defaults();
    const cz_setup_options options = {.folded = true};
    cz_experiment_prover p;
    cz_proof proof;

    host_prover_use();
    if (getenv("CUZK_TEST_CUDA") == NULL)
        cz_gpu_use(&host_gpu_table);
    b->r = toy_key_random();
    b->s = toy_key_random();
    assert_ok(cz_params_setup_with(&bits_circuit, &waste, path, scratch_path("any.vk"), &options));
    assert_ok(cz_params_open(&b->params, path));
    assert_ok(cz_prover_key_load(&b->host_key, &b->params, NULL, NULL));
    assert_ok(cz_circuit_compile(&b->compiled, &bits_circuit, NULL));
    assert_ok(cz_experiment_open(&p, &defaults, b->host_key, b->compiled, NULL));
    assert_ok(cz_experiment_prove(&proof, &p, &bits_circuit, &b->r, &b->s, 0, NULL));
    cz_experiment_close(&p);
    cz_proof_write(b->expected, &proof);
}

static void close_bench(bench *b)
{
    cz_compiled_destroy(b->compiled);
    cz_prover_key_destroy(b->host_key);
    cz_params_close(&b->params);
}

static void test_pin_modes_prove_the_same(void **state)
{
    static const cz_pin_mode modes[] = {CZ_PIN_OFF, CZ_PIN_PER_PROOF, CZ_PIN_POOLED};
    const cz_experiment_device_options options = {.number = 0};
    cz_experiment x = cz_experiment_defaults();
    uint8_t got[CZ_PROOF_BYTES];
    cz_experiment_device d;
    cz_trace *trace;
    cz_proof proof;
    bench b;

    (void)state;
    open_bench(&b);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        x.pin = modes[i];
        assert_ok(cz_experiment_device_open(&d, &x, &options, &b.params, b.compiled, NULL));
        for (unsigned round = 0; round < 2; round++) {
            assert_ok(cz_trace_create(&trace));
            assert_ok(
                cz_experiment_device_prove(&proof, &d, &bits_circuit, &b.r, &b.s, round, trace));
            cz_proof_write(got, &proof);
            assert_memory_equal(got, b.expected, sizeof got);
            assert_int_equal(cz_trace_bytes(trace, CZ_PHASE_PIN) != 0, modes[i] != CZ_PIN_OFF);
            assert_true(cz_trace_total_ms(trace, CZ_PHASE_WITNESS) > 0);
            cz_trace_destroy(trace);
            /* only the pooled buffer outlives its proof */
            assert_int_equal(d.buffer != NULL, modes[i] == CZ_PIN_POOLED);
        }
        cz_experiment_device_close(&d);
    }
    close_bench(&b);
}

static void test_folded_files_prove_the_same(void **state)
{
    cz_experiment_device_options options = {.number = 0};
    const cz_experiment x = cz_experiment_defaults();
    uint8_t got[CZ_PROOF_BYTES];
    cz_experiment_device d;
    cz_folded folded;
    cz_proof proof;
    char *path;
    bench b;

    (void)state;
    open_bench(&b);
    path = cz_folded_path(b.params.path);
    assert_non_null(path);
    assert_ok(cz_folded_open(&folded, path, &b.params, cz_compiled_id(b.compiled)));
    for (unsigned i = 0; i < 2; i++) {
        options.folded = i == 0 ? NULL : &folded;
        assert_ok(cz_experiment_device_open(&d, &x, &options, &b.params, b.compiled, NULL));
        assert_int_equal(cz_device_key_folded(d.key), i == 1);
        assert_ok(cz_experiment_device_prove(&proof, &d, &bits_circuit, &b.r, &b.s, 0, NULL));
        cz_proof_write(got, &proof);
        assert_memory_equal(got, b.expected, sizeof got);
        cz_experiment_device_close(&d);
    }
    cz_folded_close(&folded);
    free(path);
    close_bench(&b);
}

static void test_the_classic_path_is_refused(void **state)
{
    const cz_experiment_device_options options = {.number = 0};
    cz_experiment x = cz_experiment_defaults();
    cz_experiment_device d;
    bench b;

    (void)state;
    open_bench(&b);
    x.classic = true;
    assert_fails(cz_experiment_device_open(&d, &x, &options, &b.params, b.compiled, NULL),
                 CZ_E_INPUT, "is for the CPU");
    cz_experiment_device_close(&d);
    close_bench(&b);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_pin_modes_prove_the_same, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_folded_files_prove_the_same, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_the_classic_path_is_refused, scratch_make, scratch_remove),
};

CZ_TEST_MAIN(cases)
