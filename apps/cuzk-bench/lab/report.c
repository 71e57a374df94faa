/* report.c: files and JSON; see report.h. report_read.c reads what is written here. */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"
#include "base/json_out.h"

enum { PATH_BYTES = 4096 };

void lab_seconds_text(char out[LAB_VALUE_BYTES], double seconds)
{
    if (seconds >= 1)
        (void)snprintf(out, LAB_VALUE_BYTES, "%.3f s", seconds);
    else
        (void)snprintf(out, LAB_VALUE_BYTES, "%.1f ms", seconds * 1e3);
}

void lab_bytes_text(char out[LAB_VALUE_BYTES], double bytes)
{
    const double mib = bytes / (1 << 20);

    if (mib >= 1024)
        (void)snprintf(out, LAB_VALUE_BYTES, "%.2f GiB", mib / 1024);
    else
        (void)snprintf(out, LAB_VALUE_BYTES, "%.0f MiB", mib);
}

void lab_rule_text(char *out, size_t size, const lab_results *r)
{
    (void)snprintf(out, size,
                   "Judged is the %s time of %s runs, in ratios of pairs from the same %s. A "
                   "configuration helps when the whole %.0f %% interval of its ratio (signed-rank, "
                   "Hodges-Lehmann estimate) is below 1 and the estimate at least %.1f %% below; "
                   "it hurts when likewise above; otherwise it is within noise. Intervals of "
                   "medians are by ranks, of the same level.%s",
                   lab_judged(r->plan) == LAB_WARM_CPU ? "CPU" : "wall",
                   r->plan->warm > 0 ? "warm" : "all", r->plan->turns ? "round" : "block",
                   100 * LAB_LEVEL, 100 * r->plan->least,
                   r->blocks < LAB_LEAST_BLOCKS
                       ? " There were too few blocks for such an interval: nothing can be called."
                       : "");
}

/* ---- JSON ---- */

static void json_machine(cz_json_out *j, const lab_machine *m)
{
    cz_json_out_object(j, "machine");
    cz_json_out_string(j, "cpu", m->cpu);
    cz_json_out_u64(j, "cpus", m->cpus);
    cz_json_out_string(j, "features", m->features);
    cz_json_out_double(j, "mhz_low", m->mhz_low);
    cz_json_out_double(j, "mhz_high", m->mhz_high);
    cz_json_out_double(j, "memory_bytes", m->memory_bytes);
    cz_json_out_string(j, "transparent_huge_pages", m->thp);
    cz_json_out_string(j, "kernel", m->kernel);
    cz_json_out_string(j, "compiler", m->compiler);
    cz_json_out_string(j, "program", m->program);
    cz_json_out_string(j, "commit", m->commit);
    cz_json_out_string(j, "forms", m->forms);
    cz_json_out_string(j, "gpu", m->gpu);
    cz_json_out_string(j, "gpu_driver", m->driver);
    cz_json_out_double(j, "load_before", m->load_before);
    cz_json_out_close(j);
}

static void json_ratio(cz_json_out *j, const char *key, const lab_ratio *ratio)
{
    cz_json_out_object(j, key);
    cz_json_out_double(j, "estimate", ratio->estimate);
    cz_json_out_double(j, "low", ratio->low);
    cz_json_out_double(j, "high", ratio->high);
    cz_json_out_double(j, "coverage", ratio->coverage);
    cz_json_out_u64(j, "pairs", ratio->n);
    cz_json_out_close(j);
}

static void json_metrics(cz_json_out *j, const lab_results *r, unsigned i)
{
    cz_json_out_object(j, "metrics");
    for (int m = 0; m < LAB_METRICS; m++) {
        const lab_quartiles q = lab_spread(r, i, (lab_metric)m);
        const lab_ratio ratio = lab_compare(r, 0, i, (lab_metric)m);

        cz_json_out_object(j, lab_metric_name((lab_metric)m));
        cz_json_out_double(j, "lower_quartile", q.low);
        cz_json_out_double(j, "median", q.median);
        cz_json_out_double(j, "median_low", q.ci_low);
        cz_json_out_double(j, "median_high", q.ci_high);
        cz_json_out_double(j, "upper_quartile", q.high);
        json_ratio(j, "ratio_to_baseline", &ratio);
        cz_json_out_close(j);
    }
    cz_json_out_close(j);
}

/* Of the first process, in a row of seconds and one of bytes. */
static void json_memory(cz_json_out *j, const lab_memory *m)
{
    cz_json_out_object(j, "memory");
    cz_json_out_array(j, "seconds");
    for (unsigned k = 0; k < m->n; k++)
        cz_json_out_double(j, NULL, m->samples[k].seconds);
    cz_json_out_close(j);
    cz_json_out_array(j, "rss_bytes");
    for (unsigned k = 0; k < m->n; k++)
        cz_json_out_double(j, NULL, m->samples[k].rss);
    cz_json_out_close(j);
    cz_json_out_close(j);
}

/* Those that are not zero. */
static void json_phases(cz_json_out *j, const char *key, const double values[CZ_PHASE_COUNT])
{
    cz_json_out_object(j, key);
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        if (values[p] > 0)
            cz_json_out_double(j, cz_phase_name((cz_phase)p), values[p]);
    cz_json_out_close(j);
}

