/* setting_value.c: see setting_value.h. */
#define _GNU_SOURCE
#include "config/setting_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "config/units.h"

static void *field(const cz_config *config, const cz_setting *s)
{
    return (char *)(uintptr_t)config + s->offset;
}

static cz_err wrong_type(const cz_toml_value *value, const char *wanted)
{
    return cz_fail(CZ_E_INPUT, "%s is wanted, this is %s", wanted, cz_toml_type_text(value->type));
}

/* --- numbers --- */

static cz_err check_bounds(const cz_setting *s, uint64_t value, void (*text)(char *, uint64_t))
{
    char has[CZ_UNIT_TEXT_BYTES], min[CZ_UNIT_TEXT_BYTES], max[CZ_UNIT_TEXT_BYTES];

    if (value >= s->min && value <= s->max)
        return CZ_OK;
    text(has, value);
    text(min, s->min);
    text(max, s->max);
    return cz_fail(CZ_E_INPUT, "%s is out of range; %s to %s", has, min, max);
}

static void count_text(char out[CZ_UNIT_TEXT_BYTES], uint64_t value)
{
    (void)snprintf(out, CZ_UNIT_TEXT_BYTES, "%" PRIu64, value);
}

static cz_err read_uint(uint64_t *out, const cz_setting *s, const cz_toml_value *value)
{
    if (value->type != CZ_TOML_INTEGER)
        return wrong_type(value, "a whole number");
    if (value->integer < 0)
        return cz_fail(CZ_E_INPUT, "%" PRId64 " is out of range; %" PRIu64 " to %" PRIu64,
                       value->integer, s->min, s->max);
    CZ_TRY(check_bounds(s, (uint64_t)value->integer, count_text));
    *out = (uint64_t)value->integer;
    return CZ_OK;
}

/* A string with a unit, or a bare integer that counts `scale`. */
static cz_err read_unit(uint64_t *out, const cz_toml_value *value, uint64_t scale,
                        cz_err (*parse)(uint64_t *, const char *), const char *wanted)
{
    if (value->type == CZ_TOML_STRING)
        return parse(out, value->text);
    if (value->type != CZ_TOML_INTEGER)
        return wrong_type(value, wanted);
    if (value->integer < 0 || __builtin_mul_overflow((uint64_t)value->integer, scale, out))
        return cz_fail(CZ_E_INPUT, "%" PRId64 " is out of range", value->integer);
    return CZ_OK;
}

static cz_err read_size(uint64_t *out, const cz_setting *s, const cz_toml_value *value)
{
    uint64_t bytes;

    if (s->type == CZ_SETTING_AUTO_SIZE && value->type == CZ_TOML_STRING &&
        strcmp(value->text, "auto") == 0) {
        *out = CZ_SIZE_AUTO;
        return CZ_OK;
    }
    CZ_TRY(read_unit(&bytes, value, 1, cz_size_parse, "a size such as \"256GiB\""));
    CZ_TRY(check_bounds(s, bytes, cz_size_text));
    *out = bytes;
    return CZ_OK;
}

static cz_err read_duration(uint64_t *out, const cz_setting *s, const cz_toml_value *value)
{
    uint64_t ms;

    CZ_TRY(read_unit(&ms, value, 1000, cz_duration_parse, "a duration such as \"5m\""));
    CZ_TRY(check_bounds(s, ms, cz_duration_text));
    *out = ms;
    return CZ_OK;
}

/* --- texts --- */

static bool is_choice(const char *choices, const char *text)
{
    const size_t n = strlen(text);

    for (const char *p = choices; p != NULL; p = strchr(p, '|')) {
        p += *p == '|';
        if (n > 0 && strncmp(p, text, n) == 0 && (p[n] == '|' || p[n] == '\0'))
            return true;
    }
    return false;
}

static cz_err duplicate(char **out, const char *text)
{
    *out = strdup(text);
    return *out == NULL ? cz_fail(CZ_E_NOMEM, "no memory for a setting") : CZ_OK;
}

/* A file is optional where the default is none; a folder has "auto". */
static cz_err check_path(const cz_setting *s, const char *path)
{
    if (path[0] == '\0' && strcmp(s->fallback, "\"\"") != 0)
        return cz_fail(CZ_E_INPUT, "empty; leave it out for the default, %s", s->fallback);
    if (path[0] == '~')
        return cz_fail(CZ_E_INPUT, "'%s': ~ means nothing here; write the whole path", path);
    return CZ_OK;
}

