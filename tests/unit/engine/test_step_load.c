/* Devices that load keys by workers of their own: when, and what becomes of the keys. The engine
 * without threads, one step at a time. */
#include "toy_prover.h"

enum { DEVICES = 2, SPARE = DEVICES, BACKENDS };

typedef struct {
    toy *t;
    unsigned capacity, loads, calls;
    char has[CZ_CIRCUIT_ID_BYTES]; /* the circuit it loaded last */
    cz_err fails;                  /* each load, with this */
} toy_device;

typedef struct {
    toy t; /* first: the prover's ctx is the bench, too */
    toy_device device[BACKENDS];
    cz_backend backends[BACKENDS];
    cz_engine *e;
} bench;

static unsigned capacity_of(void *ctx, const cz_keys *keys)
{
    const toy_device *d = ctx;

    (void)keys;
    return d->capacity;
}

static bool holds(void *ctx, const cz_keys *keys)
{
    const toy_device *d = ctx;

    return strcmp(keys->circuit_id, d->has) == 0;
}

static cz_err load_on(void *ctx, const cz_keys *keys)
{
    toy_device *d = ctx;

    assert_true(keys->hot);
    d->loads++;
    if (d->fails != CZ_OK)
        return cz_fail(d->fails, "point 7 of %s (ordered by a test)", keys->circuit_id);
    (void)snprintf(d->has, sizeof d->has, "%s", keys->circuit_id);
    return CZ_OK;
}

static cz_err prove_on(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n)
{
    toy_device *d = ctx;

    d->calls++;
    return toy_prove(d->t, keys, items, n);
}

static int begin(void **state)
{
    bench *b = calloc(1, sizeof *b);
    cz_engine_options o;

    assert_non_null(b);
    toy_init(&b->t);
    for (unsigned i = 0; i < BACKENDS; i++) {
        b->device[i] = (toy_device){.t = &b->t, .capacity = 1};
        b->backends[i] = (cz_backend){.name = i == SPARE ? "cpu" : "toy",
                                      .device = i,
                                      .workers = 1,
                                      .batch = 1,
                                      .spare = i == SPARE,
                                      .ctx = &b->device[i],
                                      .capacity = i == SPARE ? NULL : capacity_of,
                                      .holds = i == SPARE ? NULL : holds,
                                      .load = i == SPARE ? NULL : load_on,
                                      .prove = prove_on};
    }
    o = toy_options(&b->t, b->backends);
    o.n_backends = BACKENDS;
    assert_ok(cz_engine_create(&b->e, &o));
    *state = b;
    return 0;
}

static int end(void **state)
{
    bench *b = *state;

    cz_engine_destroy(b->e);
    toy_assert_clean(&b->t);
    toy_clear(&b->t);
    free(b);
    return 0;
}

static const char *submit(bench *b, cz_proof_kind kind, char tag, unsigned parts,
                          cz_submit_reply *reply)
{
    const char id[] = {tag, '\0'};

    return toy_submit(b->e, toy_request(id, kind, tag, parts, 0), reply);
}

static cz_worker *worker_of(bench *b, unsigned backend)
{
    return &b->e->workers[b->e->n_synthesis + backend];
}

static bool serve(bench *b, unsigned backend)
{
    bool done;

    (void)pthread_mutex_lock(&b->e->lock);
    done = cz_step_proving(b->e, worker_of(b, backend));
    (void)pthread_mutex_unlock(&b->e->lock);
    return done;
}

/* All that is done beside devices. */
static void run_others(bench *b)
{
    bool more;

    (void)pthread_mutex_lock(&b->e->lock);
    do {
        more = cz_step_synthesis(b->e, &b->e->workers[0]);
        more = cz_step_loader(b->e) || more;
        more = cz_step_finisher(b->e) || more;
    } while (more);
    (void)pthread_mutex_unlock(&b->e->lock);
}

static void run_all(bench *b)
{
    bool more;

    do {
        run_others(b);
        more = false;
        for (unsigned i = 0; i < BACKENDS; i++)
            more = serve(b, i) || more;
    } while (more);
}

static const cz_resident *keys_of(bench *b, const char *circuit_id)
{
    return cz_resident_get(b->e, circuit_id);
}

/* --- who waits --- */

typedef struct {
    unsigned told;
    cz_err err;
} answer;

