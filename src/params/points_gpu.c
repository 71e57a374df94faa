/* points_gpu.c: see points_gpu.h. */
#include "params/points_gpu.h"

#include <stdlib.h>

#include "params/points_device.h"

enum { MAX_CHUNK_BYTES = 48 << 20 };

_Static_assert(CZ_POINTS_PART1 == CZ_POINT_PART1, "one mark");

/* One of the two buffers: bytes of points and their places, here and there. */
typedef struct {
    uint8_t *bytes, *d_bytes;
    uint32_t *to, *d_to;
    cz_gpu_event *copied, *used; /* until then the pinned, the device's part is busy */
} buffer;

struct cz_points_gpu {
    cz_gpu *gpu;
    buffer buffer[2];
    size_t chunk_bytes;    /* of each; a multiple of both kinds of points */
    uint32_t *d_bad, *bad; /* the least number of a bad point; the latter pinned */
};

/* ---- buffers ---- */

static cz_err take(cz_gpu *gpu, cz_gpu_memory where, void *out, size_t bytes)
{
    return cz_gpu_take_to(gpu, where, out, bytes, "points on their way");
}

static size_t place_bytes(size_t chunk_bytes)
{
    return chunk_bytes / CZ_G1_UNCOMPRESSED_BYTES * sizeof(uint32_t);
}

static cz_err make_buffer(cz_gpu *gpu, buffer *b, size_t chunk_bytes)
{
    const size_t places = place_bytes(chunk_bytes);

    CZ_TRY(take(gpu, CZ_GPU_PINNED_MEMORY, &b->bytes, chunk_bytes));
    CZ_TRY(take(gpu, CZ_GPU_PINNED_MEMORY, &b->to, places));
    CZ_TRY(take(gpu, CZ_GPU_DEVICE_MEMORY, &b->d_bytes, chunk_bytes));
    CZ_TRY(take(gpu, CZ_GPU_DEVICE_MEMORY, &b->d_to, places));
    CZ_TRY(cz_gpu_event_create(gpu, &b->copied));
    return cz_gpu_event_create(gpu, &b->used);
}

static cz_err make_buffers(cz_points_gpu *p)
{
    CZ_TRY(take(p->gpu, CZ_GPU_DEVICE_MEMORY, &p->d_bad, sizeof *p->d_bad));
    CZ_TRY(take(p->gpu, CZ_GPU_PINNED_MEMORY, &p->bad, sizeof *p->bad));
    for (int i = 0; i < 2; i++)
        CZ_TRY(make_buffer(p->gpu, &p->buffer[i], p->chunk_bytes));
    return CZ_OK;
}

/* Pinned memory takes its time, so small files get small buffers. */
static size_t choose_chunk(const cz_params *params)
{
    const cz_point_list *lists[] = {&params->h, &params->l, &params->a, &params->b_g1,
                                    &params->b_g2};
    uint32_t most = 1;

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (lists[i]->n > most)
            most = lists[i]->n;
    if (most > MAX_CHUNK_BYTES / CZ_G2_UNCOMPRESSED_BYTES)
        most = MAX_CHUNK_BYTES / CZ_G2_UNCOMPRESSED_BYTES;
    return (size_t)most * CZ_G2_UNCOMPRESSED_BYTES;
}

uint64_t cz_points_gpu_bytes(const cz_params *params)
{
    const size_t chunk_bytes = choose_chunk(params);

    return sizeof(uint32_t) + 2 * ((uint64_t)chunk_bytes + place_bytes(chunk_bytes));
}

cz_err cz_points_gpu_create(cz_gpu *gpu, cz_points_gpu **out, const cz_params *params)
{
    cz_points_gpu *p = calloc(1, sizeof *p);
    cz_err err;

    if (p == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to load points");
    p->gpu = gpu;
    p->chunk_bytes = choose_chunk(params);
    err = make_buffers(p);
    if (err != CZ_OK) {
        cz_points_gpu_destroy(p);
        return err;
    }
    *out = p;
    return CZ_OK;
}

void cz_points_gpu_destroy(cz_points_gpu *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < 2; i++) {
        buffer *b = &p->buffer[i];

        cz_gpu_give_back(p->gpu, b->bytes);
        cz_gpu_give_back(p->gpu, b->to);
        cz_gpu_give_back(p->gpu, b->d_bytes);
        cz_gpu_give_back(p->gpu, b->d_to);
        cz_gpu_event_destroy(b->copied);
        cz_gpu_event_destroy(b->used);
    }
    cz_gpu_give_back(p->gpu, p->d_bad);
    cz_gpu_give_back(p->gpu, p->bad);
    free(p);
}

