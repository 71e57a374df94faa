/* A test setup's points from a device: the CPU's bytes. On the host's stand-in by default, on a
 * device with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "host_setup.h"
#include "scratch.h"
#include "tiny_params.h"
#include "toy_circuit.h"

#include "msm/msm.h"
#include "params/setup_lists.h"

static cz_gpu *open_gpu(uint64_t budget)
{
    host_gpu_table.setup_multiples = host_setup_multiples;
    return host_gpu_open(budget);
}

static cz_fr random_scalar(void)
{
    uint8_t bytes[32];
    cz_fr r;

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(&r, bytes);
    return r;
}

static cz_toxic_waste random_waste(void)
{
    return (cz_toxic_waste){random_scalar(), random_scalar(), random_scalar(), random_scalar(),
                            random_scalar()};
}

/* ---- multiples ---- */

/* 0, 1, r - 1, powers of 2 and their neighbours, with both signs; the rest random. */
static void fill_edges(cz_fr *scalars, size_t n)
{
    const cz_fr one = CZ_FR_ONE;
    cz_fr power = one;
    size_t i = 0;

    for (; i + 7 <= n && i < 7 * 255; i += 7) {
        scalars[i] = power;
        cz_fr_add(&scalars[i + 1], &power, &one);
        cz_fr_sub(&scalars[i + 2], &power, &one);
        for (size_t k = 0; k < 3; k++)
            cz_fr_neg(&scalars[i + 3 + k], &scalars[i + k]);
        scalars[i + 6] = random_scalar();
        cz_fr_dbl(&power, &power);
    }
    for (; i < n; i++)
        scalars[i] = random_scalar();
}

static void expect_bytes(uint8_t *want, cz_gpu_group group, const cz_fr *scalars, size_t n)
{
    cz_u256 *plain = malloc(n * sizeof *plain);
    cz_g1_affine *g1 = malloc(n * sizeof *g1);
    cz_g2_affine *g2 = malloc(n * sizeof *g2);

    assert_true(plain != NULL && g1 != NULL && g2 != NULL);
    for (size_t i = 0; i < n; i++)
        cz_fr_to_u256(&plain[i], &scalars[i]);
    if (group == CZ_GPU_G1)
        assert_ok(cz_fixed_base_g1(NULL, g1, &cz_g1_generator, plain, n));
    else
        assert_ok(cz_fixed_base_g2(NULL, g2, &cz_g2_generator, plain, n));
    for (size_t i = 0; i < n; i++) {
        if (group == CZ_GPU_G1)
            cz_g1_serialize(want + 96 * i, &g1[i]);
        else
            cz_g2_serialize(want + 192 * i, &g2[i]);
    }
    free(plain);
    free(g1);
    free(g2);
}

static void assert_chunk(cz_setup_gpu *s, cz_gpu_group group, size_t n)
{
    const size_t each = group == CZ_GPU_G1 ? 96 : 192;
    cz_fr *scalars = malloc(n * sizeof *scalars);
    uint8_t *want = malloc(n * each);
    const uint8_t *got;
    size_t n_got;

    assert_true(scalars != NULL && want != NULL);
    fill_edges(scalars, n);
    memcpy(cz_setup_gpu_scalars(s), scalars, n * sizeof *scalars);
    assert_ok(cz_setup_gpu_begin(s, group, n));
    expect_bytes(want, group, scalars, n);
    assert_ok(cz_setup_gpu_end(s, &got, &n_got));
    assert_int_equal(n_got, n);
    assert_memory_equal(got, want, n * each);
    free(scalars);
    free(want);
}

static void test_multiples(void **state)
{
    const size_t sizes[] = {1, 2, 15, 16, 17, 33}, longest[CZ_GPU_GROUPS] = {1800, 100};
    cz_gpu *gpu = open_gpu(0);
    cz_setup_gpu *s;

    (void)state;
    assert_ok(cz_setup_gpu_create(gpu, &s, longest, NULL));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_chunk(s, CZ_GPU_G1, sizes[i]);
        assert_chunk(s, CZ_GPU_G2, sizes[i]);
    }
    assert_chunk(s, CZ_GPU_G1, 1800);
    assert_chunk(s, CZ_GPU_G2, 600);
    cz_setup_gpu_destroy(s);
    cz_gpu_close(gpu);
}

