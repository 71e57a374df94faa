/* writer.c: parameter files, written in a stream. */
#include <stdlib.h>

#include "base/bytes.h"
#include "params/params.h"

enum { N_PARTS = 6, BUFFER_POINTS = 1 << 14 };

cz_err cz_params_writer_open(cz_params_writer *w, const char *path)
{
    *w = (cz_params_writer){0};
    w->buffer = malloc((size_t)BUFFER_POINTS * CZ_G2_UNCOMPRESSED_BYTES);
    if (w->buffer == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to write", path);
    return cz_file_writer_open(&w->file, path);
}

cz_err cz_params_writer_vk(cz_params_writer *w, const cz_vk *vk)
{
    size_t n = cz_vk_bytes(vk);
    uint8_t *bytes;
    cz_err err;

    if (w->n_parts != 0)
        return cz_fail(CZ_E_ARG, "parameter writer: the vk comes first");
    bytes = malloc(n);
    if (bytes == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to write", w->file.path);
    cz_vk_serialize(bytes, vk);
    err = cz_file_write(&w->file, bytes, n);
    free(bytes);
    w->n_parts = 1;
    return err;
}

cz_err cz_params_writer_begin(cz_params_writer *w, uint32_t n)
{
    uint8_t count[4];

    if (w->missing > 0 || w->n_parts == 0 || w->n_parts == N_PARTS)
        return cz_fail(CZ_E_ARG, "parameter writer: a list begins out of turn");
    cz_store_be32(count, n);
    CZ_TRY(cz_file_write(&w->file, count, sizeof count));
    w->missing = n;
    w->n_parts++;
    return CZ_OK;
}

typedef struct {
    const void *points;
    uint8_t *out;
} encode_job;

static cz_err encode_g1_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const encode_job *job = ctx;
    const cz_g1_affine *points = job->points;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_g1_serialize(job->out + i * CZ_G1_UNCOMPRESSED_BYTES, &points[i]);
    return CZ_OK;
}

static cz_err encode_g2_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const encode_job *job = ctx;
    const cz_g2_affine *points = job->points;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_g2_serialize(job->out + i * CZ_G2_UNCOMPRESSED_BYTES, &points[i]);
    return CZ_OK;
}

static cz_err take_turn(cz_params_writer *w, size_t n)
{
    if (n > w->missing)
        return cz_fail(CZ_E_ARG, "parameter writer: more points than the list's count");
    w->missing -= (uint32_t)n;
    return CZ_OK;
}

cz_err cz_params_writer_g1(cz_params_writer *w, cz_pool *pool, const cz_g1_affine *points, size_t n)
{
    CZ_TRY(take_turn(w, n));
    for (size_t i = 0; i < n; i += BUFFER_POINTS) {
        size_t k = n - i < BUFFER_POINTS ? n - i : BUFFER_POINTS;
        encode_job job = {points + i, w->buffer};

        CZ_TRY(cz_parallel_for(pool, k, 1024, encode_g1_range, &job));
        CZ_TRY(cz_file_write(&w->file, w->buffer, k * CZ_G1_UNCOMPRESSED_BYTES));
    }
    return CZ_OK;
}

cz_err cz_params_writer_g2(cz_params_writer *w, cz_pool *pool, const cz_g2_affine *points, size_t n)
{
    CZ_TRY(take_turn(w, n));
    for (size_t i = 0; i < n; i += BUFFER_POINTS) {
        size_t k = n - i < BUFFER_POINTS ? n - i : BUFFER_POINTS;
        encode_job job = {points + i, w->buffer};

        CZ_TRY(cz_parallel_for(pool, k, 1024, encode_g2_range, &job));
        CZ_TRY(cz_file_write(&w->file, w->buffer, k * CZ_G2_UNCOMPRESSED_BYTES));
    }
    return CZ_OK;
}

cz_err cz_params_writer_commit(cz_params_writer *w)
{
    if (w->n_parts != N_PARTS || w->missing > 0)
        return cz_fail(CZ_E_ARG, "parameter writer: lists or points are missing");
    CZ_TRY(cz_file_writer_commit(&w->file));
    free(w->buffer);
    w->buffer = NULL;
    return CZ_OK;
}

void cz_params_writer_abort(cz_params_writer *w)
{
    cz_file_writer_abort(&w->file);
    free(w->buffer);
    *w = (cz_params_writer){0};
}
