/* callers.c: what callers do with a job they have the id of, and with parameters. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine_state.h"

static cz_err not_found(const char *job_id)
{
    return cz_fail(CZ_E_NOTFOUND, "job not found: %s", job_id);
}

/* --- leaving --- */

/* While the engine stops callers have to go, and are told that their jobs go on after the restart.
 */
static void leave(cz_engine *e, cz_ejob *job)
{
    if (e->stopping)
        return;
    if (job->attached > 0 && --job->attached == 0 && !job->detached)
        cz_ejob_end(e, job, CZ_JOB_CANCELLED, CZ_E_CANCELLED, "its callers are gone");
}

void cz_engine_leave(cz_engine *e, const char *job_id)
{
    cz_ejob *job;

    (void)pthread_mutex_lock(&e->lock);
    job = cz_ejob_find(e, job_id);
    if (job != NULL)
        leave(e, job);
    (void)pthread_mutex_unlock(&e->lock);
}

void cz_engine_leave_run(cz_engine *e, const char *job_id, uint64_t run)
{
    cz_ejob *job;

    (void)pthread_mutex_lock(&e->lock);
    job = cz_ejob_find(e, job_id);
    if (job != NULL && job->seq == run)
        leave(e, job);
    (void)pthread_mutex_unlock(&e->lock);
}

/* --- what was there before --- */

/* A proof that may not leave is as good as none; its request brings another. */
static cz_err as_gone(cz_err err)
{
    char message[1024];

    if (err != CZ_E_VERIFY)
        return err;
    (void)snprintf(message, sizeof message, "%s", cz_err_message());
    return cz_fail(CZ_E_NOTFOUND, "%s; submit the request again", message);
}

/* A job that only the journal remembers has ended. */
static cz_err ended_long_ago(cz_engine *e, const char *job_id, cz_result *out)
{
    return e->o.journal == NULL ? not_found(job_id) : as_gone(cz_kept_find(e, job_id, out));
}

/* One that had ended when it was asked for. */
static cz_err ended_before(cz_engine *e, cz_result *result)
{
    const cz_err err = cz_kept_check(e, result);

    if (err != CZ_OK)
        cz_result_clear(result);
    return as_gone(err);
}

/* --- cancelling --- */

static cz_err find_ended(cz_engine *e, const char *job_id)
{
    cz_result result;
    cz_err err;

    if (e->o.journal == NULL)
        return not_found(job_id);
    err = cz_journal_result(e->o.journal, job_id, &result);
    if (err == CZ_OK)
        cz_result_clear(&result);
    return err == CZ_E_VERIFY ? CZ_OK : err;
}

static bool cancel_locked(cz_engine *e, const char *job_id, bool *was_running)
{
    cz_ejob *job = cz_ejob_find(e, job_id);

    if (job == NULL)
        return false;
    *was_running = job->state < JOB_FINISHING && !job->end_wanted;
    cz_ejob_end(e, job, CZ_JOB_CANCELLED, CZ_E_CANCELLED, "cancelled");
    return true;
}

cz_err cz_engine_cancel(cz_engine *e, const char *job_id, bool *was_running)
{
    bool found;

    (void)pthread_mutex_lock(&e->lock);
    found = cancel_locked(e, job_id, was_running);
    (void)pthread_mutex_unlock(&e->lock);
    if (found)
        return CZ_OK;
    CZ_TRY(find_ended(e, job_id));
    *was_running = false;
    return CZ_OK;
}

/* --- waiting --- */

static bool wait_changed(cz_engine *e, uint64_t until_ns)
{
    const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};

    if (until_ns == 0)
        return pthread_cond_wait(&e->changed, &e->lock) == 0;
    return pthread_cond_timedwait(&e->changed, &e->lock, &until) != ETIMEDOUT;
}

static cz_err await_locked(cz_engine *e, cz_ejob *job, uint64_t until_ns, cz_result *out)
{
    while (job->state != JOB_ENDED) {
        if (e->stopping)
            return cz_fail(CZ_E_CANCELLED, "the engine is stopping");
        if (!wait_changed(e, until_ns) && job->state != JOB_ENDED)
            return cz_fail(CZ_E_DECLINED, "job %s has not ended yet", job->id);
    }
    return cz_result_copy(out, &job->result);
}

