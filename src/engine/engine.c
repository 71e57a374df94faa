/* engine.c: creation, threads, shutdown. */
#define _GNU_SOURCE
#include "engine/engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "engine/engine_state.h"
#include "engine/submit.h"

cz_engine_options cz_engine_defaults(void)
{
    return (cz_engine_options){
        .synthesis_workers = 1,
        .lookahead = 1,
        .pipelined = true,
        .host_bytes = (uint64_t)1 << 30,
        .tuning =
            {
                .max_batch_size = 1,
                .max_batch_wait_ms = 10000,
                .sort_by_type = true,
                .max_queue = 1000,
                .watchdog_ms = 1800000,
                .eviction_min_idle_ms = 300000,
                .keep_results_ms = 86400000,
            },
    };
}

/* --- creation --- */

static cz_err check_backends(const cz_engine_options *o)
{
    bool spare = false, needs_spare = false;
    unsigned workers = 0;

    for (size_t i = 0; i < o->n_backends; i++) {
        const cz_backend *b = &o->backends[i];

        if (b->batch == 0 || (b->spare && (b->batch > 1 || b->workers == 0)))
            return cz_fail(CZ_E_ARG, "backend %s: a batch of %u", b->name, b->batch);
        spare = spare || b->spare;
        needs_spare = needs_spare || b->capacity != NULL;
        workers += b->workers;
    }
    if (workers == 0 || (needs_spare && !spare))
        return cz_fail(CZ_E_ARG, "backends: no workers");
    return CZ_OK;
}

static cz_err check_options(const cz_engine_options *o)
{
    if (o->prover.ops == NULL || o->n_backends == 0 || o->synthesis_workers == 0 ||
        o->tuning.max_queue == 0)
        return cz_fail(CZ_E_ARG, "an engine needs a prover, a backend, a worker and a queue");
    return check_backends(o);
}

static cz_err no_memory(void)
{
    return cz_fail(CZ_E_NOMEM, "no memory for an engine");
}

static cz_err copy_options(cz_engine *e, const cz_engine_options *o)
{
    e->o = *o;
    e->backends = calloc(o->n_backends, sizeof *e->backends);
    e->keep = calloc(o->n_keep + 1, sizeof *e->keep);
    if (e->backends == NULL || e->keep == NULL)
        return no_memory();
    (void)memcpy(e->backends, o->backends, o->n_backends * sizeof *e->backends);
    for (size_t i = 0; i < o->n_keep; i++)
        if ((e->keep[i] = strdup(o->keep[i])) == NULL)
            return no_memory();
    e->o.backends = e->backends;
    e->o.keep = NULL; /* e->keep has it */
    return CZ_OK;
}

static size_t count_workers(const cz_engine *e)
{
    size_t n = e->o.synthesis_workers;

    for (size_t i = 0; i < e->o.n_backends; i++)
        n += e->backends[i].workers;
    return n;
}

static cz_err make_workers(cz_engine *e)
{
    const size_t n = count_workers(e);

    e->workers = calloc(n, sizeof *e->workers);
    if (e->workers == NULL)
        return no_memory();
    e->n_synthesis = e->o.synthesis_workers;
    while (e->n_workers < e->n_synthesis)
        e->workers[e->n_workers++] = (cz_worker){.engine = e, .stage = ""};
    for (size_t i = 0; i < e->o.n_backends; i++)
        for (unsigned k = 0; k < e->backends[i].workers; k++)
            e->workers[e->n_workers++] =
                (cz_worker){.engine = e, .stage = "", .backend = &e->backends[i]};
    for (size_t i = 0; i < e->n_workers; i++)
        e->workers[i].index =
            (unsigned)(i < e->n_synthesis ? i : i - e->n_synthesis); /* each side from 0 */
    return CZ_OK;
}

