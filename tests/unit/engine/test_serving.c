/* Devices and the spare backend: who proves what, in which memory, in batches of how many. The
 * engine without threads, one step at a time, but where a case says otherwise. */
#include "toy_prover.h"

enum { DEVICES = 2, SPARE = DEVICES, BACKENDS };

/* A device that fails as it is told. */
typedef struct {
    toy *t;
    unsigned capacity;
    cz_err fails;        /* the next call, with this */
    char lacks[16];      /* a circuit that is not at hand */
    char declines[16];   /* one that does not fit */
    bool keeps_capacity; /* after a failure */
    bool fills;          /* makes values itself */
    unsigned wrong;      /* so many proofs are none */
    bool fades;          /* after so many more answers it takes nothing */
    unsigned answers;
    unsigned calls, largest, proved;
    unsigned part_us;   /* a partition takes so long, beside the other device's */
    unsigned good, bad; /* what it was told of its proofs */
} toy_device;

typedef struct {
    toy t; /* first: the prover's ctx is the bench, too */
    toy_device device[BACKENDS];
    cz_backend backends[BACKENDS];
    cz_prover_ops ops;
    unsigned drops;
    cz_engine *e;
    char last_id[CZ_JOB_ID_BYTES];
} bench;

static unsigned capacity_of(void *ctx, const cz_keys *keys)
{
    toy_device *d = ctx;

    if (d->fades && d->answers-- == 0) {
        d->fades = false;
        d->capacity = 0;
    }
    return keys != NULL && strcmp(keys->circuit_id, d->declines) == 0 ? 0 : d->capacity;
}

static bool holds(void *ctx, const cz_keys *keys)
{
    const toy_device *d = ctx;

    return strcmp(keys->circuit_id, d->lacks) != 0;
}

static cz_err prove_on(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n)
{
    toy_device *d = ctx;
    const cz_err err = d->fails;

    d->calls++;
    d->largest = n > d->largest ? (unsigned)n : d->largest;
    d->proved += (unsigned)n;
    toy_sleep_us((unsigned)n * d->part_us);
    d->fails = CZ_OK;
    if ((err == CZ_E_NODEV || err == CZ_E_DECLINED) && !d->keeps_capacity)
        d->capacity = 0;
    for (size_t i = 0; i < n; i++)
        assert_true(d->fills || items[i].witness->has_values);
    if (err != CZ_OK)
        return cz_fail(err, "ordered by a test");
    CZ_TRY(toy_prove(d->t, keys, items, n));
    for (size_t i = 0; i < n && d->wrong > 0; i++, d->wrong--)
        items[i].proof[100] ^= 1;
    return CZ_OK;
}

static void judge(void *ctx, bool good)
{
    toy_device *d = ctx;

    d->good += good;
    d->bad += !good;
}

