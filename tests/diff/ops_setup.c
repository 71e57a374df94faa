/* ops_setup.c: the differential table's rows of a test setup: encoded multiples of generators. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msm/msm.h"
#include "ops.h"
#include "params/setup_device.h"
#include "params/setup_gpu.h"

static const size_t sizes[] = {1,   2,   3,    15,   16,    17,    31,     32, 33,
                               255, 257, 4095, 4096, 12289, 65537, 200003, 0};
static const size_t g2_sizes[] = {1, 2, 3, 15, 16, 17, 33, 256, 257, 4095, 12289, 65537, 0};
static const size_t wide_sizes[] = {257, 12289, 0};
static const size_t large[] = {1 << 20, 0};
static const size_t no_sizes[] = {0};

static const size_t point_bytes[CZ_GPU_GROUPS] = {CZ_G1_UNCOMPRESSED_BYTES,
                                                  CZ_G2_UNCOMPRESSED_BYTES};

static void *host(size_t bytes)
{
    void *p = malloc(bytes);

    if (p == NULL)
        diff_need(CZ_E_NOMEM, "host vector");
    return p;
}

/* The same bytes by the CPU. */
static void expect(diff_run *run, uint8_t *want, cz_gpu_group group, const cz_fr *scalars, size_t n)
{
    const size_t each = point_bytes[group];
    cz_u256 *plain = host(n * sizeof *plain);
    void *points = host(n * each);

    for (size_t i = 0; i < n; i++)
        cz_fr_to_u256(&plain[i], &scalars[i]);
    if (group == CZ_GPU_G1)
        diff_need(cz_fixed_base_g1(run->pool, points, &cz_g1_generator, plain, n), "CPU");
    else
        diff_need(cz_fixed_base_g2(run->pool, points, &cz_g2_generator, plain, n), "CPU");
    for (size_t i = 0; i < n; i++) {
        if (group == CZ_GPU_G1)
            cz_g1_serialize(want + each * i, (const cz_g1_affine *)points + i);
        else
            cz_g2_serialize(want + each * i, (const cz_g2_affine *)points + i);
    }
    free(plain);
    free(points);
}

static diff_buffer put_table(diff_run *run, cz_gpu_group group, unsigned c)
{
    const size_t bytes = cz_setup_table_points(c) * point_bytes[group];
    diff_buffer b = diff_buffer_take(run, bytes);
    void *points = host(bytes);

    diff_need(cz_setup_table(points, group, c, run->pool), "table");
    diff_buffer_put(run, &b, points);
    free(points);
    return b;
}

static void run_device(diff_run *run, uint8_t *got, cz_gpu_group group, unsigned c,
                       const cz_fr *scalars, size_t n, const char *name)
{
    const size_t each = point_bytes[group];
    diff_buffer table = put_table(run, group, c);
    diff_buffer in = diff_buffer_take(run, n * sizeof *scalars);
    diff_buffer out = diff_buffer_take(run, n * each);
    diff_buffer scratch = diff_buffer_take(run, CZ_SETUP_SCRATCH * n * (each / 2));
    const cz_gpu_backend *backend;

    diff_need(cz_gpu_load(&backend), "backend");
    diff_buffer_put(run, &in, scalars);
    diff_need(cz_gpu_result(backend->setup_multiples(run->gpu, group == CZ_GPU_G2, out.d, table.d,
                                                     c, in.d, n, scratch.d)),
              name);
    diff_buffer_get(run, &out, got);
    diff_expect(run, diff_buffer_guards_hold(run, &out) && diff_buffer_guards_hold(run, &scratch),
                "%s: %zu points: written beyond the end", name, n);
    diff_buffer_give_back(run, &table);
    diff_buffer_give_back(run, &in);
    diff_buffer_give_back(run, &out);
    diff_buffer_give_back(run, &scratch);
}

static void compare(diff_run *run, const char *name, cz_gpu_group group, unsigned c, size_t n,
                    diff_input input)
{
    const size_t bytes = n * point_bytes[group];
    cz_fr *scalars = host(n * sizeof *scalars);
    uint8_t *want = host(bytes), *got = host(bytes);

    diff_fill_fr(scalars, n, input);
    expect(run, want, group, scalars, n);
    run_device(run, got, group, c, scalars, n, name);
    diff_expect(run, memcmp(got, want, bytes) == 0, "%s: %zu points, %s", name, n,
                diff_input_name[input]);
    free(scalars);
    free(want);
    free(got);
}

static void g1(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, CZ_GPU_G1, 8, n, input);
}

static void g2(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, CZ_GPU_G2, 8, n, input);
}

/* Making the table takes longest, so a few kinds of scalars are enough. */
static bool is_chosen(diff_input input)
{
    return input == DIFF_LARGEST || input == DIFF_SMALL || input == DIFF_RANDOM;
}

static void g1_wide(diff_run *run, const char *name, size_t n, diff_input input)
{
    if (is_chosen(input))
        compare(run, name, CZ_GPU_G1, 16, n, input);
}

static void g2_wide(diff_run *run, const char *name, size_t n, diff_input input)
{
    if (is_chosen(input))
        compare(run, name, CZ_GPU_G2, 16, n, input);
}

const diff_op diff_setup_ops[] = {
    {"setup:g1", g1, sizes, no_sizes},
    {"setup:g2", g2, g2_sizes, no_sizes},
    {"setup:g1_wide", g1_wide, wide_sizes, large},
    {"setup:g2_wide", g2_wide, wide_sizes, no_sizes},
};
const size_t diff_n_setup_ops = sizeof diff_setup_ops / sizeof *diff_setup_ops;
