/* Base64: RFC 4648 vectors, both alphabets, blanks, and what is refused. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

static void decodes(const char *text, const void *bytes, size_t n)
{
    size_t text_len = strlen(text);
    uint8_t *out = malloc(cz_base64_max_decoded(text_len));
    size_t got = SIZE_MAX;

    assert_non_null(out);
    assert_ok(cz_base64_decode(out, &got, text, text_len));
    assert_int_equal(got, n);
    assert_memory_equal(out, bytes, n);
    free(out);
}

static void refuses(const char *text, const char *why)
{
    uint8_t out[256];
    size_t got;

    assert_fails(cz_base64_decode(out, &got, text, strlen(text)), CZ_E_INPUT, why);
}

/* RFC 4648, section 10. */
static const char *const rfc[][2] = {
    {"", ""},
    {"f", "Zg=="},
    {"fo", "Zm8="},
    {"foo", "Zm9v"},
    {"foob", "Zm9vYg=="},
    {"fooba", "Zm9vYmE="},
    {"foobar", "Zm9vYmFy"},
};

static void test_rfc_4648_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rfc / sizeof *rfc; i++) {
        char text[16];

        decodes(rfc[i][1], rfc[i][0], strlen(rfc[i][0]));
        assert_int_equal(cz_base64_encoded_len(strlen(rfc[i][0])), strlen(rfc[i][1]));
        cz_base64_encode(text, (const uint8_t *)rfc[i][0], strlen(rfc[i][0]));
        assert_string_equal(text, rfc[i][1]);
    }
}

static void test_all_lengths_go_both_ways(void **state)
{
    uint8_t bytes[200];
    char text[300];

    (void)state;
    for (size_t n = 0; n < sizeof bytes; n++) {
        cz_test_random_bytes(bytes, n);
        cz_base64_encode(text, bytes, n);
        decodes(text, bytes, n);
        text[strcspn(text, "=")] = '\0'; /* padding may be left out */
        decodes(text, bytes, n);
    }
}

static void test_both_alphabets_are_read(void **state)
{
    (void)state;
    decodes("++//", "\xfb\xef\xff", 3);
    decodes("--__", "\xfb\xef\xff", 3);
    refuses("+-//", "'-' at offset 1 mixes the two alphabets");
    refuses("AAAA+AAA_AAA", "'_' at offset 8 mixes the two alphabets");
}

static void test_blanks_and_line_breaks_are_ignored(void **state)
{
    (void)state;
    decodes("Zm9v\r\nYmFy\n", "foobar", 6);
    decodes(" Z m 9\tv Y m F y ", "foobar", 6);
    decodes("Zg=\n=\n", "f", 1);
    decodes("\n", "", 0);
}

static void test_misplaced_characters_are_refused(void **state)
{
    (void)state;
    refuses("Zm9v!mFy", "'!' at offset 4");
    refuses("Zm9vYm.y", "'.' at offset 6");
    refuses("Zm9v\x80mFy", "0x80 at offset 4");
    refuses("=", "'=' at offset 0");
    refuses("Z===", "'=' at offset 1");
    refuses("Zg===", "'=' at offset 4");
    refuses("Zm9v=", "'=' at offset 4");
    refuses("Zg==Zg==", "'Z' at offset 4");
    refuses("Zg=Zg", "'Z' at offset 3");
}

static void test_incomplete_ends_are_refused(void **state)
{
    (void)state;
    refuses("Zm9vY", "one character is missing");
    refuses("Zg=", "padding is incomplete");
    refuses("Zh==", "unused bits are set");
    refuses("AI==", "unused bits are set"); /* the highest of them alone */
    refuses("AAC=", "unused bits are set");
    refuses("Zm9=", "unused bits are set");
    refuses("Zh", "unused bits are set");
}

static void test_every_other_byte_is_refused(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) {
        static const char allowed[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_ \t\r\n";
        char text[9] = "AAAAAAAA";

        text[5] = (char)c;
        if (strchr(allowed, c) == NULL)
            refuses(text, "at offset 5");
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_rfc_4648_vectors),
    cmocka_unit_test(test_all_lengths_go_both_ways),
    cmocka_unit_test(test_both_alphabets_are_read),
    cmocka_unit_test(test_blanks_and_line_breaks_are_ignored),
    cmocka_unit_test(test_misplaced_characters_are_refused),
    cmocka_unit_test(test_incomplete_ends_are_refused),
    cmocka_unit_test(test_every_other_byte_is_refused),
};

CZ_TEST_MAIN(cases)