static int begin(void **state)
{
    bench *b = calloc(1, sizeof *b);
    cz_engine_options o;

    assert_non_null(b);
    toy_init(&b->t);
    b->t.part_bytes = 500;
    b->t.device_bytes = 20;
    for (unsigned i = 0; i < BACKENDS; i++) {
        b->device[i] = (toy_device){.t = &b->t, .capacity = 1, .fills = i != SPARE};
        b->backends[i] = (cz_backend){.name = i == SPARE ? "cpu" : "toy",
                                      .device = i,
                                      .workers = 1,
                                      .batch = i == SPARE ? 1 : 64,
                                      .spare = i == SPARE,
                                      .ctx = &b->device[i],
                                      .capacity = i == SPARE ? NULL : capacity_of,
                                      .holds = i == SPARE ? NULL : holds,
                                      .prove = prove_on,
                                      .judge = judge};
    }
    o = toy_options(&b->t, b->backends);
    o.n_backends = BACKENDS;
    o.host_bytes = 10000;
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

/* Less than begin gives. */
static void limit_memory(bench *b, uint64_t host_bytes)
{
    b->e->budget.total = host_bytes;
}

static const char *submit(bench *b, cz_proof_kind kind, char tag, unsigned parts, unsigned priority)
{
    const char id[] = {tag, '\0'};
    cz_submit_reply reply;

    (void)toy_submit(b->e, toy_request(id, kind, tag, parts, priority), &reply);
    (void)memcpy(b->last_id, reply.job_id, sizeof b->last_id);
    return b->last_id;
}

static bool locked(cz_engine *e, bool (*step)(cz_engine *, cz_worker *), size_t worker)
{
    bool done;

    (void)pthread_mutex_lock(&e->lock);
    done = step(e, &e->workers[worker]);
    (void)pthread_mutex_unlock(&e->lock);
    return done;
}

static bool synthesize(bench *b)
{
    return locked(b->e, cz_step_synthesis, 0);
}

static bool prove(bench *b, unsigned backend)
{
    return locked(b->e, cz_step_proving, b->e->n_synthesis + backend);
}

static bool load(bench *b)
{
    bool done;

    (void)pthread_mutex_lock(&b->e->lock);
    done = cz_step_loader(b->e);
    (void)pthread_mutex_unlock(&b->e->lock);
    return done;
}

static bool finish(bench *b)
{
    bool done;

    (void)pthread_mutex_lock(&b->e->lock);
    done = cz_step_finisher(b->e);
    (void)pthread_mutex_unlock(&b->e->lock);
    return done;
}

/* What is reserved and what the prover keeps. */
static void assert_within_budget(const bench *b)
{
    assert_true(b->e->budget.used + b->t.idle <= b->e->budget.total);
}

static void make_witnesses(bench *b)
{
    bool more;

    do {
        more = synthesize(b);
        assert_within_budget(b);
        more = load(b) || more;
        assert_within_budget(b);
    } while (more);
}

static void run_all(bench *b)
{
    bool more;

    do {
        more = synthesize(b);
        assert_within_budget(b);
        more = load(b) || more;
        for (unsigned i = 0; i < BACKENDS; i++)
            more = prove(b, i) || more;
        more = finish(b) || more;
        assert_within_budget(b);
    } while (more);
}

static unsigned count(const toy *t, const char *what)
{
    unsigned n = 0;

    for (const char *at = t->log; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

static void devices_share_a_job_and_the_spare_rests(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 6, 0);
    for (unsigned i = 0; i < 3; i++) {
        make_witnesses(b);
        assert_true(prove(b, 0));
        assert_false(prove(b, SPARE));
        assert_true(prove(b, 1));
    }
    run_all(b);
    toy_expect(b->e, id, 'A', 6);
    assert_int_equal(b->device[0].calls, 3);
    assert_int_equal(b->device[1].calls, 3);
    assert_int_equal(b->device[SPARE].calls, 0);
    assert_true(b->e->budget.peak < 200); /* keys, work, a few witnesses */
}

/* A witness for each device waits, and as many as a batch takes. */
static void witnesses_are_made_ahead_of_batches(void **state)
{
    bench *b = *state;

    (void)submit(b, CZ_KIND_POREP, 'A', 12, 0);
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:"), 2);
    b->device[0].capacity = 5;
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:"), 6);
    (void)strcpy(b->device[1].lacks, "porep-2048");
    assert_true(prove(b, 0));
    assert_int_equal(b->device[0].largest, 5);
    b->device[1].lacks[0] = '\0';
    assert_true(prove(b, 1));
    assert_int_equal(b->device[1].largest, 1);
    assert_false(prove(b, 0)); /* what waits for nobody is not waited for */
    run_all(b);
    toy_expect(b->e, b->last_id, 'A', 12);
    assert_int_equal(b->device[0].largest, 5);
}

/* --- sharing --- */

/* As if it was in the middle of something. */
static void make_busy(bench *b, unsigned device, const cz_ejob *job, unsigned n, uint64_t since_ns)
{
    cz_worker *w = &b->e->workers[b->e->n_synthesis + device];

    w->n_parts = n;
    w->job = job;
    w->since_ns = since_ns;
}

static void set_capacities(bench *b, unsigned first, unsigned second)
{
    b->device[0].capacity = first;
    b->device[1].capacity = second;
}

static void set_times(bench *b, uint64_t first_ns, uint64_t second_ns)
{
    b->e->workers[b->e->n_synthesis].part_ns[CZ_KIND_POREP] = first_ns;
    b->e->workers[b->e->n_synthesis + 1].part_ns[CZ_KIND_POREP] = second_ns;
}

/* What it would take now. */
static size_t would_take(bench *b, unsigned device, uint64_t now_ns)
{
    const cz_worker *w = &b->e->workers[b->e->n_synthesis + device];
    cz_epart *parts[CZ_MOST_BATCH];
    size_t n;

    (void)pthread_mutex_lock(&b->e->lock);
    n = cz_schedule_proving(b->e, w, parts, CZ_MOST_BATCH, now_ns);
    (void)pthread_mutex_unlock(&b->e->lock);
    return n;
}

/* A sector of ten partitions goes to both halves, not all of it to the first. */
static void free_devices_take_half_of_a_sector_each(void **state)
{
    bench *b = *state;

    set_capacities(b, 10, 10);
    (void)submit(b, CZ_KIND_POREP, 'A', 10, 0);
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:"), 10);
    assert_int_equal(would_take(b, 0, cz_clock_ns()), 5);
    assert_int_equal(would_take(b, 1, cz_clock_ns()), 5);
    set_times(b, 1000, 4000); /* the other one is slower */
    assert_int_equal(would_take(b, 0, cz_clock_ns()), 8);
    assert_int_equal(would_take(b, 1, cz_clock_ns()), 2);
    run_all(b);
    toy_expect(b->e, b->last_id, 'A', 10);
    assert_int_equal(b->device[SPARE].calls, 0);
}

/* With threads, from the first witness on, which goes alone. A call with all that waits would leave
 * one or two to the other device. */
static void two_devices_halve_the_time_of_a_sector(void **state)
{
    bench *b = *state;

    set_capacities(b, 10, 10);
    b->device[0].part_us = b->device[1].part_us = 20000;
    assert_ok(cz_engine_start(b->e));
    (void)submit(b, CZ_KIND_POREP, 'A', 10, 0);
    toy_expect(b->e, b->last_id, 'A', 10);
    cz_engine_stop(b->e);
    assert_int_equal(b->device[0].proved + b->device[1].proved, 10);
    assert_in_range(b->device[0].proved, 3, 7);
}

/* As after the first witnesses of a sector: one device comes back a moment before the other. */
static void a_device_leaves_to_another_what_that_is_free_for(void **state)
{
    bench *b = *state;
    const uint64_t now = cz_clock_ns();

    set_capacities(b, 10, 10);
    (void)submit(b, CZ_KIND_POREP, 'A', 8, 0);
    make_witnesses(b);
    set_times(b, 1000000, 1000000);
    make_busy(b, 1, b->e->live, 1, now - 950000);
    assert_int_equal(would_take(b, 0, now), 4);
    make_busy(b, 1, b->e->live, 5, now - 1000000); /* four are left to it */
    assert_int_equal(would_take(b, 0, now), 6);
    make_busy(b, 1, b->e->live, 10, now); /* no use waiting for it */
    assert_int_equal(would_take(b, 0, now), 8);
    make_busy(b, 1, b->e->live, 10, 0); /* it hangs */
    assert_int_equal(would_take(b, 0, now), 4);
    b->e->workers[b->e->n_synthesis + 1].stalled = true; /* and the watchdog has said so */
    assert_int_equal(would_take(b, 0, now), 8);
    make_busy(b, 1, NULL, 0, 0);
    run_all(b);
}

static void a_full_queue_fills_batches(void **state)
{
    bench *b = *state;

    set_capacities(b, 5, 5);
    (void)submit(b, CZ_KIND_POREP, 'A', 10, 0);
    (void)submit(b, CZ_KIND_POREP, 'B', 10, 0);
    make_witnesses(b);
    assert_int_equal(would_take(b, 0, cz_clock_ns()), 5);
    assert_true(prove(b, 0));
    make_witnesses(b);
    assert_true(prove(b, 1));
    assert_int_equal(b->device[0].largest, 5);
    assert_int_equal(b->device[1].largest, 5);
    run_all(b);
    toy_expect(b->e, b->last_id, 'B', 10);
}

/* It would load them first: nothing is left to it. */
static void who_has_not_the_keys_is_dealt_nothing(void **state)
{
    bench *b = *state;

    set_capacities(b, 10, 10);
    (void)strcpy(b->device[1].lacks, "porep-2048");
    (void)submit(b, CZ_KIND_POREP, 'A', 6, 0);
    make_witnesses(b);
    assert_int_equal(would_take(b, 0, cz_clock_ns()), 6);
    b->device[1].lacks[0] = '\0';
    assert_int_equal(would_take(b, 0, cz_clock_ns()), 3);
    b->device[1].capacity = 0;
    assert_int_equal(would_take(b, 0, cz_clock_ns()), 6);
    run_all(b);
}

/* The workers of one device take turns. */
static void workers_of_one_device_are_no_two_devices(void **state)
{
    bench *b = *state;
    const uint64_t now = cz_clock_ns();

    set_capacities(b, 10, 10);
    (void)submit(b, CZ_KIND_POREP, 'A', 8, 0);
    make_witnesses(b);
    set_times(b, 1000000, 1000000);
    b->e->workers[b->e->n_synthesis + 1].backend = &b->e->backends[0];
    assert_int_equal(would_take(b, 0, now), 8);
    b->e->workers[b->e->n_synthesis + 1].backend = &b->e->backends[1];
    run_all(b);
}

/* Memory for two witnesses bounds what is made ahead for a batch of ten. */
static void memory_bounds_what_is_made_ahead(void **state)
{
    bench *b = *state;

    limit_memory(b, 100 + 10 + 2 * 20);
    b->device[0].capacity = 10;
    b->device[1].capacity = 0;
    (void)submit(b, CZ_KIND_POREP, 'A', 4, 0);
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:"), 2);
    run_all(b);
    toy_expect(b->e, b->last_id, 'A', 4);
    assert_int_equal(b->device[0].largest, 2);
}

/* Jobs of one circuit and priority go together, a more urgent one alone and first. */
static void batches_are_of_one_circuit_and_priority(void **state)
{
    bench *b = *state;

    b->device[0].capacity = 10;
    b->device[1].capacity = 0;
    (void)submit(b, CZ_KIND_POREP, 'A', 2, CZ_PRIORITY_NORMAL);
    (void)submit(b, CZ_KIND_POREP, 'B', 1, CZ_PRIORITY_NORMAL);
    (void)submit(b, CZ_KIND_SNAP, 'C', 1, CZ_PRIORITY_NORMAL);
    make_witnesses(b);
    (void)submit(b, CZ_KIND_POREP, 'D', 1, CZ_PRIORITY_CRITICAL);
    make_witnesses(b);
    assert_true(prove(b, 0));
    assert_non_null(strstr(b->t.log, "p:D0"));
    assert_int_equal(count(&b->t, "p:"), 1);
    assert_true(prove(b, 0));
    assert_non_null(strstr(b->t.log, "p:D0 p:A0 p:A1 p:B0"));
    assert_null(strstr(b->t.log, "p:C0"));
    run_all(b);
    assert_non_null(strstr(b->t.log, "p:C0"));
}

/* It would have to load them, which takes long. */
static void a_job_stays_with_the_device_that_has_its_keys(void **state)
{
    bench *b = *state;
    const uint64_t now = cz_clock_ns();

    (void)strcpy(b->device[0].lacks, "porep-2048");
    b->e->workers[1].idle_ns = now; /* has just proved something */
    (void)submit(b, CZ_KIND_POREP, 'A', 1, 0);
    (void)submit(b, CZ_KIND_SNAP, 'B', 1, 0);
    make_witnesses(b);
    assert_true(prove(b, 0));
    assert_non_null(strstr(b->t.log, "p:B0"));
    assert_false(prove(b, 0));
    assert_true(prove(b, 1));
    assert_non_null(strstr(b->t.log, "p:A0"));

    (void)submit(b, CZ_KIND_POREP, 'C', 1, 0); /* but not for ever */
    make_witnesses(b);
    assert_false(prove(b, 0));
    b->e->workers[1].idle_ns = now - (uint64_t)60 * 1000000000;
    assert_false(prove(b, 0)); /* who has them is free and takes it at once */
    make_busy(b, 1, b->e->live, 1, now);
    assert_true(prove(b, 0));

    b->e->workers[1].idle_ns = now;
    (void)submit(b, CZ_KIND_POREP, 'D', 1, CZ_PRIORITY_CRITICAL); /* nor when it is urgent */
    make_witnesses(b);
    make_busy(b, 1, NULL, 0, 0);
    assert_false(prove(b, 0));
    make_busy(b, 1, b->e->live, 1, now);
    assert_true(prove(b, 0));
    make_busy(b, 1, NULL, 0, 0);

    b->e->workers[1].idle_ns = now;
    b->device[1].capacity = 0; /* nor where nobody else has them */
    (void)submit(b, CZ_KIND_POREP, 'E', 1, 0);
    make_witnesses(b);
    assert_true(prove(b, 0));
    run_all(b);
}

/* The witness goes over as it is. */
static void a_lost_device_leaves_its_partition_to_the_other(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 1, 0);
    make_witnesses(b);
    b->device[0].fails = CZ_E_NODEV;
    assert_true(prove(b, 0));
    assert_false(prove(b, 0));
    assert_false(prove(b, SPARE));
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(b->device[1].calls, 1);
    assert_int_equal(b->device[SPARE].calls, 0);
    assert_int_equal(count(&b->t, "s:"), 1);
    assert_int_equal(b->e->counters.retries[CZ_KIND_POREP], 0);
}

/* With all that a proof on the host takes: here it is there at once. */
static void what_no_device_takes_is_the_spares(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 3, 0);
    make_witnesses(b);
    b->device[0].fails = b->device[1].fails = CZ_E_DECLINED;
    assert_true(prove(b, 0));
    assert_true(prove(b, 1));
    run_all(b);
    toy_expect(b->e, id, 'A', 3);
    assert_int_equal(b->device[0].calls + b->device[1].calls, 2);
    assert_int_equal(b->device[SPARE].calls, 3);
    assert_int_equal(count(&b->t, "s:"), 3);
    assert_true(b->e->budget.peak >= 600);
    assert_int_equal(b->e->budget.used, 100); /* the keys */
}

