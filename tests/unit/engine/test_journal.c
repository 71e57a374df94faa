/* The journal: what was accepted survives, what ended is found again, what cannot be written is
 * said; and kill -9 at random moments. */
#include "toy_prover.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "engine/request_codec.h"
#include "engine/submit.h"

static void run_command(const char *format, const char *dir)
{
    char command[512];

    (void)snprintf(command, sizeof command, format, dir);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): our own folder */
}

/* A folder that a crashed run may have left behind is cleared. */
static void fresh(const char *dir)
{
    run_command("rm -rf '%s'", dir);
}

static cz_journal_entry entry_of(const cz_request *r)
{
    cz_journal_entry e = {.request_id = r->request_id,
                          .kind = r->kind,
                          .priority = r->priority,
                          .accepted_ms = cz_wall_ms()};

    cz_request_content(e.content, r);
    cz_job_id(e.job_id, e.content, r->request_id);
    return e;
}

static size_t files_in_spool(const char *dir)
{
    char command[512];
    FILE *p;
    size_t n = 0;

    (void)snprintf(command, sizeof command, "ls '%s/spool' | wc -l", dir);
    p = popen(command, "r"); /* NOLINT(cert-env33-c): our own folder */
    assert_non_null(p);
    assert_int_equal(fscanf(p, "%zu", &n), 1); /* NOLINT(cert-err34-c) */
    (void)pclose(p);
    return n;
}

static cz_err count_entry(void *ctx, const cz_journal_entry *entry)
{
    (void)entry;
    ++*(unsigned *)ctx;
    return CZ_OK;
}

static unsigned unfinished(cz_journal *j)
{
    unsigned n = 0;

    assert_ok(cz_journal_unfinished(j, count_entry, &n));
    return n;
}

/* --- the journal alone --- */

static void jobs_and_results_are_kept(void **state)
{
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'A', 2, 3), *back;
    const cz_journal_entry e = entry_of(r);
    uint8_t proof[384];
    cz_result result = {.kind = CZ_KIND_POREP,
                        .status = CZ_JOB_COMPLETED,
                        .proof = proof,
                        .proof_len = sizeof proof,
                        .total_ms = 77};
    cz_result found;
    cz_journal *j;

    (void)state;
    fresh("j-keep");
    cz_test_random_bytes(proof, sizeof proof);
    assert_ok(cz_journal_open(&j, "j-keep"));
    assert_ok(cz_journal_accept(j, &e, r));
    assert_fails(cz_journal_result(j, e.job_id, &found), CZ_E_NOTFOUND, "job not found");
    cz_journal_close(j);
    assert_ok(cz_journal_open(&j, "j-keep"));
    assert_int_equal(unfinished(j), 1);
    assert_ok(cz_journal_request(j, e.job_id, e.content, &back));
    assert_int_equal(back->vanilla_proof[1], 'A');
    (void)memcpy(result.job_id, e.job_id, sizeof result.job_id);
    assert_ok(cz_journal_finish(j, &result));
    assert_int_equal(files_in_spool("j-keep"), 0);
    cz_journal_close(j);
    assert_ok(cz_journal_open(&j, "j-keep"));
    assert_int_equal(unfinished(j), 0);
    assert_ok(cz_journal_result(j, e.job_id, &found));
    assert_int_equal(found.status, CZ_JOB_COMPLETED);
    assert_int_equal(found.total_ms, 77);
    assert_int_equal(found.proof_len, sizeof proof);
    assert_memory_equal(found.proof, proof, sizeof proof);
    cz_result_clear(&found);
    assert_ok(cz_journal_prune(j, cz_wall_ms() - 1000000));
    assert_ok(cz_journal_result(j, e.job_id, &found));
    cz_result_clear(&found);
    assert_ok(cz_journal_prune(j, cz_wall_ms() + 1000));
    assert_fails(cz_journal_result(j, e.job_id, &found), CZ_E_NOTFOUND, e.job_id);
    cz_journal_close(j);
    cz_request_destroy(r);
    cz_request_destroy(back);
    fresh("j-keep");
}

