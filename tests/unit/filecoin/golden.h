/* golden.h: reading tests/vectors/golden for the tests of filecoin/. Failures end the test. */
#ifndef CZ_TESTS_FILECOIN_GOLDEN_H
#define CZ_TESTS_FILECOIN_GOLDEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "support.h"

/* A parsed file; the document is kept until golden_close. */
typedef struct {
    cz_json_doc *doc;
    cz_json root;
} golden;

static inline golden golden_open(const char *path)
{
    golden g;
    size_t n;
    uint8_t *bytes = cz_test_read(path, &n);

    assert_ok(cz_json_parse(&g.doc, &g.root, (const char *)bytes, n));
    free(bytes);
    return g;
}

static inline void golden_close(golden *g)
{
    cz_json_destroy(g->doc);
}

static inline cz_json golden_get(cz_json object, const char *key)
{
    cz_json v = {NULL, 0};

    assert_ok(cz_json_get(object, key, &v));
    return v;
}

static inline cz_json golden_at(cz_json array, size_t index)
{
    cz_json_iter it;
    cz_json v = {NULL, 0};

    assert_ok(cz_json_iterate(array, &it));
    for (size_t i = 0; i <= index; i++)
        assert_true(cz_json_next(&it, &v, NULL));
    return v;
}

static inline size_t golden_size(cz_json v)
{
    size_t n = 0;

    assert_ok(cz_json_size(v, &n));
    return n;
}

static inline uint64_t golden_u64(cz_json v)
{
    uint64_t n = 0;

    assert_ok(cz_json_u64(v, &n));
    return n;
}

static inline uint64_t golden_get_u64(cz_json object, const char *key)
{
    return golden_u64(golden_get(object, key));
}

static inline const char *golden_text(cz_json v)
{
    const char *text = "";
    size_t n;

    assert_ok(cz_json_string(v, &text, &n));
    return text;
}

static inline const char *golden_get_text(cz_json object, const char *key)
{
    return golden_text(golden_get(object, key));
}

static inline void golden_hex(cz_json v, uint8_t *out, size_t n)
{
    const char *text = golden_text(v);

    assert_true(cz_hex_decode(out, n, text, strlen(text)));
}

static inline void golden_get_hex(cz_json object, const char *key, uint8_t *out, size_t n)
{
    golden_hex(golden_get(object, key), out, n);
}

#endif
