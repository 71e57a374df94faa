/* The engine with its threads: identity, cancel in every state, deadlines, drain, stop, parameters,
 * status; and many clients at once. */
#include "toy_prover.h"

typedef struct {
    toy t;
    cz_backend backend;
    cz_engine *e;
} bench;

static cz_engine_options begin(bench *b)
{
    toy_init(&b->t);
    b->backend = toy_backend(&b->t);
    return toy_options(&b->t, &b->backend);
}

static void start(bench *b, const cz_engine_options *o)
{
    assert_ok(cz_engine_create(&b->e, o));
    assert_ok(cz_engine_start(b->e));
}

static void finish(bench *b)
{
    cz_engine_destroy(b->e);
    toy_assert_clean(&b->t);
    toy_clear(&b->t);
}

static void start_plain(bench *b)
{
    const cz_engine_options o = begin(b);

    start(b, &o);
}

static cz_engine_status *status_of(const bench *b)
{
    cz_engine_status *s;

    assert_ok(cz_engine_status_create(&s, b->e));
    return s;
}

/* --- proofs --- */

static void proofs_come_back_in_partition_order(void **state)
{
    cz_submit_reply reply;
    bench b;

    (void)state;
    start_plain(&b);
    toy_expect(b.e, toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 7, 0), &reply), 'A', 7);
    assert_false(reply.joined);
    assert_string_equal(reply.backend, "toy");
    finish(&b);
}

typedef struct {
    cz_engine *e;
    unsigned seed;
} client;

static void *run_client(void *arg)
{
    const client *c = arg;

    for (unsigned i = 0; i < 25; i++) {
        const cz_proof_kind kind = (cz_proof_kind)(CZ_KIND_POREP + (c->seed + i) % 4);
        const unsigned parts = 1 + (c->seed * 7 + i) % 5;
        const char tag = (char)('A' + (c->seed + i) % 26);
        char id[32];
        cz_submit_reply reply;

        (void)snprintf(id, sizeof id, "c%u-%u", c->seed, i);
        toy_expect(c->e, toy_submit(c->e, toy_request(id, kind, tag, parts, 0), &reply), tag,
                   parts);
    }
    return NULL;
}

/* Mixed kinds, several workers on both sides, little memory, batches, some bad proofs. */
static void many_clients_get_their_own_proofs(void **state)
{
    enum { CLIENTS = 8 };
    pthread_t threads[CLIENTS];
    client clients[CLIENTS];
    cz_engine_status *s;
    cz_engine_options o;
    uint64_t completed = 0;
    bench b;

    (void)state;
    o = begin(&b);
    b.backend.workers = 2;
    b.backend.batch = 3;
    b.t.prove_us = 200;
    b.t.synth_us = 200;
    b.t.bad_proofs = 1; /* more could hit one partition twice */
    o.synthesis_workers = 3;
    o.lookahead = 4;
    o.host_bytes = 300; /* two circuits' keys at a time */
    o.tuning.max_batch_size = 2;
    o.tuning.max_batch_wait_ms = 2;
    start(&b, &o);
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i] = (client){b.e, i};
        assert_int_equal(pthread_create(&threads[i], NULL, run_client, &clients[i]), 0);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        (void)pthread_join(threads[i], NULL);
    s = status_of(&b);
    for (unsigned kind = 1; kind < CZ_KINDS; kind++)
        completed += s->counters.ended[kind][CZ_JOB_COMPLETED];
    assert_int_equal(completed, CLIENTS * 25);
    assert_true(s->memory_peak <= 300);
    assert_int_equal(s->jobs, 0);
    cz_engine_status_destroy(s);
    finish(&b);
}

static void wait_for_log(bench *b, const char *what)
{
    bool there = false;

    while (!there) {
        toy_sleep_us(1000);
        (void)pthread_mutex_lock(&b->t.lock);
        there = strstr(b->t.log, what) != NULL;
        (void)pthread_mutex_unlock(&b->t.lock);
    }
}

/* Synthesis of one partition while another is proved. */
static void stages_overlap(void **state)
{
    cz_submit_reply reply;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 3, 0), &reply);
    toy_wait_held(&b.t, 1);   /* A0 on the device */
    wait_for_log(&b, "s:A1"); /* made meanwhile */
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 3);
    finish(&b);
}

