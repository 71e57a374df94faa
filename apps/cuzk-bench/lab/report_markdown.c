/* report_markdown.c: results as Markdown, for records in docs/decisions/. */
#include "report.h"

#include <stdio.h>

static void machine(cz_text_out *out, const lab_results *r)
{
    const lab_machine *m = &r->machine;
    char memory[LAB_VALUE_BYTES];

    lab_bytes_text(memory, m->memory_bytes);
    cz_text_printf(out,
                   "Machine: %u CPUs of %s (%s; %.0f to %.0f MHz), %s, huge pages \"%s\", %s, %s; "
                   "cuzk %s, commit %s (%s)",
                   m->cpus, m->cpu, m->features, m->mhz_low, m->mhz_high, memory, m->thp, m->kernel,
                   m->compiler, m->program, m->commit[0] != '\0' ? m->commit : "unknown", m->forms);
    if (m->gpu[0] != '\0')
        cz_text_printf(out, "; GPU %s, driver %s", m->gpu,
                       m->driver[0] != '\0' ? m->driver : "unknown");
    cz_text_printf(out, ". Load average before: %.2f.\n\n", m->load_before);
}

static void changes(cz_text_out *out, const lab_config *c, bool is_baseline)
{
    for (unsigned i = 0; i < c->n_changes; i++)
        cz_text_printf(out, "%s`%s`", i == 0 ? "" : ", ", c->changes[i]);
    if (c->n_changes == 0)
        cz_text_puts(out, is_baseline       ? "(baseline)"
                          : c->is_noise_run ? "(the baseline again)"
                                            : "(as the baseline)");
}

/* "4.95 s (4.89 to 5.19)" */
static void time_cell(cz_text_out *out, const lab_quartiles *q)
{
    char median[LAB_VALUE_BYTES];

    lab_seconds_text(median, q->median);
    if (q->median >= 1)
        cz_text_printf(out, " %s (%.3f to %.3f) |", median, q->ci_low, q->ci_high);
    else
        cz_text_printf(out, " %s (%.1f to %.1f) |", median, 1e3 * q->ci_low, 1e3 * q->ci_high);
}

/* The first run apart, where there are others. */
static void verdict_head(cz_text_out *out, const lab_results *r)
{
    static const char ratios[] = "| ratio to the baseline | to the previous | verdict |\n";

    if (r->plan->warm > 0)
        cz_text_printf(out,
                       "\n| | cold | warm | warm CPU | peak memory %s|---|---|---|---|---|---|"
                       "---|---|\n",
                       ratios);
    else
        cz_text_printf(out, "\n| | time | CPU | peak memory %s|---|---|---|---|---|---|---|\n",
                       ratios);
}

static void verdict_row(cz_text_out *out, const lab_results *r, unsigned i)
{
    const lab_metric judged = lab_judged(r->plan);
    const lab_quartiles cold = lab_spread(r, i, LAB_COLD_WALL);
    const lab_quartiles warm = lab_spread(r, i, LAB_WARM_WALL);
    const lab_quartiles cpu = lab_spread(r, i, LAB_WARM_CPU);
    const lab_ratio base = lab_compare(r, 0, i, judged);
    char text[LAB_VALUE_BYTES];

    cz_text_printf(out, "| %s |", r->plan->configs[i].name);
    if (r->plan->warm > 0)
        time_cell(out, &cold);
    time_cell(out, &warm);
    time_cell(out, &cpu);
    lab_bytes_text(text, lab_spread(r, i, LAB_PEAK_RSS).median);
    cz_text_printf(out, " %s | ", text);
    if (i == 0) {
        cz_text_puts(out, "1 | | baseline |\n");
        return;
    }
    cz_text_printf(out, "%.3f (%.3f – %.3f) | ", base.estimate, base.low, base.high);
    cz_text_printf(out, "%.3f | **%s** |\n", lab_compare(r, i - 1, i, judged).estimate,
                   lab_verdict_text(lab_judge(&base, r->plan->least)));
}

typedef double (*phase_number)(const lab_results *r, unsigned config, cz_phase phase);

static double most_of(const lab_results *r, cz_phase phase, phase_number number)
{
    double most = 0;

    for (unsigned i = 0; i < r->plan->n_configs; i++)
        most = number(r, i, phase) > most ? number(r, i, phase) : most;
    return most;
}

static double sum_of(const lab_results *r, unsigned config, phase_number number)
{
    double sum = 0;

    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        sum += number(r, config, (cz_phase)p);
    return sum;
}

/* A run that does not tell its phases has none, not zero. */
static void number_cell(cz_text_out *out, bool is_told, int digits, double value)
{
    if (is_told)
        cz_text_printf(out, " %.*f |", digits, value);
    else
        cz_text_puts(out, " – |");
}

