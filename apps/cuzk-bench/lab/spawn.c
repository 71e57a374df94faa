/* spawn.c: see spawn.h. */
#define _GNU_SOURCE
#include "spawn.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
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

/* A number that older answers and other kinds of work do not have: then *out stays. */
static cz_err optional(cz_json object, const char *key, double *out)
{
    cz_json v;

    if (cz_json_get(object, key, &v) != CZ_OK)
        return CZ_OK;
    CZ_TRY_IN(cz_json_double(v, out), "%s", key);
    return CZ_OK;
}

cz_err lab_phases_parse(double out[CZ_PHASE_COUNT], cz_json object, const char *key)
{
    cz_json phases;

    if (cz_json_get(object, key, &phases) != CZ_OK)
        return CZ_OK;
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        CZ_TRY_IN(optional(phases, cz_phase_name((cz_phase)p), &out[p]), "%s", key);
    return CZ_OK;
}

cz_err lab_run_parse(lab_run *run, cz_json v)
{
    CZ_TRY(number(v, "seconds", &run->seconds));
    CZ_TRY(number(v, "cpu_seconds", &run->cpu_seconds));
    CZ_TRY(number(v, "minor_faults", &run->minor_faults));
    CZ_TRY(number(v, "major_faults", &run->major_faults));
    CZ_TRY(number(v, "peak_rss_bytes", &run->peak_rss));
    CZ_TRY(number(v, "covered", &run->covered));
    if (!(run->seconds > 0))
        return cz_fail(CZ_E_INPUT, "seconds: not positive");
    CZ_TRY(optional(v, "vram_bytes", &run->vram));
    CZ_TRY(optional(v, "recorded", &run->recorded));
    CZ_TRY(optional(v, "recording_ms", &run->recording_ms));
    CZ_TRY(lab_phases_parse(run->phase_ms, v, "phases_ms"));
    return lab_phases_parse(run->phase_faults, v, "phase_faults");
}

cz_err lab_runs_parse(lab_session *out, cz_json root)
{
    cz_json runs, v;
    cz_json_iter it;

    CZ_TRY(cz_json_get(root, "runs", &runs));
    CZ_TRY(cz_json_iterate(runs, &it));
    out->n_runs = 0;
    while (cz_json_next(&it, &v, NULL)) {
        if (out->n_runs == LAB_MAX_RUNS)
            return cz_fail(CZ_E_INPUT, "more than %d runs", LAB_MAX_RUNS);
        CZ_TRY_IN(lab_run_parse(&out->runs[out->n_runs], v), "run %u", out->n_runs);
        out->n_runs++;
    }
    return out->n_runs > 0 ? CZ_OK : cz_fail(CZ_E_INPUT, "no run");
}

static cz_err parse_root(lab_session *out, cz_json root)
{
    const char *text;
    cz_json v;
    size_t n;

    CZ_TRY(lab_runs_parse(out, root));
    CZ_TRY(optional(root, "load_seconds", &out->load_seconds));
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

/* ---- samples ---- */

void lab_memory_add(lab_memory *m, double seconds, double rss)
{
    if (m->n == LAB_MAX_SAMPLES) {
        for (unsigned i = 0; 2 * i < LAB_MAX_SAMPLES; i++)
            m->samples[i] = m->samples[2 * i];
        m->n = LAB_MAX_SAMPLES / 2;
    }
    m->samples[m->n++] = (lab_sample){seconds, rss};
}

/* ---- the process ---- */

/* Two ends that talk both ways, and that the next child does not inherit. */
static cz_err start(lab_child *c, char *const argv[])
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return cz_fail(CZ_E_IO, "socketpair: %s", strerror(errno));
    c->pid = fork();
    if (c->pid == 0) {
        (void)dup2(ends[1], STDIN_FILENO);
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execv(argv[0], argv);
        _exit(127);
    }
    (void)close(ends[1]);
    if (c->pid < 0) {
        (void)close(ends[0]);
        return cz_fail(CZ_E_IO, "fork: %s", strerror(errno));
    }
    c->fd = ends[0];
    return CZ_OK;
}

cz_err lab_child_start(lab_child *c, char *const argv[], bool takes_turns)
{
    *c = (lab_child){.program = argv[0], .fd = -1, .takes_turns = takes_turns};
    return start(c, argv);
}

/* Is the last line that it wrote the one by which it waits for its turn? */
static bool says_ready(const lab_child *c)
{
    static const char ready[] = LAB_READY_LINE;
    const size_t n = sizeof ready - 1;
    const cz_text_out *a = &c->answer;

    if (!c->takes_turns || a->n < n || memcmp(a->text + a->n - n, ready, n) != 0)
        return false;
    return a->n == n || a->text[a->n - n - 1] == '\n';
}

static void take_sample(const lab_child *c, lab_memory *memory, uint64_t began)
{
    const uint64_t ns = c->awake_ns + (cz_clock_ns() - began);
    lab_proc now;

    if (memory != NULL && lab_proc_read(&now, c->pid, false) == CZ_OK)
        lab_memory_add(memory, (double)ns / 1e9, now.rss);
}

/* True: something came. */
static bool hear(lab_child *c)
{
    char chunk[CHUNK];
    const ssize_t n = read(c->fd, chunk, sizeof chunk);

    if (n > 0)
        cz_text_put(&c->answer, chunk, (size_t)n);
    return n > 0;
}

void lab_child_wait(lab_child *c, lab_memory *memory)
{
    const uint64_t began = cz_clock_ns();
    struct pollfd wait = {.fd = c->fd, .events = POLLIN};

    while (!c->ended && !says_ready(c)) {
        const int ready = poll(&wait, 1, memory != NULL ? SAMPLE_MS : -1);

        take_sample(c, memory, began);
        if (ready > 0 && !hear(c))
            c->ended = true;
    }
    c->awake_ns += cz_clock_ns() - began;
}

cz_err lab_child_go(lab_child *c)
{
    static const char go[] = LAB_GO_LINE;

    cz_text_clear(&c->answer);
    if (c->ended || send(c->fd, go, sizeof go - 1, MSG_NOSIGNAL) < 0)
        return cz_fail(CZ_E_IO, "a session ended before its turn");
    return CZ_OK;
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

static int reap(lab_child *c)
{
    int status = 0;

    (void)close(c->fd); /* one that still waits for its turn ends too */
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) {
    }
    c->pid = 0;
    return status;
}

cz_err lab_child_end(lab_child *c, lab_session *out)
{
    char *text = NULL;
    size_t n;
    cz_err err = check_exit(reap(c), c->program);

    if (err != CZ_OK) {
        cz_text_clear(&c->answer);
        return err;
    }
    CZ_TRY(cz_text_take(&c->answer, &text, &n));
    err = lab_session_parse(out, text, n);
    free(text);
    return err;
}

void lab_child_kill(lab_child *c)
{
    if (c->pid <= 0)
        return;
    (void)kill(c->pid, SIGKILL);
    (void)reap(c);
    cz_text_clear(&c->answer);
}

cz_err lab_spawn(lab_session *out, lab_memory *memory, char *const argv[])
{
    lab_child c;

    CZ_TRY(lab_child_start(&c, argv, false));
    while (!c.ended)
        lab_child_wait(&c, memory);
    return lab_child_end(&c, out);
}
