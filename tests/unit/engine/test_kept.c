/* Proofs that were there before: they leave as they were verified and for the keys that count now,
 * or not at all. */
#include "toy_prover.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "engine/request_codec.h"
#include "engine/submit.h"

static void fresh(const char *dir)
{
    char command[256];

    (void)snprintf(command, sizeof command, "rm -rf '%s'", dir);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own folder */
}

/* What others do to a journal that nobody has open. */
static void change(const char *dir, const char *sql)
{
    char path[256];
    sqlite3 *db;

    (void)snprintf(path, sizeof path, "%s/journal.db", dir);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

typedef struct {
    toy t;
    cz_backend backend;
    cz_journal *journal;
    cz_engine *e;
} bench;

/* dir: NULL: without a journal. */
static void start(bench *b, const char *dir, uint8_t params)
{
    cz_engine_options o;

    toy_init(&b->t);
    b->t.params = params;
    b->backend = toy_backend(&b->t);
    o = toy_options(&b->t, &b->backend);
    b->journal = NULL;
    if (dir != NULL)
        assert_ok(cz_journal_open(&b->journal, dir));
    o.journal = b->journal;
    assert_ok(cz_engine_create(&b->e, &o));
    assert_ok(cz_engine_start(b->e));
}

static void finish(bench *b)
{
    cz_engine_destroy(b->e);
    if (b->journal != NULL)
        cz_journal_close(b->journal);
    toy_assert_clean(&b->t);
    toy_clear(&b->t);
}

/* The same request every time; was its proof there? */
static bool submit(bench *b, char id[CZ_JOB_ID_BYTES])
{
    cz_submit_reply reply;

    (void)toy_submit(b->e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &reply);
    (void)memcpy(id, reply.job_id, CZ_JOB_ID_BYTES);
    toy_expect(b->e, id, 'A', 2);
    return reply.joined;
}

static void no_end(void *ctx, const cz_result *result)
{
    (void)ctx;
    (void)result;
    fail_msg("a proof left");
}

/* By its id nobody gets it, and is told why. To cancel it is to come too late, as ever. */
static void assert_kept_back(bench *b, const char *id, const char *why)
{
    uint64_t watch;
    cz_result r;
    bool was_running = true;

    assert_fails(cz_engine_await(b->e, id, 1000, &r), CZ_E_NOTFOUND, why);
    assert_non_null(strstr(cz_err_message(), "submit the request again"));
    assert_fails(cz_engine_watch(b->e, id, no_end, NULL, &watch), CZ_E_NOTFOUND, why);
    assert_ok(cz_engine_cancel(b->e, id, &was_running));
    assert_false(was_running);
}

static void keep_a_proof(const char *dir, uint8_t params, char id[CZ_JOB_ID_BYTES])
{
    bench b;

    fresh(dir);
    start(&b, dir, params);
    assert_false(submit(&b, id));
    finish(&b);
}

/* --- damage --- */

/* Whatever of a kept proof is changed: it stays where it is, and its request is proved anew. */
static void a_damaged_proof_is_made_anew(void **state)
{
    static const char *const damages[] = {
        "UPDATE jobs SET proof = CAST(x'FF' || substr(proof, 2) AS BLOB)",
        "UPDATE jobs SET proof = substr(proof, 1, 192)",
        "UPDATE jobs SET proof = NULL",
        "UPDATE jobs SET key_tag = zeroblob(32)",
        "UPDATE jobs SET key_tag = x'00'",
        "UPDATE jobs SET circuit = 'porep-4096'",
        "UPDATE jobs SET kind = 2",
        "UPDATE jobs SET seal = zeroblob(32)",
        "UPDATE jobs SET status = 77",
    };
    char id[CZ_JOB_ID_BYTES];
    bench b;

    (void)state;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        keep_a_proof("k-damage", 1, id);
        change("k-damage", damages[i]);
        start(&b, "k-damage", 1);
        assert_kept_back(&b, id, "damaged");
        assert_false(submit(&b, id));
        finish(&b);
    }
    start(&b, "k-damage", 1); /* the new one is as good as any */
    toy_expect(b.e, id, 'A', 2);
    assert_true(submit(&b, id));
    assert_string_equal(b.t.log, "");
    finish(&b);
    fresh("k-damage");
}

/* Nor does a proof leave with another status, or under another job's id. */
static void a_proof_leaves_as_what_it_is(void **state)
{
    char id[CZ_JOB_ID_BYTES];
    cz_result r;
    bench b;

    (void)state;
    keep_a_proof("k-status", 1, id);
    change("k-status", "UPDATE jobs SET status = 2, error = 'x'");
    start(&b, "k-status", 1);
    assert_ok(cz_engine_await(b.e, id, 1000, &r));
    assert_int_equal(r.status, CZ_JOB_FAILED);
    assert_null(r.proof);
    cz_result_clear(&r);
    finish(&b);
    keep_a_proof("k-status", 1, id);
    change("k-status", "UPDATE jobs SET job_id = '0123456789abcdef0123456789abcdef'");
    start(&b, "k-status", 1);
    assert_kept_back(&b, "0123456789abcdef0123456789abcdef", "damaged");
    finish(&b);
    fresh("k-status");
}

