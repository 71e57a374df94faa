/* gpu_time.c: times of the CUDA operations, resident, by events; tests/diff/ops.c checks results.
 *
 *   gpu_time ntt LOG_N [RUNS]       a transform of each kind, and the quotient
 *   gpu_time msm LOG_N TABLES [RUNS]
 *
 * One warm-up, then min / median / max of RUNS (5). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "msm/msm.h"
#include "msm/msm_gpu.h"
#include "ntt/ntt_gpu.h"

enum { MAX_RUNS = 64 };

typedef struct {
    diff_run run;
    cz_gpu_event *begin, *end;
    unsigned runs;
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
    cz_ntt_gpu_destroy(t.ntt);
    for (int i = 0; i < 4; i++)
        diff_buffer_give_back(&b->run, &v[i]);
}

/* n points that repeat every 2^16, on the device. */
static void make_points(bench *b, cz_gpu_msm *msm, size_t n)
{
    const size_t distinct = n < (size_t)1 << 16 ? n : (size_t)1 << 16;
    cz_g1_affine *points = malloc(distinct * sizeof *points);
    cz_u256 *ks = malloc(distinct * sizeof *ks);
    char *to = (char *)cz_msm_gpu_points(msm);

    if (points == NULL || ks == NULL)
        diff_need(CZ_E_NOMEM, "points");
    diff_fill_scalars(ks, distinct, DIFF_RANDOM);
    diff_need(cz_fixed_base_g1(NULL, points, &cz_g1_generator, ks, distinct), "points");
    for (size_t i = 0; i < n; i += distinct)
        diff_need(cz_gpu_copy(b->run.gpu, CZ_GPU_COMPUTE, to + i * sizeof *points,
                              i == 0 ? (const void *)points : to, distinct * sizeof *points),
                  "points");
    diff_need(cz_msm_gpu_points_ready(msm), "table");
    diff_need(cz_gpu_sync(b->run.gpu), "points");
    free(points);
    free(ks);
}

typedef struct {
    cz_gpu_msm *msm;
    diff_buffer input;
    cz_gpu_phases phases;
} msm_bench;

static void one_sum(void *ctx)
{
    msm_bench *t = ctx;
    cz_g1 sum;

    diff_need(cz_msm_gpu_run(t->msm, &sum, t->input.d, CZ_MSM_MONTGOMERY_SCALARS, &t->phases),
              "sum");
}

static void one_bit_sum(void *ctx)
{
    msm_bench *t = ctx;
    cz_g1 sum;

    diff_need(cz_msm_gpu_bit_sum(t->msm, &sum, t->input.d, &t->phases), "bit sum");
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

static void time_msm(bench *b, unsigned log_n, unsigned tables)
{
    const size_t n = (size_t)1 << log_n;
    cz_fr *host = malloc(n * sizeof *host);
    msm_bench t;
    char name[64];

    if (host == NULL)
        diff_need(CZ_E_NOMEM, "host vector");
    diff_fill_fr(host, n, DIFF_RANDOM);
    diff_need(cz_msm_gpu_create(b->run.gpu, &t.msm, n, tables), "plan");
    make_points(b, t.msm, n);
    t.input = diff_buffer_take(&b->run, n * sizeof *host);
    diff_buffer_put(&b->run, &t.input, host);
    free(host);
    printf("device memory %.1f GB\n",
           (double)cz_gpu_used_bytes(b->run.gpu, CZ_GPU_DEVICE_MEMORY) / 1e9);
    (void)snprintf(name, sizeof name, "msm g1 2^%u tables %u", log_n, tables);
    time_step(b, name, one_sum, &t);
    print_phases(&t.phases);
    (void)snprintf(name, sizeof name, "bit sum g1 2^%u", log_n);
    time_step(b, name, one_bit_sum, &t);
    print_phases(&t.phases);
    cz_msm_gpu_destroy(t.msm);
    diff_buffer_give_back(&b->run, &t.input);
}

int main(int argc, char **argv)
{
    bench b = {.runs = 5};
    cz_gpu_info info;
    cz_err err;

    const bool msm = argc >= 4 && strcmp(argv[1], "msm") == 0;

    if (argc < 3 || (!msm && strcmp(argv[1], "ntt") != 0)) {
        (void)fprintf(stderr, "usage: gpu_time ntt LOG_N [RUNS] | msm LOG_N TABLES [RUNS]\n");
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
    if (argc > 3 + msm)
        b.runs = (unsigned)strtoul(argv[3 + msm], NULL, 10) % MAX_RUNS;
    if (msm)
        time_msm(&b, (unsigned)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
    else
        time_ntt(&b, (unsigned)strtoul(argv[2], NULL, 10));
    cz_gpu_event_destroy(b.begin);
    cz_gpu_event_destroy(b.end);
    cz_gpu_close(b.run.gpu);
    return 0;
}