/* --- identity --- */

static void equal_requests_are_one_job(void **state)
{
    cz_submit_reply first, second, other;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("wdpost-1000-0-[1 2 3]", CZ_KIND_WINDOW, 'A', 1, 0), &first);
    toy_wait_held(&b.t, 1);
    (void)toy_submit(b.e, toy_request("wdpost-1000-0-[1 2 3]", CZ_KIND_WINDOW, 'A', 1, 0), &second);
    (void)toy_submit(b.e, toy_request("wdpost-1000-0-[1 2 3]", CZ_KIND_WINDOW, 'B', 1, 0), &other);
    assert_string_equal(first.job_id, second.job_id);
    assert_true(second.joined);
    assert_string_not_equal(first.job_id, other.job_id);
    assert_false(other.joined);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, first.job_id, 'A', 1);
    toy_expect(b.e, other.job_id, 'B', 1);
    /* after the end: the finished proof, no second run */
    (void)toy_submit(b.e, toy_request("wdpost-1000-0-[1 2 3]", CZ_KIND_WINDOW, 'A', 1, 0), &second);
    assert_true(second.joined);
    assert_int_equal(second.n_before, 0);
    toy_expect(b.e, second.job_id, 'A', 1);
    /* another id, same content: a job of its own */
    (void)toy_submit(b.e, toy_request("x", CZ_KIND_WINDOW, 'A', 1, 0), &other);
    assert_false(other.joined);
    toy_expect(b.e, other.job_id, 'A', 1);
    finish(&b);
}

/* As it may be when it was cut, or names a file; gRPC's clients take no such text. */
static void a_message_that_is_no_utf8_is_repaired(void **state)
{
    cz_submit_reply reply;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &reply);
    toy_wait_held(&b.t, 1);
    (void)pthread_mutex_lock(&b.e->lock);
    cz_ejob_end(b.e, b.e->live, CZ_JOB_FAILED, CZ_E_INPUT, "name \u20ac\xe2\x82: unknown");
    (void)pthread_mutex_unlock(&b.e->lock);
    toy_expect_end(b.e, reply.job_id, CZ_JOB_FAILED, "name \u20ac??: unknown");
    toy_open_gate(&b.t, &b.t.hold_prove);
    finish(&b);
}

static void a_failed_job_runs_again(void **state)
{
    cz_submit_reply reply;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.fail_synth_tag = 'A';
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &reply);
    toy_expect_end(b.e, reply.job_id, CZ_JOB_FAILED, "partition 0: constraint 7");
    b.t.fail_synth_tag = 0;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &reply);
    assert_false(reply.joined);
    toy_expect(b.e, reply.job_id, 'A', 1);
    finish(&b);
}

/* --- cancel, in every state --- */

static void a_queued_job_is_cancelled_at_once(void **state)
{
    cz_submit_reply running, queued;
    bool was_running;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &running);
    toy_wait_held(&b.t, 1);
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 40, CZ_PRIORITY_LOW), &queued);
    assert_ok(cz_engine_cancel(b.e, queued.job_id, &was_running));
    assert_true(was_running);
    toy_expect_end(b.e, queued.job_id, CZ_JOB_CANCELLED, "cancelled");
    assert_ok(cz_engine_cancel(b.e, queued.job_id, &was_running));
    assert_false(was_running);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, running.job_id, 'A', 1);
    assert_ok(cz_engine_cancel(b.e, running.job_id, &was_running));
    assert_false(was_running);
    toy_expect(b.e, running.job_id, 'A', 1); /* a finished one stays finished */
    assert_fails(cz_engine_cancel(b.e, "0123", &was_running), CZ_E_NOTFOUND, "0123");
    finish(&b);
}

/* Held in each stage in turn; the answer comes while the stage still runs, the memory when it has
 * returned. */
