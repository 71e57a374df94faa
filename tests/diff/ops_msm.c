/* ops_msm.c: the sums' rows of the differential table. */
#include "msm/msm_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msm/msm.h"
#include "ops.h"

/* Every plan's smallest shape, and sizes beside powers of 2. */
static const size_t sizes[] = {1, 2, 3, 31, 32, 33, 255, 256, 257, 4095, 4096, 65537, 1000003, 0};
static const size_t large[] = {1u << 22, 1u << 24, 1u << 26, 1u << 27, 0};

/* Points of a test. */
typedef enum {
    POINTS_DISTINCT,
    POINTS_EQUAL,
    POINTS_OPPOSITE, /* P and -P in turn */
    POINTS_INFINITE, /* every third is infinity */
    POINTS_KINDS
} points_kind;

static const char *const points_name[] = {"distinct", "equal", "opposite", "some infinite"};

enum { MAX_DISTINCT = 1 << 20 };

static void *host(size_t bytes)
{
    void *p = malloc(bytes);

    if (p == NULL)
        diff_need(CZ_E_NOMEM, "host vector");
    return p;
}

/* m multiples of the generator by random numbers; made once for the largest m. */
static const cz_g1_affine *multiples(diff_run *run, size_t m)
{
    static cz_g1_affine *made;
    static size_t n_made;
    cz_u256 *ks;

    if (m <= n_made)
        return made;
    free(made);
    made = host(m * sizeof *made);
    n_made = m;
    ks = host(m * sizeof *ks);
    diff_fill_scalars(ks, m, DIFF_RANDOM);
    diff_need(cz_fixed_base_g1(run->pool, made, &cz_g1_generator, ks, m), "multiples");
    free(ks);
    return made;
}

static void fill_points(diff_run *run, cz_g1_affine *points, size_t n, points_kind kind)
{
    const cz_g1_affine *distinct = multiples(run, n);

    for (size_t i = 0; i < n; i++) {
        points[i] = distinct[kind == POINTS_DISTINCT || kind == POINTS_INFINITE ? i : 0];
        if (kind == POINTS_OPPOSITE && i % 2 != 0)
            cz_fp_neg(&points[i].y, &points[i].y);
        if (kind == POINTS_INFINITE && i % 3 == 0)
            points[i] = (cz_g1_affine){CZ_FP_ZERO, CZ_FP_ZERO};
    }
}

/* A sum over n points, where n is a multiple of `distinct`: the points repeat. */
typedef struct {
    cz_gpu_msm *msm;
    diff_buffer input; /* scalars or bits */
} sum;

static sum sum_open(diff_run *run, const cz_g1_affine *points, size_t distinct, size_t n,
                    unsigned tables, size_t input_bytes)
{
    const size_t bytes = distinct * sizeof *points;
    sum s;
    char *to;

    diff_need(cz_msm_gpu_create(run->gpu, &s.msm, n, tables), "plan");
    to = (char *)cz_msm_gpu_points(s.msm);
    for (size_t i = 0; i < n; i += distinct)
        diff_need(cz_gpu_copy(run->gpu, CZ_GPU_COMPUTE, to + i * sizeof *points,
                              i == 0 ? (const void *)points : to, bytes),
                  "points");
    diff_need(cz_msm_gpu_points_ready(s.msm), "table");
    diff_need(cz_gpu_sync(run->gpu), "points");
    s.input = diff_buffer_take(run, input_bytes);
    return s;
}

static void sum_close(diff_run *run, sum *s)
{
    cz_msm_gpu_destroy(s->msm);
    diff_buffer_give_back(run, &s->input);
}

static void check_sum(diff_run *run, const sum *s, const void *input, const cz_g1 *want,
                      const cz_g1 *got, const char *name, size_t n, const char *what)
{
    unsigned char *after = host(s->input.bytes);

    diff_expect(run, cz_g1_equal(want, got), "%s: %zu, %s", name, n, what);
    diff_buffer_get(run, &s->input, after);
    diff_expect(
        run, diff_buffer_guards_hold(run, &s->input) && memcmp(after, input, s->input.bytes) == 0,
        "%s: %zu, %s: the input was changed", name, n, what);
    free(after);
}

