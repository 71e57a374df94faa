/* gpu_time.c: times of the CUDA operations, resident, by events; tests/diff/ops.c checks results.
 *
 *   gpu_time ntt LOG_N [RUNS]       a transform of each kind, the quotient, and what is left of it
 *                                   with folded keys
 *   gpu_time msm G1|G2 LOG_N TABLES [RUNS] [INPUT...]
 *                                   a full-width sum for each kind of scalars (diff.h; random), and
 *                                   a bit sum
 *   gpu_time bits G1|G2 LOG_N PLANES [RUNS]
 *                                   bit sums by that many random planes at once
 *   gpu_time fold LOG_N [RUNS]      a product for each point, and a layer of their transform
 *
 * One warm-up, then min / median / max of RUNS (5). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "msm/msm.h"
#include "msm/sums_gpu.h"
#include "ntt/ntt_gpu.h"
#include "params/fold_device.h"

enum { MAX_RUNS = 64 };

typedef struct {
    diff_run run;
    cz_gpu_event *begin, *end;
    unsigned runs;
    struct cz_fold_task fold;
} bench;

typedef void (*step)(void *ctx);

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void time_step(bench *b, const char *name, step what, void *ctx)
{
    float ms[MAX_RUNS];

    what(ctx);
    for (unsigned i = 0; i < b->runs; i++) {
        diff_need(cz_gpu_event_record(b->run.gpu, b->begin, CZ_GPU_COMPUTE), "event");
        what(ctx);
        diff_need(cz_gpu_event_record(b->run.gpu, b->end, CZ_GPU_COMPUTE), "event");
        diff_need(cz_gpu_event_ms(&ms[i], b->begin, b->end), "event");
    }
    qsort(ms, b->runs, sizeof *ms, compare_floats);
    printf("%-28s min %.3f  median %.3f  max %.3f ms (%u runs)\n", name, (double)ms[0],
           (double)ms[b->runs / 2], (double)ms[b->runs - 1], b->runs);
    (void)fflush(stdout);
}

typedef struct {
    cz_gpu_ntt *ntt;
    cz_gpu_ntt_kind kind;
    diff_buffer *v; /* four vectors */
} ntt_bench;

static void one_transform(void *ctx)
{
    ntt_bench *t = ctx;

    diff_need(cz_ntt_gpu_run(t->ntt, t->kind, t->v[0].d, t->v[3].d), "transform");
}

static void one_quotient(void *ctx)
{
    ntt_bench *t = ctx;

    diff_need(cz_ntt_gpu_quotient(t->ntt, t->v[0].d, t->v[1].d, t->v[2].d, t->v[3].d), "quotient");
}

static void one_product(void *ctx)
{
    ntt_bench *t = ctx;

    diff_need(cz_ntt_gpu_coset_product(t->ntt, t->v[0].d, t->v[1].d, t->v[3].d), "product");
}

static void time_ntt(bench *b, unsigned log_n)
{
    static const char *const names[] = {"forward", "inverse", "coset forward", "coset inverse"};
    const size_t n = (size_t)1 << log_n;
    cz_fr *host = malloc(n * sizeof *host);
    diff_buffer v[4];
    ntt_bench t = {.v = v};
    char name[64];

    if (host == NULL)
        diff_need(CZ_E_NOMEM, "host vector");
    diff_fill_fr(host, n, DIFF_RANDOM);
    for (int i = 0; i < 4; i++) {
        v[i] = diff_buffer_take(&b->run, n * sizeof *host);
        diff_buffer_put(&b->run, &v[i], host);
    }
    free(host);
    diff_need(cz_ntt_gpu_create(b->run.gpu, &t.ntt, log_n), "tables");
    for (int kind = 0; kind < 4; kind++) {
        t.kind = (cz_gpu_ntt_kind)kind;
        (void)snprintf(name, sizeof name, "ntt 2^%u %s", log_n, names[kind]);
        time_step(b, name, one_transform, &t);
    }
    (void)snprintf(name, sizeof name, "quotient 2^%u", log_n);
    time_step(b, name, one_quotient, &t);
    (void)snprintf(name, sizeof name, "coset product 2^%u", log_n);
    time_step(b, name, one_product, &t);
    cz_ntt_gpu_destroy(t.ntt);
    for (int i = 0; i < 4; i++)
        diff_buffer_give_back(&b->run, &v[i]);
}