/* As earlier versions may have kept it. */
static void an_error_that_is_no_utf8_is_repaired(void **state)
{
    char wrong[] = "unknown: \xc3";
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'A', 2, 3);
    const cz_journal_entry e = entry_of(r);
    cz_result result = {.kind = CZ_KIND_POREP, .status = CZ_JOB_FAILED, .error = wrong};
    cz_result found;
    cz_journal *j;

    (void)state;
    fresh("j-text");
    assert_ok(cz_journal_open(&j, "j-text"));
    assert_ok(cz_journal_accept(j, &e, r));
    (void)memcpy(result.job_id, e.job_id, sizeof result.job_id);
    assert_ok(cz_journal_finish(j, &result));
    assert_ok(cz_journal_result(j, e.job_id, &found));
    assert_string_equal(found.error, "unknown: ?");
    cz_result_clear(&found);
    cz_journal_close(j);
    cz_request_destroy(r);
    fresh("j-text");
}

static void a_journal_has_one_owner(void **state)
{
    cz_journal *j, *other;

    (void)state;
    fresh("j-owner");
    assert_ok(cz_journal_open(&j, "j-owner"));
    assert_fails(cz_journal_open(&other, "j-owner"), CZ_E_DECLINED, "another process uses it");
    cz_journal_close(j);
    assert_ok(cz_journal_open(&other, "j-owner"));
    cz_journal_close(other);
    fresh("j-owner");
}

static unsigned mode_of(const char *path)
{
    struct stat st;

    assert_int_equal(stat(path, &st), 0);
    return (unsigned)st.st_mode & 0777;
}

static void others_may_not_read_it(void **state)
{
    const mode_t before = umask(0);
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'A', 2, 3);
    const cz_journal_entry e = entry_of(r);
    cz_journal *j;

    (void)state;
    fresh("j-modes");
    assert_ok(cz_journal_open(&j, "j-modes"));
    assert_ok(cz_journal_accept(j, &e, r));
    assert_int_equal(mode_of("j-modes"), 0700);
    assert_int_equal(mode_of("j-modes/spool"), 0700);
    assert_int_equal(mode_of("j-modes/journal.db"), 0600);
    assert_int_equal(mode_of("j-modes/journal.db-wal"), 0600);
    cz_journal_close(j);
    assert_int_equal(chmod("j-modes/journal.db", 0644), 0); /* as earlier versions made it */
    assert_ok(cz_journal_open(&j, "j-modes"));
    assert_int_equal(unfinished(j), 1);
    assert_int_equal(mode_of("j-modes/journal.db"), 0600);
    cz_journal_close(j);
    cz_request_destroy(r);
    (void)umask(before);
    fresh("j-modes");
}

static void damaged_inputs_and_strays_are_seen(void **state)
{
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'A', 2, 3), *back;
    const cz_journal_entry e = entry_of(r);
    char path[256];
    cz_journal *j;
    FILE *f;

    (void)state;
    fresh("j-bad");
    assert_ok(cz_journal_open(&j, "j-bad"));
    assert_ok(cz_journal_accept(j, &e, r));
    (void)snprintf(path, sizeof path, "j-bad/spool/%s", e.job_id);
    f = fopen(path, "r+");
    assert_non_null(f);
    (void)fseek(f, -9, SEEK_END);
    (void)fputc('!', f);
    (void)fclose(f);
    assert_fails(cz_journal_request(j, e.job_id, e.content, &back), CZ_E_INPUT, path);
    (void)unlink(path);
    assert_fails(cz_journal_request(j, e.job_id, e.content, &back), CZ_E_NOTFOUND, path);
    cz_journal_close(j);
    run_command("cd '%s/spool' && touch 0123456789abcdef0123456789abcdef", "j-bad");
    run_command("cd '%s/spool' && touch 0123456789abcdef0123456789abcdef.tmp-7", "j-bad");
    run_command("cd '%s/spool' && touch mail 0123 0123456789abcdef0123456789abcdef.c", "j-bad");
    assert_ok(cz_journal_open(&j, "j-bad"));
    assert_int_equal(files_in_spool("j-bad"), 3); /* those of somebody else */
    cz_journal_close(j);
    cz_request_destroy(r);
    fresh("j-bad");
}

