/* sums_cuda.cu: scratch and stopwatch of device sums, and the table's entries; see sums_gpu.h. */
#include "msm/sums_cuda.h"

#include <stdlib.h>
#include <string.h>

/* ---- stopwatch ---- */

cz_err sum_watch_start(cz_gpu_sums *sums, bool on)
{
    sum_stopwatch *w = &sums->watch;

    w->on = on;
    w->n = 0;
    if (!on)
        return CZ_OK;
    for (int i = 0; i < SUM_MAX_MARKS && w->event[i] == NULL; i++)
        CZ_TRY_CUDA(cudaEventCreate(&w->event[i]));
    CZ_TRY_CUDA(cudaEventRecord(w->event[0], sums->stream));
    w->n = 1;
    return CZ_OK;
}

cz_err sum_watch_mark(cz_gpu_sums *sums, const char *name, uint64_t items)
{
    sum_stopwatch *w = &sums->watch;

    if (!w->on || w->n == SUM_MAX_MARKS)
        return CZ_OK;
    CZ_TRY_CUDA(cudaEventRecord(w->event[w->n], sums->stream));
    w->name[w->n] = name;
    w->items[w->n] = items;
    w->n++;
    return CZ_OK;
}

static void add_phase(cz_gpu_phases *phases, const char *name, float ms, uint64_t items)
{
    unsigned i = 0;

    while (i < phases->n && strcmp(phases->phase[i].name, name) != 0)
        i++;
    if (i == CZ_GPU_MAX_PHASES)
        return;
    if (i == phases->n) {
        phases->n++;
        memset(&phases->phase[i], 0, sizeof phases->phase[i]);
        memcpy(phases->phase[i].name, name, strlen(name));
    }
    phases->phase[i].ms += ms;
    phases->phase[i].items += items;
}

cz_err sum_watch_read(cz_gpu_sums *sums, cz_gpu_phases *phases)
{
    const sum_stopwatch *w = &sums->watch;

    if (!w->on)
        return CZ_OK;
    phases->n = 0;
    CZ_TRY_CUDA(cudaEventSynchronize(w->event[w->n - 1]));
    for (unsigned i = 1; i < w->n; i++) {
        float ms;

        CZ_TRY_CUDA(cudaEventElapsedTime(&ms, w->event[i - 1], w->event[i]));
        add_phase(phases, w->name[i], ms, w->items[i]);
    }
    return CZ_OK;
}

/* ---- scratch ---- */

static const sums_group *group_of(cz_gpu_group group)
{
    return group == CZ_GPU_G2 ? &sums_over_g2 : &sums_over_g1;
}

static cz_err sums_bytes(cz_gpu *gpu, uint64_t *bytes, const cz_gpu_sums_shape *shapes,
                         size_t n_shapes)
{
    uint64_t most = 1;

    CZ_TRY(cz_gpu_enter(gpu));
    for (size_t i = 0; i < n_shapes; i++) {
        uint64_t here;

        CZ_TRY(group_of(shapes[i].group)->bytes(gpu, &here, &shapes[i]));
        most = most < here ? here : most;
    }
    *bytes = most;
    return CZ_OK;
}

static void destroy(cz_gpu_sums *sums)
{
    (void)cudaSetDevice(sums->gpu->index);
    (void)cudaStreamSynchronize(sums->stream);
    for (int i = 0; i < SUM_MAX_MARKS && sums->watch.event[i] != NULL; i++)
        (void)cudaEventDestroy(sums->watch.event[i]);
    (void)cudaFreeHost(sums->h_used);
    (void)cudaFreeHost(sums->h_segment);
    (void)cudaFreeHost(sums->h_answer);
    (void)cudaFreeHost(sums->h_jobs);
    (void)cudaFreeHost(sums->h_samples);
    if (sums->is_ours)
        cz_gpu_give(sums->gpu, sums->memory);
    (void)cudaGetLastError();
    free(sums);
}

/* A host that is short of such memory is no reason to suspect the device. */
static cz_err take_pinned(void **p, size_t bytes)
{
    const cudaError_t e = cudaMallocHost(p, bytes);

    if (e == cudaErrorMemoryAllocation) {
        (void)cudaGetLastError();
        return cz_fail(CZ_E_NOMEM, "scratch of sums: %zu bytes of pinned memory are not there",
                       bytes);
    }
    CZ_TRY_CUDA(e);
    return CZ_OK;
}

