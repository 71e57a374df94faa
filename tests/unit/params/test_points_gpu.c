/* Points of a parameter file on a device: the host's loader's bytes and refusals. On the host's
 * stand-in by default, on a device with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "host_points.h"
#include "scratch.h"
#include "tiny_params.h"

#include "params/points_gpu.h"

typedef struct {
    cz_gpu *gpu;
    cz_points_gpu *points;
    cz_params params;
    char path[256]; /* scratch_path()'s do not last */
} loader;

static void loader_begin(loader *l, const tiny_points *tiny)
{
    host_gpu_table.points_decode = host_points_decode;
    l->gpu = host_gpu_open(0);
    (void)snprintf(l->path, sizeof l->path, "%s", scratch_path("tiny.params"));
    tiny_write(tiny, l->path);
    assert_ok(cz_params_open(&l->params, l->path));
    assert_ok(cz_points_gpu_create(l->gpu, &l->points, &l->params));
}

static void loader_end(loader *l)
{
    cz_points_gpu_destroy(l->points);
    cz_params_close(&l->params);
    cz_gpu_close(l->gpu);
}

/* Even ones to part 0, odd ones to part 1, both backwards. */
static void places(void *ctx, uint32_t *to, size_t first, size_t n)
{
    const uint32_t all = *(const uint32_t *)ctx;

    for (size_t i = 0; i < n; i++) {
        const uint32_t k = (uint32_t)(first + i), half = k / 2;

        to[i] = k % 2 == 0 ? (all + 1) / 2 - 1 - half : (all / 2 - 1 - half) | CZ_POINTS_PART1;
    }
}

static void assert_list(loader *l, const cz_point_list *list, const void *want, size_t bytes)
{
    uint32_t n = list->n;
    const size_t part_bytes = (n + 1) / 2 * bytes;
    cz_points_layout layout = {.places = places, .ctx = &n};
    uint8_t *got = malloc(2 * part_bytes);

    assert_non_null(got);
    for (int i = 0; i < 2; i++)
        assert_ok(cz_gpu_take(l->gpu, CZ_GPU_DEVICE_MEMORY, &layout.d_part[i], part_bytes, "test"));
    assert_ok(cz_points_gpu_load(l->points, &l->params, list, NULL, &layout));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(cz_gpu_copy(l->gpu, CZ_GPU_COMPUTE, got + i * part_bytes, layout.d_part[i],
                              part_bytes));
        assert_ok(cz_gpu_sync(l->gpu));
        cz_gpu_give_back(l->gpu, layout.d_part[i]);
    }
    for (uint32_t k = 0; k < n; k++) {
        uint32_t place;

        places(&n, &place, k, 1);
        assert_memory_equal(got + (place & CZ_POINTS_PART1 ? part_bytes : 0) +
                                bytes * (place & ~CZ_POINTS_PART1),
                            (const uint8_t *)want + k * bytes, bytes);
    }
    free(got);
}

static void test_lists(void **state)
{
    tiny_points tiny;
    loader l;

    (void)state;
    tiny_make(&tiny);
    loader_begin(&l, &tiny);
    for (int round = 0; round < 3; round++) {
        assert_list(&l, &l.params.h, tiny.h, sizeof tiny.h[0]);
        assert_list(&l, &l.params.a, tiny.a, sizeof tiny.a[0]);
        assert_list(&l, &l.params.b_g2, tiny.b_g2, sizeof tiny.b_g2[0]);
    }
    loader_end(&l);
    cz_vk_clear(&tiny.vk);
}

/* The file with one bit flipped. */
static void open_damaged(cz_params *damaged, const loader *l, const cz_point_list *list, size_t bit)
{
    size_t n, at = (size_t)(list->bytes - l->params.map) + bit / 8;
    uint8_t *file = cz_test_read(l->path, &n);

    file[at] ^= (uint8_t)(1 << bit % 8);
    write_bytes(scratch_path("damaged.params"), file, n);
    free(file);
    assert_ok(cz_params_open(damaged, scratch_path("damaged.params")));
}

/* The message must be the host's. */
static void assert_refused(loader *l, bool g2, uint32_t k, size_t bit)
{
    const size_t bytes = g2 ? 192 : 96;
    cz_points_layout layout = {.places = NULL};
    const cz_point_list *list;
    char message[1024];
    cz_params damaged;
    cz_g1_affine g1;
    cz_g2_affine g2_point;

    open_damaged(&damaged, l, g2 ? &l->params.b_g2 : &l->params.l, k * 8 * bytes + bit);
    list = g2 ? &damaged.b_g2 : &damaged.l;
    if (g2)
        assert_fails(cz_params_load_g2(&damaged, list, NULL, k, 1, &g2_point), CZ_E_INPUT, "b_g2[");
    else
        assert_fails(cz_params_load_g1(&damaged, list, NULL, k, 1, &g1), CZ_E_INPUT, "l[");
    (void)snprintf(message, sizeof message, "%s", cz_err_message());
    assert_ok(
        cz_gpu_take(l->gpu, CZ_GPU_DEVICE_MEMORY, &layout.d_part[0], list->n * bytes, "test"));
    assert_fails(cz_points_gpu_load(l->points, &damaged, list, NULL, &layout), CZ_E_INPUT, message);
    cz_gpu_give_back(l->gpu, layout.d_part[0]);
    cz_params_close(&damaged);
}

static void test_damaged_points(void **state)
{
    static const size_t bits[] = {7, 6, 5, 4, 0, 8 * 47, 8 * 48 + 7, 8 * 50 + 3, 8 * 95};
    tiny_points tiny;
    loader l;

    (void)state;
    tiny_make(&tiny);
    loader_begin(&l, &tiny);
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        assert_refused(&l, false, (uint32_t)(i % TINY_L), bits[i]);
        assert_refused(&l, true, (uint32_t)(i % TINY_B), bits[i]);
        assert_refused(&l, true, (uint32_t)(i % TINY_B), 8 * 96 + bits[i]);
    }
    loader_end(&l);
    cz_vk_clear(&tiny.vk);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_lists, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_damaged_points, scratch_make, scratch_remove),
};
CZ_TEST_MAIN(cases)
