/* Devices as the engine's provers: residents under a budget, failures, self-tests, several devices,
 * and WinningPoSt from request to proof. On the host's stand-in by default, on a device with
 * CUZK_TEST_CUDA; what orders faults needs the stand-in. */
#include "device_bench.h"

#include <fcntl.h>
#include <unistd.h>

#include "../groth16/trace_records.h"
#include "engine/engine_state.h"
#include "engine/engine_status.h"
#include "engine/pinned.h"

/* The smallest budget, but for a sixteenth, with which the circuit can be proved. */
static uint64_t budget_for(const subject *s)
{
    for (uint64_t budget = 1 << 14;; budget += budget / 16) {
        cz_device_prover *d;
        cz_err err;

        assert_ok(cz_device_prover_open(&d, 0, budget, NULL));
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
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
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

/* Streamed, too: in the least memory that will do. */
static void a_call_gives_a_batch_of_proofs(void **state)
{
    enum { N = 3 };
    subject a;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    for (unsigned small = 0; small < 2; small++) {
        cz_device_partition parts[N];
        cz_device_prover *d;
        cz_proof proofs[N];

        assert_ok(cz_device_prover_open(&d, 0, small ? budget_for(&a) : 0, NULL));
        assert_false(cz_device_prover_holds(d, a.circuit.params));
        for (unsigned i = 0; i < N; i++)
            parts[i] = (cz_device_partition){.w = &a.w, .partition = i};
        assert_ok(cz_device_prover_prove(d, &a.circuit, parts, N, NULL, proofs, &was_folded));
        for (unsigned i = 0; i < N; i++)
            assert_ok(
                cz_groth16_verify(a.key.verifier, &proofs[i], a.w.inputs + 1, a.w.n_inputs - 1));
        assert_memory_not_equal(&proofs[0], &proofs[1], sizeof proofs[0]);
        assert_true(cz_device_prover_holds(d, a.circuit.params));
        assert_true(cz_device_prover_capacity(d, a.circuit.params) >= 1);
        cz_device_prover_close(d);
    }
    subject_free(&a);
}

static void circuits_take_turns_where_one_fits(void **state)
{
    cz_device_prover *d;
    subject a, b;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    subject_init(&b, "b.params");
    assert_ok(cz_device_prover_open(&d, 0, budget_for(&a), NULL));
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
    assert_ok(cz_device_prover_open(&d, 0, 10000, NULL));
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 1); /* who knows */
    assert_fails(cz_device_prover_load(d, &a.circuit), CZ_E_DECLINED, "10000");
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 0);
    assert_fails(prove(d, &a, &proof), CZ_E_DECLINED, "a.params does not fit");
    assert_int_equal(cz_device_prover_loads(d), 0);
    cz_device_prover_forget(d, a.circuit.params);
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 1);
    cz_device_prover_close(d);
    subject_free(&a);
}

/* Who has it may give it back, while a budget stays as it is. */
static void memory_that_comes_back_is_used(void **state)
{
    cz_device_prover *d;
    cz_proof proof;
    subject a;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    subject_init(&a, "a.params");
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
    memory_is_taken = true;
    assert_fails(cz_device_prover_load(d, &a.circuit), CZ_E_DECLINED, "bytes are not there");
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 0);
    memory_is_taken = false;
    assert_fails(prove(d, &a, &proof), CZ_E_DECLINED, "memory was short a moment ago");
    for (unsigned i = 0; i < 100 && cz_device_prover_capacity(d, a.circuit.params) == 0; i++)
        pause_ms(20);
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 1);
    assert_false(cz_device_prover_holds(d, a.circuit.params));
    assert_proves(d, &a);
    assert_true(cz_device_prover_holds(d, a.circuit.params));
    cz_device_prover_close(d);

    assert_ok(cz_device_prover_open(&d, 0, 10000, NULL));
    assert_fails(cz_device_prover_load(d, &a.circuit), CZ_E_DECLINED, "10000");
    pause_ms(300);
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 0);
    cz_device_prover_close(d);
    subject_free(&a);
}