/* Room for one proof on the host, not beside a witness: that one is made again when there is. */
static void the_spare_waits_for_its_memory(void **state)
{
    bench *b = *state;
    const char *id;

    limit_memory(b, 100 + 10 + 500);
    id = submit(b, CZ_KIND_POREP, 'A', 2, 0);
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:"), 2);
    b->device[0].capacity = b->device[1].capacity = 0;
    run_all(b);
    toy_expect(b->e, id, 'A', 2);
    assert_int_equal(b->device[SPARE].calls, 2);
    assert_true(count(&b->t, "s:") > 2);
    assert_true(b->e->budget.peak <= 610);
}

static void a_host_too_small_for_what_devices_left_says_so(void **state)
{
    bench *b = *state;
    const char *id;

    limit_memory(b, 300);
    id = submit(b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    b->device[0].capacity = b->device[1].capacity = 0;
    id = submit(b, CZ_KIND_POREP, 'B', 1, 0);
    run_all(b);
    toy_expect_end(b->e, id, CZ_JOB_FAILED, "of memory for one partition");
}

/* Its own request is in that memory, too: it does not wait for what can never come free. */
static void a_host_too_small_for_the_job_beside_says_so(void **state)
{
    bench *b = *state;
    const char *id;

    limit_memory(b, 100 + 500 + 5 - 1);
    b->device[0].capacity = b->device[1].capacity = 0;
    id = submit(b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b);
    toy_expect_end(b->e, id, CZ_JOB_FAILED, "of memory for one partition");
    limit_memory(b, 100 + 500 + 5);
    id = submit(b, CZ_KIND_POREP, 'B', 1, 0);
    run_all(b);
    toy_expect(b->e, id, 'B', 1);
}

/* No device keeps a partition for ever: made once more after one failure, on the host after two. */
static void failing_devices_end_on_the_spare(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 1, 0);
    for (unsigned i = 0; i < DEVICES; i++) {
        make_witnesses(b);
        b->device[i].fails = CZ_E_CUDA;
        assert_true(prove(b, i));
    }
    make_witnesses(b);
    assert_false(prove(b, 0));
    assert_false(prove(b, 1));
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(b->device[SPARE].calls, 1);
    assert_int_equal(b->e->counters.retries[CZ_KIND_POREP], 2);
}

