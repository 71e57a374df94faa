/* status, metrics, preload, evict, cancel: short questions and orders to a running daemon. */
#define _GNU_SOURCE
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_MS = 10000 }; /* for calls that wait for nothing */

typedef struct {
    client_options where;
    const char *argument; /* a job or a circuit */
    const char *circuit;  /* the same as a flag */
    client *c;
    progress bar;
} session;

/* Open, run, close, report: what these commands have in common. */
static int finish(session *s, const arg_spec *spec, cz_err (*run)(session *))
{
    cz_err err = client_open(&s->c, &s->where);

    progress_init(&s->bar);
    if (err == CZ_OK)
        err = run(s);
    progress_clear(&s->bar);
    client_close(s->c);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec->command, s->where.json, err);
}

/* --- status ----------------------------------------------------------------------------------- */

static const char *tier_name(int tier)
{
    static const char *const names[] = {"hot", "warm", "cold"};

    return tier >= 0 && tier < 3 ? names[tier] : "unknown";
}

static double mib(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_devices(const Cuzk__V1__GetStatusResponse *r)
{
    for (size_t i = 0; i < r->n_gpus; i++) {
        const Cuzk__V1__GPUStatus *g = r->gpus[i];

        (void)printf("device %-9u %s", g->ordinal, g->name);
        if (g->vram_total_bytes > 0)
            (void)printf(", %.0f of %.0f MiB free", mib(g->vram_free_bytes),
                         mib(g->vram_total_bytes));
        if (g->current_job_id[0] != '\0')
            (void)printf(": %s %s\n", g->current_proof_kind, g->current_job_id);
        else
            (void)printf(": idle\n");
    }
}

static void print_parameters(const Cuzk__V1__GetStatusResponse *r)
{
    for (size_t i = 0; i < r->n_loaded_srs; i++) {
        const Cuzk__V1__SRSStatus *p = r->loaded_srs[i];

        (void)printf("parameters       %-14s %-5s %8.0f MiB, used by %u\n", p->circuit_id,
                     tier_name((int)p->tier), mib(p->size_bytes), p->ref_count);
    }
}

static void print_queues(const Cuzk__V1__GetStatusResponse *r)
{
    if (r->n_queues == 0)
        (void)printf("queue            empty\n");
    for (size_t i = 0; i < r->n_queues; i++)
        (void)printf("queue            %-14s %u waiting, %u in work\n", r->queues[i]->proof_kind,
                     r->queues[i]->pending, r->queues[i]->in_progress);
}

static void print_status(const session *s, const Cuzk__V1__GetStatusResponse *r)
{
    (void)printf("daemon           %s, up %llu s\n", client_addr(s->c),
                 (unsigned long long)r->uptime_seconds);
    (void)printf("proofs           %llu completed, %llu failed\n",
                 (unsigned long long)r->total_proofs_completed,
                 (unsigned long long)r->total_proofs_failed);
    print_queues(r);
    print_devices(r);
    print_parameters(r);
    if (r->pinned_memory_limit_bytes > 0)
        (void)printf("pinned memory    %.0f of %.0f MiB\n", mib(r->pinned_memory_bytes),
                     mib(r->pinned_memory_limit_bytes));
}

static void json_devices(json_out *j, const Cuzk__V1__GetStatusResponse *r)
{
    json_array(j, "gpus");
    for (size_t i = 0; i < r->n_gpus; i++) {
        json_object(j, NULL);
        json_uint(j, "ordinal", r->gpus[i]->ordinal);
        json_text(j, "name", r->gpus[i]->name);
        json_uint(j, "vram_total_bytes", r->gpus[i]->vram_total_bytes);
        json_uint(j, "vram_free_bytes", r->gpus[i]->vram_free_bytes);
        json_text(j, "current_job_id", r->gpus[i]->current_job_id);
        json_text(j, "current_proof_kind", r->gpus[i]->current_proof_kind);
        json_close(j);
    }
    json_close(j);
}

static void json_parameters(json_out *j, const Cuzk__V1__GetStatusResponse *r)
{
    json_array(j, "loaded_srs");
    for (size_t i = 0; i < r->n_loaded_srs; i++) {
        json_object(j, NULL);
        json_text(j, "circuit_id", r->loaded_srs[i]->circuit_id);
        json_text(j, "tier", tier_name((int)r->loaded_srs[i]->tier));
        json_uint(j, "size_bytes", r->loaded_srs[i]->size_bytes);
        json_uint(j, "ref_count", r->loaded_srs[i]->ref_count);
        json_close(j);
    }
    json_close(j);
}

static void json_queues(json_out *j, const Cuzk__V1__GetStatusResponse *r)
{
    json_array(j, "queues");
    for (size_t i = 0; i < r->n_queues; i++) {
        json_object(j, NULL);
        json_text(j, "proof_kind", r->queues[i]->proof_kind);
        json_uint(j, "pending", r->queues[i]->pending);
        json_uint(j, "in_progress", r->queues[i]->in_progress);
        json_close(j);
    }
    json_close(j);
}

static void json_status(const session *s, const Cuzk__V1__GetStatusResponse *r)
{
    json_out j;

    json_begin(&j);
    json_text(&j, "addr", client_addr(s->c));
    json_uint(&j, "uptime_seconds", r->uptime_seconds);
    json_uint(&j, "total_proofs_completed", r->total_proofs_completed);
    json_uint(&j, "total_proofs_failed", r->total_proofs_failed);
    json_uint(&j, "pinned_memory_bytes", r->pinned_memory_bytes);
    json_uint(&j, "pinned_memory_limit_bytes", r->pinned_memory_limit_bytes);
    json_queues(&j, r);
    json_devices(&j, r);
    json_parameters(&j, r);
    json_end(&j);
}

static cz_err run_status(session *s)
{
    Cuzk__V1__GetStatusRequest request = CUZK__V1__GET_STATUS_REQUEST__INIT;
    Cuzk__V1__GetStatusResponse *reply;

    CZ_TRY(client_call(s->c, "GetStatus", &request.base, &reply, SHORT_MS));
    if (s->where.json)
        json_status(s, reply);
    else
        print_status(s, reply);
    cuzk__v1__get_status_response__free_unpacked(reply, NULL);
    return CZ_OK;
}

int cmd_status(int argc, char **argv)
{
    session s = {0};
    const arg_option options[] = {CLIENT_OPTIONS(s.where)};
    const arg_spec spec = {
        .command = "status",
        .synopsis = "[options]",
        .about = "What a running daemon does now: queues, devices, parameters, totals.",
        .example = "  cuzk-bench status --addr 127.0.0.1:9820",
        .options = options,
        .n_options = ARGS_COUNT(options),
    };
    const args_result parsed = args_parse(&spec, argc, argv);

    return parsed == ARGS_RUN ? finish(&s, &spec, run_status) : args_exit(parsed);
}

/* --- metrics ---------------------------------------------------------------------------------- */

static cz_err run_metrics(session *s)
{
    Cuzk__V1__GetMetricsRequest request = CUZK__V1__GET_METRICS_REQUEST__INIT;
    Cuzk__V1__GetMetricsResponse *reply;
    json_out j;

    CZ_TRY(client_call(s->c, "GetMetrics", &request.base, &reply, SHORT_MS));
    if (s->where.json) {
        json_begin(&j);
        json_text(&j, "addr", client_addr(s->c));
        json_text(&j, "prometheus_text", reply->prometheus_text);
        json_end(&j);
    } else {
        (void)fputs(reply->prometheus_text, stdout);
    }
    cuzk__v1__get_metrics_response__free_unpacked(reply, NULL);
    return CZ_OK;
}

int cmd_metrics(int argc, char **argv)
{
    session s = {0};
    const arg_option options[] = {CLIENT_OPTIONS(s.where)};
    const arg_spec spec = {
        .command = "metrics",
        .synopsis = "[options]",
        .about = "Print a running daemon's metrics in Prometheus' text format.",
        .example = "  cuzk-bench metrics | grep self_check",
        .options = options,
        .n_options = ARGS_COUNT(options),
    };
    const args_result parsed = args_parse(&spec, argc, argv);

    return parsed == ARGS_RUN ? finish(&s, &spec, run_metrics) : args_exit(parsed);
}

/* --- preload, evict ----------------------------------------------------------------------------
 */

static const char *circuit_of(const session *s)
{
    return s->argument != NULL ? s->argument : s->circuit;
}

static cz_err run_preload(session *s)
{
    Cuzk__V1__PreloadSrsRequest request = CUZK__V1__PRELOAD_SRS_REQUEST__INIT;
    Cuzk__V1__PreloadSrsResponse *reply;
    json_out j;

    request.circuit_id = (char *)(uintptr_t)circuit_of(s);
    progress_show(&s->bar, "the daemon loads the parameters", 0, 0);
    CZ_TRY(client_call(s->c, "PreloadSRS", &request.base, &reply, 0));
    progress_clear(&s->bar);
    if (s->where.json) {
        json_begin(&j);
        json_text(&j, "circuit_id", circuit_of(s));
        json_bool(&j, "already_loaded", reply->already_loaded);
        json_uint(&j, "load_time_ms", reply->load_time_ms);
        json_end(&j);
    } else if (reply->already_loaded) {
        (void)printf("%s: already loaded\n", circuit_of(s));
    } else {
        (void)printf("%s: loaded in %llu ms\n", circuit_of(s),
                     (unsigned long long)reply->load_time_ms);
    }
    cuzk__v1__preload_srs_response__free_unpacked(reply, NULL);
    return CZ_OK;
}

static cz_err run_evict(session *s)
{
    Cuzk__V1__EvictSrsRequest request = CUZK__V1__EVICT_SRS_REQUEST__INIT;
    Cuzk__V1__EvictSrsResponse *reply;
    json_out j;

    request.circuit_id = (char *)(uintptr_t)circuit_of(s);
    CZ_TRY(client_call(s->c, "EvictSRS", &request.base, &reply, 0));
    if (s->where.json) {
        json_begin(&j);
        json_text(&j, "circuit_id", circuit_of(s));
        json_bool(&j, "was_loaded", reply->was_loaded);
        json_uint(&j, "freed_bytes", reply->freed_bytes);
        json_end(&j);
    } else if (reply->was_loaded) {
        (void)printf("%s: evicted, %.0f MiB are free again\n", circuit_of(s),
                     mib(reply->freed_bytes));
    } else {
        (void)printf("%s: was not loaded\n", circuit_of(s));
    }
    cuzk__v1__evict_srs_response__free_unpacked(reply, NULL);
    return CZ_OK;
}

static int run_circuit_command(int argc, char **argv, arg_spec spec, cz_err (*run)(session *))
{
    session s = {0};
    const arg_option options[] = {
        {"--circuit-id", ARG_TEXT, "ID", &s.circuit, "the circuit, as a flag", false},
        {"-c", ARG_TEXT, "ID", &s.circuit, "the same", false},
        CLIENT_OPTIONS(s.where),
    };
    args_result parsed;

    spec.options = options;
    spec.n_options = ARGS_COUNT(options);
    spec.positionals = &s.argument;
    spec.max_positionals = 1;
    parsed = args_parse(&spec, argc, argv);
    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    if ((s.argument == NULL) == (s.circuit == NULL))
        return args_wrong(&spec, "give one circuit; see: cuzk-bench circuit list");
    return finish(&s, &spec, run);
}

int cmd_preload(int argc, char **argv)
{
    const arg_spec spec = {
        .command = "preload",
        .synopsis = "CIRCUIT [options]",
        .about = "Have a running daemon load a circuit's parameters now, and wait for it, so that "
                 "the first\n"
                 "proof does not.",
        .example = "  cuzk-bench preload winning-32g",
    };

    return run_circuit_command(argc, argv, spec, run_preload);
}

int cmd_evict(int argc, char **argv)
{
    const arg_spec spec = {
        .command = "evict",
        .synopsis = "CIRCUIT [options]",
        .about = "Have a running daemon give up the memory of a circuit's parameters. Refused "
                 "while a proof\n"
                 "uses them.",
        .example = "  cuzk-bench evict porep-32g",
    };

    return run_circuit_command(argc, argv, spec, run_evict);
}

/* --- cancel ----------------------------------------------------------------------------------- */

static cz_err run_cancel(session *s)
{
    Cuzk__V1__CancelProofRequest request = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    Cuzk__V1__CancelProofResponse *reply;
    json_out j;

    request.job_id = (char *)(uintptr_t)s->argument;
    CZ_TRY(client_call(s->c, "CancelProof", &request.base, &reply, SHORT_MS));
    if (s->where.json) {
        json_begin(&j);
        json_text(&j, "job_id", s->argument);
        json_bool(&j, "was_running", reply->was_running);
        json_end(&j);
    } else {
        (void)printf("%s: %s\n", s->argument,
                     reply->was_running ? "cancelled" : "had ended before");
    }
    cuzk__v1__cancel_proof_response__free_unpacked(reply, NULL);
    return CZ_OK;
}

int cmd_cancel(int argc, char **argv)
{
    session s = {0};
    const arg_option options[] = {CLIENT_OPTIONS(s.where)};
    const arg_spec spec = {
        .command = "cancel",
        .synopsis = "JOB [options]",
        .about = "End a job of a running daemon, by the id that `single --submit-only`, the status "
                 "page or\n"
                 "the log gives. Exit status 0 also when it had ended before.",
        .example = "  cuzk-bench cancel 0f31c2a4d5e6978812345678deadbeef",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &s.argument,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    const args_result parsed = args_parse(&spec, argc, argv);

    return parsed == ARGS_RUN ? finish(&s, &spec, run_cancel) : args_exit(parsed);
}
