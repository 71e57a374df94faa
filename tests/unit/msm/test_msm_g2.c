/* test_msm_g2.c: sums over G2: every form against the definition. */
#include "curve/curve.h"
#include "msm/msm.h"

#define GROUP       cz_g2
#define AFFINE      cz_g2_affine
#define G(name)     cz_g2_##name
#define C(name)     cz_fp2_##name
#define FORM        cz_msm_g2_form
#define G_FORMS     cz_msm_g2_forms
#define REF_MSM     cz_msm_ref_g2
#define REF_BIT_SUM cz_bit_sum_ref_g2
#include "msm_cases.h"

static void msm_cpu(void **state)
{
    (void)state;
    check_msm("cpu");
}

static void msm_cpu_large(void **state)
{
    (void)state;
    check_msm_large("cpu", 20000);
}

/* More than one chunk of points. */
static void msm_cpu_slow_chunks(void **state)
{
    (void)state;
    check_msm_large("cpu", ((size_t)1 << 17) + 1001);
}

static void msm_cpu_properties(void **state)
{
    (void)state;
    check_msm_properties("cpu", 3000);
}

static void bit_sum_cpu(void **state)
{
    (void)state;
    check_bit_sum("cpu");
}

static void fixed_base_cpu(void **state)
{
    (void)state;
    check_fixed_base("cpu");
}

static void msm_ifma(void **state)
{
    (void)state;
    check_msm("ifma");
}

static void msm_ifma_large(void **state)
{
    (void)state;
    check_msm_large("ifma", 20000);
}

/* More than one chunk of points. */
static void msm_ifma_slow_chunks(void **state)
{
    (void)state;
    check_msm_large("ifma", ((size_t)1 << 17) + 1001);
}

static void msm_ifma_properties(void **state)
{
    (void)state;
    check_msm_properties("ifma", 3000);
}

static void bit_sum_ifma(void **state)
{
    (void)state;
    check_bit_sum("ifma");
}

static void fixed_base_ifma(void **state)
{
    (void)state;
    check_fixed_base("ifma");
}

/* The public entries: nothing to add, too much to add. */
static void entries_check_n(void **state)
{
    cz_g2 sum;

    (void)state;
    memset(&sum, GUARD, sizeof sum);
    assert_ok(cz_msm_g2(NULL, &sum, NULL, NULL, 0));
    assert_true(cz_g2_is_infinity(&sum));
    memset(&sum, GUARD, sizeof sum);
    assert_ok(cz_bit_sum_g2(NULL, &sum, NULL, NULL, 0));
    assert_true(cz_g2_is_infinity(&sum));
    assert_ok(cz_fixed_base_g2(NULL, NULL, NULL, NULL, 0));
    assert_fails(cz_msm_g2(NULL, &sum, NULL, NULL, ((size_t)1 << 28) + 1), CZ_E_ARG,
                 "at most 2^28");
}

static void entries_run_best_form(void **state)
{
    input in = make_input(100);
    uint64_t bits[2] = {0x0123456789abcdefu, 0xfedcba9876543210u};
    cz_g2_affine multiples[100];
    cz_g2 want, got;

    (void)state;
    cz_msm_ref_g2(&want, in.points, in.scalars, in.n);
    assert_ok(cz_msm_g2(NULL, &got, in.points, in.scalars, in.n));
    assert_true(cz_g2_equal(&got, &want));
    cz_bit_sum_ref_g2(&want, in.points, bits, in.n);
    assert_ok(cz_bit_sum_g2(NULL, &got, in.points, bits, in.n));
    assert_true(cz_g2_equal(&got, &want));
    assert_ok(cz_fixed_base_g2(NULL, multiples, &in.points[7], in.scalars, in.n));
    cz_msm_ref_g2(&want, &in.points[7], &in.scalars[99], 1);
    cz_g2_from_affine(&got, &multiples[99]);
    assert_true(cz_g2_equal(&got, &want));
    free_input(&in);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(msm_cpu),
    cmocka_unit_test(msm_cpu_large),
    cmocka_unit_test(msm_cpu_slow_chunks),
    cmocka_unit_test(msm_cpu_properties),
    cmocka_unit_test(bit_sum_cpu),
    cmocka_unit_test(fixed_base_cpu),
    cmocka_unit_test(msm_ifma),
    cmocka_unit_test(msm_ifma_large),
    cmocka_unit_test(msm_ifma_slow_chunks),
    cmocka_unit_test(msm_ifma_properties),
    cmocka_unit_test(bit_sum_ifma),
    cmocka_unit_test(fixed_base_ifma),
    cmocka_unit_test(entries_check_n),
    cmocka_unit_test(entries_run_best_form),
};

CZ_TEST_MAIN(cases)
