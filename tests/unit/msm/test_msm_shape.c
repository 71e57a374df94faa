/* test_msm_shape.c: windows and digits, for every width of windows. */
#include "msm/msm_shape.h"

#include <string.h>

#include "msm/msm.h"
#include "support.h"

enum { N_EDGES = 8, N_RANDOM = 56, N_SCALARS = N_EDGES + N_RANDOM };

static void make_scalars(cz_u256 ks[N_SCALARS])
{
    static const cz_u256 edges[N_EDGES] = {
        {{0}},
        {{1}},
        {CZ_FR_MODULUS},
        {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1}},
        {{0, 0, 0, (uint64_t)1 << 62}},
        {{0x5555555555555555, 0x5555555555555555, 0x5555555555555555, 0x5555555555555555}},
        {{0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0xaaaaaaaaaaaaaaaa, 0x2aaaaaaaaaaaaaaa}},
        {{0, UINT64_MAX, 0, UINT64_MAX >> 1}},
    };

    memcpy(ks, edges, sizeof edges);
    cz_test_random_bytes((uint8_t *)&ks[N_EDGES], N_RANDOM * sizeof ks[0]);
    for (int i = N_EDGES; i < N_SCALARS; i++)
        ks[i].l[3] >>= 1;
}

/* acc = 2^bits acc + digit, modulo 2^320: two's complement */
static void shift_and_add(uint64_t acc[5], unsigned bits, int64_t digit)
{
    uint64_t carry = 0;

    for (int i = 4; i > 0; i--)
        acc[i] = acc[i] << bits | acc[i - 1] >> (64 - bits);
    acc[0] <<= bits;
    for (int i = 0; i < 5; i++)
        acc[i] = cz_adc(acc[i], i == 0 ? (uint64_t)digit : (uint64_t)(digit >> 63), &carry);
}

static void digits_give_the_scalar(void **state)
{
    cz_u256 ks[N_SCALARS];

    (void)state;
    make_scalars(ks);
    for (unsigned c = 2; c <= CZ_MSM_MAX_WINDOW; c++) {
        cz_msm_shape s;

        cz_msm_shape_init(&s, c);
        for (int i = 0; i < N_SCALARS; i++) {
            uint64_t r[CZ_MSM_RECODED_LIMBS];
            uint64_t acc[5] = {0};

            cz_msm_recode(r, &ks[i], &s);
            for (unsigned w = s.n_windows; w-- > 0;) {
                uint32_t digit = cz_msm_digit(r, w, &s);
                int64_t magnitude = digit >> 1;

                assert_true(magnitude <= (int64_t)1 << cz_msm_bucket_bits(&s, w));
                assert_true(digit != 1);
                shift_and_add(acc, c, (digit & 1) != 0 ? -magnitude : magnitude);
            }
            assert_memory_equal(acc, ks[i].l, sizeof ks[i].l);
            assert_true(acc[4] == 0);
        }
    }
}

static void blocks_give_the_same_digits(void **state)
{
    cz_u256 ks[N_SCALARS];
    static cz_msm_scalar_block block;

    (void)state;
    make_scalars(ks);
    for (unsigned c = 2; c <= CZ_MSM_MAX_WINDOW; c++) {
        cz_msm_shape s;

        cz_msm_shape_init(&s, c);
        cz_msm_recode_block(&block, ks, N_SCALARS, &s);
        for (unsigned w = 0; w < s.n_windows; w++) {
            uint32_t digits[N_SCALARS];

            cz_msm_digit_block(digits, &block, N_SCALARS, w, &s);
            for (int i = 0; i < N_SCALARS; i++) {
                uint64_t r[CZ_MSM_RECODED_LIMBS];

                cz_msm_recode(r, &ks[i], &s);
                assert_int_equal(digits[i], cz_msm_digit(r, w, &s));
            }
        }
    }
}

