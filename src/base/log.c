/* log.c: see log.h. */
#define _GNU_SOURCE
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json_out.h"
#include "base/utf8.h"

enum { LINE_BYTES = 2048, MESSAGE_BYTES = 1800, FIELD_BYTES = 200, TIME_BYTES = 40 };

typedef struct {
    cz_log_level level;
    const char *job_id, *request_id, *kind; /* NULL: not about a job */
    char message[MESSAGE_BYTES];
} entry;

typedef struct {
    char text[LINE_BYTES];
    size_t n;
} log_line;

static atomic_int max_level = CZ_LOG_INFO;
static atomic_int line_form = CZ_LOG_TEXT;
static const char *const level_names[] = {"ERROR", "WARN", "INFO", "DEBUG"};

/* --- settings --- */

void cz_log_set_level(cz_log_level level)
{
    atomic_store(&max_level, (int)level);
}

cz_log_level cz_log_get_level(void)
{
    return (cz_log_level)atomic_load(&max_level);
}

void cz_log_set_form(cz_log_form form)
{
    atomic_store(&line_form, (int)form);
}

cz_err cz_log_level_parse(cz_log_level *out, const char *text)
{
    for (int i = 0; i <= CZ_LOG_DEBUG; i++) {
        if (strcasecmp(text, level_names[i]) == 0) {
            *out = (cz_log_level)i;
            return CZ_OK;
        }
    }
    if (strcasecmp(text, "trace") == 0) {
        *out = CZ_LOG_DEBUG;
        return CZ_OK;
    }
    return cz_fail(CZ_E_INPUT, "log level '%s' is none of error, warn, info, debug", text);
}

/* systemd names the journal's socket by device and inode in JOURNAL_STREAM [systemd.exec(5)]. */
static bool is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char mine[64];
    struct stat st;

    if (stream == NULL || fstat(STDERR_FILENO, &st) != 0)
        return false;
    (void)snprintf(mine, sizeof mine, "%llu:%llu", (unsigned long long)st.st_dev,
                   (unsigned long long)st.st_ino);
    return strcmp(stream, mine) == 0;
}

static cz_err parse_form(cz_log_form *out, const char *text)
{
    if (strcasecmp(text, "json") == 0)
        *out = CZ_LOG_JSON;
    else if (strcasecmp(text, "text") == 0)
        *out = is_journal() ? CZ_LOG_JOURNAL : CZ_LOG_TEXT;
    else
        return cz_fail(CZ_E_INPUT, "log format '%s' is neither text nor json", text);
    return CZ_OK;
}

cz_err cz_log_configure(const char *level, const char *format)
{
    cz_log_level new_level;
    cz_log_form new_form;

    CZ_TRY(cz_log_level_parse(&new_level, level));
    CZ_TRY(parse_form(&new_form, format));
    cz_log_set_level(new_level);
    cz_log_set_form(new_form);
    return CZ_OK;
}

/* --- lines --- */

