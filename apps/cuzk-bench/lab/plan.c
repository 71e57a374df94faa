/* plan.c: see plan.h. */
#define _GNU_SOURCE
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/setting_value.h"
#include "config/toml.h"
#include "stats.h"

enum { MAX_PLAN_BYTES = 1 << 20 };

/* ---- [plan] ---- */

typedef enum { KEY_TEXT, KEY_UINT, KEY_SHARE, KEY_BOOL } key_kind;

typedef struct {
    const char *name;
    key_kind kind;
    size_t offset;
    uint64_t least, most; /* of numbers */
} plan_key;

#define AT(field) offsetof(lab_plan, field)

static const plan_key keys[] = {
    {"name", KEY_TEXT, AT(name), 0, 0},
    {"about", KEY_TEXT, AT(about), 0, 0},
    {"circuit", KEY_TEXT, AT(circuit), 0, 0},
    {"request", KEY_TEXT, AT(request), 0, 0},
    {"params", KEY_TEXT, AT(params), 0, 0},
    {"metric", KEY_TEXT, AT(metric), 0, 0},
    {"daemon", KEY_TEXT, AT(daemon), 0, 0},
    {"seed", KEY_UINT, AT(seed), 0, INT64_MAX},
    {"threads", KEY_UINT, AT(threads), 0, 4096},
    {"blocks", KEY_UINT, AT(blocks), 1, LAB_MAX_BLOCKS},
    {"max_blocks", KEY_UINT, AT(max_blocks), 1, LAB_MAX_BLOCKS},
    {"warm", KEY_UINT, AT(warm), 0, 64},
    {"jobs", KEY_UINT, AT(jobs), 1, 1000},
    {"partitions", KEY_UINT, AT(partitions), 0, 1000},
    {"minutes", KEY_UINT, AT(minutes), 1, 100000},
    {"precision_percent", KEY_SHARE, AT(precision), 0, 100},
    {"least_percent", KEY_SHARE, AT(least), 0, 100},
    {"noise_run", KEY_BOOL, AT(noise_run), 0, 0},
    {"turns", KEY_BOOL, AT(turns), 0, 0},
};

static const plan_key *find_key(const char *name)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].name, name) == 0)
            return &keys[i];
    return NULL;
}

