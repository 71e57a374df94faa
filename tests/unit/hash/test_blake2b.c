/* test_blake2b.c: [RFC 7693] and the one-call form against the stream. */
#include "hash/blake2b.h"

#include "base/bytes.h"
#include "support.h"

/* [RFC 7693, appendix A] */
static void test_abc(void **state)
{
    uint8_t hash[64];
    char hex[129];

    (void)state;
    assert_ok(cz_blake2b_of(hash, "abc", 3));
    cz_hex_encode(hex, hash, 64);
    assert_string_equal(hex, "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
                             "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
}

static void test_stream_equals_one_call(void **state)
{
    uint8_t data[1000], whole[64], cut[64];
    cz_blake2b *s = NULL;

    (void)state;
    cz_test_random_bytes(data, sizeof data);
    assert_ok(cz_blake2b_of(whole, data, sizeof data));
    assert_ok(cz_blake2b_create(&s));
    for (size_t at = 0; at < sizeof data; at += 100)
        assert_ok(cz_blake2b_update(s, data + at, 100));
    assert_ok(cz_blake2b_final(s, cut));
    cz_blake2b_destroy(s);
    assert_memory_equal(cut, whole, 64);
    cz_blake2b_destroy(NULL);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_abc),
    cmocka_unit_test(test_stream_equals_one_call),
};
CZ_TEST_MAIN(cases)
