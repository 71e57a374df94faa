/* report_html.c: results as one page: no script, no outside resource, plots as inline SVG. The
 * pieces of a page are html.h; its plots are report_plots.c. */
#include <math.h>
#include <stdio.h>

#include "html.h"
#include "report.h"

/* ---- cells ---- */

static void text_cell(cz_text_out *out, const char *text)
{
    cz_text_printf(out, "<td class=\"n\">%s</td>", text);
}

static void bytes_cell(cz_text_out *out, double bytes)
{
    char text[LAB_VALUE_BYTES];

    lab_bytes_text(text, bytes);
    text_cell(out, bytes > 0 ? text : "&ndash;");
}

static void seconds_cell(cz_text_out *out, double seconds)
{
    char text[LAB_VALUE_BYTES];

    lab_seconds_text(text, seconds);
    text_cell(out, seconds > 0 ? text : "&ndash;");
}

static void count_cell(cz_text_out *out, double n)
{
    cz_text_printf(out, "<td class=\"n\">%.0f</td>", n);
}

/* ---- verdicts ---- */

static const char *verdict_class(lab_verdict verdict)
{
    return verdict == LAB_HELPS ? "good" : verdict == LAB_HURTS ? "bad" : "noise";
}

static void time_cell(cz_text_out *out, const lab_quartiles *q)
{
    char median[LAB_VALUE_BYTES], low[LAB_VALUE_BYTES], high[LAB_VALUE_BYTES];

    lab_seconds_text(median, q->median);
    lab_seconds_text(low, q->ci_low);
    lab_seconds_text(high, q->ci_high);
    cz_text_printf(out, "<td class=\"n\">%s<br><small>%s to %s</small></td>", median, low, high);
}

static void name_cell(cz_text_out *out, const lab_config *c)
{
    cz_text_puts(out, "<td class=\"name\"><b>");
    html_escaped(out, c->name);
    cz_text_puts(out, "</b><br><small>");
    html_escaped(out, c->about);
    cz_text_puts(out, "</small></td>");
}

static void ratio_cells(cz_text_out *out, const lab_results *r, unsigned i)
{
    const lab_metric judged = lab_judged(r->plan);
    const lab_ratio base = lab_compare(r, 0, i, judged);
    const lab_verdict verdict = lab_judge(&base, r->plan->least);

    if (i == 0) {
        cz_text_puts(out, "<td class=\"n\">1</td><td></td><td></td><td><span class=\"pill\">"
                          "baseline</span></td>");
        return;
    }
    cz_text_printf(out, "<td class=\"n\">%.3f<br><small>%.3f to %.3f</small></td><td>",
                   base.estimate, base.low, base.high);
    html_plot_interval(out, r, i);
    cz_text_printf(out, "</td><td class=\"n\">%.3f</td><td><span class=\"pill %s\">%s</span></td>",
                   lab_compare(r, i - 1, i, judged).estimate, verdict_class(verdict),
                   lab_verdict_text(verdict));
}

static void verdicts(cz_text_out *out, const lab_results *r)
{
    cz_text_printf(out,
                   "<h2>Verdicts</h2>\n<table><tr><th>configuration</th><th class=\"n\">%s%s</th>"
                   "<th class=\"n\">ratio to the baseline</th><th>",
                   lab_judged(r->plan) == LAB_WARM_CPU ? "CPU, " : "",
                   r->plan->warm > 0 ? "warm, median" : "median");
    html_plot_interval_scale(out, r);
    cz_text_puts(out, "</th><th class=\"n\">to the row above</th><th>verdict</th></tr>\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        const lab_quartiles judged = lab_spread(r, i, lab_judged(r->plan));

        cz_text_puts(out, "<tr>");
        name_cell(out, &r->plan->configs[i]);
        time_cell(out, &judged);
        ratio_cells(out, r, i);
        cz_text_puts(out, "</tr>\n");
    }
    cz_text_puts(out, "</table>\n");
}

/* ---- interactions ---- */

static const char *sum_text(const lab_ratio *ratio)
{
    if (ratio->coverage < LAB_LEVEL || (ratio->low <= 1 && ratio->high >= 1))
        return "yes, as far as the noise tells";
    return ratio->high < 1 ? "no: together they save more" : "no: together they save less";
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
            cz_text_puts(out, "<h2>Is the sum of the parts the whole?</h2>\n<table><tr>"
                              "<th>configuration</th><th class=\"n\">product of each alone</th>"
                              "<th class=\"n\">together</th><th class=\"n\">whole / parts</th>"
                              "<th>answer</th></tr>\n");
        any = true;
        cz_text_puts(out, "<tr><td><b>");
        html_escaped(out, r->plan->configs[i].name);
        cz_text_printf(out,
                       "</b></td><td class=\"n\">%.3f</td><td class=\"n\">%.3f <small>%.3f to "
                       "%.3f</small></td><td class=\"n\">%.3f <small>%.3f to "
                       "%.3f</small></td><td>%s</td></tr>\n",
                       product, together.estimate, together.low, together.high, whole.estimate,
                       whole.low, whole.high, sum_text(&whole));
    }
    if (any)
        cz_text_puts(out, "</table>\n");
}

