/* JSON: values, walks, and every kind of text that must be refused. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/trace.h"

static cz_json_doc *doc; /* of the running case; destroyed by `teardown` */

static cz_json parse(const char *text)
{
    cz_json root;

    cz_json_destroy(doc);
    doc = NULL;
    assert_ok(cz_json_parse(&doc, &root, text, strlen(text)));
    return root;
}

static void refuse(const char *text, size_t n, const char *why)
{
    cz_json_doc *none = NULL;
    cz_json root;

    assert_fails(cz_json_parse(&none, &root, text, n), CZ_E_INPUT, why);
    assert_null(none);
}

static int teardown(void **state)
{
    (void)state;
    cz_json_destroy(doc);
    doc = NULL;
    return 0;
}

static cz_json member(cz_json v, const char *key)
{
    cz_json out;

    assert_ok(cz_json_get(v, key, &out));
    return out;
}

static void test_all_types_are_told_apart(void **state)
{
    cz_json root = parse("{\"a\":null,\"b\":true,\"c\":-1.5,\"d\":\"x\",\"e\":[1],\"f\":{}}");
    static const cz_json_type types[] = {CZ_JSON_NULL,   CZ_JSON_BOOL,  CZ_JSON_NUMBER,
                                         CZ_JSON_STRING, CZ_JSON_ARRAY, CZ_JSON_OBJECT};

    (void)state;
    for (int i = 0; i < 6; i++) {
        char key[2] = {(char)('a' + i), '\0'};

        assert_int_equal(cz_json_typeof(member(root, key)), types[i]);
    }
    assert_int_equal(cz_json_typeof(parse("3")), CZ_JSON_NUMBER);
}

static void test_scalars_have_their_values(void **state)
{
    cz_json root = parse("{\"t\":true,\"f\":false,\"max\":18446744073709551615,\"neg\":-2,"
                         "\"half\":0.5,\"s\":\"a\\u0000b\\u00e9\",\"zero\":0}");
    const char *text;
    uint64_t u;
    double d;
    bool b;
    size_t n;

    (void)state;
    assert_ok(cz_json_bool(member(root, "t"), &b));
    assert_true(b);
    assert_ok(cz_json_bool(member(root, "f"), &b));
    assert_false(b);
    assert_ok(cz_json_u64(member(root, "max"), &u));
    assert_true(u == UINT64_MAX);
    assert_ok(cz_json_u64(member(root, "zero"), &u));
    assert_true(u == 0);
    assert_ok(cz_json_double(member(root, "half"), &d));
    assert_true(d == 0.5);
    assert_ok(cz_json_double(member(root, "neg"), &d));
    assert_true(d == -2.0);
    assert_ok(cz_json_string(member(root, "s"), &text, &n));
    assert_int_equal(n, 5);
    assert_memory_equal(text, "a\0b\xc3\xa9", 6);
}

static void test_wrong_types_are_named(void **state)
{
    cz_json root = parse("{\"n\":1,\"s\":\"x\",\"d\":1.0,\"neg\":-1,\"a\":[]}");
    const char *text;
    cz_json out;
    uint64_t u;
    size_t n;
    bool b;

    (void)state;
    assert_fails(cz_json_u64(member(root, "s"), &u), CZ_E_INPUT,
                 "a number expected, found a string");
    assert_fails(cz_json_u64(member(root, "d"), &u), CZ_E_INPUT, "fraction or exponent");
    assert_fails(cz_json_u64(member(root, "neg"), &u), CZ_E_INPUT, "negative");
    assert_fails(cz_json_string(member(root, "n"), &text, &n), CZ_E_INPUT,
                 "a string expected, found a number");
    assert_fails(cz_json_bool(member(root, "a"), &b), CZ_E_INPUT, "found an array");
    assert_fails(cz_json_size(member(root, "s"), &n), CZ_E_INPUT, "found a string");
    assert_fails(cz_json_get(member(root, "a"), "k", &out), CZ_E_INPUT,
                 "an object with field 'k' expected, found an array");
}