/* Who waits for memory does not throw out, with each attempt, what others use. */
static void a_circuit_that_waits_for_memory_spares_others(void **state)
{
    cz_device_prover *d;
    subject a, b;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    subject_init(&a, "a.params");
    subject_init(&b, "b.params");
    assert_ok(cz_device_prover_open(&d, 0, budget_for(&a), NULL));
    memory_is_taken = true;
    assert_fails(cz_device_prover_load(d, &b.circuit), CZ_E_DECLINED, "bytes are not there");
    memory_is_taken = false;
    assert_proves(d, &a);
    for (unsigned i = 0; i < 100 && cz_device_prover_capacity(d, b.circuit.params) == 0; i++)
        pause_ms(20);
    assert_fails(cz_device_prover_load(d, &b.circuit), CZ_E_DECLINED, "GPU 0");
    assert_true(cz_device_prover_holds(d, a.circuit.params));
    assert_fails(cz_device_prover_load(d, &b.circuit), CZ_E_DECLINED, "short a moment ago");
    cz_device_prover_close(d);
    subject_free(&a);
    subject_free(&b);
}

/* --- traces --- */

/* Of a call's partitions each is of a job of its own. */
static void phases_go_to_the_trace_of_their_job(void **state)
{
    static const cz_phase phases[] = {CZ_PHASE_EVALUATE, CZ_PHASE_NTT_MSM_H, CZ_PHASE_BATCH_ADD,
                                      CZ_PHASE_ASSEMBLE};
    cz_device_partition parts[2];
    cz_trace *loading, *traces[2];
    cz_device_prover *d;
    cz_proof proofs[2];
    subject a;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
    assert_ok(cz_trace_create(&loading));
    for (unsigned i = 0; i < 2; i++) {
        assert_ok(cz_trace_create(&traces[i]));
        parts[i] = (cz_device_partition){.w = &a.w, .partition = 3 + i, .trace = traces[i]};
    }
    assert_ok(cz_device_prover_prove(d, &a.circuit, parts, 2, loading, proofs, &was_folded));
    for (unsigned i = 0; i < 2; i++) {
        for (size_t k = 0; k < sizeof phases / sizeof *phases; k++)
            assert_true(cz_trace_total_ms(traces[i], phases[k]) > 0);
        assert_records_of(traces[i], 3 + i);
        cz_trace_destroy(traces[i]);
    }
    assert_true(cz_trace_total_ms(loading, CZ_PHASE_SRS_LOAD) > 0);
    assert_true(cz_trace_total_ms(loading, CZ_PHASE_NTT_MSM_H) == 0);
    cz_trace_destroy(loading);
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
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
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
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 0);
    assert_int_equal(cz_device_prover_capacity(d, NULL), 0);
    cz_device_prover_describe(d, &info);
    assert_int_equal(info.vram_free_bytes, 0);
    assert_non_null(strstr(info.problem, "a launch failed"));
    cz_device_prover_close(d);
    subject_free(&a);
}

/* --- folded files --- */

/* The parameters anew, with a folded file. */
static void subject_fold(subject *s, cz_folded *folded)
{
    const cz_setup_options options = {.folded = true};
    char *path = cz_folded_path(s->key.params.path);

    assert_non_null(path);
    assert_ok(cz_params_setup_with(&s->key.toy.base, &s->key.waste, s->key.params.path,
                                   scratch_path("toy.vk"), &options));
    assert_ok(cz_folded_open(folded, path, &s->key.params, cz_compiled_id(s->compiled)));
    s->circuit.folded = folded;
    free(path);
}

/* A point of h becomes another one, which is right in itself, or a byte of it another. */
static void spoil_folded(const cz_folded *folded, bool is_point)
{
    const size_t at = (size_t)(folded->file.h.bytes - folded->file.map);
    uint8_t *whole;
    size_t n;

    assert_ok(cz_file_read(folded->file.path, SIZE_MAX, &whole, &n));
    if (is_point)
        memcpy(whole + at, whole + at + CZ_G1_UNCOMPRESSED_BYTES, CZ_G1_UNCOMPRESSED_BYTES);
    else
        whole[at + 50] ^= 1;
    write_bytes(folded->file.path, whole, n);
    free(whole);
}

