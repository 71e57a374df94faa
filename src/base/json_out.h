/* json_out.h: writing JSON [RFC 8259] into memory that grows.
 *
 * Texts may come from outside and be anything: quotes, backslashes and controls are escaped, bytes
 * that are no UTF-8 become U+FFFD. `key` is a literal of ours and NULL inside arrays and for the
 * root. Lack of memory is remembered and reported once, by cz_json_out_take. */
#ifndef CZ_BASE_JSON_OUT_H
#define CZ_BASE_JSON_OUT_H

#include <stdint.h>

#include "base/text_out.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CZ_JSON_OUT_DEPTH = 16 };

typedef struct {
    cz_text_out text;
    unsigned depth;
    bool started[CZ_JSON_OUT_DEPTH]; /* the level has an item */
    char close[CZ_JSON_OUT_DEPTH];
} cz_json_out; /* all zero: nothing written */

void cz_json_out_object(cz_json_out *j, const char *key);
void cz_json_out_array(cz_json_out *j, const char *key);
void cz_json_out_close(cz_json_out *j); /* the innermost object or array */

void cz_json_out_string(cz_json_out *j, const char *key, const char *value); /* NULL: null */
void cz_json_out_u64(cz_json_out *j, const char *key, uint64_t value);
void cz_json_out_double(cz_json_out *j, const char *key, double value); /* not finite: null */
void cz_json_out_bool(cz_json_out *j, const char *key, bool value);
void cz_json_out_null(cz_json_out *j, const char *key);

/** Close what is open and hand the text over; free() it. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_json_out_take(cz_json_out *j, char **text, size_t *n);
void cz_json_out_clear(cz_json_out *j);

/** The inside of a JSON string for `text`, NUL-terminated, in at most `size` bytes (at least 1): as
 * many whole characters as fit. Gives its length. */
size_t cz_json_escape(char *out, size_t size, const char *text);

#ifdef __cplusplus
}
#endif
#endif
