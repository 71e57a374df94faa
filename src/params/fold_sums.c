/* fold_sums.c: see fold_sums.h. */
#include "params/fold_sums.h"

#include <stdlib.h>

#include "msm/msm.h"
#include "msm/sums_gpu.h"
#include "params/fold_lists.h"
#include "params/points_feed.h"

/* What a device needs besides. */
typedef struct {
    cz_gpu *gpu; /* NULL: the pool sums */
    void *d_mark, *d_bytes, *d_points, *d_scalars, *d_scratch;
    cz_gpu_sums *sums;
} device;

struct cz_fold_sums {
    cz_fold_options options;
    size_t chunk; /* points */
    device device;
    cz_g1_affine *points; /* of a chunk; without a device */
    cz_u256 *plain;

    const char *step;
    uint64_t done, total;
};

enum { DEVICE_CHUNK = 1 << 22 };

/* ---- memory ---- */

static cz_err take(cz_gpu *gpu, void **out, size_t bytes)
{
    return cz_gpu_take(gpu, CZ_GPU_DEVICE_MEMORY, out, bytes, "the check of a folded key");
}

static cz_err make_device(device *d, size_t chunk)
{
    const cz_gpu_sums_shape shape = {.group = CZ_GPU_G1, .tables = 1, .full_terms = chunk};
    uint64_t scratch_bytes;

    CZ_TRY(cz_sums_gpu_bytes(d->gpu, &scratch_bytes, &shape, 1));
    CZ_TRY(take(d->gpu, &d->d_mark, sizeof(uint32_t)));
    CZ_TRY(take(d->gpu, &d->d_bytes, chunk * CZ_G1_UNCOMPRESSED_BYTES));
    CZ_TRY(take(d->gpu, &d->d_points, chunk * sizeof(cz_g1_affine)));
    CZ_TRY(take(d->gpu, &d->d_scalars, chunk * sizeof(cz_fr)));
    CZ_TRY(take(d->gpu, &d->d_scratch, scratch_bytes));
    return cz_sums_gpu_create(d->gpu, &d->sums, &shape, 1, d->d_scratch);
}

static cz_err make_host(cz_fold_sums *s)
{
    s->points = malloc(s->chunk * sizeof *s->points);
    s->plain = malloc(s->chunk * sizeof *s->plain);
    return s->points != NULL && s->plain != NULL
               ? CZ_OK
               : cz_fail(CZ_E_NOMEM, "no memory to check a folded key");
}

cz_err cz_fold_sums_create(cz_fold_sums **out, const cz_fold_options *options, size_t longest)
{
    const size_t most = options->gpu != NULL ? DEVICE_CHUNK : CZ_FOLD_CHUNK;
    cz_fold_sums *s = calloc(1, sizeof *s);
    cz_err err;

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to check a folded key");
    s->options = *options;
    s->chunk = longest < most ? longest : most;
    s->device.gpu = options->gpu;
    err = options->gpu != NULL ? make_device(&s->device, s->chunk) : make_host(s);
    if (err != CZ_OK) {
        cz_fold_sums_destroy(s);
        return err;
    }
    *out = s;
    return CZ_OK;
}

static void clear_device(device *d)
{
    if (d->gpu == NULL)
        return;
    cz_sums_gpu_destroy(d->sums);
    cz_gpu_give_back(d->gpu, d->d_mark);
    cz_gpu_give_back(d->gpu, d->d_bytes);
    cz_gpu_give_back(d->gpu, d->d_points);
    cz_gpu_give_back(d->gpu, d->d_scalars);
    cz_gpu_give_back(d->gpu, d->d_scratch);
}

void cz_fold_sums_destroy(cz_fold_sums *s)
{
    if (s == NULL)
        return;
    clear_device(&s->device);
    free(s->points);
    free(s->plain);
    free(s);
}

/* ---- progress ---- */

void cz_fold_sums_step(cz_fold_sums *s, const char *step, uint64_t total)
{
    s->step = step;
    s->done = 0;
    s->total = total;
    cz_fold_report(&s->options, step, 0, total);
}

static void add_done(cz_fold_sums *s, size_t n)
{
    s->done += n;
    cz_fold_report(&s->options, s->step, s->done, s->total);
}

/* ---- by the pool ---- */

