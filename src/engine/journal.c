/* journal.c: see journal.h.
 *
 * The database is in write-ahead mode with synchronous = FULL: a commit is on disk when the call
 * returns. locking_mode = EXCLUSIVE makes this process its only user. */
#define _GNU_SOURCE
#include "engine/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "engine/request_codec.h"
#include "engine/spool.h"

struct cz_journal {
    pthread_mutex_t lock; /* guards db */
    sqlite3 *db;
    char *dir;

    pthread_mutex_t state_lock; /* guards what follows; nothing is waited for under it */
    bool failing;
    uint64_t wanted_bytes; /* of the largest input that could not be kept since */
    char why[CZ_JOURNAL_WHY_BYTES];
};

enum { SCHEMA_VERSION = 2 };

#define SET_VERSION "PRAGMA user_version = 2;"

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS jobs ("
    " job_id TEXT PRIMARY KEY,"
    " request_id TEXT NOT NULL,"
    " content BLOB NOT NULL,"
    " kind INTEGER NOT NULL,"
    " priority INTEGER NOT NULL,"
    " accepted_ms INTEGER NOT NULL,"
    " status INTEGER NOT NULL DEFAULT 0," /* 0: not ended */
    " ended_ms INTEGER,"
    " proof BLOB, error TEXT, code INTEGER,"
    " queue_wait_ms INTEGER, srs_load_ms INTEGER, synthesis_ms INTEGER,"
    " gpu_compute_ms INTEGER, total_ms INTEGER,"
    " circuit TEXT, key_tag BLOB, seal BLOB" /* of a proof */
    ");"
    "CREATE INDEX IF NOT EXISTS jobs_by_end ON jobs (status, ended_ms);" SET_VERSION;

static const char from_schema_1[] = "BEGIN;"
                                    "ALTER TABLE jobs ADD COLUMN circuit TEXT;"
                                    "ALTER TABLE jobs ADD COLUMN key_tag BLOB;"
                                    "ALTER TABLE jobs ADD COLUMN seal BLOB;" SET_VERSION "COMMIT;";

uint64_t cz_wall_ms(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* --- SQLite with our errors --- */

static cz_err fail_db(const cz_journal *j, const char *what)
{
    return cz_fail(CZ_E_IO, "journal %s: %s: %s", j->dir, what, sqlite3_errmsg(j->db));
}

static cz_err execute(cz_journal *j, const char *sql, const char *what)
{
    return sqlite3_exec(j->db, sql, NULL, NULL, NULL) == SQLITE_OK ? CZ_OK : fail_db(j, what);
}

static cz_err prepare(cz_journal *j, sqlite3_stmt **out, const char *sql)
{
    if (sqlite3_prepare_v2(j->db, sql, -1, out, NULL) != SQLITE_OK)
        return fail_db(j, "cannot read");
    return CZ_OK;
}

/* Run a statement that gives no rows. */
static cz_err run(cz_journal *j, sqlite3_stmt *s, const char *what)
{
    const int rc = sqlite3_step(s);
    const cz_err err = rc == SQLITE_DONE ? CZ_OK : fail_db(j, what);

    (void)sqlite3_finalize(s);
    return err;
}

static void bind_u64(sqlite3_stmt *s, int at, uint64_t v)
{
    (void)sqlite3_bind_int64(s, at, (sqlite3_int64)v);
}

static void bind_text(sqlite3_stmt *s, int at, const char *text)
{
    (void)sqlite3_bind_text(s, at, text, -1, SQLITE_STATIC);
}

static uint64_t column_u64(sqlite3_stmt *s, int at)
{
    return (uint64_t)sqlite3_column_int64(s, at);
}

/* --- opening --- */

/* 0: there is no table yet. */
static cz_err find_version(cz_journal *j, uint64_t *version)
{
    sqlite3_stmt *s;

    *version = 0;
    CZ_TRY(prepare(j, &s, "PRAGMA user_version"));
    if (sqlite3_step(s) == SQLITE_ROW)
        *version = column_u64(s, 0);
    (void)sqlite3_finalize(s);
    if (*version > SCHEMA_VERSION)
        return cz_fail(CZ_E_UNSUPPORTED, "journal %s: written by a newer version", j->dir);
    return CZ_OK;
}

static cz_err make_table(cz_journal *j)
{
    uint64_t version;

    CZ_TRY(find_version(j, &version));
    if (version == 1)
        return execute(j, from_schema_1, "cannot bring the table up to date");
    return execute(j, schema, "cannot make the table");
}

static cz_err set_up(cz_journal *j)
{
    int rc;

    CZ_TRY(execute(j, "PRAGMA locking_mode = EXCLUSIVE", "cannot lock"));
    rc = sqlite3_exec(j->db,
                      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                      "BEGIN EXCLUSIVE; COMMIT;",
                      NULL, NULL, NULL);
    if (rc == SQLITE_BUSY)
        return cz_fail(CZ_E_DECLINED, "journal %s: another process uses it", j->dir);
    if (rc != SQLITE_OK)
        return fail_db(j, "cannot open");
    return make_table(j);
}

static bool is_unfinished(void *ctx, const char *job_id)
{
    cz_journal *j = ctx;
    sqlite3_stmt *s;
    bool found;

    if (prepare(j, &s, "SELECT 1 FROM jobs WHERE job_id = ? AND status = 0") != CZ_OK)
        return true;
    bind_text(s, 1, job_id);
    found = sqlite3_step(s) != SQLITE_DONE;
    (void)sqlite3_finalize(s);
    return found;
}

/* --- who may read it: requests and proofs are nobody else's business --- */

static void take_from_others(const char *path)
{
    if (chmod(path, 0600) != 0 && errno != ENOENT)
        cz_log(CZ_LOG_WARN, "%s: cannot take it from other users: %s", path, strerror(errno));
}

/* SQLite's other files get the mode of this one. What cannot be made shows when SQLite opens it.
 * An existing file is not opened here: closing it would give up locks of this process on it. */
static void make_private(const char *path)
{
    char log[4100];
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0) {
        (void)close(fd);
        return;
    }
    if (errno == EEXIST)
        take_from_others(path);
    (void)snprintf(log, sizeof log, "%s-wal", path);
    take_from_others(log);
}

static void look_at_folder(const char *dir)
{
    struct stat st;

    if (stat(dir, &st) == 0 && (st.st_mode & (S_IRGRP | S_IROTH)) != 0)
        cz_log(CZ_LOG_WARN, "journal %s: other users may read the folder (mode %04o): chmod 700",
               dir, (unsigned)st.st_mode & 07777);
}

static cz_err open_all(cz_journal *j, const char *dir)
{
    char path[4096];

    j->dir = strdup(dir);
    if (j->dir == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a journal");
    if (mkdir(dir, 0700) != 0 && errno != EEXIST)
        return cz_fail(CZ_E_IO, "journal %s: cannot make the folder: %s", dir, strerror(errno));
    look_at_folder(dir);
    CZ_TRY_IN(cz_spool_open(dir), "journal");
    (void)snprintf(path, sizeof path, "%s/journal.db", dir);
    make_private(path);
    if (sqlite3_open(path, &j->db) != SQLITE_OK)
        return fail_db(j, "cannot open");
    CZ_TRY(set_up(j));
    cz_spool_sweep(dir, is_unfinished, j);
    return CZ_OK;
}

cz_err cz_journal_open(cz_journal **out, const char *dir)
{
    cz_journal *j = calloc(1, sizeof *j);
    cz_err err;

    if (j == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a journal");
    (void)pthread_mutex_init(&j->lock, NULL);
    (void)pthread_mutex_init(&j->state_lock, NULL);
    err = open_all(j, dir);
    if (err != CZ_OK) {
        cz_journal_close(j);
        return err;
    }
    *out = j;
    return CZ_OK;
}

void cz_journal_close(cz_journal *j)
{
    if (j == NULL)
        return;
    (void)sqlite3_close(j->db);
    (void)pthread_mutex_destroy(&j->lock);
    (void)pthread_mutex_destroy(&j->state_lock);
    free(j->dir);
    free(j);
}

/* --- does writing work? --- */

/* A write of an input of so many bytes, or of none, has failed. Gives `err`, keeps its message. */
static cz_err note_failure(cz_journal *j, cz_err err, uint64_t bytes)
{
    (void)pthread_mutex_lock(&j->state_lock);
    j->failing = true;
    j->wanted_bytes = bytes > j->wanted_bytes ? bytes : j->wanted_bytes;
    (void)snprintf(j->why, sizeof j->why, "%s", cz_err_message());
    (void)pthread_mutex_unlock(&j->state_lock);
    return err;
}

static void note_success(cz_journal *j)
{
    (void)pthread_mutex_lock(&j->state_lock);
    j->failing = false;
    j->wanted_bytes = 0;
    j->why[0] = '\0';
    (void)pthread_mutex_unlock(&j->state_lock);
}

bool cz_journal_is_failing(cz_journal *j, char why[CZ_JOURNAL_WHY_BYTES])
{
    bool failing;

    (void)pthread_mutex_lock(&j->state_lock);
    failing = j->failing;
    (void)memcpy(why, j->why, CZ_JOURNAL_WHY_BYTES);
    (void)pthread_mutex_unlock(&j->state_lock);
    return failing;
}

static cz_err try_writing(cz_journal *j, uint64_t bytes)
{
    cz_err err;

    CZ_TRY_IN(cz_spool_probe(j->dir, bytes), "journal");
    (void)pthread_mutex_lock(&j->lock);
    err = execute(j, SET_VERSION, "cannot write"); /* a page, though the same */
    (void)pthread_mutex_unlock(&j->lock);
    return err;
}

cz_err cz_journal_probe(cz_journal *j)
{
    uint64_t bytes;
    cz_err err;

    (void)pthread_mutex_lock(&j->state_lock);
    bytes = j->wanted_bytes;
    (void)pthread_mutex_unlock(&j->state_lock);
    err = try_writing(j, bytes);
    if (err != CZ_OK)
        return note_failure(j, err, 0);
    note_success(j);
    return CZ_OK;
}

/* --- writing --- */

static cz_err insert(cz_journal *j, const cz_journal_entry *e)
{
    sqlite3_stmt *s;

    CZ_TRY(prepare(j, &s,
                   "INSERT OR REPLACE INTO jobs (job_id, request_id, content, kind, priority, "
                   "accepted_ms) VALUES (?, ?, ?, ?, ?, ?)"));
    bind_text(s, 1, e->job_id);
    bind_text(s, 2, e->request_id);
    (void)sqlite3_bind_blob(s, 3, e->content, sizeof e->content, SQLITE_STATIC);
    bind_u64(s, 4, (uint64_t)e->kind);
    bind_u64(s, 5, e->priority);
    bind_u64(s, 6, e->accepted_ms);
    return run(j, s, "cannot accept a job");
}

static cz_err keep(cz_journal *j, const cz_journal_entry *entry, const cz_request *request)
{
    cz_err err;

    CZ_TRY_IN(cz_spool_write(j->dir, entry->job_id, request), "journal");
    (void)pthread_mutex_lock(&j->lock);
    err = insert(j, entry);
    (void)pthread_mutex_unlock(&j->lock);
    if (err != CZ_OK)
        cz_spool_remove(j->dir, entry->job_id);
    return err;
}

cz_err cz_journal_accept(cz_journal *j, const cz_journal_entry *entry, const cz_request *request)
{
    const cz_err err = keep(j, entry, request);

    if (err != CZ_OK)
        return note_failure(j, err, cz_request_bytes(request));
    note_success(j);
    return CZ_OK;
}

cz_err cz_journal_raise(cz_journal *j, const char *job_id, unsigned priority)
{
    sqlite3_stmt *s;
    cz_err err;

    (void)pthread_mutex_lock(&j->lock);
    err = prepare(
        j, &s, "UPDATE jobs SET priority = ?1 WHERE job_id = ?2 AND status = 0 AND priority < ?1");
    if (err == CZ_OK) {
        bind_u64(s, 1, priority);
        bind_text(s, 2, job_id);
        err = run(j, s, "cannot raise a priority");
    }
    (void)pthread_mutex_unlock(&j->lock);
    return err == CZ_OK ? CZ_OK : note_failure(j, err, 0);
}

static void bind_blob(sqlite3_stmt *s, int at, const uint8_t *bytes, size_t n)
{
    (void)sqlite3_bind_blob(s, at, bytes, (int)n, SQLITE_STATIC);
}

static cz_err update(cz_journal *j, const cz_result *r)
{
    const bool has_proof = r->status == CZ_JOB_COMPLETED;
    uint8_t seal[32];
    sqlite3_stmt *s;

    CZ_TRY(prepare(j, &s,
                   "UPDATE jobs SET status = ?, ended_ms = ?, proof = ?, error = ?, code = ?, "
                   "queue_wait_ms = ?, srs_load_ms = ?, synthesis_ms = ?, gpu_compute_ms = ?, "
                   "total_ms = ?, circuit = ?, key_tag = ?, seal = ? WHERE job_id = ?"));
    bind_u64(s, 1, (uint64_t)r->status);
    bind_u64(s, 2, cz_wall_ms());
    bind_blob(s, 3, r->proof, r->proof_len);
    bind_text(s, 4, r->error);
    bind_u64(s, 5, (uint64_t)r->code);
    bind_u64(s, 6, r->queue_wait_ms);
    bind_u64(s, 7, r->srs_load_ms);
    bind_u64(s, 8, r->synthesis_ms);
    bind_u64(s, 9, r->gpu_compute_ms);
    bind_u64(s, 10, r->total_ms);
    if (has_proof) { /* else they are NULL */
        cz_result_seal(seal, r);
        bind_text(s, 11, r->circuit_id);
        bind_blob(s, 12, r->key_tag, sizeof r->key_tag);
        bind_blob(s, 13, seal, sizeof seal);
    }
    bind_text(s, 14, r->job_id);
    return run(j, s, "cannot keep a result");
}

cz_err cz_journal_finish(cz_journal *j, const cz_result *result)
{
    cz_err err;

    (void)pthread_mutex_lock(&j->lock);
    err = update(j, result);
    (void)pthread_mutex_unlock(&j->lock);
    if (err != CZ_OK)
        return note_failure(j, err, 0);
    cz_spool_remove(j->dir, result->job_id);
    return CZ_OK;
}

cz_err cz_journal_prune(cz_journal *j, uint64_t before_ms)
{
    sqlite3_stmt *s;
    cz_err err;

    (void)pthread_mutex_lock(&j->lock);
    err = prepare(j, &s, "DELETE FROM jobs WHERE status != 0 AND ended_ms < ?");
    if (err == CZ_OK) {
        bind_u64(s, 1, before_ms);
        err = run(j, s, "cannot forget old results");
    }
    (void)pthread_mutex_unlock(&j->lock);
    return err == CZ_OK ? CZ_OK : note_failure(j, err, 0);
}

/* --- reading --- */

cz_err cz_journal_request(cz_journal *j, const char *job_id, const uint8_t content[32],
                          cz_request **out)
{
    return cz_spool_read(j->dir, job_id, content, out);
}

cz_err cz_journal_shape(cz_journal *j, const char *job_id, cz_request **out)
{
    return cz_spool_shape(j->dir, job_id, out);
}

static cz_err copy_blob(sqlite3_stmt *s, int at, uint8_t **out, size_t *n)
{
    const void *blob = sqlite3_column_blob(s, at);

    *n = (size_t)sqlite3_column_bytes(s, at);
    *out = NULL;
    if (*n == 0)
        return CZ_OK;
    *out = malloc(*n);
    if (*out == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a result");
    (void)memcpy(*out, blob, *n);
    return CZ_OK;
}

static cz_err read_error(sqlite3_stmt *s, cz_result *r)
{
    const unsigned char *text = sqlite3_column_text(s, 3);

    cz_result_set_error(r, (const char *)text);
    if (text != NULL && r->error == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a result");
    return CZ_OK;
}

/* What this version would not have written. */
static cz_err damaged(const char *job_id)
{
    return cz_fail(CZ_E_VERIFY, "job %s: what the journal keeps of it is damaged", job_id);
}

static bool is_blob_of(sqlite3_stmt *s, int at, const uint8_t *bytes, size_t n)
{
    const void *blob = sqlite3_column_blob(s, at);

    return blob != NULL && sqlite3_column_bytes(s, at) == (int)n && memcmp(blob, bytes, n) == 0;
}

static cz_err read_proof(sqlite3_stmt *s, cz_result *r)
{
    const unsigned char *circuit = sqlite3_column_text(s, 10);
    const void *tag = sqlite3_column_blob(s, 11);
    uint8_t seal[32];

    if (sqlite3_column_type(s, 12) == SQLITE_NULL)
        return cz_fail(CZ_E_VERIFY,
                       "job %s: an earlier version kept its proof, without the parameters' digest",
                       r->job_id);
    if (circuit == NULL || tag == NULL || sqlite3_column_bytes(s, 11) != sizeof r->key_tag)
        return damaged(r->job_id);
    (void)snprintf(r->circuit_id, sizeof r->circuit_id, "%s", (const char *)circuit);
    (void)memcpy(r->key_tag, tag, sizeof r->key_tag);
    CZ_TRY(copy_blob(s, 2, &r->proof, &r->proof_len));
    cz_result_seal(seal, r);
    return is_blob_of(s, 12, seal, sizeof seal) ? CZ_OK : damaged(r->job_id);
}

static cz_err read_end(sqlite3_stmt *s, cz_result *r)
{
    if (r->status == CZ_JOB_COMPLETED)
        return read_proof(s, r);
    if (r->status > CZ_JOB_TIMEOUT)
        return damaged(r->job_id);
    return read_error(s, r);
}

static cz_err read_result(sqlite3_stmt *s, const char *job_id, cz_result *r)
{
    cz_err err;

    *r = (cz_result){
        .kind = (cz_proof_kind)column_u64(s, 0),
        .status = (cz_job_status)column_u64(s, 1),
        .code = (cz_err)column_u64(s, 4),
        .queue_wait_ms = column_u64(s, 5),
        .srs_load_ms = column_u64(s, 6),
        .synthesis_ms = column_u64(s, 7),
        .gpu_compute_ms = column_u64(s, 8),
        .total_ms = column_u64(s, 9),
    };
    (void)snprintf(r->job_id, sizeof r->job_id, "%s", job_id);
    err = read_end(s, r);
    if (err != CZ_OK)
        cz_result_clear(r);
    return err;
}

static cz_err find_result(cz_journal *j, const char *job_id, cz_result *out)
{
    sqlite3_stmt *s;
    cz_err err;
    int rc;

    CZ_TRY(prepare(j, &s,
                   "SELECT kind, status, proof, error, code, queue_wait_ms, srs_load_ms, "
                   "synthesis_ms, gpu_compute_ms, total_ms, circuit, key_tag, seal FROM jobs "
                   "WHERE job_id = ? AND status != 0"));
    bind_text(s, 1, job_id);
    rc = sqlite3_step(s);
    if (rc == SQLITE_ROW)
        err = read_result(s, job_id, out);
    else if (rc == SQLITE_DONE)
        err = cz_fail(CZ_E_NOTFOUND, "job not found: %s", job_id);
    else
        err = fail_db(j, "cannot read");
    (void)sqlite3_finalize(s);
    return err;
}

cz_err cz_journal_result(cz_journal *j, const char *job_id, cz_result *out)
{
    cz_err err;

    (void)pthread_mutex_lock(&j->lock);
    err = find_result(j, job_id, out);
    (void)pthread_mutex_unlock(&j->lock);
    return err;
}

static cz_err give_entry(sqlite3_stmt *s, cz_journal_fn fn, void *ctx)
{
    const void *content = sqlite3_column_blob(s, 2);
    cz_journal_entry e = {
        .request_id = (const char *)sqlite3_column_text(s, 1),
        .kind = (cz_proof_kind)column_u64(s, 3),
        .priority = (unsigned)column_u64(s, 4),
        .accepted_ms = column_u64(s, 5),
    };

    (void)snprintf(e.job_id, sizeof e.job_id, "%s", (const char *)sqlite3_column_text(s, 0));
    if (content != NULL && sqlite3_column_bytes(s, 2) == (int)sizeof e.content)
        (void)memcpy(e.content, content, sizeof e.content);
    return fn(ctx, &e);
}

static cz_err walk_unfinished(cz_journal *j, cz_journal_fn fn, void *ctx)
{
    sqlite3_stmt *s;
    cz_err err = CZ_OK;
    int rc = SQLITE_DONE;

    CZ_TRY(prepare(j, &s,
                   "SELECT job_id, request_id, content, kind, priority, accepted_ms FROM jobs "
                   "WHERE status = 0 ORDER BY rowid"));
    while (err == CZ_OK && (rc = sqlite3_step(s)) == SQLITE_ROW)
        err = give_entry(s, fn, ctx);
    if (err == CZ_OK && rc != SQLITE_DONE)
        err = fail_db(j, "cannot read");
    (void)sqlite3_finalize(s);
    return err;
}

cz_err cz_journal_unfinished(cz_journal *j, cz_journal_fn fn, void *ctx)
{
    cz_err err;

    (void)pthread_mutex_lock(&j->lock);
    err = walk_unfinished(j, fn, ctx);
    (void)pthread_mutex_unlock(&j->lock);
    return err;
}