static void a_folder_that_cannot_be_is_named(void **state)
{
    cz_journal *j;

    (void)state;
    assert_fails(cz_journal_open(&j, "/dev/null/x"), CZ_E_IO, "/dev/null/x");
    fresh("j-file");
    run_command("touch '%s'", "j-file");
    assert_fails(cz_journal_open(&j, "j-file"), CZ_E_IO, "j-file");
    fresh("j-file");
}

/* --- engine and journal --- */

typedef struct {
    toy t;
    cz_backend backend;
    cz_journal *journal;
    cz_engine *e;
} bench;

static void start(bench *b, const char *dir)
{
    cz_engine_options o;

    toy_init(&b->t);
    b->backend = toy_backend(&b->t);
    o = toy_options(&b->t, &b->backend);
    assert_ok(cz_journal_open(&b->journal, dir));
    o.journal = b->journal;
    assert_ok(cz_engine_create(&b->e, &o));
    assert_ok(cz_engine_start(b->e));
}

static void finish(bench *b)
{
    cz_engine_destroy(b->e);
    cz_journal_close(b->journal);
    toy_assert_clean(&b->t);
    toy_clear(&b->t);
}

static void a_restart_finishes_what_was_accepted(void **state)
{
    char ids[4][CZ_JOB_ID_BYTES];
    cz_submit_reply reply;
    bench b;

    (void)state;
    fresh("j-restart");
    start(&b, "j-restart");
    b.t.hold_prove = true;
    for (unsigned i = 0; i < 4; i++) {
        (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, (char)('A' + i), 2, 0), &reply);
        (void)memcpy(ids[i], reply.job_id, sizeof ids[i]);
    }
    toy_wait_held(&b.t, 1);
    (void)pthread_mutex_lock(&b.e->lock);
    b.e->stopping = true;
    (void)pthread_mutex_unlock(&b.e->lock);
    toy_open_gate(&b.t, &b.t.hold_prove);
    finish(&b);
    start(&b, "j-restart");
    for (unsigned i = 0; i < 4; i++)
        toy_expect(b.e, ids[i], (char)('A' + i), 2);
    finish(&b);
    /* the proofs are there after one more restart, without a second run */
    start(&b, "j-restart");
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'C', 2, 0), &reply);
    assert_true(reply.joined);
    assert_string_equal(reply.job_id, ids[2]);
    toy_expect(b.e, ids[2], 'C', 2);
    toy_expect(b.e, ids[3], 'D', 2);
    assert_string_equal(b.t.log, "");
    finish(&b);
    fresh("j-restart");
}

/* A stop ends their calls, and says that the jobs go on. */
static void who_leaves_during_a_stop_ends_no_job(void **state)
{
    const cz_submit_options attached = {.attached = true};
    cz_submit_reply reply;
    bench b;

    (void)state;
    fresh("j-leave");
    start(&b, "j-leave");
    b.t.hold_prove = true;
    assert_ok(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &attached, &reply));
    toy_wait_held(&b.t, 1);
    (void)pthread_mutex_lock(&b.e->lock);
    b.e->stopping = true;
    (void)pthread_mutex_unlock(&b.e->lock);
    cz_engine_leave_run(b.e, reply.job_id, reply.run);
    toy_open_gate(&b.t, &b.t.hold_prove);
    finish(&b);
    start(&b, "j-leave");
    toy_expect(b.e, reply.job_id, 'A', 2);
    finish(&b);
    fresh("j-leave");
}

static void lost_inputs_fail_their_job_only(void **state)
{
    cz_request *a = toy_request("r", CZ_KIND_POREP, 'A', 2, 2);
    cz_request *c = toy_request("r", CZ_KIND_POREP, 'C', 2, 2);
    const cz_journal_entry ea = entry_of(a), ec = entry_of(c);
    char path[256];
    cz_journal *j;
    bench b;

    (void)state;
    fresh("j-lost");
    assert_ok(cz_journal_open(&j, "j-lost"));
    assert_ok(cz_journal_accept(j, &ea, a));
    assert_ok(cz_journal_accept(j, &ec, c));
    cz_journal_close(j);
    (void)snprintf(path, sizeof path, "j-lost/spool/%s", ea.job_id);
    (void)unlink(path);
    start(&b, "j-lost");
    toy_expect_end(b.e, ea.job_id, CZ_JOB_FAILED, "after a restart: spool");
    toy_expect(b.e, ec.job_id, 'C', 2);
    finish(&b);
    cz_request_destroy(a);
    cz_request_destroy(c);
    fresh("j-lost");
}