/* --- other parameters --- */

static void a_proof_with_other_parameters_is_made_anew(void **state)
{
    char id[CZ_JOB_ID_BYTES];
    bench b;

    (void)state;
    keep_a_proof("k-params", 1, id);
    start(&b, "k-params", 2);
    assert_kept_back(&b, id, "it was proved with other parameters of porep-2048");
    assert_false(submit(&b, id));
    assert_non_null(strstr(b.t.log, "p:A1"));
    finish(&b);
    start(&b, "k-params", 1); /* and back */
    assert_kept_back(&b, id, "it was proved with other parameters of porep-2048");
    finish(&b);
    start(&b, "k-params", 2);
    assert_true(submit(&b, id));
    assert_string_equal(b.t.log, "");
    finish(&b);
    fresh("k-params");
}

/* Then nothing can be said of it. */
static void a_proof_without_parameters_stays(void **state)
{
    const cz_submit_options so = {0};
    char id[CZ_JOB_ID_BYTES];
    cz_submit_reply reply;
    bench b;

    (void)state;
    keep_a_proof("k-none", 1, id);
    start(&b, "k-none", 1);
    b.t.no_params = true;
    assert_kept_back(&b, id, "cannot be compared with the parameters: parameters of porep-2048");
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &so, &reply),
                 CZ_E_NOTFOUND, "no parameters");
    b.t.no_params = false; /* they are there again */
    assert_true(submit(&b, id));
    assert_string_equal(b.t.log, "");
    finish(&b);
    fresh("k-none");
}

static void note_evicted(void *ctx, cz_err err, bool was_loaded, uint64_t freed)
{
    (void)was_loaded;
    (void)freed;
    assert_ok(err);
    __atomic_store_n((bool *)ctx, true, __ATOMIC_RELEASE);
}

/* A partition gives its keys back a moment after its proof is known. */
static void evict(bench *b)
{
    bool evicted = false;

    assert_true(cz_engine_wait_idle(b->e, 20000));
    cz_engine_evict_then(b->e, "porep-2048", note_evicted, &evicted);
    while (!__atomic_load_n(&evicted, __ATOMIC_ACQUIRE))
        toy_sleep_us(1000);
}

/* While keys are open they count, and not the file: what would be proved now is proved with them.
 * Memory obeys the same law as the journal. */
static void open_keys_count_until_they_are_closed(void **state)
{
    static const char *const journals[] = {NULL, "k-open"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char id[CZ_JOB_ID_BYTES];
        bench b;

        fresh("k-open");
        start(&b, journals[i], 1);
        assert_false(submit(&b, id));
        toy_replace_params(&b.t, 2);
        assert_true(submit(&b, id));
        evict(&b);
        {
            uint64_t watch;
            cz_result r;

            assert_fails(cz_engine_await(b.e, id, 1000, &r), CZ_E_NOTFOUND, "other parameters");
            assert_fails(cz_engine_watch(b.e, id, no_end, NULL, &watch), CZ_E_NOTFOUND,
                         "other parameters");
        }
        assert_false(submit(&b, id));
        assert_true(submit(&b, id));
        finish(&b);
    }
    fresh("k-open");
}

/* --- of one key --- */

static void step(cz_engine *e, bool (*keeper)(cz_engine *))
{
    (void)pthread_mutex_lock(&e->lock);
    while (keeper(e))
        ;
    (void)pthread_mutex_unlock(&e->lock);
}

static bool work(cz_engine *e, bool (*one)(cz_engine *, cz_worker *), size_t worker)
{
    bool done;

    (void)pthread_mutex_lock(&e->lock);
    done = one(e, &e->workers[worker]);
    (void)pthread_mutex_unlock(&e->lock);
    return done;
}

/* One partition from its beginning to its end. */
static void make_one(bench *b)
{
    step(b->e, cz_step_loader);
    while (work(b->e, cz_step_synthesis, 0) && b->t.witnesses == 0)
        step(b->e, cz_step_loader);
    step(b->e, cz_step_loader);
    assert_true(work(b->e, cz_step_proving, 1));
    step(b->e, cz_step_finisher);
}

