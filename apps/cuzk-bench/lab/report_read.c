/* report_read.c: a report.json back into results, so that it can be rendered again. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report.h"
#include "spawn.h"

enum { MAX_REPORT_BYTES = 256 << 20 };

/* ---- values; what is missing stays as it is ---- */

static cz_err get_text(cz_json object, const char *key, char *out, size_t size)
{
    const char *text;
    cz_json v;
    size_t n;

    if (cz_json_get(object, key, &v) != CZ_OK)
        return CZ_OK;
    CZ_TRY_IN(cz_json_string(v, &text, &n), "%s", key);
    (void)snprintf(out, size, "%s", text);
    return CZ_OK;
}

static cz_err get_owned(cz_json object, const char *key, char **out)
{
    const char *text;
    cz_json v;
    size_t n;

    if (cz_json_get(object, key, &v) != CZ_OK)
        return CZ_OK;
    CZ_TRY_IN(cz_json_string(v, &text, &n), "%s", key);
    return lab_plan_set_text(out, text);
}

static cz_err get_double(cz_json object, const char *key, double *out)
{
    cz_json v;

    if (cz_json_get(object, key, &v) != CZ_OK)
        return CZ_OK;
    CZ_TRY_IN(cz_json_double(v, out), "%s", key);
    return CZ_OK;
}

static cz_err get_u64(cz_json object, const char *key, uint64_t *out)
{
    double value = (double)*out;

    CZ_TRY(get_double(object, key, &value));
    if (!(value >= 0 && value < 9e15))
        return cz_fail(CZ_E_INPUT, "%s: out of bounds", key);
    *out = (uint64_t)value;
    return CZ_OK;
}

static cz_err get_bool(cz_json object, const char *key, bool *out)
{
    cz_json v;

    if (cz_json_get(object, key, &v) != CZ_OK)
        return CZ_OK;
    CZ_TRY_IN(cz_json_bool(v, out), "%s", key);
    return CZ_OK;
}

/* ---- the plan ---- */

static cz_err read_work(lab_plan *plan, cz_json root)
{
    char text[16] = "prove";

    CZ_TRY(get_text(root, "work", text, sizeof text));
    for (int w = 0; w < LAB_WORKS; w++)
        if (strcmp(text, lab_work_name((lab_work)w)) == 0)
            plan->work = (lab_work)w;
    return CZ_OK;
}

static cz_err read_plan(lab_plan *plan, cz_json root)
{
    CZ_TRY(get_owned(root, "plan", &plan->name));
    CZ_TRY(get_owned(root, "about", &plan->about));
    CZ_TRY(get_owned(root, "circuit", &plan->circuit));
    CZ_TRY(get_owned(root, "metric", &plan->metric));
    CZ_TRY(read_work(plan, root));
    CZ_TRY(get_u64(root, "seed", &plan->seed));
    CZ_TRY(get_u64(root, "threads", &plan->threads));
    CZ_TRY(get_u64(root, "warm", &plan->warm));
    CZ_TRY(get_u64(root, "jobs", &plan->jobs));
    CZ_TRY(get_bool(root, "turns", &plan->turns));
    CZ_TRY(get_double(root, "least", &plan->least));
    return get_double(root, "precision", &plan->precision);
}

static cz_err read_changes(lab_config *c, cz_json config)
{
    cz_json list, v;
    cz_json_iter it;

    CZ_TRY(cz_json_get(config, "changes", &list));
    CZ_TRY(cz_json_iterate(list, &it));
    while (cz_json_next(&it, &v, NULL)) {
        const char *text;
        size_t n;

        CZ_TRY_IN(cz_json_string(v, &text, &n), "changes");
        if (c->n_changes < LAB_MAX_CHANGES)
            (void)snprintf(c->changes[c->n_changes++], LAB_CHANGE_BYTES, "%s", text);
    }
    return CZ_OK;
}

static cz_err read_config(lab_plan *plan, cz_json config)
{
    char name[LAB_NAME_BYTES] = "";
    lab_config *c;

    CZ_TRY(get_text(config, "name", name, sizeof name));
    CZ_TRY(lab_plan_add(plan, name));
    c = &plan->configs[plan->n_configs - 1];
    CZ_TRY(get_text(config, "about", c->about, sizeof c->about));
    CZ_TRY(get_text(config, "expect", c->expect, sizeof c->expect));
    CZ_TRY(get_bool(config, "noise_run", &c->is_noise_run));
    return read_changes(c, config);
}

