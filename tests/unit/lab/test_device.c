/* The device of a command (cuzk-bench's device.h), on the host's stand-in. */
#define _GNU_SOURCE
#include "../groth16/host_prover.h"
#include "../groth16/toy_key.h"
#include "cs/compile.h"
#include "device.h"

/* Where memory is short the CPU proves, but not for who asked for what it does not use. */
static void a_required_folded_file_is_not_dropped_for_the_cpu(void **state)
{
    const cz_setup_options options = {.folded = true};
    bench_device d = {.gpu = NULL};
    cz_compiled *compiled;
    toy_key key;

    (void)state;
    host_prover_use();
    cz_gpu_use(&host_gpu_table);
    toy_key_init(&key, toy_make(8, 100, 70), "a.params", NULL);
    assert_ok(cz_circuit_compile(&compiled, &key.toy.base, NULL));
    assert_ok(cz_params_setup_with(&key.toy.base, &key.waste, key.params.path,
                                   scratch_path("toy.vk"), &options));
    assert_ok(cz_gpu_open(&d.gpu, 0, 10000));
    assert_fails(bench_device_load(&d, "auto", "require", &key.params, compiled, NULL, NULL),
                 CZ_E_NOMEM, "10000");
    bench_device_close(&d);

    assert_ok(cz_gpu_open(&d.gpu, 0, 10000));
    assert_ok(bench_device_load(&d, "auto", "auto", &key.params, compiled, NULL, NULL));
    assert_string_equal(bench_device_backend(&d), "cpu");
    assert_fails(bench_device_load(&d, "auto", "require", &key.params, compiled, NULL, NULL),
                 CZ_E_INPUT, "the CPU, which proves");

    assert_ok(cz_gpu_open(&d.gpu, 0, 0));
    assert_ok(bench_device_load(&d, "auto", "require", &key.params, compiled, NULL, NULL));
    assert_true(bench_device_folded(&d));
    bench_device_close(&d);
    cz_compiled_destroy(compiled);
    toy_key_free(&key);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(a_required_folded_file_is_not_dropped_for_the_cpu, scratch_make,
                                    scratch_remove),
};

CZ_TEST_MAIN(cases)