static void folded_files_are_used_as_long_as_they_come(void **state)
{
    cz_device_prover *d;
    cz_folded folded;
    subject a;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    subject_fold(&a, &folded);
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
    assert_proves(d, &a);
    assert_proves(d, &a);
    assert_int_equal(cz_device_prover_loads(d), 1);
    assert_true(was_folded);
    if (!is_real())
        assert_int_equal(products, 2);
    a.circuit.folded = NULL;
    assert_proves(d, &a);
    assert_proves(d, &a);
    assert_false(was_folded);
    assert_int_equal(cz_device_prover_loads(d), 2);
    if (!is_real())
        assert_int_equal(products, 2);
    cz_device_prover_close(d);
    cz_folded_close(&folded);
    subject_free(&a);
}

/* Loaded or streamed: proofs go on without it, and it is not tried again. A device's sums do with
 * less scratch, so there the smallest budget is resident too. */
static void a_damaged_folded_file_is_left_out(void **state)
{
    (void)state;
    for (unsigned streamed = 0; streamed < (is_real() ? 1 : 2); streamed++) {
        const char *name = streamed ? "streamed.params" : "loaded.params";
        cz_device_prover *d;
        cz_folded folded;
        subject a;

        use_stand_in();
        subject_init(&a, name);
        subject_fold(&a, &folded);
        spoil_folded(&folded, false);
        assert_ok(cz_device_prover_open(&d, 0, streamed ? budget_for(&a) : 0, NULL));
        products = 0;
        for (unsigned i = 0; i < 3; i++) {
            assert_proves(d, &a);
            assert_false(was_folded);
        }
        assert_int_equal(cz_device_prover_loads(d), streamed ? 2 : 1);
        if (!is_real())
            assert_int_equal(products, streamed ? 1 : 0);
        cz_device_prover_close(d);
        cz_folded_close(&folded);
        subject_free(&a);
    }
}

/* --- through the engine --- */

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
    assert_int_equal(posts, 1);
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

static void assert_four_proofs(bench *b)
{
    static const char *const ids[] = {"one", "two", "three", "four"};
    cz_submit_reply replies[4];

    for (unsigned i = 0; i < 4; i++)
        replies[i] = submit(b, "wpost-2k-full", ids[i]);
    for (unsigned i = 0; i < 4; i++)
        assert_proved(b, &replies[i]);
}

/* Each has its lock and its workers; jobs go to whichever is free. */
static void two_devices_prove_side_by_side(void **state)
{
    const cz_device_options options = {.workers = 1, .self_test = true};
    cz_engine_status *s;
    bench b;

    (void)state;
    if (is_real())
        skip();
    make_params("wpost-2k-full");
    use_stand_ins(2);
    start_with(&b, &options);
    marks_of[0] = marks_of[1] = 0; /* the self-test's, loading sets none */
    assert_four_proofs(&b);
    assert_true(marks_of[0] > 0);
    assert_true(marks_of[1] > 0);
    assert_ok(cz_engine_status_create(&s, b.e));
    assert_int_equal(s->n_devices, 3);
    assert_int_equal(s->devices[1].device, 1);
    assert_string_equal(s->devices[1].info.name, "host");
    assert_string_equal(s->devices[1].info.problem, "");
    assert_string_equal(s->devices[2].backend, "cpu");
    assert_true(s->devices[2].spare);
    cz_engine_status_destroy(s);
    finish(&b);
}

/* What it loses goes to the other; when it is given up, the other has all. */
static void a_failing_device_does_not_stop_the_other(void **state)
{
    const cz_device_options options = {.workers = 1};
    cz_engine_status *s;
    unsigned before;
    bench b;

    (void)state;
    if (is_real())
        skip();
    make_params("wpost-2k-full");
    use_stand_ins(2);
    start_with(&b, &options);
    broken[1] = true;
    for (unsigned i = 0; i < 2; i++) { /* one failure is forgiven */
        char id[] = {'a', (char)('0' + i), '\0'};
        cz_submit_reply one = submit(&b, "wpost-2k-full", id), two;

        id[0] = 'b';
        two = submit(&b, "wpost-2k-full", id);
        assert_proved(&b, &one);
        assert_proved(&b, &two);
    }
    assert_ok(cz_engine_status_create(&s, b.e));
    assert_string_equal(s->devices[0].info.problem, "");
    assert_non_null(strstr(s->devices[1].info.problem, "given up: device 1: a launch failed"));
    cz_engine_status_destroy(s);
    before = marks_of[1];
    assert_engine_proves(&b, "wpost-2k-full", "and the other goes on");
    assert_int_equal(marks_of[1], before);
    finish(&b);
}