/* ---- phases ---- */

static bool has_phase(const lab_results *r, cz_phase phase)
{
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        if (lab_phase_ms(r, i, phase) >= 0.5) /* it would be a row of zeros */
            return true;
    return false;
}

/* The darker, the larger a part of the baseline's whole time; coloured only where the phase's own
 * interval says so. */
static void difference_cell(cz_text_out *out, const lab_results *r, unsigned i, cz_phase phase,
                            double whole)
{
    const double base = lab_phase_ms(r, 0, phase), ms = lab_phase_ms(r, i, phase);
    const lab_ratio ratio = lab_compare_phase(r, 0, i, phase);
    const lab_verdict verdict = lab_judge_phase(r, i, phase);
    const double alpha = fmin(0.6, 0.12 + 5 * fabs(ms - base) / whole);

    cz_text_puts(out, "<td class=\"n\"");
    if (verdict != LAB_WITHIN_NOISE)
        cz_text_printf(out, " style=\"background:rgba(%s,%.2f)\"",
                       verdict == LAB_HURTS ? "198,40,40" : "46,125,50", alpha);
    if (ratio.n > 0)
        cz_text_printf(out, " title=\"ratio %.3f (%.3f to %.3f)\"", ratio.estimate, ratio.low,
                       ratio.high);
    cz_text_printf(out, ">%.0f<br><small>", ms);
    if (fabs(ms - base) >= 0.5)
        cz_text_printf(out, "%+.0f", ms - base);
    cz_text_puts(out, "</small></td>");
}

static void phase_row(cz_text_out *out, const lab_results *r, cz_phase phase, double whole)
{
    cz_text_puts(out, "<tr><td>");
    html_phase_key(out, phase);
    cz_text_printf(out, "</td><td class=\"n\">%.0f</td>", lab_phase_ms(r, 0, phase));
    for (unsigned i = 1; i < r->plan->n_configs; i++)
        difference_cell(out, r, i, phase, whole);
    cz_text_puts(out, "</tr>\n");
}

static void config_heads(cz_text_out *out, const lab_results *r)
{
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        cz_text_puts(out, "<th class=\"n\">");
        html_escaped(out, r->plan->configs[i].name);
        cz_text_puts(out, "</th>");
    }
}

static void covered_row(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(out, "<tr><td>covered by phases</td>");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        if (lab_covered(r, i) > 0)
            cz_text_printf(out, "<td class=\"n\">%.1f %%</td>", 100 * lab_covered(r, i));
        else
            text_cell(out, "&ndash;");
    cz_text_puts(out, "</tr>\n");
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
            cz_text_puts(out, "<h2>What recording the phases took</h2>\n<table class=\"dense\"><tr>"
                              "<th>medians of warm runs</th><th class=\"n\">phases</th>"
                              "<th class=\"n\">ms</th><th class=\"n\">&micro;s each</th>"
                              "<th class=\"n\">of the run</th></tr>\n");
        any = true;
        cz_text_puts(out, "<tr><td><b>");
        html_escaped(out, r->plan->configs[i].name);
        cz_text_printf(out,
                       "</b></td><td class=\"n\">%.0f</td><td class=\"n\">%.3f</td>"
                       "<td class=\"n\">%.1f</td><td class=\"n\">%.3f %%</td></tr>\n",
                       cost.phases, cost.ms, 1e3 * cost.ms / cost.phases, 100 * cost.share);
    }
    if (any)
        cz_text_puts(out, "</table>\n");
}

static void phases(cz_text_out *out, const lab_results *r)
{
    double whole = 0;

    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        whole += lab_phase_ms(r, 0, (cz_phase)p);
    if (whole <= 0)
        return;
    cz_text_puts(out, "<h2>Where the time goes</h2>\n<p class=\"note\">Medians of warm runs, phase "
                      "after phase; the mark is the median of the whole run.</p>\n");
    html_plot_phases(out, r);
    cz_text_puts(out, "<p class=\"note\">Milliseconds, and their difference to the baseline's; "
                      "coloured where the phase's own interval is on one side of 1, the stronger "
                      "the more it counts.</p>\n<table class=\"dense\"><tr>"
                      "<th>phase</th>");
    config_heads(out, r);
    cz_text_puts(out, "</tr>\n");
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        if (has_phase(r, (cz_phase)p))
            phase_row(out, r, (cz_phase)p, whole);
    covered_row(out, r);
    cz_text_puts(out, "</table>\n");
}