static void time_text(char out[TIME_BYTES])
{
    struct timespec now;
    struct tm utc;
    size_t n;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    n = strftime(out, TIME_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(out + n, TIME_BYTES - n, ".%03ldZ", now.tv_nsec / 1000000);
}

/* What fits, with place left for what closes the line. */
static void put(log_line *l, const char *text, size_t n)
{
    const size_t room = sizeof l->text - 4 - l->n;

    n = n < room ? n : room;
    (void)memcpy(l->text + l->n, text, n);
    l->n += n;
}

static void put_text(log_line *l, const char *text)
{
    put(l, text, strlen(text));
}

/* Is this character of n bytes no control: none below U+0020, nor U+007F to U+009F? */
static bool is_plain(const char *text, size_t n)
{
    const unsigned char c = (unsigned char)text[0];

    if (n == 1)
        return c >= ' ' && c != 0x7f;
    return n > 2 || (n == 2 && (c != 0xc2 || (unsigned char)text[1] >= 0xa0));
}

/* Controls as "\n" or "\x1b", so that nothing forges a line or moves a terminal's cursor; what is
 * no UTF-8 likewise. */
static void put_plain(log_line *l, const char *text)
{
    while (*text != '\0') {
        const unsigned char c = (unsigned char)*text;
        const size_t n = cz_utf8_length(text);
        char escaped[8];

        if (is_plain(text, n)) {
            put(l, text, n);
            text += n;
            continue;
        }
        (void)snprintf(escaped, sizeof escaped, c == '\n' ? "\\n" : "\\x%02x", c);
        put_text(l, escaped);
        text++;
    }
}

static void put_job_plain(log_line *l, const entry *e)
{
    char field[FIELD_BYTES];

    if (e->job_id == NULL)
        return;
    put_text(l, "job ");
    put_plain(l, e->job_id);
    if (e->request_id != NULL || e->kind != NULL) {
        (void)snprintf(field, sizeof field, "%s", e->request_id == NULL ? "" : e->request_id);
        put_text(l, " (");
        put_plain(l, field);
        put_text(l, e->request_id != NULL && e->kind != NULL ? ", " : "");
        put_plain(l, e->kind == NULL ? "" : e->kind);
        put_text(l, ")");
    }
    put_text(l, ": ");
}

static void write_plain(log_line *l, const entry *e)
{
    char head[TIME_BYTES + 8], when[TIME_BYTES];

    time_text(when);
    (void)snprintf(head, sizeof head, "%s %-5s ", when, level_names[e->level]);
    put_text(l, head);
    put_job_plain(l, e);
    put_plain(l, e->message);
}

static void write_journal(log_line *l, const entry *e)
{
    static const char *const prefixes[] = {"<3>", "<4>", "<6>", "<7>"}; /* syslog(3) */

    put_text(l, prefixes[e->level]);
    put_job_plain(l, e);
    put_plain(l, e->message);
}

/* The last field gets all the room that is left, in whole characters. */
static void put_field(log_line *l, const char *name, const char *value, size_t most)
{
    const size_t room = sizeof l->text - 4 - l->n;

    if (value == NULL || room < FIELD_BYTES)
        return;
    l->n += (size_t)snprintf(l->text + l->n, room, "%s\"%s\":\"", l->n == 0 ? "{" : ",", name);
    most = most < sizeof l->text - 4 - l->n ? most : sizeof l->text - 4 - l->n;
    l->n += cz_json_escape(l->text + l->n, most, value);
    l->text[l->n++] = '"';
}

static void write_json(log_line *l, const entry *e)
{
    static const char *const names[] = {"error", "warn", "info", "debug"};
    char when[TIME_BYTES];

    time_text(when);
    put_field(l, "time", when, FIELD_BYTES);
    put_field(l, "level", names[e->level], FIELD_BYTES);
    put_field(l, "job_id", e->job_id, FIELD_BYTES);
    put_field(l, "request_id", e->request_id, FIELD_BYTES);
    put_field(l, "proof_kind", e->kind, FIELD_BYTES);
    put_field(l, "message", e->message, LINE_BYTES);
    l->text[l->n++] = '}';
}

static void write_entry(const entry *e)
{
    static void (*const writers[])(log_line *, const entry *) = {write_plain, write_json,
                                                                 write_journal};
    log_line l = {.n = 0};

    writers[atomic_load(&line_form)](&l, e);
    l.text[l.n++] = '\n';
    (void)!write(STDERR_FILENO, l.text, l.n);
}

/* With errno as it was. */
static void log_entry(entry *e, const char *fmt, va_list args)
{
    const int saved = errno;

    if ((int)e->level > atomic_load(&max_level))
        return;
    (void)vsnprintf(e->message, sizeof e->message, fmt, args);
    write_entry(e);
    errno = saved;
}

void cz_log(cz_log_level level, const char *fmt, ...)
{
    entry e = {.level = level};
    va_list args;

    va_start(args, fmt);
    log_entry(&e, fmt, args);
    va_end(args);
}

void cz_log_job(cz_log_level level, const char *job_id, const char *request_id, const char *kind,
                const char *fmt, ...)
{
    entry e = {.level = level, .job_id = job_id, .request_id = request_id, .kind = kind};
    va_list args;

    va_start(args, fmt);
    log_entry(&e, fmt, args);
    va_end(args);
}
