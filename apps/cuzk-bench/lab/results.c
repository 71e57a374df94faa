/* results.c: see results.h. */
#include "results.h"

#include <stdlib.h>
#include <string.h>

cz_err lab_results_init(lab_results *out, const lab_plan *plan)
{
    *out = (lab_results){.plan = plan, .stopped = ""};
    out->memory = calloc(plan->n_configs, sizeof *out->memory);
    if (out->memory == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for results");
    return CZ_OK;
}

void lab_results_clear(lab_results *r)
{
    free(r->sessions);
    free(r->memory);
    *r = (lab_results){.plan = NULL};
}

lab_session *lab_results_add(lab_results *r)
{
    if (r->n_sessions == r->cap_sessions) {
        const unsigned cap = r->cap_sessions != 0 ? 2 * r->cap_sessions : 16;
        lab_session *bigger = realloc(r->sessions, cap * sizeof *bigger);

        if (bigger == NULL)
            return NULL;
        r->sessions = bigger;
        r->cap_sessions = cap;
    }
    memset(&r->sessions[r->n_sessions], 0, sizeof *r->sessions);
    return &r->sessions[r->n_sessions++];
}

cz_err lab_results_same_proofs(const lab_results *r)
{
    for (unsigned i = 1; i < r->n_sessions; i++)
        if (strcmp(r->sessions[i].proof_sha256, r->sessions[0].proof_sha256) != 0)
            return cz_fail(CZ_E_VERIFY,
                           "configurations '%s' and '%s' give different proofs for "
                           "the same r and s",
                           r->plan->configs[r->sessions[0].config].name,
                           r->plan->configs[r->sessions[i].config].name);
    return CZ_OK;
}

const char *lab_metric_name(lab_metric metric)
{
    static const char *const names[] = {"warm_wall", "warm_cpu", "cold_wall",  "cold_cpu",
                                        "peak_rss",  "faults",   "cold_faults"};

    CZ_ASSERT((unsigned)metric < LAB_METRICS);
    return names[metric];
}

lab_metric lab_judged(const lab_plan *plan)
{
    return strcmp(plan->metric, "cpu") == 0 ? LAB_WARM_CPU : LAB_WARM_WALL;
}

static double run_value(const lab_run *run, lab_metric metric)
{
    switch (metric) {
    case LAB_WARM_WALL:
    case LAB_COLD_WALL:
        return run->seconds;
    case LAB_WARM_CPU:
    case LAB_COLD_CPU:
        return run->cpu_seconds;
    case LAB_PEAK_RSS:
        return run->peak_rss;
    default:
        return run->minor_faults + run->major_faults + 1; /* a ratio needs positive numbers */
    }
}

static double highest_peak(const lab_session *s)
{
    double peak = 0;

    for (unsigned i = 0; i < s->n_runs; i++)
        peak = s->runs[i].peak_rss > peak ? s->runs[i].peak_rss : peak;
    return peak;
}

double lab_session_value(const lab_session *s, lab_metric metric)
{
    const bool cold = metric == LAB_COLD_WALL || metric == LAB_COLD_CPU ||
                      metric == LAB_COLD_FAULTS || s->n_runs == 1;
    double values[LAB_MAX_RUNS];
    unsigned n = 0;

    if (metric == LAB_PEAK_RSS)
        return highest_peak(s);
    if (cold)
        return run_value(&s->runs[0], metric);
    for (unsigned i = 1; i < s->n_runs; i++)
        values[n++] = run_value(&s->runs[i], metric);
    return lab_quantile(values, n, 0.5);
}

double lab_phase_ms(const lab_results *r, unsigned config, cz_phase phase)
{
    double *values = malloc((r->n_sessions * (size_t)LAB_MAX_RUNS + 1) * sizeof *values);
    size_t n = 0;
    double median;

    if (values == NULL)
        return 0;
    for (unsigned i = 0; i < r->n_sessions; i++) {
        const lab_session *s = &r->sessions[i];

        if (s->config != config)
            continue;
        for (unsigned k = s->n_runs > 1 ? 1 : 0; k < s->n_runs; k++)
            values[n++] = s->runs[k].phase_ms[phase];
    }
    median = lab_quantile(values, n, 0.5);
    free(values);
    return median;
}

lab_quartiles lab_spread(const lab_results *r, unsigned config, lab_metric metric)
{
    double values[LAB_MAX_BLOCKS];
    lab_quartiles q = {.n = 0};

    for (unsigned i = 0; i < r->n_sessions && q.n < LAB_MAX_BLOCKS; i++)
        if (r->sessions[i].config == config)
            values[q.n++] = lab_session_value(&r->sessions[i], metric);
    q.low = lab_quantile(values, q.n, 0.25);
    q.median = lab_quantile(values, q.n, 0.5);
    q.high = lab_quantile(values, q.n, 0.75);
    return q;
}

static const lab_session *find_session(const lab_results *r, unsigned config, unsigned block)
{
    for (unsigned i = 0; i < r->n_sessions; i++)
        if (r->sessions[i].config == config && r->sessions[i].block == block)
            return &r->sessions[i];
    return NULL;
}

lab_ratio lab_compare(const lab_results *r, unsigned base, unsigned other, lab_metric metric)
{
    double a[LAB_MAX_BLOCKS], b[LAB_MAX_BLOCKS];
    size_t n = 0;

    for (unsigned block = 0; block < LAB_MAX_BLOCKS; block++) {
        const lab_session *x = find_session(r, base, block), *y = find_session(r, other, block);

        if (x == NULL || y == NULL)
            continue;
        a[n] = lab_session_value(x, metric);
        b[n] = lab_session_value(y, metric);
        if (a[n] > 0 && b[n] > 0)
            n++;
    }
    return lab_ratio_of(a, b, n);
}

bool lab_all_precise(const lab_results *r)
{
    for (unsigned i = 1; i < r->plan->n_configs; i++) {
        const lab_ratio ratio = lab_compare(r, 0, i, lab_judged(r->plan));

        if (!lab_is_precise(&ratio, r->plan->precision))
            return false;
    }
    return r->plan->n_configs > 1;
}

double lab_product_of_parts(const lab_results *r, unsigned config, lab_metric metric)
{
    unsigned alone[LAB_MAX_CHANGES];
    const unsigned n = lab_plan_parts(r->plan, config, alone);
    double product = n > 0 ? 1 : 0;

    for (unsigned i = 0; i < n; i++)
        product *= lab_compare(r, 0, alone[i], metric).estimate;
    return product;
}
