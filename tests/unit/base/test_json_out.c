/* Writing JSON: structure, numbers, and texts from outside. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/json_out.h"

static void assert_written(cz_json_out *j, const char *wanted)
{
    char *text;
    size_t n;

    assert_ok(cz_json_out_take(j, &text, &n));
    assert_string_equal(text, wanted);
    assert_int_equal(n, strlen(wanted));
    free(text);
}

static void test_objects_and_arrays_nest(void **state)
{
    cz_json_out j = {0};

    (void)state;
    cz_json_out_object(&j, NULL);
    cz_json_out_u64(&j, "a", UINT64_MAX);
    cz_json_out_array(&j, "b");
    cz_json_out_string(&j, NULL, "x");
    cz_json_out_object(&j, NULL);
    cz_json_out_close(&j);
    cz_json_out_bool(&j, NULL, false);
    cz_json_out_close(&j);
    cz_json_out_null(&j, "c");
    cz_json_out_string(&j, "d", NULL); /* what is open is closed at the end */
    assert_written(&j, "{\"a\":18446744073709551615,\"b\":[\"x\",{},false],\"c\":null,\"d\":null}");
}

static void test_numbers(void **state)
{
    cz_json_out j = {0};

    (void)state;
    cz_json_out_array(&j, NULL);
    cz_json_out_double(&j, NULL, 0.5);
    cz_json_out_double(&j, NULL, 1234567.25);
    cz_json_out_double(&j, NULL, (double)NAN);
    cz_json_out_double(&j, NULL, (double)INFINITY);
    assert_written(&j, "[0.5,1234567.25,null,null]");
}

static void test_texts_are_escaped(void **state)
{
    cz_json_out j = {0};

    (void)state;
    cz_json_out_array(&j, NULL);
    cz_json_out_string(&j, NULL,
                       "a\"b\\c\nd\x01"
                       "e\x7f/");
    cz_json_out_string(&j, NULL, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    assert_written(&j,
                   "[\"a\\\"b\\\\c\\nd\\u0001e\x7f/\",\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]");
}

/* Overlong forms, surrogates, beyond U+10FFFF, cut sequences, stray bytes. */
static void test_what_is_no_utf8_is_replaced(void **state)
{
    static const struct {
        const char *text, *wanted;
    } cases[] = {
        {"\xc0\xaf", "[\"\\ufffd\\ufffd\"]"},
        {"\xe0\x80\x80", "[\"\\ufffd\\ufffd\\ufffd\"]"},
        {"\xed\xa0\x80", "[\"\\ufffd\\ufffd\\ufffd\"]"},
        {"\xf4\x90\x80\x80", "[\"\\ufffd\\ufffd\\ufffd\\ufffd\"]"},
        {"a\xe2\x82", "[\"a\\ufffd\\ufffd\"]"},
        {"\xff"
         "b",
         "[\"\\ufffdb\"]"},
        {"\x80", "[\"\\ufffd\"]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cz_json_out j = {0};

        cz_json_out_array(&j, NULL);
        cz_json_out_string(&j, NULL, cases[i].text);
        assert_written(&j, cases[i].wanted);
    }
}

/* Our own parser, which is strict, reads back what was written, whatever the bytes. */
static void test_any_bytes_give_json(void **state)
{
    (void)state;
    for (int round = 0; round < 200; round++) {
        cz_json_out j = {0};
        cz_json_doc *doc;
        cz_json root;
        char bytes[64], *text;
        size_t n;

        cz_test_random_bytes((uint8_t *)bytes, sizeof bytes);
        bytes[sizeof bytes - 1] = '\0';
        cz_json_out_object(&j, NULL);
        cz_json_out_string(&j, "k", bytes);
        assert_ok(cz_json_out_take(&j, &text, &n));
        assert_ok(cz_json_parse(&doc, &root, text, n));
        cz_json_destroy(doc);
        free(text);
    }
}

static void test_escaping_into_a_buffer_keeps_characters_whole(void **state)
{
    char out[8];

    (void)state;
    assert_int_equal(cz_json_escape(out, sizeof out, "abc"), 3);
    assert_string_equal(out, "abc");
    assert_int_equal(cz_json_escape(out, sizeof out, "abc\x01"), 3); /* six more do not fit */
    assert_string_equal(out, "abc");
    assert_int_equal(cz_json_escape(out, sizeof out, "abcd\xe2\x82\xac"), 7);
    assert_int_equal(cz_json_escape(out, sizeof out, "abcde\xe2\x82\xac"), 5);
    assert_int_equal(cz_json_escape(out, 1, "x"), 0);
    assert_string_equal(out, "");
}

static void test_long_texts_grow(void **state)
{
    cz_json_out j = {0};
    char *text;
    size_t n;

    (void)state;
    cz_json_out_array(&j, NULL);
    for (unsigned i = 0; i < 10000; i++)
        cz_json_out_u64(&j, NULL, 7);
    assert_ok(cz_json_out_take(&j, &text, &n));
    assert_int_equal(n, 2 + 10000 + 9999);
    assert_int_equal(strlen(text), n);
    free(text);
    cz_json_out_object(&j, NULL); /* the writer can be used again */
    cz_json_out_clear(&j);
}

/* At every length, those that fill the memory exactly among them. */
static void test_there_is_always_room_for_the_end(void **state)
{
    cz_text_out t = {0};

    (void)state;
    for (size_t n = 1; n <= 5000; n++) {
        cz_text_put(&t, "x", 1);
        assert_int_equal(t.n, n);
        assert_true(t.cap > n);
        assert_int_equal(t.text[n], '\0');
    }
    cz_text_clear(&t);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_objects_and_arrays_nest),
    cmocka_unit_test(test_numbers),
    cmocka_unit_test(test_texts_are_escaped),
    cmocka_unit_test(test_what_is_no_utf8_is_replaced),
    cmocka_unit_test(test_any_bytes_give_json),
    cmocka_unit_test(test_escaping_into_a_buffer_keeps_characters_whole),
    cmocka_unit_test(test_long_texts_grow),
    cmocka_unit_test(test_there_is_always_room_for_the_end),
};

CZ_TEST_MAIN(cases)