static void test_missing_and_duplicate_members(void **state)
{
    cz_json root = parse("{\"a\":1,\"b\":[{\"x\":1}],\"a\":2,\"c\\u0000d\":3}");
    cz_json out;

    (void)state;
    assert_fails(cz_json_get(root, "zz", &out), CZ_E_NOTFOUND, "field 'zz' is missing");
    assert_fails(cz_json_get(root, "x", &out), CZ_E_NOTFOUND, "field 'x' is missing");
    assert_fails(cz_json_get(root, "c", &out), CZ_E_NOTFOUND, "field 'c' is missing");
    assert_fails(cz_json_get(root, "a", &out), CZ_E_INPUT, "field 'a' occurs twice");
    assert_ok(cz_json_get(root, "b", &out));
}

static void test_walks_skip_nested_values(void **state)
{
    cz_json root = parse("{\"a\":[1,[2,3],{\"k\":4}],\"b\":{},\"c\":5,\"d\":[]}");
    cz_json_iter it;
    cz_json value;
    const char *key;
    char keys[8] = "";
    size_t n = 0;

    (void)state;
    assert_ok(cz_json_size(root, &n));
    assert_int_equal(n, 4);
    assert_ok(cz_json_iterate(root, &it));
    while (cz_json_next(&it, &value, &key))
        keys[strlen(keys)] = key[0];
    assert_string_equal(keys, "abcd");
    assert_ok(cz_json_size(member(root, "a"), &n));
    assert_int_equal(n, 3);
    assert_ok(cz_json_iterate(member(root, "d"), &it));
    assert_false(cz_json_next(&it, &value, NULL));
    assert_ok(cz_json_iterate(member(root, "b"), &it));
    assert_false(cz_json_next(&it, &value, NULL));
}

static void test_byte_arrays(void **state)
{
    cz_json root =
        parse("{\"ok\":[0,255,7],\"big\":[1,256,2],\"neg\":[-1,0,0],\"frac\":[1,2.0,3],"
              "\"huge\":[18446744073709551615,0,0],\"str\":[1,2,\"3\"],\"arr\":[1,[2],3],"
              "\"short\":[1,2],\"empty\":[],\"text\":\"abc\",\"nul\":[1,2,null]}");
    static const char *const bad[] = {"big", "neg", "frac", "huge", "str", "arr", "nul"};
    uint8_t out[3] = {0};

    (void)state;
    assert_ok(cz_json_byte_array(member(root, "ok"), out, 3));
    assert_memory_equal(out, "\x00\xff\x07", 3);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(cz_json_byte_array(member(root, bad[i]), out, 3), CZ_E_INPUT,
                     "is not a whole number from 0 to 255");
    assert_fails(cz_json_byte_array(member(root, "big"), out, 3), CZ_E_INPUT, "element 1 ");
    assert_fails(cz_json_byte_array(member(root, "short"), out, 3), CZ_E_INPUT,
                 "an array of 3 bytes expected, found 2 elements");
    assert_fails(cz_json_byte_array(member(root, "text"), out, 3), CZ_E_INPUT, "found a string");
    assert_ok(cz_json_byte_array(member(root, "empty"), out, 0));
}

static void test_a_byte_order_mark_is_skipped(void **state)
{
    (void)state;
    assert_int_equal(cz_json_typeof(parse("\xef\xbb\xbf{\"a\":1}")), CZ_JSON_OBJECT);
    refuse("\xef\xbb\xbf", 3, "empty");
    refuse("\xef\xbb{}", 4, "not valid JSON");
}

static void test_malformed_texts_are_refused(void **state)
{
    static const char *const bad[] = {
        " ",          "{",      "[1,2",       "[1,]",       "{\"a\":}",  "{\"a\" 1}",
        "[1]x",       "[1][2]", "{a:1}",      "'a'",        "[01]",      "[+1]",
        "[1.]",       "[.5]",   "[nul]",      "[tru",       "\"abc",     "[\"\\x\"]",
        "[\"\t\"]",   "[NaN]",  "[Infinity]", "[1,,2]",     "]",         "[\"\\ud800\"]",
        "[\"\xff\"]", "[1e]",   "[-]",        "{\"a\":1,}", "// c\n[1]", "[1}",
    };

    (void)state;
    refuse("", 0, "empty");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(bad[i], strlen(bad[i]), "not valid JSON");
    refuse("[1]\0", 4, "not valid JSON");
}

