/* test_msm_small_blocks.c: form "cpu" over G1, built with tiny blocks and chunks, so that few
 * points reach what otherwise takes millions: many chunks, lists longer than a block, pieces of
 * pieces. */
#include "curve/curve.h"
#include "msm/msm.h"

#define GROUP      cz_g1
#define AFFINE     cz_g1_affine
#define G(name)    cz_g1_##name
#define COORD      cz_fp
#define COORD_ONE  CZ_FP_ONE
#define C(name)    cz_fp_##name
#define KERNEL     "msm/msm_cpu_add.h"
#define BLOCK_REFS 256
#define LOG_CHUNK  6
#include "msm/msm_body.h"

static bool always(void)
{
    return true;
}

static const cz_msm_g1_form small = {"small",    always,    msm,          bit_sum,
                                     fixed_base, msm_bytes, bit_sum_bytes};
static const cz_msm_g1_form *const small_forms[] = {&small};

static const cz_msm_g1_form *const *only_small(size_t *n)
{
    *n = 1;
    return small_forms;
}

#define FORM        cz_msm_g1_form
#define G_FORMS     only_small
#define REF_MSM     cz_msm_ref_g1
#define REF_BIT_SUM cz_bit_sum_ref_g1
#include "msm_cases.h"

static void msm_small(void **state)
{
    (void)state;
    check_msm("small");
}

static void msm_small_large(void **state)
{
    (void)state;
    check_msm_large("small", 30000);
}

static void msm_small_properties(void **state)
{
    (void)state;
    check_msm_properties("small", 3000);
}

static void bit_sum_small(void **state)
{
    (void)state;
    check_bit_sum("small");
}

static void fixed_base_small(void **state)
{
    (void)state;
    check_fixed_base("small");
}

/* Lists of every length about a piece's and a block's, up to pieces of pieces. */
static void long_lists(void **state)
{
    static const size_t lengths[] = {0, 1, 7, 8, 9, 255, 256, 257, 2047, 2048, 2049, 5000};
    input in = make_input(5000);
    engine e;

    (void)state;
    assert_ok(
        engine_init(&e, NULL, (engine_size){.slots = 5002, .max_refs = 5000, .max_len = 5000}));
    load_points(&e.pool[2], in.points, 5000);
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        uint32_t refs[5000];
        list one = {0, (uint32_t)lengths[k]};
        uint64_t all[5000 / 64 + 1];
        AFFINE sum;
        GROUP got, want;

        for (uint32_t i = 0; i < 5000; i++)
            refs[i] = (i + 2) << 1;
        assert_ok(sum_lists(&e, refs, &one, 1, 1));
        refs[0] = 1 << 1;
        store_points(&sum, e.pool, refs, 1);
        cz_g1_from_affine(&got, &sum);
        memset(all, 0xff, sizeof all);
        cz_bit_sum_ref_g1(&want, in.points, all, lengths[k]);
        assert_true(cz_g1_equal(&got, &want));
    }
    engine_clear(&e);
    free_input(&in);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(msm_small),
    cmocka_unit_test(msm_small_large),
    cmocka_unit_test(msm_small_properties),
    cmocka_unit_test(bit_sum_small),
    cmocka_unit_test(fixed_base_small),
    cmocka_unit_test(long_lists),
};

CZ_TEST_MAIN(cases)
