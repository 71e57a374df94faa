/* json.h: reading JSON, a small C face on simdjson (json.cpp).
 *
 * A document is parsed once; values are small handles into it, valid until the document is
 * destroyed. Depth is limited to 64 levels, numbers outside 64 bits and duplicate keys in the
 * objects that we read are refused. Every failure is CZ_E_INPUT with a sentence. Threads: a
 * document serves one thread. */
#ifndef CZ_BASE_JSON_H
#define CZ_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cz_json_doc cz_json_doc;

typedef enum {
    CZ_JSON_NULL,
    CZ_JSON_BOOL,
    CZ_JSON_NUMBER,
    CZ_JSON_STRING,
    CZ_JSON_ARRAY,
    CZ_JSON_OBJECT
} cz_json_type;

/* An opaque handle, passed by value. */
typedef struct {
    const void *doc;
    size_t at;
} cz_json;

/** Parse n bytes (copied as needed; a BOM is skipped). The root is in *root. */
CZ_MUST_CHECK cz_err cz_json_parse(cz_json_doc **out, cz_json *root, const char *text, size_t n);

/** The same of a text with at most so many values, brackets, commas and colons; of more, CZ_E_INPUT
 * before the memory for them is taken. Beside the text it takes, while it is parsed, n bytes for a
 * copy, 12 for each of these and what its strings hold; 14 n at most. Pages are huge: up to 6 MiB
 * may be touched beyond. */
CZ_MUST_CHECK cz_err cz_json_parse_within(cz_json_doc **out, cz_json *root, const char *text,
                                          size_t n, size_t most);
void cz_json_destroy(cz_json_doc *doc);

cz_json_type cz_json_typeof(cz_json v);

/** A member by name. CZ_E_NOTFOUND (message "field 'x' is missing") when absent, CZ_E_INPUT when v
 * is no object. */
CZ_MUST_CHECK cz_err cz_json_get(cz_json v, const char *key, cz_json *out);

/** Elements of an array or members of an object. */
CZ_MUST_CHECK cz_err cz_json_size(cz_json v, size_t *out);

/* Walk an array or object: start at cz_json_first, go on with cz_json_next until it gives false.
 * For objects *key is set. */
typedef struct {
    const void *doc;
    size_t at, end;
    bool object;
} cz_json_iter;
CZ_MUST_CHECK cz_err cz_json_iterate(cz_json v, cz_json_iter *it);
bool cz_json_next(cz_json_iter *it, cz_json *value, const char **key);

CZ_MUST_CHECK cz_err cz_json_bool(cz_json v, bool *out);
CZ_MUST_CHECK cz_err cz_json_u64(cz_json v, uint64_t *out);
CZ_MUST_CHECK cz_err cz_json_double(cz_json v, double *out);

/** The characters, NUL-terminated, valid with the document; *n without the NUL (may contain NULs).
 */
CZ_MUST_CHECK cz_err cz_json_string(cz_json v, const char **text, size_t *n);

/** An array of numbers 0 … 255 of exactly n elements into bytes: how serde writes [u8; n]. */
CZ_MUST_CHECK cz_err cz_json_byte_array(cz_json v, uint8_t *out, size_t n);

#ifdef __cplusplus
}
#endif
#endif
