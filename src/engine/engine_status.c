/* engine_status.c: copying the engine's state out under the lock. */
#include "engine/engine_status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine_state.h"

static double seconds_since(uint64_t then_ns, uint64_t now_ns)
{
    return now_ns > then_ns ? (double)(now_ns - then_ns) / 1e9 : 0;
}

/* --- names --- */

const char *cz_timed_name(cz_timed what)
{
    static const char *const names[] = {"queue", "synthesis", "prove", "verify", "total"};

    return names[what];
}

const char *cz_part_phase_name(cz_part_phase phase)
{
    static const char *const names[] = {"pending", "synthesizing", "synth_done",
                                        "gpu",     "done",         "failed"};

    return names[phase];
}

static const char *state_name(cz_ejob_state state)
{
    static const char *const names[] = {"accepting", "collecting", "queued", "opening",
                                        "active",    "finishing",  "ended"};

    return names[state];
}

uint64_t cz_counters_ended(const cz_engine_counters *c, cz_job_status status)
{
    uint64_t sum = 0;

    for (unsigned kind = 0; kind < CZ_KINDS; kind++)
        sum += c->ended[kind][status];
    return sum;
}

void cz_histogram_add(cz_histogram *h, double seconds)
{
    static const double bounds[] = CZ_HISTOGRAM_BOUNDS;
    size_t i = 0;

    while (i < CZ_HISTOGRAM_BUCKETS - 1 && seconds > bounds[i])
        i++;
    h->n[i]++;
    h->count++;
    h->sum += seconds;
}

/* --- jobs --- */

static cz_part_phase phase_of(cz_epart_state state)
{
    static const cz_part_phase phases[PART_STATES] = {
        [PART_PENDING] = CZ_PART_PENDING,
        [PART_SYNTHESIZING] = CZ_PART_SYNTHESIZING,
        [PART_SYNTHESIZED] = CZ_PART_SYNTH_DONE,
        [PART_PROVING] = CZ_PART_GPU,
        [PART_PROVED] = CZ_PART_GPU,
        [PART_VERIFYING] = CZ_PART_GPU,
        [PART_DONE] = CZ_PART_DONE,
        [PART_FAILED] = CZ_PART_FAILED,
    };

    return phases[state];
}

