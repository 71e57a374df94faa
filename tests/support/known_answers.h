/* known_answers.h: reading tests/vectors/golden/known-answers.json in tests: sections, rows, hex.
 *
 * Everything fails the running test when the file is not as expected. */
#ifndef CZ_TESTS_KNOWN_ANSWERS_H
#define CZ_TESTS_KNOWN_ANSWERS_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "support.h"

typedef struct {
    uint8_t *text;
    cz_json_doc *doc;
    cz_json root;
} known_answers;

static inline void known_answers_open(known_answers *ka)
{
    size_t n;

    ka->text = cz_test_read(cz_vector_path("golden/known-answers.json"), &n);
    assert_ok(cz_json_parse(&ka->doc, &ka->root, (const char *)ka->text, n));
}

static inline void known_answers_close(known_answers *ka)
{
    cz_json_destroy(ka->doc);
    free(ka->text);
}

static inline cz_json ka_get(cz_json v, const char *key)
{
    cz_json out;

    assert_ok(cz_json_get(v, key, &out));
    return out;
}

static inline bool ka_has(cz_json v, const char *key)
{
    cz_json out;

    return cz_json_get(v, key, &out) == CZ_OK;
}

static inline bool ka_is_null(cz_json v)
{
    return cz_json_typeof(v) == CZ_JSON_NULL;
}

static inline const char *ka_text(cz_json v)
{
    const char *text;
    size_t n;

    assert_ok(cz_json_string(v, &text, &n));
    return text;
}

static inline bool ka_bool(cz_json v)
{
    bool b;

    assert_ok(cz_json_bool(v, &b));
    return b;
}

/* Exactly n bytes of hex. */
static inline void ka_bytes(cz_json v, uint8_t *out, size_t n)
{
    const char *text;
    size_t len;

    assert_ok(cz_json_string(v, &text, &len));
    assert_true(cz_hex_decode(out, n, text, len));
}

/* Start walking root.section (an array); ka_next then gives its rows. */
static inline cz_json_iter ka_rows(cz_json v)
{
    cz_json_iter it;

    assert_ok(cz_json_iterate(v, &it));
    return it;
}

static inline bool ka_next(cz_json_iter *it, cz_json *row)
{
    const char *key;

    return cz_json_next(it, row, &key);
}

#endif