static void a_running_job_is_cancelled_in_every_stage(void **state)
{
    (void)state;
    for (unsigned stage = 0; stage < 4; stage++) {
        cz_submit_reply reply;
        cz_engine_status *s;
        bool was_running;
        bool *gate;
        bench b;

        start_plain(&b);
        gate = stage == 0   ? &b.t.hold_open
               : stage == 1 ? &b.t.hold_synth
               : stage == 2 ? &b.t.hold_prove
                            : &b.t.hold_heat;
        *gate = true;
        (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 4, 0), &reply);
        toy_wait_held(&b.t, 1);
        assert_ok(cz_engine_cancel(b.e, reply.job_id, &was_running));
        assert_true(was_running);
        toy_expect_end(b.e, reply.job_id, CZ_JOB_CANCELLED, "cancelled");
        toy_open_gate(&b.t, gate);
        do {
            s = status_of(&b);
            if (s->memory_used > 100)
                toy_sleep_us(1000);
            was_running = s->memory_used > 100; /* the keys may stay */
            cz_engine_status_destroy(s);
        } while (was_running);
        (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 4, 0), &reply);
        toy_expect(b.e, reply.job_id, 'A', 4);
        finish(&b);
    }
}

static void the_last_caller_who_leaves_cancels(void **state)
{
    const cz_submit_options attached = {.attached = true};
    cz_submit_reply one, two;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &attached, &one));
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &attached, &two));
    toy_wait_held(&b.t, 1);
    cz_engine_leave(b.e, one.job_id); /* shared: it goes on */
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, two.job_id, 'A', 2);
    b.t.hold_prove = true;
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &attached, &one));
    toy_wait_held(&b.t, 1);
    cz_engine_leave(b.e, one.job_id);
    toy_expect_end(b.e, one.job_id, CZ_JOB_CANCELLED, "its callers are gone");
    toy_open_gate(&b.t, &b.t.hold_prove);
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'C', 2, 0), &attached, &one));
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'C', 2, 0), &two);
    cz_engine_leave(b.e, one.job_id); /* somebody submitted it for later */
    toy_expect(b.e, two.job_id, 'C', 2);
    finish(&b);
}

static void who_left_a_run_does_not_end_the_next(void **state)
{
    const cz_submit_options attached = {.attached = true};
    cz_submit_reply first, again;
    bool was_running;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &attached, &first));
    assert_ok(cz_engine_cancel(b.e, first.job_id, &was_running));
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &attached, &again));
    assert_string_equal(first.job_id, again.job_id);
    cz_engine_leave_run(b.e, first.job_id, first.run);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, again.job_id, 'A', 2);
    finish(&b);
}

/* --- time --- */

static void a_deadline_ends_the_job(void **state)
{
    const cz_submit_options soon = {.attached = true, .timeout_ms = 30};
    const cz_submit_options later = {.attached = true, .timeout_ms = 60000};
    cz_submit_reply reply;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &soon, &reply));
    toy_expect_end(b.e, reply.job_id, CZ_JOB_TIMEOUT, "deadline");
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &soon, &reply));
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &later, &reply));
    toy_sleep_us(60000);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'B', 2);
    finish(&b);
}

static void awaiting_can_time_out(void **state)
{
    cz_submit_reply reply;
    cz_result r;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &reply);
    assert_fails(cz_engine_await(b.e, reply.job_id, 20, &r), CZ_E_DECLINED, "not ended yet");
    assert_fails(cz_engine_await(b.e, "nobody", 20, &r), CZ_E_NOTFOUND, "job not found: nobody");
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 1);
    finish(&b);
}

static void a_stage_without_progress_is_reported(void **state)
{
    cz_engine_options o;
    cz_submit_reply reply;
    cz_engine_status *s;
    bool stalled;
    bench b;

    (void)state;
    o = begin(&b);
    o.tuning.watchdog_ms = 10;
    start(&b, &o);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &reply);
    do {
        toy_sleep_us(10000);
        s = status_of(&b);
        stalled = s->counters.stalls > 0;
        if (stalled)
            assert_true(s->workers[1].stalled);
        cz_engine_status_destroy(s);
    } while (!stalled);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 1);
    finish(&b);
}

/* --- full, draining, stopping --- */

