/* Order, back-pressure, memory: the engine without threads, one step at a time. */
#include "toy_prover.h"

typedef struct {
    toy t;
    cz_backend backend;
    cz_engine *e;
} bench;

static void set_up(bench *b, const cz_engine_options *o)
{
    assert_ok(cz_engine_create(&b->e, o));
}

static void tear_down(bench *b)
{
    cz_engine_destroy(b->e);
    toy_assert_clean(&b->t);
    toy_clear(&b->t);
}

static void begin(bench *b)
{
    toy_init(&b->t);
    b->backend = toy_backend(&b->t);
}

static bool step_synthesis(cz_engine *e)
{
    bool done;

    (void)pthread_mutex_lock(&e->lock);
    done = cz_step_synthesis(e, &e->workers[0]);
    (void)pthread_mutex_unlock(&e->lock);
    return done;
}

static bool step_proving(cz_engine *e)
{
    bool done;

    (void)pthread_mutex_lock(&e->lock);
    done = cz_step_proving(e, &e->workers[e->n_synthesis]);
    (void)pthread_mutex_unlock(&e->lock);
    return done;
}

static bool step(cz_engine *e, bool (*what)(cz_engine *))
{
    bool done;

    (void)pthread_mutex_lock(&e->lock);
    done = what(e);
    (void)pthread_mutex_unlock(&e->lock);
    return done;
}

static void run_loader(cz_engine *e)
{
    while (step(e, cz_step_loader))
        ;
}

/* Until nothing is left to do. A look at what to synthesise may order an eviction, so the loader is
 * asked after it. */
static void run_all(cz_engine *e)
{
    bool more;

    do {
        more = step_synthesis(e);
        more = step(e, cz_step_loader) || more;
        more = step_synthesis(e) || more;
        more = step_proving(e) || more;
        more = step(e, cz_step_finisher) || more;
    } while (more);
}

static void submit(bench *b, cz_proof_kind kind, char tag, unsigned parts, unsigned priority)
{
    cz_submit_reply reply;

    (void)toy_submit(b->e, toy_request("r", kind, tag, parts, priority), &reply);
}

/* The items of the log that begin with `what`, as "A0 A1 …". */
static void assert_order(const bench *b, const char *what, const char *wanted)
{
    char log[TOY_LOG_BYTES], found[TOY_LOG_BYTES] = "";

    (void)strcpy(log, b->t.log);
    for (char *item = strtok(log, " "); item != NULL; item = strtok(NULL, " "))
        if (item[0] == what[0]) {
            (void)strcat(found, item + 2);
            (void)strcat(found, " ");
        }
    assert_string_equal(found, wanted);
}

/* --- order --- */

static void jobs_go_one_after_another(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 3, 0);
    submit(&b, CZ_KIND_POREP, 'B', 2, 0);
    run_all(b.e);
    assert_order(&b, "s", "A0 A1 A2 B0 B1 ");
    assert_order(&b, "p", "A0 A1 A2 B0 B1 ");
    assert_int_equal(b.e->n_live, 0);
    assert_int_equal(b.e->budget.used, 100); /* the keys stay hot */
    tear_down(&b);
}

static void priorities_go_first_and_the_old_within_them(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'L', 1, CZ_PRIORITY_LOW);
    submit(&b, CZ_KIND_POREP, 'N', 1, 0);
    submit(&b, CZ_KIND_WINDOW, 'H', 1, 0);
    submit(&b, CZ_KIND_WINNING, 'C', 1, 0);
    submit(&b, CZ_KIND_SNAP, 'M', 1, 0);
    submit(&b, CZ_KIND_POREP, 'X', 1, 77); /* unknown: normal */
    run_loader(b.e);
    run_all(b.e);
    assert_order(&b, "p", "C0 H0 N0 M0 X0 L0 ");
    tear_down(&b);
}

/* Every ordered pair of kinds: what arrives while a first partition is on the device goes next
 * exactly when it is more urgent. */