/* Inputs are compared when their job is taken, not before the start. */
static void damaged_inputs_fail_their_job_when_it_is_taken(void **state)
{
    cz_request *a = toy_request("r", CZ_KIND_POREP, 'A', 2, 2);
    cz_request *c = toy_request("r", CZ_KIND_POREP, 'C', 2, 2);
    const cz_journal_entry ea = entry_of(a), ec = entry_of(c);
    char path[256];
    cz_journal *j;
    FILE *file;
    bench b;

    (void)state;
    fresh("j-damaged");
    assert_ok(cz_journal_open(&j, "j-damaged"));
    assert_ok(cz_journal_accept(j, &ea, a));
    assert_ok(cz_journal_accept(j, &ec, c));
    cz_journal_close(j);
    (void)snprintf(path, sizeof path, "j-damaged/spool/%s", ea.job_id);
    file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, -9, SEEK_END), 0); /* the vanilla proof's last byte */
    assert_int_equal(fputc('X', file), 'X');
    assert_int_equal(fclose(file), 0);
    start(&b, "j-damaged");
    toy_expect_end(b.e, ea.job_id, CZ_JOB_FAILED, "damaged: its content is not what was accepted");
    toy_expect(b.e, ec.job_id, 'C', 2);
    assert_null(strstr(b.t.log, "X"));
    finish(&b);
    cz_request_destroy(a);
    cz_request_destroy(c);
    fresh("j-damaged");
}

/* As a later program's journal may have them: kinds are numbers there, and an index here. */
static void a_kind_that_is_not_known_is_left_alone(void **state)
{
    cz_request *a = toy_request("r", CZ_KIND_POREP, 'A', 2, 2);
    cz_request *c = toy_request("r", CZ_KIND_POREP, 'C', 2, 2);
    cz_journal_entry ea = entry_of(a), ec = entry_of(c);
    cz_journal *j;
    bench b;

    (void)state;
    fresh("j-kinds");
    assert_ok(cz_journal_open(&j, "j-kinds"));
    ea.kind = (cz_proof_kind)1000000000;
    assert_ok(cz_journal_accept(j, &ea, a));
    assert_ok(cz_journal_accept(j, &ec, c));
    cz_journal_close(j);
    start(&b, "j-kinds");
    toy_expect(b.e, ec.job_id, 'C', 2);
    assert_true(cz_engine_wait_idle(b.e, 20000));
    assert_int_equal(unfinished(b.journal), 1);
    finish(&b);
    cz_request_destroy(a);
    cz_request_destroy(c);
    fresh("j-kinds");
}

/* No file may grow: what a full disk does to the spool. The engine says so and serves on. */
static void a_full_disk_refuses_and_the_engine_serves_on(void **state)
{
    const cz_submit_options so = {0};
    struct rlimit old, none;
    cz_submit_reply reply;
    cz_engine_status *s;
    bench b;

    (void)state;
    fresh("j-full");
    start(&b, "j-full");
    toy_expect(b.e, toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &reply), 'A', 2);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &old);
    none = (struct rlimit){16, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &so, &reply),
                 CZ_E_IO, "j-full/spool");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_ok(cz_engine_status_create(&s, b.e));
    assert_int_equal(s->jobs, 0);
    assert_int_equal(s->counters.journal_errors, 1);
    cz_engine_status_destroy(s);
    toy_expect(b.e, toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &reply), 'B', 2);
    finish(&b);
    fresh("j-full");
}

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;

    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* What could not be kept was large: there must be room for as much. */