/* Not the same one again, which may have to be given up for it; nor the host, for which it may be
 * too large. */
static void what_a_device_lost_the_other_one_makes(void **state)
{
    bench *b = *state;
    const char *id;

    limit_memory(b, 400);
    set_capacities(b, 4, 4);
    id = submit(b, CZ_KIND_POREP, 'A', 4, 0);
    make_witnesses(b);
    b->device[1].fails = CZ_E_CUDA;
    assert_true(prove(b, 1)); /* two of them */
    make_witnesses(b);
    assert_true(prove(b, 0));
    assert_false(prove(b, 1));
    run_all(b);
    toy_expect(b->e, id, 'A', 4);
    assert_int_equal(b->device[1].calls, 1);
    assert_int_equal(b->device[SPARE].calls, 0);
    assert_int_equal(b->e->counters.retries[CZ_KIND_POREP], 2);
}

/* As the watchdog sees it. */
static void make_stalled(bench *b, unsigned device, const cz_ejob *job)
{
    make_busy(b, device, job, 1, cz_clock_ns());
    b->e->workers[b->e->n_synthesis + device].stalled = true;
}

/* That would be for ever. */
static void what_a_device_lost_does_not_wait_for_one_that_hangs(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 1, 0);

    make_witnesses(b);
    b->device[0].fails = CZ_E_CUDA;
    assert_true(prove(b, 0));
    make_witnesses(b);
    make_busy(b, 1, b->e->live, 1, cz_clock_ns());
    assert_false(prove(b, 0)); /* soon done */
    make_stalled(b, 1, b->e->live);
    assert_true(prove(b, 0));
    while (finish(b))
        ;
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(b->device[0].calls, 2);
    make_busy(b, 1, NULL, 0, 0);
}

/* The only one has it once more. */
static void what_the_only_device_lost_it_makes_again(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 1, 0);

    b->device[1].capacity = 0;
    make_witnesses(b);
    b->device[0].fails = CZ_E_CUDA;
    assert_true(prove(b, 0));
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(b->device[0].calls, 2);
    assert_int_equal(b->device[SPARE].calls, 0);
}

