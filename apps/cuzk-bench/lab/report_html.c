/* report_html.c: results as one page: no script, no outside resource, plots as inline SVG. */
#include "report.h"

#include <stdio.h>

enum { WIDTH = 860, LABEL = 150, ROW = 26, PLOT = WIDTH - LABEL - 20, MEMORY_HEIGHT = 220 };

static const char *const colours[] = {"#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f",
                                      "#edc948", "#b07aa1", "#ff9da7", "#9c755f", "#bab0ac",
                                      "#2f4b7c", "#a05195", "#d45087", "#665191"};

enum { N_COLOURS = sizeof colours / sizeof *colours };

static void escaped(cz_text_out *out, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            cz_text_puts(out, "&amp;");
            break;
        case '<':
            cz_text_puts(out, "&lt;");
            break;
        case '>':
            cz_text_puts(out, "&gt;");
            break;
        case '"':
            cz_text_puts(out, "&quot;");
            break;
        default:
            cz_text_put(out, text, 1);
        }
}

static void svg_begin(cz_text_out *out, int height)
{
    cz_text_printf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
                   WIDTH, height, WIDTH, height);
}

static void svg_text(cz_text_out *out, double x, double y, const char *anchor, const char *text)
{
    cz_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    escaped(out, text);
    cz_text_puts(out, "</text>\n");
}

static void svg_line(cz_text_out *out, double x1, double y1, double x2, double y2,
                     const char *colour)
{
    cz_text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\"/>\n",
                   x1, y1, x2, y2, colour);
}

/* ---- ratios with intervals ---- */

typedef struct {
    double low, high;
} range;

static range ratio_range(const lab_results *r)
{
    range all = {0.97, 1.03};

    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const lab_ratio ratio = lab_compare(r, 0, i, lab_judged(r->plan));

        if (ratio.n != 0 && ratio.low < all.low)
            all.low = ratio.low;
        if (ratio.high > all.high)
            all.high = ratio.high;
    }
    return (range){all.low - 0.05 * (all.high - all.low), all.high + 0.05 * (all.high - all.low)};
}

static double place(range all, double value)
{
    return LABEL + (value - all.low) / (all.high - all.low) * PLOT;
}

static const char *verdict_colour(lab_verdict verdict)
{
    return verdict == LAB_HELPS ? "#2e7d32" : verdict == LAB_HURTS ? "#c62828" : "#666666";
}

static void ratio_row(cz_text_out *out, const lab_results *r, unsigned i, range all)
{
    const lab_ratio ratio = lab_compare(r, 0, i, lab_judged(r->plan));
    const char *colour = verdict_colour(lab_judge(&ratio, r->plan->least));
    const double y = ROW * i + 4;

    svg_text(out, LABEL - 10, y + 4, "end", r->plan->configs[i].name);
    svg_line(out, place(all, ratio.low), y, place(all, ratio.high), y, colour);
    svg_line(out, place(all, ratio.low), y - 5, place(all, ratio.low), y + 5, colour);
    svg_line(out, place(all, ratio.high), y - 5, place(all, ratio.high), y + 5, colour);
    cz_text_printf(out,
                   "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"%s\"><title>%.4f (%.4f to "
                   "%.4f)</title></circle>\n",
                   place(all, ratio.estimate), y, colour, ratio.estimate, ratio.low, ratio.high);
}

static void ratios(cz_text_out *out, const lab_results *r)
{
    const range all = ratio_range(r);
    const int height = ROW * (int)r->plan->n_configs + 24;
    char text[32];

    svg_begin(out, height);
    svg_line(out, place(all, 1), 0, place(all, 1), height - 20, "#999999");
    for (int i = 0; i <= 6; i++) {
        const double value = all.low + (all.high - all.low) * i / 6;

        (void)snprintf(text, sizeof text, "%.3f", value);
        svg_text(out, place(all, value), height - 6, "middle", text);
    }
    for (unsigned i = 1; i < r->plan->n_configs; i++)
        ratio_row(out, r, i, all);
    cz_text_puts(out, "</svg>\n");
}

/* ---- phases ---- */

static double phase_sum(const lab_results *r, unsigned i)
{
    double sum = 0;

    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        sum += lab_phase_ms(r, i, (cz_phase)p);
    return sum;
}

static void phase_row(cz_text_out *out, const lab_results *r, unsigned i, double most)
{
    double x = LABEL;

    svg_text(out, LABEL - 10, ROW * i + 17, "end", r->plan->configs[i].name);
    for (int p = 0; p < CZ_PHASE_COUNT; p++) {
        const double ms = lab_phase_ms(r, i, (cz_phase)p), width = ms / most * PLOT;

        if (ms <= 0)
            continue;
        cz_text_printf(
            out,
            "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s "
            "%.1f ms</title></rect>\n",
            x, ROW * i + 3, width, ROW - 6, colours[p % N_COLOURS], cz_phase_name((cz_phase)p), ms);
        x += width;
    }
}