/* The head and a row a phase; nothing where no configuration has a number. */
static bool phase_table(cz_text_out *out, const lab_results *r, const char *title,
                        phase_number number, int digits)
{
    bool any = false;

    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        any = any || most_of(r, (cz_phase)p, number) > 0;
    if (!any)
        return false;
    cz_text_printf(out, "\n## %s\n\n| phase |", title);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        cz_text_printf(out, " %s |", r->plan->configs[i].name);
    cz_text_puts(out, "\n|---|");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        cz_text_puts(out, "---|");
    for (int p = 0; p < CZ_PHASE_COUNT; p++) {
        if (most_of(r, (cz_phase)p, number) <= 0)
            continue;
        cz_text_printf(out, "\n| %s |", cz_phase_name((cz_phase)p));
        for (unsigned i = 0; i < r->plan->n_configs; i++)
            number_cell(out, sum_of(r, i, number) > 0, digits, number(r, i, (cz_phase)p));
    }
    cz_text_puts(out, "\n");
    return true;
}

static void phases(cz_text_out *out, const lab_results *r)
{
    if (!phase_table(out, r, "Phases, median of warm runs, ms", lab_phase_ms, 1))
        return;
    cz_text_puts(out, "| *sum* |");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        number_cell(out, sum_of(r, i, lab_phase_ms) > 0, 1, sum_of(r, i, lab_phase_ms));
    cz_text_puts(out, "\n| *whole run* |");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        cz_text_printf(out, " %.1f |", 1e3 * lab_spread(r, i, LAB_WARM_WALL).median);
    cz_text_puts(out, "\n| *covered by phases* |");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        if (sum_of(r, i, lab_phase_ms) > 0)
            cz_text_printf(out, " %.2f %% |", 100 * lab_covered(r, i));
        else
            cz_text_puts(out, " – |");
    cz_text_puts(out, "\n");
}

/* Older reports do not tell. */
static void recording(cz_text_out *out, const lab_results *r)
{
    bool any = false;

    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        const lab_recording cost = lab_recording_of(r, i);

        if (cost.phases <= 0)
            continue;
        if (!any)
            cz_text_puts(out, "\n## What recording the phases took, medians of warm runs\n\n"
                              "| | phases | ms | us each | of the run |\n|---|---|---|---|---|\n");
        any = true;
        cz_text_printf(out, "| %s | %.0f | %.3f | %.1f | %.3f %% |\n", r->plan->configs[i].name,
                       cost.phases, cost.ms, 1e3 * cost.ms / cost.phases, 100 * cost.share);
    }
}

/* Phases whose own interval is on one side of 1. */
static void phase_verdicts(cz_text_out *out, const lab_results *r)
{
    bool any = false;

    for (unsigned i = 1; i < r->plan->n_configs; i++)
        for (int p = 0; p < CZ_PHASE_COUNT; p++) {
            const lab_ratio ratio = lab_compare_phase(r, 0, i, (cz_phase)p);

            if (lab_judge_phase(r, i, (cz_phase)p) == LAB_WITHIN_NOISE)
                continue;
            if (!any)
                cz_text_puts(out, "\n## Phases that differ from the baseline's\n\n| | phase | ms "
                                  "| ratio |\n|---|---|---|---|\n");
            any = true;
            cz_text_printf(out, "| %s | %s | %+.1f | %.3f (%.3f – %.3f) |\n",
                           r->plan->configs[i].name, cz_phase_name((cz_phase)p),
                           lab_phase_ms(r, i, (cz_phase)p) - lab_phase_ms(r, 0, (cz_phase)p),
                           ratio.estimate, ratio.low, ratio.high);
        }
}

static void faults(cz_text_out *out, const lab_results *r)
{
    const bool has_warm = r->plan->warm > 0;

    cz_text_puts(out, "\n## Page faults, medians\n\n");
    cz_text_puts(out, has_warm ? "| | cold | warm | cold / warm wall |\n|---|---|---|---|\n"
                               : "| | of a run |\n|---|---|\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        const double cold = lab_spread(r, i, LAB_COLD_WALL).median;
        const double warm = lab_spread(r, i, LAB_WARM_WALL).median;

        cz_text_printf(out, "| %s | %.0f |", r->plan->configs[i].name,
                       lab_spread(r, i, LAB_COLD_FAULTS).median);
        if (has_warm)
            cz_text_printf(out, " %.0f | %.3f |", lab_spread(r, i, LAB_FAULTS).median,
                           warm > 0 ? cold / warm : 0);
        cz_text_puts(out, "\n");
    }
}

