/* Devices that are in a call, or hang in one: what others do meanwhile. On the host's stand-in. */
#include "device_bench.h"

#include "engine/engine_state.h"
#include "engine/filecoin_state.h"

static void wait_until_held(unsigned device)
{
    while (!held[device])
        pause_ms(1);
}

/* --- who waits for parameters to come or to go --- */

typedef struct {
    atomic_bool is_told;
    cz_err err;
    bool was_there;
} answer;

static void preloaded(void *ctx, cz_err err, bool already, uint64_t load_ms)
{
    answer *a = ctx;

    (void)load_ms;
    a->err = err;
    a->was_there = already;
    a->is_told = true;
}

static void evicted(void *ctx, cz_err err, bool was_loaded, uint64_t freed_bytes)
{
    answer *a = ctx;

    (void)freed_bytes;
    a->err = err;
    a->was_there = was_loaded;
    a->is_told = true;
}

/* Within a minute. */
static void assert_told(answer *a, bool was_there)
{
    for (unsigned i = 0; i < 12000 && !a->is_told; i++)
        pause_ms(5);
    assert_true(a->is_told);
    assert_int_equal(a->err, CZ_OK);
    assert_int_equal(a->was_there, was_there);
}

static void assert_preloads(bench *b, const char *circuit_id)
{
    answer a = {.is_told = false};

    cz_engine_preload_then(b->e, circuit_id, preloaded, &a);
    assert_told(&a, false);
}

static void assert_evicts(bench *b, const char *circuit_id)
{
    answer a = {.is_told = false};

    cz_engine_evict_then(b->e, circuit_id, evicted, &a);
    assert_told(&a, true);
}

/* --- what devices have --- */

static const cz_keys *keys_of(bench *b, const char *circuit_id)
{
    const cz_keys *keys;

    (void)pthread_mutex_lock(&b->e->lock);
    keys = cz_resident_get(b->e, circuit_id)->keys;
    (void)pthread_mutex_unlock(&b->e->lock);
    return keys;
}

static bool has(bench *b, unsigned device, const char *circuit_id)
{
    const cz_backend *backend = &b->backends[device];

    return backend->holds(backend->ctx, keys_of(b, circuit_id));
}

static void wait_until_all_have(bench *b, unsigned n, const char *circuit_id)
{
    for (unsigned i = 0; i < n; i++)
        while (!has(b, i, circuit_id))
            pause_ms(1);
}

static const char window[] = "wpost-2k";

static void begin(bench *b, int devices, unsigned workers)
{
    const cz_device_options options = {.workers = workers};

    if (is_real())
        skip();
    make_params("wpost-2k-full");
    use_stand_ins(devices);
    start_with(b, &options);
}

/* --- a call that does not end --- */

/* On device 0, of another circuit. */
static void begin_call(call *c, cz_device_prover *d, const subject *s)
{
    *c = (call){.d = d, .s = s};
    assert_ok(cz_device_prover_load(d, &s->circuit));
    holds[0] = true;
    assert_int_equal(pthread_create(&c->thread, NULL, prove_in_thread, c), 0);
    wait_until_held(0);
}

static void end_call(call *c)
{
    assert_true(held[0]);
    holds[0] = false;
    assert_int_equal(pthread_join(c->thread, NULL), 0);
    assert_int_equal(c->err, CZ_OK);
}

/* It had the circuit's parameters, which are given up, closed, and come back. */
static void a_device_that_hangs_holds_no_other_circuit_up(void **state)
{
    subject a;
    bench b;
    call c;

    (void)state;
    begin(&b, 2, 1);
    subject_init(&a, "a.params");
    assert_preloads(&b, window);
    wait_until_all_have(&b, 2, window);
    begin_call(&c, b.prover->devices[0].device, &a);
    assert_evicts(&b, window);
    assert_preloads(&b, window);
    assert_true(has(&b, 1, window));
    assert_false(has(&b, 0, window));
    assert_int_equal(b.backends[0].capacity(b.backends[0].ctx, keys_of(&b, window)), 1);
    assert_engine_proves(&b, "wpost-2k-full", "by the other");
    end_call(&c);
    wait_until_all_have(&b, 2, window);
    assert_engine_proves(&b, "wpost-2k-full", "by either");
    finish(&b);
    subject_free(&a);
}

