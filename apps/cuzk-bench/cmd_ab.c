/* ab: a plan's configurations against each other, and a report that says which help. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "commit.h"
#include "lab/report.h"
#include "lab/run.h"
#include "lab/series.h"

typedef struct {
    const char *plan_path, *out, *params, *daemon, *circuit;
    unsigned blocks, minutes, repeat;
    bool render, json, quiet;
    char program[PATH_BYTES];
    lab_plan plan;
    lab_results results;
    lab_series series;
} ab;

static cz_err find_program(ab *a)
{
    const ssize_t n = readlink("/proc/self/exe", a->program, sizeof a->program - 1);

    if (n < 0)
        return cz_fail(CZ_E_IO, "/proc/self/exe: %s", strerror(errno));
    a->program[n] = '\0';
    return CZ_OK;
}

static cz_err make_folder(const char *path)
{
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return cz_fail(CZ_E_IO, "%s: %s", path, strerror(errno));
    return CZ_OK;
}

/* What the command line says goes before what the plan says. */
static cz_err override_plan(ab *a)
{
    if (a->params != NULL)
        CZ_TRY(lab_plan_set_text(&a->plan.params, a->params));
    if (a->circuit != NULL)
        CZ_TRY(lab_plan_set_text(&a->plan.circuit, a->circuit));
    if (a->daemon != NULL)
        CZ_TRY(lab_plan_set_text(&a->plan.daemon, a->daemon));
    if (a->blocks > LAB_MAX_BLOCKS)
        return args_mistake(cz_fail(CZ_E_INPUT, "--blocks: at most %d", LAB_MAX_BLOCKS));
    if (a->blocks != 0)
        a->plan.blocks = a->plan.max_blocks = a->blocks;
    if (a->repeat > LAB_MAX_SERIES)
        return args_mistake(cz_fail(CZ_E_INPUT, "--repeat: at most %d", LAB_MAX_SERIES));
    return CZ_OK;
}

static lab_run_options run_options(const ab *a)
{
    return (lab_run_options){.program = a->program,
                             .folder = a->out,
                             .quiet = a->quiet,
                             .commit = bench_commit(),
                             .minutes = a->minutes};
}

static cz_err run_plan(ab *a)
{
    const lab_run_options options = run_options(a);

    CZ_TRY(lab_run_plan(&a->results, &a->plan, &options));
    return lab_write_reports(&a->results, a->out);
}

/* ---- a series ---- */

/* Every run gets the same share of what is left, and an order of its own. */
static cz_err run_of_series(ab *a, unsigned k, double minutes_left)
{
    lab_run_options options = run_options(a);
    char folder[PATH_BYTES];

    if (snprintf(folder, sizeof folder, "%s/run-%02u", a->out, k + 1) >= (int)sizeof folder)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", a->out);
    CZ_TRY(make_folder(folder));
    options.folder = folder;
    options.quiet = true;
    options.minutes = a->minutes != 0 ? minutes_left / (a->repeat - k) : 0;
    lab_results_clear(&a->results);
    CZ_TRY(lab_run_plan(&a->results, &a->plan, &options));
    a->plan.seed++;
    lab_series_add(&a->series, &a->results);
    return lab_write_reports(&a->results, folder);
}

static void say_run(const ab *a, unsigned k)
{
    (void)fprintf(stderr, "run %u of %u, %2u blocks, %4.1f minutes:", k + 1, a->repeat,
                  a->results.blocks, a->results.minutes);
    for (unsigned i = 1; i < a->plan.n_configs; i++)
        (void)fprintf(stderr, "  %s %.3f %s", a->plan.configs[i].name, a->series.estimate[k][i],
                      lab_verdict_text(a->series.verdict[k][i]));
    (void)fputs("\n", stderr);
}

static cz_err run_series(ab *a)
{
    const uint64_t began = cz_clock_ns();

    a->series.plan = &a->plan;
    for (unsigned k = 0; k < a->repeat; k++) {
        CZ_TRY_IN(run_of_series(a, k, a->minutes - a->series.minutes), "run %u", k + 1);
        a->series.minutes = (double)(cz_clock_ns() - began) / 60e9;
        if (!a->quiet)
            say_run(a, k);
    }
    return lab_series_write(&a->series, a->out);
}