static void a_full_queue_refuses(void **state)
{
    const cz_submit_options so = {0};
    cz_engine_options o;
    cz_submit_reply reply;
    bench b;

    (void)state;
    o = begin(&b);
    o.tuning.max_queue = 3;
    start(&b, &o);
    b.t.hold_prove = true;
    for (unsigned i = 0; i < 3; i++)
        (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, (char)('A' + i), 1, 0), &reply);
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'D', 1, 0), &so, &reply),
                 CZ_E_DECLINED, "the queue is full: 3 jobs");
    /* joining costs no place */
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 1, 0), &reply);
    assert_true(reply.joined);
    toy_open_gate(&b.t, &b.t.hold_prove);
    assert_true(cz_engine_wait_idle(b.e, 20000));
    finish(&b);
}

/* A request whose further vanilla proof has so many bytes. */
static cz_request *large_request(char tag, size_t bytes)
{
    cz_request *r = toy_request("r", CZ_KIND_POREP, tag, 1, 0);

    r->vanilla_proofs = calloc(1, sizeof *r->vanilla_proofs);
    r->vanilla_proof_lens = calloc(1, sizeof *r->vanilla_proof_lens);
    assert_non_null(r->vanilla_proofs);
    assert_non_null(r->vanilla_proof_lens);
    r->vanilla_proofs[0] = calloc(1, bytes);
    assert_non_null(r->vanilla_proofs[0]);
    r->vanilla_proof_lens[0] = bytes;
    r->n_vanilla_proofs = 1;
    return r;
}

static uint64_t bytes_of_requests(const bench *b)
{
    uint64_t bytes;

    (void)pthread_mutex_lock(&b->e->lock);
    bytes = b->e->request_bytes;
    (void)pthread_mutex_unlock(&b->e->lock);
    return bytes;
}

/* A quarter of the budget, or one that is larger than that. */
static void requests_without_a_journal_have_a_share_of_memory(void **state)
{
    const cz_submit_options so = {0};
    cz_submit_reply reply, small;
    bench b;

    (void)state;
    start_plain(&b); /* 1,000,000 bytes */
    b.t.hold_prove = true;
    (void)toy_submit(b.e, large_request('A', 150000), &reply);
    (void)toy_submit(b.e, large_request('B', 90000), &reply);
    assert_fails(cz_engine_submit(b.e, large_request('C', 20000), &so, &reply), CZ_E_DECLINED,
                 "there is no journal");
    (void)toy_submit(b.e, large_request('D', 5000), &reply); /* this one fits */
    (void)toy_submit(b.e, large_request('B', 90000), &reply);
    assert_true(reply.joined); /* and takes no room */
    toy_open_gate(&b.t, &b.t.hold_prove);
    assert_true(cz_engine_wait_idle(b.e, 20000));
    while (bytes_of_requests(&b) > 0) /* they go a moment after their jobs */
        toy_sleep_us(1000);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, large_request('E', 300000), &reply);
    assert_fails(cz_engine_submit(b.e, large_request('F', 5000), &so, &reply), CZ_E_DECLINED,
                 "there is no journal");
    (void)toy_submit(b.e, toy_request("small", CZ_KIND_POREP, 'G', 1, 0), &small);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'E', 1);
    toy_expect(b.e, small.job_id, 'G', 1);
    finish(&b);
}

static void wrong_requests_are_refused_at_submit(void **state)
{
    const cz_submit_options so = {0};
    cz_request *bad = toy_request("r", CZ_KIND_POREP, 'A', 1, 0);
    cz_submit_reply reply;
    bench b;

    (void)state;
    start_plain(&b);
    bad->vanilla_proof_len = 1;
    assert_fails(cz_engine_submit(b.e, bad, &so, &reply), CZ_E_INPUT, "not a toy");
    b.t.no_params = true;
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &so, &reply),
                 CZ_E_NOTFOUND, "no parameters");
    finish(&b);
}

static void draining_ends_what_was_accepted(void **state)
{
    const cz_submit_options so = {0};
    cz_submit_reply reply, refused;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 3, 0), &reply);
    cz_engine_drain(b.e);
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 1, 0), &so, &refused),
                 CZ_E_CANCELLED, "draining, 1 jobs are left");
    assert_false(cz_engine_wait_idle(b.e, 20));
    toy_open_gate(&b.t, &b.t.hold_prove);
    assert_true(cz_engine_wait_idle(b.e, 20000));
    toy_expect(b.e, reply.job_id, 'A', 3);
    finish(&b);
}