static void a_device_that_hangs_in_loading_holds_nobody_up(void **state)
{
    answer a = {.is_told = false};
    bench b;

    (void)state;
    begin(&b, 2, 2);
    holds[0] = true;
    assert_preloads(&b, window);
    wait_until_held(0);
    assert_engine_proves(&b, "wpost-2k-full", "by the other");
    cz_engine_evict_then(b.e, window, evicted, &a);
    assert_true(a.is_told);
    assert_int_equal(a.err, CZ_E_DECLINED); /* the device reads them */
    assert_true(held[0]);
    holds[0] = false;
    wait_until_all_have(&b, 2, window);
    finish(&b);
}

/* Ready for proofs means ready. */
static void a_preload_waits_for_the_call_of_the_only_device(void **state)
{
    answer told = {.is_told = false};
    subject a;
    bench b;
    call c;

    (void)state;
    begin(&b, 1, 2);
    subject_init(&a, "a.params");
    begin_call(&c, b.prover->devices[0].device, &a);
    cz_engine_preload_then(b.e, window, preloaded, &told);
    while (keys_of(&b, window) == NULL)
        pause_ms(1);
    pause_ms(50);
    assert_false(told.is_told);
    end_call(&c);
    assert_told(&told, false);
    assert_true(has(&b, 0, window));
    finish(&b);
    subject_free(&a);
}

static void devices_load_side_by_side(void **state)
{
    answer a = {.is_told = false};
    bench b;

    (void)state;
    begin(&b, 2, 1);
    holds[0] = holds[1] = true;
    cz_engine_preload_then(b.e, window, preloaded, &a);
    wait_until_held(0);
    wait_until_held(1);
    assert_false(a.is_told);
    holds[1] = false;
    assert_told(&a, false);
    assert_true(held[0]);
    holds[0] = false;
    finish(&b);
}

/* --- one device without an engine --- */

/* What it had of them is not looked at any more, also where others come at the same address. */
static void what_is_forgotten_during_a_call_is_gone_after_it(void **state)
{
    cz_device_prover *d;
    subject a, b;
    call c;

    (void)state;
    if (is_real())
        skip();
    use_stand_in();
    subject_init(&a, "a.params");
    subject_init(&b, "b.params");
    assert_ok(cz_device_prover_open(&d, 0, 0, NULL));
    assert_ok(cz_device_prover_load(d, &b.circuit));
    begin_call(&c, d, &a);
    for (unsigned i = 0; i < 2; i++) { /* twice is no mistake */
        assert_false(cz_device_prover_forget(d, b.circuit.params));
        assert_true(held[0]);
        assert_false(cz_device_prover_holds(d, b.circuit.params));
        assert_int_equal(cz_device_prover_capacity(d, b.circuit.params), 1);
        if (i == 0) {
            subject_free(&b);
            subject_init(&b, "c.params");
        }
    }
    end_call(&c);
    assert_int_equal(cz_device_prover_loads(d), 2);
    assert_proves(d, &b);
    assert_int_equal(cz_device_prover_loads(d), 3);
    assert_true(cz_device_prover_holds(d, a.circuit.params));
    assert_true(cz_device_prover_forget(d, a.circuit.params));
    cz_device_prover_close(d);
    subject_free(&a);
    subject_free(&b);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(a_device_that_hangs_holds_no_other_circuit_up, scratch_make,
                                    scratch_remove),
    cmocka_unit_test(a_device_that_hangs_in_loading_holds_nobody_up),
    cmocka_unit_test_setup_teardown(a_preload_waits_for_the_call_of_the_only_device, scratch_make,
                                    scratch_remove),
    cmocka_unit_test(devices_load_side_by_side),
    cmocka_unit_test_setup_teardown(what_is_forgotten_during_a_call_is_gone_after_it, scratch_make,
                                    scratch_remove),
};

CZ_TEST_MAIN(cases)
