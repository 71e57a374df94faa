/* report.c: see report.h. */
#include "report.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "base/trace.h"

/* The separator before a new member or element, and its name. */
static void lead(json_out *j, const char *key)
{
    (void)fputs(j->first[j->depth] ? "" : ", ", stdout);
    j->first[j->depth] = false;
    if (key != NULL)
        (void)printf("\"%s\": ", key);
}

static void open_level(json_out *j, char open, char close)
{
    (void)putchar(open);
    j->depth++;
    j->first[j->depth] = true;
    j->close[j->depth] = close;
}

void json_begin(json_out *j)
{
    *j = (json_out){.first[0] = true};
    open_level(j, '{', '}');
}

void json_close(json_out *j)
{
    (void)putchar(j->close[j->depth--]);
}

void json_end(json_out *j)
{
    while (j->depth > 0)
        json_close(j);
    (void)putchar('\n');
}

void json_object(json_out *j, const char *key)
{
    lead(j, key);
    open_level(j, '{', '}');
}

void json_array(json_out *j, const char *key)
{
    lead(j, key);
    open_level(j, '[', ']');
}

void json_text(json_out *j, const char *key, const char *value)
{
    lead(j, key);
    if (value == NULL) {
        (void)fputs("null", stdout);
        return;
    }
    (void)putchar('"');
    for (const char *p = value; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\')
            (void)printf("\\%c", *p);
        else if ((unsigned char)*p < ' ')
            (void)printf("\\u%04x", (unsigned)*p);
        else
            (void)putchar(*p);
    }
    (void)putchar('"');
}

void json_uint(json_out *j, const char *key, uint64_t value)
{
    lead(j, key);
    (void)printf("%llu", (unsigned long long)value);
}

void json_double(json_out *j, const char *key, double value)
{
    lead(j, key);
    (void)printf("%.17g", value);
}

void json_bool(json_out *j, const char *key, bool value)
{
    lead(j, key);
    (void)fputs(value ? "true" : "false", stdout);
}

void json_hex(json_out *j, const char *key, const uint8_t *bytes, size_t n)
{
    lead(j, key);
    (void)putchar('"');
    for (size_t i = 0; i < n; i++)
        (void)printf("%02x", bytes[i]);
    (void)putchar('"');
}

int report_failure(const char *command, bool json, cz_err err)
{
    (void)fprintf(stderr, "cuzk-bench %s: %s\n", command, cz_err_message());
    if (json) {
        json_out j;

        json_begin(&j);
        json_text(&j, "error", cz_err_message());
        json_text(&j, "kind", cz_err_text(err));
        json_end(&j);
    }
    return args_were_mistaken() ? EXIT_USAGE : EXIT_FAILED;
}

void progress_init(progress *p)
{
    *p = (progress){.on = isatty(STDERR_FILENO) == 1};
}

void progress_show(progress *p, const char *step, uint64_t done, uint64_t total)
{
    uint64_t now = cz_clock_ns();

    if (!p->on || (strcmp(p->step, step) == 0 && now - p->last_ns < 100000000u))
        return;
    (void)snprintf(p->step, sizeof p->step, "%s", step);
    p->last_ns = now;
    p->shown = true;
    if (total > 1)
        (void)fprintf(stderr, "\r\033[K%s %3.0f %%", step, 100.0 * (double)done / (double)total);
    else
        (void)fprintf(stderr, "\r\033[K%s", step);
}

void progress_clear(progress *p)
{
    if (p->shown)
        (void)fprintf(stderr, "\r\033[K");
    p->shown = false;
}
