/* log.c: see log.h. */
#define _GNU_SOURCE
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

enum { LINE_BYTES = 2048 };

static atomic_int max_level = CZ_LOG_INFO;
static const char *const level_names[] = {"ERROR", "WARN", "INFO", "DEBUG"};

void cz_log_set_level(cz_log_level level)
{
    atomic_store(&max_level, (int)level);
}

cz_log_level cz_log_get_level(void)
{
    return (cz_log_level)atomic_load(&max_level);
}

cz_err cz_log_level_parse(cz_log_level *out, const char *text)
{
    for (int i = 0; i <= CZ_LOG_DEBUG; i++) {
        if (strcasecmp(text, level_names[i]) == 0) {
            *out = (cz_log_level)i;
            return CZ_OK;
        }
    }
    return cz_fail(CZ_E_INPUT, "log level '%s' is none of error, warn, info, debug", text);
}

/* The time and level that a line begins with; gives the length. */
static size_t write_head(char *line, size_t size, cz_log_level level)
{
    struct timespec now;
    struct tm utc;
    size_t n;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)gmtime_r(&now.tv_sec, &utc);
    n = strftime(line, size, "%Y-%m-%dT%H:%M:%S", &utc);
    n += (size_t)snprintf(line + n, size - n, ".%03ldZ %-5s ", now.tv_nsec / 1000000,
                          level_names[level]);
    return n;
}

void cz_log(cz_log_level level, const char *fmt, ...)
{
    char line[LINE_BYTES];
    int saved = errno;
    va_list args;
    size_t n;
    int body;

    if ((int)level > atomic_load(&max_level))
        return;
    n = write_head(line, sizeof line, level);
    va_start(args, fmt);
    body = vsnprintf(line + n, sizeof line - n - 1, fmt, args);
    va_end(args);
    if (body > 0)
        n += (size_t)body < sizeof line - n - 1 ? (size_t)body : sizeof line - n - 2;
    line[n++] = '\n';
    (void)!write(STDERR_FILENO, line, n);
    errno = saved;
}
