/* report_plots.c: the plots of the page, as inline SVG. */
#include <math.h>
#include <stdio.h>

#include "html.h"
#include "report.h"

static const char *const colours[] = {"#4e79a7", "#f28e2b", "#e15759", "#76b7b2", "#59a14f",
                                      "#c9a227", "#b07aa1", "#ff9da7", "#9c755f", "#8cb4d8",
                                      "#86bc86", "#a05195", "#d45087", "#bab0ac"};

enum { N_COLOURS = sizeof colours / sizeof *colours };

static void svg_begin(cz_text_out *out, int width, int height)
{
    cz_text_printf(out, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
                   width, height, width, height);
}

static void svg_text(cz_text_out *out, double x, double y, const char *anchor, const char *text)
{
    cz_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    html_escaped(out, text);
    cz_text_puts(out, "</text>");
}

static void svg_label(cz_text_out *out, double x, double y, const char *text)
{
    cz_text_printf(out, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x, y);
    html_escaped(out, text);
    cz_text_puts(out, "</text>");
}

static void svg_line(cz_text_out *out, double x1, double y1, double x2, double y2,
                     const char *class)
{
    cz_text_printf(out, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>", x1,
                   y1, x2, y2, class);
}

/* ---- intervals ---- */

enum { SCALE_WIDTH = 260, SCALE_MARGIN = 8, ROW_HEIGHT = 30 };

typedef struct {
    double low, high;
} range;

/* Of all intervals, 1 within it; an interval far outside the others is cut. */
static range ratio_range(const lab_results *r)
{
    range all = {0.97, 1.03};

    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const lab_ratio ratio = lab_compare(r, 0, i, lab_judged(r->plan));

        if (ratio.n == 0)
            continue;
        all.low = fmin(all.low, ratio.low);
        all.high = fmax(all.high, ratio.high);
    }
    return (range){fmax(all.low, 0.2), fmin(all.high, 3)};
}

static double place(range all, double value)
{
    const double inside = fmin(fmax(value, all.low), all.high);

    return SCALE_MARGIN +
           (inside - all.low) / (all.high - all.low) * (SCALE_WIDTH - 2 * SCALE_MARGIN);
}

void html_plot_interval(cz_text_out *out, const lab_results *r, unsigned config)
{
    static const char *const classes[] = {"noise", "good", "bad"};
    const range all = ratio_range(r);
    const lab_ratio ratio = lab_compare(r, 0, config, lab_judged(r->plan));
    const double y = ROW_HEIGHT / 2.0;

    svg_begin(out, SCALE_WIDTH, ROW_HEIGHT);
    svg_line(out, place(all, 1), 0, place(all, 1), ROW_HEIGHT, "one");
    cz_text_printf(out,
                   "<g class=\"%s\"><title>%.4f (%.4f to %.4f)</title><line x1=\"%.1f\" x2=\"%.1f\""
                   " y1=\"%.1f\" y2=\"%.1f\" stroke=\"currentColor\" stroke-width=\"5\" "
                   "stroke-linecap=\"round\" opacity=\".4\"/><circle cx=\"%.1f\" cy=\"%.1f\" "
                   "r=\"5\" fill=\"currentColor\"/></g></svg>",
                   classes[lab_judge(&ratio, r->plan->least)], ratio.estimate, ratio.low,
                   ratio.high, place(all, ratio.low), place(all, ratio.high), y, y,
                   place(all, ratio.estimate), y);
}

void html_plot_interval_scale(cz_text_out *out, const lab_results *r)
{
    const range all = ratio_range(r);
    const double one = place(all, 1);
    char text[32];

    svg_begin(out, SCALE_WIDTH, 16);
    if (one > 40) {
        (void)snprintf(text, sizeof text, "%.2f", all.low);
        svg_text(out, 0, 12, "start", text);
    }
    svg_text(out, one, 12, "middle", "1");
    if (one < SCALE_WIDTH - 40) {
        (void)snprintf(text, sizeof text, "%.2f", all.high);
        svg_text(out, SCALE_WIDTH, 12, "end", text);
    }
    cz_text_puts(out, "</svg>");
}

/* ---- bars and lines ---- */