typedef struct {
    const cz_fr *from;
    cz_u256 *to;
} plain_job;

static cz_err plain_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const plain_job *job = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_fr_to_u256(&job->to[i], &job->from[i]);
    return CZ_OK;
}

enum { SCALARS_AT_ONCE = 4096 };

static cz_err sum_here(cz_fold_sums *s, cz_g1 *out, const cz_params *file,
                       const cz_points_stretch *part, const cz_fr *scalars)
{
    plain_job job = {scalars + part->first, s->plain};
    cz_pool *pool = s->options.pool;

    CZ_TRY(cz_params_load_g1(file, part->list, pool, part->first, part->n, s->points));
    CZ_TRY(cz_parallel_for(pool, part->n, SCALARS_AT_ONCE, plain_range, &job));
    return cz_msm_g1(pool, out, s->points, s->plain, part->n);
}

/* ---- by a device: its points come while it sums those before ---- */

static cz_err sum_there(cz_points_feed *feed, cz_g1 *out, const device *d,
                        const cz_points_stretch *part, const cz_fr *scalars)
{
    const cz_gpu_terms terms = {.group = CZ_GPU_G1,
                                .tables = 1,
                                .montgomery = 1,
                                .n = part->n,
                                .n_points = part->n,
                                .d_points = d->d_points,
                                .d_scalars = d->d_scalars};

    CZ_TRY(cz_gpu_copy(d->gpu, CZ_GPU_COMPUTE, d->d_scalars, scalars + part->first,
                       part->n * sizeof *scalars));
    CZ_TRY(cz_points_feed_next(feed));
    CZ_TRY(cz_points_feed_decode(feed, NULL, d->d_points, NULL));
    return cz_sums_gpu_full_g1(d->sums, out, &terms, NULL);
}

/* ---- chunks ---- */

/* The sum over every part of a list; feed: of a device, begun, or NULL. */
static cz_err sum_parts(cz_fold_sums *s, cz_g1 *out, const cz_params *file, cz_points_feed *feed,
                        const cz_points_stretch *parts, size_t n_parts, const cz_fr *scalars)
{
    cz_g1 sum;

    cz_g1_set_infinity(out);
    for (size_t i = 0; i < n_parts; i++) {
        if (feed != NULL)
            CZ_TRY(sum_there(feed, &sum, &s->device, &parts[i], scalars));
        else
            CZ_TRY(sum_here(s, &sum, file, &parts[i], scalars));
        cz_g1_add(out, out, &sum);
        add_done(s, parts[i].n);
    }
    return CZ_OK;
}

static cz_err sum_fed(cz_fold_sums *s, cz_g1 *out, const cz_params *file,
                      const cz_points_stretch *parts, size_t n_parts, const cz_fr *scalars)
{
    const device *d = &s->device;
    cz_points_feed *feed = NULL;
    cz_err err;

    CZ_TRY(cz_points_feed_create(d->gpu, &feed, file, s->options.pool,
                                 s->chunk * CZ_G1_UNCOMPRESSED_BYTES, d->d_mark));
    err = cz_points_feed_start(feed, parts, n_parts, d->d_bytes);
    if (err == CZ_OK)
        err = sum_parts(s, out, file, feed, parts, n_parts, scalars);
    cz_points_feed_stop(feed);
    if (err == CZ_OK) /* else giving back waits, and the first error counts */
        err = cz_gpu_sync(d->gpu);
    cz_points_feed_destroy(feed);
    return err;
}

cz_err cz_fold_sum(cz_fold_sums *s, cz_g1 *out, const cz_params *file, const cz_point_list *list,
                   const cz_fr *scalars)
{
    const size_t n = (list->n + s->chunk - 1) / s->chunk;
    cz_points_stretch *parts = malloc((n + 1) * sizeof *parts);
    cz_err err;

    if (parts == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to check a folded key");
    for (size_t i = 0; i < n; i++) {
        const size_t first = i * s->chunk, left = list->n - first;

        parts[i] = (cz_points_stretch){
            .list = list, .first = first, .n = left < s->chunk ? left : s->chunk};
    }
    err = s->device.gpu != NULL ? sum_fed(s, out, file, parts, n, scalars)
                                : sum_parts(s, out, file, NULL, parts, n, scalars);
    free(parts);
    return err;
}
