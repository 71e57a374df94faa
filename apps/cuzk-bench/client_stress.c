/* stress: requests of several kinds at once, each at a rate of its own, to a running daemon. */
#define _GNU_SOURCE
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/units.h"

enum { MAX_SOURCES = 16 };

typedef struct {
    /* the command line */
    client_options where;
    const char *args[MAX_SOURCES];
    const char *duration, *folder, *priority;
    unsigned count, concurrency, timeout_s;
    bool verify, each;
    /* what it opens */
    client *c;
    char *paths[MAX_SOURCES]; /* the arguments without their rates */
    client_source sources[MAX_SOURCES];
    client_check *checks[MAX_SOURCES]; /* with --verify */
    size_t n;
    uint64_t duration_ms;
    unsigned failed;
    progress bar;
    client_results results;
} session;

/* --- sources ---------------------------------------------------------------------------------- */

/* "1/30s" into the seconds between two arrivals. */
static cz_err parse_rate(double *interval_s, const char *text)
{
    char *end;
    const double n = strtod(text, &end);
    uint64_t ms;

    if (!(n > 0) || *end != '/')
        return args_mistake(cz_fail(CZ_E_INPUT, "the rate '%s' is not of the form 1/30s", text));
    CZ_TRY_IN(cz_duration_parse(&ms, end + 1), "the rate '%s'", text);
    if (ms == 0)
        return args_mistake(cz_fail(CZ_E_INPUT, "the rate '%s' has no time in it", text));
    *interval_s = (double)ms / 1000 / n;
    return CZ_OK;
}

