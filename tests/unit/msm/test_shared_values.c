/* test_shared_values.c: which values a sample of scalars says are shared by many. */
#include "msm/shared_values.h"

#include "support.h"

static cz_shared_scalar samples[SHARED_SAMPLES], values[SHARED_MAX_VALUES];

static void fill_random(void)
{
    for (int i = 0; i < SHARED_SAMPLES; i++)
        for (int j = 0; j < 4; j++)
            samples[i].l[j] = cz_test_random();
}

static void random_scalars_share_nothing(void **state)
{
    (void)state;
    fill_random();
    assert_int_equal(cz_shared_find(values, samples), 0);
}

static void zeros_do_not_count(void **state)
{
    (void)state;
    memset(samples, 0, sizeof samples);
    assert_int_equal(cz_shared_find(values, samples), 0);
}

static void what_is_seen_often_is_found(void **state)
{
    (void)state;
    for (int often = 0; often < 20; often++) {
        fill_random();
        for (int i = 1; i < often; i++)
            samples[i * 97] = samples[5];
        if (often < SHARED_MIN_SEEN) {
            assert_int_equal(cz_shared_find(values, samples), 0);
            continue;
        }
        assert_int_equal(cz_shared_find(values, samples), 1);
        assert_memory_equal(&values[0], &samples[5], sizeof values[0]);
    }
}

/* Values whose limbs cancel, so that all ask for the same place. */
static void values_in_one_place_are_told_apart(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < SHARED_SAMPLES; i++)
        samples[i] = (cz_shared_scalar){{1 + i % 8, 1 + i % 8, 0, 0}};
    assert_int_equal(cz_shared_find(values, samples), 8);
    for (uint64_t i = 0; i < 8; i++)
        assert_int_equal(values[i].l[0], 1 + i);
}

static void no_more_than_the_most_are_found(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < SHARED_SAMPLES; i++)
        samples[i] = (cz_shared_scalar){{1 + i / SHARED_MIN_SEEN, 0, 0, 7}};
    assert_int_equal(cz_shared_find(values, samples), SHARED_MAX_VALUES);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(random_scalars_share_nothing),
    cmocka_unit_test(zeros_do_not_count),
    cmocka_unit_test(what_is_seen_often_is_found),
    cmocka_unit_test(values_in_one_place_are_told_apart),
    cmocka_unit_test(no_more_than_the_most_are_found),
};

CZ_TEST_MAIN(cases)
