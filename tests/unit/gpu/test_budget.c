/* test_budget.c: what is taken of a device's memory where nobody says. */
#include "gpu/device_budget.h"

#include "support.h"

static const uint64_t MIB = 1 << 20, GIB = 1 << 30;

static void nearly_all_that_is_free_is_taken(void **state)
{
    (void)state;
    for (uint64_t free_bytes = 0; free_bytes < 300 * GIB; free_bytes += GIB / 2 + 12345) {
        const cz_gpu_budget b = cz_gpu_budget_make(0, free_bytes);

        assert_true(b.cautious <= b.bytes && b.bytes <= free_bytes);
        assert_true(b.cautious >= free_bytes / 10 * 9);
        assert_true(free_bytes - b.bytes == CZ_GPU_MOST_RESERVE || b.bytes == b.cautious);
        assert_true(free_bytes - b.bytes <= CZ_GPU_MOST_RESERVE);
    }
}

/* Four tables of H, for SnapDeals of 32 GiB on a card of 141: 143.1 GB. */
static void large_cards_hold_the_largest_plan(void **state)
{
    const cz_gpu_budget b = cz_gpu_budget_make(0, 143000 * MIB);

    (void)state;
    assert_true(b.bytes > (uint64_t)144 * 1000 * 1000 * 1000);
    assert_true(b.cautious < (uint64_t)140 * 1000 * 1000 * 1000);
    assert_int_equal(cz_gpu_budget_make(0, 12 * GIB).bytes, 12 * GIB - 12 * GIB / 10);
}

static void only_what_was_not_given_shrinks(void **state)
{
    cz_gpu_budget b = cz_gpu_budget_make(40 * GIB, 30 * GIB);

    (void)state;
    assert_true(b.bytes == 40 * GIB);
    cz_gpu_budget_shrink(&b, GIB);
    assert_true(b.bytes == 40 * GIB);
    b = cz_gpu_budget_make(0, 80 * GIB);
    cz_gpu_budget_shrink(&b, 75 * GIB); /* what is taken stays in it */
    assert_true(b.bytes == 75 * GIB);
    cz_gpu_budget_shrink(&b, GIB);
    assert_true(b.bytes == 72 * GIB);
    cz_gpu_budget_shrink(&b, GIB);
    assert_true(b.bytes == 72 * GIB);
    cz_gpu_budget_shrink(&b, 79 * GIB); /* never grows */
    assert_true(b.bytes == 72 * GIB);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(nearly_all_that_is_free_is_taken),
    cmocka_unit_test(large_cards_hold_the_largest_plan),
    cmocka_unit_test(only_what_was_not_given_shrinks),
};

CZ_TEST_MAIN(cases)