cz_err lab_plan_set_text(char **field, const char *text)
{
    char *copy = strdup(text);

    if (copy == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    free(*field);
    *field = copy;
    return CZ_OK;
}

static cz_err wrong_type(const cz_toml_value *v, const char *wanted)
{
    return cz_fail(CZ_E_INPUT, "is %s, but %s is wanted", cz_toml_type_text(v->type), wanted);
}

static cz_err set_number(void *field, const plan_key *key, const cz_toml_value *v)
{
    const double number = v->type == CZ_TOML_FLOAT ? v->number : (double)v->integer;

    if (v->type != CZ_TOML_INTEGER && !(key->kind == KEY_SHARE && v->type == CZ_TOML_FLOAT))
        return wrong_type(v, "a number");
    if (!(number >= (double)key->least && number <= (double)key->most))
        return cz_fail(CZ_E_INPUT, "is out of bounds: %llu to %llu", (unsigned long long)key->least,
                       (unsigned long long)key->most);
    if (key->kind == KEY_SHARE)
        *(double *)field = number / 100;
    else
        *(uint64_t *)field = (uint64_t)v->integer;
    return CZ_OK;
}

const char *lab_work_name(lab_work work)
{
    static const char *const names[] = {"prove", "engine", "daemon"};

    CZ_ASSERT((unsigned)work < LAB_WORKS);
    return names[work];
}

static cz_err set_work(lab_plan *plan, const cz_toml_value *v)
{
    if (v->type != CZ_TOML_STRING)
        return wrong_type(v, "a string");
    for (int w = 0; w < LAB_WORKS; w++)
        if (strcmp(v->text, lab_work_name((lab_work)w)) == 0) {
            plan->work = (lab_work)w;
            return CZ_OK;
        }
    return cz_fail(CZ_E_INPUT, "'%s' is none of \"prove\", \"engine\", \"daemon\"", v->text);
}

static cz_err set_plan_key(lab_plan *plan, const char *name, const cz_toml_value *v)
{
    const plan_key *key = find_key(name);
    char *field;

    if (strcmp(name, "work") == 0)
        return set_work(plan, v);
    if (key == NULL)
        return cz_fail(CZ_E_INPUT, "no such key in [plan]");
    field = (char *)plan + key->offset;
    switch (key->kind) {
    case KEY_TEXT:
        return v->type == CZ_TOML_STRING ? lab_plan_set_text((char **)(void *)field, v->text)
                                         : wrong_type(v, "a string");
    case KEY_BOOL:
        if (v->type != CZ_TOML_BOOL)
            return wrong_type(v, "a boolean");
        *(bool *)(void *)field = v->boolean;
        return CZ_OK;
    default:
        return set_number(field, key, v);
    }
}

/* ---- [config.NAME] ---- */

static cz_err copy_settings(cz_config *to, const cz_config *from)
{
    size_t n;
    const cz_setting *s = cz_settings(&n);

    for (size_t i = 0; i < n; i++)
        CZ_TRY(cz_setting_copy(to, from, &s[i]));
    return CZ_OK;
}

cz_err lab_plan_add(lab_plan *plan, const char *name)
{
    lab_config *c = &plan->configs[plan->n_configs];

    if (plan->n_configs == LAB_MAX_CONFIGS)
        return cz_fail(CZ_E_INPUT, "more than %d configurations", LAB_MAX_CONFIGS);
    CZ_TRY(cz_config_init(&c->settings));
    (void)snprintf(c->name, sizeof c->name, "%s", name);
    plan->n_configs++;
    return CZ_OK;
}

static lab_config *find_config(lab_plan *plan, const char *name)
{
    for (unsigned i = 0; i < plan->n_configs; i++)
        if (strcmp(plan->configs[i].name, name) == 0)
            return &plan->configs[i];
    return NULL;
}

static cz_err set_like(lab_plan *plan, lab_config *c, const char *name)
{
    const lab_config *other = find_config(plan, name);

    if (other == NULL || other == c)
        return cz_fail(CZ_E_INPUT, "'%s' is no configuration above this one", name);
    c->has_settings = other->has_settings;
    return copy_settings(&c->settings, &other->settings);
}

static cz_err set_expected(lab_config *c, const char *verdict)
{
    for (int v = 0; v < LAB_VERDICTS; v++)
        if (strcmp(verdict, lab_verdict_text((lab_verdict)v)) == 0) {
            (void)snprintf(c->expect, sizeof c->expect, "%s", verdict);
            return CZ_OK;
        }
    return cz_fail(CZ_E_INPUT, "'%s' is no verdict: helps, hurts, within noise", verdict);
}

static cz_err set_trace(lab_config *c, const cz_toml_value *v)
{
    if (v->type != CZ_TOML_BOOL)
        return wrong_type(v, "a boolean");
    c->no_trace = !v->boolean;
    return CZ_OK;
}

/* What a configuration has besides settings. */
static const char *const own_keys[] = {"about", "address", "like", "expect", "trace"};

static bool is_own_key(const char *key)
{
    for (size_t i = 0; i < sizeof own_keys / sizeof *own_keys; i++)
        if (strcmp(key, own_keys[i]) == 0)
            return true;
    return false;
}

static cz_err set_own_key(lab_plan *plan, lab_config *c, const char *key, const cz_toml_value *v)
{
    if (strcmp(key, "trace") == 0)
        return set_trace(c, v);
    if (v->type != CZ_TOML_STRING)
        return wrong_type(v, "a string");
    if (strcmp(key, "like") == 0)
        return set_like(plan, c, v->text);
    if (strcmp(key, "expect") == 0)
        return set_expected(c, v->text);
    if (strcmp(key, "about") == 0)
        (void)snprintf(c->about, sizeof c->about, "%s", v->text);
    else if (snprintf(c->address, sizeof c->address, "%s", v->text) >= (int)sizeof c->address)
        return cz_fail(CZ_E_INPUT, "an address has at most %zu letters", sizeof c->address - 1);
    return CZ_OK;
}

static cz_err set_config_key(lab_plan *plan, lab_config *c, const char *key, const cz_toml_value *v)
{
    const cz_setting *s = cz_setting_find(key);

    if (is_own_key(key))
        return set_own_key(plan, c, key, v);
    if (s == NULL)
        return cz_fail(CZ_E_INPUT, "no setting of that name (cuzk.example.toml lists them)");
    c->has_settings = true;
    return cz_setting_set(&c->settings, s, v);
}

/* "config.NAME.key" */
static cz_err set_in_config(lab_plan *plan, const char *rest, const cz_toml_value *v)
{
    const char *dot = strchr(rest, '.');
    const size_t len = dot != NULL ? (size_t)(dot - rest) : 0;
    char name[LAB_NAME_BYTES];

    if (len == 0 || len >= sizeof name)
        return cz_fail(CZ_E_INPUT,
                       "a configuration is a table [config.NAME] with at least one key "
                       "and a name of at most %d letters",
                       LAB_NAME_BYTES - 1);
    memcpy(name, rest, len);
    name[len] = '\0';
    if (find_config(plan, name) == NULL && plan->n_configs == LAB_MAX_CONFIGS - 1)
        return cz_fail(CZ_E_INPUT, "more than %d configurations", LAB_MAX_CONFIGS - 1);
    if (find_config(plan, name) == NULL) /* one is left for the noise run */
        CZ_TRY(lab_plan_add(plan, name));
    return set_config_key(plan, find_config(plan, name), dot + 1, v);
}

/* ---- the whole ---- */

static cz_err set_value(lab_plan *plan, const cz_toml_value *v)
{
    static const char of_plan[] = "plan.", of_config[] = "config.";

    if (strncmp(v->name, of_plan, sizeof of_plan - 1) == 0)
        return set_plan_key(plan, v->name + sizeof of_plan - 1, v);
    if (strncmp(v->name, of_config, sizeof of_config - 1) == 0)
        return set_in_config(plan, v->name + sizeof of_config - 1, v);
    return cz_fail(CZ_E_INPUT, "belongs neither to [plan] nor to a [config.NAME]");
}

static cz_err set_defaults(lab_plan *plan)
{
    static const char *const texts[] = {"plan", "", "", "", "", "wall", ""};
    char **fields[] = {&plan->name,   &plan->about,  &plan->circuit, &plan->request,
                       &plan->params, &plan->metric, &plan->daemon};

    plan->configs = calloc(LAB_MAX_CONFIGS, sizeof *plan->configs);
    if (plan->configs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a plan");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CZ_TRY(lab_plan_set_text(fields[i], texts[i]));
    plan->seed = 1;
    plan->blocks = 8;
    plan->max_blocks = 16;
    plan->warm = 2;
    plan->jobs = 4;
    plan->minutes = 30;
    plan->precision = 0.015;
    plan->least = 0.01;
    plan->noise_run = true;
    return CZ_OK;
}

static cz_err set_values(lab_plan *plan, const char *text, size_t n)
{
    const cz_toml_value *values;
    cz_toml *doc;
    size_t count;
    cz_err err = CZ_OK;

    CZ_TRY(cz_toml_parse(&doc, text, n, plan->file));
    values = cz_toml_values(doc, &count);
    for (size_t i = 0; err == CZ_OK && i < count; i++) {
        err = set_value(plan, &values[i]);
        if (err != CZ_OK)
            err = cz_fail_in(err, "%s:%u: %s", plan->file, values[i].line, values[i].name);
    }
    cz_toml_destroy(doc);
    return err;
}

/* A running daemon has its own settings, and remembers requests that it has seen. */
static cz_err check_daemons(const lab_plan *plan)
{
    for (unsigned i = 0; i < plan->n_configs; i++) {
        const lab_config *c = &plan->configs[i];

        if (c->address[0] == '\0')
            continue;
        if (plan->work != LAB_DAEMON)
            return cz_fail(CZ_E_INPUT, "%s: '%s': an address goes with work = \"daemon\" only",
                           plan->file, c->name);
        if (c->has_settings)
            return cz_fail(CZ_E_INPUT,
                           "%s: '%s': the daemon at %s has its own settings; give either an "
                           "address or settings",
                           plan->file, c->name, c->address);
    }
    if (plan->work != LAB_PROVE && plan->request[0] != '\0')
        return cz_fail(CZ_E_INPUT, "%s: a request goes with work = \"prove\" only", plan->file);
    return CZ_OK;
}

static cz_err check(const lab_plan *plan)
{
    if (plan->circuit[0] == '\0')
        return cz_fail(CZ_E_INPUT, "%s: [plan] names no circuit", plan->file);
    if (plan->n_configs == 0)
        return cz_fail(CZ_E_INPUT, "%s: there is no [config.NAME]", plan->file);
    if (plan->max_blocks < plan->blocks)
        return cz_fail(CZ_E_INPUT, "%s: max_blocks is less than blocks", plan->file);
    if (strcmp(plan->metric, "wall") != 0 && strcmp(plan->metric, "cpu") != 0)
        return cz_fail(CZ_E_INPUT, "%s: metric '%s' is neither \"wall\" nor \"cpu\"", plan->file,
                       plan->metric);
    return check_daemons(plan);
}

static cz_err add_noise_run(lab_plan *plan)
{
    lab_config *c = &plan->configs[plan->n_configs];

    if (!plan->noise_run)
        return CZ_OK;
    CZ_TRY(cz_config_init(&c->settings));
    plan->n_configs++;
    CZ_TRY(copy_settings(&c->settings, &plan->configs[0].settings));
    (void)snprintf(c->name, sizeof c->name, "%.40s again", plan->configs[0].name);
    (void)snprintf(c->about, sizeof c->about, "the baseline once more: what noise looks like");
    (void)snprintf(c->expect, sizeof c->expect, "%s", lab_verdict_text(LAB_WITHIN_NOISE));
    (void)snprintf(c->address, sizeof c->address, "%s", plan->configs[0].address);
    c->no_trace = plan->configs[0].no_trace;
    c->is_noise_run = true;
    return CZ_OK;
}

/* The setting's value as TOML, on one line. */
static cz_err print_value(char *out, size_t size, const cz_config *config, const cz_setting *s)
{
    FILE *stream = fmemopen(out, size, "w");
    cz_err err;

    if (stream == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory");
    (void)fprintf(stream, "%s = ", s->name);
    err = cz_setting_print(config, s, stream);
    (void)fclose(stream);
    out[size - 1] = '\0';
    return err;
}

static cz_err list_changes(lab_config *c, const lab_config *base)
{
    size_t n;
    const cz_setting *s = cz_settings(&n);

    for (size_t i = 0; i < n; i++) {
        if (cz_setting_equal(&c->settings, &base->settings, &s[i]) ||
            c->n_changes == LAB_MAX_CHANGES)
            continue;
        CZ_TRY(print_value(c->changes[c->n_changes++], LAB_CHANGE_BYTES, &c->settings, &s[i]));
    }
    if (c->no_trace != base->no_trace && c->n_changes < LAB_MAX_CHANGES)
        (void)snprintf(c->changes[c->n_changes++], LAB_CHANGE_BYTES, "trace = %s",
                       c->no_trace ? "false" : "true");
    return CZ_OK;
}

static cz_err begin(lab_plan *plan, const char *file)
{
    CZ_TRY(lab_plan_set_text(&plan->file, file));
    return set_defaults(plan);
}

cz_err lab_plan_init(lab_plan *out, const char *file)
{
    cz_err err;

    *out = (lab_plan){.file = NULL};
    err = begin(out, file);
    if (err != CZ_OK)
        lab_plan_clear(out);
    return err;
}

static cz_err fill(lab_plan *plan, const char *text, size_t n, const char *file)
{
    CZ_TRY(begin(plan, file));
    CZ_TRY(set_values(plan, text, n));
    CZ_TRY(check(plan));
    CZ_TRY(add_noise_run(plan));
    for (unsigned i = 1; i < plan->n_configs; i++)
        CZ_TRY(list_changes(&plan->configs[i], &plan->configs[0]));
    return CZ_OK;
}

cz_err lab_plan_parse(lab_plan *out, const char *text, size_t n, const char *file)
{
    cz_err err;

    *out = (lab_plan){.file = NULL};
    err = fill(out, text, n, file);
    if (err != CZ_OK)
        lab_plan_clear(out);
    return err;
}

cz_err lab_plan_read(lab_plan *out, const char *path)
{
    uint8_t *bytes;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_read(path, MAX_PLAN_BYTES, &bytes, &n));
    err = lab_plan_parse(out, (const char *)bytes, n, path);
    free(bytes);
    return err;
}

void lab_plan_clear(lab_plan *plan)
{
    for (unsigned i = 0; i < plan->n_configs; i++)
        cz_config_clear(&plan->configs[i].settings);
    free(plan->configs);
    free(plan->file);
    free(plan->name);
    free(plan->about);
    free(plan->circuit);
    free(plan->request);
    free(plan->params);
    free(plan->metric);
    free(plan->daemon);
    *plan = (lab_plan){.file = NULL};
}

static bool is_alone(const lab_config *c, const char *change)
{
    return !c->is_noise_run && c->n_changes == 1 && strcmp(c->changes[0], change) == 0;
}

unsigned lab_plan_parts(const lab_plan *plan, unsigned k, unsigned alone[LAB_MAX_CHANGES])
{
    const lab_config *whole = &plan->configs[k];
    unsigned n = 0;

    if (whole->n_changes < 2)
        return 0;
    for (unsigned i = 0; i < whole->n_changes; i++) {
        for (unsigned other = 1; other < plan->n_configs; other++)
            if (is_alone(&plan->configs[other], whole->changes[i])) {
                alone[n++] = other;
                break;
            }
        if (n != i + 1)
            return 0;
    }
    return n;
}