static void json_config(cz_json_out *j, const lab_results *r, unsigned i)
{
    const lab_config *c = &r->plan->configs[i];
    const lab_ratio ratio = lab_compare(r, 0, i, lab_judged(r->plan));
    const double product = lab_product_of_parts(r, i, lab_judged(r->plan));
    double phases[CZ_PHASE_COUNT];

    cz_json_out_object(j, NULL);
    cz_json_out_string(j, "name", c->name);
    cz_json_out_string(j, "about", c->about);
    cz_json_out_bool(j, "noise_run", c->is_noise_run);
    cz_json_out_string(j, "expect", c->expect);
    cz_json_out_array(j, "changes");
    for (unsigned k = 0; k < c->n_changes; k++)
        cz_json_out_string(j, NULL, c->changes[k]);
    cz_json_out_close(j);
    json_metrics(j, r, i);
    if (i > 0) {
        const lab_ratio step = lab_compare(r, i - 1, i, lab_judged(r->plan));

        json_ratio(j, "ratio_to_previous", &step);
        cz_json_out_string(j, "verdict", lab_verdict_text(lab_judge(&ratio, r->plan->least)));
    }
    if (product > 0)
        cz_json_out_double(j, "product_of_parts", product);
    for (int p = 0; p < CZ_PHASE_COUNT; p++)
        phases[p] = lab_phase_ms(r, i, (cz_phase)p);
    json_phases(j, "phases_ms", phases);
    json_memory(j, &r->memory[i]);
    cz_json_out_close(j);
}

static void json_run(cz_json_out *j, const lab_run *run)
{
    cz_json_out_object(j, NULL);
    cz_json_out_double(j, "seconds", run->seconds);
    cz_json_out_double(j, "cpu_seconds", run->cpu_seconds);
    cz_json_out_double(j, "minor_faults", run->minor_faults);
    cz_json_out_double(j, "major_faults", run->major_faults);
    cz_json_out_double(j, "peak_rss_bytes", run->peak_rss);
    cz_json_out_double(j, "vram_bytes", run->vram);
    cz_json_out_double(j, "covered", run->covered);
    cz_json_out_double(j, "recorded", run->recorded);
    cz_json_out_double(j, "recording_ms", run->recording_ms);
    json_phases(j, "phases_ms", run->phase_ms);
    json_phases(j, "phase_faults", run->phase_faults);
    cz_json_out_close(j);
}

static void json_session(cz_json_out *j, const lab_results *r, const lab_session *s)
{
    cz_json_out_object(j, NULL);
    cz_json_out_string(j, "config", r->plan->configs[s->config].name);
    cz_json_out_u64(j, "block", s->block);
    cz_json_out_u64(j, "place", s->place);
    cz_json_out_double(j, "locked_bytes", s->locked_bytes);
    cz_json_out_double(j, "load_seconds", s->load_seconds);
    cz_json_out_string(j, "proof_sha256", s->proof_sha256);
    cz_json_out_array(j, "runs");
    for (unsigned k = 0; k < s->n_runs; k++)
        json_run(j, &s->runs[k]);
    cz_json_out_close(j);
    cz_json_out_close(j);
}

static void json_plan(cz_json_out *j, const lab_plan *p)
{
    cz_json_out_string(j, "plan", p->name);
    cz_json_out_string(j, "about", p->about);
    cz_json_out_string(j, "circuit", p->circuit);
    cz_json_out_string(j, "work", lab_work_name(p->work));
    cz_json_out_string(j, "metric", p->metric);
    cz_json_out_u64(j, "seed", p->seed);
    cz_json_out_u64(j, "threads", p->threads);
    cz_json_out_u64(j, "warm", p->warm);
    cz_json_out_u64(j, "jobs", p->jobs);
    cz_json_out_bool(j, "turns", p->turns);
    cz_json_out_double(j, "least", p->least);
    cz_json_out_double(j, "precision", p->precision);
}

cz_err lab_report_json(char **text, size_t *n, const lab_results *r)
{
    char rule[LAB_RULE_BYTES];
    cz_json_out j = {0};

    lab_rule_text(rule, sizeof rule, r);
    cz_json_out_object(&j, NULL);
    json_plan(&j, r->plan);
    cz_json_out_string(&j, "rule", rule);
    cz_json_out_u64(&j, "blocks", r->blocks);
    cz_json_out_double(&j, "minutes", r->minutes);
    cz_json_out_string(&j, "stopped", r->stopped);
    json_machine(&j, &r->machine);
    cz_json_out_array(&j, "configurations");
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        json_config(&j, r, i);
    cz_json_out_close(&j);
    cz_json_out_array(&j, "sessions");
    for (unsigned i = 0; i < r->n_sessions; i++)
        json_session(&j, r, &r->sessions[i]);
    cz_json_out_close(&j);
    return cz_json_out_take(&j, text, n);
}

/* ---- files ---- */

cz_err lab_write_text(const char *folder, const char *name, char *text, size_t n)
{
    char path[PATH_BYTES];
    cz_err err;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        err = cz_fail(CZ_E_INPUT, "%s: the path is too long", folder);
    else
        err = cz_file_write_all(path, text, n);
    free(text);
    return err;
}

static cz_err write_page(const lab_results *r, const char *folder, const char *name,
                         void (*write)(cz_text_out *out, const lab_results *r))
{
    cz_text_out out = {0};
    char *text;
    size_t n;

    write(&out, r);
    CZ_TRY(cz_text_take(&out, &text, &n));
    return lab_write_text(folder, name, text, n);
}

cz_err lab_write_reports(const lab_results *r, const char *folder)
{
    char *text;
    size_t n;

    CZ_TRY(lab_report_json(&text, &n, r));
    CZ_TRY(lab_write_text(folder, "report.json", text, n));
    return lab_write_pages(r, folder);
}

cz_err lab_write_pages(const lab_results *r, const char *folder)
{
    CZ_TRY(write_page(r, folder, "report.md", lab_report_markdown));
    return write_page(r, folder, "report.html", lab_report_html);
}