/* It may do so at any time, also between a choice and what is made of it: the books stay right. */
static void a_device_that_is_given_up_meanwhile_leaves_the_books_in_order(void **state)
{
    bench *b = *state;

    for (unsigned n = 0; n < 40; n++) {
        limit_memory(b, 100 + 10 + 300); /* less than the host takes */
        b->device[1].capacity = 0;
        b->device[0].capacity = 1;
        b->device[0].fades = true;
        b->device[0].answers = n;
        (void)submit(b, CZ_KIND_POREP, (char)('A' + n), 2, 0);
        run_all(b);
        run_all(b); /* as after a second, when the clerk rouses who sleeps */
        assert_int_equal(b->e->n_live, 0);
        assert_true(b->e->budget.used <= 100); /* keys */
        assert_true(b->e->budget.peak <= b->e->budget.total);
    }
}

/* When it is back, so are the partitions that could not be made for the host meanwhile. */
static void a_device_that_comes_back_has_its_partitions_again(void **state)
{
    bench *b = *state;

    for (unsigned n = 0; n < 26; n++) {
        const cz_epart *part;

        limit_memory(b, 100 + 500 + 2 * 5);
        b->device[1].capacity = 0;
        b->device[0].capacity = 2;
        (void)submit(b, CZ_KIND_POREP, (char)('A' + n), 1, 0);
        make_witnesses(b);
        (void)submit(b, CZ_KIND_POREP, (char)('a' + n), 1, 0);
        assert_true(synthesize(b)); /* opens */
        b->device[0].fades = true;
        b->device[0].answers = n;
        (void)synthesize(b);
        b->device[0].fades = false;
        b->device[0].capacity = 2;
        part = &b->e->live->next->parts[0];
        assert_true(part->state != PART_PENDING || !part->with_values);
        run_all(b);
        assert_int_equal(b->e->n_live, 0);
    }
}

/* Its witness is not made again: to the other device at once, then to the host. */
static void a_winning_post_loses_no_time(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_WINNING, 'A', 1, 0);
    make_witnesses(b);
    b->device[0].fails = b->device[1].fails = CZ_E_CUDA;
    assert_true(prove(b, 0));
    assert_false(prove(b, 0));
    assert_true(prove(b, 1));
    assert_false(prove(b, 0));
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(b->device[SPARE].calls, 1);
    assert_int_equal(count(&b->t, "s:"), 1);
    assert_int_equal(b->e->counters.retries[CZ_KIND_WINNING], 0);
}

/* First its own making, then the host's; a device may prove it still, in the host's memory. */
static void a_witness_that_a_device_does_not_make_the_host_makes(void **state)
{
    bench *b = *state;
    const char *id;

    b->t.devices_fill = true;
    id = submit(b, CZ_KIND_WINDOW, 'A', 1, 0);
    make_witnesses(b);
    b->device[0].fails = CZ_E_DECLINED;
    b->device[0].keeps_capacity = true;
    assert_true(prove(b, 0));
    assert_int_equal(count(&b->t, "s:"), 1);
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(count(&b->t, "s:"), 2);
    assert_int_equal(b->device[0].calls, 2);
    assert_int_equal(b->device[SPARE].calls, 0);
    assert_true(b->e->budget.peak >= 600);
}

/* What only a device could fill is made again for the host. */
static void the_spare_gets_a_witness_with_values(void **state)
{
    bench *b = *state;
    const char *id;

    b->t.devices_fill = true;
    id = submit(b, CZ_KIND_WINDOW, 'A', 1, 0);
    make_witnesses(b);
    b->device[0].capacity = b->device[1].capacity = 0;
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(count(&b->t, "s:"), 2);
    assert_int_equal(b->device[SPARE].calls, 1);
}

static void a_cancelled_job_takes_its_returned_partition_along(void **state)
{
    bench *b = *state;
    bool was_running;

    (void)submit(b, CZ_KIND_POREP, 'A', 2, 0);
    make_witnesses(b);
    b->device[0].fails = CZ_E_DECLINED;
    assert_true(prove(b, 0));
    assert_ok(cz_engine_cancel(b->e, b->last_id, &was_running));
    assert_true(was_running);
    run_all(b);
    assert_int_equal(b->device[1].calls, 0);
    assert_int_equal(b->e->budget.used, 100);
}

/* --- proofs that are none --- */

static void verify_all(bench *b)
{
    while (finish(b))
        ;
}

static void a_refuted_proof_is_made_by_another_device(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 1, 0);

    make_witnesses(b);
    b->device[0].wrong = 1;
    assert_true(prove(b, 0));
    verify_all(b);
    make_witnesses(b);
    assert_false(prove(b, 0));
    assert_false(prove(b, SPARE));
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(b->device[1].calls, 1);
    assert_int_equal(b->device[0].good, 0);
    assert_int_equal(b->device[0].bad, 1);
    assert_int_equal(b->device[1].good, 1);
    assert_int_equal(b->e->counters.self_check_failures[CZ_KIND_POREP], 1);
}

/* Who has the keys may not make it, and the other one never rests. What the former may prove, stays
 * with him. */
static void a_refuted_proof_does_not_wait_for_who_has_the_keys(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 2, 0);

    (void)strcpy(b->device[1].lacks, "porep-2048");
    make_witnesses(b);
    b->device[0].wrong = 1;
    assert_true(prove(b, 0));
    verify_all(b);
    make_witnesses(b);
    b->e->workers[b->e->n_synthesis + 1].idle_ns = cz_clock_ns(); /* has just proved something */
    assert_true(prove(b, 1));
    assert_int_equal(count(&b->t, "p:A0"), 2);
    assert_false(prove(b, 1));
    assert_true(prove(b, 0));
    assert_int_equal(count(&b->t, "p:A1"), 1);
    run_all(b);
    toy_expect(b->e, id, 'A', 2);
}

