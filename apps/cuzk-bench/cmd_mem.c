/* mem: the memory of a process over time: one that runs, or a command that is started. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "commands.h"
#include "lab/monitor.h"
#include "lab/vram.h"

enum { MAX_EVERY_MS = 3600000 };

typedef struct {
    const char *target, *svg;
    unsigned every_ms, seconds;
    bool json;
    char **command; /* after "--"; NULL: a process that runs */
    pid_t pid;
    int pidfd; /* readable once the process has ended */
    bool is_child, ended;
    int status; /* of the child */
    lab_monitor monitor;
} watch;

/* ---- the process ---- */

static cz_err start_command(watch *w)
{
    w->pid = fork();
    if (w->pid == 0) {
        (void)execvp(w->command[0], w->command);
        (void)fprintf(stderr, "cuzk-bench mem: %s: %s\n", w->command[0], strerror(errno));
        _exit(127);
    }
    if (w->pid < 0)
        return cz_fail(CZ_E_IO, "fork: %s", strerror(errno));
    w->is_child = true;
    return CZ_OK;
}

static cz_err find_process(watch *w)
{
    char *end;
    const long pid = strtol(w->target, &end, 10);
    lab_proc now;

    if (*end != '\0' || pid <= 0)
        return args_mistake(cz_fail(CZ_E_INPUT, "'%s' is no process number", w->target));
    w->pid = (pid_t)pid;
    return lab_proc_read(&now, w->pid, false);
}

static cz_err open_end(watch *w)
{
    w->pidfd = pidfd_open(w->pid, 0);
    return w->pidfd >= 0 ? CZ_OK : cz_fail(CZ_E_IO, "process %d: %s", (int)w->pid, strerror(errno));
}

/* Until the next sample is due; true when the process ended before. */
static bool ends_before_the_next_sample(watch *w)
{
    struct pollfd end = {.fd = w->pidfd, .events = POLLIN};

    return poll(&end, 1, (int)w->every_ms) > 0;
}

static cz_err watch_it(watch *w)
{
    const uint64_t began = cz_clock_ns();
    double seconds = 0;
    lab_proc now;

    do {
        if (lab_proc_read(&now, w->pid, true) == CZ_OK && now.rss > 0)
            CZ_TRY(lab_monitor_add(&w->monitor, seconds, &now, lab_vram_used()));
        w->ended = ends_before_the_next_sample(w);
        seconds = (double)(cz_clock_ns() - began) / 1e9;
    } while (!w->ended && (w->seconds == 0 || seconds <= w->seconds));
    if (w->ended && w->is_child)
        (void)waitpid(w->pid, &w->status, 0);
    return CZ_OK;
}

/* ---- the answer ---- */

static void print_json(const watch *w)
{
    const lab_monitor *m = &w->monitor;
    json_out j;

    json_begin(&j);
    json_uint(&j, "every_ms", w->every_ms);
    json_array(&j, "samples");
    for (size_t i = 0; i < m->n; i++) {
        json_object(&j, NULL);
        json_double(&j, "seconds", m->moments[i].seconds);
        json_double(&j, "rss_bytes", m->moments[i].proc.rss);
        json_double(&j, "pss_bytes", m->moments[i].proc.pss);
        json_double(&j, "locked_bytes", m->moments[i].proc.locked);
        json_double(&j, "vram_bytes", m->moments[i].vram);
        json_double(&j, "minor_faults", m->moments[i].proc.minor_faults);
        json_double(&j, "major_faults", m->moments[i].proc.major_faults);
        json_close(&j);
    }
    json_close(&j);
    json_end(&j);
}

static cz_err write_svg(const watch *w)
{
    cz_text_out out = {0};
    char *text;
    size_t n;
    cz_err err;

    if (w->svg == NULL)
        return CZ_OK;
    lab_monitor_svg(&out, &w->monitor);
    CZ_TRY(cz_text_take(&out, &text, &n));
    err = cz_file_write_all(w->svg, text, n);
    free(text);
    return err;
}

static cz_err print_text(const watch *w)
{
    cz_text_out out = {0};
    char *text;

    lab_monitor_text(&out, &w->monitor);
    CZ_TRY(cz_text_take(&out, &text, NULL));
    (void)fputs(text != NULL ? text : "", stdout);
    free(text);
    return CZ_OK;
}

static cz_err run(watch *w)
{
    if (w->every_ms == 0 || w->every_ms > MAX_EVERY_MS)
        return args_mistake(cz_fail(CZ_E_INPUT, "--every: 1 ms to an hour"));
    if (w->command == NULL && w->target == NULL)
        return args_mistake(cz_fail(CZ_E_INPUT, "a process number, or -- and a command"));
    CZ_TRY(w->command != NULL ? start_command(w) : find_process(w));
    CZ_TRY(open_end(w));
    CZ_TRY(watch_it(w));
    CZ_TRY(write_svg(w));
    if (w->json)
        print_json(w);
    else
        CZ_TRY(print_text(w));
    if (w->is_child && !(WIFEXITED(w->status) && WEXITSTATUS(w->status) == 0))
        return cz_fail(CZ_E_INPUT, "the command failed");
    return CZ_OK;
}

/* What follows "--" is the command; the rest is ours. */
static int take_command(watch *w, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--") == 0 && i + 1 < argc) {
            w->command = argv + i + 1;
            return i;
        }
    return argc;
}

int cmd_mem(int argc, char **argv)
{
    watch w = {.every_ms = 50, .pidfd = -1};
    const arg_option options[] = {
        {"--every", ARG_UINT, "MS", &w.every_ms, "time between samples (default 50)", false},
        {"--seconds", ARG_UINT, "N", &w.seconds, "stop watching then (default: its end)", false},
        {"--svg", ARG_TEXT, "FILE", &w.svg, "a plot of memory and page faults", false},
        {"--json", ARG_FLAG, NULL, &w.json, "the samples as one JSON object", false},
    };
    const arg_spec spec = {
        .command = "mem",
        .synopsis = "PID | [options] -- COMMAND...",
        .about = "Watch the memory of a process: resident, by share of shared pages, locked, on "
                 "NVIDIA devices\n(of all processes), and page faults, plotted over time. A "
                 "command is started, and its output\ngoes before the plot.",
        .example = "  cuzk-bench mem --svg memory.svg -- cuzk-bench prove c1.json --out proof.bin",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &w.target,
        .min_positionals = 0,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, take_command(&w, argc, argv), argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    err = run(&w);
    lab_monitor_clear(&w.monitor);
    if (w.pidfd >= 0)
        (void)close(w.pidfd);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, w.json, err);
}
