/* test_split_plan.c: segments have room for what random digits bring, and hold every key. */
#include "msm/split_plan.h"

#include <string.h>

#include "msm/msm_plan.h"
#include "support.h"

enum { CAPACITY = 9216 };

static const uint64_t sizes[] = {
    1, 1000, 1 << 16, 1 << 20, 3000000, 1 << 24, 1 << 26, 1 << 27, (1 << 27) + (1 << 25)};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static double each(const cz_msm_plan *plan, const cz_msm_plan_set *set)
{
    return 2.0 * (double)plan->n * set->n_windows / (2.0 * set->buckets);
}

static void segments_hold_every_key(void **state)
{
    (void)state;
    for (unsigned tables = 1; tables <= 4; tables *= 2)
        for (int i = 0; i < N_SIZES; i++) {
            cz_msm_plan plan;

            cz_msm_plan_choose(&plan, sizes[i], tables);
            for (unsigned j = 0; j < plan.n_sets; j++) {
                const cz_msm_plan_set *set = &plan.set[j];
                cz_split_shape s = {0};

                if (!cz_split_plan(&s, each(&plan, set), 2 * set->stride, CZ_MSM_PLAN_KEY_BITS,
                                   CAPACITY)) {
                    assert_true(cz_split_bound(each(&plan, set)) > CAPACITY);
                    continue;
                }
                assert_true(s.low <= CZ_MSM_PLAN_KEY_BITS);
                assert_true(s.segment_places <= CAPACITY && s.segment_places % 2 == 0);
                assert_int_equal((uint64_t)s.n_segments << s.low, 2 * (uint64_t)set->stride);
                assert_true((uint64_t)s.n_parts << s.fine >= s.n_segments);
                assert_true((uint64_t)(s.n_parts - 1) << s.fine < s.n_segments);
                assert_true(s.n_parts <= CZ_SPLIT_MAX_BINS && s.fine <= 10);
                assert_true((uint64_t)s.n_segments * s.segment_places <= UINT32_MAX);
                assert_true((uint64_t)s.n_parts * s.part_places <= UINT32_MAX);
            }
        }
}

/* 2^27 with a table is what the split was made for: two steps of 8 bits, full blocks. */
static void large_splits_are_even(void **state)
{
    cz_msm_plan plan;
    cz_split_shape s = {0};

    (void)state;
    cz_msm_plan_choose(&plan, 1 << 27, 2);
    assert_true(cz_split_plan(&s, each(&plan, &plan.set[0]), 2 * plan.set[0].stride, 10, CAPACITY));
    assert_int_equal(s.low, 10);
    assert_int_equal(s.fine, 8);
    assert_int_equal(s.n_parts, 256);
    assert_true((uint64_t)s.n_parts * s.part_places < (plan.max_entries + plan.max_entries / 50));
}

static void too_many_entries_a_key_are_refused(void **state)
{
    cz_split_shape s = {0};

    (void)state;
    assert_false(cz_split_plan(&s, 9000, 1 << 12, 10, CAPACITY));
    assert_true(cz_split_plan(&s, 8000, 1 << 12, 10, CAPACITY));
    assert_int_equal(s.low, 0);
}

static void random_keys_do_not_overflow(void **state)
{
    enum { ENTRIES = 1 << 21, KEYS = 1 << 18 };
    static uint32_t segments[KEYS], parts[CZ_SPLIT_MAX_BINS];
    cz_split_shape s = {0};

    (void)state;
    assert_true(cz_split_plan(&s, (double)ENTRIES / KEYS, KEYS, 10, CAPACITY));
    memset(segments, 0, sizeof segments);
    memset(parts, 0, sizeof parts);
    for (int i = 0; i < ENTRIES; i++) {
        const uint32_t segment = (uint32_t)(cz_test_random() % KEYS) >> s.low;

        segments[segment]++;
        parts[segment >> s.fine]++;
    }
    for (uint32_t i = 0; i < s.n_segments; i++)
        assert_true(segments[i] <= s.segment_places);
    for (uint32_t i = 0; i < s.n_parts; i++)
        assert_true(parts[i] <= s.part_places);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(segments_hold_every_key),
    cmocka_unit_test(large_splits_are_even),
    cmocka_unit_test(too_many_entries_a_key_are_refused),
    cmocka_unit_test(random_keys_do_not_overflow),
};

CZ_TEST_MAIN(cases)