/* No guards: large. */
static diff_buffer plain_buffer(bench *b, size_t bytes)
{
    diff_buffer buffer = {.bytes = bytes};

    diff_need(cz_gpu_take(b->run.gpu, CZ_GPU_DEVICE_MEMORY, &buffer.block, bytes, "buffer"),
              "take");
    buffer.d = buffer.block;
    return buffer;
}

/* n points that repeat every 2^14, on the device. */
static diff_buffer make_points(bench *b, cz_gpu_group group, size_t n, unsigned tables)
{
    const size_t distinct = n < (size_t)1 << 14 ? n : (size_t)1 << 14;
    const size_t bytes = group == CZ_GPU_G2 ? sizeof(cz_g2_affine) : sizeof(cz_g1_affine);
    diff_buffer points = plain_buffer(b, n * bytes * tables);
    void *host = malloc(distinct * bytes);
    cz_u256 *ks = malloc(distinct * sizeof *ks);

    if (host == NULL || ks == NULL)
        diff_need(CZ_E_NOMEM, "points");
    diff_fill_scalars(ks, distinct, DIFF_RANDOM);
    if (group == CZ_GPU_G2)
        diff_need(cz_fixed_base_g2(b->run.pool, host, &cz_g2_generator, ks, distinct), "points");
    else
        diff_need(cz_fixed_base_g1(b->run.pool, host, &cz_g1_generator, ks, distinct), "points");
    for (size_t i = 0; i < n; i += distinct)
        diff_need(cz_gpu_copy(b->run.gpu, CZ_GPU_COMPUTE, (char *)points.d + i * bytes,
                              i == 0 ? host : points.d, distinct * bytes),
                  "points");
    diff_need(cz_gpu_sync(b->run.gpu), "points");
    free(host);
    free(ks);
    return points;
}

typedef struct {
    cz_gpu_sums *sums;
    cz_gpu_terms terms;
    cz_gpu_phases phases;
} msm_bench;

static void one_sum(void *ctx)
{
    msm_bench *t = ctx;
    cz_g1 g1;
    cz_g2 g2;

    if (t->terms.group == CZ_GPU_G2)
        diff_need(cz_sums_gpu_full_g2(t->sums, &g2, &t->terms, &t->phases), "sum");
    else
        diff_need(cz_sums_gpu_full_g1(t->sums, &g1, &t->terms, &t->phases), "sum");
}

/* The scalars' words are the bits. */
static void one_bit_sum(void *ctx)
{
    msm_bench *t = ctx;
    const cz_gpu_terms *terms = &t->terms;
    cz_g1 g1;
    cz_g2 g2;

    if (terms->group == CZ_GPU_G2)
        diff_need(cz_sums_gpu_bits_g2(t->sums, &g2, terms->d_points, terms->d_scalars, terms->n,
                                      &t->phases),
                  "bit sum");
    else
        diff_need(cz_sums_gpu_bits_g1(t->sums, &g1, terms->d_points, terms->d_scalars, terms->n,
                                      &t->phases),
                  "bit sum");
}

/* Of the last run. */
static void print_phases(const cz_gpu_phases *phases)
{
    for (unsigned i = 0; i < phases->n; i++) {
        printf("    %-12s %8.2f ms", phases->phase[i].name, (double)phases->phase[i].ms);
        if (phases->phase[i].items > 0)
            printf("  %6.2f G additions/s",
                   (double)phases->phase[i].items / (double)phases->phase[i].ms / 1e6);
        printf("\n");
    }
}

/* A line for scalars of this kind; where they are random, the phases, and a bit sum. */
static void time_input(bench *b, msm_bench *t, const diff_buffer *scalars, const char *what,
                       diff_input input)
{
    const size_t n = t->terms.n;
    cz_fr *host = malloc(n * sizeof *host);
    char name[96];

    if (host == NULL)
        diff_need(CZ_E_NOMEM, "host vector");
    diff_fill_fr(host, n, input);
    if (input == DIFF_SMALL || input == DIFF_ONE) /* small as integers */
        diff_fill_scalars((cz_u256 *)host, n, input);
    t->terms.montgomery = input != DIFF_SMALL && input != DIFF_ONE;
    diff_buffer_put(&b->run, scalars, host);
    free(host);
    (void)snprintf(name, sizeof name, "msm %s %s", what, diff_input_name[input]);
    time_step(b, name, one_sum, t);
    print_phases(&t->phases);
    if (input != DIFF_RANDOM)
        return;
    (void)snprintf(name, sizeof name, "bit sum %s", what);
    time_step(b, name, one_bit_sum, t);
    print_phases(&t->phases);
}