static void a_journal_that_fails_is_probed(void **state)
{
    char why[CZ_JOURNAL_WHY_BYTES], tag[] = "A";
    cz_journal_entry e = {.job_id = "0123456789abcdef0123456789abcdef", .request_id = "r"};
    cz_request r = {.request_id = tag, .kind = CZ_KIND_POREP, .vanilla_proof_len = 1 << 20};
    cz_journal *j;

    (void)state;
    fresh("j-probe");
    r.vanilla_proof = calloc(1, r.vanilla_proof_len);
    assert_non_null(r.vanilla_proof);
    assert_ok(cz_journal_open(&j, "j-probe"));
    assert_false(cz_journal_is_failing(j, why));
    assert_string_equal(why, "");
    limit_files(1 << 19);
    assert_fails(cz_journal_accept(j, &e, &r), CZ_E_IO, "j-probe/spool");
    assert_true(cz_journal_is_failing(j, why));
    assert_non_null(strstr(why, "j-probe/spool"));
    assert_fails(cz_journal_probe(j), CZ_E_IO, "j-probe/spool");
    assert_true(cz_journal_is_failing(j, why));
    limit_files(RLIM_INFINITY);
    assert_ok(cz_journal_probe(j));
    assert_false(cz_journal_is_failing(j, why));
    assert_int_equal(files_in_spool("j-probe"), 0);
    limit_files(16); /* small files can be made, and the database not be written */
    assert_fails(cz_journal_probe(j), CZ_E_IO, "cannot write");
    assert_true(cz_journal_is_failing(j, why));
    limit_files(RLIM_INFINITY);
    r.vanilla_proof_len = 1;
    assert_ok(cz_journal_accept(j, &e, &r));
    assert_false(cz_journal_is_failing(j, why));
    cz_journal_close(j);
    free(r.vanilla_proof);
    fresh("j-probe");
}

static cz_err note_priority(void *ctx, const cz_journal_entry *entry)
{
    *(unsigned *)ctx = entry->priority;
    return CZ_OK;
}

static unsigned kept_priority(const bench *b)
{
    unsigned priority = 0;

    assert_ok(cz_journal_unfinished(b->journal, note_priority, &priority));
    return priority;
}

/* The highest that was asked for counts after a restart, too. */
static void a_raised_priority_is_kept(void **state)
{
    cz_submit_reply reply;
    bench b;

    (void)state;
    fresh("j-raise");
    start(&b, "j-raise");
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 2), &reply);
    toy_wait_held(&b.t, 1);
    assert_int_equal(kept_priority(&b), 2);
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 4), &reply);
    assert_true(reply.joined);
    assert_int_equal(kept_priority(&b), 4);
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 1, 1), &reply);
    assert_int_equal(kept_priority(&b), 4);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 1);
    assert_ok(cz_journal_raise(b.journal, reply.job_id, 9)); /* too late: it is as it was */
    assert_int_equal(kept_priority(&b), 0);
    finish(&b);
    fresh("j-raise");
}

static void later(cz_engine *e, uint64_t ns)
{
    (void)pthread_mutex_lock(&e->lock);
    (void)cz_step_clerk(e, cz_clock_ns() + ns);
    (void)pthread_mutex_unlock(&e->lock);
}

static size_t n_ended(cz_engine *e)
{
    size_t n;

    (void)pthread_mutex_lock(&e->lock);
    n = e->n_ended;
    (void)pthread_mutex_unlock(&e->lock);
    return n;
}

/* Memory is then all that has the proof: a client that comes later than displays need it finds it
 * there. */
static void a_proof_that_is_not_kept_stays_in_memory(void **state)
{
    struct rlimit old, none;
    cz_submit_reply reply;
    bench b;

    (void)state;
    fresh("j-unkept");
    start(&b, "j-unkept");
    b.t.hold_prove = true;
    (void)toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'A', 2, 0), &reply);
    toy_wait_held(&b.t, 1);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)getrlimit(RLIMIT_FSIZE, &old);
    none = (struct rlimit){16, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    toy_open_gate(&b.t, &b.t.hold_prove);
    toy_expect(b.e, reply.job_id, 'A', 2);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(b.e->counters.journal_errors, 1);
    later(b.e, (uint64_t)60 * 1000000000);
    toy_expect(b.e, reply.job_id, 'A', 2);
    for (unsigned i = 0; i < 3000 && n_ended(b.e) != 0; i++) { /* its worker may not be through */
        later(b.e, (uint64_t)2 * 86400 * 1000000000);          /* not for ever */
        (void)usleep(10000);
    }
    assert_int_equal(n_ended(b.e), 0);
    finish(&b);
    fresh("j-unkept");
}