static void *await_stopped(void *arg)
{
    client *c = arg;
    cz_submit_reply reply;
    cz_result r;

    (void)toy_submit(c->e, toy_request("r", CZ_KIND_POREP, 'A', 5, 0), &reply);
    assert_fails(cz_engine_await(c->e, reply.job_id, 0, &r), CZ_E_CANCELLED, "stopping");
    return NULL;
}

static void stopping_tells_the_waiters(void **state)
{
    client c;
    pthread_t thread;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    c = (client){b.e, 0};
    assert_int_equal(pthread_create(&thread, NULL, await_stopped, &c), 0);
    toy_wait_held(&b.t, 1);
    toy_sleep_us(20000);
    (void)pthread_mutex_lock(&b.e->lock); /* the stop that cz_engine_stop begins with */
    b.e->stopping = true;
    (void)pthread_cond_broadcast(&b.e->changed);
    (void)pthread_mutex_unlock(&b.e->lock);
    (void)pthread_join(thread, NULL);
    toy_open_gate(&b.t, &b.t.hold_prove);
    finish(&b);
}

/* --- watching --- */

typedef struct {
    pthread_mutex_t lock;
    unsigned called;
    cz_job_status last;
} told;

static void note_end(void *ctx, const cz_result *result)
{
    told *t = ctx;

    (void)pthread_mutex_lock(&t->lock);
    t->called++;
    t->last = result->status;
    (void)pthread_mutex_unlock(&t->lock);
}

static void watchers_are_told_once(void **state)
{
    told t = {.lock = PTHREAD_MUTEX_INITIALIZER}, never = {.lock = PTHREAD_MUTEX_INITIALIZER};
    cz_submit_reply reply;
    uint64_t watch, other;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &reply);
    assert_ok(cz_engine_watch(b.e, reply.job_id, note_end, &t, &watch));
    assert_ok(cz_engine_watch(b.e, reply.job_id, note_end, &never, &other));
    assert_true(cz_engine_unwatch(b.e, other));
    assert_false(cz_engine_unwatch(b.e, other));
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 1);
    assert_ok(cz_engine_watch(b.e, reply.job_id, note_end, &never, &other)); /* ended: at once */
    assert_int_equal(never.called, 1);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 1, 0), &reply);
    toy_wait_held(&b.t, 1);
    assert_ok(cz_engine_watch(b.e, reply.job_id, note_end, &never, &other));
    toy_open_gate(&b.t, &b.t.hold_prove);
    finish(&b); /* B ended or was stopped: told in both cases */
    assert_int_equal(t.called, 1);
    assert_int_equal(t.last, CZ_JOB_COMPLETED);
    assert_int_equal(never.called, 2);
}

/* --- parameters --- */

/* What an eviction came to. */
typedef struct {
    bench *b;
    bool told, was_loaded;
    cz_err err;
    uint64_t freed;
    char message[256];
} eviction;

static void note_evicted(void *ctx, cz_err err, bool was_loaded, uint64_t freed)
{
    eviction *v = ctx;

    (void)pthread_mutex_lock(&v->b->t.lock);
    v->err = err;
    v->was_loaded = was_loaded;
    v->freed = freed;
    if (err != CZ_OK)
        (void)snprintf(v->message, sizeof v->message, "%s", cz_err_message());
    v->told = true;
    (void)pthread_cond_broadcast(&v->b->t.moved);
    (void)pthread_mutex_unlock(&v->b->t.lock);
}

static cz_err evict(bench *b, bool *was_loaded, uint64_t *freed)
{
    eviction v = {.b = b};

    cz_engine_evict_then(b->e, "porep-2048", note_evicted, &v);
    (void)pthread_mutex_lock(&b->t.lock);
    while (!v.told)
        (void)pthread_cond_wait(&b->t.moved, &b->t.lock);
    (void)pthread_mutex_unlock(&b->t.lock);
    *was_loaded = v.was_loaded;
    *freed = v.freed;
    return v.err == CZ_OK ? CZ_OK : cz_fail(v.err, "%s", v.message);
}