static void every_pair_of_kinds(void **state)
{
    (void)state;
    for (unsigned running = CZ_KIND_POREP; running <= CZ_KIND_WINNING; running++)
        for (unsigned arriving = CZ_KIND_POREP; arriving <= CZ_KIND_WINNING; arriving++) {
            static const unsigned urgency[] = {0, 2, 2, 3, 4};
            cz_engine_options o;
            bench b;

            begin(&b);
            o = toy_options(&b.t, &b.backend);
            set_up(&b, &o);
            submit(&b, (cz_proof_kind)running, 'R', 4, 0);
            run_loader(b.e);
            (void)step_synthesis(b.e); /* open */
            (void)step_synthesis(b.e); /* R0 */
            run_loader(b.e);
            (void)step_proving(b.e);   /* R0 on the device */
            (void)step_synthesis(b.e); /* R1 waits for it */
            submit(&b, (cz_proof_kind)arriving, 'A', 1, 0);
            run_loader(b.e);
            while (step_synthesis(b.e))
                run_loader(b.e);
            run_all(b.e);
            assert_order(&b, "p",
                         urgency[arriving] > urgency[running] ? "R0 A0 R1 R2 R3 "
                                                              : "R0 R1 R2 R3 A0 ");
            tear_down(&b);
        }
}

static void raising_a_priority_moves_the_job(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    submit(&b, CZ_KIND_POREP, 'B', 1, CZ_PRIORITY_LOW);
    submit(&b, CZ_KIND_POREP, 'B', 1, CZ_PRIORITY_HIGH);
    assert_int_equal(b.e->n_live, 2);
    run_all(b.e);
    assert_order(&b, "p", "B0 A0 ");
    assert_int_equal(b.e->counters.joined[CZ_KIND_POREP], 1);
    tear_down(&b);
}

/* --- back-pressure --- */

static void witnesses_do_not_pile_up(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.lookahead = 3;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 10, 0);
    run_loader(b.e);
    while (step_synthesis(b.e))
        run_loader(b.e);
    assert_order(&b, "s", "A0 A1 A2 ");
    assert_int_equal(b.t.witnesses, 3);
    assert_string_equal(b.e->waits_for, "provers");
    (void)step_proving(b.e);
    assert_true(step_synthesis(b.e));
    assert_false(step_synthesis(b.e));
    assert_order(&b, "s", "A0 A1 A2 A3 ");
    run_all(b.e);
    assert_int_equal(b.t.peak_witnesses, 3);
    tear_down(&b);
}

/* One job is opened ahead, not the whole queue: opened requests are large. */
static void the_queue_is_not_opened_ahead(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    for (unsigned i = 0; i < 5; i++)
        submit(&b, CZ_KIND_POREP, (char)('A' + i), 2, 0);
    run_loader(b.e);
    while (step_synthesis(b.e))
        run_loader(b.e);
    assert_order(&b, "o", "A2 B2 ");
    assert_int_equal(b.t.works, 2);
    run_all(b.e);
    tear_down(&b);
}

static void without_pipeline_a_witness_waits_for_a_free_prover(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.pipelined = false;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 5, 0);
    run_loader(b.e);
    while (step_synthesis(b.e))
        run_loader(b.e);
    assert_order(&b, "s", "A0 ");
    run_all(b.e);
    assert_int_equal(b.t.peak_witnesses, 1);
    tear_down(&b);
}

static void a_device_takes_a_batch_of_one_circuit(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    b.backend.batch = 4;
    o = toy_options(&b.t, &b.backend);
    o.lookahead = 8;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 3, 0);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    submit(&b, CZ_KIND_POREP, 'B', 3, 0);
    run_loader(b.e);
    while (step_synthesis(b.e))
        run_loader(b.e);
    assert_true(step_proving(b.e));
    assert_order(&b, "p", "A0 A1 A2 B0 ");
    run_all(b.e);
    assert_int_equal(b.t.max_batch_seen, 4);
    assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED], 2);
    tear_down(&b);
}