/* On a real device, that it passes. */
static void a_device_that_computes_otherwise_is_not_used(void **state)
{
    cz_device_options options = {.workers = 1, .self_test = true, .required = true};
    cz_engine_status *s;
    bench b;

    (void)state;
    make_params("wpost-2k-full");
    use_stand_ins(2);
    wrong[1] = true;
    start_with(&b, &options);
    assert_engine_proves(&b, "wpost-2k-full", "on the device that passed");
    assert_ok(cz_engine_status_create(&s, b.e));
    assert_string_equal(s->devices[0].info.problem, "");
    if (!is_real()) {
        assert_int_equal(s->n_devices, 3);
        assert_string_equal(s->devices[1].info.problem, "self-test: the proof is not the CPU's");
        assert_int_equal(b.backends[1].workers, 0);
        assert_string_equal(cz_engine_only_backend(b.e), "cuda");
    }
    cz_engine_status_destroy(s);
    finish(&b);
}

static void where_no_device_passes_the_cpu_proves(void **state)
{
    cz_device_options options = {.workers = 1, .self_test = true};
    bench b;

    (void)state;
    if (is_real())
        skip();
    use_stand_ins(2);
    wrong[0] = broken[1] = true;
    make_prover(&b, &options);
    assert_int_equal(cz_filecoin_backends(b.prover, b.backends), 3);
    assert_int_equal(b.backends[0].workers + b.backends[1].workers, 0);
    assert_false(b.backends[2].spare);
    cz_filecoin_prover_destroy(b.prover);
    options.required = true;
    assert_ok(cz_filecoin_prover_create(
        &b.prover, &(cz_filecoin_prover_options){.param_cache = "golden-params",
                                                 .circuit_cache = "circuits"}));
    assert_fails(cz_filecoin_prover_open_devices(b.prover, &options), CZ_E_NODEV,
                 "no device can be used");
    cz_filecoin_prover_destroy(b.prover);
}

/* It goes wrong after its self-test: what it makes is made on the CPU, twice. */
static void a_device_with_two_wrong_proofs_is_given_up(void **state)
{
    const cz_device_options options = {.workers = 1, .self_test = true};
    cz_engine_status *s;
    bench b;

    (void)state;
    if (is_real())
        skip();
    make_params("wpost-2k-full");
    use_stand_in();
    start_with(&b, &options);
    wrong[0] = true;
    for (unsigned i = 0; i < 2; i++) {
        const char id[] = {(char)('a' + i), '\0'};

        assert_int_equal(b.backends[0].capacity(b.backends[0].ctx, NULL), 1);
        assert_engine_proves(&b, "wpost-2k-full", id);
    }
    assert_int_equal(b.backends[0].capacity(b.backends[0].ctx, NULL), 0);
    assert_ok(cz_engine_status_create(&s, b.e));
    assert_int_equal(s->counters.self_check_failures[CZ_KIND_WINDOW], 2);
    assert_non_null(
        strstr(s->devices[0].info.problem, "given up: 2 of its proofs failed the self-check"));
    cz_engine_status_destroy(s);
    finish(&b);
}

static void a_good_proof_between_wrong_ones_counts(void **state)
{
    cz_device_info info;
    cz_device_prover *d;
    cz_proof proof;
    subject a;

    (void)state;
    use_stand_in();
    subject_init(&a, "a.params");
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
    for (unsigned i = 0; i < 3; i++) {
        cz_device_prover_judge(d, false);
        cz_device_prover_judge(d, true);
    }
    assert_proves(d, &a);
    cz_device_prover_judge(d, false);
    cz_device_prover_judge(d, false);
    assert_fails(prove(d, &a, &proof), CZ_E_NODEV, "GPU 0 was given up");
    cz_device_prover_describe(d, &info);
    assert_non_null(strstr(info.problem, "failed the self-check"));
    cz_device_prover_judge(d, false); /* is known */
    cz_device_prover_close(d);
    subject_free(&a);
}

