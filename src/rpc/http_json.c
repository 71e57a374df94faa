/* http_json.c: see http_json.h. */
#include "rpc/http_json.h"

#include <string.h>

#include "base/json_out.h"
#include "rpc/messages.h"
#include "rpc/metrics_process.h"

enum { MOST_QUEUED_SHOWN = 100 }; /* of 1000 and more; the counts are exact */

/* --- common --- */

/* The worker at this partition, or NULL. */
static const cz_worker_view *worker_at(const cz_engine_status *s, const char *job_id, size_t k)
{
    for (size_t i = 0; i < s->n_workers; i++) {
        const cz_worker_view *w = &s->workers[i];

        if (w->busy && w->partition == k && strcmp(w->job_id, job_id) == 0 &&
            (strcmp(w->stage, "synthesize") == 0 || strcmp(w->stage, "prove") == 0))
            return w;
    }
    return NULL;
}

static void put_ms(cz_json_out *j, const char *key, bool known, uint64_t ms)
{
    if (known)
        cz_json_out_u64(j, key, ms);
    else
        cz_json_out_null(j, key);
}

/* A running stage's time is how long it has run by now. */
static void put_part(cz_json_out *j, const cz_engine_status *s, const cz_job_view *job, size_t k)
{
    const cz_part_status *part = &job->parts[k];
    const cz_worker_view *w = part->phase == CZ_PART_SYNTHESIZING || part->phase == CZ_PART_GPU
                                  ? worker_at(s, job->job_id, k)
                                  : NULL;
    const uint64_t running_ms = w == NULL ? 0 : (uint64_t)(w->busy_s * 1000);
    const bool making = w != NULL && !w->proves, proving = w != NULL && w->proves;

    cz_json_out_object(j, NULL);
    cz_json_out_u64(j, "index", k);
    cz_json_out_string(j, "state", cz_part_phase_name(part->phase));
    put_ms(j, "synth_ms", part->has_synth || making, making ? running_ms : part->synth_ms);
    put_ms(j, "gpu_ms", part->has_gpu || proving, proving ? running_ms : part->gpu_ms);
    cz_json_out_close(j);
}

static void put_parts(cz_json_out *j, const cz_engine_status *s, const cz_job_view *job)
{
    cz_json_out_array(j, "partitions");
    for (size_t k = 0; k < job->n_parts; k++)
        put_part(j, s, job, k);
    cz_json_out_close(j);
}

static const char *result_name(cz_job_status status)
{
    static const char *const names[] = {"unknown", "completed", "failed", "cancelled", "timeout"};

    return names[status];
}

static uint64_t available(const cz_engine_status *s)
{
    return s->memory_total > s->memory_used ? s->memory_total - s->memory_used : 0;
}

/* {"porep-c2": 3, …}, kinds that have any */
static void put_by_kind(cz_json_out *j, const char *key, const cz_engine_counters *c,
                        cz_job_status status)
{
    cz_json_out_object(j, key);
    for (unsigned kind = 1; kind < CZ_KINDS; kind++)
        if (c->ended[kind][status] > 0)
            cz_json_out_u64(j, cz_wire_kind_name((cz_proof_kind)kind), c->ended[kind][status]);
    cz_json_out_close(j);
}

/* --- /status --- */

static void put_memory(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_object(j, "memory");
    cz_json_out_u64(j, "total_bytes", s->memory_total);
    cz_json_out_u64(j, "used_bytes", s->memory_used);
    cz_json_out_u64(j, "available_bytes", available(s));
    cz_json_out_close(j);
}

static void put_synthesis(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_object(j, "synthesis");
    cz_json_out_u64(j, "max_concurrent", s->synthesis_workers);
    cz_json_out_u64(j, "active", s->synthesis_active);
    cz_json_out_close(j);
}