static void a_device_serves_its_kinds_only(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    b.backend.kinds = 1u << CZ_KIND_WINNING;
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    submit(&b, CZ_KIND_WINNING, 'W', 1, 0);
    run_all(b.e);
    assert_order(&b, "p", "W0 ");
    tear_down(&b);
}

/* --- memory --- */

/* Budget: keys 100, parts 20, work 5: with 150 two parts do not fit. */
static void a_partition_waits_for_its_memory(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.lookahead = 5;
    o.host_bytes = 144;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 4, 0);
    run_loader(b.e);
    while (step_synthesis(b.e))
        run_loader(b.e);
    assert_order(&b, "s", "A0 ");
    assert_string_equal(b.e->waits_for, "memory");
    assert_int_equal(b.e->waits_for_bytes, 1);
    run_all(b.e);
    assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED], 1);
    assert_true(b.e->budget.peak <= 144);
    tear_down(&b);
}

static void a_job_that_never_fits_is_refused(void **state)
{
    const cz_submit_options so = {0};
    cz_submit_reply reply;
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 124;
    set_up(&b, &o);
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &so, &reply),
                 CZ_E_NOMEM, "memory for one partition");
    assert_int_equal(b.e->counters.refused, 1);
    assert_int_equal(b.e->n_live, 0);
    tear_down(&b);
}

/* Two circuits, room for one: the unused keys go, the used ones stay. */
static void keys_are_evicted_for_others(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 180;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b.e);
    assert_int_equal(b.t.hot, 1);
    submit(&b, CZ_KIND_SNAP, 'S', 2, 0);
    run_all(b.e);
    assert_int_equal(b.t.hot, 1);
    assert_int_equal(b.t.warm, 2);
    assert_int_equal(b.e->counters.keys_evictions, 1);
    submit(&b, CZ_KIND_POREP, 'B', 2, 0);
    run_all(b.e);
    assert_int_equal(b.e->counters.keys_evictions, 2);
    assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED], 2);
    assert_int_equal(b.e->counters.ended[CZ_KIND_SNAP][CZ_JOB_COMPLETED], 1);
    assert_true(b.e->budget.peak <= 180);
    tear_down(&b);
}

static void the_least_recently_used_keys_go(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 280;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b.e);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    run_all(b.e);
    submit(&b, CZ_KIND_POREP, 'B', 1, 0);
    run_all(b.e);
    submit(&b, CZ_KIND_WINDOW, 'W', 1, 0);
    run_all(b.e);
    for (const cz_resident *r = b.e->residents; r != NULL; r = r->next)
        assert_int_equal(r->state == KEYS_HOT, strcmp(r->circuit_id, "snap-2048") != 0);
    tear_down(&b);
}

typedef struct {
    unsigned told;
    bool was_loaded;
    cz_err err;
    uint64_t freed;
} eviction;

static void note_evicted(void *ctx, cz_err err, bool was_loaded, uint64_t freed)
{
    eviction *v = ctx;

    *v = (eviction){v->told + 1, was_loaded, err, freed};
}

/* Who asks does not wait: he is told when the keys are closed, or will not be. */
static void an_eviction_takes_nobodys_thread(void **state)
{
    eviction first = {0}, second = {0}, stopped = {0};
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b.e);
    cz_engine_evict_then(b.e, "porep-2048", note_evicted, &first);
    cz_engine_evict_then(b.e, "porep-2048", note_evicted, &second);
    assert_int_equal(first.told + second.told, 0);
    run_loader(b.e);
    assert_int_equal(first.told, 1);
    assert_int_equal(second.told, 1);
    assert_int_equal(first.err, CZ_OK);
    assert_true(first.was_loaded);
    assert_int_equal(first.freed, 100);
    assert_int_equal(b.t.warm, 0);
    assert_int_equal(b.e->counters.keys_evictions, 1);

    submit(&b, CZ_KIND_POREP, 'B', 1, 0);
    run_all(b.e);
    cz_engine_evict_then(b.e, "porep-2048", note_evicted, &stopped);
    cz_engine_stop(b.e);
    assert_int_equal(stopped.told, 1);
    assert_int_equal(stopped.err, CZ_E_CANCELLED);
    tear_down(&b);
}