/* The table of long lists, whose chunk may be short. */
static void test_slow_wide_windows(void **state)
{
    const size_t longest[CZ_GPU_GROUPS] = {1 << 20, 1 << 20};
    cz_gpu *gpu = open_gpu(0);
    cz_setup_gpu *s;
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 0));
    assert_ok(cz_setup_gpu_create(gpu, &s, longest, pool));
    assert_chunk(s, CZ_GPU_G1, 1900);
    assert_chunk(s, CZ_GPU_G2, 1900);
    cz_setup_gpu_destroy(s);
    cz_pool_destroy(pool);
    cz_gpu_close(gpu);
}

/* ---- lists ---- */

/* A file of this list alone. */
static uint8_t *write_file(const cz_vk *vk, const cz_setup_list *list, cz_setup_gpu *device,
                           cz_pool *pool, size_t *n)
{
    const cz_setup_options options = {.pool = pool};
    cz_params_writer w;

    assert_ok(cz_params_writer_open(&w, scratch_path("list.params")));
    assert_ok(cz_params_writer_vk(&w, vk));
    for (int i = 0; i < 5; i++) {
        const cz_setup_list none = {.section = "none", .group = list->group};

        assert_ok(cz_setup_list_write(&w, i == 1 ? list : &none, &options, device));
    }
    assert_ok(cz_params_writer_commit(&w));
    return cz_test_read(scratch_path("list.params"), n);
}

static void assert_list(const cz_setup_list *list, cz_setup_gpu *device, cz_pool *pool)
{
    size_t n_want, n_got;
    uint8_t *want, *got;
    tiny_points tiny;

    tiny_make(&tiny);
    want = write_file(&tiny.vk, list, NULL, pool, &n_want);
    got = write_file(&tiny.vk, list, device, pool, &n_got);
    assert_int_equal(n_want, n_got);
    assert_memory_equal(want, got, n_got);
    cz_vk_clear(&tiny.vk);
    free(want);
    free(got);
}

/* Every other one is zero, and a stretch that no chunk begins or ends with. */
static void fill_sparse(cz_fr *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        values[i] = i % 2 != 0 || (i >= 1000 && i < 2060) ? CZ_FR_ZERO : random_scalar();
}

static void test_lists_in_several_chunks(void **state)
{
    enum { N = 5201 };
    static cz_fr values[N];
    const size_t longest[CZ_GPU_GROUPS] = {1, 1};
    cz_gpu *gpu = open_gpu(0);
    cz_setup_gpu *device;
    cz_nonzero nonzero;
    cz_pool *pool;

    (void)state;
    fill_sparse(values, N);
    assert_ok(cz_pool_create(&pool, 3));
    assert_ok(cz_setup_gpu_create(gpu, &device, longest, pool));
    assert_ok(cz_nonzero_find(&nonzero, values, N, pool));
    assert_true(nonzero.n > 2 * cz_setup_gpu_chunk(device, CZ_GPU_G1)); /* else not what is meant */
    assert_list(&(cz_setup_list){.section = "l", .n = nonzero.n, .nonzero = &nonzero}, device,
                pool);
    cz_nonzero_clear(&nonzero);
    assert_ok(cz_nonzero_find(&nonzero, values, 3201, pool));
    assert_true(nonzero.n > cz_setup_gpu_chunk(device, CZ_GPU_G2));
    assert_list(
        &(cz_setup_list){
            .section = "b_g2", .group = CZ_GPU_G2, .n = nonzero.n, .nonzero = &nonzero},
        device, pool);
    cz_nonzero_clear(&nonzero);
    assert_list(
        &(cz_setup_list){
            .section = "h", .n = 1100, .base = random_scalar(), .factor = random_scalar()},
        device, pool);
    cz_setup_gpu_destroy(device);
    cz_pool_destroy(pool);
    cz_gpu_close(gpu);
}

/* ---- whole setups ---- */