static cz_err read_configs(lab_plan *plan, cz_json root)
{
    cz_json list, v;
    cz_json_iter it;

    CZ_TRY(cz_json_get(root, "configurations", &list));
    CZ_TRY(cz_json_iterate(list, &it));
    while (cz_json_next(&it, &v, NULL))
        CZ_TRY_IN(read_config(plan, v), "configuration %u", plan->n_configs);
    return plan->n_configs > 0 ? CZ_OK : cz_fail(CZ_E_INPUT, "no configuration");
}

/* ---- the results ---- */

static cz_err read_machine(lab_machine *m, cz_json root)
{
    cz_json v;
    uint64_t cpus = 0;

    CZ_TRY(cz_json_get(root, "machine", &v));
    CZ_TRY(get_text(v, "cpu", m->cpu, sizeof m->cpu));
    CZ_TRY(get_u64(v, "cpus", &cpus));
    m->cpus = (unsigned)cpus;
    CZ_TRY(get_text(v, "features", m->features, sizeof m->features));
    CZ_TRY(get_double(v, "mhz_low", &m->mhz_low));
    CZ_TRY(get_double(v, "mhz_high", &m->mhz_high));
    CZ_TRY(get_double(v, "memory_bytes", &m->memory_bytes));
    CZ_TRY(get_text(v, "transparent_huge_pages", m->thp, sizeof m->thp));
    CZ_TRY(get_text(v, "kernel", m->kernel, sizeof m->kernel));
    CZ_TRY(get_text(v, "compiler", m->compiler, sizeof m->compiler));
    CZ_TRY(get_text(v, "program", m->program, sizeof m->program));
    CZ_TRY(get_text(v, "commit", m->commit, sizeof m->commit));
    CZ_TRY(get_text(v, "forms", m->forms, sizeof m->forms));
    CZ_TRY(get_text(v, "gpu", m->gpu, sizeof m->gpu));
    CZ_TRY(get_text(v, "gpu_driver", m->driver, sizeof m->driver));
    return get_double(v, "load_before", &m->load_before);
}

/* A row of numbers, at most LAB_MAX_SAMPLES of them. */
static cz_err read_row(double *out, unsigned *n, cz_json object, const char *key)
{
    cz_json list, v;
    cz_json_iter it;

    *n = 0;
    CZ_TRY(cz_json_get(object, key, &list));
    CZ_TRY(cz_json_iterate(list, &it));
    while (*n < LAB_MAX_SAMPLES && cz_json_next(&it, &v, NULL))
        CZ_TRY_IN(cz_json_double(v, &out[(*n)++]), "%s", key);
    return CZ_OK;
}

static cz_err read_memory(lab_memory *m, cz_json config)
{
    double seconds[LAB_MAX_SAMPLES], rss[LAB_MAX_SAMPLES];
    unsigned n, n_rss;
    cz_json memory;

    if (cz_json_get(config, "memory", &memory) != CZ_OK)
        return CZ_OK;
    CZ_TRY(read_row(seconds, &n, memory, "seconds"));
    CZ_TRY(read_row(rss, &n_rss, memory, "rss_bytes"));
    for (unsigned i = 0; i < n && i < n_rss; i++)
        lab_memory_add(m, seconds[i], rss[i]);
    return CZ_OK;
}

