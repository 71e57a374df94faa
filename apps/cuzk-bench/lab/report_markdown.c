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
                   "cuzk %s (%s)%s%s. Load average before: %.2f.\n\n",
                   m->cpus, m->cpu, m->features, m->mhz_low, m->mhz_high, memory, m->thp, m->kernel,
                   m->compiler, m->program, m->forms, m->gpu[0] != '\0' ? "; GPU " : "", m->gpu,
                   m->load_before);
}

static void changes(cz_text_out *out, const lab_config *c)
{
    for (unsigned i = 0; i < c->n_changes; i++)
        cz_text_printf(out, "%s`%s`", i == 0 ? "" : ", ", c->changes[i]);
    if (c->n_changes == 0)
        cz_text_puts(out, c->is_noise_run ? "(the baseline again)" : "(baseline)");
}

static void verdict_row(cz_text_out *out, const lab_results *r, unsigned i)
{
    const lab_metric judged = lab_judged(r->plan);
    const lab_quartiles cold = lab_spread(r, i, LAB_COLD_WALL);
    const lab_quartiles warm = lab_spread(r, i, LAB_WARM_WALL);
    const lab_quartiles cpu = lab_spread(r, i, LAB_WARM_CPU);
    const lab_quartiles peak = lab_spread(r, i, LAB_PEAK_RSS);
    const lab_ratio base = lab_compare(r, 0, i, judged);
    char texts[4][LAB_VALUE_BYTES];

    lab_seconds_text(texts[0], cold.median);
    lab_seconds_text(texts[1], warm.median);
    lab_seconds_text(texts[2], cpu.median);
    lab_bytes_text(texts[3], peak.median);
    cz_text_printf(out, "| %s | %s | %s | %s | %s | ", r->plan->configs[i].name, texts[0], texts[1],
                   texts[2], texts[3]);
    if (i == 0) {
        cz_text_puts(out, "1 | | baseline |\n");
        return;
    }
    cz_text_printf(out, "%.3f (%.3f – %.3f) | ", base.estimate, base.low, base.high);
    cz_text_printf(out, "%.3f | **%s** |\n", lab_compare(r, i - 1, i, judged).estimate,
                   lab_verdict_text(lab_judge(&base, r->plan->least)));
}

static void phases(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(out, "\n## Phases, median of warm runs, ms\n\n| phase |");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        cz_text_printf(out, " %s |", r->plan->configs[i].name);
    cz_text_puts(out, "\n|---|");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        cz_text_puts(out, "---|");
    for (int p = 0; p < CZ_PHASE_COUNT; p++) {
        double most = 0;

        for (unsigned i = 0; i < r->plan->n_configs; i++)
            if (lab_phase_ms(r, i, (cz_phase)p) > most)
                most = lab_phase_ms(r, i, (cz_phase)p);
        if (most <= 0)
            continue;
        cz_text_printf(out, "\n| %s |", cz_phase_name((cz_phase)p));
        for (unsigned i = 0; i < r->plan->n_configs; i++)
            cz_text_printf(out, " %.1f |", lab_phase_ms(r, i, (cz_phase)p));
    }
    cz_text_puts(out, "\n");
}

static void faults(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(
        out,
        "\n## Page faults, medians\n\n| | cold | warm | cold / warm wall |\n|---|---|---|---|\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        const double cold = lab_spread(r, i, LAB_COLD_WALL).median;
        const double warm = lab_spread(r, i, LAB_WARM_WALL).median;

        cz_text_printf(out, "| %s | %.0f | %.0f | %.3f |\n", r->plan->configs[i].name,
                       lab_spread(r, i, LAB_COLD_FAULTS).median,
                       lab_spread(r, i, LAB_FAULTS).median, warm > 0 ? cold / warm : 0);
    }
}

static void interactions(cz_text_out *out, const lab_results *r)
{
    const lab_metric judged = lab_judged(r->plan);
    bool any = false;

    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const double product = lab_product_of_parts(r, i, judged);
        const lab_ratio together = lab_compare(r, 0, i, judged);

        if (product <= 0)
            continue;
        if (!any)
            cz_text_puts(out,
                         "\n## Is the sum of the parts the whole?\n\n| | product of each alone "
                         "| together | whole / parts |\n|---|---|---|---|\n");
        any = true;
        cz_text_printf(out, "| %s | %.3f | %.3f (%.3f – %.3f) | %.3f |\n", r->plan->configs[i].name,
                       product, together.estimate, together.low, together.high,
                       together.estimate / product);
    }
}

void lab_report_markdown(cz_text_out *out, const lab_results *r)
{
    char rule[512];

    lab_rule_text(rule, sizeof rule, r);
    cz_text_printf(out, "# %s: %s\n\n%s\n\n", r->plan->name, r->plan->circuit, r->plan->about);
    machine(out, r);
    cz_text_printf(out,
                   "%u blocks in %.1f minutes, %llu warm runs a process, order by seed %llu; "
                   "ended by: %s.\n\n%s\n\n",
                   r->blocks, r->minutes, (unsigned long long)r->plan->warm,
                   (unsigned long long)r->plan->seed, r->stopped, rule);
    cz_text_puts(out, "| configuration | settings |\n|---|---|\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        cz_text_printf(out, "| %s | ", r->plan->configs[i].name);
        changes(out, &r->plan->configs[i]);
        cz_text_puts(out, " |\n");
    }
    cz_text_puts(out, "\n| | cold | warm | warm CPU | peak memory | ratio to the baseline | to the "
                      "previous | verdict |\n|---|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        verdict_row(out, r, i);
    interactions(out, r);
    phases(out, r);
    faults(out, r);
}
