/* Refused requests in the log: each has its line until there are too many. */
#include "support.h"

#include "rpc/refusals.h"

static const uint64_t second = 1000000000;

static void the_first_ones_have_a_line_each(void **state)
{
    cz_refusals r;
    unsigned silent;

    (void)state;
    cz_refusals_init(&r, 5 * second);
    for (unsigned i = 0; i < CZ_REFUSALS_AT_ONCE; i++) {
        assert_true(cz_refusals_take(&r, 5 * second + i, &silent));
        assert_int_equal(silent, 0);
    }
    assert_false(cz_refusals_take(&r, 5 * second + 100, &silent));
    cz_refusals_clear(&r);
}

static void a_flood_has_a_line_a_second_that_counts_the_others(void **state)
{
    unsigned silent, lines = 0, left_out = 0;
    cz_refusals r;

    (void)state;
    cz_refusals_init(&r, 0);
    for (unsigned i = 0; i < 10000; i++) /* a thousand a second, for ten seconds */
        if (cz_refusals_take(&r, i * (second / 1000), &silent)) {
            lines++;
            left_out += silent;
        }
    assert_int_equal(lines, CZ_REFUSALS_AT_ONCE + 9);
    assert_true(left_out > 8900 && left_out <= 10000 - lines);
    cz_refusals_clear(&r);
}

static void a_pause_brings_all_lines_back_and_no_more(void **state)
{
    cz_refusals r;
    unsigned silent, lines = 0;

    (void)state;
    cz_refusals_init(&r, 0);
    while (cz_refusals_take(&r, 1, &silent))
        ;
    assert_true(cz_refusals_take(&r, 100000 * second, &silent));
    assert_int_equal(silent, 1);
    for (lines = 1; cz_refusals_take(&r, 100000 * second, &silent); lines++)
        assert_int_equal(silent, 0);
    assert_int_equal(lines, CZ_REFUSALS_AT_ONCE);
    assert_false(cz_refusals_take(&r, 5 * second, &silent)); /* a clock that goes back gives none */
    cz_refusals_clear(&r);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_first_ones_have_a_line_each),
    cmocka_unit_test(a_flood_has_a_line_a_second_that_counts_the_others),
    cmocka_unit_test(a_pause_brings_all_lines_back_and_no_more),
};
CZ_TEST_MAIN(cases)