/* Older reports tell the phases of a configuration, not of every run. */
static cz_err read_phases(lab_results *r, unsigned config, cz_json v)
{
    if (r->phase_ms == NULL)
        r->phase_ms = calloc(r->plan->n_configs, sizeof *r->phase_ms);
    if (r->phase_ms == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    return lab_phases_parse(r->phase_ms[config], v, "phases_ms");
}

static cz_err read_of_configs(lab_results *r, cz_json root)
{
    cz_json list, v;
    cz_json_iter it;
    unsigned i = 0;

    CZ_TRY(cz_json_get(root, "configurations", &list));
    CZ_TRY(cz_json_iterate(list, &it));
    for (; cz_json_next(&it, &v, NULL); i++) {
        CZ_TRY(read_memory(&r->memory[i], v));
        CZ_TRY(read_phases(r, i, v));
    }
    return CZ_OK;
}

static cz_err find_config(const lab_results *r, cz_json session, unsigned *out)
{
    char name[LAB_NAME_BYTES] = "";

    CZ_TRY(get_text(session, "config", name, sizeof name));
    for (unsigned i = 0; i < r->plan->n_configs; i++)
        if (strcmp(r->plan->configs[i].name, name) == 0) {
            *out = i;
            return CZ_OK;
        }
    return cz_fail(CZ_E_INPUT, "no configuration '%s'", name);
}

static cz_err read_session(lab_results *r, cz_json v)
{
    lab_session *s = lab_results_add(r);
    uint64_t block = LAB_MAX_BLOCKS, place = 0;

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for results");
    CZ_TRY(find_config(r, v, &s->config));
    CZ_TRY(get_u64(v, "block", &block));
    CZ_TRY(get_u64(v, "place", &place));
    if (block >= LAB_MAX_BLOCKS)
        return cz_fail(CZ_E_INPUT, "block: out of bounds");
    s->block = (unsigned)block;
    s->place = (unsigned)place;
    CZ_TRY(get_double(v, "locked_bytes", &s->locked_bytes));
    CZ_TRY(get_double(v, "load_seconds", &s->load_seconds));
    CZ_TRY(get_text(v, "proof_sha256", s->proof_sha256, sizeof s->proof_sha256));
    return lab_runs_parse(s, v);
}

static cz_err read_sessions(lab_results *r, cz_json root)
{
    cz_json list, v;
    cz_json_iter it;

    CZ_TRY(cz_json_get(root, "sessions", &list));
    CZ_TRY(cz_json_iterate(list, &it));
    while (cz_json_next(&it, &v, NULL))
        CZ_TRY_IN(read_session(r, v), "session %u", r->n_sessions);
    return CZ_OK;
}

/* ---- the whole ---- */

static const char *known_reason(const char *text)
{
    static const char *const reasons[] = LAB_STOP_REASONS;

    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (strcmp(text, reasons[i]) == 0)
            return reasons[i];
    return "";
}

static cz_err read_results(lab_results *r, cz_json root)
{
    uint64_t blocks = 0;
    char why[64] = "";

    CZ_TRY(get_double(root, "minutes", &r->minutes));
    CZ_TRY(get_u64(root, "blocks", &blocks));
    CZ_TRY(get_text(root, "stopped", why, sizeof why));
    r->blocks = (unsigned)blocks;
    r->stopped = known_reason(why);
    CZ_TRY(read_machine(&r->machine, root));
    CZ_TRY(read_of_configs(r, root));
    return read_sessions(r, root);
}

static cz_err read_all(lab_results *out, lab_plan *plan, cz_json root, const char *name)
{
    CZ_TRY(lab_plan_init(plan, name));
    CZ_TRY(read_plan(plan, root));
    CZ_TRY(read_configs(plan, root));
    CZ_TRY(lab_results_init(out, plan));
    return read_results(out, root);
}

cz_err lab_report_parse(lab_results *out, lab_plan *plan, const char *text, size_t n,
                        const char *name)
{
    cz_json_doc *doc;
    cz_json root;
    cz_err err;

    *out = (lab_results){.plan = NULL};
    *plan = (lab_plan){.file = NULL};
    CZ_TRY_IN(cz_json_parse(&doc, &root, text, n), "%s", name);
    err = read_all(out, plan, root, name);
    cz_json_destroy(doc);
    return err == CZ_OK ? CZ_OK : cz_fail_in(CZ_E_INPUT, "%s", name);
}

cz_err lab_report_read(lab_results *out, lab_plan *plan, const char *path)
{
    uint8_t *bytes;
    size_t n;
    cz_err err;

    *out = (lab_results){.plan = NULL};
    *plan = (lab_plan){.file = NULL};
    CZ_TRY(cz_file_read(path, MAX_REPORT_BYTES, &bytes, &n));
    err = lab_report_parse(out, plan, (const char *)bytes, n, path);
    free(bytes);
    return err;
}