static void a_spool_that_is_gone_refuses(void **state)
{
    const cz_submit_options so = {0};
    cz_submit_reply reply;
    bench b;

    (void)state;
    fresh("j-gone");
    start(&b, "j-gone");
    run_command("rmdir '%s/spool'", "j-gone");
    assert_fails(cz_engine_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &so, &reply),
                 CZ_E_IO, "j-gone/spool");
    run_command("mkdir '%s/spool'", "j-gone");
    toy_expect(b.e, toy_submit(b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &reply), 'B', 2);
    finish(&b);
    fresh("j-gone");
}

/* --- a job that cannot be written, whose id others know already --- */

typedef struct {
    bench b;
    cz_job_status told, awaited;
    char why[256];
    char id[CZ_JOB_ID_BYTES];
} waiting;

static void *submit_unwritable(void *arg)
{
    const cz_submit_options so = {0};
    waiting *w = arg;
    cz_submit_reply reply;

    assert_fails(cz_engine_submit(w->b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &so, &reply),
                 CZ_E_IO, "/spool/");
    return NULL;
}

static void *await_unwritable(void *arg)
{
    waiting *w = arg;
    cz_result result;

    assert_ok(cz_engine_await(w->b.e, w->id, 0, &result));
    w->awaited = result.status;
    cz_result_clear(&result);
    return NULL;
}

static void note_end(void *ctx, const cz_result *result)
{
    waiting *w = ctx;

    w->told = result->status;
    (void)snprintf(w->why, sizeof w->why, "%s", result->error);
}

static void wait_until_awaited(cz_engine *e)
{
    bool awaited = false;

    while (!awaited) {
        (void)pthread_mutex_lock(&e->lock);
        awaited = e->live != NULL && e->live->refs == 1;
        (void)pthread_mutex_unlock(&e->lock);
    }
}

/* Where its input goes: opening it waits for us, and syncing it fails. */
static void make_pipe(const waiting *w, const char *dir, char path[256])
{
    (void)snprintf(path, 256, "%s/spool/%s.tmp-%ld", dir, w->id, (long)getpid());
    assert_int_equal(mkfifo(path, 0600), 0);
}

typedef struct {
    waiting w; /* first */
    pthread_t submitter;
    char pipe[256];
} stopped;

/* Told that the engine stops, its job goes before this returns. */
static void let_the_job_go(void *ctx, const cz_result *result)
{
    stopped *s = ctx;
    const int fd = open(s->pipe, O_RDONLY);

    assert_true(fd >= 0);
    (void)pthread_join(s->submitter, NULL);
    (void)close(fd);
    s->w.told = result->status;
    assert_string_equal(result->job_id, s->w.id);
}

static void a_stop_tells_who_watches_a_job_that_goes_meanwhile(void **state)
{
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'B', 2, 0);
    stopped s = {.w = {.told = CZ_JOB_FAILED}};
    uint64_t watch;

    (void)state;
    fresh("j-stop");
    (void)memcpy(s.w.id, entry_of(r).job_id, sizeof s.w.id);
    cz_request_destroy(r);
    start(&s.w.b, "j-stop");
    make_pipe(&s.w, "j-stop", s.pipe);
    assert_int_equal(pthread_create(&s.submitter, NULL, submit_unwritable, &s), 0);
    while (cz_engine_watch(s.w.b.e, s.w.id, let_the_job_go, &s, &watch) != CZ_OK)
        toy_sleep_us(1000);
    cz_engine_stop(s.w.b.e);
    assert_int_equal(s.w.told, CZ_JOB_UNKNOWN);
    finish(&s.w.b);
    fresh("j-stop");
}