static void preloaded(void *ctx, cz_err err, bool already, uint64_t load_ms)
{
    answer *a = ctx;

    (void)already;
    (void)load_ms;
    a->told++;
    a->err = err;
}

static void evicted(void *ctx, cz_err err, bool was_loaded, uint64_t freed_bytes)
{
    answer *a = ctx;

    (void)was_loaded;
    (void)freed_bytes;
    a->told++;
    a->err = err;
}

/* By the first device. */
static bool preload(bench *b, const char *circuit_id)
{
    answer a = {0};

    cz_engine_preload_then(b->e, circuit_id, preloaded, &a);
    run_others(b);
    (void)serve(b, 0);
    run_others(b);
    return a.told == 1 && a.err == CZ_OK;
}

static void keys_are_hot_when_the_first_device_has_them(void **state)
{
    bench *b = *state;
    cz_submit_reply job;
    answer a = {0};

    cz_engine_preload_then(b->e, "porep-2048", preloaded, &a);
    (void)submit(b, CZ_KIND_POREP, 'A', 1, &job);
    run_others(b);
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_HEATING);
    assert_int_equal(a.told, 0);
    assert_true(serve(b, 1));
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_HOT);
    run_others(b);
    assert_int_equal(a.told, 1);
    assert_int_equal(a.err, CZ_OK);
    assert_true(serve(b, 0)); /* has them before it is asked for proofs */
    assert_int_equal(b->device[0].loads, 1);
    run_all(b);
    toy_expect(b->e, job.job_id, 'A', 1);
    assert_int_equal(b->device[0].loads + b->device[1].loads, 2);
    assert_int_equal(b->device[0].calls + b->device[1].calls, 1);
    assert_int_equal(b->e->counters.keys_loads, 1);
}

/* It never gets to them, so they can be given up. */
static void who_does_not_come_back_is_not_waited_for(void **state)
{
    bench *b = *state;
    cz_submit_reply job;
    answer a = {0}, gone = {0};

    (void)submit(b, CZ_KIND_POREP, 'A', 2, &job);
    run_others(b);
    while (serve(b, 1)) /* and never the other one */
        run_others(b);
    toy_expect(b->e, job.job_id, 'A', 2);
    assert_int_equal(b->device[1].calls, 2);
    cz_engine_preload_then(b->e, "winning-2048", preloaded, &a);
    run_others(b);
    assert_true(serve(b, 1));
    run_others(b);
    assert_int_equal(a.told, 1);
    cz_engine_evict_then(b->e, "porep-2048", evicted, &gone);
    run_others(b);
    assert_int_equal(gone.told, 1);
    assert_int_equal(gone.err, CZ_OK);
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_COLD);
    assert_true(serve(b, 0)); /* the other keys alone */
    assert_false(serve(b, 0));
    assert_string_equal(b->device[0].has, "winning-2048");
}

/* What no device takes is the spare backend's; one that hangs is not asked. */
static void where_no_device_has_them_they_are_hot_nevertheless(void **state)
{
    bench *b = *state;
    cz_submit_reply job;

    b->device[1].fails = CZ_E_DECLINED;
    (void)submit(b, CZ_KIND_POREP, 'A', 1, &job);
    run_others(b);
    assert_true(serve(b, 1));
    run_others(b);
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_HEATING);
    worker_of(b, 0)->n_parts = 1;
    worker_of(b, 0)->stalled = true;
    run_others(b);
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_HOT);
    b->device[0].capacity = b->device[1].capacity = 0;
    assert_true(serve(b, SPARE));
    run_others(b);
    toy_expect(b->e, job.job_id, 'A', 1);
    worker_of(b, 0)->n_parts = 0;
}

/* As a file that cannot be opened: for all who wait; the next job tries again. */
static void damaged_keys_fail_who_waits_for_them(void **state)
{
    bench *b = *state;
    cz_submit_reply job, again;
    answer a = {0};

    b->device[0].fails = CZ_E_INPUT;
    cz_engine_preload_then(b->e, "porep-2048", preloaded, &a);
    (void)submit(b, CZ_KIND_POREP, 'A', 1, &job);
    run_others(b);
    assert_true(serve(b, 0));
    run_others(b);
    toy_expect_end(b->e, job.job_id, CZ_JOB_FAILED, "point 7 of porep-2048");
    assert_int_equal(a.told, 1);
    assert_int_equal(a.err, CZ_E_INPUT);
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_WARM);
    assert_int_equal(b->e->budget.used, 0);
    assert_false(serve(b, 1));
    b->device[0].fails = CZ_OK;
    (void)submit(b, CZ_KIND_POREP, 'B', 1, &again);
    run_all(b);
    toy_expect(b->e, again.job_id, 'B', 1);
}