/* Whoever verifies goes on, and the device is closed after the call. */
static void a_verdict_waits_for_no_call(void **state)
{
    cz_device_info info;
    cz_proof proof;
    subject a;
    call o;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    subject_init(&a, "a.params");
    o.s = &a;
    assert_ok(cz_device_prover_open(&o.d, 0, 0, NULL));
    assert_ok(cz_device_prover_load(o.d, &a.circuit));
    holds[0] = true;
    assert_int_equal(pthread_create(&o.thread, NULL, prove_in_thread, &o), 0);
    while (!held[0])
        pause_ms(1);
    cz_device_prover_judge(o.d, false);
    cz_device_prover_judge(o.d, false);
    assert_true(held[0]);
    assert_int_equal(cz_device_prover_capacity(o.d, NULL), 0);
    assert_true(cz_device_prover_holds(o.d, a.circuit.params));
    holds[0] = false;
    assert_int_equal(pthread_join(o.thread, NULL), 0);
    assert_int_equal(o.err, CZ_OK);
    assert_false(cz_device_prover_holds(o.d, a.circuit.params));
    cz_device_prover_describe(o.d, &info);
    assert_non_null(strstr(info.problem, "failed the self-check"));
    assert_fails(prove(o.d, &a, &proof), CZ_E_NODEV, "GPU 0 was given up");
    cz_device_prover_close(o.d);
    subject_free(&a);
}

/* A device opened anew after a failure is tested again. */
static void a_device_that_comes_back_wrong_is_given_up(void **state)
{
    cz_self_test *test;
    cz_device_prover *d;
    cz_proof proof;
    subject a;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    subject_init(&a, "a.params");
    assert_ok(cz_self_test_create(&test, NULL));
    assert_ok(cz_device_prover_open(&d, 0, 0, test));
    assert_proves(d, &a);
    failures = 1;
    assert_fails(prove(d, &a, &proof), CZ_E_CUDA, "a launch failed");
    wrong[0] = true;
    assert_fails(prove(d, &a, &proof), CZ_E_NODEV, "the proof is not the CPU's");
    assert_int_equal(cz_device_prover_capacity(d, a.circuit.params), 0);
    cz_device_prover_close(d);
    cz_self_test_destroy(test);
    subject_free(&a);
}

/* ---- folded files through the engine ---- */

/* The parameters of wpost-2k and their folded file in the scratch folder; its path. */
static char *make_folded_params(cz_folded *folded)
{
    golden meta = golden_open(cz_vector_path("golden/cases/wpost-2k-full/meta.json"));
    const cz_json names = golden_get(meta.root, "params");
    char params[256], toxic[256], *path;
    cz_setup_options options = {.folded = true};
    cz_toxic_waste waste;
    cz_circuit *circuit;
    cz_params open;

    (void)snprintf(params, sizeof params, "%s",
                   scratch_path(golden_get_text(names, "params_file")));
    (void)snprintf(toxic, sizeof toxic, "golden/%s", golden_get_text(meta.root, "toxic"));
    assert_ok(cz_pool_create(&options.pool, 0));
    assert_ok(cz_circuit_create_blank(&circuit, "wpost-2k"));
    assert_ok(cz_toxic_waste_read(&waste, cz_vector_path(toxic)));
    assert_ok(cz_params_setup_with(circuit, &waste, params, scratch_path("wpost.vk"), &options));
    assert_ok(cz_params_open(&open, params));
    path = cz_folded_path(params);
    assert_non_null(path);
    assert_ok(cz_folded_open(folded, path, &open, "wpost-2k"));
    cz_params_close(&open);
    cz_circuit_destroy(circuit);
    cz_pool_destroy(options.pool);
    golden_close(&meta);
    return path;
}

/* What the log said meanwhile goes to a file. */
static int divert_log(const char *to)
{
    const int kept = dup(STDERR_FILENO), fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(kept >= 0 && fd >= 0);
    assert_true(dup2(fd, STDERR_FILENO) >= 0);
    (void)close(fd);
    return kept;
}