typedef struct {
    unsigned told;
    cz_err err;
} preload;

static void note_preloaded(void *ctx, cz_err err, bool already, uint64_t load_ms)
{
    preload *p = ctx;

    (void)already;
    (void)load_ms;
    *p = (preload){p->told + 1, err};
}

/* What it comes to without any other work. */
static cz_err preload_alone(bench *b, const char *circuit_id)
{
    preload p = {0};

    cz_engine_preload_then(b->e, circuit_id, note_preloaded, &p);
    run_loader(b->e);
    assert_int_equal(p.told, 1);
    return p.err;
}

/* Nothing else happens that would wake the loader. */
static void a_preload_on_an_idle_engine_comes_to_its_end(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 250;
    set_up(&b, &o);
    assert_int_equal(preload_alone(&b, "porep-2048"), CZ_OK);
    b.t.idle = 100;
    assert_int_equal(preload_alone(&b, "snap-2048"), CZ_OK); /* in the idle memory */
    assert_int_equal(b.t.trims, 1);
    assert_int_equal(b.e->counters.keys_evictions, 0);
    assert_int_equal(preload_alone(&b, "window-2048"), CZ_OK); /* in place of others */
    assert_int_equal(b.e->counters.keys_evictions, 1);
    assert_int_equal(b.t.hot, 2);
    for (cz_resident *r = b.e->residents; r != NULL; r = r->next)
        r->refs++;
    assert_int_equal(preload_alone(&b, "winning-2048"), CZ_E_NOMEM); /* all are in use */
    for (cz_resident *r = b.e->residents; r != NULL; r = r->next)
        r->refs = 0;
    tear_down(&b);
}

/* One that finds no memory is given up; jobs with the same keys wait for it. */
static void a_preload_without_memory_leaves_jobs_alone(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 150;
    set_up(&b, &o);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    run_loader(b.e);
    (void)step_synthesis(b.e); /* open */
    (void)step_synthesis(b.e); /* S0, whose keys are in use from here on */
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_loader(b.e);
    assert_int_equal(preload_alone(&b, "porep-2048"), CZ_E_NOMEM);
    assert_int_equal(b.e->n_live, 2);
    run_all(b.e);
    assert_int_equal(b.e->counters.ended[CZ_KIND_SNAP][CZ_JOB_COMPLETED], 1);
    assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED], 1);
    tear_down(&b);
}

static void kept_keys_are_never_evicted(void **state)
{
    static const char *const keep[] = {"winning-2048"};
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 260;
    o.keep = keep;
    o.n_keep = 1;
    set_up(&b, &o);
    submit(&b, CZ_KIND_WINNING, 'W', 1, 0);
    run_all(b.e);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b.e);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    run_all(b.e);
    for (const cz_resident *r = b.e->residents; r != NULL; r = r->next)
        assert_int_equal(r->state == KEYS_HOT, strcmp(r->circuit_id, "porep-2048") != 0);
    assert_int_equal(b.e->counters.ended[CZ_KIND_SNAP][CZ_JOB_COMPLETED], 1);
    tear_down(&b);
}

/* The urgent job needs the memory that an opened, idle one holds: that one is closed and opened
 * again later. Budget 140: keys 100 + part 20 + two works of 15 do not fit. */
static void an_idle_job_gives_its_memory_up(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    b.t.open_bytes = b.t.work_bytes = 15;
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 140;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 2, 0);
    run_loader(b.e);
    assert_true(step_synthesis(b.e)); /* A is opened */
    submit(&b, CZ_KIND_WINNING, 'W', 1, 0);
    run_loader(b.e);
    assert_true(step_synthesis(b.e)); /* W is opened */
    run_all(b.e);
    assert_int_equal(b.e->counters.reopened, 1);
    assert_order(&b, "o", "A2 W1 A2 ");
    assert_order(&b, "p", "W0 A0 A1 ");
    assert_true(b.e->budget.peak <= 140);
    tear_down(&b);
}