/* Jobs that have been opened; those before that are counted in queue_depth alone. */
static void put_pipelines(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_array(j, "pipelines");
    for (size_t i = 0; i < s->n_jobs; i++) {
        const cz_job_view *job = &s->job_views[i];

        if (job->n_parts == 0)
            continue;
        cz_json_out_object(j, NULL);
        cz_json_out_string(j, "job_id", job->job_id);
        cz_json_out_string(j, "request_id", job->request_id);
        cz_json_out_string(j, "circuit_id", job->circuit_id);
        cz_json_out_string(j, "proof_kind", cz_wire_kind_name(job->kind));
        cz_json_out_double(j, "started_secs_ago", job->started_s_ago);
        cz_json_out_u64(j, "total_partitions", job->n_parts);
        cz_json_out_u64(j, "partitions_done", job->n_done);
        put_parts(j, s, job);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
}

static void put_gpu_worker(cz_json_out *j, const cz_worker_view *w)
{
    cz_json_out_object(j, NULL);
    cz_json_out_u64(j, "worker_id", w->worker);
    cz_json_out_u64(j, "gpu_ordinal", w->device);
    cz_json_out_string(j, "state", w->busy ? "proving" : "idle");
    cz_json_out_string(j, "current_job", w->busy ? w->job_id : NULL);
    put_ms(j, "current_partition", w->busy, w->partition);
    if (w->busy)
        cz_json_out_double(j, "busy_secs", w->busy_s);
    else
        cz_json_out_null(j, "busy_secs");
    cz_json_out_close(j);
}

static void put_gpu_workers(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_array(j, "gpu_workers");
    for (size_t i = 0; i < s->n_workers; i++)
        if (s->workers[i].proves && (!s->workers[i].spare || s->workers[i].busy))
            put_gpu_worker(j, &s->workers[i]);
    cz_json_out_close(j);
}

/* Not in earlier engines' pages; who reads those ignores it. */
static void put_devices(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_array(j, "devices");
    for (size_t i = 0; i < s->n_devices; i++) {
        const cz_device_view *d = &s->devices[i];

        cz_json_out_object(j, NULL);
        cz_json_out_u64(j, "device", d->device);
        cz_json_out_string(j, "backend", d->backend);
        cz_json_out_string(j, "name", d->info.name);
        cz_json_out_u64(j, "memory_bytes", d->info.vram_total_bytes);
        cz_json_out_u64(j, "memory_free_bytes", d->info.vram_free_bytes);
        cz_json_out_bool(j, "spare", d->spare);
        cz_json_out_string(j, "problem", d->info.problem);
        cz_json_out_string(j, "job_id", d->job_id);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
}

/* Compiled circuits are mapped files and take no part of the budget: "pce" stays empty. */
static void put_allocations(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_object(j, "allocations");
    cz_json_out_array(j, "srs");
    for (size_t i = 0; i < s->n_keys; i++) {
        const cz_keys_view *k = &s->keys[i];

        if (k->bytes == 0)
            continue;
        cz_json_out_object(j, NULL);
        cz_json_out_string(j, "circuit_id", k->circuit_id);
        cz_json_out_u64(j, "bytes", k->bytes);
        cz_json_out_double(j, "last_used_secs_ago", k->idle_s);
        cz_json_out_bool(j, "evictable", k->evictable);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
    cz_json_out_array(j, "pce");
    cz_json_out_close(j);
    cz_json_out_close(j);
}

static void put_counters(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_object(j, "counters");
    cz_json_out_u64(j, "total_completed", cz_counters_ended(&s->counters, CZ_JOB_COMPLETED));
    cz_json_out_u64(j, "total_failed", cz_counters_ended(&s->counters, CZ_JOB_FAILED));
    put_by_kind(j, "completed_by_kind", &s->counters, CZ_JOB_COMPLETED);
    put_by_kind(j, "failed_by_kind", &s->counters, CZ_JOB_FAILED);
    cz_json_out_u64(j, "queue_depth", s->queue_depth);
    cz_json_out_close(j);
}

/* Witnesses by what becomes of them; a proof that is being verified is the pending one. */
static void put_buffers(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_object(j, "buffers");
    cz_json_out_u64(j, "synth_in_flight", s->synth_in_flight);
    cz_json_out_u64(j, "provers_in_flight", (uint64_t)s->waiting + s->proving);
    cz_json_out_u64(j, "aux_in_flight", (uint64_t)s->waiting + s->proving);
    cz_json_out_u64(j, "shells_in_flight", 0);
    cz_json_out_u64(j, "pending_handles", s->verifying);
    cz_json_out_close(j);
}

cz_err cz_http_status_json(const cz_engine_status *status, char **text, size_t *n)
{
    cz_json_out j = {0};

    cz_json_out_object(&j, NULL);
    cz_json_out_double(&j, "uptime_secs", status->uptime_s);
    put_memory(&j, status);
    put_synthesis(&j, status);
    put_pipelines(&j, status);
    put_gpu_workers(&j, status);
    put_devices(&j, status);
    put_allocations(&j, status);
    put_counters(&j, status);
    put_buffers(&j, status);
    return cz_json_out_take(&j, text, n);
}

/* --- /api/state --- */

static void put_about(cz_json_out *j, const cz_engine_status *s, const cz_http_about *about)
{
    cz_json_out_string(j, "version", about->version);
    cz_json_out_double(j, "uptime_s", s->uptime_s);
    cz_json_out_bool(j, "ready", about->not_ready == NULL && !s->draining);
    cz_json_out_string(j, "not_ready", s->draining ? "draining" : about->not_ready);
    cz_json_out_bool(j, "draining", s->draining);
    cz_json_out_string(j, "waits_for", s->waits_for);
    cz_json_out_u64(j, "waits_for_bytes", s->waits_for_bytes);
}

static void put_resources(cz_json_out *j, const cz_engine_status *s)
{
    cz_process_numbers p;

    cz_process_read(&p);
    cz_json_out_object(j, "memory");
    cz_json_out_u64(j, "budget_bytes", s->memory_total);
    cz_json_out_u64(j, "reserved_bytes", s->memory_used);
    cz_json_out_u64(j, "reserved_peak_bytes", s->memory_peak);
    cz_json_out_u64(j, "resident_bytes", p.resident_bytes);
    cz_json_out_u64(j, "resident_peak_bytes", p.peak_resident_bytes);
    cz_json_out_close(j);
    cz_json_out_object(j, "process");
    cz_json_out_double(j, "cpu_seconds", p.cpu_seconds);
    cz_json_out_u64(j, "threads", p.threads);
    cz_json_out_u64(j, "open_fds", p.open_fds);
    cz_json_out_close(j);
}

static void put_totals(cz_json_out *j, const cz_engine_status *s)
{
    uint64_t self_check = 0, retries = 0;

    for (unsigned kind = 0; kind < CZ_KINDS; kind++) {
        self_check += s->counters.self_check_failures[kind];
        retries += s->counters.retries[kind];
    }
    cz_json_out_object(j, "totals");
    cz_json_out_u64(j, "jobs", s->jobs);
    cz_json_out_u64(j, "queued", s->queue_depth);
    for (unsigned status = CZ_JOB_COMPLETED; status <= CZ_JOB_TIMEOUT; status++)
        cz_json_out_u64(j, result_name((cz_job_status)status),
                        cz_counters_ended(&s->counters, (cz_job_status)status));
    cz_json_out_u64(j, "self_check_failures", self_check);
    cz_json_out_u64(j, "retries", retries);
    cz_json_out_u64(j, "refused", s->counters.refused);
    cz_json_out_u64(j, "stalls", s->counters.stalls);
    cz_json_out_u64(j, "journal_errors", s->counters.journal_errors);
    cz_json_out_close(j);
}

static void put_kinds(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_array(j, "kinds");
    for (unsigned kind = 1; kind < CZ_KINDS; kind++) {
        cz_json_out_object(j, NULL);
        cz_json_out_string(j, "kind", cz_wire_kind_name((cz_proof_kind)kind));
        cz_json_out_u64(j, "pending", s->pending[kind]);
        cz_json_out_u64(j, "in_progress", s->in_progress[kind]);
        cz_json_out_u64(j, "completed", s->counters.ended[kind][CZ_JOB_COMPLETED]);
        cz_json_out_u64(j, "failed", s->counters.ended[kind][CZ_JOB_FAILED]);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
}

static void put_job(cz_json_out *j, const cz_engine_status *s, const cz_job_view *job)
{
    cz_json_out_object(j, NULL);
    cz_json_out_string(j, "job_id", job->job_id);
    cz_json_out_string(j, "request_id", job->request_id);
    cz_json_out_string(j, "kind", cz_wire_kind_name(job->kind));
    cz_json_out_string(j, "circuit_id", job->circuit_id);
    cz_json_out_string(j, "priority", cz_priority_name(job->priority));
    cz_json_out_string(j, "state", job->state);
    cz_json_out_double(j, "age_s", job->age_s);
    cz_json_out_u64(j, "partitions_done", job->n_done);
    put_parts(j, s, job);
    cz_json_out_close(j);
}

static void put_jobs(cz_json_out *j, const cz_engine_status *s)
{
    unsigned queued = 0;

    cz_json_out_array(j, "jobs");
    for (size_t i = 0; i < s->n_jobs; i++) {
        const cz_job_view *job = &s->job_views[i];

        if (strcmp(job->state, "ended") == 0)
            continue; /* among the recent ones */
        queued += job->n_parts == 0;
        if (job->n_parts > 0 || queued <= MOST_QUEUED_SHOWN)
            put_job(j, s, job);
    }
    cz_json_out_close(j);
}

static void put_workers(cz_json_out *j, const cz_engine_status *s)
{
    cz_json_out_array(j, "workers");
    for (size_t i = 0; i < s->n_workers; i++) {
        const cz_worker_view *w = &s->workers[i];

        cz_json_out_object(j, NULL);
        cz_json_out_u64(j, "worker", w->worker);
        cz_json_out_string(j, "does", w->proves ? "prove" : "synthesis");
        cz_json_out_u64(j, "device", w->device);
        cz_json_out_bool(j, "spare", w->spare);
        cz_json_out_bool(j, "busy", w->busy);
        cz_json_out_bool(j, "stalled", w->busy && w->stalled);
        cz_json_out_string(j, "stage", w->stage);
        cz_json_out_string(j, "job_id", w->job_id);
        cz_json_out_u64(j, "partition", w->partition);
        cz_json_out_double(j, "busy_s", w->busy_s);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
}

static void put_keys(cz_json_out *j, const cz_engine_status *s)
{
    static const char *const tiers[] = {"hot", "warm", "cold"};

    cz_json_out_array(j, "parameters");
    for (size_t i = 0; i < s->n_keys; i++) {
        const cz_keys_view *k = &s->keys[i];

        cz_json_out_object(j, NULL);
        cz_json_out_string(j, "circuit_id", k->circuit_id);
        cz_json_out_string(j, "tier", tiers[k->tier]);
        cz_json_out_bool(j, "loading", k->loading);
        cz_json_out_bool(j, "evictable", k->evictable);
        cz_json_out_bool(j, "kept", k->keep);
        cz_json_out_u64(j, "bytes", k->bytes);
        cz_json_out_u64(j, "file_bytes", k->file_bytes);
        cz_json_out_u64(j, "users", k->refs);
        cz_json_out_double(j, "idle_s", k->idle_s);
        cz_json_out_u64(j, "load_ms", k->load_ms);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
}

/* The phases that took time. Waiting and loading are the job's, not a partition's. */
static void put_phases(cz_json_out *j, const cz_recent_job *r)
{
    cz_json_out_object(j, "phases_ms");
    for (unsigned phase = 0; phase < CZ_PHASE_COUNT; phase++) {
        double ms = r->phase_ms[phase];

        if (phase == CZ_PHASE_QUEUE_WAIT)
            ms = (double)r->queue_wait_ms;
        else if (phase == CZ_PHASE_SRS_LOAD && ms == 0)
            ms = (double)r->srs_load_ms;
        if (ms > 0)
            cz_json_out_double(j, cz_phase_name((cz_phase)phase), ms);
    }
    cz_json_out_close(j);
}

static void put_recent(cz_json_out *j, const cz_recent_job *recent, size_t n)
{
    cz_json_out_array(j, "recent");
    for (size_t i = 0; i < n; i++) {
        const cz_recent_job *r = &recent[i];

        cz_json_out_object(j, NULL);
        cz_json_out_string(j, "job_id", r->job_id);
        cz_json_out_string(j, "request_id", r->request_id);
        cz_json_out_string(j, "kind", cz_wire_kind_name(r->kind));
        cz_json_out_string(j, "circuit_id", r->circuit_id);
        cz_json_out_string(j, "result", result_name(r->status));
        cz_json_out_string(j, "error", r->error);
        cz_json_out_u64(j, "ended_ms", r->ended_ms);
        cz_json_out_u64(j, "total_ms", r->total_ms);
        cz_json_out_u64(j, "partitions", r->partitions);
        cz_json_out_u64(j, "retried", r->retried);
        put_phases(j, r);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
}

cz_err cz_http_state_json(const cz_engine_status *status, const cz_recent_job *recent,
                          size_t n_recent, const cz_http_about *about, char **text, size_t *n)
{
    cz_json_out j = {0};

    cz_json_out_object(&j, NULL);
    put_about(&j, status, about);
    put_resources(&j, status);
    put_totals(&j, status);
    put_kinds(&j, status);
    put_jobs(&j, status);
    put_workers(&j, status);
    put_devices(&j, status);
    put_keys(&j, status);
    put_recent(&j, recent, n_recent);
    return cz_json_out_take(&j, text, n);
}