static void who_waits_for_what_cannot_be_written_is_told(void **state)
{
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'B', 2, 0);
    waiting w = {.told = CZ_JOB_UNKNOWN};
    pthread_t submitter, waiter;
    cz_submit_reply reply;
    uint64_t watch;
    const char *dir = "j-w\xc3"
                      "ait"; /* no UTF-8 */
    char pipe[256];
    int fd;

    (void)state;
    fresh(dir);
    (void)memcpy(w.id, entry_of(r).job_id, sizeof w.id);
    cz_request_destroy(r);
    start(&w.b, dir);
    make_pipe(&w, dir, pipe);
    assert_int_equal(pthread_create(&submitter, NULL, submit_unwritable, &w), 0);
    while (cz_engine_watch(w.b.e, w.id, note_end, &w, &watch) != CZ_OK)
        toy_sleep_us(1000);
    assert_int_equal(pthread_create(&waiter, NULL, await_unwritable, &w), 0);
    wait_until_awaited(w.b.e);
    fd = open(pipe, O_RDONLY);
    assert_true(fd >= 0);
    (void)pthread_join(submitter, NULL);
    (void)pthread_join(waiter, NULL);
    (void)close(fd);
    assert_int_equal(w.told, CZ_JOB_FAILED);
    assert_non_null(strstr(w.why, "j-w?ait/spool")); /* texts on the wire are UTF-8 */
    assert_int_equal(w.awaited, CZ_JOB_FAILED);
    toy_expect(w.b.e, toy_submit(w.b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &reply), 'B',
               2);
    finish(&w.b);
    fresh(dir);
}

/* --- an equal request that waits for it --- */

typedef struct {
    waiting w; /* first */
    pthread_t submitter, equal;
    char pipe[256];
    cz_err err;
    cz_submit_reply reply;
} two;

static void *submit_equal(void *arg)
{
    const cz_submit_options so = {0};
    two *t = arg;

    t->err = cz_engine_submit(t->w.b.e, toy_request("r", CZ_KIND_POREP, 'B', 2, 0), &so, &t->reply);
    return NULL;
}

/* The first of two equal requests is being written down, and never will be; the second waits for
 * it. */
static void start_two(two *t, const char *dir)
{
    cz_request *r = toy_request("r", CZ_KIND_POREP, 'B', 2, 0);
    uint64_t watch;

    fresh(dir);
    *t = (two){.err = CZ_E_INTERNAL};
    (void)memcpy(t->w.id, entry_of(r).job_id, sizeof t->w.id);
    cz_request_destroy(r);
    start(&t->w.b, dir);
    make_pipe(&t->w, dir, t->pipe);
    assert_int_equal(pthread_create(&t->submitter, NULL, submit_unwritable, t), 0);
    while (cz_engine_watch(t->w.b.e, t->w.id, note_end, t, &watch) != CZ_OK)
        toy_sleep_us(1000);
    assert_int_equal(pthread_create(&t->equal, NULL, submit_equal, t), 0);
    toy_sleep_us(30000);
}

static void fail_first(two *t)
{
    const int fd = open(t->pipe, O_RDONLY);

    assert_true(fd >= 0);
    (void)pthread_join(t->submitter, NULL);
    (void)close(fd);
}

static void assert_second_runs(two *t)
{
    (void)pthread_join(t->equal, NULL);
    assert_ok(t->err);
    assert_false(t->reply.joined);
    toy_expect(t->w.b.e, t->reply.job_id, 'B', 2);
}

static void an_equal_request_runs_when_the_first_cannot_be_written(void **state)
{
    two t;

    (void)state;
    start_two(&t, "j-equal");
    fail_first(&t);
    assert_second_runs(&t);
    finish(&t.w.b);
    fresh("j-equal");
}

static void an_equal_request_runs_when_the_first_is_cancelled(void **state)
{
    bool was_running;
    two t;

    (void)state;
    start_two(&t, "j-equal2");
    assert_ok(cz_engine_cancel(t.w.b.e, t.w.id, &was_running));
    assert_true(was_running);
    (void)pthread_mutex_lock(&t.w.b.e->lock); /* who waits looks again */
    (void)pthread_cond_broadcast(&t.w.b.e->changed);
    (void)pthread_mutex_unlock(&t.w.b.e->lock);
    toy_sleep_us(30000);
    fail_first(&t);
    assert_second_runs(&t);
    finish(&t.w.b);
    fresh("j-equal2");
}

static void an_equal_request_is_told_of_a_stop(void **state)
{
    two t;

    (void)state;
    start_two(&t, "j-equal3");
    (void)pthread_mutex_lock(&t.w.b.e->lock); /* the stop that cz_engine_stop begins with */
    t.w.b.e->stopping = true;
    (void)pthread_cond_broadcast(&t.w.b.e->work);
    (void)pthread_cond_broadcast(&t.w.b.e->changed);
    (void)pthread_mutex_unlock(&t.w.b.e->lock);
    (void)pthread_join(t.equal, NULL);
    assert_int_equal(t.err, CZ_E_CANCELLED);
    fail_first(&t);
    finish(&t.w.b);
    fresh("j-equal3");
}