static diff_input input_named(const char *name)
{
    for (int i = 0; i < DIFF_INPUTS; i++)
        if (strcmp(name, diff_input_name[i]) == 0)
            return (diff_input)i;
    return DIFF_RANDOM;
}

static void time_msm(bench *b, cz_gpu_group group, unsigned log_n, unsigned tables,
                     char *const inputs[], int n_inputs)
{
    const size_t n = (size_t)1 << log_n;
    const cz_gpu_sums_shape shape = {
        .group = group, .tables = tables, .full_terms = n, .bit_terms = n};
    diff_buffer points, scalars = plain_buffer(b, n * sizeof(cz_fr));
    msm_bench t;
    char what[64];

    points = make_points(b, group, n, tables);
    diff_need(cz_sums_gpu_create(b->run.gpu, &t.sums, &shape, 1, NULL), "scratch");
    if (tables > 1)
        diff_need(cz_sums_gpu_make_tables(t.sums, group, points.d, n, tables), "table");
    t.terms = (cz_gpu_terms){.group = group,
                             .tables = tables,
                             .n = n,
                             .n_points = n,
                             .d_points = points.d,
                             .d_scalars = scalars.d};
    (void)snprintf(what, sizeof what, "g%d 2^%u tables %u", group == CZ_GPU_G2 ? 2 : 1, log_n,
                   tables);
    printf("%s: device memory %.1f GB\n", what,
           (double)cz_gpu_used_bytes(b->run.gpu, CZ_GPU_DEVICE_MEMORY) / 1e9);
    if (n_inputs == 0)
        time_input(b, &t, &scalars, what, DIFF_RANDOM);
    for (int i = 0; i < n_inputs; i++)
        time_input(b, &t, &scalars, what, input_named(inputs[i]));
    cz_sums_gpu_destroy(t.sums);
    diff_buffer_give_back(&b->run, &points);
    diff_buffer_give_back(&b->run, &scalars);
}

typedef struct {
    cz_gpu_sums *sums;
    cz_gpu_group group;
    const void *d_points;
    const uint64_t *d_planes[CZ_GPU_MAX_PLANES];
    unsigned n_planes;
    size_t n;
    cz_gpu_phases phases;
} planes_bench;

static void sums_of_planes(void *ctx)
{
    planes_bench *t = ctx;
    cz_g1 g1[CZ_GPU_MAX_PLANES];
    cz_g2 g2[CZ_GPU_MAX_PLANES];

    if (t->group == CZ_GPU_G2)
        diff_need(cz_sums_gpu_bits_g2_many(t->sums, g2, t->d_points, t->d_planes, t->n_planes, t->n,
                                           &t->phases),
                  "bit sums");
    else
        diff_need(cz_sums_gpu_bits_g1_many(t->sums, g1, t->d_points, t->d_planes, t->n_planes, t->n,
                                           &t->phases),
                  "bit sums");
}

static void time_planes(bench *b, cz_gpu_group group, unsigned log_n, unsigned n_planes)
{
    const size_t n = (size_t)1 << log_n, words = (n + 63) / 64;
    const cz_gpu_sums_shape shape = {.group = group, .bit_terms = n, .planes = n_planes};
    planes_bench t = {.group = group, .n_planes = n_planes, .n = n};
    uint64_t *host = malloc(n_planes * words * sizeof *host);
    diff_buffer points = make_points(b, group, n, 1);
    diff_buffer bits = plain_buffer(b, n_planes * words * sizeof *host);
    char name[64];

    if (host == NULL)
        diff_need(CZ_E_NOMEM, "host planes");
    for (size_t i = 0; i < n_planes * words; i++)
        host[i] = diff_random();
    diff_buffer_put(&b->run, &bits, host);
    free(host);
    for (unsigned j = 0; j < n_planes; j++)
        t.d_planes[j] = (const uint64_t *)bits.d + j * words;
    t.d_points = points.d;
    diff_need(cz_sums_gpu_create(b->run.gpu, &t.sums, &shape, 1, NULL), "scratch");
    (void)snprintf(name, sizeof name, "bit sums g%d 2^%u, %u planes", group == CZ_GPU_G2 ? 2 : 1,
                   log_n, n_planes);
    printf("%s: device memory %.1f GB\n", name,
           (double)cz_gpu_used_bytes(b->run.gpu, CZ_GPU_DEVICE_MEMORY) / 1e9);
    time_step(b, name, sums_of_planes, &t);
    print_phases(&t.phases);
    cz_sums_gpu_destroy(t.sums);
    diff_buffer_give_back(&b->run, &points);
    diff_buffer_give_back(&b->run, &bits);
}

