/* JSON: parse, then touch every value by every accessor. */
#include "fuzz.h"

#include "base/json.h"

static void touch_scalars(cz_json v)
{
    uint8_t bytes[8];
    const char *text;
    uint64_t u;
    double d;
    size_t n;
    bool b;

    if (cz_json_string(v, &text, &n) == CZ_OK)
        FUZZ_REQUIRE(text[n] == '\0');
    (void)!cz_json_u64(v, &u);
    (void)!cz_json_double(v, &d);
    (void)!cz_json_bool(v, &b);
    (void)!cz_json_byte_array(v, bytes, sizeof bytes);
}

/* Recursion is bounded by the parser's depth limit, which is what the first line checks. */
static void touch(cz_json v, int depth)
{
    cz_json_iter it;
    cz_json child, found;
    const char *key = NULL;
    size_t n, counted = 0;

    FUZZ_REQUIRE(depth <= 64);
    touch_scalars(v);
    if (cz_json_iterate(v, &it) != CZ_OK)
        return;
    while (cz_json_next(&it, &child, &key)) {
        counted++;
        touch(child, depth + 1);
    }
    FUZZ_REQUIRE(cz_json_size(v, &n) == CZ_OK && n == counted);
    if (key != NULL)
        (void)!cz_json_get(v, key, &found);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    cz_json_doc *doc;
    cz_json root;

    if (cz_json_parse(&doc, &root, (const char *)bytes, n) == CZ_OK) {
        touch(root, 0);
        cz_json_destroy(doc);
    }
    return 0;
}