/* ---- loading ---- */

typedef struct {
    cz_points_gpu *p;
    const cz_params *params;
    const cz_point_list *list;
    cz_pool *pool;
    const cz_points_layout *layout;
    bool g2;
    size_t point_bytes;
} load;

static cz_err read_points(const load *l, uint8_t *out, size_t first, size_t n)
{
    const size_t list_at = (size_t)(l->list->bytes - l->params->map);

    return cz_params_read_shared(l->params, l->pool, out, list_at + first * l->point_bytes,
                                 n * l->point_bytes);
}

static void fill_places(const load *l, uint32_t *to, size_t first, size_t n)
{
    if (l->layout->places != NULL) {
        l->layout->places(l->layout->ctx, to, first, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        to[i] = (uint32_t)(first + i);
}

/* Chunk number `turn`: read while the device is at the one before. */
static cz_err load_chunk(const load *l, size_t turn, size_t first, size_t n)
{
    cz_gpu *gpu = l->p->gpu;
    buffer *b = &l->p->buffer[turn % 2];
    const cz_gpu_backend *backend;
    float ms;

    CZ_TRY(cz_gpu_load(&backend));
    if (turn >= 2) /* asking for a time waits */
        CZ_TRY(cz_gpu_event_ms(&ms, b->copied, b->copied));
    CZ_TRY(read_points(l, b->bytes, first, n));
    fill_places(l, b->to, first, n);
    if (turn >= 2)
        CZ_TRY(cz_gpu_event_wait(gpu, b->used, CZ_GPU_COPY));
    CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COPY, b->d_bytes, b->bytes, n * l->point_bytes));
    CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COPY, b->d_to, b->to, n * sizeof *b->to));
    CZ_TRY(cz_gpu_event_record(gpu, b->copied, CZ_GPU_COPY));
    CZ_TRY(cz_gpu_event_wait(gpu, b->copied, CZ_GPU_COMPUTE));
    CZ_TRY(cz_gpu_result(backend->points_decode(gpu, l->g2, b->d_bytes, b->d_to, n, (uint32_t)first,
                                                l->layout->d_part[0], l->layout->d_part[1],
                                                l->p->d_bad)));
    return cz_gpu_event_record(gpu, b->used, CZ_GPU_COMPUTE);
}

static cz_err load_chunks(const load *l)
{
    const size_t chunk = l->p->chunk_bytes / l->point_bytes;

    for (size_t first = 0, turn = 0; first < l->list->n; first += chunk, turn++)
        CZ_TRY(load_chunk(l, turn, first, l->list->n - first < chunk ? l->list->n - first : chunk));
    return CZ_OK;
}

cz_err cz_points_gpu_name_bad(const cz_params *params, const cz_point_list *list, uint32_t bad)
{
    cz_g1_affine g1;
    cz_g2_affine g2;

    if (list == &params->b_g2)
        CZ_TRY(cz_params_load_g2(params, list, NULL, bad, 1, &g2));
    else
        CZ_TRY(cz_params_load_g1(params, list, NULL, bad, 1, &g1));
    return cz_fail(CZ_E_INTERNAL, "%s: the device refuses a point that the host takes",
                   params->path);
}

static cz_err load_list(const load *l)
{
    cz_points_gpu *p = l->p;
    cz_err err;

    *p->bad = UINT32_MAX;
    CZ_TRY(cz_gpu_copy(p->gpu, CZ_GPU_COMPUTE, p->d_bad, p->bad, sizeof *p->bad));
    err = load_chunks(l);
    if (err != CZ_OK) /* the buffers are given back next */
        return cz_gpu_sync(p->gpu) == CZ_OK ? err : CZ_E_CUDA;
    CZ_TRY(cz_gpu_copy(p->gpu, CZ_GPU_COMPUTE, p->bad, p->d_bad, sizeof *p->bad));
    CZ_TRY(cz_gpu_sync(p->gpu));
    return *p->bad == UINT32_MAX ? CZ_OK : cz_points_gpu_name_bad(l->params, l->list, *p->bad);
}

cz_err cz_points_gpu_load(cz_points_gpu *p, const cz_params *params, const cz_point_list *list,
                          cz_pool *pool, const cz_points_layout *layout)
{
    const bool g2 = list == &params->b_g2;
    const load l = {.p = p,
                    .params = params,
                    .list = list,
                    .pool = pool,
                    .layout = layout,
                    .g2 = g2,
                    .point_bytes = g2 ? CZ_G2_UNCOMPRESSED_BYTES : CZ_G1_UNCOMPRESSED_BYTES};

    return load_list(&l);
}