/* Keys that are replaced between the partitions of a job do not make a proof of both. */
static void a_job_is_of_one_key(void **state)
{
    cz_submit_reply reply;
    cz_engine_options o;
    bool evicted = false;
    bench b;

    (void)state;
    toy_init(&b.t);
    b.t.params = 1;
    b.backend = toy_backend(&b.t);
    o = toy_options(&b.t, &b.backend);
    b.journal = NULL;
    assert_ok(cz_engine_create(&b.e, &o));
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &reply);
    make_one(&b);
    toy_replace_params(&b.t, 2);
    cz_engine_evict_then(b.e, "porep-2048", note_evicted, &evicted);
    step(b.e, cz_step_loader);
    assert_true(evicted);
    make_one(&b);
    assert_int_equal(b.e->n_live, 1);
    make_one(&b);
    assert_int_equal(b.e->n_live, 0);
    toy_expect(b.e, reply.job_id, 'A', 2);
    assert_int_equal(b.e->counters.retries[CZ_KIND_POREP], 1);
    assert_non_null(strstr(b.t.log, "p:A0 v:A0 s:A1 p:A1 v:A1 s:A0 p:A0 v:A0"));
    assert_int_equal(b.e->ended->result.key_tag[0], 2);
    finish(&b);
}

/* --- journals of earlier versions --- */

/* As version 1 had it: an ended job with its proof, one that failed, one that has not ended. */
static void write_schema_1(const char *dir, const cz_journal_entry *e, const cz_request *r)
{
    char sql[1024], content[65];
    cz_journal *j;

    assert_ok(cz_journal_open(&j, dir));
    assert_ok(cz_journal_accept(j, e, r)); /* for its spooled request */
    cz_journal_close(j);
    change(dir,
           "DROP TABLE jobs;"
           "CREATE TABLE jobs (job_id TEXT PRIMARY KEY, request_id TEXT NOT NULL,"
           " content BLOB NOT NULL, kind INTEGER NOT NULL, priority INTEGER NOT NULL,"
           " accepted_ms INTEGER NOT NULL, status INTEGER NOT NULL DEFAULT 0,"
           " ended_ms INTEGER, proof BLOB, error TEXT, code INTEGER, queue_wait_ms INTEGER,"
           " srs_load_ms INTEGER, synthesis_ms INTEGER, gpu_compute_ms INTEGER,"
           " total_ms INTEGER);"
           "CREATE INDEX jobs_by_end ON jobs (status, ended_ms);"
           "PRAGMA user_version = 1;"
           "INSERT INTO jobs VALUES ('proved', 'p', zeroblob(32), 1, 2, 5, 1, 1e13, zeroblob(192),"
           " NULL, 0, 1, 1, 1, 1, 1);"
           "INSERT INTO jobs VALUES ('failed', 'f', zeroblob(32), 1, 2, 5, 2, 1e13, NULL,"
           " 'partition 3: x', 11, 1, 1, 1, 1, 1)");
    cz_hex_encode(content, e->content, 32);
    (void)snprintf(sql, sizeof sql,
                   "INSERT INTO jobs (job_id, request_id, content, kind, priority, accepted_ms)"
                   " VALUES ('%s', '%s', x'%s', %d, 2, 5)",
                   e->job_id, e->request_id, content, (int)e->kind);
    change(dir, sql);
}

static void journals_of_schema_1_go_on_without_their_proofs(void **state)
{
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'A', 2, 2);
    cz_journal_entry e = {.request_id = r->request_id, .kind = r->kind, .priority = 2};
    char id[CZ_JOB_ID_BYTES];
    bench b;

    (void)state;
    fresh("k-schema");
    cz_request_content(e.content, r);
    cz_job_id(e.job_id, e.content, r->request_id);
    write_schema_1("k-schema", &e, r);
    for (unsigned i = 0; i < 2; i++) {
        start(&b, "k-schema", 1);
        toy_expect(b.e, e.job_id, 'A', 2);
        toy_expect_end(b.e, "failed", CZ_JOB_FAILED, "partition 3: x");
        assert_kept_back(&b, "proved", "an earlier version kept its proof");
        assert_true(submit(&b, id));
        assert_string_equal(id, e.job_id);
        finish(&b);
    }
    change("k-schema", "PRAGMA user_version = 3");
    assert_fails(cz_journal_open(&b.journal, "k-schema"), CZ_E_UNSUPPORTED, "newer version");
    cz_request_destroy(r);
    fresh("k-schema");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(a_damaged_proof_is_made_anew),
    cmocka_unit_test(a_proof_leaves_as_what_it_is),
    cmocka_unit_test(a_proof_with_other_parameters_is_made_anew),
    cmocka_unit_test(a_proof_without_parameters_stays),
    cmocka_unit_test(open_keys_count_until_they_are_closed),
    cmocka_unit_test(a_job_is_of_one_key),
    cmocka_unit_test(journals_of_schema_1_go_on_without_their_proofs),
};

CZ_TEST_MAIN(cases)