/* ---- memory ---- */

/* Which columns there is something in. */
typedef struct {
    bool warm, vram, witness, load;
} memory_columns;

static memory_columns columns_of(const lab_results *r)
{
    memory_columns c = {
        .warm = r->plan->warm > 0, .vram = lab_has(r, LAB_VRAM), .load = lab_has(r, LAB_LOAD)};

    for (unsigned i = 0; i < r->plan->n_configs; i++)
        c.witness = c.witness || lab_phase_faults(r, i, CZ_PHASE_WITNESS) > 0;
    return c;
}

static void memory_head(cz_text_out *out, const memory_columns *c)
{
    cz_text_puts(out, c->warm ? "<h2>First run, memory, page faults</h2>\n"
                              : "<h2>Memory, page faults</h2>\n");
    cz_text_puts(out, "<table><tr><th>configuration</th><th class=\"n\">peak resident</th>");
    if (c->vram)
        cz_text_puts(out, "<th class=\"n\">device memory</th>");
    cz_text_puts(out, c->warm ? "<th class=\"n\">faults, first run</th><th class=\"n\">warm</th>"
                              : "<th class=\"n\">faults</th>");
    if (c->witness)
        cz_text_puts(out, "<th class=\"n\">of these in the witness</th>");
    cz_text_puts(out, c->warm ? "<th class=\"n\">first run</th><th class=\"n\">warm CPU</th>"
                              : "<th class=\"n\">CPU</th>");
    if (c->load)
        cz_text_puts(out, "<th class=\"n\">loading</th>");
    cz_text_puts(out, "</tr>\n");
}

static void memory_row(cz_text_out *out, const lab_results *r, unsigned i, const memory_columns *c)
{
    cz_text_puts(out, "<tr><td><b>");
    html_escaped(out, r->plan->configs[i].name);
    cz_text_puts(out, "</b></td>");
    bytes_cell(out, lab_spread(r, i, LAB_PEAK_RSS).median);
    if (c->vram)
        bytes_cell(out, lab_spread(r, i, LAB_VRAM).median);
    count_cell(out, lab_spread(r, i, LAB_COLD_FAULTS).median);
    if (c->warm)
        count_cell(out, lab_spread(r, i, LAB_FAULTS).median);
    if (c->witness)
        count_cell(out, lab_phase_faults(r, i, CZ_PHASE_WITNESS));
    if (c->warm)
        seconds_cell(out, lab_spread(r, i, LAB_COLD_WALL).median);
    seconds_cell(out, lab_spread(r, i, LAB_WARM_CPU).median);
    if (c->load)
        seconds_cell(out, lab_spread(r, i, LAB_LOAD).median);
    cz_text_puts(out, "</tr>\n");
}

static void memory(cz_text_out *out, const lab_results *r)
{
    const memory_columns columns = columns_of(r);

    memory_head(out, &columns);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        memory_row(out, r, i, &columns);
    cz_text_puts(out, "</table>\n");
    html_plot_memory(out, r);
}

/* ---- throughput, of runs that have many jobs ---- */

static void throughput_row(cz_text_out *out, const lab_results *r, unsigned i)
{
    const lab_quartiles time = lab_spread(r, i, LAB_WARM_WALL);
    const lab_ratio peak = lab_compare(r, 0, i, LAB_PEAK_RSS);

    cz_text_puts(out, "<tr><td><b>");
    html_escaped(out, r->plan->configs[i].name);
    cz_text_printf(out, "</b></td><td class=\"n\">%.2f<br><small>%.2f to %.2f</small></td>",
                   lab_jobs_a_minute(r, time.median), lab_jobs_a_minute(r, time.ci_high),
                   lab_jobs_a_minute(r, time.ci_low));
    bytes_cell(out, lab_spread(r, i, LAB_PEAK_RSS).median);
    if (i == 0)
        text_cell(out, "1");
    else
        cz_text_printf(out, "<td class=\"n\">%.3f<br><small>%.3f to %.3f</small></td>",
                       peak.estimate, peak.low, peak.high);
    cz_text_puts(out, "</tr>\n");
}