/* With values, in the memory of a proof on the host. */
static void a_refuted_proof_of_the_only_device_is_made_by_the_spare(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_WINDOW, 'A', 1, 0);

    b->t.devices_fill = true;
    b->device[1].capacity = 0;
    b->device[0].wrong = 1;
    run_all(b);
    toy_expect(b->e, id, 'A', 1);
    assert_int_equal(b->device[0].calls, 1);
    assert_int_equal(b->device[SPARE].calls, 1);
    assert_int_equal(b->device[0].bad, 1);
    assert_int_equal(b->device[SPARE].good, 1);
    assert_true(b->e->budget.peak >= 600);
}

/* The request may be to blame. */
static void a_proof_that_is_good_nowhere_condemns_no_device(void **state)
{
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 1, 0);

    for (unsigned i = 0; i < DEVICES; i++)
        b->device[i].wrong = 1;
    run_all(b);
    toy_expect_end(b->e, id, CZ_JOB_FAILED, "self-check failed twice");
    assert_int_equal(b->device[0].calls + b->device[1].calls, 2);
    for (unsigned i = 0; i < BACKENDS; i++)
        assert_int_equal(b->device[i].good + b->device[i].bad, 0);
}

static cz_err verify_excusing(void *ctx, const cz_work *work, const cz_keys *keys, size_t k,
                              const uint8_t proof[CZ_PART_PROOF_BYTES], cz_trace *trace)
{
    return toy_verify(ctx, work, keys, k, proof, trace) == CZ_OK ? CZ_OK : CZ_E_INPUT;
}

/* That proof's device is not told; that of the next wrong one is. */
static void wrong_parameters_condemn_no_device(void **state)
{
    static cz_prover_ops excusing;
    bench *b = *state;
    const char *id = submit(b, CZ_KIND_POREP, 'A', 1, 0);

    excusing = toy_ops;
    excusing.verify = verify_excusing;
    for (unsigned i = 0; i < 2; i++) {
        b->e->o.prover.ops = i == 0 ? &excusing : &toy_ops;
        make_witnesses(b);
        b->device[0].wrong = 1;
        assert_true(prove(b, 0));
        run_all(b);
        toy_expect(b->e, id, (char)('A' + i), 1);
        assert_int_equal(b->device[0].bad, i);
        assert_int_equal(b->device[1].good, i + 1);
        if (i == 0)
            id = submit(b, CZ_KIND_POREP, 'B', 1, 0);
    }
    assert_int_equal(b->e->counters.self_check_failures[CZ_KIND_POREP], 2);
}

/* --- look-ahead and memory --- */

/* And the reverse. */
static void what_waits_for_the_spare_does_not_hold_up_devices(void **state)
{
    bench *b = *state;

    for (unsigned i = 0; i < DEVICES; i++)
        (void)strcpy(b->device[i].declines, "snap-2048");
    (void)submit(b, CZ_KIND_SNAP, 'A', 3, 0);
    (void)submit(b, CZ_KIND_POREP, 'B', 4, 0);
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:A"), 1);
    assert_int_equal(count(&b->t, "s:B"), 2);
    assert_true(prove(b, SPARE));
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:A"), 2);
    assert_int_equal(count(&b->t, "s:B"), 2);
    run_all(b);
    assert_int_equal(b->device[SPARE].calls, 3);
}

static void without_look_ahead_the_spare_does_not_hold_up_devices(void **state)
{
    bench *b = *state;

    b->e->o.pipelined = false;
    for (unsigned i = 0; i < DEVICES; i++)
        (void)strcpy(b->device[i].declines, "snap-2048");
    (void)submit(b, CZ_KIND_SNAP, 'A', 3, 0);
    (void)submit(b, CZ_KIND_POREP, 'B', 4, 0);
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:A"), 1);
    assert_int_equal(count(&b->t, "s:B"), 2);
    run_all(b);
}

/* As a synthesis worker does, that finds something to do just then. */
static void look_while_dropping(void *ctx, cz_witness *witness)
{
    bench *b = ctx;

    toy_witness_drop(&b->t, witness);
    (void)pthread_mutex_lock(&b->e->lock);
    (void)cz_schedule_synthesis(b->e, cz_clock_ns());
    (void)pthread_mutex_unlock(&b->e->lock);
    b->drops++;
}

/* No backend has had the partition yet. */
static void without_look_ahead_a_witness_is_given_up(void **state)
{
    bench *b = *state;
    const char *id;

    b->ops = toy_ops;
    b->ops.witness_drop = look_while_dropping;
    b->e->o.prover.ops = &b->ops;
    b->e->o.pipelined = false;
    b->t.devices_fill = true;
    id = submit(b, CZ_KIND_WINDOW, 'A', 3, 0);
    make_witnesses(b);
    assert_int_equal(count(&b->t, "s:"), 2);
    b->device[0].capacity = b->device[1].capacity = 0;
    assert_true(prove(b, SPARE));
    assert_int_equal(b->drops, 1);
    assert_int_equal(b->device[SPARE].calls, 0);
    run_all(b);
    toy_expect(b->e, id, 'A', 3);
}

/* What the prover keeps for its next witnesses is in the budget, and goes when it is needed. */
static void idle_memory_is_counted_and_given_back(void **state)
{
    bench *b = *state;
    cz_engine_status *s;

    limit_memory(b, 100 + 10 + 2 * 20);
    b->t.idle_each = 20;
    b->device[0].capacity = 2;
    b->device[1].capacity = 0;
    (void)submit(b, CZ_KIND_POREP, 'A', 4, 0);
    make_witnesses(b);
    assert_true(prove(b, 0));
    assert_int_equal(b->t.idle, 40);
    make_witnesses(b);
    assert_int_equal(b->t.trims, 1);
    assert_int_equal(count(&b->t, "s:"), 4);
    run_all(b);
    toy_expect(b->e, b->last_id, 'A', 4);
    assert_int_equal(b->t.idle, 40);
    assert_ok(cz_engine_status_create(&s, b->e));
    assert_int_equal(s->memory_used, 100 + 40);
    assert_true(s->memory_peak <= 150);
    cz_engine_status_destroy(s);
    (void)submit(b, CZ_KIND_SNAP, 'B', 1, 0); /* keys need it, too */
    run_all(b);
    toy_expect(b->e, b->last_id, 'B', 1);
    assert_int_equal(b->t.trims, 2);
}