static char *take_log(int kept, const char *from)
{
    uint8_t *bytes;
    char *text;
    size_t n;

    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    (void)close(kept);
    assert_ok(cz_file_read(from, SIZE_MAX, &bytes, &n));
    text = strndup((const char *)bytes, n);
    assert_non_null(text);
    free(bytes);
    return text;
}

/* The log of an engine that proves n times. */
static char *log_of_proofs(unsigned n, bool folded, uint64_t *self_check_failures)
{
    const cz_device_options options = {.workers = 1, .required = true, .folded = folded};
    const char *ids[] = {"one", "two"};
    char path[256];
    cz_engine_status *s;
    bench b;
    int kept;

    (void)snprintf(path, sizeof path, "%s", scratch_path("log"));
    kept = divert_log(path);
    use_stand_in();
    param_cache = scratch_folder;
    start_with(&b, &options);
    for (unsigned i = 0; i < n; i++)
        assert_engine_proves(&b, "wpost-2k-full", ids[i]);
    assert_ok(cz_engine_status_create(&s, b.e));
    *self_check_failures = s->counters.self_check_failures[CZ_KIND_WINDOW];
    cz_engine_status_destroy(s);
    finish(&b);
    param_cache = "golden-params";
    return take_log(kept, path);
}

static void folded_files_beside_the_parameters_are_used(void **state)
{
    uint64_t failed;
    cz_folded folded;
    char *path, *log;

    (void)state;
    path = make_folded_params(&folded);
    log = log_of_proofs(1, true, &failed);
    assert_non_null(strstr(log, path));
    assert_non_null(strstr(log, "loaded, folded"));
    assert_int_equal(failed, 0);
    assert_true(is_real() || products == 1);
    free(log);
    free(path);
    cz_folded_close(&folded);
}

/* A wrong one makes one proof, which no client sees; one that is cut makes none. Both are named. */
static void a_slow_wrong_folded_file_is_found_out(void **state)
{
    uint64_t failed;
    cz_folded folded;
    char *path, *log;

    (void)state;
    path = make_folded_params(&folded);
    log = log_of_proofs(1, false, &failed);
    assert_null(strstr(log, "folded"));
    assert_true(is_real() || products == 0);
    free(log);

    spoil_folded(&folded, true);
    log = log_of_proofs(2, true, &failed);
    assert_int_equal(failed, 1);
    assert_true(is_real() || products == 1);
    assert_non_null(strstr(log, "is not used any more"));
    free(log);

    assert_int_equal(truncate(path, 1000), 0);
    log = log_of_proofs(1, true, &failed);
    assert_int_equal(failed, 0);
    assert_true(is_real() || products == 0);
    assert_non_null(strstr(log, "not used: "));
    free(log);
    free(path);
    cz_folded_close(&folded);
}

/* Blocks are used again, and no more are taken than the limit says. */
static void page_locked_memory_is_bounded_and_kept(void **state)
{
    cz_pinned *p;
    void *a, *b;

    (void)state;
    use_stand_in();
    assert_ok(cz_pinned_create(&p, 0, 100000));
    a = cz_pinned_take(p, 40000);
    b = cz_pinned_take(p, 40000);
    assert_non_null(a);
    assert_non_null(b);
    assert_null(cz_pinned_take(p, 40000));
    assert_null(cz_pinned_take(p, 200000));
    cz_pinned_give_back(p, a);
    assert_ptr_equal(cz_pinned_take(p, 30000), a); /* large enough, and not by much too large */
    cz_pinned_give_back(p, a);
    a = cz_pinned_take(p, 10000);
    assert_ptr_not_equal(a, b);
    assert_int_equal(cz_pinned_bytes(p), 90000);
    assert_int_equal(cz_pinned_idle_bytes(p), 40000);
    assert_int_equal(cz_pinned_reusable(p, 30000, 0), 40000);
    assert_int_equal(cz_pinned_reusable(p, 10000, 0), 0);
    assert_int_equal(cz_pinned_reusable(p, 30000, 1), 0);
    cz_pinned_give_back(p, b);
    assert_int_equal(cz_pinned_reusable(p, 30000, 1), 40000);
    assert_int_equal(cz_pinned_idle_bytes(p), 80000);
    b = cz_pinned_take(p, 90000); /* what is idle goes first */
    assert_non_null(b);
    assert_int_equal(cz_pinned_bytes(p), 100000);
    assert_int_equal(cz_pinned_idle_bytes(p), 0);
    cz_pinned_give_back(p, a);
    assert_int_equal(cz_pinned_idle_bytes(p), 10000);
    cz_pinned_trim(p);
    assert_int_equal(cz_pinned_bytes(p), 90000);
    assert_int_equal(cz_pinned_idle_bytes(p), 0);
    cz_pinned_give_back(p, b);
    cz_pinned_destroy(p);
}