static void legend(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(out, "<p class=\"legend\">");
    for (int p = 0; p < CZ_PHASE_COUNT; p++) {
        double most = 0;

        for (unsigned i = 0; i < r->plan->n_configs; i++)
            if (lab_phase_ms(r, i, (cz_phase)p) > most)
                most = lab_phase_ms(r, i, (cz_phase)p);
        if (most > 0)
            cz_text_printf(out, "<span style=\"color:%s\">&#9632;</span>&nbsp;%s ",
                           colours[p % N_COLOURS], cz_phase_name((cz_phase)p));
    }
    cz_text_puts(out, "</p>\n");
}

static void phases(cz_text_out *out, const lab_results *r)
{
    double most = 0;

    for (unsigned i = 0; i < r->plan->n_configs; i++)
        if (phase_sum(r, i) > most)
            most = phase_sum(r, i);
    if (most <= 0)
        return;
    cz_text_puts(out, "<h2>Phases of a warm run</h2>\n");
    svg_begin(out, ROW * (int)r->plan->n_configs);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        phase_row(out, r, i, most);
    cz_text_puts(out, "</svg>\n");
    legend(out, r);
}

/* ---- memory ---- */

static void memory_line(cz_text_out *out, const lab_memory *m, double seconds, double bytes,
                        const char *colour)
{
    cz_text_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"",
                   colour);
    for (unsigned k = 0; k < m->n; k++)
        cz_text_printf(out, "%.1f,%.1f ", LABEL + m->samples[k].seconds / seconds * PLOT,
                       MEMORY_HEIGHT - 24 - m->samples[k].rss / bytes * (MEMORY_HEIGHT - 40));
    cz_text_puts(out, "\"/>\n");
}

static void memory(cz_text_out *out, const lab_results *r)
{
    double seconds = 0, bytes = 0;
    char text[LAB_VALUE_BYTES];

    for (unsigned i = 0; i < r->plan->n_configs; i++)
        for (unsigned k = 0; k < r->memory[i].n; k++) {
            const lab_sample *s = &r->memory[i].samples[k];

            seconds = s->seconds > seconds ? s->seconds : seconds;
            bytes = s->rss > bytes ? s->rss : bytes;
        }
    if (seconds <= 0 || bytes <= 0)
        return;
    cz_text_puts(out, "<h2>Resident memory over the first process of each</h2>\n");
    svg_begin(out, MEMORY_HEIGHT);
    svg_line(out, LABEL, MEMORY_HEIGHT - 24, LABEL + PLOT, MEMORY_HEIGHT - 24, "#999999");
    svg_line(out, LABEL, 10, LABEL, MEMORY_HEIGHT - 24, "#999999");
    lab_bytes_text(text, bytes);
    svg_text(out, LABEL - 8, 20, "end", text);
    lab_seconds_text(text, seconds);
    svg_text(out, LABEL + PLOT, MEMORY_HEIGHT - 8, "end", text);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        memory_line(out, &r->memory[i], seconds, bytes, colours[i % N_COLOURS]);
    cz_text_puts(out, "</svg>\n<p class=\"legend\">");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        cz_text_printf(out, "<span style=\"color:%s\">&#9632;</span>&nbsp;",
                       colours[i % N_COLOURS]);
        escaped(out, r->plan->configs[i].name);
        cz_text_puts(out, " ");
    }
    cz_text_puts(out, "</p>\n");
}

/* ---- tables ---- */

static void cell(cz_text_out *out, const char *text)
{
    cz_text_puts(out, "<td>");
    escaped(out, text);
    cz_text_puts(out, "</td>");
}

static void value_cells(cz_text_out *out, const lab_results *r, unsigned i)
{
    static const lab_metric metrics[] = {LAB_COLD_WALL, LAB_WARM_WALL, LAB_WARM_CPU, LAB_PEAK_RSS};
    char text[LAB_VALUE_BYTES];

    for (size_t k = 0; k < sizeof metrics / sizeof *metrics; k++) {
        const double median = lab_spread(r, i, metrics[k]).median;

        if (metrics[k] == LAB_PEAK_RSS)
            lab_bytes_text(text, median);
        else
            lab_seconds_text(text, median);
        cell(out, text);
    }
    (void)snprintf(text, sizeof text, "%.0f", lab_spread(r, i, LAB_FAULTS).median);
    cell(out, text);
}

