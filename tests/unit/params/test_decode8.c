/* The eight-at-a-time decoder against the plain one: the same bits, the same refusals. */
#include "tiny_params.h"

#include "base/cpu.h"
#include "params/decode8.h"

static bool plain_g1(cz_g1_affine *p, const uint8_t *in)
{
    return cz_g1_deserialize_unchecked(p, in) == CZ_OK && !cz_g1_affine_is_infinity(p) &&
           cz_g1_affine_on_curve(p);
}

static bool plain_g2(cz_g2_affine *p, const uint8_t *in)
{
    return cz_g2_deserialize_unchecked(p, in) == CZ_OK && !cz_g2_affine_is_infinity(p) &&
           cz_g2_affine_on_curve(p);
}

static void assert_same_g1(uint8_t (*in)[96])
{
    cz_g1_affine got[8], expected[8];
    const uint8_t *rows[8];
    bool good = true;

    for (int i = 0; i < 8; i++) {
        rows[i] = in[i];
        good &= plain_g1(&expected[i], in[i]);
    }
    assert_int_equal(cz_decode8_g1_ifma(got, rows), good);
    if (good)
        assert_memory_equal(got, expected, sizeof got);
}

static void assert_same_g2(uint8_t (*in)[192])
{
    cz_g2_affine got[8], expected[8];
    const uint8_t *rows[8];
    bool good = true;

    for (int i = 0; i < 8; i++) {
        rows[i] = in[i];
        good &= plain_g2(&expected[i], in[i]);
    }
    assert_int_equal(cz_decode8_g2_ifma(got, rows), good);
    if (good)
        assert_memory_equal(got, expected, sizeof got);
}

static void encode_g1(uint8_t (*out)[96])
{
    cz_g1_affine p[8];

    tiny_g1(p, 8);
    for (int i = 0; i < 8; i++)
        cz_g1_serialize(out[i], &p[i]);
}

static void encode_g2(uint8_t (*out)[192])
{
    cz_g2_affine p[8];

    tiny_g2(p, 8);
    for (int i = 0; i < 8; i++)
        cz_g2_serialize(out[i], &p[i]);
}

static void skip_without_ifma(void)
{
    if (!cz_cpu_has(CZ_CPU_AVX512IFMA))
        skip();
}

static void test_good_points(void **state)
{
    uint8_t g1[8][96], g2[8][192];

    (void)state;
    skip_without_ifma();
    for (int round = 0; round < 50; round++) {
        encode_g1(g1);
        assert_same_g1(g1);
        encode_g2(g2);
        assert_same_g2(g2);
    }
}

static void test_flipped_bits_in_every_lane(void **state)
{
    uint8_t g1[8][96], g2[8][192];

    (void)state;
    skip_without_ifma();
    encode_g1(g1);
    encode_g2(g2);
    for (int lane = 0; lane < 8; lane++) {
        for (size_t bit = 0; bit < 8 * 96; bit++) {
            g1[lane][bit / 8] ^= (uint8_t)(1 << (bit % 8));
            assert_same_g1(g1);
            g1[lane][bit / 8] ^= (uint8_t)(1 << (bit % 8));
        }
        for (size_t bit = (size_t)lane; bit < 8 * 192; bit += 8) {
            g2[lane][bit / 8] ^= (uint8_t)(1 << (bit % 8));
            assert_same_g2(g2);
            g2[lane][bit / 8] ^= (uint8_t)(1 << (bit % 8));
        }
    }
    assert_same_g1(g1);
    assert_same_g2(g2);
}

/* out += p, big-endian, where it fits 48 bytes: the same element, not canonical. */
static void add_modulus(uint8_t *coord)
{
    static const uint64_t p[6] = CZ_FP_MODULUS;
    unsigned carry = 0;

    for (int i = 0; i < 48; i++) {
        unsigned sum = coord[47 - i] + (unsigned)(p[i / 8] >> (8 * (i % 8)) & 0xff) + carry;

        coord[47 - i] = (uint8_t)sum;
        carry = sum >> 8;
    }
}

static void test_the_same_element_beyond_the_modulus(void **state)
{
    uint8_t g1[8][96], g2[8][192];
    const uint8_t *rows1[8], *rows2[8];
    cz_g1_affine out1[8];
    cz_g2_affine out2[8];

    (void)state;
    skip_without_ifma();
    for (int i = 0; i < 8; i++) {
        rows1[i] = g1[i];
        rows2[i] = g2[i];
    }
    for (size_t at = 0; at < 192; at += 48) {
        encode_g1(g1);
        encode_g2(g2);
        add_modulus(g1[at / 48] + at % 96);
        add_modulus(g2[at / 48] + at);
        assert_false(cz_decode8_g1_ifma(out1, rows1));
        assert_false(cz_decode8_g2_ifma(out2, rows2));
        assert_same_g1(g1);
        assert_same_g2(g2);
    }
}

static void test_infinity_and_zero(void **state)
{
    uint8_t g1[8][96], g2[8][192];

    (void)state;
    skip_without_ifma();
    for (int flags = 0; flags < 8; flags++) {
        encode_g1(g1);
        encode_g2(g2);
        memset(g1[flags], 0, 96);
        memset(g2[flags], 0, 192);
        g1[flags][0] = (uint8_t)(flags << 5);
        g2[flags][0] = (uint8_t)(flags << 5);
        assert_same_g1(g1);
        assert_same_g2(g2);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_good_points),
    cmocka_unit_test(test_flipped_bits_in_every_lane),
    cmocka_unit_test(test_the_same_element_beyond_the_modulus),
    cmocka_unit_test(test_infinity_and_zero),
};

CZ_TEST_MAIN(cases)
