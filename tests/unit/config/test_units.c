/* Sizes and durations: exact values, refusals, and text that reads back. */
#include "support.h"

#include "config/units.h"

#define GIB ((uint64_t)1 << 30)

static void sizes_are_exact(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {
        {"256GiB", 256 * GIB},
        {"12.5GiB", 12 * GIB + GIB / 2},
        {" 1 KiB ", 1024},
        {"64MB", 64000000},
        {"2TiB", 2048 * GIB},
        {"1.000001MB", 1000001},
        {"0B", 0},
        {"18446744073709551615B", UINT64_MAX},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t bytes;

        assert_ok(cz_size_parse(&bytes, cases[i].text));
        assert_true(bytes == cases[i].bytes);
    }
}

static void sizes_that_other_programs_misread_are_refused(void **state)
{
    uint64_t bytes;

    (void)state;
    assert_fails(cz_size_parse(&bytes, "512G"), CZ_E_INPUT, "unknown unit 'G'");
    assert_fails(cz_size_parse(&bytes, "512"), CZ_E_INPUT, "no unit");
    assert_fails(cz_size_parse(&bytes, "12,5GiB"), CZ_E_INPUT, "no unit");
    assert_fails(cz_size_parse(&bytes, "gib"), CZ_E_INPUT, "is not a size");
    assert_fails(cz_size_parse(&bytes, "-1GiB"), CZ_E_INPUT, "is not a size");
    assert_fails(cz_size_parse(&bytes, "1GiB2"), CZ_E_INPUT, "after the size");
    assert_fails(cz_size_parse(&bytes, "20000000TiB"), CZ_E_INPUT, "too large");
    assert_fails(cz_size_parse(&bytes, "1.GiB"), CZ_E_INPUT, "is not a size");
    assert_fails(cz_size_parse(&bytes, "99999999999999999999B"), CZ_E_INPUT, "is not a size");
    assert_fails(cz_size_parse(&bytes, ""), CZ_E_INPUT, "is not a size");
}

static void durations_add_up(void **state)
{
    static const struct {
        const char *text;
        uint64_t ms;
    } cases[] = {
        {"5m", 300000}, {"1h30m", 5400000}, {"250ms", 250}, {"1.5s", 1500}, {"2d", 172800000},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ms;

        assert_ok(cz_duration_parse(&ms, cases[i].text));
        assert_true(ms == cases[i].ms);
    }
}

static void bad_durations_are_refused(void **state)
{
    uint64_t ms;

    (void)state;
    assert_fails(cz_duration_parse(&ms, "5 minutes"), CZ_E_INPUT, "unknown unit 'minutes'");
    assert_fails(cz_duration_parse(&ms, "5"), CZ_E_INPUT, "no unit");
    assert_fails(cz_duration_parse(&ms, ""), CZ_E_INPUT, "is not a duration");
    assert_fails(cz_duration_parse(&ms, "5m,"), CZ_E_INPUT, "is not a duration");
}

static void texts_read_back(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        const uint64_t value = cz_test_random() >> (cz_test_random() % 64);
        char text[CZ_UNIT_TEXT_BYTES];
        uint64_t again;

        cz_size_text(text, value);
        assert_ok(cz_size_parse(&again, text));
        assert_true(again == value);
        cz_duration_text(text, value);
        assert_ok(cz_duration_parse(&again, text));
        assert_true(again == value);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(sizes_are_exact),
    cmocka_unit_test(sizes_that_other_programs_misread_are_refused),
    cmocka_unit_test(durations_add_up),
    cmocka_unit_test(bad_durations_are_refused),
    cmocka_unit_test(texts_read_back),
};

CZ_TEST_MAIN(cases)
