/* monitor.c: see monitor.h. */
#include "monitor.h"

#include <stdlib.h>

#include "report.h"

enum { COLUMNS = 72, ROWS = 12, WIDTH = 860, LEFT = 80, HEIGHT = 220, FAULTS_HEIGHT = 120 };

cz_err lab_monitor_add(lab_monitor *m, double seconds, const lab_proc *proc, double vram)
{
    if (m->n == m->cap) {
        const size_t cap = m->cap != 0 ? 2 * m->cap : 256;
        lab_moment *bigger = realloc(m->moments, cap * sizeof *bigger);

        if (bigger == NULL)
            return cz_fail(CZ_E_NOMEM, "no memory for samples");
        m->moments = bigger;
        m->cap = cap;
    }
    m->moments[m->n++] = (lab_moment){seconds, *proc, vram};
    return CZ_OK;
}

void lab_monitor_clear(lab_monitor *m)
{
    free(m->moments);
    *m = (lab_monitor){0};
}

static double peak_rss(const lab_monitor *m)
{
    double peak = 0;

    for (size_t i = 0; i < m->n; i++)
        peak = m->moments[i].proc.rss > peak ? m->moments[i].proc.rss : peak;
    return peak;
}

/* The highest resident set in each of COLUMNS equal stretches of time. */
static void columns_of(double columns[COLUMNS], const lab_monitor *m)
{
    const double all = m->moments[m->n - 1].seconds;

    for (int i = 0; i < COLUMNS; i++)
        columns[i] = 0;
    for (size_t i = 0; i < m->n; i++) {
        const double at = all > 0 ? m->moments[i].seconds / all * (COLUMNS - 1) : 0;

        if (m->moments[i].proc.rss > columns[(int)at])
            columns[(int)at] = m->moments[i].proc.rss;
    }
    for (int i = 1; i < COLUMNS; i++)
        if (columns[i] <= 0)
            columns[i] = columns[i - 1];
}

void lab_monitor_text(cz_text_out *out, const lab_monitor *m)
{
    const double peak = peak_rss(m);
    double columns[COLUMNS];
    char text[LAB_VALUE_BYTES];

    if (m->n == 0 || peak <= 0)
        return;
    columns_of(columns, m);
    for (int row = ROWS; row > 0; row--) {
        lab_bytes_text(text, peak * row / ROWS);
        cz_text_printf(out, "%10s |", text);
        for (int i = 0; i < COLUMNS; i++)
            cz_text_puts(out, columns[i] >= peak * (row - 0.5) / ROWS ? "#" : " ");
        cz_text_puts(out, "\n");
    }
    lab_seconds_text(text, m->moments[m->n - 1].seconds);
    cz_text_printf(out, "%10s +", "");
    for (int i = 0; i < COLUMNS; i++)
        cz_text_puts(out, "-");
    cz_text_printf(out, "\n%10s  0%*s\n", "", COLUMNS - 1, text);
}

typedef double (*value_fn)(const lab_monitor *m, size_t i);

static double rss(const lab_monitor *m, size_t i)
{
    return m->moments[i].proc.rss;
}

static double pss(const lab_monitor *m, size_t i)
{
    return m->moments[i].proc.pss;
}

static double locked(const lab_monitor *m, size_t i)
{
    return m->moments[i].proc.locked;
}

static double vram(const lab_monitor *m, size_t i)
{
    return m->moments[i].vram;
}

static double faults(const lab_monitor *m, size_t i)
{
    const lab_moment *now = &m->moments[i], *before = &m->moments[i > 0 ? i - 1 : 0];
    const double seconds = now->seconds - before->seconds;
    const double n = now->proc.minor_faults + now->proc.major_faults - before->proc.minor_faults -
                     before->proc.major_faults;

    return seconds > 0 ? n / seconds : 0;
}

static double largest(const lab_monitor *m, value_fn value)
{
    double most = 1;

    for (size_t i = 0; i < m->n; i++)
        most = value(m, i) > most ? value(m, i) : most;
    return most;
}

static void curve(cz_text_out *out, const lab_monitor *m, value_fn value, double most, int top,
                  int height, const char *colour)
{
    const double all = m->moments[m->n - 1].seconds > 0 ? m->moments[m->n - 1].seconds : 1;

    cz_text_printf(out, "<polyline fill=\"none\" stroke=\"%s\" points=\"", colour);
    for (size_t i = 0; i < m->n; i++)
        cz_text_printf(out, "%.1f,%.1f ", LEFT + m->moments[i].seconds / all * (WIDTH - LEFT - 20),
                       top + height - value(m, i) / most * height);
    cz_text_puts(out, "\"/>\n");
}

static void label(cz_text_out *out, int x, int y, const char *anchor, const char *text)
{
    cz_text_printf(out,
                   "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\" font-family=\"sans-serif\" "
                   "font-size=\"12\">%s</text>\n",
                   x, y, anchor, text);
}

void lab_monitor_svg(cz_text_out *out, const lab_monitor *m)
{
    const int faults_top = HEIGHT + 50, bottom = faults_top + FAULTS_HEIGHT;
    const double most_rss = largest(m, rss), most_vram = largest(m, vram);
    const double most = most_vram > most_rss ? most_vram : most_rss;
    const double most_faults = largest(m, faults);
    char text[LAB_VALUE_BYTES];

    cz_text_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", WIDTH,
                   bottom + 30);
    if (m->n > 0) {
        curve(out, m, rss, most, 20, HEIGHT, "#4e79a7");
        curve(out, m, pss, most, 20, HEIGHT, "#59a14f");
        curve(out, m, locked, most, 20, HEIGHT, "#e15759");
        if (most_vram > 1)
            curve(out, m, vram, most, 20, HEIGHT, "#b07aa1");
        curve(out, m, faults, most_faults, faults_top, FAULTS_HEIGHT, "#f28e2b");
        lab_bytes_text(text, most);
        label(out, LEFT - 6, 26, "end", text);
        label(out, LEFT + 10, 14, "start",
              most_vram > 1 ? "resident (blue), by share (green), locked (red), on devices (violet)"
                            : "resident (blue), by share (green), locked (red)");
        (void)snprintf(text, sizeof text, "%.0f/s", most_faults);
        label(out, LEFT - 6, faults_top + 8, "end", text);
        label(out, LEFT + 10, faults_top - 8, "start", "page faults a second");
        lab_seconds_text(text, m->moments[m->n - 1].seconds);
        label(out, WIDTH - 20, bottom + 20, "end", text);
    }
    cz_text_puts(out, "</svg>\n");
}