enum { WIDTH = 1080, LABEL = 150, ROW = 28, PLOT = WIDTH - LABEL - 80, MEMORY_HEIGHT = 260 };

void html_phase_key(cz_text_out *out, cz_phase phase)
{
    cz_text_printf(out, "<span class=\"key\" style=\"background:%s\"></span>%s",
                   colours[phase % N_COLOURS], cz_phase_name(phase));
}

static double sum_of_phases(const lab_results *r, unsigned i)
{
    double sum = 0;

    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        sum += lab_phase_ms(r, i, (cz_phase)p);
    return sum;
}

static double whole_ms(const lab_results *r, unsigned i)
{
    return 1e3 * lab_spread(r, i, LAB_WARM_WALL).median;
}

/* A part that is wide enough has its share written into it. */
static void bar_part(cz_text_out *out, double x, unsigned y, double width, cz_phase phase,
                     double ms, double whole)
{
    cz_text_printf(out,
                   "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\">"
                   "<title>%s %.1f ms</title></rect>",
                   x, y, width, ROW - 8, colours[phase % N_COLOURS], cz_phase_name(phase), ms);
    if (width > 44)
        cz_text_printf(out,
                       "<text x=\"%.1f\" y=\"%u\" text-anchor=\"middle\" style=\"fill:#fff\">%.0f "
                       "%%</text>",
                       x + width / 2, y + 15, 100 * ms / whole);
}

static void phase_bar(cz_text_out *out, const lab_results *r, unsigned i, double most)
{
    const double whole = whole_ms(r, i);
    const unsigned y = ROW * i + 4;
    double x = LABEL;
    char text[LAB_VALUE_BYTES];

    svg_label(out, LABEL - 10, y + 15, r->plan->configs[i].name);
    for (int p = 0; p < CZ_PHASE_COUNT; p++) {
        const double ms = lab_phase_ms(r, i, (cz_phase)p), width = ms / most * PLOT;

        if (ms <= 0)
            continue;
        bar_part(out, x, y, width, (cz_phase)p, ms, whole);
        x += width;
    }
    x = LABEL + whole / most * PLOT;
    svg_line(out, x, y - 3, x, y + ROW - 5, "mark");
    lab_seconds_text(text, whole / 1e3);
    svg_text(out, x + 6, y + 15, "start", text);
    cz_text_puts(out, "\n");
}

static void phase_legend(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(out, "<p class=\"legend\">");
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        for (unsigned i = 0; i < r->plan->n_configs; i++)
            if (lab_phase_ms(r, i, (cz_phase)p) >= 0.5) {
                cz_text_puts(out, "<span>");
                html_phase_key(out, (cz_phase)p);
                cz_text_puts(out, "</span>");
                break;
            }
    cz_text_puts(out, "</p>\n");
}

void html_plot_phases(cz_text_out *out, const lab_results *r)
{
    double most = 0;

    for (unsigned i = 0; i < r->plan->n_configs; i++)
        most = fmax(most, fmax(sum_of_phases(r, i), whole_ms(r, i)));
    if (most <= 0)
        return;
    svg_begin(out, WIDTH, ROW * (int)r->plan->n_configs + 4);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        phase_bar(out, r, i, most);
    cz_text_puts(out, "</svg>\n");
    phase_legend(out, r);
}

/* ---- memory ---- */

enum { TOP = 12, BOTTOM = MEMORY_HEIGHT - 26 };

static double memory_y(double bytes, double most)
{
    return BOTTOM - bytes / most * (BOTTOM - TOP);
}

static void memory_line(cz_text_out *out, const lab_memory *m, double seconds, double bytes,
                        const char *colour)
{
    cz_text_printf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"",
                   colour);
    for (unsigned k = 0; k < m->n; k++)
        cz_text_printf(out, "%.1f,%.1f ", LABEL + m->samples[k].seconds / seconds * PLOT,
                       memory_y(m->samples[k].rss, bytes));
    cz_text_puts(out, "\"/>\n");
}

