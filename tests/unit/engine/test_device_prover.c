/* Devices as the engine's provers: residents under a budget, failures, and WinningPoSt from request
 * to proof. On the host's stand-in by default, on a device with CUZK_TEST_CUDA; what orders faults
 * needs the stand-in. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "../filecoin/golden_request.h"
#include "../groth16/golden_params.h"
#include "../groth16/host_prover.h"
#include "../groth16/toy_key.h"
#include "cs/compile.h"
#include "engine/device_prover.h"
#include "engine/engine_status.h"
#include "engine/filecoin_prover.h"
#include "host_gpu.h"

static unsigned marks, failures; /* marks that proofs set; so many of the next ones fail */

static cz_err flaky_record(cz_gpu *gpu, cz_gpu_event *event, cz_gpu_queue queue)
{
    marks++;
    if (failures > 0) {
        failures--;
        return cz_fail(CZ_E_CUDA, "device 0: a launch failed (ordered by a test)");
    }
    return host_event_record(gpu, event, queue);
}

static cz_err no_devices(int *out)
{
    (void)out;
    return cz_fail(CZ_E_NODEV, "no CUDA device (ordered by a test)");
}

static bool is_real(void)
{
    return getenv("CUZK_TEST_CUDA") != NULL;
}

static void use_stand_in(void)
{
    if (is_real())
        return;
    host_prover_use();
    host_gpu_table.event_record = flaky_record;
    host_gpu_table.count = host_count;
    cz_gpu_use(&host_gpu_table);
    marks = failures = 0;
}

/* --- toy circuits --- */

typedef struct {
    toy_key key;
    cz_compiled *compiled;
    cz_bit_witness w;
    cz_device_circuit circuit;
} subject;

static void subject_init(subject *s, const char *name)
{
    toy_key_init(&s->key, toy_make(8, 100, 70), name, NULL);
    assert_ok(cz_circuit_compile(&s->compiled, &s->key.toy.base, NULL));
    assert_ok(cz_bit_witness_synthesize(&s->w, s->compiled, &s->key.toy.base));
    s->circuit = (cz_device_circuit){&s->key.params, s->compiled, NULL};
}

static void subject_free(subject *s)
{
    cz_bit_witness_clear(&s->w);
    cz_compiled_destroy(s->compiled);
    toy_key_free(&s->key);
}

static cz_err prove(cz_device_prover *d, const subject *s, cz_proof *proof)
{
    return cz_device_prover_prove(d, &s->circuit, &s->w, 0, NULL, proof);
}

static void assert_proves(cz_device_prover *d, const subject *s)
{
    cz_proof proof;

    assert_ok(prove(d, s, &proof));
    assert_ok(cz_groth16_verify(s->key.verifier, &proof, s->w.inputs + 1, s->w.n_inputs - 1));
}

/* The smallest budget, but for a sixteenth, with which the circuit can be proved. */
static uint64_t budget_for(const subject *s)
{
    for (uint64_t budget = 1 << 14;; budget += budget / 16) {
        cz_device_prover *d;
        cz_err err;

        assert_ok(cz_device_prover_open(&d, 0, budget));
        err = cz_device_prover_load(d, &s->circuit);
        cz_device_prover_close(d);
        if (err == CZ_OK)
            return budget;
        assert_int_equal(err, CZ_E_DECLINED);
    }
}

static void parameters_are_loaded_once_where_there_is_room(void **state)
{
    cz_device_prover *d;
    subject a, b;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    subject_init(&b, "b.params");
    assert_ok(cz_device_prover_open(&d, 0, 0));
    for (unsigned i = 0; i < 3; i++) {
        assert_proves(d, &a);
        assert_proves(d, &b);
    }
    assert_int_equal(cz_device_prover_loads(d), 2);
    cz_device_prover_forget(d, a.circuit.params);
    cz_device_prover_forget(d, a.circuit.params); /* is no mistake */
    assert_proves(d, &a);
    assert_int_equal(cz_device_prover_loads(d), 3);
    cz_device_prover_close(d);
    subject_free(&a);
    subject_free(&b);
}

