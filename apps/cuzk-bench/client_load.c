/* client_load.c: many requests from many threads: a fixed number, or at given rates.
 *
 * Every source has a time for its next arrival; a free thread takes the earliest of all, waits for
 * its time and calls. Without rates the times are all "now" and the sources take turns. When all
 * threads are busy arrivals begin late, and how late is part of the outcome. */
#define _GNU_SOURCE
#include "client.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static volatile sig_atomic_t interrupted;

typedef struct {
    const client_load *load;
    pthread_mutex_t lock; /* guards what follows */
    unsigned *n_begun;    /* a source */
    unsigned begun, done;
    client_results *results;
    size_t room;
    uint64_t start_ns;
    cz_err err;
} run;

typedef struct {
    size_t source;
    unsigned number; /* of all arrivals */
    double due_s;
} arrival;

static double seconds_since(uint64_t ns)
{
    return (double)(cz_clock_ns() - ns) / 1e9;
}

/* --- arrivals --------------------------------------------------------------------------------- */

/* A source without a rate is due whenever a thread is free. */
static double due_of(const run *r, size_t source, double now_s)
{
    const double interval = r->load->sources[source].interval_s;

    return interval > 0 ? r->n_begun[source] * interval : now_s;
}

/* The earliest; of equals the one that has begun least often, so that they take turns. */
static size_t next_source(const run *r, double now_s)
{
    size_t best = 0;

    for (size_t i = 1; i < r->load->n_sources; i++) {
        const double a = due_of(r, i, now_s), b = due_of(r, best, now_s);

        if (a < b || (a <= b && r->n_begun[i] < r->n_begun[best]))
            best = i;
    }
    return best;
}

static bool has_ended(const run *r, double due_s, double now_s)
{
    const client_load *l = r->load;

    if (interrupted || r->err != CZ_OK || (l->count != 0 && r->begun >= l->count))
        return true;
    return l->duration_s > 0 && (due_s > now_s ? due_s : now_s) >= l->duration_s;
}

static bool take(run *r, arrival *out)
{
    double now_s;
    bool taken;

    (void)pthread_mutex_lock(&r->lock);
    now_s = seconds_since(r->start_ns);
    out->source = next_source(r, now_s);
    out->due_s = due_of(r, out->source, now_s);
    taken = !has_ended(r, out->due_s, now_s);
    if (taken) {
        out->number = r->begun++;
        r->n_begun[out->source]++;
    }
    (void)pthread_mutex_unlock(&r->lock);
    return taken;
}

/* In short steps, so that Ctrl-C is seen. False: it was. */
static bool wait_until(const run *r, double due_s)
{
    double left;

    while (!interrupted && (left = due_s - seconds_since(r->start_ns)) > 0) {
        const double step = left < 0.1 ? left : 0.1;
        const struct timespec t = {0, (long)(step * 1e9)};

        (void)nanosleep(&t, NULL);
    }
    return !interrupted;
}

/* --- outcomes --------------------------------------------------------------------------------- */

static cz_err make_room(run *r)
{
    client_outcome *bigger;

    if (r->results->n < r->room)
        return CZ_OK;
    bigger = realloc(r->results->outcomes, (r->room * 2 + 64) * sizeof *bigger);
    if (bigger == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu outcomes", r->room * 2 + 64);
    r->results->outcomes = bigger;
    r->room = r->room * 2 + 64;
    return CZ_OK;
}

static void keep(run *r, client_outcome *o)
{
    (void)pthread_mutex_lock(&r->lock);
    r->done++;
    if (r->load->ended != NULL)
        r->load->ended(r->load->ctx, o, r->done, r->begun - r->done);
    if (r->err == CZ_OK)
        r->err = make_room(r);
    if (r->err == CZ_OK)
        r->results->outcomes[r->results->n++] = *o;
    else
        client_outcome_clear(o);
    (void)pthread_mutex_unlock(&r->lock);
}

static void serve(run *r, const arrival *a)
{
    const client_load *l = r->load;
    client_outcome o = {.source = (unsigned)a->source};
    char id[128];

    (void)snprintf(id, sizeof id, "%s-%u", l->id_prefix, a->number);
    o.begin_s = seconds_since(r->start_ns);
    if (l->sources[a->source].interval_s > 0)
        o.late_s = o.begin_s - a->due_s;
    client_prove(l->c, l->sources[a->source].request, id, l->timeout_ms, &o);
    keep(r, &o);
}

static void *work(void *ctx)
{
    run *r = ctx;
    arrival a;

    while (take(r, &a) && wait_until(r, a.due_s))
        serve(r, &a);
    return NULL;
}

/* --- the run ---------------------------------------------------------------------------------- */

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

/* The first Ctrl-C stops arrivals, the second the program. */
static void catch_interrupts(struct sigaction *before)
{
    struct sigaction once = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};

    interrupted = 0;
    (void)sigemptyset(&once.sa_mask);
    (void)sigaction(SIGINT, &once, before);
}

static cz_err run_threads(run *r, pthread_t *threads, unsigned n)
{
    unsigned started = 0;

    r->start_ns = cz_clock_ns();
    while (started < n && pthread_create(&threads[started], NULL, work, r) == 0)
        started++;
    if (started == 0)
        return cz_fail(CZ_E_NOMEM, "no thread can be started");
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    r->results->seconds = seconds_since(r->start_ns);
    return r->err == CZ_OK ? CZ_OK : cz_fail(r->err, "no memory for the outcomes");
}

cz_err client_load_run(client_results *out, const client_load *load)
{
    run r = {.load = load, .results = out};
    pthread_t *threads = calloc(load->concurrency, sizeof *threads);
    struct sigaction before;
    cz_err err;

    *out = (client_results){0};
    r.n_begun = calloc(load->n_sources, sizeof *r.n_begun);
    if (threads == NULL || r.n_begun == NULL) {
        free(threads);
        free(r.n_begun);
        return cz_fail(CZ_E_NOMEM, "no memory for %u threads", load->concurrency);
    }
    (void)pthread_mutex_init(&r.lock, NULL);
    catch_interrupts(&before);
    err = run_threads(&r, threads, load->concurrency);
    (void)sigaction(SIGINT, &before, NULL);
    out->interrupted = interrupted != 0;
    (void)pthread_mutex_destroy(&r.lock);
    free(threads);
    free(r.n_begun);
    if (err != CZ_OK)
        client_results_clear(out);
    return err;
}

void client_outcome_clear(client_outcome *o)
{
    free(o->proof);
    free(o->error);
    o->proof = NULL;
    o->error = NULL;
}

void client_results_clear(client_results *results)
{
    for (size_t i = 0; i < results->n; i++)
        client_outcome_clear(&results->outcomes[i]);
    free(results->outcomes);
    *results = (client_results){0};
}