/* What only devices have, and loading. */
static void loading(cz_text_out *out, const lab_results *r)
{
    char load[LAB_VALUE_BYTES], vram[LAB_VALUE_BYTES];

    if (!lab_has(r, LAB_LOAD))
        return;
    cz_text_puts(out, "\n## Loading the parameters, medians\n\n| | seconds | device memory |\n"
                      "|---|---|---|\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        lab_seconds_text(load, lab_spread(r, i, LAB_LOAD).median);
        lab_bytes_text(vram, lab_spread(r, i, LAB_VRAM).median);
        cz_text_printf(out, "| %s | %s | %s |\n", r->plan->configs[i].name, load,
                       lab_spread(r, i, LAB_VRAM).median > 0 ? vram : "");
    }
}

static void throughput(cz_text_out *out, const lab_results *r)
{
    char text[LAB_VALUE_BYTES];

    if (r->plan->work == LAB_PROVE)
        return;
    cz_text_puts(out, "\n## Throughput against peak memory\n\n| | jobs a minute | peak memory | "
                      "ratio of the peaks |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        const lab_quartiles time = lab_spread(r, i, LAB_WARM_WALL);
        const lab_ratio peak = lab_compare(r, 0, i, LAB_PEAK_RSS);

        lab_bytes_text(text, lab_spread(r, i, LAB_PEAK_RSS).median);
        cz_text_printf(out, "| %s | %.2f (%.2f to %.2f) | %s | ", r->plan->configs[i].name,
                       lab_jobs_a_minute(r, time.median), lab_jobs_a_minute(r, time.ci_high),
                       lab_jobs_a_minute(r, time.ci_low), text);
        if (i == 0)
            cz_text_puts(out, "1 |\n");
        else
            cz_text_printf(out, "%.3f (%.3f – %.3f) |\n", peak.estimate, peak.low, peak.high);
    }
}

static void interactions(cz_text_out *out, const lab_results *r)
{
    const lab_metric judged = lab_judged(r->plan);
    bool any = false;

    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const double product = lab_product_of_parts(r, i, judged);
        const lab_ratio together = lab_compare(r, 0, i, judged);
        const lab_ratio whole = lab_interaction(r, i, judged);

        if (product <= 0)
            continue;
        if (!any)
            cz_text_puts(out,
                         "\n## Is the sum of the parts the whole?\n\n| | product of each alone "
                         "| together | whole / parts, block by block |\n|---|---|---|---|\n");
        any = true;
        cz_text_printf(out, "| %s | %.3f | %.3f (%.3f – %.3f) | %.3f (%.3f – %.3f) |\n",
                       r->plan->configs[i].name, product, together.estimate, together.low,
                       together.high, whole.estimate, whole.low, whole.high);
    }
}

/* As the page's tags. */
static void what_was_run(cz_text_out *out, const lab_results *r)
{
    const lab_plan *p = r->plan;

    cz_text_printf(out, "%u blocks in %.1f minutes, ", r->blocks, r->minutes);
    if (p->work != LAB_PROVE)
        cz_text_printf(out, "%llu jobs at once by %s, ", (unsigned long long)p->jobs,
                       p->work == LAB_DAEMON ? "a daemon" : "an engine");
    if (p->threads > 0)
        cz_text_printf(out, "%llu thread%s, ", (unsigned long long)p->threads,
                       p->threads == 1 ? "" : "s");
    if (p->warm > 0)
        cz_text_printf(out, "a first and %llu warm runs a process, ", (unsigned long long)p->warm);
    else
        cz_text_puts(out, "one run a process, ");
    cz_text_printf(out, "order by seed %llu; ended by: %s.\n\n", (unsigned long long)p->seed,
                   r->stopped);
}

void lab_report_markdown(cz_text_out *out, const lab_results *r)
{
    char rule[LAB_RULE_BYTES];

    lab_rule_text(rule, sizeof rule, r);
    cz_text_printf(out, "# %s: %s\n\n%s\n\n", r->plan->name, r->plan->circuit, r->plan->about);
    machine(out, r);
    what_was_run(out, r);
    cz_text_printf(out, "%s\n\n", rule);
    cz_text_puts(out, "| configuration | settings |\n|---|---|\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        cz_text_printf(out, "| %s | ", r->plan->configs[i].name);
        changes(out, &r->plan->configs[i], i == 0);
        cz_text_puts(out, " |\n");
    }
    verdict_head(out, r);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        verdict_row(out, r, i);
    throughput(out, r);
    interactions(out, r);
    phases(out, r);
    phase_verdicts(out, r);
    recording(out, r);
    faults(out, r);
    (void)phase_table(out, r, "Page faults by phase, median of warm runs", lab_phase_faults, 0);
    loading(out, r);
}