static void memory_axes(cz_text_out *out, double seconds, double bytes)
{
    char text[LAB_VALUE_BYTES];

    for (int i = 0; i <= 4; i++) {
        const double at = bytes * i / 4;

        svg_line(out, LABEL, memory_y(at, bytes), LABEL + PLOT, memory_y(at, bytes), "axis");
        lab_bytes_text(text, at);
        svg_text(out, LABEL - 8, memory_y(at, bytes) + 4, "end", text);
    }
    for (int i = 0; i <= 6; i++) {
        (void)snprintf(text, sizeof text, "%.1f s", seconds * i / 6);
        svg_text(out, LABEL + PLOT * i / 6.0, MEMORY_HEIGHT - 8, "middle", text);
    }
    cz_text_puts(out, "\n");
}

static void config_legend(cz_text_out *out, const lab_results *r)
{
    cz_text_puts(out, "<p class=\"legend\">");
    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        cz_text_printf(out, "<span><span class=\"key\" style=\"background:%s\"></span>",
                       colours[i % N_COLOURS]);
        html_escaped(out, r->plan->configs[i].name);
        cz_text_puts(out, "</span>");
    }
    cz_text_puts(out, "</p>\n");
}

void html_plot_memory(cz_text_out *out, const lab_results *r)
{
    double seconds = 0, bytes = 0;

    for (unsigned i = 0; i < r->plan->n_configs; i++)
        for (unsigned k = 0; k < r->memory[i].n; k++) {
            seconds = fmax(seconds, r->memory[i].samples[k].seconds);
            bytes = fmax(bytes, r->memory[i].samples[k].rss);
        }
    if (seconds <= 0 || bytes <= 0)
        return;
    cz_text_puts(out, "<h2>Resident memory over the first process of each</h2>\n");
    svg_begin(out, WIDTH, MEMORY_HEIGHT);
    memory_axes(out, seconds, bytes);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        memory_line(out, &r->memory[i], seconds, bytes, colours[i % N_COLOURS]);
    cz_text_puts(out, "</svg>\n");
    config_legend(out, r);
}

/* ---- throughput ---- */

typedef struct {
    double bytes, jobs; /* at the ends of the axes; both begin at 0 */
} plane;

static plane plane_of(const lab_results *r)
{
    static const double room = 1.15; /* beyond the last point */
    plane p = {0, 0};

    for (unsigned i = 0; i < r->plan->n_configs; i++) {
        p.bytes = fmax(p.bytes, room * lab_spread(r, i, LAB_PEAK_RSS).median);
        p.jobs = fmax(p.jobs, room * lab_jobs_a_minute(r, lab_spread(r, i, LAB_WARM_WALL).median));
    }
    return p;
}

static void plane_axes(cz_text_out *out, plane p)
{
    char text[LAB_VALUE_BYTES];

    for (int i = 0; i <= 4; i++) {
        const double y = memory_y(i, 4);

        svg_line(out, LABEL, y, LABEL + PLOT, y, "axis");
        (void)snprintf(text, sizeof text, "%.1f", p.jobs * i / 4);
        svg_text(out, LABEL - 8, y + 4, "end", text);
    }
    for (int i = 0; i <= 6; i++) {
        lab_bytes_text(text, p.bytes * i / 6);
        svg_text(out, LABEL + PLOT * i / 6.0, MEMORY_HEIGHT - 8, "middle", text);
    }
    cz_text_puts(out, "\n");
}

static void plane_point(cz_text_out *out, const lab_results *r, unsigned i, plane p)
{
    const double jobs = lab_jobs_a_minute(r, lab_spread(r, i, LAB_WARM_WALL).median);
    const double x = LABEL + lab_spread(r, i, LAB_PEAK_RSS).median / p.bytes * PLOT;

    cz_text_printf(out,
                   "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"%s\" opacity=\".8\"><title>", x,
                   memory_y(jobs, p.jobs), colours[i % N_COLOURS]);
    html_escaped(out, r->plan->configs[i].name);
    cz_text_puts(out, "</title></circle>\n");
}

void html_plot_throughput(cz_text_out *out, const lab_results *r)
{
    const plane p = plane_of(r);

    if (p.bytes <= 0 || p.jobs <= 0)
        return;
    cz_text_puts(out, "<p class=\"note\">Jobs a minute over peak resident memory, medians.</p>\n");
    svg_begin(out, WIDTH, MEMORY_HEIGHT);
    plane_axes(out, p);
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        plane_point(out, r, i, p);
    cz_text_puts(out, "</svg>\n");
    config_legend(out, r);
}
