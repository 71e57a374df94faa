/* What is UTF-8, and what is made of the rest. */
#include "base/utf8.h"

#include "support.h"

static void test_lengths(void **state)
{
    (void)state;
    assert_int_equal(cz_utf8_length(""), 0);
    assert_int_equal(cz_utf8_length("a\xc3"), 1);
    assert_int_equal(cz_utf8_length("\xc3\xa9"), 2);
    assert_int_equal(cz_utf8_length("\xe2\x82\xac"), 3);
    assert_int_equal(cz_utf8_length("\xf0\x9f\x98\x80"), 4);
    assert_int_equal(cz_utf8_length("\x80"), 0);
}

static void test_validity(void **state)
{
    (void)state;
    assert_true(cz_utf8_is_valid(""));
    assert_true(cz_utf8_is_valid("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
    assert_false(cz_utf8_is_valid("\xc0\xaf"));         /* overlong */
    assert_false(cz_utf8_is_valid("\xe0\x9f\xbf"));     /* overlong */
    assert_false(cz_utf8_is_valid("\xed\xa0\x80"));     /* surrogate */
    assert_false(cz_utf8_is_valid("\xf4\x90\x80\x80")); /* above U+10FFFF */
    assert_false(cz_utf8_is_valid("\xe2\x82"));         /* cut */
}

static void test_repair(void **state)
{
    char broken[] = "a\xc3\xa9\xff\xe2\x82z\xed\xa0\x80";

    (void)state;
    cz_utf8_repair(broken);
    assert_string_equal(broken, "a\xc3\xa9???z???");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_lengths),
    cmocka_unit_test(test_validity),
    cmocka_unit_test(test_repair),
};

CZ_TEST_MAIN(cases)
