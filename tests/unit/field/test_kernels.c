/* test_kernels.c: choosing a form of the multiplications. */
#include "field/kernels.h"

#include "base/cpu.h"
#include "field_cases.h"

static void the_best_form_is_in_use_from_the_start(void **state)
{
    bool adx = cz_cpu_has(CZ_CPU_BMI2) && cz_cpu_has(CZ_CPU_ADX);

    (void)state;
    assert_string_equal(cz_field_kernels.name, adx ? "adx" : "portable");
}

static void an_unknown_form_is_refused_and_changes_nothing(void **state)
{
    const char *before = cz_field_kernels.name;

    (void)state;
    assert_fails(cz_field_select("abacus"), CZ_E_NOTFOUND, "'abacus': no such form");
    assert_fails(cz_field_select(""), CZ_E_NOTFOUND, "no such form");
    assert_string_equal(cz_field_kernels.name, before);
}

static unsigned runs;

static void count_run(void)
{
    runs++;
}

static void select_and_leave(const char *form)
{
    const char *before = cz_field_kernels.name;

    runs = 0;
    with_form(form, count_run);
    assert_int_equal(runs, 1);
    assert_string_equal(cz_field_kernels.name, before);
}

static void portable_can_be_selected_and_left(void **state)
{
    (void)state;
    select_and_leave("portable");
}

static void adx_can_be_selected_and_left(void **state)
{
    (void)state;
    select_and_leave("adx");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_best_form_is_in_use_from_the_start),
    cmocka_unit_test(an_unknown_form_is_refused_and_changes_nothing),
    cmocka_unit_test(portable_can_be_selected_and_left),
    cmocka_unit_test(adx_can_be_selected_and_left),
};

CZ_TEST_MAIN(cases)
