/* What the engine remembers of jobs that ended. */
#include "toy_prover.h"

static void what_ended_is_remembered_newest_first(void **state)
{
    cz_recent_job recent[CZ_RECENT_JOBS];
    cz_engine_options o;
    cz_submit_reply done, failed;
    cz_backend backend;
    cz_result result;
    cz_engine *e;
    toy t;

    (void)state;
    toy_init(&t);
    t.synth_us = 2000;
    t.bad_proofs = 1;
    t.fail_synth_tag = 'B';
    backend = toy_backend(&t);
    o = toy_options(&t, &backend);
    assert_ok(cz_engine_create(&e, &o));
    assert_int_equal(cz_engine_recent(e, recent, CZ_RECENT_JOBS), 0);
    assert_ok(cz_engine_start(e));
    (void)toy_submit(e, toy_request("first", CZ_KIND_POREP, 'A', 3, 0), &done);
    toy_expect(e, done.job_id, 'A', 3);
    (void)toy_submit(e, toy_request("second", CZ_KIND_SNAP, 'B', 2, 0), &failed);
    assert_ok(cz_engine_await(e, failed.job_id, 0, &result));
    cz_result_clear(&result);

    assert_int_equal(cz_engine_recent(e, recent, CZ_RECENT_JOBS), 2);
    assert_string_equal(recent[0].job_id, failed.job_id);
    assert_int_equal(recent[0].status, CZ_JOB_FAILED);
    assert_non_null(strstr(recent[0].error, "constraint 7"));
    assert_string_equal(recent[1].job_id, done.job_id);
    assert_string_equal(recent[1].request_id, "first");
    assert_string_equal(recent[1].circuit_id, "porep-2048");
    assert_int_equal(recent[1].status, CZ_JOB_COMPLETED);
    assert_string_equal(recent[1].error, "");
    assert_int_equal(recent[1].partitions, 3);
    assert_int_equal(recent[1].retried, 1);
    assert_true(recent[1].phase_ms[CZ_PHASE_WITNESS] >= 4 * 2); /* one partition twice */
    assert_true(recent[1].phase_ms[CZ_PHASE_VERIFY] > 0);
    assert_true(recent[1].ended_ms > 1500000000000u);
    assert_int_equal(cz_engine_recent(e, recent, 1), 1); /* no more than there is room for */
    assert_string_equal(recent[0].job_id, failed.job_id);
    cz_engine_destroy(e);
    toy_assert_clean(&t);
    toy_clear(&t);
}

/* A stopped engine: notes are made by hand. */
static void the_ring_keeps_the_latest(void **state)
{
    cz_recent_job recent[CZ_RECENT_JOBS + 1];
    char request_id[300];
    cz_ejob job = {.request_id = request_id, .kind = CZ_KIND_WINNING};
    cz_engine_options o;
    cz_backend backend;
    cz_engine *e;
    toy t;

    (void)state;
    toy_init(&t);
    backend = toy_backend(&t);
    o = toy_options(&t, &backend);
    assert_ok(cz_engine_create(&e, &o));
    (void)memset(request_id, 'x', sizeof request_id - 1);
    request_id[sizeof request_id - 1] = '\0';
    for (unsigned i = 0; i < CZ_RECENT_JOBS + 7; i++) {
        (void)snprintf(job.id, sizeof job.id, "%u", i);
        cz_recent_note(&e->recent, &job);
    }
    assert_int_equal(cz_engine_recent(e, recent, CZ_RECENT_JOBS + 1), CZ_RECENT_JOBS);
    assert_string_equal(recent[0].job_id, "56");
    assert_string_equal(recent[CZ_RECENT_JOBS - 1].job_id, "7");
    assert_int_equal(strlen(recent[0].request_id), sizeof recent[0].request_id - 1);
    cz_engine_destroy(e);
    toy_clear(&t);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(what_ended_is_remembered_newest_first),
    cmocka_unit_test(the_ring_keeps_the_latest),
};

CZ_TEST_MAIN(cases)