static void assert_failed(const bench *b, const char *why)
{
    const cz_result *r = &b->e->ended->result;

    assert_int_equal(r->status, CZ_JOB_FAILED);
    assert_int_equal(r->code, CZ_E_NOMEM);
    if (strstr(r->error, why) == NULL)
        fail_msg("'%s' does not contain '%s'", r->error, why);
}

/* What it takes is known when it is opened, or when its keys are, whichever comes last: opened
 * first, where opening takes a word. Its own work is in the memory that it is told it needs. */
static void a_silent_job_that_never_fits_says_so(void **state)
{
    (void)state;
    for (unsigned budget = 119; budget <= 125; budget++) {
        cz_engine_options o;
        bench b;

        begin(&b);
        b.t.silent = true;
        o = toy_options(&b.t, &b.backend);
        o.host_bytes = budget;
        set_up(&b, &o);
        submit(&b, CZ_KIND_POREP, 'A', 2, 0);
        run_all(b.e);
        submit(&b, CZ_KIND_POREP, 'B', 1, 0); /* now the keys are open */
        run_all(b.e);
        assert_int_equal(b.e->n_live, 0);
        if (budget < 125)
            assert_failed(&b, "porep-2048 needs 125 bytes of memory for one partition");
        assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED],
                         budget < 125 ? 0 : 2);
        tear_down(&b);
    }
}

/* Keys that are kept have come meanwhile, and will not go: nobody waits for their memory. */
static void beside_kept_keys_a_job_may_not_fit_any_more(void **state)
{
    static const char *const keep[] = {"winning-2048"};
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 220;
    o.keep = keep;
    o.n_keep = 1;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_loader(b.e);
    assert_true(step_synthesis(b.e)); /* A is opened */
    assert_int_equal(preload_alone(&b, "winning-2048"), CZ_OK);
    run_all(b.e);
    assert_int_equal(b.e->n_live, 0);
    assert_failed(&b, "of which 100 bytes are kept");
    b.t.open_bytes = 121;
    submit(&b, CZ_KIND_WINNING, 'W', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->n_live, 0);
    assert_failed(&b,
                  "needs 121 bytes of memory to be opened; the budget is 220 bytes, of which 100 ");
    b.t.open_bytes = 120;
    submit(&b, CZ_KIND_WINNING, 'X', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->counters.ended[CZ_KIND_WINNING][CZ_JOB_COMPLETED], 1);
    tear_down(&b);
}

/* With sort_by_type, jobs whose keys are hot go before an older one whose are not; not for ever. */
static void types_are_grouped_within_bounds(void **state)
{
    cz_engine_options o;
    bench b;
    const char *s, *last_porep;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.host_bytes = 200;
    o.lookahead = 2;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    for (unsigned i = 0; i < 40; i++)
        submit(&b, CZ_KIND_POREP, (char)('a' + i), 1, 0);
    run_all(b.e);
    s = strstr(b.t.log, "p:S0");
    last_porep = strstr(b.t.log, "p:\x88"
                                 "0"); /* 'a' + 39 */
    assert_non_null(s);
    assert_non_null(last_porep);
    assert_true(s < last_porep);
    assert_int_equal(b.e->n_live, 0);
    tear_down(&b);
}

/* --- errors --- */

static void a_bad_proof_is_made_once_more(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    b.t.bad_proofs = 1;
    submit(&b, CZ_KIND_SNAP, 'A', 2, 0);
    run_all(b.e);
    assert_int_equal(b.e->counters.self_check_failures[CZ_KIND_SNAP], 1);
    assert_int_equal(b.e->counters.retries[CZ_KIND_SNAP], 1);
    assert_int_equal(b.e->ended->result.status, CZ_JOB_COMPLETED);
    toy_assert_proof(&b.e->ended->result, 'A', 2);
    tear_down(&b);
}