static void circuits_take_turns_where_one_fits(void **state)
{
    cz_device_prover *d;
    subject a, b;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    subject_init(&b, "b.params");
    assert_ok(cz_device_prover_open(&d, 0, budget_for(&a)));
    assert_proves(d, &a);
    assert_proves(d, &a);
    assert_int_equal(cz_device_prover_loads(d), 1);
    assert_proves(d, &b);
    assert_proves(d, &a);
    assert_int_equal(cz_device_prover_loads(d), 3);
    cz_device_prover_close(d);
    subject_free(&a);
    subject_free(&b);
}

static void what_does_not_fit_is_declined(void **state)
{
    cz_device_prover *d;
    cz_proof proof;
    subject a;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    assert_ok(cz_device_prover_open(&d, 0, 10000));
    assert_fails(cz_device_prover_load(d, &a.circuit), CZ_E_DECLINED, "10000 left");
    assert_fails(prove(d, &a, &proof), CZ_E_DECLINED, "a.params does not fit");
    assert_int_equal(cz_device_prover_loads(d), 0);
    cz_device_prover_close(d);
    subject_free(&a);
}

/* One failure is forgiven, also a second time after a proof; two in a row are not. */
static void a_failing_device_is_opened_anew_and_then_given_up(void **state)
{
    cz_device_info info;
    cz_device_prover *d;
    cz_proof proof;
    subject a;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    subject_init(&a, "a.params");
    assert_ok(cz_device_prover_open(&d, 0, 0));
    for (unsigned i = 0; i < 2; i++) {
        assert_ok(cz_device_prover_load(d, &a.circuit));
        failures = 1;
        assert_fails(prove(d, &a, &proof), CZ_E_CUDA, "a launch failed");
        assert_proves(d, &a);
    }
    assert_int_equal(cz_device_prover_loads(d), 3);
    failures = 2;
    assert_fails(prove(d, &a, &proof), CZ_E_CUDA, "a launch failed");
    assert_fails(prove(d, &a, &proof), CZ_E_NODEV, "GPU 0 is given up: ");
    assert_fails(prove(d, &a, &proof), CZ_E_NODEV, "GPU 0 was given up");
    cz_device_prover_describe(d, &info);
    assert_int_equal(info.vram_free_bytes, 0);
    cz_device_prover_close(d);
    subject_free(&a);
}

/* --- through the engine --- */

typedef struct {
    cz_filecoin_prover *prover;
    cz_backend backends[CZ_MOST_BACKENDS];
    cz_engine *e;
} bench;

static void make_prover(bench *b, const cz_device_options *devices)
{
    const cz_filecoin_prover_options options = {.param_cache = "golden-params",
                                                .circuit_cache = "circuits"};

    assert_ok(cz_filecoin_prover_create(&b->prover, &options));
    assert_ok(cz_filecoin_prover_open_devices(b->prover, devices));
}

static void start(bench *b, uint64_t vram_budget)
{
    const cz_device_options devices = {.vram_budget = vram_budget, .workers = 2, .required = true};
    cz_engine_options o = cz_engine_defaults();

    make_prover(b, &devices);
    o.prover = cz_filecoin_prover_table(b->prover);
    o.backends = b->backends;
    o.n_backends = cz_filecoin_backends(b->prover, b->backends);
    assert_string_equal(b->backends[0].name, "cuda");
    assert_ok(cz_engine_create(&b->e, &o));
    assert_ok(cz_engine_start(b->e));
}

static void finish(bench *b)
{
    cz_engine_destroy(b->e);
    cz_filecoin_prover_destroy(b->prover);
}

/* Ask for the proof of a golden case under an id of its own. The engine verifies what it gives. */
static void assert_engine_proves(bench *b, const char *case_name, const char *id)
{
    const cz_submit_options options = {0};
    cz_submit_reply reply;
    cz_request *r = golden_request(case_name);
    cz_result result;

    free(r->request_id);
    r->request_id = strdup(id);
    assert_ok(cz_engine_submit(b->e, r, &options, &reply));
    assert_ok(cz_engine_await(b->e, reply.job_id, 120000, &result));
    if (result.error != NULL)
        print_error("%s: %s\n", id, result.error);
    assert_int_equal(result.status, CZ_JOB_COMPLETED);
    assert_int_equal(result.proof_len, CZ_PROOF_BYTES);
    cz_result_clear(&result);
}

