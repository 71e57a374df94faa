/* test_msm_plan.c: how a device cuts sums: every half-scalar falls into windows and buckets. */
#include "msm/msm_plan.h"

#include "support.h"

static const uint64_t sizes[] = {1, 2, 1000, 1 << 16, 1 << 20, 1 << 22, 1 << 24, 1 << 26, 1 << 27};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

static const unsigned tables_of[] = {1, 2, 4, 0}; /* 0: sets together */
enum { FORMS = sizeof tables_of / sizeof *tables_of };

static void windows_cover_the_half_scalar(void **state)
{
    (void)state;
    for (unsigned form = 0; form < FORMS; form++)
        for (int i = 0; i < N_SIZES; i++) {
            const unsigned tables = tables_of[form];
            cz_msm_plan plan;
            int covered[127] = {0};

            if (tables > 0)
                cz_msm_plan_choose(&plan, sizes[i], tables);
            else
                cz_msm_plan_choose_together(&plan, sizes[i]);
            for (unsigned s = 0; s < plan.n_sets; s++)
                for (unsigned w = 0; w < plan.set[s].n_windows; w++) {
                    const cz_msm_plan_window *win = &plan.set[s].window[w];
                    const int end = win->width == 0 ? 127 : win->position + win->width;

                    assert_int_equal(win->position - plan.set[s].position,
                                     (int)win->table * plan.shift);
                    for (int bit = win->position; bit < end; bit++)
                        covered[bit]++;
                }
            for (int bit = 0; bit < 127; bit++)
                assert_int_equal(covered[bit], 1);
        }
}

static void buckets_hold_every_digit(void **state)
{
    (void)state;
    for (unsigned tables = 1; tables <= 4; tables *= 2)
        for (int i = 0; i < N_SIZES; i++) {
            cz_msm_plan plan;
            uint64_t next = 0;

            cz_msm_plan_choose(&plan, sizes[i], tables);
            for (unsigned s = 0; s < plan.n_sets; s++) {
                const cz_msm_plan_set *set = &plan.set[s];

                for (unsigned w = 0; w < set->n_windows; w++)
                    if (set->window[w].width != 0)
                        assert_true(set->buckets >= (uint32_t)1 << (set->window[w].width - 1));
                assert_int_equal(set->first_bucket, next);
                assert_int_equal(set->padded_buckets % ((uint64_t)1 << plan.column_bits), 0);
                assert_true(set->padded_buckets >= set->buckets);
                assert_int_equal(set->stride % (1u << CZ_MSM_PLAN_KEY_BITS), 0);
                assert_true(set->stride >= set->buckets);
                assert_true(plan.max_keys >= 2 * (uint64_t)set->stride);
                next += set->padded_buckets;
            }
            assert_int_equal(plan.all_buckets, next);
        }
}

/* Together: the sets' buckets lie in a row, number and key alike, in whole rows and segments. */
static void sets_together_share_one_range_of_keys(void **state)
{
    (void)state;
    for (int i = 0; i < N_SIZES && sizes[i] <= 1 << 22; i++) {
        cz_msm_plan plan;
        uint64_t next = 0, entries = 0;

        cz_msm_plan_choose_together(&plan, sizes[i]);
        assert_true(plan.together);
        for (unsigned s = 0; s < plan.n_sets; s++) {
            const cz_msm_plan_set *set = &plan.set[s];

            assert_int_equal(set->first_bucket, next);
            assert_int_equal(set->stride, set->padded_buckets);
            assert_int_equal(set->stride % (1u << CZ_MSM_PLAN_KEY_BITS), 0);
            assert_int_equal(set->stride % (1u << plan.column_bits), 0);
            assert_true(set->stride >= set->buckets);
            next += set->stride;
            entries += 2 * plan.n * set->n_windows;
        }
        assert_int_equal(plan.all_buckets, next);
        assert_int_equal(plan.all.buckets, next);
        assert_int_equal(plan.all.stride, next);
        assert_int_equal(plan.all.padded_buckets, next);
        assert_int_equal(plan.max_keys, 2 * next);
        assert_int_equal(plan.max_entries, entries);
    }
}

/* No set's buckets are so much fuller than another's that they would not fit a segment. */
static void sets_together_are_about_equally_full(void **state)
{
    (void)state;
    for (int i = 0; i < N_SIZES && sizes[i] <= 1 << 22; i++) {
        cz_msm_plan plan;
        uint32_t least = UINT32_MAX, most = 0;

        cz_msm_plan_choose_together(&plan, sizes[i]);
        for (unsigned s = 0; s < plan.n_sets; s++) {
            const uint32_t buckets = plan.set[s].buckets;

            least = least < buckets ? least : buckets;
            most = most > buckets ? most : buckets;
        }
        assert_true(most <= 4 * least);
    }
}

/* 2^27: what was measured to be fastest. */
static void large_plans_are_those_measured(void **state)
{
    cz_msm_plan plan;

    (void)state;
    cz_msm_plan_choose(&plan, 1 << 27, 1);
    assert_int_equal(plan.n_sets, 5);
    assert_int_equal(plan.set[0].window[0].width, 26);
    assert_int_equal(plan.set[3].window[0].width, 25);
    cz_msm_plan_choose(&plan, 1 << 27, 2);
    assert_int_equal(plan.n_sets, 3);
    assert_int_equal(plan.shift, 52);
    cz_msm_plan_choose(&plan, 1 << 27, 4);
    assert_int_equal(plan.n_sets, 2);
    assert_int_equal(plan.set[0].n_windows, 4);
    assert_int_equal(plan.shift, 26);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(windows_cover_the_half_scalar),
    cmocka_unit_test(buckets_hold_every_digit),
    cmocka_unit_test(sets_together_share_one_range_of_keys),
    cmocka_unit_test(sets_together_are_about_equally_full),
    cmocka_unit_test(large_plans_are_those_measured),
};

CZ_TEST_MAIN(cases)
