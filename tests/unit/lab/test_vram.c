/* Device memory as NVML tells it, on a stand-in. */
#define _GNU_SOURCE
#include "support.h"

#include <stdlib.h>

#include "monitor.h"
#include "vram.h"

static void test_memory_of_all_devices(void **state)
{
    (void)state;
    assert_int_equal(setenv("CUZK_NVML_LIB", CZ_FAKE_NVML, 1), 0);
    assert_true(lab_vram_used() == 3.0 * (1 << 30));
    assert_true(lab_vram_used() == 3.0 * (1 << 30));
}

/* Each case is a process of its own in ctest; here the library may be loaded already. */
static void test_without_the_library(void **state)
{
    const double before = lab_vram_used();

    (void)state;
    if (before > 0)
        skip();
    assert_int_equal(setenv("CUZK_NVML_LIB", "/nowhere/at-all.so", 1), 0);
    assert_true(lab_vram_used() == 0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_memory_of_all_devices),
    cmocka_unit_test(test_without_the_library),
};

CZ_TEST_MAIN(cases)
