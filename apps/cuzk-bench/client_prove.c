/* single, batch: one request, or many of the same, to a running daemon. */
#define _GNU_SOURCE
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "hash/sha256.h"

typedef struct {
    /* the command line */
    client_options where;
    client_request_flags what;
    const char *out, *folder;
    unsigned count, concurrency, timeout_s;
    bool verify, each, submit_only;
    /* what it opens */
    client *c;
    cz_request *request;
    client_check *check; /* with --verify */
    progress bar;
    /* what came back */
    client_results results;
} session;

/* --- opening ---------------------------------------------------------------------------------- */

static const char *source_name(const session *s)
{
    const char *path = s->what.request;
    const char *slash = path == NULL ? NULL : strrchr(path, '/');

    if (path == NULL)
        return s->what.type;
    return slash == NULL ? path : slash + 1;
}

static cz_err open_session(session *s)
{
    CZ_TRY(client_request_load(&s->request, &s->what));
    if (s->verify)
        CZ_TRY(client_check_create(&s->check, s->request, s->folder, NULL));
    return client_open(&s->c, &s->where);
}

static void close_session(session *s)
{
    client_results_clear(&s->results);
    client_close(s->c);
    client_check_destroy(s->check);
    cz_request_destroy(s->request);
}

static cz_err check_proof(const session *s, client_outcome *o)
{
    if (s->check == NULL || o->status != CZ_JOB_COMPLETED)
        return CZ_OK;
    CZ_TRY_IN(client_check_proof(s->check, o->proof, o->proof_len),
              "the daemon's proof of %s does not verify here", o->request_id);
    o->checked = true;
    return CZ_OK;
}

/* --- batch ------------------------------------------------------------------------------------ */

static void print_line(const client_outcome *o, unsigned done, unsigned count)
{
    (void)printf("  [%u/%u] %-9s %7.2f s  (witness %llu ms, proving %llu ms, queue %llu ms)%s%s\n",
                 done, count, client_status_name(o->status), o->wall_s,
                 (unsigned long long)o->synthesis_ms, (unsigned long long)o->gpu_compute_ms,
                 (unsigned long long)o->queue_wait_ms, o->error == NULL ? "" : ": ",
                 o->error == NULL ? "" : o->error);
}

static void on_end(void *ctx, client_outcome *o, unsigned done, unsigned running)
{
    session *s = ctx;
    char line[64];

    if (check_proof(s, o) != CZ_OK)
        o->error = strdup(cz_err_message());
    progress_clear(&s->bar);
    if (!s->where.json)
        print_line(o, done, s->count);
    (void)snprintf(line, sizeof line, "%u proofs, %u running", done, running);
    progress_show(&s->bar, line, done, s->count);
}

static void report_batch(const session *s)
{
    const client_source source = {.name = source_name(s)};
    json_out j;

    if (!s->where.json) {
        client_print_summary(&s->results, &source, 1);
        return;
    }
    json_begin(&j);
    json_text(&j, "addr", client_addr(s->c));
    json_uint(&j, "count", s->count);
    json_uint(&j, "concurrency", s->concurrency);
    client_json_summary(&j, &s->results, &source, 1, s->each);
    json_end(&j);
}

static cz_err run_batch(session *s)
{
    client_source source;
    char id[32];
    client_load load;

    CZ_TRY(open_session(s));
    CZ_TRY(client_fresh_id(id));
    source = (client_source){.name = source_name(s), .request = s->request};
    load = (client_load){
        .c = s->c,
        .sources = &source,
        .n_sources = 1,
        .id_prefix = s->what.request_id != NULL ? s->what.request_id : id,
        .concurrency = s->concurrency < s->count ? s->concurrency : s->count,
        .count = s->count,
        .timeout_ms = (uint64_t)s->timeout_s * 1000,
        .ended = on_end,
        .ctx = s,
    };
    CZ_TRY(client_load_run(&s->results, &load));
    progress_clear(&s->bar);
    report_batch(s);
    return CZ_OK;
}

