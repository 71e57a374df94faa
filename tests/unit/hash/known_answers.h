/* known_answers.h: reading hash vectors out of JSON files. */
#ifndef CZ_TESTS_HASH_KNOWN_ANSWERS_H
#define CZ_TESTS_HASH_KNOWN_ANSWERS_H

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "support.h"

/* A parsed file; the root in *root. Destroy the document. */
static inline cz_json_doc *answers_open(const char *path, cz_json *root)
{
    cz_json_doc *doc = NULL;
    size_t n = 0;
    uint8_t *text = cz_test_read(path, &n);

    assert_ok(cz_json_parse(&doc, root, (const char *)text, n));
    free(text);
    return doc;
}

/* An array member, ready to walk; it must not be empty. */
static inline cz_json_iter answers_walk(cz_json object, const char *key)
{
    cz_json list;
    cz_json_iter it;
    size_t n = 0;

    assert_ok(cz_json_get(object, key, &list));
    assert_ok(cz_json_size(list, &n));
    assert_true(n > 0);
    assert_ok(cz_json_iterate(list, &it));
    return it;
}

/* A hexadecimal string of at most `room` bytes; its length in bytes. */
static inline size_t answers_hex(cz_json v, uint8_t *out, size_t room)
{
    const char *text = NULL;
    size_t n = 0;

    assert_ok(cz_json_string(v, &text, &n));
    assert_true(n % 2 == 0 && n / 2 <= room);
    assert_true(cz_hex_decode(out, n / 2, text, n));
    return n / 2;
}

static inline size_t answers_get_hex(cz_json object, const char *key, uint8_t *out, size_t room)
{
    cz_json v;

    assert_ok(cz_json_get(object, key, &v));
    return answers_hex(v, out, room);
}

#endif