static void throughput(cz_text_out *out, const lab_results *r)
{
    if (r->plan->work == LAB_PROVE)
        return;
    cz_text_puts(out, "<h2>Throughput against peak memory</h2>\n<table><tr><th>configuration</th>"
                      "<th class=\"n\">jobs a minute</th><th class=\"n\">peak resident</th>"
                      "<th class=\"n\">ratio to the baseline's</th></tr>\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        throughput_row(out, r, i);
    cz_text_puts(out, "</table>\n");
    html_plot_throughput(out, r);
}

/* ---- settings, machine ---- */

static void settings(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(out, "<h2>What differs from the baseline</h2>\n<table>\n");
    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const lab_config *c = &r->plan->configs[i];

        cz_text_puts(out, "<tr><td><b>");
        html_escaped(out, c->name);
        cz_text_puts(out, "</b></td><td>");
        for (unsigned k = 0; k < c->n_changes; k++) {
            cz_text_puts(out, "<code>");
            html_escaped(out, c->changes[k]);
            cz_text_puts(out, "</code> ");
        }
        cz_text_puts(out, c->n_changes == 0 ? "nothing</td></tr>\n" : "</td></tr>\n");
    }
    cz_text_puts(out, "</table>\n");
}

static void fact(cz_text_out *out, const char *name, const char *value)
{
    if (value[0] == '\0')
        return;
    cz_text_printf(out, "<tr><td>%s</td><td>", name);
    html_escaped(out, value);
    cz_text_puts(out, "</td></tr>\n");
}

static void machine(cz_text_out *out, const lab_results *r)
{
    const lab_machine *m = &r->machine;
    char text[256];

    cz_text_puts(out, "<h2>Machine</h2>\n<table class=\"facts\">\n");
    (void)snprintf(text, sizeof text, "%u of %s", m->cpus, m->cpu);
    fact(out, "CPUs", text);
    fact(out, "instruction sets in use", m->features);
    (void)snprintf(text, sizeof text, "%.0f to %.0f MHz", m->mhz_low, m->mhz_high);
    fact(out, "clocks", text);
    lab_bytes_text(text, m->memory_bytes);
    fact(out, "memory", text);
    fact(out, "transparent huge pages", m->thp);
    fact(out, "kernel", m->kernel);
    fact(out, "compiler", m->compiler);
    fact(out, "program", m->program);
    fact(out, "commit", m->commit);
    fact(out, "forms", m->forms);
    fact(out, "GPU", m->gpu[0] != '\0' ? m->gpu : "none");
    fact(out, "its driver", m->driver);
    (void)snprintf(text, sizeof text, "%.2f", m->load_before);
    fact(out, "load average before", text);
    cz_text_puts(out, "</table>\n");
}

/* ---- the page ---- */

static void title(cz_text_out *out, const lab_results *r)
{
    const lab_plan *p = r->plan;

    cz_text_puts(out, "<h1>");
    html_escaped(out, p->name);
    cz_text_puts(out, " <span>");
    html_escaped(out, p->circuit);
    cz_text_puts(out, "</span></h1>\n<p class=\"lead\">");
    html_escaped(out, p->about);
    cz_text_printf(out, "</p>\n<p class=\"tags\"><span>%u blocks in %.1f minutes</span>", r->blocks,
                   r->minutes);
    if (p->work == LAB_PROVE)
        cz_text_printf(out, "<span>a first and %llu warm proofs a process</span>",
                       (unsigned long long)p->warm);
    else
        cz_text_printf(out, "<span>%llu jobs at once, %s</span>", (unsigned long long)p->jobs,
                       lab_work_name(p->work));
    if (p->threads > 0)
        cz_text_printf(out, "<span>%llu thread%s</span>", (unsigned long long)p->threads,
                       p->threads == 1 ? "" : "s");
    cz_text_printf(out, "<span>%s, seed %llu</span><span>ended by: %s</span></p>\n",
                   p->turns ? "in turns" : "random blocks", (unsigned long long)p->seed,
                   r->stopped);
}

void lab_report_html(cz_text_out *out, const lab_results *r)
{
    char rule[LAB_RULE_BYTES];

    html_begin(out, r->plan->name);
    title(out, r);
    verdicts(out, r);
    lab_rule_text(rule, sizeof rule, r);
    cz_text_puts(out, "<p class=\"note\">");
    html_escaped(out, rule);
    cz_text_puts(out, "</p>\n");
    throughput(out, r);
    interactions(out, r);
    phases(out, r);
    recording(out, r);
    memory(out, r);
    settings(out, r);
    machine(out, r);
    html_end(out);
}
