/* test_arena.c: maps of device memory; opening a device where there may be none. */
#include "gpu/arena.h"

#include <string.h>

#include "gpu/gpu.h"
#include "support.h"

static void regions_do_not_overlap_and_are_aligned(void **state)
{
    static const uint64_t sizes[] = {1, 255, 256, 257, 0, (uint64_t)40 << 30, 3};
    enum { N = sizeof sizes / sizeof *sizes };
    cz_arena_map map = {0};
    uint64_t end = 0;

    (void)state;
    for (unsigned i = 0; i < N; i++)
        assert_int_equal(cz_arena_add(&map, "region", sizes[i]), i);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(map.region[i].offset % CZ_ARENA_ALIGN, 0);
        assert_true(map.region[i].offset >= end);
        end = map.region[i].offset + map.region[i].bytes;
    }
    assert_true(map.bytes >= end);
    assert_true(map.bytes < end + CZ_ARENA_ALIGN);
}

static void regions_lie_in_the_block(void **state)
{
    static char block[1024];
    cz_arena_map map = {0};
    unsigned a, b;

    (void)state;
    a = cz_arena_add(&map, "a", 100);
    b = cz_arena_add(&map, "b", 100);
    assert_ptr_equal(cz_arena_at(&map, a, block), block);
    assert_ptr_equal(cz_arena_at(&map, b, block), block + CZ_ARENA_ALIGN);
}

/* With a device or without, the first answer is clean. */
static void no_device_is_an_error_with_a_reason(void **state)
{
    cz_gpu *gpu = NULL, *other = NULL;
    cz_err err = cz_gpu_open(&gpu, 0, 0);

    (void)state;
    if (err == CZ_OK) {
        assert_fails(cz_gpu_open(&other, 4096, 0), CZ_E_NODEV, "4096");
        cz_gpu_close(gpu);
        return;
    }
    assert_int_equal(err, CZ_E_NODEV);
    assert_non_null(strstr(cz_err_message(), "no CUDA"));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(regions_do_not_overlap_and_are_aligned),
    cmocka_unit_test(regions_lie_in_the_block),
    cmocka_unit_test(no_device_is_an_error_with_a_reason),
};

CZ_TEST_MAIN(cases)