static void make_files(const toy_circuit *toy, const cz_toxic_waste *waste, cz_gpu *gpu)
{
    const cz_setup_options options = {.gpu = gpu};

    assert_ok(cz_params_setup_with(&toy->base, waste, scratch_path("toy.params"),
                                   scratch_path("toy.vk"), &options));
}

static void assert_same_file(const char *name, const char *other)
{
    size_t n, m;
    uint8_t *a = cz_test_read(scratch_path(name), &n), *b = cz_test_read(scratch_path(other), &m);

    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

static void test_setups_are_the_same(void **state)
{
    const toy_circuit circuits[] = {toy_make(1, 2, 0), toy_make(5, 40, 20), toy_make(2, 300, 150)};

    (void)state;
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++) {
        const cz_toxic_waste waste = random_waste();
        cz_gpu *gpu = open_gpu(0);

        make_files(&circuits[i], &waste, gpu);
        assert_int_equal(cz_gpu_used_bytes(gpu, CZ_GPU_DEVICE_MEMORY), 0);
        cz_gpu_close(gpu);
        assert_int_equal(rename(scratch_path("toy.params"), scratch_path("device.params")), 0);
        assert_int_equal(rename(scratch_path("toy.vk"), scratch_path("device.vk")), 0);
        make_files(&circuits[i], &waste, NULL);
        assert_same_file("toy.params", "device.params");
        assert_same_file("toy.vk", "device.vk");
    }
}

/* ---- devices that will not do ---- */

static void assert_setup_fails(cz_gpu *gpu, cz_err code, const char *message)
{
    const toy_circuit toy = toy_make(5, 40, 20);
    const cz_toxic_waste waste = random_waste();
    const cz_setup_options options = {.gpu = gpu};
    char command[160];

    assert_fails(cz_params_setup_with(&toy.base, &waste, scratch_path("toy.params"),
                                      scratch_path("toy.vk"), &options),
                 code, message);
    (void)snprintf(command, sizeof command, "test -z \"$(ls -A '%s')\"", scratch_folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(cz_gpu_used_bytes(gpu, CZ_GPU_DEVICE_MEMORY), 0);
    assert_int_equal(cz_gpu_used_bytes(gpu, CZ_GPU_PINNED_MEMORY), 0);
}

static void test_too_little_memory(void **state)
{
    cz_gpu *gpu = open_gpu(1 << 20);

    (void)state;
    assert_setup_fails(gpu, CZ_E_NOMEM, "needs");
    cz_gpu_close(gpu);
}

static cz_err wrong_multiples(cz_gpu *gpu, int g2, void *bytes, const void *table, unsigned c,
                              const void *scalars, size_t n, void *scratch)
{
    CZ_TRY(host_setup_multiples(gpu, g2, bytes, table, c, scalars, n, scratch));
    if (g2)
        ((uint8_t *)bytes)[192 * n - 1] ^= 1;
    return CZ_OK;
}

static cz_err no_multiples(cz_gpu *gpu, int g2, void *bytes, const void *table, unsigned c,
                           const void *scalars, size_t n, void *scratch)
{
    (void)gpu;
    (void)bytes;
    (void)table;
    (void)c;
    (void)scalars;
    (void)n;
    (void)scratch;
    return g2 ? cz_fail(CZ_E_CUDA, "the device has gone") : CZ_OK;
}

static void test_devices_that_fail(void **state)
{
    cz_gpu *gpu;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    gpu = open_gpu(0);
    host_gpu_table.setup_multiples = wrong_multiples;
    assert_setup_fails(gpu, CZ_E_CUDA, "wrong multiples of the generator of G2");
    host_gpu_table.setup_multiples = no_multiples;
    assert_setup_fails(gpu, CZ_E_CUDA, "of G1");
    cz_gpu_close(gpu);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_multiples),
    cmocka_unit_test(test_slow_wide_windows),
    cmocka_unit_test_setup_teardown(test_lists_in_several_chunks, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_setups_are_the_same, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_too_little_memory, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_devices_that_fail, scratch_make, scratch_remove),
};
CZ_TEST_MAIN(cases)
