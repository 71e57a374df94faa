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

static void every_form_can_be_selected_and_left(void **state)
{
    const char *before = cz_field_kernels.name;

    (void)state;
    runs = 0;
    with_each_form(count_run);
    assert_in_range(runs, 1, 2);
    assert_string_equal(cz_field_kernels.name, before);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_best_form_is_in_use_from_the_start),
    cmocka_unit_test(an_unknown_form_is_refused_and_changes_nothing),
    cmocka_unit_test(every_form_can_be_selected_and_left),
};

CZ_TEST_MAIN(cases)
