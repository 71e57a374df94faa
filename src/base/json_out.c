/* json_out.c: see json_out.h. */
#include "base/json_out.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

enum { ESCAPE_BYTES = 8 };

/* --- characters --- */

/* One character of text, escaped into out; *used bytes of text. Gives the bytes written. */
static size_t escape_one(char out[ESCAPE_BYTES], const char *text, size_t *used)
{
    const size_t n = cz_utf8_length(text);
    const unsigned char c = (unsigned char)*text;

    *used = n == 0 ? 1 : n;
    if (n == 0)
        return (size_t)snprintf(out, ESCAPE_BYTES, "\\ufffd");
    if (c < ' ')
        return (size_t)snprintf(out, ESCAPE_BYTES, c == '\n' ? "\\n" : "\\u%04x", c);
    if (c == '"' || c == '\\') {
        out[0] = '\\';
        out[1] = (char)c;
        return 2;
    }
    (void)memcpy(out, text, n);
    return n;
}

size_t cz_json_escape(char *out, size_t size, const char *text)
{
    char one[ESCAPE_BYTES];
    size_t n = 0, used;

    for (; *text != '\0'; text += used) {
        const size_t wide = escape_one(one, text, &used);

        if (n + wide + 1 > size)
            break;
        (void)memcpy(out + n, one, wide);
        n += wide;
    }
    out[n] = '\0';
    return n;
}

static void put_quoted(cz_text_out *t, const char *value)
{
    char one[ESCAPE_BYTES];
    size_t used;

    cz_text_put(t, "\"", 1);
    for (; *value != '\0'; value += used) {
        const size_t wide = escape_one(one, value, &used);

        cz_text_put(t, one, wide);
    }
    cz_text_put(t, "\"", 1);
}

/* --- structure --- */

/* The comma before an item, and its name. */
static void lead(cz_json_out *j, const char *key)
{
    if (j->started[j->depth])
        cz_text_put(&j->text, ",", 1);
    j->started[j->depth] = true;
    if (key != NULL)
        cz_text_printf(&j->text, "\"%s\":", key);
}

static void open_level(cz_json_out *j, const char *key, char open, char close)
{
    CZ_ASSERT(j->depth + 1 < CZ_JSON_OUT_DEPTH);
    lead(j, key);
    cz_text_put(&j->text, &open, 1);
    j->depth++;
    j->started[j->depth] = false;
    j->close[j->depth] = close;
}

void cz_json_out_object(cz_json_out *j, const char *key)
{
    open_level(j, key, '{', '}');
}

void cz_json_out_array(cz_json_out *j, const char *key)
{
    open_level(j, key, '[', ']');
}

void cz_json_out_close(cz_json_out *j)
{
    CZ_ASSERT(j->depth > 0);
    cz_text_put(&j->text, &j->close[j->depth], 1);
    j->depth--;
}

/* --- values --- */

void cz_json_out_null(cz_json_out *j, const char *key)
{
    lead(j, key);
    cz_text_puts(&j->text, "null");
}

void cz_json_out_string(cz_json_out *j, const char *key, const char *value)
{
    if (value == NULL) {
        cz_json_out_null(j, key);
        return;
    }
    lead(j, key);
    put_quoted(&j->text, value);
}

void cz_json_out_u64(cz_json_out *j, const char *key, uint64_t value)
{
    lead(j, key);
    cz_text_printf(&j->text, "%" PRIu64, value);
}

void cz_json_out_double(cz_json_out *j, const char *key, double value)
{
    if (!isfinite(value)) {
        cz_json_out_null(j, key);
        return;
    }
    lead(j, key);
    cz_text_printf(&j->text, "%.9g", value);
}

void cz_json_out_bool(cz_json_out *j, const char *key, bool value)
{
    lead(j, key);
    cz_text_puts(&j->text, value ? "true" : "false");
}

cz_err cz_json_out_take(cz_json_out *j, char **text, size_t *n)
{
    while (j->depth > 0)
        cz_json_out_close(j);
    j->started[0] = false;
    return cz_text_take(&j->text, text, n);
}

void cz_json_out_clear(cz_json_out *j)
{
    cz_text_clear(&j->text);
    *j = (cz_json_out){0};
}