static void test_every_truncation_is_refused(void **state)
{
    static const char text[] = "{\"a\":[1,2,{\"b\":\"x\\n\"}],\"c\":true,\"d\":-1.5e3,\"e\":null}";

    (void)state;
    for (size_t n = 0; n + 1 < sizeof text; n++) {
        char *cut = malloc(n + 1); /* exact size, so that a sanitizer sees an overrun */

        assert_non_null(cut);
        memcpy(cut, text, n);
        refuse(cut, n, "not valid JSON");
        free(cut);
    }
    (void)parse(text);
}

static void test_numbers_beyond_64_bits_are_refused(void **state)
{
    (void)state;
    refuse("[18446744073709551616]", 22, "not valid JSON");
    refuse("[-9223372036854775809]", 22, "not valid JSON");
    refuse("[123456789012345678901234567890]", 32, "not valid JSON");
    refuse("[1e400]", 7, "not valid JSON");
}

static char *nested(size_t depth)
{
    char *text = malloc(2 * depth + 1);

    assert_non_null(text);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
    return text;
}

static void test_nesting_is_limited_to_64_levels(void **state)
{
    char *fits = nested(64);
    char *deeper = nested(65);
    char *absurd = nested(1000000);

    (void)state;
    (void)parse(fits);
    refuse(deeper, 130, "nested deeper than 64 levels");
    refuse(absurd, 2000000, "nested deeper than 64 levels");
    refuse(absurd, 1000000, "not valid JSON");
    free(fits);
    free(deeper);
    free(absurd);
}

static void test_small_documents_keep_the_depth_limit(void **state)
{
    /* simdjson grows its buffers for texts below a minimum; the limit must survive that. */
    (void)state;
    refuse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[", 71,
           "not valid JSON");
}

/* Long arrays have more children than simdjson's counter holds. */
static void test_arrays_of_20_million_elements_are_counted(void **state)
{
    const size_t n = 20000000;
    char *text = malloc(2 * n + 2);
    cz_json root;
    size_t count;

    (void)state;
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 0; i < n; i++) {
        text[2 * i + 1] = '1';
        text[2 * i + 2] = ',';
    }
    text[2 * n] = ']';
    assert_ok(cz_json_parse(&doc, &root, text, 2 * n + 1));
    free(text);
    assert_ok(cz_json_size(root, &count));
    assert_int_equal(count, n);
}

/* {, "a", :, [, 1, comma, "b", comma, {, }, ] and } */
static void test_what_a_text_may_hold_is_bounded(void **state)
{
    const char *text = "{\"a\":[1,\"b, [c]: \",{}]}";
    cz_json_doc *none = NULL;
    cz_json root;

    (void)state;
    assert_ok(cz_json_parse_within(&doc, &root, text, strlen(text), 12));
    assert_int_equal(cz_json_typeof(member(root, "a")), CZ_JSON_ARRAY);
    assert_fails(cz_json_parse_within(&none, &root, text, strlen(text), 11), CZ_E_INPUT,
                 "JSON of 23 bytes has 12 values and separators, at most 11 may be");
    assert_null(none);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_teardown(test_all_types_are_told_apart, teardown),
    cmocka_unit_test_teardown(test_scalars_have_their_values, teardown),
    cmocka_unit_test_teardown(test_wrong_types_are_named, teardown),
    cmocka_unit_test_teardown(test_missing_and_duplicate_members, teardown),
    cmocka_unit_test_teardown(test_walks_skip_nested_values, teardown),
    cmocka_unit_test_teardown(test_byte_arrays, teardown),
    cmocka_unit_test_teardown(test_a_byte_order_mark_is_skipped, teardown),
    cmocka_unit_test_teardown(test_malformed_texts_are_refused, teardown),
    cmocka_unit_test_teardown(test_every_truncation_is_refused, teardown),
    cmocka_unit_test_teardown(test_numbers_beyond_64_bits_are_refused, teardown),
    cmocka_unit_test_teardown(test_nesting_is_limited_to_64_levels, teardown),
    cmocka_unit_test_teardown(test_small_documents_keep_the_depth_limit, teardown),
    cmocka_unit_test_teardown(test_what_a_text_may_hold_is_bounded, teardown),
    cmocka_unit_test_teardown(test_arrays_of_20_million_elements_are_counted, teardown),
};

CZ_TEST_MAIN(cases)