static cz_err view_parts(cz_job_view *v, const cz_ejob *job)
{
    v->parts = calloc(job->n_parts + 1, sizeof *v->parts);
    if (v->parts == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    v->n_parts = job->n_parts;
    v->n_done = job->n_in[PART_DONE];
    for (size_t k = 0; k < job->n_parts; k++)
        v->parts[k] = (cz_part_status){
            .phase = phase_of(job->parts[k].state),
            .has_synth = job->parts[k].has_synth,
            .has_gpu = job->parts[k].has_prove,
            .synth_ms = job->parts[k].synth_ns / 1000000,
            .gpu_ms = job->parts[k].prove_ns / 1000000,
        };
    return CZ_OK;
}

static cz_err view_job(cz_job_view *v, const cz_ejob *job, uint64_t now_ns)
{
    *v = (cz_job_view){
        .kind = job->kind,
        .priority = job->priority,
        .state = state_name(job->state),
        .status = job->result.status,
        .age_s = seconds_since(job->accepted_ns, now_ns),
        .started_s_ago =
            seconds_since(job->started_ns != 0 ? job->started_ns : job->accepted_ns, now_ns),
    };
    (void)snprintf(v->job_id, sizeof v->job_id, "%s", job->result.job_id);
    (void)snprintf(v->request_id, sizeof v->request_id, "%s", job->request_id);
    (void)snprintf(v->circuit_id, sizeof v->circuit_id, "%s", job->admission.circuit_id);
    return view_parts(v, job);
}

static bool is_shown(const cz_ejob *job, uint64_t now_ns)
{
    return seconds_since(job->ended_ns, now_ns) < 30;
}

static cz_err view_jobs(cz_engine_status *s, const cz_engine *e, uint64_t now_ns)
{
    s->job_views = calloc(e->n_live + e->n_ended + 1, sizeof *s->job_views);
    if (s->job_views == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    for (const cz_ejob *job = e->live; job != NULL; job = job->next)
        CZ_TRY(view_job(&s->job_views[s->n_jobs++], job, now_ns));
    for (const cz_ejob *job = e->ended; job != NULL; job = job->next)
        if (is_shown(job, now_ns))
            CZ_TRY(view_job(&s->job_views[s->n_jobs++], job, now_ns));
    return CZ_OK;
}

/* A job is in progress from the first stage of a partition on. */
static void count_jobs(cz_engine_status *s, const cz_engine *e)
{
    for (const cz_ejob *job = e->live; job != NULL; job = job->next) {
        const bool started = job->started_ns != 0;

        s->pending[job->kind] += !started;
        s->in_progress[job->kind] += started;
        s->queue_depth += !started;
        s->jobs++;
    }
}

/* Cancelled jobs count too, as long as their stages run. */
static void count_parts(cz_engine_status *s, const cz_ejob *list)
{
    for (const cz_ejob *job = list; job != NULL; job = job->next) {
        s->synth_in_flight += job->n_in[PART_SYNTHESIZING];
        s->waiting += job->n_in[PART_SYNTHESIZED];
        s->proving += job->n_in[PART_PROVING];
        s->verifying += job->n_in[PART_PROVED] + job->n_in[PART_VERIFYING];
    }
}

/* --- workers, devices, keys --- */

static void view_worker(cz_worker_view *v, const cz_worker *w, uint64_t now_ns)
{
    *v = (cz_worker_view){
        .worker = w->index,
        .device = w->backend == NULL ? 0 : w->backend->device,
        .proves = w->backend != NULL,
        .spare = w->backend != NULL && w->backend->spare,
        .busy = w->job != NULL,
        .stage = w->stage,
    };
    if (w->job == NULL)
        return;
    v->stalled = w->stalled;
    (void)snprintf(v->job_id, sizeof v->job_id, "%s", w->job->result.job_id);
    v->partition = w->partition;
    v->kind = w->job->kind;
    v->busy_s = seconds_since(w->since_ns, now_ns);
}

static cz_err view_workers(cz_engine_status *s, const cz_engine *e, uint64_t now_ns)
{
    s->workers = calloc(e->n_workers, sizeof *s->workers);
    if (s->workers == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    for (; s->n_workers < e->n_workers; s->n_workers++)
        view_worker(&s->workers[s->n_workers], &e->workers[s->n_workers], now_ns);
    for (size_t i = 0; i < e->n_synthesis; i++)
        s->synthesis_active += s->workers[i].busy;
    s->synthesis_workers = (unsigned)e->n_synthesis;
    return CZ_OK;
}

/* The views of workers are in the order of the workers. */
static const cz_worker_view *busy_on(const cz_engine_status *s, const cz_engine *e,
                                     const cz_backend *backend)
{
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].busy && e->workers[i].backend == backend)
            return &s->workers[i];
    return NULL;
}

static cz_err view_devices(cz_engine_status *s, const cz_engine *e)
{
    s->devices = calloc(e->o.n_backends, sizeof *s->devices);
    if (s->devices == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    for (; s->n_devices < e->o.n_backends; s->n_devices++) {
        const cz_backend *b = &e->backends[s->n_devices];
        cz_device_view *v = &s->devices[s->n_devices];
        const cz_worker_view *w = busy_on(s, e, b);

        v->backend = b->name;
        v->device = b->device;
        v->spare = b->spare;
        if (w == NULL)
            continue;
        (void)snprintf(v->job_id, sizeof v->job_id, "%s", w->job_id);
        v->kind = w->kind;
    }
    return CZ_OK;
}

static void view_resident(cz_keys_view *v, const cz_resident *r, uint64_t now_ns)
{
    (void)snprintf(v->circuit_id, sizeof v->circuit_id, "%s", r->circuit_id);
    v->tier = r->state == KEYS_HOT ? CZ_TIER_HOT : r->keys != NULL ? CZ_TIER_WARM : CZ_TIER_COLD;
    v->loading = r->state == KEYS_OPENING || r->state == KEYS_HEATING;
    v->keep = r->keep;
    v->evictable = r->state == KEYS_HOT && !cz_resident_is_used(r) && !r->keep;
    v->bytes = r->reserved ? r->cost.hot_bytes : 0;
    v->file_bytes = r->cost.file_bytes;
    v->refs = r->refs;
    v->idle_s = seconds_since(r->used_ns, now_ns);
    v->load_ms = r->load_ns / 1000000;
}

static cz_err view_keys(cz_engine_status *s, const cz_engine *e, uint64_t now_ns)
{
    size_t n = 0;

    for (const cz_resident *r = e->residents; r != NULL; r = r->next)
        n++;
    s->keys = calloc(n + 1, sizeof *s->keys);
    if (s->keys == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    for (const cz_resident *r = e->residents; r != NULL; r = r->next)
        view_resident(&s->keys[s->n_keys++], r, now_ns);
    return CZ_OK;
}

/* --- all --- */

static uint64_t idle_bytes(const cz_engine *e)
{
    const cz_prover *p = &e->o.prover;

    return p->ops->idle_bytes != NULL ? p->ops->idle_bytes(p->ctx) : 0;
}

static void view_memory(cz_engine_status *s, const cz_engine *e)
{
    const cz_prover *p = &e->o.prover;

    s->memory_total = e->budget.total;
    s->memory_used = e->budget.used + idle_bytes(e);
    /* A block that changes hands is in a reservation and idle for a moment. */
    s->memory_peak = e->budget.peak > s->memory_used ? e->budget.peak : s->memory_used;
    if (p->ops->pinned != NULL)
        p->ops->pinned(p->ctx, &s->pinned_bytes, &s->pinned_limit);
}

static cz_err view_all(cz_engine_status *s, const cz_engine *e)
{
    const uint64_t now_ns = cz_clock_ns();

    s->uptime_s = seconds_since(e->started_ns, now_ns);
    s->draining = e->draining;
    view_memory(s, e);
    s->counters = e->counters;
    s->waits_for = e->n_live > 0 ? e->waits_for : "";
    s->waits_for_bytes = e->waits_for_bytes;
    if (e->o.journal != NULL)
        (void)cz_journal_is_failing(e->o.journal, s->journal_error);
    count_jobs(s, e);
    count_parts(s, e->live);
    count_parts(s, e->ended);
    CZ_TRY(view_jobs(s, e, now_ns));
    CZ_TRY(view_workers(s, e, now_ns));
    CZ_TRY(view_devices(s, e));
    return view_keys(s, e, now_ns);
}

/* Asking a device may take long, so it is done without the lock; the table of backends is fixed. */
static void describe_devices(cz_engine_status *s, const cz_engine *e)
{
    for (size_t i = 0; i < s->n_devices; i++)
        if (e->backends[i].describe != NULL)
            e->backends[i].describe(e->backends[i].ctx, &s->devices[i].info);
}

cz_err cz_engine_status_create(cz_engine_status **out, cz_engine *e)
{
    cz_engine_status *s = calloc(1, sizeof *s);
    cz_err err;

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    (void)pthread_mutex_lock(&e->lock);
    err = view_all(s, e);
    (void)pthread_mutex_unlock(&e->lock);
    if (err != CZ_OK) {
        cz_engine_status_destroy(s);
        return err;
    }
    describe_devices(s, e);
    *out = s;
    return CZ_OK;
}

void cz_engine_status_destroy(cz_engine_status *status)
{
    if (status == NULL)
        return;
    for (size_t i = 0; i < status->n_jobs; i++)
        free(status->job_views[i].parts);
    free(status->job_views);
    free(status->workers);
    free(status->devices);
    free(status->keys);
    free(status);
}