int cmd_batch(int argc, char **argv)
{
    session s = {.count = 3, .concurrency = 1};
    const arg_option options[] = {
        CLIENT_REQUEST_OPTIONS(s.what),
        {"--request-id", ARG_TEXT, "PREFIX", &s.what.request_id,
         "ids are PREFIX-0, PREFIX-1, … (default: a fresh one)", false},
        {"--count", ARG_UINT, "N", &s.count, "default: 3", false},
        {"-c", ARG_UINT, "N", &s.count, "the same", false},
        {"--concurrency", ARG_UINT, "N", &s.concurrency, "requests at once (default: 1)", false},
        {"-j", ARG_UINT, "N", &s.concurrency, "the same", false},
        {"--timeout", ARG_UINT, "SECONDS", &s.timeout_s,
         "deadline of each, which the daemon is told (default: none)", false},
        {"--verify", ARG_FLAG, NULL, &s.verify, "verify every proof here, too", false},
        {"--params", ARG_TEXT, "DIR", &s.folder, "for --verify: folder of the .vk file", false},
        {"--each", ARG_FLAG, NULL, &s.each, "with --json: every proof, not only the summary",
         false},
        CLIENT_OPTIONS(s.where),
    };
    const arg_spec spec = {
        .command = "batch",
        .synopsis = "REQUEST.json [--count N] [--concurrency N] [options]\n"
                    "       cuzk-bench batch --type KIND (--c1 FILE | --vanilla FILE) [options]",
        .about = "Send the same request many times, each with an id of its own so that each is "
                 "proved, and\n"
                 "say how long they took and where the time went. Exit status 0 only when all "
                 "completed.",
        .example = "  cuzk-bench batch winning.json --count 20 --concurrency 4 --verify",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &s.what.request,
        .max_positionals = 1,
    };
    const args_result parsed = args_parse(&spec, argc, argv);
    bool good;
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    if (s.count == 0 || s.concurrency == 0)
        return args_wrong(&spec, "--count and --concurrency are at least 1");
    progress_init(&s.bar);
    err = run_batch(&s);
    progress_clear(&s.bar);
    good = client_all_completed(&s.results) && !s.results.interrupted;
    close_session(&s);
    if (err != CZ_OK)
        return report_failure(spec.command, s.where.json, err);
    return good ? EXIT_DONE : EXIT_FAILED;
}

/* --- single ----------------------------------------------------------------------------------- */

static void json_result(const session *s, const client_outcome *o)
{
    uint8_t hash[32];
    json_out j;

    cz_sha256_of(hash, o->proof, o->proof_len);
    json_begin(&j);
    json_text(&j, "addr", client_addr(s->c));
    json_text(&j, "request_id", o->request_id);
    json_text(&j, "job_id", o->job_id);
    json_text(&j, "status", client_status_name(o->status));
    json_double(&j, "wall_s", o->wall_s);
    json_object(&j, "phases_ms");
    json_uint(&j, "queue_wait", o->queue_wait_ms);
    json_uint(&j, "srs_load", o->srs_load_ms);
    json_uint(&j, "synthesis", o->synthesis_ms);
    json_uint(&j, "gpu_compute", o->gpu_compute_ms);
    json_uint(&j, "total", o->total_ms);
    json_close(&j);
    json_uint(&j, "proof_bytes", o->proof_len);
    json_hex(&j, "proof_sha256", hash, sizeof hash);
    json_bool(&j, "verified", o->checked);
    json_end(&j);
}

static void print_result(const session *s, const client_outcome *o)
{
    char hex[65];
    uint8_t hash[32];

    cz_sha256_of(hash, o->proof, o->proof_len);
    cz_hex_encode(hex, hash, sizeof hash);
    (void)printf("%s: completed in %.2f s, %zu bytes%s%s%s\n\n", o->request_id, o->wall_s,
                 o->proof_len, o->checked ? ", verified here" : "",
                 s->out == NULL ? "" : ", written to ", s->out == NULL ? "" : s->out);
    (void)printf("  job          %s\n", o->job_id);
    (void)printf("  queue        %8llu ms\n", (unsigned long long)o->queue_wait_ms);
    (void)printf("  parameters   %8llu ms\n", (unsigned long long)o->srs_load_ms);
    (void)printf("  witness      %8llu ms\n", (unsigned long long)o->synthesis_ms);
    (void)printf("  proving      %8llu ms\n", (unsigned long long)o->gpu_compute_ms);
    (void)printf("  total        %8llu ms\n", (unsigned long long)o->total_ms);
    (void)printf("  SHA-256      %s\n", hex);
}