static void multiply_points(void *ctx)
{
    const cz_gpu_backend *backend;
    bench *b = ctx;

    diff_need(cz_gpu_load(&backend), "backend");
    diff_need(cz_gpu_result(backend->fold_multiply(b->run.gpu, &b->fold)), "products");
}

/* Any scalars do for powers. The points become different by the first of these. */
static void time_fold(bench *b, unsigned log_n)
{
    const size_t n = (size_t)1 << log_n, n_low = (size_t)1 << (log_n + 1) / 2;
    diff_buffer points = make_points(b, CZ_GPU_G1, n, 1);
    diff_buffer powers = plain_buffer(b, (n_low + n / n_low) * sizeof(cz_fr));
    cz_fr *host = malloc(powers.bytes);
    char name[64];

    if (host == NULL)
        diff_need(CZ_E_NOMEM, "powers");
    diff_fill_fr(host, n_low + n / n_low, DIFF_RANDOM);
    diff_buffer_put(&b->run, &powers, host);
    free(host);
    b->fold = (struct cz_fold_task){
        .points = points.d,
        .n = n,
        .powers = {powers.d, (const cz_fr32 *)powers.d + n_low, (log_n + 1) / 2},
        .log_n = log_n};
    (void)snprintf(name, sizeof name, "fold 2^%u products", log_n);
    time_step(b, name, multiply_points, b);
    b->fold.kind = CZ_FOLD_LAYER;
    b->fold.n = n / 2;
    b->fold.layer = log_n / 2;
    (void)snprintf(name, sizeof name, "fold 2^%u layer", log_n);
    time_step(b, name, multiply_points, b);
    diff_buffer_give_back(&b->run, &points);
    diff_buffer_give_back(&b->run, &powers);
}

static cz_gpu_group group_named(const char *name)
{
    return strcmp(name, "G2") == 0 ? CZ_GPU_G2 : CZ_GPU_G1;
}

int main(int argc, char **argv)
{
    bench b = {.runs = 5};
    cz_gpu_info info;
    cz_err err;

    const bool bits = argc >= 5 && strcmp(argv[1], "bits") == 0;
    const bool msm = argc >= 5 && strcmp(argv[1], "msm") == 0;
    const bool fold = argc >= 3 && strcmp(argv[1], "fold") == 0;
    const int runs_at = msm || bits ? 5 : 3;

    if (argc < 3 || (!msm && !bits && !fold && strcmp(argv[1], "ntt") != 0) ||
        (bits && strtoul(argv[4], NULL, 10) > CZ_GPU_MAX_PLANES)) {
        (void)fprintf(
            stderr, "usage: gpu_time ntt LOG_N [RUNS] | msm G1|G2 LOG_N TABLES [RUNS] [INPUT...] | "
                    "bits G1|G2 LOG_N PLANES [RUNS] | fold LOG_N [RUNS]\n");
        return 2;
    }
    err = cz_gpu_open(&b.run.gpu, 0, 0);
    if (err == CZ_E_NODEV) {
        printf("[  SKIPPED ] %s\n", cz_err_message());
        return 0;
    }
    diff_need(err, "open");
    diff_need(cz_gpu_describe(b.run.gpu, &info), "describe");
    printf("%s, sm_%d, %u multiprocessors\n", info.name, info.architecture, info.multiprocessors);
    diff_need(cz_gpu_event_create(b.run.gpu, &b.begin), "event");
    diff_need(cz_gpu_event_create(b.run.gpu, &b.end), "event");
    diff_need(cz_pool_create(&b.run.pool, 0), "threads");
    if (argc > runs_at)
        b.runs = (unsigned)strtoul(argv[runs_at], NULL, 10) % MAX_RUNS;
    if (msm)
        time_msm(&b, group_named(argv[2]), (unsigned)strtoul(argv[3], NULL, 10),
                 (unsigned)strtoul(argv[4], NULL, 10), argv + 6, argc > 6 ? argc - 6 : 0);
    else if (bits)
        time_planes(&b, group_named(argv[2]), (unsigned)strtoul(argv[3], NULL, 10),
                    (unsigned)strtoul(argv[4], NULL, 10));
    else if (fold)
        time_fold(&b, (unsigned)strtoul(argv[2], NULL, 10));
    else
        time_ntt(&b, (unsigned)strtoul(argv[2], NULL, 10));
    cz_gpu_event_destroy(b.begin);
    cz_gpu_event_destroy(b.end);
    cz_gpu_close(b.run.gpu);
    cz_pool_destroy(b.run.pool);
    return 0;
}
