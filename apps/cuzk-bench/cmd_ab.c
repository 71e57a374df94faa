/* ab: a plan's configurations against each other, and a report that says which help. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "lab/report.h"
#include "lab/run.h"

typedef struct {
    const char *plan_path, *out, *params;
    unsigned blocks, minutes;
    bool json, quiet;
    char program[PATH_BYTES];
    lab_plan plan;
    lab_results results;
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
    if (a->params != NULL) {
        char *copy = strdup(a->params);

        if (copy == NULL)
            return cz_fail(CZ_E_NOMEM, "no memory");
        free(a->plan.params);
        a->plan.params = copy;
    }
    if (a->blocks > LAB_MAX_BLOCKS)
        return cz_fail(CZ_E_INPUT, "--blocks: at most %d", LAB_MAX_BLOCKS);
    if (a->blocks != 0)
        a->plan.blocks = a->plan.max_blocks = a->blocks;
    if (a->minutes != 0)
        a->plan.minutes = a->minutes;
    return CZ_OK;
}

static cz_err run(ab *a)
{
    const lab_run_options options = {a->program, a->out, a->quiet};

    CZ_TRY(find_program(a));
    CZ_TRY(lab_plan_read(&a->plan, a->plan_path));
    CZ_TRY(override_plan(a));
    CZ_TRY(make_folder(a->out));
    CZ_TRY(lab_run_plan(&a->results, &a->plan, &options));
    return lab_write_reports(&a->results, a->out);
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

    if (!a->json) {
        say_verdicts(&a->results);
        (void)printf("written: %s/report.html, report.md, report.json\n", a->out);
        return CZ_OK;
    }
    CZ_TRY(lab_report_json(&text, NULL, &a->results));
    (void)puts(text);
    free(text);
    return CZ_OK;
}

int cmd_ab(int argc, char **argv)
{
    ab a = {.out = "ab-report"};
    const arg_option options[] = {
        {"--out", ARG_TEXT, "DIR", &a.out, "where the report goes (default ab-report)", false},
        {"--params", ARG_TEXT, "DIR", &a.params, "parameter folder, instead of the plan's", false},
        {"--blocks", ARG_UINT, "N", &a.blocks, "exactly so many, instead of the plan's", false},
        {"--minutes", ARG_UINT, "N", &a.minutes, "no block that would pass them", false},
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
                   "  inline               0.981 (0.968 - 0.990)  helps",
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