static uint64_t retries_of(bench *b, cz_proof_kind kind)
{
    cz_engine_status *s;
    uint64_t n;

    assert_ok(cz_engine_status_create(&s, b->e));
    assert_int_equal(s->counters.self_check_failures[kind], 0);
    assert_string_equal(s->devices[0].backend, "cuda");
    if (!is_real())
        assert_string_equal(s->devices[0].info.name, "host");
    n = s->counters.retries[kind];
    cz_engine_status_destroy(s);
    return n;
}

static void make_params(const char *case_name)
{
    char params[512], vk[512];
    cz_pool *pool;

    assert_ok(cz_pool_create(&pool, 0));
    golden_params(case_name, params, vk, pool);
    cz_pool_destroy(pool);
}

/* On the device; on the CPU at once when the device fails; on the device opened anew. */
static void winning_proofs_come_back_whatever_the_device_does(void **state)
{
    unsigned marks_of_one;
    bench b;

    (void)state;
    make_params("winning-2k");
    use_stand_in();
    start(&b, 0);
    assert_engine_proves(&b, "winning-2k", "on the device");
    marks_of_one = marks;
    if (!is_real()) {
        assert_true(marks_of_one > 0);
        failures = 1;
        assert_engine_proves(&b, "winning-2k", "one failure");
        assert_int_equal(failures, 0);
        assert_engine_proves(&b, "winning-2k", "opened anew");
        assert_true(marks > 2 * marks_of_one - 2);
    }
    assert_int_equal(retries_of(&b, CZ_KIND_WINNING), 0);
    finish(&b);
}

static void circuits_that_do_not_fit_are_proved_on_the_cpu(void **state)
{
    bench b;

    (void)state;
    make_params("wpost-2k-full");
    use_stand_in();
    start(&b, 1 << 20);
    assert_engine_proves(&b, "wpost-2k-full", "too large");
    if (!is_real())
        assert_int_equal(marks, 0);
    finish(&b);
}

/* Other kinds are made once more, as after every failure; on the CPU for good when the device keeps
 * failing. */
static void the_engine_repeats_what_a_device_lost(void **state)
{
    bench b;

    (void)state;
    if (is_real())
        skip();
    make_params("wpost-2k-full");
    use_stand_in();
    start(&b, 0);
    assert_engine_proves(&b, "wpost-2k-full", "on the device");
    failures = 1;
    assert_engine_proves(&b, "wpost-2k-full", "one failure");
    assert_int_equal(failures, 0);
    assert_int_equal(retries_of(&b, CZ_KIND_WINDOW), 1);
    failures = 1000;
    assert_engine_proves(&b, "wpost-2k-full", "lost");
    assert_engine_proves(&b, "wpost-2k-full", "and stays lost");
    assert_int_equal(failures, 998);
    assert_int_equal(retries_of(&b, CZ_KIND_WINDOW), 2);
    finish(&b);
}

static void without_a_device_the_cpu_proves(void **state)
{
    cz_device_options devices = {.workers = 2};
    bench b;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    host_gpu_table.count = no_devices;
    make_prover(&b, &devices);
    assert_int_equal(cz_filecoin_backends(b.prover, b.backends), 1);
    assert_string_equal(b.backends[0].name, "cpu");
    devices.required = true;
    assert_fails(cz_filecoin_prover_open_devices(b.prover, &devices), CZ_E_NODEV, "no CUDA device");
    cz_filecoin_prover_destroy(b.prover);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(parameters_are_loaded_once_where_there_is_room, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(circuits_take_turns_where_one_fits, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(what_does_not_fit_is_declined, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(a_failing_device_is_opened_anew_and_then_given_up, scratch_make,
                                    scratch_remove),
    cmocka_unit_test(winning_proofs_come_back_whatever_the_device_does),
    cmocka_unit_test(circuits_that_do_not_fit_are_proved_on_the_cpu),
    cmocka_unit_test(the_engine_repeats_what_a_device_lost),
    cmocka_unit_test(without_a_device_the_cpu_proves),
};

CZ_TEST_MAIN(cases)