/* Whatever the kind: a proof that stays wrong never leaves. */
static void a_proof_that_stays_bad_fails_its_job(void **state)
{
    (void)state;
    for (unsigned kind = CZ_KIND_POREP; kind <= CZ_KIND_WINNING; kind++) {
        cz_engine_options o;
        bench b;

        begin(&b);
        o = toy_options(&b.t, &b.backend);
        o.faults.flip = (cz_fault){.partition = 1, .times = 2};
        set_up(&b, &o);
        submit(&b, (cz_proof_kind)kind, 'A', 3, 0);
        run_all(b.e);
        assert_int_equal(b.e->ended->result.status, CZ_JOB_FAILED);
        assert_int_equal(b.e->ended->result.code, CZ_E_VERIFY);
        assert_null(b.e->ended->result.proof);
        assert_non_null(strstr(b.e->ended->result.error, "partition 1: self-check failed twice"));
        assert_int_equal(b.e->counters.self_check_failures[kind], 2);
        submit(&b, (cz_proof_kind)kind, 'B', 1, 0);
        run_all(b.e);
        assert_int_equal(b.e->ended->result.status, CZ_JOB_COMPLETED);
        tear_down(&b);
    }
}

static void a_lost_device_is_tried_once_more(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    b.t.cuda_failures = 1;
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->ended->result.status, CZ_JOB_COMPLETED);
    b.t.cuda_failures = 2;
    submit(&b, CZ_KIND_POREP, 'B', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->ended->result.status, CZ_JOB_FAILED);
    assert_string_equal(b.e->ended->result.error, "partition 0: device lost");
    assert_int_equal(b.e->budget.used, 100);
    b.t.cuda_failures = 1; /* neither uses up the second chance of the other */
    b.t.bad_proofs = 2;    /* one in the call that fails */
    submit(&b, CZ_KIND_POREP, 'C', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->ended->result.status, CZ_JOB_COMPLETED);
    toy_assert_proof(&b.e->ended->result, 'C', 1);
    tear_down(&b);
}

static void failures_name_the_partition_and_spare_others(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.faults.nomem = (cz_fault){.kind = CZ_KIND_SNAP, .partition = 2, .times = 1};
    set_up(&b, &o);
    b.t.fail_synth_tag = 'U';
    submit(&b, CZ_KIND_SNAP, 'A', 4, 0);
    submit(&b, CZ_KIND_POREP, 'U', 1, 0);
    submit(&b, CZ_KIND_POREP, 'B', 3, 0);
    run_all(b.e);
    for (const cz_ejob *job = b.e->ended; job != NULL; job = job->next) {
        const cz_result *r = &job->result;

        if (job->kind == CZ_KIND_SNAP) {
            assert_int_equal(r->code, CZ_E_NOMEM);
            assert_non_null(strstr(r->error, "partition 2: no memory for the witness"));
        } else if (job->n_parts == 1) {
            assert_string_equal(r->error, "partition 0: constraint 7");
        } else {
            assert_int_equal(r->status, CZ_JOB_COMPLETED);
        }
    }
    assert_int_equal(b.e->n_ended, 3);
    assert_int_equal(b.e->budget.used, 200);
    tear_down(&b);
}

static void requests_that_do_not_open_fail(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    b.t.fail_open = true;
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->ended->result.code, CZ_E_INPUT);
    assert_string_equal(b.e->ended->result.error, "challenge 3: wrong");
    assert_int_equal(b.e->budget.used, 0);
    b.t.fail_open = false;
    submit(&b, CZ_KIND_POREP, 'A', 1, 0); /* a failed one runs again */
    run_all(b.e);
    assert_int_equal(b.e->ended->result.status, CZ_JOB_COMPLETED);
    tear_down(&b);
}

static void damaged_parameters_fail_their_jobs_only(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    run_all(b.e);
    b.t.bad_params = true;
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    submit(&b, CZ_KIND_POREP, 'B', 1, 0);
    submit(&b, CZ_KIND_SNAP, 'T', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_FAILED], 2);
    assert_int_equal(b.e->counters.ended[CZ_KIND_SNAP][CZ_JOB_COMPLETED], 2);
    b.t.bad_params = false;
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    b.t.fail_heat = true;
    run_all(b.e);
    assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_FAILED], 3);
    assert_int_equal(b.e->budget.used, 100); /* of snap */
    b.t.fail_heat = false;
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    run_all(b.e);
    assert_int_equal(b.e->counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED], 1);
    tear_down(&b);
}

