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
    free(r->phase_ms);
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
    static const char *const names[] = {"warm_wall",   "warm_cpu", "cold_wall",
                                        "cold_cpu",    "peak_rss", "faults",
                                        "cold_faults", "load",     "vram"};

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
    case LAB_VRAM:
        return run->vram;
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
    if (metric == LAB_LOAD)
        return s->load_seconds;
    if (cold)
        return run_value(&s->runs[0], metric);
    for (unsigned i = 1; i < s->n_runs; i++)
        values[n++] = run_value(&s->runs[i], metric);
    return lab_quantile(values, n, 0.5);
}

typedef double (*run_number)(const lab_run *run, cz_phase phase);

static double ms_of(const lab_run *run, cz_phase phase)
{
    return run->phase_ms[phase];
}

static double faults_of(const lab_run *run, cz_phase phase)
{
    return run->phase_faults[phase];
}

static double covered_of(const lab_run *run, cz_phase phase)
{
    (void)phase;
    return run->covered;
}

static double recorded_of(const lab_run *run, cz_phase phase)
{
    (void)phase;
    return run->recorded;
}

static double recording_ms_of(const lab_run *run, cz_phase phase)
{
    (void)phase;
    return run->recording_ms;
}

static double recording_share_of(const lab_run *run, cz_phase phase)
{
    (void)phase;
    return run->recording_ms / 1e3 / run->seconds;
}

/* Median of a number over the warm runs of a configuration. */
static double warm_median(const lab_results *r, unsigned config, cz_phase phase, run_number number)
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
            values[n++] = number(&s->runs[k], phase);
    }
    median = lab_quantile(values, n, 0.5);
    free(values);
    return median;
}

double lab_phase_ms(const lab_results *r, unsigned config, cz_phase phase)
{
    if (r->phase_ms != NULL)
        return r->phase_ms[config][phase];
    return warm_median(r, config, phase, ms_of);
}

double lab_phase_faults(const lab_results *r, unsigned config, cz_phase phase)
{
    return warm_median(r, config, phase, faults_of);
}

double lab_covered(const lab_results *r, unsigned config)
{
    return warm_median(r, config, CZ_PHASE_DESERIALIZE, covered_of);
}

lab_recording lab_recording_of(const lab_results *r, unsigned config)
{
    return (lab_recording){.phases = warm_median(r, config, CZ_PHASE_DESERIALIZE, recorded_of),
                           .ms = warm_median(r, config, CZ_PHASE_DESERIALIZE, recording_ms_of),
                           .share =
                               warm_median(r, config, CZ_PHASE_DESERIALIZE, recording_share_of)};
}

double lab_jobs_a_minute(const lab_results *r, double seconds)
{
    return seconds > 0 ? 60 * (double)r->plan->jobs / seconds : 0;
}

bool lab_has(const lab_results *r, lab_metric metric)
{
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        if (lab_spread(r, i, metric).median > 0)
            return true;
    return false;
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
    lab_median_interval(values, q.n, &q.ci_low, &q.ci_high);
    return q;
}

static const lab_session *find_session(const lab_results *r, unsigned config, unsigned block)
{
    for (unsigned i = 0; i < r->n_sessions; i++)
        if (r->sessions[i].config == config && r->sessions[i].block == block)
            return &r->sessions[i];
    return NULL;
}

/* In turns, run k of both was within one round: what slowed the machine slowed both. */
static double ratio_in_rounds(const lab_session *x, const lab_session *y, lab_metric metric)
{
    double ratios[LAB_MAX_RUNS];
    unsigned n = 0;

    for (unsigned k = x->n_runs > 1 ? 1 : 0; k < x->n_runs && k < y->n_runs; k++)
        if (run_value(&x->runs[k], metric) > 0)
            ratios[n++] = run_value(&y->runs[k], metric) / run_value(&x->runs[k], metric);
    return lab_quantile(ratios, n, 0.5);
}

/* A pair whose ratio is the block's; false: there is none. */
static bool block_pair(const lab_results *r, const lab_session *x, const lab_session *y,
                       lab_metric metric, double pair[2])
{
    const bool warm = metric == LAB_WARM_WALL || metric == LAB_WARM_CPU;

    pair[0] = lab_session_value(x, metric);
    pair[1] = lab_session_value(y, metric);
    if (r->plan->turns && warm) {
        pair[0] = 1;
        pair[1] = ratio_in_rounds(x, y, metric);
    }
    return pair[0] > 0 && pair[1] > 0;
}