/* --- kill -9 --- */

enum { KILL_JOBS = 40 };

static cz_request *numbered(unsigned i)
{
    char id[32];

    (void)snprintf(id, sizeof id, "k%u", i);
    return toy_request(id, CZ_KIND_POREP, (char)('A' + i % 26), 1 + i % 3, 0);
}

/* The child accepts jobs that earlier children have not, tells the parent each id that it was
 * given, and works until it is killed or everything has ended. */
static void child(int out)
{
    cz_submit_reply reply;
    bench b;

    start(&b, "j-kill");
    b.t.prove_us = 2000;
    for (unsigned i = 0; i < KILL_JOBS; i++) {
        (void)toy_submit(b.e, numbered(i), &reply);
        (void)!write(out, reply.job_id, CZ_JOB_ID_BYTES);
    }
    (void)cz_engine_wait_idle(b.e, 60000);
    _exit(0);
}

static void kill_loses_and_doubles_nothing(void **state)
{
    bool done = false;
    unsigned kills = 0;
    bench b;

    (void)state;
    fresh("j-kill");
    while (!done) {
        int fds[2], status;
        pid_t pid;

        assert_int_equal(pipe(fds), 0);
        pid = fork();
        if (pid == 0) {
            (void)close(fds[0]);
            child(fds[1]);
        }
        (void)close(fds[1]);
        toy_sleep_us(30000 + (unsigned)(cz_test_random() % 60000));
        if (kills < 4) {
            (void)kill(pid, SIGKILL);
            kills++;
        }
        assert_int_equal(waitpid(pid, &status, 0), pid);
        done = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        (void)close(fds[0]);
    }
    /* every job that was accepted has its proof, made without a further run */
    start(&b, "j-kill");
    assert_int_equal(unfinished(b.journal), 0);
    for (unsigned i = 0; i < KILL_JOBS; i++) {
        cz_submit_reply reply;

        (void)toy_submit(b.e, numbered(i), &reply);
        assert_true(reply.joined);
        toy_expect(b.e, reply.job_id, (char)('A' + i % 26), 1 + i % 3);
    }
    assert_string_equal(b.t.log, "");
    finish(&b);
    assert_int_equal(files_in_spool("j-kill"), 0);
    fresh("j-kill");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(jobs_and_results_are_kept),
    cmocka_unit_test(an_error_that_is_no_utf8_is_repaired),
    cmocka_unit_test(a_journal_has_one_owner),
    cmocka_unit_test(others_may_not_read_it),
    cmocka_unit_test(damaged_inputs_and_strays_are_seen),
    cmocka_unit_test(a_folder_that_cannot_be_is_named),
    cmocka_unit_test(a_restart_finishes_what_was_accepted),
    cmocka_unit_test(who_leaves_during_a_stop_ends_no_job),
    cmocka_unit_test(lost_inputs_fail_their_job_only),
    cmocka_unit_test(damaged_inputs_fail_their_job_when_it_is_taken),
    cmocka_unit_test(a_full_disk_refuses_and_the_engine_serves_on),
    cmocka_unit_test(a_journal_that_fails_is_probed),
    cmocka_unit_test(a_kind_that_is_not_known_is_left_alone),
    cmocka_unit_test(a_raised_priority_is_kept),
    cmocka_unit_test(a_proof_that_is_not_kept_stays_in_memory),
    cmocka_unit_test(a_spool_that_is_gone_refuses),
    cmocka_unit_test(who_waits_for_what_cannot_be_written_is_told),
    cmocka_unit_test(an_equal_request_runs_when_the_first_cannot_be_written),
    cmocka_unit_test(an_equal_request_runs_when_the_first_is_cancelled),
    cmocka_unit_test(an_equal_request_is_told_of_a_stop),
    cmocka_unit_test(a_stop_tells_who_watches_a_job_that_goes_meanwhile),
    cmocka_unit_test(kill_loses_and_doubles_nothing),
};

CZ_TEST_MAIN(cases)