static void parameters_are_preloaded_and_evicted(void **state)
{
    cz_submit_reply reply;
    uint64_t ms, freed;
    bool already, was_loaded;
    bench b;

    (void)state;
    start_plain(&b);
    assert_ok(cz_engine_preload(b.e, "porep-2048", &already, &ms));
    assert_false(already);
    assert_int_equal(b.t.hot, 1);
    assert_ok(cz_engine_preload(b.e, "porep-2048", &already, &ms));
    assert_true(already);
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 0), &reply);
    toy_wait_held(&b.t, 1);
    assert_fails(evict(&b, &was_loaded, &freed), CZ_E_DECLINED, "in use");
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 1);
    assert_ok(evict(&b, &was_loaded, &freed));
    assert_true(was_loaded);
    assert_int_equal(freed, 100);
    assert_int_equal(b.t.warm, 0);
    assert_ok(evict(&b, &was_loaded, &freed));
    assert_false(was_loaded);
    assert_int_equal(freed, 0);
    b.t.bad_params = true;
    assert_fails(cz_engine_preload(b.e, "porep-2048", &already, &ms), CZ_E_INPUT, "too short");
    b.t.bad_params = false;
    b.t.fail_heat = true;
    assert_fails(cz_engine_preload(b.e, "porep-2048", &already, &ms), CZ_E_NOMEM, "no memory");
    b.t.fail_heat = false;
    toy_expect(b.e, toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 1, 0), &reply), 'B', 1);
    finish(&b);
}

static void a_preload_that_does_not_fit_says_so(void **state)
{
    cz_engine_options o;
    bool already;
    uint64_t ms;
    bench b;

    (void)state;
    o = begin(&b);
    o.host_bytes = 110;
    start(&b, &o);
    assert_fails(cz_engine_preload(b.e, "porep-2048", &already, &ms), CZ_E_NOMEM, "the budget is");
    finish(&b);
}

/* --- memory --- */

static unsigned looks_so_far(bench *b)
{
    unsigned n;

    (void)pthread_mutex_lock(&b->t.lock);
    n = b->t.looks;
    (void)pthread_mutex_unlock(&b->t.lock);
    return n;
}

/* Two workers lack memory that the loader, busy just now, will give back. */
static void who_waits_for_memory_does_not_wake_the_others(void **state)
{
    cz_submit_reply first, second;
    cz_engine_options o;
    unsigned looks;
    bench b;

    (void)state;
    o = begin(&b);
    o.synthesis_workers = 2;
    o.lookahead = 3;
    o.host_bytes = 100 + 5 + 2 * 20 + 15;
    b.t.hold_heat = true;
    start(&b, &o);
    (void)toy_submit(b.e, toy_request("a", CZ_KIND_POREP, 'A', 3, 0), &first);
    wait_for_log(&b, "s:A1");
    toy_wait_held(&b.t, 1);
    (void)pthread_mutex_lock(&b.t.lock);
    b.t.idle = 10;
    (void)pthread_mutex_unlock(&b.t.lock);
    (void)toy_submit(b.e, toy_request("b", CZ_KIND_POREP, 'B', 1, 0), &second); /* they look */
    toy_sleep_us(10000);
    looks = looks_so_far(&b);
    toy_sleep_us(50000);
    looks = looks_so_far(&b) - looks;
    toy_open_gate(&b.t, &b.t.hold_heat);
    toy_expect(b.e, first.job_id, 'A', 3);
    toy_expect(b.e, second.job_id, 'B', 1);
    finish(&b);
    assert_true(looks < 20);
}

/* --- status --- */