lab_ratio lab_compare(const lab_results *r, unsigned base, unsigned other, lab_metric metric)
{
    double a[LAB_MAX_BLOCKS], b[LAB_MAX_BLOCKS], pair[2];
    size_t n = 0;

    for (unsigned block = 0; block < LAB_MAX_BLOCKS; block++) {
        const lab_session *x = find_session(r, base, block), *y = find_session(r, other, block);

        if (x == NULL || y == NULL || !block_pair(r, x, y, metric, pair))
            continue;
        a[n] = pair[0];
        b[n++] = pair[1];
    }
    return lab_ratio_of(a, b, n);
}

/* The median ratio of the rounds, or the ratio of the medians of the warm runs. */
static double phase_ratio(const lab_results *r, const lab_session *x, const lab_session *y,
                          cz_phase phase)
{
    double ratios[LAB_MAX_RUNS], a[LAB_MAX_RUNS], b[LAB_MAX_RUNS];
    const unsigned runs = x->n_runs < y->n_runs ? x->n_runs : y->n_runs;
    unsigned n = 0;

    for (unsigned k = runs > 1 ? 1 : 0; k < runs; k++) {
        a[n] = x->runs[k].phase_ms[phase];
        b[n] = y->runs[k].phase_ms[phase];
        if (!(a[n] > 0 && b[n] > 0))
            return 0;
        ratios[n] = b[n] / a[n];
        n++;
    }
    if (r->plan->turns || n == 0)
        return lab_quantile(ratios, n, 0.5);
    return lab_quantile(b, n, 0.5) / lab_quantile(a, n, 0.5);
}

lab_ratio lab_compare_phase(const lab_results *r, unsigned base, unsigned other, cz_phase phase)
{
    double ones[LAB_MAX_BLOCKS], ratios[LAB_MAX_BLOCKS];
    size_t n = 0;

    for (unsigned block = 0; block < LAB_MAX_BLOCKS; block++) {
        const lab_session *x = find_session(r, base, block), *y = find_session(r, other, block);

        ones[n] = 1;
        ratios[n] = x != NULL && y != NULL ? phase_ratio(r, x, y, phase) : 0;
        n += ratios[n] > 0;
    }
    return lab_ratio_of(ones, ratios, n);
}

lab_verdict lab_judge_phase(const lab_results *r, unsigned config, cz_phase phase)
{
    const double base = lab_phase_ms(r, 0, phase), other = lab_phase_ms(r, config, phase);
    const double whole = 1e3 * lab_spread(r, 0, LAB_WARM_WALL).median;
    const lab_ratio ratio = lab_compare_phase(r, 0, config, phase);

    if (base < whole / 1000 && other < whole / 1000)
        return LAB_WITHIN_NOISE;
    return lab_judge(&ratio, r->plan->least);
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

/* The ratio of a configuration in one block; 0: it has none there. */
static double block_ratio(const lab_results *r, unsigned config, unsigned block, lab_metric metric)
{
    const lab_session *x = find_session(r, 0, block), *y = find_session(r, config, block);
    double pair[2];

    if (x == NULL || y == NULL || !block_pair(r, x, y, metric, pair))
        return 0;
    return pair[1] / pair[0];
}

lab_ratio lab_interaction(const lab_results *r, unsigned config, lab_metric metric)
{
    unsigned alone[LAB_MAX_CHANGES];
    const unsigned n_parts = lab_plan_parts(r->plan, config, alone);
    double parts[LAB_MAX_BLOCKS], whole[LAB_MAX_BLOCKS];
    size_t n = 0;

    for (unsigned block = 0; n_parts > 0 && block < LAB_MAX_BLOCKS; block++) {
        whole[n] = block_ratio(r, config, block, metric);
        parts[n] = 1;
        for (unsigned i = 0; i < n_parts; i++)
            parts[n] *= block_ratio(r, alone[i], block, metric);
        n += whole[n] > 0 && parts[n] > 0;
    }
    return lab_ratio_of(parts, whole, n);
}