/* As others do meanwhile: nobody does it twice, or goes round and round. */
static void trim_and_look(void *ctx)
{
    bench *b = ctx;

    assert_false(load(b));
    assert_false(synthesize(b));
    toy_trim(&b->t);
}

/* Who waits for idle memory gives it back: the loader may be busy for long. */
static void idle_memory_waits_for_no_loader(void **state)
{
    bench *b = *state;

    limit_memory(b, 100 + 10 + 2 * 20);
    b->ops = toy_ops;
    b->ops.trim = trim_and_look;
    b->e->o.prover.ops = &b->ops;
    b->t.idle_each = 20;
    b->device[0].capacity = 2;
    b->device[1].capacity = 0;
    (void)submit(b, CZ_KIND_POREP, 'A', 4, 0);
    make_witnesses(b);
    assert_true(prove(b, 0));
    assert_int_equal(b->t.idle, 40);
    assert_true(synthesize(b));
    assert_int_equal(b->t.trims, 1);
    assert_true(synthesize(b));
    assert_true(synthesize(b));
    assert_int_equal(count(&b->t, "s:"), 4);
    run_all(b);
    toy_expect(b->e, b->last_id, 'A', 4);
}

/* A partition that will take idle memory waits neither for it nor beside it. */
static void idle_memory_is_there_for_the_next_partition(void **state)
{
    bench *b = *state;

    limit_memory(b, 100 + 10 + 2 * 20);
    b->t.idle_each = 15; /* of the 20 */
    b->t.reuses = true;
    b->device[0].capacity = 2;
    b->device[1].capacity = 0;
    (void)submit(b, CZ_KIND_POREP, 'A', 6, 0);
    for (unsigned i = 1; i <= 3; i++) {
        make_witnesses(b);
        assert_int_equal(count(&b->t, "s:"), 2 * i);
        assert_true(prove(b, 0));
        assert_int_equal(b->t.idle, 30);
    }
    run_all(b);
    toy_expect(b->e, b->last_id, 'A', 6);
    assert_int_equal(b->t.trims, 0);
    assert_int_equal(b->device[0].largest, 2);
    assert_int_equal(b->e->claimed, 0);
    assert_true(b->e->budget.peak <= 150);
}

/* As another worker does while a partition is made: what that claims is not idle, nor the other's
 * to take, nor a reason to give it back. */
static cz_err look_while_making(void *ctx, const cz_work *work, size_t k, bool with_values,
                                cz_witness **out, cz_trace *trace)
{
    bench *b = ctx;
    cz_action action = {ACT_NONE, NULL, NULL};
    uint64_t claimed, idle;
    bool trims;

    (void)pthread_mutex_lock(&b->e->lock);
    if (k > 0)
        action = cz_schedule_synthesis(b->e, cz_clock_ns());
    claimed = b->e->claimed;
    idle = b->e->budget.idle;
    trims = b->e->trim_wanted;
    (void)pthread_mutex_unlock(&b->e->lock);
    assert_int_equal(action.what, ACT_NONE);
    assert_int_equal(claimed, k > 0 ? 15 : 0);
    assert_int_equal(idle, 0);
    assert_false(trims);
    return toy_synthesize(&b->t, work, k, with_values, out, trace);
}

static void idle_memory_is_claimed_once(void **state)
{
    bench *b = *state;

    limit_memory(b, 100 + 10 + 25);
    b->ops = toy_ops;
    b->ops.synthesize = look_while_making;
    b->e->o.prover.ops = &b->ops;
    b->t.idle_each = 15;
    b->t.reuses = true;
    b->device[0].capacity = 3;
    b->device[1].capacity = 0;
    (void)submit(b, CZ_KIND_POREP, 'A', 4, 0);
    run_all(b);
    toy_expect(b->e, b->last_id, 'A', 4);
    assert_int_equal(b->t.trims, 0);
    assert_int_equal(b->e->claimed, 0);
}

/* Both would not fit: the second finds no block of its circuit left. */
static cz_err look_for_a_second(void *ctx, const cz_work *work, size_t k, bool with_values,
                                cz_witness **out, cz_trace *trace)
{
    bench *b = ctx;
    cz_action action;

    (void)pthread_mutex_lock(&b->e->lock);
    action = cz_schedule_synthesis(b->e, cz_clock_ns());
    (void)pthread_mutex_unlock(&b->e->lock);
    assert_int_equal(action.what, ACT_NONE);
    return toy_synthesize(&b->t, work, k, with_values, out, trace);
}

static void idle_memory_of_other_circuits_is_not_claimed(void **state)
{
    bench *b = *state;

    b->ops = toy_ops;
    b->e->o.prover.ops = &b->ops;
    b->t.idle_each = 15;
    b->t.reuses = true;
    b->device[0].capacity = 2;
    b->device[1].capacity = 0;
    (void)submit(b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b);
    assert_int_equal(b->t.idle, 15);
    b->t.idle_other = 15;
    limit_memory(b, 100 + 5 + 2 * 20 + 5);
    b->ops.synthesize = look_for_a_second;
    (void)submit(b, CZ_KIND_POREP, 'B', 2, 0);
    run_all(b);
    toy_expect(b->e, b->last_id, 'B', 2);
    assert_int_equal(b->t.trims, 1);
    assert_int_equal(b->e->claimed, 0);
}

