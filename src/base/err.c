/* err.c: the thread's error record: one message, and a trace of source positions for the log. */
#include "base/err.h"

#undef cz_fail /* the analyzer's macros */
#undef cz_fail_in
#undef cz_err_at

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 1024 };

static _Thread_local char message[MESSAGE_BYTES];

const char *cz_err_text(cz_err code)
{
    switch (code) {
#define CZ_ERR_CASE(name, number, text)                                                            \
    case name:                                                                                     \
        return text;
        CZ_ERR_MAP(CZ_ERR_CASE)
#undef CZ_ERR_CASE
    }
    return "unknown error";
}

cz_err cz_fail(cz_err code, const char *fmt, ...)
{
    va_list args;

    CZ_ASSERT(code != CZ_OK);
    va_start(args, fmt);
    (void)vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    return code;
}

cz_err cz_fail_in(cz_err code, const char *fmt, ...)
{
    char prefix[MESSAGE_BYTES];
    char joined[2 * MESSAGE_BYTES + 3];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(prefix, sizeof prefix, fmt, args);
    va_end(args);
    (void)snprintf(joined, sizeof joined, "%s: %s", prefix,
                   message[0] != '\0' ? message : cz_err_text(code));
    (void)memcpy(message, joined, sizeof message - 1);
    message[sizeof message - 1] = '\0';
    return code;
}

cz_err cz_err_at(cz_err code, const char *file, int line, const char *what)
{
    /* A failure must always have a sentence, even when the callee recorded none. */
    if (message[0] == '\0')
        (void)snprintf(message, sizeof message, "%s (%s:%d: %s)", cz_err_text(code), file, line,
                       what);
    return code;
}

const char *cz_err_message(void)
{
    return message;
}

void cz_err_reset(void)
{
    message[0] = '\0';
}

void cz_err_adopt(const char *text)
{
    (void)snprintf(message, sizeof message, "%s", text);
}

#ifdef CZ_VERIFY
void cz_assert_failed(const char *file, int line, const char *what)
{
    (void)fprintf(stderr, "%s:%d: contract broken: %s\n", file, line, what);
    abort();
}
#endif
