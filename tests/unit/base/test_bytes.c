/* Byte order, hex, the bounded reader, randomness. */
#include "support.h"

#include <string.h>

#include "base/bytes.h"

static void test_loads_and_stores_agree_on_order(void **state)
{
    static const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t out[8];

    (void)state;
    assert_true(cz_load_le32(bytes) == 0x04030201u);
    assert_true(cz_load_be32(bytes) == 0x01020304u);
    assert_true(cz_load_le64(bytes) == 0x0807060504030201u);
    assert_true(cz_load_be64(bytes) == 0x0102030405060708u);
    cz_store_le32(out, 0x04030201u);
    assert_memory_equal(out, bytes, 4);
    cz_store_be32(out, 0x01020304u);
    assert_memory_equal(out, bytes, 4);
    cz_store_le64(out, 0x0807060504030201u);
    assert_memory_equal(out, bytes, 8);
    cz_store_be64(out, 0x0102030405060708u);
    assert_memory_equal(out, bytes, 8);
}

static void test_hex_goes_both_ways(void **state)
{
    uint8_t bytes[256];
    uint8_t back[256];
    char hex[513];

    (void)state;
    for (int i = 0; i < 256; i++)
        bytes[i] = (uint8_t)i;
    cz_hex_encode(hex, bytes, 256);
    assert_int_equal(strlen(hex), 512);
    assert_memory_equal(hex, "000102", 6);
    assert_true(cz_hex_decode(back, 256, hex, 512));
    assert_memory_equal(back, bytes, 256);
    assert_true(cz_hex_decode(back, 2, "aBCd", 4));
    assert_int_equal(back[0], 0xab);
    assert_int_equal(back[1], 0xcd);
}

static void test_hex_refuses_what_is_malformed(void **state)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    uint8_t out[2];

    (void)state;
    assert_false(cz_hex_decode(out, 2, "abc", 3));
    assert_false(cz_hex_decode(out, 2, "abcde", 5));
    assert_false(cz_hex_decode(out, 2, "0x12", 4));
    for (int c = 0; c < 256; c++) {
        char text[2] = {'0', (char)c};

        assert_int_equal(cz_hex_decode(out, 1, text, 2), c != 0 && strchr(digits, c) != NULL);
    }
}

static void test_reader_stops_at_the_end(void **state)
{
    static const uint8_t bytes[13] = {1, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0};
    cz_reader r = cz_reader_init(bytes, sizeof bytes);
    const uint8_t *view;
    uint8_t one;
    uint32_t four;
    uint64_t eight;

    (void)state;
    assert_ok(cz_read_u8(&r, &one, "version"));
    assert_int_equal(one, 1);
    assert_ok(cz_read_le32(&r, &four, "count"));
    assert_int_equal(four, 2);
    assert_ok(cz_read_le64(&r, &eight, "size"));
    assert_int_equal(eight, 3);
    assert_ok(cz_read_bytes(&r, &view, 0, "nothing"));
    assert_fails(cz_read_u8(&r, &one, "tail"), CZ_E_INPUT,
                 "tail: 1 bytes wanted at offset 13, 0 left");
}

static void test_reader_leaves_its_place_on_failure(void **state)
{
    static const uint8_t bytes[4] = {0, 0, 0, 9};
    cz_reader r = cz_reader_init(bytes, sizeof bytes);
    const uint8_t *view;
    uint64_t eight;
    uint32_t four;

    (void)state;
    assert_fails(cz_read_le64(&r, &eight, "size"), CZ_E_INPUT, "8 bytes wanted at offset 0");
    assert_fails(cz_read_bytes(&r, &view, SIZE_MAX, "huge"), CZ_E_INPUT, "4 left");
    assert_ok(cz_read_be32(&r, &four, "count"));
    assert_int_equal(four, 9);
}

static void test_secrets_are_erased(void **state)
{
    uint8_t secret[32];
    uint8_t zero[32] = {0};

    (void)state;
    cz_test_random_bytes(secret, sizeof secret);
    cz_secure_zero(secret, sizeof secret);
    assert_memory_equal(secret, zero, sizeof secret);
}

static void test_random_bytes_differ(void **state)
{
    uint8_t a[64] = {0};
    uint8_t b[64] = {0};

    (void)state;
    assert_ok(cz_random_bytes(a, sizeof a));
    assert_ok(cz_random_bytes(b, sizeof b));
    assert_memory_not_equal(a, b, sizeof a);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_loads_and_stores_agree_on_order),
    cmocka_unit_test(test_hex_goes_both_ways),
    cmocka_unit_test(test_hex_refuses_what_is_malformed),
    cmocka_unit_test(test_reader_stops_at_the_end),
    cmocka_unit_test(test_reader_leaves_its_place_on_failure),
    cmocka_unit_test(test_secrets_are_erased),
    cmocka_unit_test(test_random_bytes_differ),
};

CZ_TEST_MAIN(cases)
