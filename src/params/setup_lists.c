/* setup_lists.c: see setup_lists.h. */
#include "params/setup_lists.h"

#include <stdlib.h>
#include <string.h>

#include "msm/msm.h"
#include "params/lagrange.h"

/* Values of a block, and points of a chunk: of those, so many that making a table for each does not
 * matter. */
enum { BLOCK = CZ_SETUP_GPU_LEAST, G1_CHUNK = 1 << 20, G2_CHUNK = 1 << 19 };

/* ---- values that are not zero ---- */

static size_t blocks_of(size_t n_values)
{
    return (n_values + BLOCK - 1) / BLOCK;
}

static size_t block_end(const cz_nonzero *z, size_t block)
{
    return (block + 1) * BLOCK < z->n_values ? (block + 1) * BLOCK : z->n_values;
}

/* before[b + 1] = how many are in block b */
static cz_err count_blocks(void *ctx, size_t begin, size_t end, unsigned worker)
{
    cz_nonzero *z = ctx;

    (void)worker;
    for (size_t b = begin; b < end; b++) {
        uint32_t count = 0;

        for (size_t i = b * BLOCK; i < block_end(z, b); i++)
            count += !cz_fr_is_zero(&z->values[i]);
        z->before[b + 1] = count;
    }
    return CZ_OK;
}