/* Two workers of one device: while one is in a call, the other leaves partitions where they are;
 * then keys come first, but not before a WinningPoSt. */
static void keys_have_their_turn_on_a_busy_device(void **state)
{
    bench *b = *state;
    cz_submit_reply jobs[3];

    worker_of(b, 1)->backend = &b->e->backends[0];
    b->e->backends[1].workers = 0;
    b->e->o.lookahead = 4;
    assert_true(preload(b, "winning-2048"));
    assert_true(preload(b, "wpost-2048"));
    (void)submit(b, CZ_KIND_WINDOW, 'W', 4, &jobs[0]);
    run_others(b);
    worker_of(b, 0)->n_parts = 1; /* as if in a call */
    assert_true(serve(b, 1));
    assert_int_equal(b->device[0].calls, 1);
    (void)submit(b, CZ_KIND_POREP, 'A', 1, &jobs[1]);
    run_others(b);
    assert_false(serve(b, 1));
    (void)submit(b, CZ_KIND_WINNING, 'C', 1, &jobs[2]);
    run_others(b);
    assert_true(serve(b, 1));
    assert_int_equal(b->device[0].calls, 2);
    assert_false(serve(b, 1));
    worker_of(b, 0)->n_parts = 0;
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_HEATING);
    assert_true(serve(b, 1));
    assert_int_equal(keys_of(b, "porep-2048")->state, KEYS_HOT);
    assert_int_equal(b->device[0].calls, 2);
    run_all(b);
    toy_expect(b->e, jobs[0].job_id, 'W', 4);
    toy_expect(b->e, jobs[1].job_id, 'A', 1);
    toy_expect(b->e, jobs[2].job_id, 'C', 1);
    worker_of(b, 1)->backend = &b->e->backends[1];
    b->e->backends[1].workers = 1;
}

/* A load that hangs is seen by the watchdog, and keeps the keys where they are. */
static void keys_that_a_device_reads_stay(void **state)
{
    bench *b = *state;
    cz_resident *r;
    answer a = {0};

    cz_engine_preload_then(b->e, "porep-2048", preloaded, &a);
    run_others(b);
    assert_true(serve(b, 1));
    r = cz_resident_get(b->e, "porep-2048");
    r->loads++;
    worker_of(b, 0)->loads = r;
    worker_of(b, 0)->since_ns = 0;
    a.told = 0;
    cz_engine_evict_then(b->e, "porep-2048", evicted, &a);
    assert_int_equal(a.told, 1);
    assert_int_equal(a.err, CZ_E_DECLINED);
    (void)pthread_mutex_lock(&b->e->lock);
    assert_false(
        cz_resident_make_room(b->e, b->e->budget.total, CZ_PRIORITY_CRITICAL, cz_clock_ns()));
    b->e->o.tuning.watchdog_ms = 0;
    (void)cz_step_clerk(b->e, cz_clock_ns());
    (void)pthread_mutex_unlock(&b->e->lock);
    assert_false(r->cool_wanted);
    assert_true(cz_worker_hangs(worker_of(b, 0)));
    assert_int_equal(b->e->counters.stalls, 1);
    worker_of(b, 0)->loads = NULL;
    r->loads--;
    run_all(b);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(keys_are_hot_when_the_first_device_has_them, begin, end),
    cmocka_unit_test_setup_teardown(who_does_not_come_back_is_not_waited_for, begin, end),
    cmocka_unit_test_setup_teardown(where_no_device_has_them_they_are_hot_nevertheless, begin, end),
    cmocka_unit_test_setup_teardown(damaged_keys_fail_who_waits_for_them, begin, end),
    cmocka_unit_test_setup_teardown(keys_have_their_turn_on_a_busy_device, begin, end),
    cmocka_unit_test_setup_teardown(keys_that_a_device_reads_stay, begin, end),
};

CZ_TEST_MAIN(cases)