static cz_err run(ab *a)
{
    CZ_TRY(make_folder(a->out));
    if (a->render) {
        CZ_TRY(lab_report_read(&a->results, &a->plan, a->plan_path));
        return lab_write_pages(&a->results, a->out);
    }
    CZ_TRY(find_program(a));
    CZ_TRY(lab_plan_read(&a->plan, a->plan_path));
    CZ_TRY(override_plan(a));
    return a->repeat != 0 ? run_series(a) : run_plan(a);
}

static void say_series(const ab *a)
{
    cz_text_out out = {0};
    char *text;

    lab_series_text(&out, &a->series);
    if (cz_text_take(&out, &text, NULL) != CZ_OK)
        return;
    (void)fputs(text, stdout);
    free(text);
}

static void say_verdicts(const lab_results *r)
{
    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const lab_ratio ratio = lab_compare(r, 0, i, lab_judged(r->plan));

        (void)printf("%-20s %.3f (%.3f - %.3f)  %s\n", r->plan->configs[i].name, ratio.estimate,
                     ratio.low, ratio.high, lab_verdict_text(lab_judge(&ratio, r->plan->least)));
    }
}

static cz_err report(const ab *a)
{
    char *text;

    if (a->repeat != 0 && !a->json) {
        say_series(a);
        return CZ_OK;
    }
    if (!a->json) {
        say_verdicts(&a->results);
        (void)printf("written: %s/report.html, report.md%s\n", a->out,
                     a->render ? "" : ", report.json");
        return CZ_OK;
    }
    if (a->repeat != 0)
        CZ_TRY(lab_series_json(&text, NULL, &a->series));
    else
        CZ_TRY(lab_report_json(&text, NULL, &a->results));
    (void)puts(text);
    free(text);
    return CZ_OK;
}

int cmd_ab(int argc, char **argv)
{
    static ab a = {.out = "ab-report"}; /* a series is large */
    const arg_option options[] = {
        {"--out", ARG_TEXT, "DIR", &a.out, "where the report goes (default ab-report)", false},
        {"--params", ARG_TEXT, "DIR", &a.params, "parameter folder, instead of the plan's", false},
        {"--circuit", ARG_TEXT, "ID", &a.circuit, "instead of the plan's", false},
        {"--daemon", ARG_TEXT, "FILE", &a.daemon,
         "the program that plans with work = \"daemon\" start", false},
        {"--blocks", ARG_UINT, "N", &a.blocks, "exactly so many, instead of the plan's", false},
        {"--minutes", ARG_UINT, "N", &a.minutes, "no block that would pass them", false},
        {"--repeat", ARG_UINT, "N", &a.repeat,
         "run the plan so often, in --minutes altogether, and count the verdicts", false},
        {"--render", ARG_FLAG, NULL, &a.render,
         "PLAN.toml is the report.json of a run: write its pages again", false},
        {"--quiet", ARG_FLAG, NULL, &a.quiet, "no line for every process", false},
        {"--json", ARG_FLAG, NULL, &a.json, "the report as JSON on standard output too", false},
    };
    const arg_spec spec = {
        .command = "ab",
        .synopsis = "PLAN.toml [options]",
        .about =
            "The laboratory: runs the configurations of a plan, each in processes of its own, "
            "interleaved in\nblocks of random order, until the intervals of their ratios to the "
            "first one are narrow, and says of\neach: helps, hurts, or within noise. Writes JSON, "
            "Markdown and one HTML page. Plans: bench/plans/.",
        .example = "  cuzk-bench ab bench/plans/phase4.toml --params /tmp/params --out /tmp/ab\n"
                   "  E                    0.856 (0.813 - 0.900)  helps",
        .options = options,
        .n_options = ARGS_COUNT(options),
        .positionals = &a.plan_path,
        .min_positionals = 1,
        .max_positionals = 1,
    };
    args_result parsed = args_parse(&spec, argc, argv);
    cz_err err;

    if (parsed != ARGS_RUN)
        return args_exit(parsed);
    err = run(&a);
    if (err == CZ_OK)
        err = report(&a);
    lab_results_clear(&a.results);
    lab_plan_clear(&a.plan);
    return err == CZ_OK ? EXIT_DONE : report_failure(spec.command, a.json, err);
}