cz_err cz_nonzero_find(cz_nonzero *out, const cz_fr *values, size_t n_values, cz_pool *pool)
{
    const size_t n_blocks = blocks_of(n_values);
    cz_nonzero z = {.values = values, .n_values = n_values};
    cz_err err;

    z.before = calloc(n_blocks + 1, sizeof *z.before);
    if (z.before == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to list %zu values", n_values);
    err = cz_parallel_for(pool, n_blocks, 64, count_blocks, &z);
    if (err != CZ_OK) {
        free(z.before);
        return err;
    }
    for (size_t b = 0; b < n_blocks; b++)
        z.before[b + 1] += z.before[b];
    z.n = z.before[n_blocks];
    *out = z;
    return CZ_OK;
}

void cz_nonzero_clear(cz_nonzero *z)
{
    free(z->before);
    z->before = NULL;
}

typedef struct {
    const cz_nonzero *z;
    size_t first; /* block */
    cz_fr *out;
} copy_job;

static cz_err copy_blocks(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const copy_job *job = ctx;
    const cz_nonzero *z = job->z;

    (void)worker;
    for (size_t b = job->first + begin; b < job->first + end; b++) {
        cz_fr *out = job->out + (z->before[b] - z->before[job->first]);

        for (size_t i = b * BLOCK; i < block_end(z, b); i++)
            if (!cz_fr_is_zero(&z->values[i]))
                *out++ = z->values[i];
    }
    return CZ_OK;
}

/* ---- scalars, chunk by chunk ---- */

typedef struct {
    const cz_setup_list *list;
    cz_pool *pool;
    uint32_t done;
    size_t block; /* of the values, the next */
} scalars;

/* The next ones, at most `max`, which is at least BLOCK; *n is 0 only when all are done. */
static cz_err next_scalars(scalars *s, cz_fr *out, size_t max, size_t *n)
{
    const cz_setup_list *list = s->list;
    const cz_nonzero *z = list->nonzero;
    copy_job job = {z, s->block, out};
    size_t end = s->block;

    if (z == NULL) {
        *n = list->n - s->done < max ? list->n - s->done : max;
        CZ_TRY(cz_scaled_powers(out, s->done, *n, &list->base, &list->factor, s->pool));
    } else {
        while (end < blocks_of(z->n_values) && z->before[end + 1] - z->before[s->block] <= max)
            end++;
        *n = z->before[end] - z->before[s->block];
        CZ_TRY(cz_parallel_for(s->pool, end - s->block, 16, copy_blocks, &job));
        s->block = end;
    }
    s->done += (uint32_t)*n;
    return CZ_OK;
}

static void report(const cz_setup_options *o, const cz_setup_list *list, uint64_t done)
{
    if (o->progress != NULL)
        o->progress(o->ctx, list->section, done, list->n);
}

/* ---- here ---- */

typedef struct {
    cz_fr *scalars;
    cz_u256 *plain;
    union {
        cz_g1_affine *g1;
        cz_g2_affine *g2;
    } points;
} chunk;

static cz_err to_plain(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const chunk *c = ctx;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_fr_to_u256(&c->plain[i], &c->scalars[i]);
    return CZ_OK;
}

static cz_err write_chunk(cz_params_writer *w, cz_pool *pool, cz_gpu_group group, chunk *c,
                          size_t n)
{
    CZ_TRY(cz_parallel_for(pool, n, 4096, to_plain, c));
    if (group == CZ_GPU_G1) {
        CZ_TRY(cz_fixed_base_g1(pool, c->points.g1, &cz_g1_generator, c->plain, n));
        return cz_params_writer_g1(w, pool, c->points.g1, n);
    }
    CZ_TRY(cz_fixed_base_g2(pool, c->points.g2, &cz_g2_generator, c->plain, n));
    return cz_params_writer_g2(w, pool, c->points.g2, n);
}

static cz_err write_chunks(cz_params_writer *w, const cz_setup_list *list,
                           const cz_setup_options *o, chunk *c, size_t max)
{
    scalars s = {.list = list, .pool = o->pool};
    size_t n;

    while (s.done < list->n) {
        CZ_TRY(next_scalars(&s, c->scalars, max, &n));
        CZ_TRY(write_chunk(w, o->pool, list->group, c, n));
        report(o, list, s.done);
    }
    return CZ_OK;
}

/* No more than there is, but a block. */
static size_t chunk_of(const cz_setup_list *list)
{
    const size_t most = list->group == CZ_GPU_G1 ? G1_CHUNK : G2_CHUNK;

    if (list->n < BLOCK)
        return BLOCK;
    return list->n < most ? list->n : most;
}

static cz_err write_here(cz_params_writer *w, const cz_setup_list *list, const cz_setup_options *o)
{
    const bool g1 = list->group == CZ_GPU_G1;
    const size_t max = chunk_of(list);
    chunk c = {.scalars = malloc(max * sizeof *c.scalars), .plain = malloc(max * sizeof *c.plain)};
    cz_err err;

    c.points.g1 = malloc(max * (g1 ? sizeof *c.points.g1 : sizeof *c.points.g2));
    if (c.scalars == NULL || c.plain == NULL || c.points.g1 == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory for a chunk of points");
    else
        err = write_chunks(w, list, o, &c, max);
    free(c.scalars);
    free(c.plain);
    free(c.points.g1);
    return err;
}

/* ---- on a device ---- */

/* The chunk that was sent before the latest one. */
static cz_err write_arrived(cz_params_writer *w, const cz_setup_list *list,
                            const cz_setup_options *o, cz_setup_gpu *device, uint64_t *written)
{
    const uint8_t *bytes;
    size_t n;

    CZ_TRY(cz_setup_gpu_end(device, &bytes, &n));
    CZ_TRY(cz_params_writer_encoded(w, o->pool, bytes, n,
                                    list->group == CZ_GPU_G1 ? CZ_G1_UNCOMPRESSED_BYTES
                                                             : CZ_G2_UNCOMPRESSED_BYTES));
    *written += n;
    report(o, list, *written);
    return CZ_OK;
}

static cz_err write_from_device(cz_params_writer *w, const cz_setup_list *list,
                                const cz_setup_options *o, cz_setup_gpu *device)
{
    const size_t max = cz_setup_gpu_chunk(device, list->group);
    scalars s = {.list = list, .pool = o->pool};
    unsigned under_way = 0;
    uint64_t written = 0;
    size_t n;

    while (s.done < list->n || under_way > 0) {
        if (s.done < list->n) {
            CZ_TRY(next_scalars(&s, cz_setup_gpu_scalars(device), max, &n));
            CZ_TRY(cz_setup_gpu_begin(device, list->group, n));
            under_way++;
        }
        if (under_way == 2 || s.done == list->n) {
            CZ_TRY(write_arrived(w, list, o, device, &written));
            under_way--;
        }
    }
    return CZ_OK;
}

cz_err cz_setup_list_write(cz_params_writer *w, const cz_setup_list *list,
                           const cz_setup_options *options, cz_setup_gpu *device)
{
    CZ_TRY(cz_params_writer_begin(w, list->n));
    report(options, list, 0);
    if (device != NULL)
        CZ_TRY_IN(write_from_device(w, list, options, device), "%s", list->section);
    else
        CZ_TRY_IN(write_here(w, list, options), "%s", list->section);
    return CZ_OK;
}