static void the_status_shows_the_pipeline(void **state)
{
    cz_submit_reply reply;
    cz_engine_status *s;
    bench b;

    (void)state;
    start_plain(&b);
    b.t.hold_prove = true;
    b.t.pinned = 70;
    b.t.pinned_limit = 300;
    (void)toy_submit(b.e, toy_request("porep-1000-7", CZ_KIND_POREP, 'A', 3, 0), &reply);
    toy_wait_held(&b.t, 1);
    toy_sleep_us(20000);
    s = status_of(&b);
    assert_int_equal(s->n_jobs, 1);
    assert_string_equal(s->job_views[0].job_id, reply.job_id);
    assert_string_equal(s->job_views[0].request_id, "porep-1000-7");
    assert_string_equal(s->job_views[0].circuit_id, "porep-2048");
    assert_string_equal(s->job_views[0].state, "active");
    assert_int_equal(s->job_views[0].n_parts, 3);
    assert_int_equal(s->job_views[0].parts[0].phase, CZ_PART_GPU);
    assert_true(s->job_views[0].parts[0].has_synth);
    assert_false(s->job_views[0].parts[0].has_gpu);
    assert_int_equal(s->job_views[0].parts[1].phase, CZ_PART_SYNTH_DONE);
    assert_int_equal(s->job_views[0].parts[2].phase, CZ_PART_PENDING);
    assert_int_equal(s->in_progress[CZ_KIND_POREP], 1);
    assert_int_equal(s->pending[CZ_KIND_POREP], 0);
    assert_int_equal(s->memory_used, 100 + 2 * 20 + 5);
    assert_int_equal(s->pinned_bytes, 70);
    assert_int_equal(s->pinned_limit, 300);
    assert_int_equal(s->n_workers, 2);
    assert_true(s->workers[1].proves && s->workers[1].busy);
    assert_string_equal(s->workers[1].stage, "prove");
    assert_string_equal(s->devices[0].job_id, reply.job_id);
    assert_int_equal(s->n_keys, 1);
    assert_int_equal(s->keys[0].tier, CZ_TIER_HOT);
    assert_int_equal(s->keys[0].refs, 2);
    assert_false(s->keys[0].evictable);
    assert_int_equal(s->keys[0].file_bytes, 1000);
    assert_string_equal(s->waits_for, "provers");
    cz_engine_status_destroy(s);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 3);
    s = status_of(&b);
    assert_string_equal(s->job_views[0].state, "ended"); /* shown for a while */
    assert_int_equal(s->job_views[0].n_done, 3);
    assert_int_equal(s->jobs, 0);
    assert_int_equal(s->counters.timed[CZ_TIMED_PROVE][CZ_KIND_POREP].count, 3);
    assert_int_equal(s->counters.timed[CZ_TIMED_TOTAL][CZ_KIND_POREP].count, 1);
    cz_engine_status_destroy(s);
    finish(&b);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(proofs_come_back_in_partition_order),
    cmocka_unit_test(many_clients_get_their_own_proofs),
    cmocka_unit_test(stages_overlap),
    cmocka_unit_test(equal_requests_are_one_job),
    cmocka_unit_test(a_message_that_is_no_utf8_is_repaired),
    cmocka_unit_test(a_failed_job_runs_again),
    cmocka_unit_test(a_queued_job_is_cancelled_at_once),
    cmocka_unit_test(a_running_job_is_cancelled_in_every_stage),
    cmocka_unit_test(the_last_caller_who_leaves_cancels),
    cmocka_unit_test(who_left_a_run_does_not_end_the_next),
    cmocka_unit_test(a_deadline_ends_the_job),
    cmocka_unit_test(awaiting_can_time_out),
    cmocka_unit_test(a_stage_without_progress_is_reported),
    cmocka_unit_test(a_full_queue_refuses),
    cmocka_unit_test(requests_without_a_journal_have_a_share_of_memory),
    cmocka_unit_test(wrong_requests_are_refused_at_submit),
    cmocka_unit_test(draining_ends_what_was_accepted),
    cmocka_unit_test(stopping_tells_the_waiters),
    cmocka_unit_test(watchers_are_told_once),
    cmocka_unit_test(parameters_are_preloaded_and_evicted),
    cmocka_unit_test(a_preload_that_does_not_fit_says_so),
    cmocka_unit_test(who_waits_for_memory_does_not_wake_the_others),
    cmocka_unit_test(the_status_shows_the_pipeline),
};

CZ_TEST_MAIN(cases)
