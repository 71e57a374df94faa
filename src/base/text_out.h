/* text_out.h: text that grows while it is written. A lack of memory is remembered and reported
 * once, by cz_text_take. Threads: a text belongs to its caller. */
#ifndef CZ_BASE_TEXT_OUT_H
#define CZ_BASE_TEXT_OUT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    char *text; /* owned; NUL-terminated when not NULL */
    size_t n, cap;
    bool failed;
} cz_text_out; /* all zero: empty */

void cz_text_put(cz_text_out *t, const char *bytes, size_t n);
void cz_text_puts(cz_text_out *t, const char *s);
void cz_text_printf(cz_text_out *t, const char *fmt, ...) CZ_PRINTF(2, 3);

/** Hand the text over; free() it. *n without the final NUL; may be NULL. CZ_E_NOMEM. The writer is
 * empty afterwards. */
CZ_MUST_CHECK cz_err cz_text_take(cz_text_out *t, char **text, size_t *n);

/** Throw the text away. */
void cz_text_clear(cz_text_out *t);

#ifdef __cplusplus
}
#endif
#endif
