/* ab-session: one process of an ab run, started by ab; its answer is a JSON object. */
#define _GNU_SOURCE
#include "session.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/json_out.h"
#include "commands.h"
#include "lab/sample.h"

/* ---- measuring ---- */

static void path_of(char out[64], long pid, const char *file)
{
    (void)snprintf(out, 64, "/proc/%ld/%s", pid, file);
}

/* The kernel's high-water mark of the resident set begins anew. */
static void reset_peak(long pid)
{
    char path[64];
    int fd;

    path_of(path, pid, "clear_refs");
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!write(fd, "5", 1);
    (void)close(fd);
}

static double peak_bytes(long pid)
{
    static const char name[] = "VmHWM:";
    double bytes = 0;
    char line[256], path[64];
    FILE *in;

    path_of(path, pid, "status");
    in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, name, sizeof name - 1) == 0)
            bytes = (double)strtoull(line + sizeof name - 1, NULL, 10) * 1024;
    if (in != NULL)
        (void)fclose(in);
    return bytes;
}

static double seconds_of(struct timeval t)
{
    return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* This process's times are finer than what /proc says of another one. */
static session_clock now(long pid)
{
    session_clock c = {.pid = pid, .start_ns = cz_clock_ns()};
    struct rusage u;
    lab_proc p;

    if (pid == getpid()) {
        (void)getrusage(RUSAGE_SELF, &u);
        c.start_cpu = seconds_of(u.ru_utime) + seconds_of(u.ru_stime);
        c.start_minor = (double)u.ru_minflt;
        c.start_major = (double)u.ru_majflt;
    } else if (pid != 0 && lab_proc_read(&p, (pid_t)pid, false) == CZ_OK) {
        c.start_cpu = p.cpu_seconds;
        c.start_minor = p.minor_faults;
        c.start_major = p.major_faults;
    }
    return c;
}

session_clock session_start_of(long pid)
{
    if (pid != 0)
        reset_peak(pid);
    return now(pid);
}

session_clock session_start(void)
{
    return session_start_of(getpid());
}

/* How many phases were recorded, and what that took. */
static void report_recording(cz_json_out *j, const cz_trace *trace)
{
    size_t n;
    double ms;

    cz_trace_cost(trace, &n, &ms);
    cz_json_out_u64(j, "recorded", n);
    cz_json_out_double(j, "recording_ms", ms);
}

static void report_phases(cz_json_out *j, const cz_trace *trace)
{
    cz_json_out_object(j, "phases_ms");
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        if (cz_trace_total_ms(trace, (cz_phase)p) > 0)
            cz_json_out_double(j, cz_phase_name((cz_phase)p),
                               cz_trace_total_ms(trace, (cz_phase)p));
    cz_json_out_close(j);
    cz_json_out_object(j, "phase_faults");
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        if (cz_trace_total_ms(trace, (cz_phase)p) > 0)
            cz_json_out_u64(j, cz_phase_name((cz_phase)p), cz_trace_faults(trace, (cz_phase)p));
    cz_json_out_close(j);
}

void session_report(session_order *o, const session_clock *clock, const cz_trace *trace,
                    uint64_t vram_bytes)
{
    const session_clock end = now(clock->pid);
    const double seconds = (double)(end.start_ns - clock->start_ns) / 1e9;
    double wall_ms, covered_ms;

    cz_trace_cover(trace, &wall_ms, &covered_ms);
    cz_json_out_object(&o->answer, NULL);
    cz_json_out_double(&o->answer, "seconds", seconds);
    cz_json_out_double(&o->answer, "cpu_seconds", end.start_cpu - clock->start_cpu);
    cz_json_out_double(&o->answer, "minor_faults", end.start_minor - clock->start_minor);
    cz_json_out_double(&o->answer, "major_faults", end.start_major - clock->start_major);
    cz_json_out_double(&o->answer, "peak_rss_bytes", clock->pid != 0 ? peak_bytes(clock->pid) : 0);
    cz_json_out_u64(&o->answer, "vram_bytes", vram_bytes);
    cz_json_out_double(&o->answer, "covered", covered_ms / 1e3 / seconds);
    report_recording(&o->answer, trace);
    report_phases(&o->answer, trace);
    cz_json_out_close(&o->answer);
}

/* ---- the command ---- */

static cz_err measure(session_order *o)
{
    if (strcmp(o->work, "prove") == 0)
        return session_prove(o);
    if (strcmp(o->work, "engine") == 0)
        return session_engine(o);
    if (strcmp(o->work, "daemon") == 0)
        return session_daemon(o);
    return args_mistake(
        cz_fail(CZ_E_INPUT, "--work '%s' is none of prove, engine, daemon", o->work));
}

static cz_err run(session_order *o)
{
    char *text = NULL;
    cz_err err;

    if (o->config != NULL)
        CZ_TRY(cz_config_read(&o->settings, o->config, NULL, NULL));
    else
        CZ_TRY(cz_config_init(&o->settings));
    cz_json_out_object(&o->answer, NULL);
    cz_json_out_array(&o->answer, "runs");
    err = measure(o);
    cz_config_clear(&o->settings);
    if (err != CZ_OK) {
        cz_json_out_clear(&o->answer);
        return err;
    }
    CZ_TRY(cz_json_out_take(&o->answer, &text, NULL));
    (void)puts(text);
    free(text);
    return CZ_OK;
}

int cmd_ab_session(int argc, char **argv)
{
    session_order o = {.work = "prove", .jobs = 1, .seed = 1};
    bool json = true;
    const arg_option options[] = {
        {"--work", ARG_TEXT, "KIND", &o.work,
         "prove (default): one proof after the other; engine: jobs at once; daemon: the same "
         "through a socket",
         false},
        {"--config", ARG_TEXT, "FILE", &o.config, "settings; default: the defaults", false},
        {"--request", ARG_TEXT, "FILE", &o.request, "what is proved; default: a synthetic one",
         false},
        {"--params", ARG_TEXT, "DIR", &o.params, "parameter folder", false},
        {"--threads", ARG_UINT, "N", &o.threads, "default: all CPUs", false},
        {"--warm", ARG_UINT, "N", &o.warm, "runs after the first one (default 0)", false},
        {"--jobs", ARG_UINT, "N", &o.jobs, "jobs of an engine's or daemon's run (default 1)",
         false},
        {"--daemon", ARG_TEXT, "FILE", &o.daemon,
         "program to start as daemon (default: the cuzk beside this one)", false},
        {"--addr", ARG_TEXT, "ADDR", &o.addr, "a daemon that runs, instead", false},
        {"--no-trace", ARG_FLAG, NULL, &o.no_trace, "prove: record no phases", false},
        {"--turns", ARG_FLAG, NULL, &o.turns,
         "before each run write \"ready\" and wait for a line \"go\"", false},
        {"--partitions", ARG_UINT, "N", &o.partitions,
         "prove: of the request, at most so many (default: all)", false},
        {"--seed", ARG_UINT, "N", &o.seed, "of synthetic requests (default 1)", false},
        {"--json", ARG_FLAG, NULL, &json, "what it does anyway", false},
    };
    const arg_spec spec = {
        .command = "ab-session",
        .synopsis = "CIRCUIT [options]",
        .about = "One process of an ab run: proves with the settings of a file, a first time and "
                 "then warm, and\nprints what each run took as one JSON object. ab starts it; by "
                 "hand it shows what ab sees.",
        .example = "  cuzk-bench ab-session winning-2k --params /tmp/params --warm 2",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &o.circuits,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    err = run(&o);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, false, err);
}