/* "FILE@1/30s": the last '@' before a digit divides them; without one it is all file. */
static const char *find_rate(const char *arg)
{
    const char *at = strrchr(arg, '@');

    return at != NULL && at[1] >= '0' && at[1] <= '9' ? at + 1 : NULL;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

static cz_err add_source(session *s, const char *arg)
{
    const char *rate = find_rate(arg);
    const size_t length = rate == NULL ? strlen(arg) : (size_t)(rate - arg) - 1;
    client_request_flags what = {.priority = s->priority};
    client_source *source = &s->sources[s->n];

    s->paths[s->n] = strndup(arg, length);
    if (s->paths[s->n] == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a path");
    source->name = base_name(s->paths[s->n]);
    what.request = s->paths[s->n++];
    CZ_TRY(client_request_load(&source->request, &what));
    return rate == NULL ? CZ_OK : parse_rate(&source->interval_s, rate);
}

/* Rows of the summary are named by circuit kind where that tells the sources apart. */
static void name_sources(session *s)
{
    for (size_t i = 0; i < s->n; i++) {
        const char *kind = cz_proof_kind_name(s->sources[i].request->kind);
        bool alone = true;

        for (size_t k = 0; k < s->n; k++)
            alone = alone && (k == i || s->sources[k].request->kind != s->sources[i].request->kind);
        if (alone)
            s->sources[i].name = kind;
    }
}

static cz_err open_session(session *s)
{
    for (size_t i = 0; i < MAX_SOURCES && s->args[i] != NULL; i++)
        CZ_TRY(add_source(s, s->args[i]));
    name_sources(s);
    for (size_t i = 0; s->verify && i < s->n; i++)
        CZ_TRY(client_check_create(&s->checks[i], s->sources[i].request, s->folder, NULL));
    return client_open(&s->c, &s->where);
}

static void close_session(session *s)
{
    client_results_clear(&s->results);
    client_close(s->c);
    for (size_t i = 0; i < s->n; i++) {
        client_check_destroy(s->checks[i]);
        cz_request_destroy(s->sources[i].request);
        free(s->paths[i]);
    }
}

/* --- the run ---------------------------------------------------------------------------------- */

static void on_end(void *ctx, client_outcome *o, unsigned done, unsigned running)
{
    session *s = ctx;
    const client_check *check = s->checks[o->source];
    char line[64];

    if (o->error == NULL && check != NULL) {
        o->checked = client_check_proof(check, o->proof, o->proof_len) == CZ_OK;
        if (!o->checked)
            o->error = strdup(cz_err_message());
    }
    s->failed += o->error != NULL;
    free(o->proof); /* there may be many, and nobody asks for them */
    o->proof = NULL;
    (void)snprintf(line, sizeof line, "%u proofs, %u failed, %u running", done, s->failed, running);
    progress_show(&s->bar, line, done, s->count);
}

static void report(const session *s)
{
    json_out j;

    if (!s->where.json) {
        client_print_summary(&s->results, s->sources, s->n);
        return;
    }
    json_begin(&j);
    json_text(&j, "addr", client_addr(s->c));
    json_uint(&j, "concurrency", s->concurrency);
    client_json_summary(&j, &s->results, s->sources, s->n, s->each);
    json_end(&j);
}

static cz_err run(session *s)
{
    char id[32];
    client_load load;

    CZ_TRY(open_session(s));
    CZ_TRY(client_fresh_id(id));
    load = (client_load){
        .c = s->c,
        .sources = s->sources,
        .n_sources = s->n,
        .id_prefix = id,
        .concurrency = s->concurrency,
        .count = s->count,
        .duration_s = (double)s->duration_ms / 1000,
        .timeout_ms = (uint64_t)s->timeout_s * 1000,
        .ended = on_end,
        .ctx = s,
    };
    CZ_TRY(client_load_run(&s->results, &load));
    progress_clear(&s->bar);
    report(s);
    return CZ_OK;
}

/* Without --count and --duration: a minute. */
static cz_err read_duration(session *s)
{
    if (s->duration == NULL)
        s->duration_ms = s->count == 0 ? 60000 : 0;
    else
        CZ_TRY_IN(cz_duration_parse(&s->duration_ms, s->duration), "--duration");
    return CZ_OK;
}

int cmd_stress(int argc, char **argv)
{
    session s = {.concurrency = 16};
    const arg_option options[] = {
        {"--duration", ARG_TEXT, "TIME", &s.duration, "such as 10m (default: 1m, or until --count)",
         false},
        {"--count", ARG_UINT, "N", &s.count, "requests in all", false},
        {"--concurrency", ARG_UINT, "N", &s.concurrency, "requests at once (default: 16)", false},
        {"-j", ARG_UINT, "N", &s.concurrency, "the same", false},
        {"--priority", ARG_TEXT, "P", &s.priority,
         "low, normal, high or critical for all (default: the kind's)", false},
        {"--timeout", ARG_UINT, "SECONDS", &s.timeout_s,
         "deadline of each, which the daemon is told (default: none)", false},
        {"--verify", ARG_FLAG, NULL, &s.verify, "verify every proof here, too", false},
        {"--params", ARG_TEXT, "DIR", &s.folder, "for --verify: folder of the .vk files", false},
        {"--each", ARG_FLAG, NULL, &s.each, "with --json: every proof, not only the summary",
         false},
        CLIENT_OPTIONS(s.where),
    };
    const arg_spec spec = {
        .command = "stress",
        .synopsis = "REQUEST.json[@RATE]... [--duration TIME] [--concurrency N] [options]",
        .about =
            "Send requests of several kinds for a while. A RATE is a number in a time, 1/30s; "
            "without\n"
            "one a request is sent again whenever one of the --concurrency clients is free, the\n"
            "files taking turns. Every request has an id of its own. The first Ctrl-C stops\n"
            "arrivals and waits for what runs. Exit status 0 only when all completed.",
        .example =
            "  cuzk-bench stress porep.json@1/2m winning.json@1/30s wpost.json@1/30m --duration 1h",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = s.args,
        .min_positionals = 1,
        .max_positionals = MAX_SOURCES,
    };
    const args_result parsed = args_parse(&spec, argc, argv);
    bool good;
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    if (s.concurrency == 0)
        return args_wrong(&spec, "--concurrency is at least 1");
    progress_init(&s.bar);
    err = read_duration(&s);
    if (err == CZ_OK)
        err = run(&s);
    progress_clear(&s.bar);
    good = client_all_completed(&s.results);
    close_session(&s);
    if (err != CZ_OK)
        return report_failure(spec.command, s.where.json, err);
    return good ? EXIT_DONE : EXIT_FAILED;
}