/* Buckets of all windows lie one after another. */
static void bucket_numbers(void **state)
{
    (void)state;
    for (unsigned c = 2; c <= CZ_MSM_MAX_WINDOW; c++) {
        cz_msm_shape s;

        cz_msm_shape_init(&s, c);
        assert_true(c * (s.n_windows - 1) + s.top_bits == CZ_MSM_SCALAR_BITS);
        for (unsigned w = 0; w < s.n_windows; w++)
            assert_true(cz_msm_bucket_base(&s, w) + ((size_t)1 << cz_msm_bucket_bits(&s, w)) ==
                        cz_msm_bucket_base(&s, w + 1));
        assert_true(cz_msm_n_buckets(&s) == cz_msm_bucket_base(&s, s.n_windows));
    }
}

/* Wider windows for more points, within the bound. */
static void choice_grows(void **state)
{
    unsigned before = 0;
    cz_msm_shape s;

    (void)state;
    for (unsigned log_n = 0; log_n <= 28; log_n++) {
        cz_msm_shape_choose(&s, (size_t)1 << log_n, 2, CZ_MSM_MAX_WINDOW);
        assert_true(s.c >= before && s.c <= CZ_MSM_MAX_WINDOW);
        before = s.c;
    }
    cz_msm_shape_choose(&s, (size_t)1 << 28, 2, 16);
    assert_int_equal(s.c, 16);
}

/* However little a bucket costs, there are not many more than points. */
static void buckets_are_bounded(void **state)
{
    (void)state;
    for (unsigned log_n = 0; log_n <= 28; log_n++) {
        const size_t n = (size_t)1 << log_n;
        const size_t most = n / 4 > (size_t)1 << 20 ? n / 4 : (size_t)1 << 20;
        cz_msm_shape s;

        cz_msm_shape_choose(&s, n, 0, CZ_MSM_MAX_WINDOW);
        assert_in_range(cz_msm_n_buckets(&s), 1, most);
    }
}

static unsigned window_of(size_t n, unsigned max_window)
{
    cz_msm_shape s;

    cz_msm_shape_rule(&s, n, 2, max_window);
    return s.c;
}

/* ln(2^k), rounded up, is k 0.693147 rounded up. */
static void rules_for_measurements(void **state)
{
    cz_msm_shape by_size;

    (void)state;
    cz_msm_set_window(CZ_MSM_WINDOW_TABLE, 0);
    for (unsigned k = 3; k <= 28; k++) {
        const unsigned want = (k * 693147 + 999999) / 1000000;

        assert_int_equal(window_of((size_t)1 << k, CZ_MSM_MAX_WINDOW), want);
        assert_int_equal(window_of(((size_t)1 << k) - 1, CZ_MSM_MAX_WINDOW), want);
    }
    assert_int_equal(window_of(0, CZ_MSM_MAX_WINDOW), 2);
    assert_int_equal(window_of((size_t)1 << 28, 16), 16);
    cz_msm_set_window(CZ_MSM_WINDOW_FIXED, 13);
    assert_int_equal(window_of(1, CZ_MSM_MAX_WINDOW), 13);
    assert_int_equal(window_of((size_t)1 << 28, CZ_MSM_MAX_WINDOW), 13);
    assert_int_equal(window_of((size_t)1 << 28, 10), 10);
    cz_msm_set_window(CZ_MSM_WINDOW_BY_SIZE, 0);
    cz_msm_shape_choose(&by_size, 5000, 2, CZ_MSM_MAX_WINDOW);
    assert_int_equal(window_of(5000, CZ_MSM_MAX_WINDOW), by_size.c);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(digits_give_the_scalar), cmocka_unit_test(blocks_give_the_same_digits),
    cmocka_unit_test(bucket_numbers),         cmocka_unit_test(choice_grows),
    cmocka_unit_test(buckets_are_bounded),    cmocka_unit_test(rules_for_measurements),
};

CZ_TEST_MAIN(cases)