/* What a witness leaves locked is in the budget until it is given back. */
static void idle_page_locked_memory_is_in_the_budget(void **state)
{
    cz_engine_status *s;
    cz_prover prover;
    uint64_t used, idle;
    bench b;

    (void)state;
    make_params("winning-2k");
    use_stand_in();
    start(&b, 0);
    assert_engine_proves(&b, "winning-2k", "one");
    assert_true(cz_engine_wait_idle(b.e, 20000));
    prover = cz_filecoin_prover_table(b.prover);
    idle = prover.ops->idle_bytes(prover.ctx);
    assert_true(idle > 0);
    assert_int_equal(prover.ops->reuse_bytes(prover.ctx, b.e->residents->keys, 0), idle);
    assert_ok(cz_engine_status_create(&s, b.e));
    used = s->memory_used;
    assert_int_equal(s->pinned_bytes, idle);
    assert_int_equal(s->pinned_limit, (uint64_t)1 << 26);
    cz_engine_status_destroy(s);
    prover.ops->trim(prover.ctx);
    assert_int_equal(prover.ops->idle_bytes(prover.ctx), 0);
    assert_ok(cz_engine_status_create(&s, b.e));
    assert_int_equal(s->memory_used, used - idle);
    assert_int_equal(s->pinned_bytes, 0);
    cz_engine_status_destroy(s);
    finish(&b);
}

static void without_a_device_the_cpu_proves(void **state)
{
    cz_device_options options = {.workers = 2};
    bench b;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    host_gpu_table.count = no_devices;
    make_prover(&b, &options);
    assert_int_equal(cz_filecoin_backends(b.prover, b.backends), 1);
    assert_string_equal(b.backends[0].name, "cpu");
    options.required = true;
    assert_fails(cz_filecoin_prover_open_devices(b.prover, &options), CZ_E_NODEV, "no CUDA device");
    cz_filecoin_prover_destroy(b.prover);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(parameters_are_loaded_once_where_there_is_room, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(a_call_gives_a_batch_of_proofs, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(circuits_take_turns_where_one_fits, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(what_does_not_fit_is_declined, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(memory_that_comes_back_is_used, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(a_circuit_that_waits_for_memory_spares_others, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(phases_go_to_the_trace_of_their_job, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(a_failing_device_is_opened_anew_and_then_given_up, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(folded_files_are_used_as_long_as_they_come, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(a_damaged_folded_file_is_left_out, scratch_make,
                                    scratch_remove),
    cmocka_unit_test(winning_proofs_come_back_whatever_the_device_does),
    cmocka_unit_test(circuits_that_do_not_fit_are_proved_on_the_cpu),
    cmocka_unit_test(the_engine_repeats_what_a_device_lost),
    cmocka_unit_test(two_devices_prove_side_by_side),
    cmocka_unit_test(a_failing_device_does_not_stop_the_other),
    cmocka_unit_test(a_device_that_computes_otherwise_is_not_used),
    cmocka_unit_test(where_no_device_passes_the_cpu_proves),
    cmocka_unit_test(a_device_with_two_wrong_proofs_is_given_up),
    cmocka_unit_test_setup_teardown(a_good_proof_between_wrong_ones_counts, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(a_verdict_waits_for_no_call, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(a_device_that_comes_back_wrong_is_given_up, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(folded_files_beside_the_parameters_are_used, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(a_slow_wrong_folded_file_is_found_out, scratch_make,
                                    scratch_remove),
    cmocka_unit_test(page_locked_memory_is_bounded_and_kept),
    cmocka_unit_test(idle_page_locked_memory_is_in_the_budget),
    cmocka_unit_test(without_a_device_the_cpu_proves),
};

CZ_TEST_MAIN(cases)