static void verdict_cells(cz_text_out *out, const lab_results *r, unsigned i)
{
    const lab_metric judged = lab_judged(r->plan);
    const lab_ratio base = lab_compare(r, 0, i, judged);
    const lab_verdict verdict = lab_judge(&base, r->plan->least);
    char text[64];

    if (i == 0) {
        cz_text_puts(out, "<td>1</td><td></td><td>baseline</td>");
        return;
    }
    (void)snprintf(text, sizeof text, "%.3f (%.3f – %.3f)", base.estimate, base.low, base.high);
    cell(out, text);
    (void)snprintf(text, sizeof text, "%.3f", lab_compare(r, i - 1, i, judged).estimate);
    cell(out, text);
    cz_text_printf(out, "<td style=\"color:%s\"><b>%s</b></td>", verdict_colour(verdict),
                   lab_verdict_text(verdict));
}

static void verdicts(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(out, "<table><tr><th></th><th>cold</th><th>warm</th><th>warm CPU</th><th>peak "
                      "memory</th><th>faults</th><th>ratio to the baseline</th><th>to the "
                      "previous</th><th>verdict</th><th>settings</th></tr>\n");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        const lab_config *c = &r->plan->configs[i];

        cz_text_puts(out, "<tr>");
        cell(out, c->name);
        value_cells(out, r, i);
        verdict_cells(out, r, i);
        cz_text_puts(out, "<td class=\"small\">");
        escaped(out, c->about);
        for (unsigned k = 0; k < c->n_changes; k++) {
            cz_text_puts(out, "<br><code>");
            escaped(out, c->changes[k]);
            cz_text_puts(out, "</code>");
        }
        cz_text_puts(out, "</td></tr>\n");
    }
    cz_text_puts(out, "</table>\n");
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
            cz_text_puts(out, "<h2>Is the sum of the parts the whole?</h2>\n<table><tr><th></th>"
                              "<th>product of each alone</th><th>together</th><th>whole / "
                              "parts</th></tr>\n");
        any = true;
        cz_text_puts(out, "<tr>");
        cell(out, r->plan->configs[i].name);
        cz_text_printf(out, "<td>%.3f</td><td>%.3f (%.3f – %.3f)</td><td>%.3f</td></tr>\n", product,
                       together.estimate, together.low, together.high, together.estimate / product);
    }
    if (any)
        cz_text_puts(out, "</table>\n");
}

static void fact(cz_text_out *out, const char *name, const char *value)
{
    cz_text_printf(out, "<tr><th>%s</th>", name);
    cell(out, value);
    cz_text_puts(out, "</tr>\n");
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
    fact(out, "forms", m->forms);
    fact(out, "GPU", m->gpu[0] != '\0' ? m->gpu : "none");
    (void)snprintf(text, sizeof text, "%.2f", m->load_before);
    fact(out, "load average before", text);
    cz_text_puts(out, "</table>\n");
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<style>\n"
    "body{font:14px/1.45 system-ui,sans-serif;max-width:1100px;margin:24px auto;padding:0 16px;"
    "color:#222}\n"
    "h1{font-size:22px}h2{font-size:17px;margin-top:28px}\n"
    "table{border-collapse:collapse}td,th{padding:3px 10px;border-bottom:1px solid #ddd;"
    "text-align:left;vertical-align:top}\n"
    "td{font-variant-numeric:tabular-nums;white-space:nowrap}code{font-size:12px}"
    ".small{font-size:12px;white-space:normal}\n"
    ".legend{font-size:13px}svg text{font-size:12px;fill:#333}\n"
    "svg{max-width:100%;height:auto}\n</style>\n";

void lab_report_html(cz_text_out *out, const lab_results *r)
{
    char rule[512];

    lab_rule_text(rule, sizeof rule, r);
    cz_text_puts(out, head);
    cz_text_puts(out, "<title>");
    escaped(out, r->plan->name);
    cz_text_puts(out, "</title></head><body>\n<h1>");
    escaped(out, r->plan->name);
    cz_text_puts(out, ": ");
    escaped(out, r->plan->circuit);
    cz_text_puts(out, "</h1>\n<p>");
    escaped(out, r->plan->about);
    cz_text_printf(out,
                   "</p>\n<p>%u blocks in %.1f minutes, %llu warm runs a process, order by seed "
                   "%llu; ended by: %s.</p>\n<p>",
                   r->blocks, r->minutes, (unsigned long long)r->plan->warm,
                   (unsigned long long)r->plan->seed, r->stopped);
    escaped(out, rule);
    cz_text_puts(out, "</p>\n");
    verdicts(out, r);
    cz_text_puts(out, "<h2>Ratio to the baseline, with intervals</h2>\n");
    ratios(out, r);
    interactions(out, r);
    phases(out, r);
    memory(out, r);
    machine(out, r);
    cz_text_puts(out, "</body></html>\n");
}