static void make_locks(cz_engine *e)
{
    pthread_condattr_t monotonic;

    (void)pthread_mutex_init(&e->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&e->work, &monotonic);
    (void)pthread_cond_init(&e->changed, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
}

static cz_err fill(cz_engine *e, const cz_engine_options *options)
{
    CZ_TRY(copy_options(e, options));
    e->budget.total = options->host_bytes;
    e->waits_for = "";
    e->started_ns = cz_clock_ns();
    CZ_TRY(make_workers(e));
    return e->o.journal == NULL ? CZ_OK : cz_engine_recover(e);
}

cz_err cz_engine_create(cz_engine **out, const cz_engine_options *options)
{
    cz_engine *e;
    cz_err err;

    CZ_TRY(check_options(options));
    e = calloc(1, sizeof *e);
    if (e == NULL)
        return no_memory();
    make_locks(e);
    err = fill(e, options);
    if (err != CZ_OK) {
        cz_engine_destroy(e);
        return err;
    }
    *out = e;
    return CZ_OK;
}

/* --- threads --- */

static void *worker_main(void *arg)
{
    cz_worker *w = arg;
    cz_engine *e = w->engine;

    (void)pthread_mutex_lock(&e->lock);
    while (!e->stopping) {
        const bool done = w->backend == NULL ? cz_step_synthesis(e, w) : cz_step_proving(e, w);

        if (!done && !e->stopping)
            (void)pthread_cond_wait(&e->work, &e->lock);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return NULL;
}

static void *keeper_main(cz_engine *e, bool (*step)(cz_engine *))
{
    (void)pthread_mutex_lock(&e->lock);
    while (!e->stopping)
        if (!step(e) && !e->stopping)
            (void)pthread_cond_wait(&e->work, &e->lock);
    (void)pthread_mutex_unlock(&e->lock);
    return NULL;
}

static void *loader_main(void *arg)
{
    return keeper_main(arg, cz_step_loader);
}

static void *finisher_main(void *arg)
{
    return keeper_main(arg, cz_step_finisher);
}

static void *clerk_main(void *arg)
{
    cz_engine *e = arg;

    (void)pthread_mutex_lock(&e->lock);
    while (!e->stopping) {
        const uint64_t next_ns = cz_step_clerk(e, cz_clock_ns());
        const struct timespec until = {(time_t)(next_ns / 1000000000),
                                       (long)(next_ns % 1000000000)};

        if (!e->stopping)
            (void)pthread_cond_timedwait(&e->work, &e->lock, &until);
    }
    (void)pthread_mutex_unlock(&e->lock);
    return NULL;
}

static cz_err spawn(pthread_t *thread, bool *started, void *(*main)(void *), void *arg)
{
    const int rc = pthread_create(thread, NULL, main, arg);

    *started = rc == 0;
    return rc == 0 ? CZ_OK : cz_fail(CZ_E_NOMEM, "cannot start a thread: %s", strerror(rc));
}

cz_err cz_engine_start(cz_engine *e)
{
    CZ_TRY(spawn(&e->loader, &e->loader_started, loader_main, e));
    CZ_TRY(spawn(&e->finisher, &e->finisher_started, finisher_main, e));
    CZ_TRY(spawn(&e->clerk, &e->clerk_started, clerk_main, e));
    for (size_t i = 0; i < e->n_workers; i++)
        CZ_TRY(spawn(&e->workers[i].thread, &e->workers[i].started, worker_main, &e->workers[i]));
    return CZ_OK;
}

void cz_engine_tune(cz_engine *e, const cz_engine_tuning *tuning)
{
    (void)pthread_mutex_lock(&e->lock);
    e->o.tuning = *tuning;
    (void)pthread_cond_broadcast(&e->work);
    (void)pthread_mutex_unlock(&e->lock);
}

/* --- shutdown --- */

void cz_engine_drain(cz_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    e->draining = true;
    cz_ejob_release_batches(e);
    (void)pthread_mutex_unlock(&e->lock);
}

bool cz_engine_wait_idle(cz_engine *e, uint64_t timeout_ms)
{
    const uint64_t until_ns = cz_after_ms(timeout_ms);
    const struct timespec until = {(time_t)(until_ns / 1000000000), (long)(until_ns % 1000000000)};
    bool idle;

    (void)pthread_mutex_lock(&e->lock);
    while (e->n_live > 0 && !e->stopping &&
           pthread_cond_timedwait(&e->changed, &e->lock, &until) != ETIMEDOUT)
        ;
    idle = e->n_live == 0;
    (void)pthread_mutex_unlock(&e->lock);
    return idle;
}

static void join(pthread_t thread, bool *started)
{
    if (*started)
        (void)pthread_join(thread, NULL);
    *started = false;
}

static void join_all(cz_engine *e)
{
    for (size_t i = 0; i < e->n_workers; i++)
        join(e->workers[i].thread, &e->workers[i].started);
    join(e->loader, &e->loader_started);
    join(e->finisher, &e->finisher_started);
    join(e->clerk, &e->clerk_started);
}

/* One who watches a job that has not ended. *is: that job, as it is told. */
static cz_watcher *take_watcher(cz_engine *e, cz_result *is)
{
    cz_ejob *job = e->live;
    cz_watcher *w;

    while (job != NULL && job->watchers == NULL)
        job = job->next;
    if (job == NULL)
        return NULL;
    w = job->watchers;
    job->watchers = w->next;
    *is = (cz_result){.kind = job->kind, .status = CZ_JOB_UNKNOWN};
    (void)memcpy(is->job_id, job->id, sizeof is->job_id);
    return w;
}

/* Jobs that have not ended stay in the journal; who watches them is told that it is over. Callers
 * may end or drop a job meanwhile. */
static void tell_stopped(cz_engine *e)
{
    cz_result is;
    cz_watcher *w;

    while ((w = take_watcher(e, &is)) != NULL) {
        (void)pthread_mutex_unlock(&e->lock);
        w->fn(w->ctx, &is);
        (void)pthread_mutex_lock(&e->lock);
        free(w);
    }
}

void cz_engine_stop(cz_engine *e)
{
    (void)pthread_mutex_lock(&e->lock);
    e->draining = e->stopping = true;
    (void)pthread_cond_broadcast(&e->work);
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
    join_all(e);
    (void)pthread_mutex_lock(&e->lock);
    while (cz_step_finisher(e))
        ;
    tell_stopped(e);
    cz_preloads_end(e);
    (void)pthread_cond_broadcast(&e->changed);
    (void)pthread_mutex_unlock(&e->lock);
}

static void free_jobs(cz_engine *e, cz_ejob *list)
{
    const cz_prover *p = &e->o.prover;

    while (list != NULL) {
        cz_ejob *next = list->next;

        for (size_t k = 0; k < list->n_parts; k++)
            if (list->parts[k].witness != NULL)
                p->ops->witness_drop(p->ctx, list->parts[k].witness);
        if (list->work != NULL)
            p->ops->close(p->ctx, list->work);
        cz_ejob_free(list);
        list = next;
    }
}

static void free_residents(cz_engine *e)
{
    const cz_prover *p = &e->o.prover;

    while (e->residents != NULL) {
        cz_resident *r = e->residents;

        e->residents = r->next;
        if (r->state == KEYS_HOT || r->state == KEYS_HEATING)
            p->ops->keys_cool(p->ctx, r->keys);
        if (r->keys != NULL)
            p->ops->keys_close(p->ctx, r->keys);
        free(r);
    }
}

void cz_engine_destroy(cz_engine *e)
{
    if (e == NULL)
        return;
    cz_engine_stop(e);
    free_jobs(e, e->live);
    free_jobs(e, e->ended);
    free_residents(e);
    for (size_t i = 0; e->keep != NULL && i < e->o.n_keep; i++)
        free(e->keep[i]);
    free(e->keep);
    free(e->backends);
    free(e->workers);
    (void)pthread_cond_destroy(&e->work);
    (void)pthread_cond_destroy(&e->changed);
    (void)pthread_mutex_destroy(&e->lock);
    free(e);
}