static cz_err set_up(cz_gpu_sums *sums, const cz_gpu_sums_shape *shapes, size_t n_shapes)
{
    CZ_TRY(sums_bytes(sums->gpu, &sums->bytes, shapes, n_shapes));
    CZ_TRY(take_pinned((void **)&sums->h_used, SUM_USED * 4));
    CZ_TRY(take_pinned((void **)&sums->h_segment, (SUM_MAX_SEGMENTS + 1) * 4));
    CZ_TRY(take_pinned((void **)&sums->h_answer, SUM_MAX_JOBS * SUM_MAX_ANSWER_BYTES));
    CZ_TRY(take_pinned((void **)&sums->h_jobs, SUM_MAX_JOBS * 16));
    CZ_TRY(take_pinned(&sums->h_samples, SUM_SAMPLE_BYTES));
    if (!sums->is_ours)
        return CZ_OK;
    return cz_gpu_take_device(sums->gpu, &sums->memory, sums->bytes, "scratch of sums");
}

static cz_err create(cz_gpu *gpu, cz_gpu_sums **out, const cz_gpu_sums_shape *shapes,
                     size_t n_shapes, void *d_memory, const cz_sum_host *const hosts[CZ_GPU_GROUPS])
{
    cz_gpu_sums *sums;
    cz_err err;

    CZ_TRY(cz_gpu_enter(gpu));
    sums = (cz_gpu_sums *)calloc(1, sizeof *sums);
    if (sums == NULL)
        return cz_fail(CZ_E_NOMEM, "scratch of sums: no host memory");
    sums->gpu = gpu;
    sums->stream = gpu->stream[CZ_GPU_COMPUTE];
    sums->memory = d_memory;
    sums->is_ours = d_memory == NULL;
    memcpy(sums->hosts, hosts, sizeof sums->hosts);
    err = set_up(sums, shapes, n_shapes);
    if (err != CZ_OK) {
        destroy(sums);
        return err;
    }
    *out = sums;
    return CZ_OK;
}

static cz_err make_tables(cz_gpu_sums *sums, cz_gpu_group group, void *d_points, uint64_t n,
                          unsigned tables)
{
    CZ_TRY(cz_gpu_enter(sums->gpu));
    return group_of(group)->make_tables(sums, d_points, n, tables);
}

/* Scalars that a sum looked at on the host, and the parts of what it came to, are not left there.
 */
static void forget(cz_gpu_sums *sums)
{
    (void)cudaStreamSynchronize(sums->stream); /* where a step failed, copies may be under way */
    explicit_bzero(sums->h_samples, SUM_SAMPLE_BYTES);
    explicit_bzero(sums->h_answer, SUM_MAX_JOBS * SUM_MAX_ANSWER_BYTES);
}

static cz_err full(cz_gpu_sums *sums, void *out_affine, const cz_gpu_terms *terms,
                   cz_gpu_phases *phases)
{
    cz_err err;

    CZ_TRY(cz_gpu_enter(sums->gpu));
    CZ_TRY(sum_watch_start(sums, phases != NULL));
    err = group_of(terms->group)->full(sums, out_affine, terms, phases);
    forget(sums);
    return err;
}

static cz_err bits(cz_gpu_sums *sums, cz_gpu_group group, void *out_affine, const void *d_points,
                   const uint64_t *d_bits, uint64_t n, cz_gpu_phases *phases)
{
    cz_err err;

    CZ_TRY(cz_gpu_enter(sums->gpu));
    CZ_TRY(sum_watch_start(sums, phases != NULL));
    err = group_of(group)->bits(sums, out_affine, d_points, d_bits, n, phases);
    forget(sums);
    return err;
}

static cz_err bits_many(cz_gpu_sums *sums, cz_gpu_group group, void *out_affine,
                        const void *d_points, const uint64_t *const *d_planes, unsigned n_planes,
                        uint64_t n, cz_gpu_phases *phases)
{
    cz_err err;

    CZ_TRY(cz_gpu_enter(sums->gpu));
    CZ_TRY(sum_watch_start(sums, phases != NULL));
    err = group_of(group)->bits_many(sums, out_affine, d_points, d_planes, n_planes, n, phases);
    forget(sums);
    return err;
}

void cz_gpu_sums_fill(cz_gpu_backend *table)
{
    table->sums_bytes = sums_bytes;
    table->sums_create = create;
    table->sums_destroy = destroy;
    table->sums_make_tables = make_tables;
    table->sums_full = full;
    table->sums_bits = bits;
    table->sums_bits_many = bits_many;
}