static void backends_that_give_up_need_a_spare_one(void **state)
{
    bench *b = *state;
    cz_engine_options o;
    cz_engine *e;

    o = toy_options(&b->t, b->backends);
    o.n_backends = DEVICES;
    assert_fails(cz_engine_create(&e, &o), CZ_E_ARG, "backends");
    b->backends[SPARE].batch = 2;
    o.n_backends = BACKENDS;
    assert_fails(cz_engine_create(&e, &o), CZ_E_ARG, "cpu");
}

/* A device that failed its self-test has no workers; it is shown. */
static void a_device_without_workers_is_only_shown(void **state)
{
    bench *b = *state;
    cz_engine_options o;
    cz_engine_status *s;
    cz_engine *e;

    o = toy_options(&b->t, b->backends);
    o.n_backends = BACKENDS;
    b->backends[1].workers = 0;
    assert_ok(cz_engine_create(&e, &o));
    assert_ok(cz_engine_status_create(&s, e));
    assert_int_equal(s->n_devices, BACKENDS);
    assert_int_equal(s->n_workers, 3);
    assert_true(s->devices[SPARE].spare);
    assert_true(s->workers[2].spare);
    assert_string_equal(cz_engine_only_backend(e), "toy");
    cz_engine_status_destroy(s);
    cz_engine_destroy(e);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(devices_share_a_job_and_the_spare_rests, begin, end),
    cmocka_unit_test_setup_teardown(witnesses_are_made_ahead_of_batches, begin, end),
    cmocka_unit_test_setup_teardown(free_devices_take_half_of_a_sector_each, begin, end),
    cmocka_unit_test_setup_teardown(two_devices_halve_the_time_of_a_sector, begin, end),
    cmocka_unit_test_setup_teardown(a_device_leaves_to_another_what_that_is_free_for, begin, end),
    cmocka_unit_test_setup_teardown(a_full_queue_fills_batches, begin, end),
    cmocka_unit_test_setup_teardown(who_has_not_the_keys_is_dealt_nothing, begin, end),
    cmocka_unit_test_setup_teardown(workers_of_one_device_are_no_two_devices, begin, end),
    cmocka_unit_test_setup_teardown(memory_bounds_what_is_made_ahead, begin, end),
    cmocka_unit_test_setup_teardown(batches_are_of_one_circuit_and_priority, begin, end),
    cmocka_unit_test_setup_teardown(a_job_stays_with_the_device_that_has_its_keys, begin, end),
    cmocka_unit_test_setup_teardown(a_lost_device_leaves_its_partition_to_the_other, begin, end),
    cmocka_unit_test_setup_teardown(what_no_device_takes_is_the_spares, begin, end),
    cmocka_unit_test_setup_teardown(the_spare_waits_for_its_memory, begin, end),
    cmocka_unit_test_setup_teardown(a_host_too_small_for_what_devices_left_says_so, begin, end),
    cmocka_unit_test_setup_teardown(a_host_too_small_for_the_job_beside_says_so, begin, end),
    cmocka_unit_test_setup_teardown(failing_devices_end_on_the_spare, begin, end),
    cmocka_unit_test_setup_teardown(what_a_device_lost_the_other_one_makes, begin, end),
    cmocka_unit_test_setup_teardown(what_a_device_lost_does_not_wait_for_one_that_hangs, begin,
                                    end),
    cmocka_unit_test_setup_teardown(what_the_only_device_lost_it_makes_again, begin, end),
    cmocka_unit_test_setup_teardown(a_device_that_is_given_up_meanwhile_leaves_the_books_in_order,
                                    begin, end),
    cmocka_unit_test_setup_teardown(a_device_that_comes_back_has_its_partitions_again, begin, end),
    cmocka_unit_test_setup_teardown(a_winning_post_loses_no_time, begin, end),
    cmocka_unit_test_setup_teardown(a_witness_that_a_device_does_not_make_the_host_makes, begin,
                                    end),
    cmocka_unit_test_setup_teardown(the_spare_gets_a_witness_with_values, begin, end),
    cmocka_unit_test_setup_teardown(a_cancelled_job_takes_its_returned_partition_along, begin, end),
    cmocka_unit_test_setup_teardown(a_refuted_proof_is_made_by_another_device, begin, end),
    cmocka_unit_test_setup_teardown(a_refuted_proof_does_not_wait_for_who_has_the_keys, begin, end),
    cmocka_unit_test_setup_teardown(a_refuted_proof_of_the_only_device_is_made_by_the_spare, begin,
                                    end),
    cmocka_unit_test_setup_teardown(a_proof_that_is_good_nowhere_condemns_no_device, begin, end),
    cmocka_unit_test_setup_teardown(wrong_parameters_condemn_no_device, begin, end),
    cmocka_unit_test_setup_teardown(what_waits_for_the_spare_does_not_hold_up_devices, begin, end),
    cmocka_unit_test_setup_teardown(without_look_ahead_the_spare_does_not_hold_up_devices, begin,
                                    end),
    cmocka_unit_test_setup_teardown(without_look_ahead_a_witness_is_given_up, begin, end),
    cmocka_unit_test_setup_teardown(idle_memory_is_counted_and_given_back, begin, end),
    cmocka_unit_test_setup_teardown(idle_memory_waits_for_no_loader, begin, end),
    cmocka_unit_test_setup_teardown(idle_memory_is_there_for_the_next_partition, begin, end),
    cmocka_unit_test_setup_teardown(idle_memory_is_claimed_once, begin, end),
    cmocka_unit_test_setup_teardown(idle_memory_of_other_circuits_is_not_claimed, begin, end),
    cmocka_unit_test_setup_teardown(backends_that_give_up_need_a_spare_one, begin, end),
    cmocka_unit_test_setup_teardown(a_device_without_workers_is_only_shown, begin, end),
};

CZ_TEST_MAIN(cases)