static cz_err read_text(char **out, const cz_setting *s, const cz_toml_value *value)
{
    char *copy;

    if (value->type != CZ_TOML_STRING)
        return wrong_type(value, "a string");
    if (s->type == CZ_SETTING_CHOICE && !is_choice(s->choices, value->text))
        return cz_fail(CZ_E_INPUT, "'%s' is none of %s", value->text, s->choices);
    if (s->type == CZ_SETTING_PATH)
        CZ_TRY(check_path(s, value->text));
    CZ_TRY(duplicate(&copy, value->text));
    free(*out);
    *out = copy;
    return CZ_OK;
}

/* --- lists --- */

static void clear_texts(cz_text_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (cz_text_list){NULL, 0};
}

static cz_err copy_texts(cz_text_list *out, const cz_text_list *from)
{
    cz_text_list copy = {calloc(from->n + 1, sizeof *copy.items), 0};

    if (copy.items == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a setting");
    for (; copy.n < from->n; copy.n++) {
        const cz_err err = duplicate(&copy.items[copy.n], from->items[copy.n]);

        if (err != CZ_OK) {
            clear_texts(&copy);
            return err;
        }
    }
    clear_texts(out);
    *out = copy;
    return CZ_OK;
}

static cz_err read_texts(cz_text_list *out, const cz_toml_value *value)
{
    cz_text_list view = {NULL, value->n_items};
    cz_err err = CZ_OK;

    if (value->type != CZ_TOML_ARRAY)
        return wrong_type(value, "a list of strings");
    view.items = calloc(view.n + 1, sizeof *view.items);
    if (view.items == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a setting");
    for (size_t i = 0; i < view.n && err == CZ_OK; i++) {
        view.items[i] = (char *)(uintptr_t)value->items[i].text;
        if (value->items[i].type != CZ_TOML_STRING)
            err = wrong_type(&value->items[i], "a list of strings");
    }
    if (err == CZ_OK)
        err = copy_texts(out, &view);
    free(view.items);
    return err;
}

static cz_err read_uints(cz_uint_list *out, const cz_setting *s, const cz_toml_value *value)
{
    cz_uint_list list = {NULL, value->n_items};

    if (value->type != CZ_TOML_ARRAY)
        return wrong_type(value, "a list of whole numbers");
    list.items = calloc(list.n + 1, sizeof *list.items);
    if (list.items == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a setting");
    for (size_t i = 0; i < list.n; i++) {
        uint64_t item;
        const cz_err err = read_uint(&item, s, &value->items[i]);

        if (err != CZ_OK) {
            free(list.items);
            return err;
        }
        list.items[i] = (uint32_t)item;
    }
    free(out->items);
    *out = list;
    return CZ_OK;
}

static cz_err copy_uints(cz_uint_list *out, const cz_uint_list *from)
{
    uint32_t *items = calloc(from->n + 1, sizeof *items);

    if (items == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a setting");
    if (from->n > 0)
        (void)memcpy(items, from->items, from->n * sizeof *items);
    free(out->items);
    *out = (cz_uint_list){items, from->n};
    return CZ_OK;
}

/* --- any type --- */

cz_err cz_setting_set(cz_config *config, const cz_setting *s, const cz_toml_value *value)
{
    void *at = field(config, s);

    switch (s->type) {
    case CZ_SETTING_BOOL:
        if (value->type != CZ_TOML_BOOL)
            return wrong_type(value, "true or false");
        *(bool *)at = value->boolean;
        return CZ_OK;
    case CZ_SETTING_UINT:
        return read_uint(at, s, value);
    case CZ_SETTING_SIZE:
    case CZ_SETTING_AUTO_SIZE:
        return read_size(at, s, value);
    case CZ_SETTING_DURATION:
        return read_duration(at, s, value);
    case CZ_SETTING_TEXT:
    case CZ_SETTING_PATH:
    case CZ_SETTING_CHOICE:
        return read_text(at, s, value);
    case CZ_SETTING_UINT_LIST:
        return read_uints(at, s, value);
    case CZ_SETTING_TEXT_LIST:
        return read_texts(at, value);
    }
    return cz_fail(CZ_E_INTERNAL, "%s: a type without a reader", s->name);
}

static void print_text(const char *text, FILE *out)
{
    (void)fputc('"', out);
    for (const char *p = text; *p != '\0'; p++) {
        const unsigned char c = (unsigned char)*p;

        if (c == '"' || c == '\\')
            (void)fprintf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            (void)fprintf(out, "\\u%04X", c);
        else
            (void)fputc(c, out);
    }
    (void)fputc('"', out);
}

static void print_texts(const cz_text_list *list, FILE *out)
{
    (void)fputc('[', out);
    for (size_t i = 0; i < list->n; i++) {
        (void)fputs(i == 0 ? "" : ", ", out);
        print_text(list->items[i], out);
    }
    (void)fputc(']', out);
}

static void print_uints(const cz_uint_list *list, FILE *out)
{
    (void)fputc('[', out);
    for (size_t i = 0; i < list->n; i++)
        (void)fprintf(out, "%s%" PRIu32, i == 0 ? "" : ", ", list->items[i]);
    (void)fputc(']', out);
}

cz_err cz_setting_print(const cz_config *config, const cz_setting *s, FILE *out)
{
    const void *at = field(config, s);
    char text[CZ_UNIT_TEXT_BYTES];

    switch (s->type) {
    case CZ_SETTING_BOOL:
        (void)fputs(*(const bool *)at ? "true" : "false", out);
        break;
    case CZ_SETTING_UINT:
        (void)fprintf(out, "%" PRIu64, *(const uint64_t *)at);
        break;
    case CZ_SETTING_SIZE:
    case CZ_SETTING_AUTO_SIZE:
        cz_size_text(text, *(const uint64_t *)at);
        print_text(*(const uint64_t *)at == CZ_SIZE_AUTO ? "auto" : text, out);
        break;
    case CZ_SETTING_DURATION:
        cz_duration_text(text, *(const uint64_t *)at);
        print_text(text, out);
        break;
    case CZ_SETTING_TEXT:
    case CZ_SETTING_PATH:
    case CZ_SETTING_CHOICE:
        print_text(*(char *const *)at, out);
        break;
    case CZ_SETTING_UINT_LIST:
        print_uints(at, out);
        break;
    case CZ_SETTING_TEXT_LIST:
        print_texts(at, out);
        break;
    }
    return ferror(out) ? cz_fail(CZ_E_IO, "writing the settings failed") : CZ_OK;
}

cz_err cz_setting_copy(cz_config *to, const cz_config *from, const cz_setting *s)
{
    void *at = field(to, s);
    const void *source = field(from, s);
    char *text;

    switch (s->type) {
    case CZ_SETTING_BOOL:
        *(bool *)at = *(const bool *)source;
        return CZ_OK;
    case CZ_SETTING_UINT:
    case CZ_SETTING_SIZE:
    case CZ_SETTING_AUTO_SIZE:
    case CZ_SETTING_DURATION:
        *(uint64_t *)at = *(const uint64_t *)source;
        return CZ_OK;
    case CZ_SETTING_TEXT:
    case CZ_SETTING_PATH:
    case CZ_SETTING_CHOICE:
        CZ_TRY(duplicate(&text, *(char *const *)source));
        free(*(char **)at);
        *(char **)at = text;
        return CZ_OK;
    case CZ_SETTING_UINT_LIST:
        return copy_uints(at, source);
    case CZ_SETTING_TEXT_LIST:
        return copy_texts(at, source);
    }
    return CZ_OK;
}

static bool equal_texts(const cz_text_list *a, const cz_text_list *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}

static bool equal_uints(const cz_uint_list *a, const cz_uint_list *b)
{
    return a->n == b->n && (a->n == 0 || memcmp(a->items, b->items, a->n * sizeof *a->items) == 0);
}

bool cz_setting_equal(const cz_config *a, const cz_config *b, const cz_setting *s)
{
    const void *x = field(a, s), *y = field(b, s);

    switch (s->type) {
    case CZ_SETTING_BOOL:
        return *(const bool *)x == *(const bool *)y;
    case CZ_SETTING_UINT:
    case CZ_SETTING_SIZE:
    case CZ_SETTING_AUTO_SIZE:
    case CZ_SETTING_DURATION:
        return *(const uint64_t *)x == *(const uint64_t *)y;
    case CZ_SETTING_TEXT:
    case CZ_SETTING_PATH:
    case CZ_SETTING_CHOICE:
        return strcmp(*(char *const *)x, *(char *const *)y) == 0;
    case CZ_SETTING_UINT_LIST:
        return equal_uints(x, y);
    case CZ_SETTING_TEXT_LIST:
        return equal_texts(x, y);
    }
    return false;
}

void cz_setting_clear(cz_config *config, const cz_setting *s)
{
    void *at = field(config, s);

    if (s->type == CZ_SETTING_TEXT || s->type == CZ_SETTING_PATH || s->type == CZ_SETTING_CHOICE) {
        free(*(char **)at);
        *(char **)at = NULL;
    } else if (s->type == CZ_SETTING_TEXT_LIST) {
        clear_texts(at);
    } else if (s->type == CZ_SETTING_UINT_LIST) {
        free(((cz_uint_list *)at)->items);
        *(cz_uint_list *)at = (cz_uint_list){NULL, 0};
    }
}