static void compare_small(diff_run *run, const char *name, size_t n, diff_input input,
                          unsigned tables, points_kind kind)
{
    cz_g1_affine *points = host(n * sizeof *points);
    cz_u256 *scalars = host(n * sizeof *scalars);
    cz_g1 want, got;
    char what[64];
    sum s;

    (void)snprintf(what, sizeof what, "%s scalars, %s points", diff_input_name[input],
                   points_name[kind]);
    fill_points(run, points, n, kind);
    diff_fill_scalars(scalars, n, input);
    s = sum_open(run, points, n, n, tables, n * sizeof *scalars);
    diff_buffer_put(run, &s.input, scalars);
    diff_need(cz_msm_gpu_run(s.msm, &got, s.input.d, CZ_MSM_PLAIN_SCALARS, NULL), what);
    diff_need(cz_msm_g1(run->pool, &want, points, scalars, n), "sum");
    check_sum(run, &s, scalars, &want, &got, name, n, what);
    sum_close(run, &s);
    free(points);
    free(scalars);
}

/* Points repeat beyond 2^20, so the CPU's sum is over 2^20 sums of scalars. */
static void compare_large(diff_run *run, const char *name, size_t n, unsigned tables)
{
    const size_t m = MAX_DISTINCT;
    const cz_g1_affine *points = multiples(run, m);
    cz_fr *scalars = host(n * sizeof *scalars), *sums = host(m * sizeof *sums);
    cz_u256 *plain = host(m * sizeof *plain);
    cz_g1 want, got;
    sum s;

    diff_fill_fr(scalars, n, DIFF_RANDOM);
    memcpy(sums, scalars, m * sizeof *sums);
    for (size_t i = m; i < n; i++)
        cz_fr_add(&sums[i % m], &sums[i % m], &scalars[i]);
    for (size_t i = 0; i < m; i++)
        cz_fr_to_u256(&plain[i], &sums[i]);
    s = sum_open(run, points, m, n, tables, n * sizeof *scalars);
    diff_buffer_put(run, &s.input, scalars);
    diff_need(cz_msm_gpu_run(s.msm, &got, s.input.d, CZ_MSM_MONTGOMERY_SCALARS, NULL), name);
    diff_need(cz_msm_g1(run->pool, &want, points, plain, m), "sum");
    check_sum(run, &s, scalars, &want, &got, name, n, "random Fr scalars, repeated points");
    sum_close(run, &s);
    free(scalars);
    free(sums);
    free(plain);
}

static void compare(diff_run *run, const char *name, size_t n, diff_input input, unsigned tables)
{
    if (n >= MAX_DISTINCT) {
        compare_large(run, name, n, tables);
        return;
    }
    for (int kind = 0; kind < POINTS_KINDS; kind++)
        if (n <= 65537 || (kind == POINTS_DISTINCT && input != DIFF_ONE))
            compare_small(run, name, n, input, tables, (points_kind)kind);
}

static void msm_g1(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, n, input, 1);
}

static void msm_g1_table(diff_run *run, const char *name, size_t n, diff_input input)
{
    compare(run, name, n, input, 2);
}

static void fill_bits(uint64_t *bits, size_t words, diff_input input)
{
    for (size_t i = 0; i < words; i++) {
        bits[i] = diff_random();
        if (input == DIFF_ZERO)
            bits[i] = 0;
        else if (input == DIFF_ONE)
            bits[i] = UINT64_MAX;
        else if (input == DIFF_IMPULSE)
            bits[i] = i == words / 3 ? 1 : 0;
        else if (input == DIFF_SPARSE)
            bits[i] &= diff_random() & diff_random();
    }
}

static void bit_sum_g1(diff_run *run, const char *name, size_t n, diff_input input)
{
    const size_t words = (n + 63) / 64;
    cz_g1_affine *points = host(n * sizeof *points);
    uint64_t *bits = host(words * sizeof *bits);
    cz_g1 want, got;
    sum s;

    for (int kind = 0; kind < (n <= 65537 ? POINTS_KINDS : 1); kind++) {
        fill_points(run, points, n, (points_kind)kind);
        fill_bits(bits, words, input);
        s = sum_open(run, points, n, n, 1, words * sizeof *bits);
        diff_buffer_put(run, &s.input, bits);
        diff_need(cz_msm_gpu_bit_sum(s.msm, &got, s.input.d, NULL), name);
        diff_need(cz_bit_sum_g1(run->pool, &want, points, bits, n), "sum");
        check_sum(run, &s, bits, &want, &got, name, n, points_name[kind]);
        sum_close(run, &s);
    }
    free(points);
    free(bits);
}

static const size_t no_sizes[] = {0};

const diff_op diff_msm_ops[] = {
    {"msm:g1", msm_g1, sizes, large},
    {"msm:g1_table", msm_g1_table, sizes, large},
    {"bit_sum:g1", bit_sum_g1, sizes, no_sizes},
};
const size_t diff_n_msm_ops = sizeof diff_msm_ops / sizeof *diff_msm_ops;