/* --- batches --- */

static void porep_waits_for_others_and_post_does_not(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.tuning.max_batch_size = 2;
    o.tuning.sort_by_type = false;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    run_all(b.e);
    assert_string_equal(b.t.log, "");
    submit(&b, CZ_KIND_POREP, 'B', 1, 0); /* full */
    submit(&b, CZ_KIND_POREP, 'C', 1, 0); /* overflow: the next batch */
    run_all(b.e);
    assert_order(&b, "p", "A0 B0 ");
    assert_int_equal(b.e->counters.batches[CZ_FLUSH_SIZE], 1);
    submit(&b, CZ_KIND_WINDOW, 'W', 1, 0); /* urgent: nothing waits any more */
    run_all(b.e);
    assert_order(&b, "p", "A0 B0 W0 S0 C0 ");
    assert_int_equal(b.e->counters.batches[CZ_FLUSH_URGENT], 2);
    tear_down(&b);
}

static void batches_go_by_time(void **state)
{
    cz_engine_options o;
    uint64_t now = cz_clock_ns(), next;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.tuning.max_batch_size = 5;
    o.tuning.max_batch_wait_ms = 60000;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    (void)pthread_mutex_lock(&b.e->lock);
    next = cz_step_clerk(b.e, now + 100000000);
    assert_true(next <= now + 1200000000); /* looks again within a second */
    (void)pthread_mutex_unlock(&b.e->lock);
    run_all(b.e);
    assert_string_equal(b.t.log, "");
    (void)pthread_mutex_lock(&b.e->lock);
    (void)cz_step_clerk(b.e, now + 61000000000);
    (void)pthread_mutex_unlock(&b.e->lock);
    run_all(b.e);
    assert_order(&b, "p", "A0 ");
    assert_int_equal(b.e->counters.batches[CZ_FLUSH_TIME], 1);
    tear_down(&b);
}

/* Nothing can join them any more, nor is anything collected that was accepted just before. */
static void draining_lets_batches_go(void **state)
{
    cz_engine_options o;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    o.tuning.max_batch_size = 5;
    o.tuning.max_batch_wait_ms = 3600000;
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    submit(&b, CZ_KIND_SNAP, 'S', 1, 0);
    run_all(b.e);
    assert_string_equal(b.t.log, "");
    cz_engine_drain(b.e);
    assert_int_equal(b.e->live->state, JOB_QUEUED);
    (void)pthread_mutex_lock(&b.e->lock);
    cz_ejob_enqueue(b.e, b.e->live, cz_clock_ns());
    (void)pthread_mutex_unlock(&b.e->lock);
    run_all(b.e);
    assert_order(&b, "p", "A0 S0 ");
    tear_down(&b);
}

/* Longer than nanoseconds count: for ever, not at once. */
static void a_deadline_in_ages_is_none(void **state)
{
    const cz_submit_options so = {.timeout_ms = UINT64_MAX / 1000000 + 1};
    cz_engine_options o;
    cz_submit_reply reply;
    cz_result result;
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &so, &reply));
    (void)pthread_mutex_lock(&b.e->lock);
    (void)cz_step_clerk(b.e, cz_clock_ns() + (uint64_t)3600 * 1000000000);
    (void)pthread_mutex_unlock(&b.e->lock);
    run_all(b.e);
    assert_ok(cz_engine_await(b.e, reply.job_id, UINT64_MAX, &result));
    toy_assert_proof(&result, 'A', 1);
    cz_result_clear(&result);
    assert_true(cz_engine_wait_idle(b.e, UINT64_MAX));
    tear_down(&b);
}

typedef struct {
    cz_engine *e;
    bool waits;
    int rc;
} sleeper;

