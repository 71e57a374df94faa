/* Amounts for people: what is small is not 0. */
#include "support.h"

#include "base/amount.h"

static void amounts_have_the_unit_of_their_size(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {
        {0, "0 bytes"},
        {1023, "1023 bytes"},
        {1024, "1.0 KiB"},
        {700 * 1024 + 512, "700.5 KiB"},
        {(uint64_t)1 << 20, "1.0 MiB"},
        {2726298, "2.6 MiB"}, /* the smallest parameters */
        {(uint64_t)3 << 29, "1.50 GiB"},
        {(uint64_t)1 << 40, "1024.00 GiB"},
        {UINT64_MAX, "17179869184.00 GiB"},
    };
    char out[CZ_AMOUNT_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(cz_amount(out, cases[i].bytes), cases[i].text);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(amounts_have_the_unit_of_their_size),
};
CZ_TEST_MAIN(cases)