/* It ended without a proof. */
static cz_err fail_ended(const client_outcome *o)
{
    if (o->status == CZ_JOB_CANCELLED)
        return cz_fail(CZ_E_INPUT, "the job was cancelled");
    return cz_fail(CZ_E_INPUT, "the proof %s: %s", client_status_name(o->status), o->error);
}

static cz_err prove_one(session *s, client_outcome *o)
{
    progress_show(&s->bar, "waiting for the proof", 0, 0);
    client_prove(s->c, s->request, s->request->request_id, (uint64_t)s->timeout_s * 1000, o);
    progress_clear(&s->bar);
    if (o->error != NULL && o->status == CZ_JOB_UNKNOWN)
        return cz_fail(CZ_E_IO, "%s", o->error);
    if (o->error != NULL)
        return fail_ended(o);
    CZ_TRY(check_proof(s, o));
    return s->out == NULL ? CZ_OK : cz_file_write_all(s->out, o->proof, o->proof_len);
}

static cz_err submit_one(session *s)
{
    char job_id[64];
    json_out j;

    CZ_TRY(client_submit(s->c, s->request, job_id));
    if (!s->where.json) {
        (void)printf("%s\n", job_id);
        return CZ_OK;
    }
    json_begin(&j);
    json_text(&j, "request_id", s->request->request_id);
    json_text(&j, "job_id", job_id);
    json_end(&j);
    return CZ_OK;
}

/* A request that has no id of its own, and is given none, gets a fresh one. */
static cz_err name_request(session *s)
{
    char id[32];

    if (s->request->request_id != NULL && s->request->request_id[0] != '\0')
        return CZ_OK;
    CZ_TRY(client_fresh_id(id));
    free(s->request->request_id);
    s->request->request_id = strdup(id);
    return s->request->request_id != NULL ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for an id");
}

static cz_err run_single(session *s)
{
    client_outcome o = {0};
    cz_err err;

    CZ_TRY(check_output(s->out));
    CZ_TRY(open_session(s));
    CZ_TRY(name_request(s));
    if (s->submit_only)
        return submit_one(s);
    err = prove_one(s, &o);
    if (err == CZ_OK && s->where.json)
        json_result(s, &o);
    else if (err == CZ_OK)
        print_result(s, &o);
    client_outcome_clear(&o);
    return err;
}

int cmd_single(int argc, char **argv)
{
    session s = {0};
    const arg_option options[] = {
        {"--out", ARG_TEXT, "PROOF", &s.out, "where the proof goes, 192 bytes a partition", false},
        CLIENT_REQUEST_OPTIONS(s.what),
        {"--partition", ARG_TEXT, "N", &s.what.partition, "wpost: partition index (default: 0)",
         false},
        {"--request-id", ARG_TEXT, "ID", &s.what.request_id,
         "an equal request of the same id is answered once (default: the request's, else fresh)",
         false},
        {"--timeout", ARG_UINT, "SECONDS", &s.timeout_s,
         "deadline, which the daemon is told (default: none)", false},
        {"--submit-only", ARG_FLAG, NULL, &s.submit_only,
         "print the job's id and leave; the same request with the same id waits for it", false},
        {"--verify", ARG_FLAG, NULL, &s.verify, "verify the proof here, too", false},
        {"--params", ARG_TEXT, "DIR", &s.folder, "for --verify: folder of the .vk file", false},
        CLIENT_OPTIONS(s.where),
    };
    const arg_spec spec = {
        .command = "single",
        .synopsis = "REQUEST.json [--out PROOF] [options]\n"
                    "       cuzk-bench single --type KIND (--c1 FILE | --vanilla FILE) [options]",
        .about =
            "Have one proof made by a running daemon. REQUEST.json is as for `prove`; without it\n"
            "the flags say what is wanted. Ctrl-C leaves, and the daemon then drops the job.",
        .example = "  cuzk-bench single c1.json --miner-id 1000 --sector-num 1 --out proof.bin\n"
                   "  cuzk-bench single --type winning --vanilla winning.json "
                   "--registered-proof 3 --randomness HEX",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &s.what.request,
        .max_positionals = 1,
    };
    const args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    progress_init(&s.bar);
    err = run_single(&s);
    progress_clear(&s.bar);
    close_session(&s);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, s.where.json, err);
}