cz_err cz_engine_await(cz_engine *e, const char *job_id, uint64_t timeout_ms, cz_result *out)
{
    const uint64_t until_ns = timeout_ms == 0 ? 0 : cz_after_ms(timeout_ms);
    cz_ejob *job;
    cz_err err = CZ_OK;
    bool had_ended = false;

    (void)pthread_mutex_lock(&e->lock);
    job = cz_ejob_find(e, job_id);
    if (job != NULL) {
        had_ended = job->state == JOB_ENDED;
        job->refs++;
        err = await_locked(e, job, until_ns, out);
        job->refs--;
    }
    (void)pthread_mutex_unlock(&e->lock);
    if (job == NULL)
        return ended_long_ago(e, job_id, out);
    return err == CZ_OK && had_ended ? ended_before(e, out) : err;
}

static cz_err add_watcher(cz_engine *e, cz_ejob *job, cz_end_fn fn, void *ctx, uint64_t *watch)
{
    cz_watcher *w = malloc(sizeof *w);

    if (w == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a watcher");
    *w = (cz_watcher){job->watchers, ++e->next_watch, fn, ctx};
    job->watchers = w;
    *watch = w->id;
    return CZ_OK;
}

cz_err cz_engine_watch(cz_engine *e, const char *job_id, cz_end_fn fn, void *ctx, uint64_t *watch)
{
    cz_result result;
    cz_ejob *job;
    cz_err err = CZ_OK;
    bool ended = false;

    *watch = 0;
    (void)pthread_mutex_lock(&e->lock);
    job = cz_ejob_find(e, job_id);
    if (job != NULL && e->stopping)
        err = cz_fail(CZ_E_CANCELLED, "the engine is stopping");
    else if (job != NULL && job->state != JOB_ENDED)
        err = add_watcher(e, job, fn, ctx, watch);
    else if (job != NULL) {
        err = cz_result_copy(&result, &job->result);
        ended = err == CZ_OK;
    }
    (void)pthread_mutex_unlock(&e->lock);
    if (job == NULL)
        err = ended_long_ago(e, job_id, &result);
    else if (ended)
        err = ended_before(e, &result);
    if (err == CZ_OK && (job == NULL || ended)) {
        fn(ctx, &result);
        cz_result_clear(&result);
    }
    return err;
}

static bool remove_watcher(cz_ejob *job, uint64_t watch)
{
    for (cz_watcher **at = &job->watchers; *at != NULL; at = &(*at)->next)
        if ((*at)->id == watch) {
            cz_watcher *w = *at;

            *at = w->next;
            free(w);
            return true;
        }
    return false;
}

bool cz_engine_unwatch(cz_engine *e, uint64_t watch)
{
    bool removed = false;

    (void)pthread_mutex_lock(&e->lock);
    for (cz_ejob *job = e->live; job != NULL && !removed; job = job->next)
        removed = remove_watcher(job, watch);
    (void)pthread_mutex_unlock(&e->lock);
    return removed;
}

/* --- parameters --- */

static cz_err preload_locked(cz_engine *e, const char *circuit_id, bool *already, uint64_t *load_ms)
{
    cz_resident *r = cz_resident_get(e, circuit_id);
    unsigned failures;

    if (r == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for keys");
    *load_ms = 0;
    *already = r->state == KEYS_HOT && !r->cool_wanted && !r->close_wanted;
    if (*already)
        return CZ_OK;
    failures = r->failures;
    r->preloads++;
    (void)pthread_cond_broadcast(&e->work);
    while (r->failures == failures && (r->state != KEYS_HOT || r->cool_wanted)) {
        if (e->stopping)
            return cz_fail(CZ_E_CANCELLED, "the engine is stopping");
        (void)wait_changed(e, 0);
    }
    if (r->failures != failures)
        return cz_fail(r->error, "%s", r->message);
    r->preloads--;
    *load_ms = r->load_ns / 1000000;
    return CZ_OK;
}

cz_err cz_engine_preload(cz_engine *e, const char *circuit_id, bool *already, uint64_t *load_ms)
{
    cz_err err;

    (void)pthread_mutex_lock(&e->lock);
    err = preload_locked(e, circuit_id, already, load_ms);
    (void)pthread_mutex_unlock(&e->lock);
    return err;
}
