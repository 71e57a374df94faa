/* spawn.c: see spawn.h. */
#define _GNU_SOURCE
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/text_out.h"
#include "sample.h"

enum { SAMPLE_MS = 20, CHUNK = 4096 };

/* ---- the answer ---- */

static cz_err number(cz_json object, const char *key, double *out)
{
    cz_json v;

    CZ_TRY(cz_json_get(object, key, &v));
    CZ_TRY_IN(cz_json_double(v, out), "%s", key);
    return CZ_OK;
}

static cz_err parse_phases(lab_run *run, cz_json object)
{
    cz_json phases, v;

    CZ_TRY(cz_json_get(object, "phases_ms", &phases));
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        if (cz_json_get(phases, cz_phase_name((cz_phase)p), &v) == CZ_OK)
            CZ_TRY(cz_json_double(v, &run->phase_ms[p]));
    return CZ_OK;
}

static cz_err parse_run(lab_run *run, cz_json v)
{
    CZ_TRY(number(v, "seconds", &run->seconds));
    CZ_TRY(number(v, "cpu_seconds", &run->cpu_seconds));
    CZ_TRY(number(v, "minor_faults", &run->minor_faults));
    CZ_TRY(number(v, "major_faults", &run->major_faults));
    CZ_TRY(number(v, "peak_rss_bytes", &run->peak_rss));
    CZ_TRY(number(v, "covered", &run->covered));
    if (!(run->seconds > 0))
        return cz_fail(CZ_E_INPUT, "seconds: not positive");
    return parse_phases(run, v);
}

static cz_err parse_runs(lab_session *out, cz_json root)
{
    cz_json runs, v;
    cz_json_iter it;

    CZ_TRY(cz_json_get(root, "runs", &runs));
    CZ_TRY(cz_json_iterate(runs, &it));
    out->n_runs = 0;
    while (cz_json_next(&it, &v, NULL)) {
        if (out->n_runs == LAB_MAX_RUNS)
            return cz_fail(CZ_E_INPUT, "more than %d runs", LAB_MAX_RUNS);
        CZ_TRY_IN(parse_run(&out->runs[out->n_runs], v), "run %u", out->n_runs);
        out->n_runs++;
    }
    return out->n_runs > 0 ? CZ_OK : cz_fail(CZ_E_INPUT, "no run");
}

static cz_err parse_root(lab_session *out, cz_json root)
{
    const char *text;
    cz_json v;
    size_t n;

    CZ_TRY(parse_runs(out, root));
    CZ_TRY(number(root, "locked_bytes", &out->locked_bytes));
    CZ_TRY(cz_json_get(root, "proof_sha256", &v));
    CZ_TRY(cz_json_string(v, &text, &n));
    (void)snprintf(out->proof_sha256, sizeof out->proof_sha256, "%s", text);
    return CZ_OK;
}

cz_err lab_session_parse(lab_session *out, const char *text, size_t n)
{
    cz_json_doc *doc;
    cz_json root;
    cz_err err;

    CZ_TRY_IN(cz_json_parse(&doc, &root, text, n), "answer of a session");
    err = parse_root(out, root);
    cz_json_destroy(doc);
    return err == CZ_OK ? CZ_OK : cz_fail_in(CZ_E_INPUT, "answer of a session");
}

/* ---- the process ---- */

void lab_memory_add(lab_memory *m, double seconds, double rss)
{
    if (m->n == LAB_MAX_SAMPLES) {
        for (unsigned i = 0; 2 * i < LAB_MAX_SAMPLES; i++)
            m->samples[i] = m->samples[2 * i];
        m->n = LAB_MAX_SAMPLES / 2;
    }
    m->samples[m->n++] = (lab_sample){seconds, rss};
}

static cz_err start(pid_t *child, int *from, char *const argv[])
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return cz_fail(CZ_E_IO, "pipe: %s", strerror(errno));
    *child = fork();
    if (*child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execv(argv[0], argv);
        _exit(127);
    }
    (void)close(ends[1]);
    if (*child < 0) {
        (void)close(ends[0]);
        return cz_fail(CZ_E_IO, "fork: %s", strerror(errno));
    }
    *from = ends[0];
    return CZ_OK;
}

static void take_sample(lab_memory *memory, pid_t child, uint64_t began)
{
    lab_proc now;

    if (memory != NULL && lab_proc_read(&now, child, false) == CZ_OK)
        lab_memory_add(memory, (double)(cz_clock_ns() - began) / 1e9, now.rss);
}

/* All that it writes, until it closes its end. */
static void listen_to(cz_text_out *answer, lab_memory *memory, pid_t child, int from)
{
    const uint64_t began = cz_clock_ns();
    struct pollfd wait = {.fd = from, .events = POLLIN};
    char chunk[CHUNK];

    for (;;) {
        const int ready = poll(&wait, 1, memory != NULL ? SAMPLE_MS : -1);
        ssize_t n;

        take_sample(memory, child, began);
        if (ready <= 0)
            continue;
        n = read(from, chunk, sizeof chunk);
        if (n <= 0)
            return;
        cz_text_put(answer, chunk, (size_t)n);
    }
}

static cz_err check_exit(int status, const char *program)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CZ_OK;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
        return cz_fail(CZ_E_IO, "%s cannot be run", program);
    return cz_fail(CZ_E_IO, "a session ended with %s %d (its own message is above)",
                   WIFEXITED(status) ? "status" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

cz_err lab_spawn(lab_session *out, lab_memory *memory, char *const argv[])
{
    cz_text_out answer = {0};
    pid_t child;
    int from, status = 0;
    char *text = NULL;
    size_t n;
    cz_err err;

    CZ_TRY(start(&child, &from, argv));
    listen_to(&answer, memory, child, from);
    (void)close(from);
    (void)waitpid(child, &status, 0);
    err = check_exit(status, argv[0]);
    if (err != CZ_OK) {
        cz_text_clear(&answer);
        return err;
    }
    CZ_TRY(cz_text_take(&answer, &text, &n));
    err = lab_session_parse(out, text, n);
    free(text);
    return err;
}