static void *sleep_for_two_seconds(void *arg)
{
    sleeper *s = arg;
    const uint64_t until_ns = cz_clock_ns() + 2000000000;
    const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};

    (void)pthread_mutex_lock(&s->e->lock);
    s->waits = true;
    s->rc = pthread_cond_timedwait(&s->e->work, &s->e->lock, &until);
    (void)pthread_mutex_unlock(&s->e->lock);
    return NULL;
}

/* With the lock, which is given up meanwhile. */
static void wait_for_sleeper(const sleeper *s)
{
    while (!s->waits) {
        (void)pthread_mutex_unlock(&s->e->lock);
        toy_sleep_us(100);
        (void)pthread_mutex_lock(&s->e->lock);
    }
}

/* What a backend takes may change with nobody saying so. */
static void who_waits_is_roused_while_there_are_jobs(void **state)
{
    const uint64_t now = cz_clock_ns();
    cz_engine_options o;
    pthread_t thread;
    sleeper s = {0};
    bench b;

    (void)state;
    begin(&b);
    o = toy_options(&b.t, &b.backend);
    set_up(&b, &o);
    submit(&b, CZ_KIND_POREP, 'A', 1, 0);
    s.e = b.e;
    assert_int_equal(pthread_create(&thread, NULL, sleep_for_two_seconds, &s), 0);
    (void)pthread_mutex_lock(&b.e->lock);
    wait_for_sleeper(&s);
    (void)cz_step_clerk(b.e, now);
    (void)cz_step_clerk(b.e, now + 999999999); /* and not more often than each second */
    assert_true(b.e->roused_ns == now);
    (void)pthread_mutex_unlock(&b.e->lock);
    (void)pthread_join(thread, NULL);
    assert_int_equal(s.rc, 0);
    run_all(b.e);
    tear_down(&b);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(jobs_go_one_after_another),
    cmocka_unit_test(priorities_go_first_and_the_old_within_them),
    cmocka_unit_test(every_pair_of_kinds),
    cmocka_unit_test(raising_a_priority_moves_the_job),
    cmocka_unit_test(witnesses_do_not_pile_up),
    cmocka_unit_test(the_queue_is_not_opened_ahead),
    cmocka_unit_test(without_pipeline_a_witness_waits_for_a_free_prover),
    cmocka_unit_test(a_device_takes_a_batch_of_one_circuit),
    cmocka_unit_test(a_device_serves_its_kinds_only),
    cmocka_unit_test(a_partition_waits_for_its_memory),
    cmocka_unit_test(a_job_that_never_fits_is_refused),
    cmocka_unit_test(keys_are_evicted_for_others),
    cmocka_unit_test(the_least_recently_used_keys_go),
    cmocka_unit_test(an_eviction_takes_nobodys_thread),
    cmocka_unit_test(a_preload_on_an_idle_engine_comes_to_its_end),
    cmocka_unit_test(a_preload_without_memory_leaves_jobs_alone),
    cmocka_unit_test(kept_keys_are_never_evicted),
    cmocka_unit_test(an_idle_job_gives_its_memory_up),
    cmocka_unit_test(a_silent_job_that_never_fits_says_so),
    cmocka_unit_test(beside_kept_keys_a_job_may_not_fit_any_more),
    cmocka_unit_test(types_are_grouped_within_bounds),
    cmocka_unit_test(a_bad_proof_is_made_once_more),
    cmocka_unit_test(a_proof_that_stays_bad_fails_its_job),
    cmocka_unit_test(a_lost_device_is_tried_once_more),
    cmocka_unit_test(failures_name_the_partition_and_spare_others),
    cmocka_unit_test(requests_that_do_not_open_fail),
    cmocka_unit_test(damaged_parameters_fail_their_jobs_only),
    cmocka_unit_test(porep_waits_for_others_and_post_does_not),
    cmocka_unit_test(batches_go_by_time),
    cmocka_unit_test(draining_lets_batches_go),
    cmocka_unit_test(a_deadline_in_ages_is_none),
    cmocka_unit_test(who_waits_is_roused_while_there_are_jobs),
};

CZ_TEST_MAIN(cases)
