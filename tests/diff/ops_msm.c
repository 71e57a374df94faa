/* ops_msm.c: the sums' rows of the differential table. */
#include "msm/sums_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msm/msm.h"
#include "ops.h"

/* Every plan's smallest shape, and sizes beside powers of 2. */
static const size_t sizes[] = {1,   2,    3,    31,    32,    33,      255, 256,
                               257, 4095, 4096, 12289, 65537, 1000003, 0};
static const size_t g2_sizes[] = {1, 2, 3, 33, 256, 257, 4095, 12289, 65537, 200003, 0};
static const size_t few_sizes[] = {1, 257, 4095, 12289, 65537, 0};
static const size_t short_sizes[] = {200003, 0};
static const size_t short_planes[] = {3000001, 0};
static const size_t g2_short_planes[] = {1100003, 0};
static const size_t planes_large[] = {1u << 24, 0};
static const size_t large[] = {1u << 22, 1u << 24, 1u << 26, 1u << 27, 0};
static const size_t g2_large[] = {1u << 20, 1u << 24, 1u << 26, 0};
static const size_t no_sizes[] = {0};

/* Points of a test. */
typedef enum {
    POINTS_DISTINCT,
    POINTS_EQUAL,
    POINTS_OPPOSITE, /* P and -P in turn */
    POINTS_INFINITE, /* every third is infinity */
    POINTS_KINDS
} points_kind;

static const char *const points_name[] = {"distinct", "equal", "opposite", "some infinite"};

typedef enum { PLAIN_SCALARS, MONTGOMERY_SCALARS, NO_SCALARS } scalars_form;

static void *host(size_t bytes)
{
    void *p = malloc(bytes);

    if (p == NULL)
        diff_need(CZ_E_NOMEM, "host vector");
    return p;
}

static diff_buffer make_backward_index(diff_run *run, size_t n)
{
    uint32_t *index = host(n * sizeof *index);
    diff_buffer b = diff_buffer_take(run, n * sizeof *index);

    for (size_t i = 0; i < n; i++)
        index[i] = (uint32_t)(n - 1 - i);
    diff_buffer_put(run, &b, index);
    free(index);
    return b;
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

/* Not all shapes with all numbers of planes. */
static unsigned planes_for(size_t n)
{
    return n % 3 == 0 ? 16 : n % 3 == 1 ? 10 : 3;
}

/* Planes one after the other: equal ones, only one that is not zero, or each as fill_bits says. */
static void fill_planes(uint64_t *bits, unsigned n_planes, size_t words, diff_input input)
{
    for (unsigned j = 0; j < n_planes; j++) {
        fill_bits(bits + j * words, words, input);
        if (input == DIFF_EQUAL)
            memcpy(bits + j * words, bits, words * sizeof *bits);
        else if (input == DIFF_SMALL && j != n_planes / 2)
            memset(bits + j * words, 0, words * sizeof *bits);
    }
}

#define GROUP             cz_g1
#define AFFINE            cz_g1_affine
#define COORD_NEG         cz_fp_neg
#define G(name)           cz_g1_##name
#define OP(name)          g1_##name
#define GPU_GROUP         CZ_GPU_G1
#define SUM_WORK          1
#define FIXED_BASE        cz_fixed_base_g1
#define CPU_SUM           cz_msm_g1
#define CPU_BIT_SUM       cz_bit_sum_g1
#define g1_full_on_device cz_sums_gpu_full_g1
#define g1_bits_on_device cz_sums_gpu_bits_g1
#define g1_many_on_device cz_sums_gpu_bits_g1_many
#define SHORT_PLANES      2 /* short_by: two chunks, then four */
#include "ops_sums_body.h"
#undef GROUP
#undef AFFINE
#undef COORD_NEG
#undef G
#undef OP
#undef GPU_GROUP
#undef SUM_WORK
#undef FIXED_BASE
#undef CPU_SUM
#undef CPU_BIT_SUM
#undef SHORT_PLANES

#define GROUP             cz_g2
#define AFFINE            cz_g2_affine
#define COORD_NEG         cz_fp2_neg
#define G(name)           cz_g2_##name
#define OP(name)          g2_##name
#define GPU_GROUP         CZ_GPU_G2
#define SUM_WORK          4
#define FIXED_BASE        cz_fixed_base_g2
#define CPU_SUM           cz_msm_g2
#define CPU_BIT_SUM       cz_bit_sum_g2
#define g2_full_on_device cz_sums_gpu_full_g2
#define g2_bits_on_device cz_sums_gpu_bits_g2
#define g2_many_on_device cz_sums_gpu_bits_g2_many
#define SHORT_PLANES      1
#include "ops_sums_body.h"

const diff_op diff_msm_ops[] = {
    {"msm:g1", g1_full, sizes, large},
    {"msm:g1_table", g1_table, few_sizes, large},
    {"msm:g1_tables", g1_tables, few_sizes, large},
    {"msm:g1_index", g1_index, few_sizes, no_sizes},
    {"msm:g1_apart", g1_apart, few_sizes, no_sizes},
    {"msm:g1_short", g1_short_of_memory, short_sizes, no_sizes},
    {"bit_sum:g1", g1_bit_sum, sizes, no_sizes},
    {"bit_sums:g1", g1_planes, sizes, planes_large},
    {"bit_sums:g1_short", g1_planes_short, short_planes, no_sizes},
    {"msm:g2", g2_full, g2_sizes, g2_large},
    {"msm:g2_table", g2_table, few_sizes, no_sizes},
    {"msm:g2_tables", g2_tables, few_sizes, no_sizes},
    {"msm:g2_index", g2_index, few_sizes, no_sizes},
    {"msm:g2_apart", g2_apart, few_sizes, no_sizes},
    {"msm:g2_short", g2_short_of_memory, short_sizes, no_sizes},
    {"bit_sum:g2", g2_bit_sum, g2_sizes, no_sizes},
    {"bit_sums:g2", g2_planes, g2_sizes, no_sizes},
    {"bit_sums:g2_short", g2_planes_short, g2_short_planes, no_sizes},
};
const size_t diff_n_msm_ops = sizeof diff_msm_ops / sizeof *diff_msm_ops;
