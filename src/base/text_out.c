/* text_out.c: see text_out.h. */
#include "base/text_out.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1024 };

/* Room for n more bytes and a NUL. */
static bool has_room(cz_text_out *t, size_t n)
{
    size_t cap = t->cap == 0 ? FIRST_BYTES : t->cap;
    char *bigger;

    if (t->failed || n > SIZE_MAX / 4 || t->n > SIZE_MAX / 4) {
        t->failed = true;
        return false;
    }
    while (cap < t->n + n + 1)
        cap *= 2;
    if (cap == t->cap)
        return true;
    bigger = realloc(t->text, cap);
    t->failed = bigger == NULL;
    if (t->failed)
        return false;
    t->text = bigger;
    t->cap = cap;
    return true;
}

void cz_text_put(cz_text_out *t, const char *bytes, size_t n)
{
    if (!has_room(t, n))
        return;
    (void)memcpy(t->text + t->n, bytes, n);
    t->n += n;
    t->text[t->n] = '\0';
}

void cz_text_puts(cz_text_out *t, const char *s)
{
    cz_text_put(t, s, strlen(s));
}

void cz_text_printf(cz_text_out *t, const char *fmt, ...)
{
    va_list args, again;
    int n;

    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0)
        t->failed = true;
    else if (has_room(t, (size_t)n)) {
        (void)vsnprintf(t->text + t->n, (size_t)n + 1, fmt, again);
        t->n += (size_t)n;
    }
    va_end(again);
}

cz_err cz_text_take(cz_text_out *t, char **text, size_t *n)
{
    if (!has_room(t, 0)) {
        cz_text_clear(t);
        return cz_fail(CZ_E_NOMEM, "no memory for a text");
    }
    t->text[t->n] = '\0';
    *text = t->text;
    if (n != NULL)
        *n = t->n;
    *t = (cz_text_out){0};
    return CZ_OK;
}

void cz_text_clear(cz_text_out *t)
{
    free(t->text);
    *t = (cz_text_out){0};
}
