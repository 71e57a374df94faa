/* series.c: see series.h. */
#include "series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_out.h"
#include "report.h"

void lab_series_add(lab_series *s, const lab_results *r)
{
    CZ_ASSERT(s->runs < LAB_MAX_SERIES);
    s->machine = r->machine;
    s->blocks[s->runs] = r->blocks;
    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const lab_ratio ratio = lab_compare(r, 0, i, lab_judged(r->plan));

        s->verdict[s->runs][i] = lab_judge(&ratio, r->plan->least);
        s->estimate[s->runs][i] = ratio.estimate;
    }
    s->runs++;
}

unsigned lab_series_count(const lab_series *s, unsigned config, lab_verdict verdict)
{
    unsigned n = 0;

    for (unsigned k = 0; k < s->runs; k++)
        n += s->verdict[k][config] == verdict;
    return n;
}

static bool expects_noise(const lab_config *c)
{
    return strcmp(c->expect, lab_verdict_text(LAB_WITHIN_NOISE)) == 0;
}

void lab_series_expected(const lab_series *s, bool noise, unsigned *right, unsigned *all)
{
    *right = *all = 0;
    for (unsigned i = 1; i < s->plan->n_configs; i++) {
        const lab_config *c = &s->plan->configs[i];

        if (c->expect[0] == '\0' || expects_noise(c) != noise)
            continue;
        for (unsigned k = 0; k < s->runs; k++)
            *right += strcmp(c->expect, lab_verdict_text(s->verdict[k][i])) == 0;
        *all += s->runs;
    }
}

/* ---- for people ---- */

static void row(cz_text_out *out, const lab_series *s, unsigned i)
{
    double estimates[LAB_MAX_SERIES];
    double low, median, high;

    for (unsigned k = 0; k < s->runs; k++)
        estimates[k] = s->estimate[k][i];
    low = lab_quantile(estimates, s->runs, 0);
    median = lab_quantile(estimates, s->runs, 0.5);
    high = lab_quantile(estimates, s->runs, 1);
    cz_text_printf(out, "| %-20s | %5u | %5u | %12u | %-12s | %.3f (%.3f to %.3f) |\n",
                   s->plan->configs[i].name, lab_series_count(s, i, LAB_HELPS),
                   lab_series_count(s, i, LAB_HURTS), lab_series_count(s, i, LAB_WITHIN_NOISE),
                   s->plan->configs[i].expect, median, low, high);
}

static void sums(cz_text_out *out, const lab_series *s)
{
    unsigned right, all;

    lab_series_expected(s, false, &right, &all);
    if (all != 0)
        cz_text_printf(out, "\nEffects that are there: %u of %u seen.\n", right, all);
    lab_series_expected(s, true, &right, &all);
    if (all != 0)
        cz_text_printf(out, "The baseline against itself: %u of %u within noise.\n", right, all);
}

static void machine(cz_text_out *out, const lab_machine *m)
{
    cz_text_printf(out,
                   "\nMachine: %u CPUs of %s, huge pages \"%s\", %s; cuzk %s, commit %s (%s).\n",
                   m->cpus, m->cpu, m->thp, m->kernel, m->program,
                   m->commit[0] != '\0' ? m->commit : "unknown", m->forms);
}

void lab_series_text(cz_text_out *out, const lab_series *s)
{
    unsigned most = 0, least = LAB_MAX_BLOCKS;

    for (unsigned k = 0; k < s->runs; k++) {
        most = s->blocks[k] > most ? s->blocks[k] : most;
        least = s->blocks[k] < least ? s->blocks[k] : least;
    }
    cz_text_printf(out, "# %s: %u runs of %u to %u blocks, %.1f minutes\n\n", s->plan->name,
                   s->runs, least, most, s->minutes);
    cz_text_puts(out,
                 "| configuration        | helps | hurts | within noise | expected     | ratio, "
                 "median of runs (least to most) |\n|---|---|---|---|---|---|\n");
    for (unsigned i = 1; i < s->plan->n_configs; i++)
        row(out, s, i);
    sums(out, s);
    machine(out, &s->machine);
}

/* ---- files ---- */

static void json_config(cz_json_out *j, const lab_series *s, unsigned i)
{
    cz_json_out_object(j, NULL);
    cz_json_out_string(j, "name", s->plan->configs[i].name);
    cz_json_out_string(j, "expect", s->plan->configs[i].expect);
    for (int v = 0; v < LAB_VERDICTS; v++)
        cz_json_out_u64(j, lab_verdict_text((lab_verdict)v),
                        lab_series_count(s, i, (lab_verdict)v));
    cz_json_out_array(j, "estimates");
    for (unsigned k = 0; k < s->runs; k++)
        cz_json_out_double(j, NULL, s->estimate[k][i]);
    cz_json_out_close(j);
    cz_json_out_close(j);
}

cz_err lab_series_json(char **text, size_t *n, const lab_series *s)
{
    cz_json_out j = {0};

    cz_json_out_object(&j, NULL);
    cz_json_out_string(&j, "plan", s->plan->name);
    cz_json_out_string(&j, "circuit", s->plan->circuit);
    cz_json_out_u64(&j, "runs", s->runs);
    cz_json_out_double(&j, "minutes", s->minutes);
    cz_json_out_array(&j, "blocks");
    for (unsigned k = 0; k < s->runs; k++)
        cz_json_out_u64(&j, NULL, s->blocks[k]);
    cz_json_out_close(&j);
    cz_json_out_array(&j, "configurations");
    for (unsigned i = 1; i < s->plan->n_configs; i++)
        json_config(&j, s, i);
    cz_json_out_close(&j);
    return cz_json_out_take(&j, text, n);
}

cz_err lab_series_write(const lab_series *s, const char *folder)
{
    cz_text_out out = {0};
    char *text;
    size_t n;

    CZ_TRY(lab_series_json(&text, &n, s));
    CZ_TRY(lab_write_text(folder, "series.json", text, n));
    lab_series_text(&out, s);
    CZ_TRY(cz_text_take(&out, &text, &n));
    return lab_write_text(folder, "series.md", text, n);
}
