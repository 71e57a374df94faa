/* config.c: reading a whole file. Errors come in the order of the lines; the first one counts. */
#define _GNU_SOURCE
#include "config/config.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "config/setting_value.h"

static const char usual_param_cache[] = "/var/tmp/filecoin-proof-parameters";

enum { MAX_FILE_BYTES = 1 << 20, MAX_SETTINGS = 128 };

typedef struct {
    cz_config *config;
    const cz_toml *doc;
    const char *file;
    cz_config_warn_fn warn;
    void *ctx;
    bool given[MAX_SETTINGS]; /* by row: the file has it under its own name */
} reading;

/* --- unknown keys --- */

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Levenshtein distance, cut at 64 characters. */
static unsigned distance(const char *a, const char *b)
{
    unsigned row[65];
    const unsigned n = (unsigned)strnlen(b, 64);

    for (unsigned j = 0; j <= n; j++)
        row[j] = j;
    for (unsigned i = 1; a[i - 1] != '\0' && i <= 64; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= n; j++) {
            const unsigned replaced = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = smaller(replaced, smaller(row[j], row[j - 1]) + 1);
        }
    }
    return row[n];
}

/* The setting that a typing error made this of, or NULL. */
static const cz_setting *nearest_setting(const char *name)
{
    const cz_setting *settings, *nearest = NULL;
    unsigned best = 4; /* further away is no typing error */
    size_t n;

    settings = cz_settings(&n);
    for (size_t i = 0; i < n; i++) {
        const unsigned d = distance(name, settings[i].name);

        if (d < best) {
            best = d;
            nearest = &settings[i];
        }
    }
    return nearest;
}

static const char *last_part(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot == NULL ? name : dot + 1;
}

/* The setting of this name in another section than it was written in, or NULL. */
static const cz_setting *in_other_section(const char *name)
{
    const cz_setting *settings;
    size_t n;

    settings = cz_settings(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(last_part(name), last_part(settings[i].name)) == 0)
            return &settings[i];
    return NULL;
}

static cz_err refuse_unknown(const cz_toml_value *value)
{
    const cz_setting *nearest = nearest_setting(value->name);

    if (nearest == NULL)
        nearest = in_other_section(value->name);
    if (nearest == NULL)
        return cz_fail(CZ_E_INPUT, "unknown key");
    return cz_fail(CZ_E_INPUT, "unknown key; did you mean %s?", nearest->name);
}

/* --- old keys --- */

static const cz_old_setting *find_old(const char *name)
{
    size_t n;
    const cz_old_setting *old = cz_old_settings(&n);

    for (size_t i = 0; i < n; i++)
        if (strcmp(old[i].name, name) == 0)
            return &old[i];
    return NULL;
}

static void say_old(const reading *r, const cz_toml_value *value, const char *why)
{
    char sentence[512];

    (void)snprintf(sentence, sizeof sentence, "%s:%u: %s: deprecated, %s", r->file, value->line,
                   value->name, why);
    if (r->warn != NULL)
        r->warn(r->ctx, sentence);
    else
        cz_log(CZ_LOG_WARN, "%s", sentence);
}

static size_t row_of(const cz_setting *s)
{
    size_t n;

    return (size_t)(s - cz_settings(&n));
}

static bool is_zero(const cz_toml_value *value)
{
    return value->type == CZ_TOML_INTEGER && value->integer == 0;
}

static cz_err take_old(reading *r, const cz_old_setting *old, const cz_toml_value *value)
{
    const cz_setting *target = old->maps_to == NULL ? NULL : cz_setting_find(old->maps_to);

    say_old(r, value, old->why);
    if (target == NULL || r->given[row_of(target)] || (old->zero_is_unset && is_zero(value)))
        return CZ_OK;
    return cz_setting_set(r->config, target, value);
}

/* --- the walk --- */

static cz_err take(reading *r, const cz_toml_value *value)
{
    const cz_setting *s = cz_setting_find(value->name);
    const cz_old_setting *old;

    if (s != NULL)
        return cz_setting_set(r->config, s, value);
    old = find_old(value->name);
    return old != NULL ? take_old(r, old, value) : refuse_unknown(value);
}

/* "[memory]" with nothing in it is no mistake; "[memroy]" is. */
static bool is_empty_section(const cz_toml_value *value)
{
    const size_t length = strlen(value->name);
    const cz_setting *settings;
    size_t n;

    if (value->type != CZ_TOML_TABLE)
        return false;
    settings = cz_settings(&n);
    for (size_t i = 0; i < n; i++)
        if (strncmp(settings[i].name, value->name, length) == 0 && settings[i].name[length] == '.')
            return true;
    return false;
}

static void note_given(reading *r, const cz_toml_value *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const cz_setting *s = cz_setting_find(values[i].name);

        if (s != NULL)
            r->given[row_of(s)] = true;
    }
}

static cz_err take_all(reading *r)
{
    size_t n;
    const cz_toml_value *values = cz_toml_values(r->doc, &n);

    note_given(r, values, n);
    for (size_t i = 0; i < n; i++)
        if (!is_empty_section(&values[i]))
            CZ_TRY_IN(take(r, &values[i]), "%s:%u: %s", r->file, values[i].line, values[i].name);
    return CZ_OK;
}

