/* metrics.c: see metrics.h. One function a group of families, in the order of the text. */
#include "rpc/metrics.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text_out.h"
#include "rpc/metrics_process.h"

enum { LABEL_BYTES = 160 };

/* --- families and samples --- */

static void family(cz_text_out *t, const char *name, const char *type, const char *help)
{
    cz_text_printf(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void gauge(cz_text_out *t, const char *name, const char *help, double value)
{
    family(t, name, "gauge", help);
    cz_text_printf(t, "%s %.9g\n", name, value);
}

static void gauge_u64(cz_text_out *t, const char *name, const char *help, uint64_t value)
{
    family(t, name, "gauge", help);
    cz_text_printf(t, "%s %" PRIu64 "\n", name, value);
}

static void counter(cz_text_out *t, const char *name, const char *help, uint64_t value)
{
    family(t, name, "counter", help);
    cz_text_printf(t, "%s %" PRIu64 "\n", name, value);
}

/* A label's value: backslash, quote and line feed are escaped, what does not fit is cut. */
static const char *label(char out[LABEL_BYTES], const char *value)
{
    size_t n = 0;

    for (; *value != '\0' && n + 3 < LABEL_BYTES; value++) {
        if (*value == '\\' || *value == '"' || *value == '\n')
            out[n++] = '\\';
        out[n++] = *value;
        if (*value == '\n')
            out[n - 1] = 'n';
    }
    out[n] = '\0';
    return out;
}

static const char *kind_label(unsigned kind)
{
    static const char *const names[CZ_KINDS] = {"unspecified", "porep_c2", "snap_update",
                                                "window_post", "winning_post"};

    return names[kind];
}

static void by_kind(cz_text_out *t, const char *name, const uint64_t n[CZ_KINDS])
{
    for (unsigned kind = 1; kind < CZ_KINDS; kind++)
        cz_text_printf(t, "%s{proof_kind=\"%s\"} %" PRIu64 "\n", name, kind_label(kind), n[kind]);
}

static void counter_by_kind(cz_text_out *t, const char *name, const char *help,
                            const uint64_t n[CZ_KINDS])
{
    family(t, name, "counter", help);
    by_kind(t, name, n);
}

/* --- jobs --- */

static void ended_of_kind(const cz_engine_counters *c, cz_job_status status, uint64_t out[CZ_KINDS])
{
    for (unsigned kind = 0; kind < CZ_KINDS; kind++)
        out[kind] = c->ended[kind][status];
}

/* Names of the earlier engine. Two are counters by nature, but lack the suffix that a counter's
 * type asks for. */
static void put_proofs(cz_text_out *t, const cz_engine_counters *c)
{
    uint64_t n[CZ_KINDS];

    counter(t, "cuzk_proofs_completed_total", "Jobs that ended with a verified proof.",
            cz_counters_ended(c, CZ_JOB_COMPLETED));
    counter(t, "cuzk_proofs_failed_total", "Jobs that ended with an error.",
            cz_counters_ended(c, CZ_JOB_FAILED));
    family(t, "cuzk_proofs_completed", "untyped", "Completed jobs by kind.");
    ended_of_kind(c, CZ_JOB_COMPLETED, n);
    by_kind(t, "cuzk_proofs_completed", n);
    family(t, "cuzk_proofs_failed", "untyped", "Failed jobs by kind.");
    ended_of_kind(c, CZ_JOB_FAILED, n);
    by_kind(t, "cuzk_proofs_failed", n);
}

static void put_job_counters(cz_text_out *t, const cz_engine_counters *c)
{
    static const char *const results[] = {"unknown", "completed", "failed", "cancelled", "timeout"};

    counter_by_kind(t, "cuzk_jobs_accepted_total", "Jobs accepted.", c->accepted);
    counter_by_kind(t, "cuzk_jobs_joined_total",
                    "Requests that joined an equal job or got its proof.", c->joined);
    counter(t, "cuzk_jobs_refused_total", "Requests refused at submit.", c->refused);
    family(t, "cuzk_jobs_ended_total", "counter", "Jobs that ended, by kind and result.");
    for (unsigned kind = 1; kind < CZ_KINDS; kind++)
        for (unsigned result = CZ_JOB_COMPLETED; result <= CZ_JOB_TIMEOUT; result++)
            cz_text_printf(t,
                           "cuzk_jobs_ended_total{proof_kind=\"%s\",result=\"%s\"} %" PRIu64 "\n",
                           kind_label(kind), results[result], c->ended[kind][result]);
    counter_by_kind(t, "cuzk_self_check_failures_total",
                    "Partition proofs that did not verify and were kept back.",
                    c->self_check_failures);
    counter_by_kind(t, "cuzk_partition_retries_total", "Partitions that were made once more.",
                    c->retries);
}

static unsigned running_jobs(const cz_engine_status *s)
{
    unsigned n = 0;

    for (unsigned kind = 0; kind < CZ_KINDS; kind++)
        n += s->in_progress[kind];
    return n;
}

static void put_queue(cz_text_out *t, const cz_engine_status *s)
{
    gauge_u64(t, "cuzk_queue_depth", "Accepted jobs in no stage yet.", s->queue_depth);
    gauge_u64(t, "cuzk_running_jobs", "Jobs with a partition in some stage.", running_jobs(s));
    family(t, "cuzk_jobs", "gauge", "Jobs that have not ended, by kind and state.");
    for (unsigned kind = 1; kind < CZ_KINDS; kind++)
        cz_text_printf(t,
                       "cuzk_jobs{proof_kind=\"%s\",state=\"pending\"} %u\n"
                       "cuzk_jobs{proof_kind=\"%s\",state=\"in_progress\"} %u\n",
                       kind_label(kind), s->pending[kind], kind_label(kind), s->in_progress[kind]);
    family(t, "cuzk_partitions", "gauge", "Partitions in work, by stage.");
    cz_text_printf(t,
                   "cuzk_partitions{stage=\"synthesis\"} %u\n"
                   "cuzk_partitions{stage=\"waiting\"} %u\n"
                   "cuzk_partitions{stage=\"prove\"} %u\n"
                   "cuzk_partitions{stage=\"verify\"} %u\n",
                   s->synth_in_flight, s->waiting, s->proving, s->verifying);
    gauge_u64(t, "cuzk_draining", "1 while no new job is accepted.", s->draining);
    gauge_u64(t, "cuzk_blocked_on_memory_bytes",
              "Memory that the next piece of work waits for; 0: none does.", s->waits_for_bytes);
}

/* --- time --- */

static void put_histogram(cz_text_out *t, const char *name, const char *labels,
                          const cz_histogram *h)
{
    static const double bounds[] = CZ_HISTOGRAM_BOUNDS;
    uint64_t sum = 0;

    for (unsigned i = 0; i < CZ_HISTOGRAM_BUCKETS - 1; i++) {
        sum += h->n[i];
        cz_text_printf(t, "%s_bucket{%s,le=\"%g\"} %" PRIu64 "\n", name, labels, bounds[i], sum);
    }
    cz_text_printf(
        t, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n%s_sum{%s} %.9g\n%s_count{%s} %" PRIu64 "\n",
        name, labels, h->count, name, labels, h->sum, name, labels, h->count);
}

static void put_times(cz_text_out *t, const cz_engine_counters *c)
{
    char labels[80];

    family(t, "cuzk_proof_duration_seconds", "histogram",
           "From acceptance to the verified proof, a completed job.");
    for (unsigned kind = 1; kind < CZ_KINDS; kind++) {
        (void)snprintf(labels, sizeof labels, "proof_kind=\"%s\"", kind_label(kind));
        put_histogram(t, "cuzk_proof_duration_seconds", labels, &c->timed[CZ_TIMED_TOTAL][kind]);
    }
    family(t, "cuzk_stage_duration_seconds", "histogram",
           "Wait in the queue, a job; the other stages, a partition.");
    for (unsigned what = 0; what < CZ_TIMED_TOTAL; what++)
        for (unsigned kind = 1; kind < CZ_KINDS; kind++) {
            (void)snprintf(labels, sizeof labels, "proof_kind=\"%s\",stage=\"%s\"",
                           kind_label(kind), cz_timed_name((cz_timed)what));
            put_histogram(t, "cuzk_stage_duration_seconds", labels, &c->timed[what][kind]);
        }
    family(t, "cuzk_phase_seconds_total", "counter",
           "Time in each phase of proving, summed over partitions of ended jobs.");
    for (unsigned phase = 0; phase < CZ_PHASE_COUNT; phase++)
        cz_text_printf(t, "cuzk_phase_seconds_total{phase=\"%s\"} %.9g\n",
                       cz_phase_name((cz_phase)phase), c->phase_ms[phase] / 1000);
}

/* --- workers, devices --- */

static void put_workers(cz_text_out *t, const cz_engine_status *s)
{
    unsigned provers = 0, busy = 0, stalled = 0;

    for (size_t i = 0; i < s->n_workers; i++) {
        provers += s->workers[i].proves;
        busy += s->workers[i].proves && s->workers[i].busy;
        stalled += s->workers[i].busy && s->workers[i].stalled;
    }
    gauge_u64(t, "cuzk_gpu_workers", "Workers that prove, on a GPU or the CPU.", provers);
    gauge_u64(t, "cuzk_gpu_workers_busy", "Of these, those at work.", busy);
    gauge_u64(t, "cuzk_synthesis_workers", "Workers that make witnesses.", s->synthesis_workers);
    gauge_u64(t, "cuzk_synthesis_workers_busy", "Of these, those at work.", s->synthesis_active);
    gauge_u64(t, "cuzk_stalled_workers", "Workers without progress for scheduler.watchdog.",
              stalled);
    counter(t, "cuzk_stalls_total", "Stages that took longer than scheduler.watchdog.",
            s->counters.stalls);
}

static void put_device_values(cz_text_out *t, const cz_engine_status *s, const char *name,
                              uint64_t (*value)(const cz_device_view *))
{
    char backend[LABEL_BYTES], device[LABEL_BYTES];

    for (size_t i = 0; i < s->n_devices; i++)
        cz_text_printf(t, "%s{device=\"%u\",backend=\"%s\",name=\"%s\"} %" PRIu64 "\n", name,
                       s->devices[i].device, label(backend, s->devices[i].backend),
                       label(device, s->devices[i].info.name), value(&s->devices[i]));
}

static uint64_t vram_total(const cz_device_view *d)
{
    return d->info.vram_total_bytes;
}

static uint64_t vram_free(const cz_device_view *d)
{
    return d->info.vram_free_bytes;
}

static uint64_t is_busy(const cz_device_view *d)
{
    return d->job_id[0] != '\0';
}

static uint64_t is_used(const cz_device_view *d)
{
    return d->info.problem[0] == '\0';
}

static void put_devices(cz_text_out *t, const cz_engine_status *s)
{
    family(t, "cuzk_device_up", "gauge",
           "0 for a device that is not used: see the log or /status.");
    put_device_values(t, s, "cuzk_device_up", is_used);
    family(t, "cuzk_device_memory_bytes", "gauge", "Memory of a device; 0 for the CPU.");
    put_device_values(t, s, "cuzk_device_memory_bytes", vram_total);
    family(t, "cuzk_device_memory_free_bytes", "gauge", "Of that, what is free.");
    put_device_values(t, s, "cuzk_device_memory_free_bytes", vram_free);
    family(t, "cuzk_device_busy", "gauge", "1 while a partition is proved on the device.");
    put_device_values(t, s, "cuzk_device_busy", is_busy);
}

/* --- memory and parameters --- */

static void put_memory(cz_text_out *t, const cz_engine_status *s)
{
    gauge_u64(t, "cuzk_memory_budget_bytes", "Host memory that the engine may use.",
              s->memory_total);
    gauge_u64(t, "cuzk_memory_reserved_bytes", "Of that, what is spoken for.", s->memory_used);
    gauge_u64(t, "cuzk_memory_reserved_peak_bytes", "The most that was spoken for at once.",
              s->memory_peak);
}

static void put_keys(cz_text_out *t, const cz_engine_status *s)
{
    static const char *const tiers[] = {"hot", "warm", "cold"};
    char id[LABEL_BYTES];

    family(t, "cuzk_srs_bytes", "gauge", "Memory of a circuit's parameters, by tier.");
    for (size_t i = 0; i < s->n_keys; i++)
        cz_text_printf(t, "cuzk_srs_bytes{circuit_id=\"%s\",tier=\"%s\"} %" PRIu64 "\n",
                       label(id, s->keys[i].circuit_id), tiers[s->keys[i].tier], s->keys[i].bytes);
    family(t, "cuzk_srs_users", "gauge", "Partitions in work that use a circuit's parameters.");
    for (size_t i = 0; i < s->n_keys; i++)
        cz_text_printf(t, "cuzk_srs_users{circuit_id=\"%s\"} %u\n",
                       label(id, s->keys[i].circuit_id), s->keys[i].refs);
    counter(t, "cuzk_srs_loads_total", "Parameters made ready for proofs.", s->counters.keys_loads);
    counter(t, "cuzk_srs_load_failures_total", "Parameters that could not be loaded.",
            s->counters.keys_load_failures);
    counter(t, "cuzk_srs_evictions_total", "Parameters given up for memory or on request.",
            s->counters.keys_evictions);
}

/* --- the rest --- */

static void put_engine(cz_text_out *t, const cz_engine_status *s)
{
    static const char *const reasons[CZ_FLUSH_REASONS] = {"size", "time", "urgent"};

    gauge(t, "cuzk_uptime_seconds", "Since the engine started.", s->uptime_s);
    family(t, "cuzk_batches_total", "counter", "Batches of jobs let go, by reason.");
    for (unsigned i = 0; i < CZ_FLUSH_REASONS; i++)
        cz_text_printf(t, "cuzk_batches_total{reason=\"%s\"} %" PRIu64 "\n", reasons[i],
                       s->counters.batches[i]);
    counter(t, "cuzk_journal_errors_total", "Writes of the journal that failed.",
            s->counters.journal_errors);
    counter(t, "cuzk_jobs_reopened_total", "Requests decoded again after memory ran short.",
            s->counters.reopened);
}

static void put_process(cz_text_out *t)
{
    cz_process_numbers p;

    cz_process_read(&p);
    family(t, "process_cpu_seconds_total", "counter", "User and system time of the process.");
    cz_text_printf(t, "process_cpu_seconds_total %.9g\n", p.cpu_seconds);
    gauge_u64(t, "process_resident_memory_bytes", "Resident memory.", p.resident_bytes);
    gauge_u64(t, "process_resident_memory_peak_bytes", "Most resident memory so far.",
              p.peak_resident_bytes);
    gauge_u64(t, "process_virtual_memory_bytes", "Virtual memory.", p.virtual_bytes);
    gauge_u64(t, "process_threads", "Threads.", p.threads);
    gauge_u64(t, "process_open_fds", "Open file descriptors.", p.open_fds);
    gauge_u64(t, "process_max_fds", "Most that may be open.", p.max_fds);
    family(t, "process_start_time_seconds", "gauge", "Start of the process, since 1970.");
    cz_text_printf(t, "process_start_time_seconds %.3f\n", p.start_time_seconds);
}

cz_err cz_metrics_of_status(const cz_engine_status *status, char **text, size_t *n)
{
    cz_text_out t = {0};

    put_proofs(&t, &status->counters);
    put_job_counters(&t, &status->counters);
    put_queue(&t, status);
    put_times(&t, &status->counters);
    put_workers(&t, status);
    put_devices(&t, status);
    put_memory(&t, status);
    put_keys(&t, status);
    put_engine(&t, status);
    put_process(&t);
    return cz_text_take(&t, text, n);
}

cz_err cz_metrics_text(cz_engine *e, char **text, size_t *n)
{
    cz_engine_status *status;
    cz_err err;

    CZ_TRY(cz_engine_status_create(&status, e));
    err = cz_metrics_of_status(status, text, n);
    cz_engine_status_destroy(status);
    return err;
}