static cz_err overlay(cz_config *config, const char *text, size_t n, const char *file,
                      cz_config_warn_fn warn, void *ctx)
{
    cz_toml *doc;
    reading r = {.config = config, .file = file, .warn = warn, .ctx = ctx};
    cz_err err;

    CZ_TRY(cz_toml_parse(&doc, text, n, file));
    r.doc = doc;
    err = take_all(&r);
    cz_toml_destroy(doc);
    return err;
}

/* The defaults are read like a file, so they obey the same bounds. */
static cz_err set_default(cz_config *config, const cz_setting *s)
{
    char line[256];
    const int n = snprintf(line, sizeof line, "%s = %s\n", s->name, s->fallback);

    return overlay(config, line, (size_t)n, "defaults", NULL, NULL);
}

cz_err cz_config_init(cz_config *out)
{
    const cz_setting *settings;
    size_t n;

    *out = (cz_config){0};
    settings = cz_settings(&n);
    for (size_t i = 0; i < n; i++) {
        const cz_err err = set_default(out, &settings[i]);

        if (err != CZ_OK) {
            cz_config_clear(out);
            return err;
        }
    }
    return CZ_OK;
}

void cz_config_clear(cz_config *config)
{
    size_t n;
    const cz_setting *settings = cz_settings(&n);

    for (size_t i = 0; i < n; i++)
        cz_setting_clear(config, &settings[i]);
}

cz_err cz_config_parse(cz_config *out, const char *text, size_t n, const char *file,
                       cz_config_warn_fn warn, void *ctx)
{
    cz_err err;

    CZ_TRY(cz_config_init(out));
    err = overlay(out, text, n, file, warn, ctx);
    if (err != CZ_OK)
        cz_config_clear(out);
    return err;
}

cz_err cz_config_read(cz_config *out, const char *path, cz_config_warn_fn warn, void *ctx)
{
    uint8_t *bytes;
    size_t n;
    cz_err err;

    *out = (cz_config){0};
    CZ_TRY(cz_file_read(path, MAX_FILE_BYTES, &bytes, &n));
    err = cz_config_parse(out, (const char *)bytes, n, path, warn, ctx);
    free(bytes);
    return err;
}

cz_err cz_config_apply_live(cz_config *config, const cz_config *fresh, cz_config_warn_fn restart,
                            void *ctx)
{
    const cz_setting *settings;
    size_t n;

    settings = cz_settings(&n);
    for (size_t i = 0; i < n; i++) {
        const cz_setting *s = &settings[i];

        if (cz_setting_equal(config, fresh, s))
            continue;
        if (s->live)
            CZ_TRY(cz_setting_copy(config, fresh, s));
        else if (restart != NULL)
            restart(ctx, s->name);
    }
    return CZ_OK;
}

/* --- folders --- */

const char *cz_config_param_cache(const cz_config *config)
{
    const char *env = getenv("FIL_PROOFS_PARAMETER_CACHE");

    if (env != NULL && env[0] != '\0')
        return env;
    return strcmp(config->srs.param_cache, "auto") == 0 ? usual_param_cache
                                                        : config->srs.param_cache;
}

/* The first variable that is set, with what comes after it. */
static bool folder_from(const char *variable, const char *rest, char *out, size_t out_size)
{
    const char *env = getenv(variable);
    size_t length;

    if (env == NULL || env[0] != '/')
        return false;
    length = strcspn(env, ":"); /* systemd lists several folders so */
    return snprintf(out, out_size, "%.*s%s", (int)length, env, rest) < (int)out_size;
}

static cz_err copy_path(char *out, size_t out_size, const char *path, const char *setting)
{
    if (snprintf(out, out_size, "%s", path) >= (int)out_size)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", setting);
    return CZ_OK;
}

cz_err cz_config_circuit_cache(const cz_config *config, char *out, size_t out_size)
{
    const char *dir = config->synthesis.circuit_cache;

    out[0] = '\0';
    if (strcmp(dir, "none") == 0)
        return CZ_OK;
    if (strcmp(dir, "auto") != 0)
        return copy_path(out, out_size, dir, "synthesis.circuit_cache");
    if (!folder_from("CACHE_DIRECTORY", "", out, out_size) &&
        !folder_from("XDG_CACHE_HOME", "/cuzk", out, out_size) &&
        !folder_from("HOME", "/.cache/cuzk", out, out_size))
        out[0] = '\0';
    return CZ_OK;
}

cz_err cz_config_journal_dir(const cz_config *config, char *out, size_t out_size)
{
    const char *dir = config->journal.dir;

    out[0] = '\0';
    if (strcmp(dir, "none") == 0)
        return CZ_OK;
    if (strcmp(dir, "auto") != 0)
        return copy_path(out, out_size, dir, "journal.dir");
    if (folder_from("STATE_DIRECTORY", "", out, out_size) ||
        folder_from("XDG_STATE_HOME", "/cuzk", out, out_size) ||
        folder_from("HOME", "/.local/state/cuzk", out, out_size))
        return CZ_OK;
    return cz_fail(CZ_E_INPUT, "journal.dir: neither STATE_DIRECTORY nor XDG_STATE_HOME nor HOME "
                               "says where; give a folder, or \"none\"");
}
