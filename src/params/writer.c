/* writer.c: parameter files, written in a stream, but for the points. */
#define _GNU_SOURCE /* pwrite and off_t are POSIX */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "params/params.h"

enum { N_PARTS = 6, POINTS_A_TURN = 512, BYTES_A_TURN = 1 << 20 };

cz_err cz_params_writer_open(cz_params_writer *w, const char *path)
{
    *w = (cz_params_writer){0};
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

/* ---- points, each thread a stretch of them ---- */

typedef struct {
    int fd;
    const char *path;
    off_t at; /* in the file, of the first */
    const void *points;
    size_t point_bytes;
} points_job;

static cz_err write_at(const points_job *job, const uint8_t *bytes, size_t n, size_t offset)
{
    while (n > 0) {
        const ssize_t done = pwrite(job->fd, bytes, n, job->at + (off_t)offset);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return cz_fail(CZ_E_IO, "%s: cannot write: %s", job->path,
                           done < 0 ? strerror(errno) : "the device takes nothing");
        bytes += done;
        offset += (size_t)done;
        n -= (size_t)done;
    }
    return CZ_OK;
}

static cz_err encode_g1_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    uint8_t bytes[POINTS_A_TURN * CZ_G1_UNCOMPRESSED_BYTES];
    const points_job *job = ctx;
    const cz_g1_affine *points = job->points;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_g1_serialize(bytes + (i - begin) * CZ_G1_UNCOMPRESSED_BYTES, &points[i]);
    return write_at(job, bytes, (end - begin) * CZ_G1_UNCOMPRESSED_BYTES,
                    begin * CZ_G1_UNCOMPRESSED_BYTES);
}

static cz_err encode_g2_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    uint8_t bytes[POINTS_A_TURN * CZ_G2_UNCOMPRESSED_BYTES];
    const points_job *job = ctx;
    const cz_g2_affine *points = job->points;

    (void)worker;
    for (size_t i = begin; i < end; i++)
        cz_g2_serialize(bytes + (i - begin) * CZ_G2_UNCOMPRESSED_BYTES, &points[i]);
    return write_at(job, bytes, (end - begin) * CZ_G2_UNCOMPRESSED_BYTES,
                    begin * CZ_G2_UNCOMPRESSED_BYTES);
}

static cz_err write_encoded_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const points_job *job = ctx;
    const uint8_t *bytes = job->points;

    (void)worker;
    return write_at(job, bytes + begin * job->point_bytes, (end - begin) * job->point_bytes,
                    begin * job->point_bytes);
}

/* Ranges of n points by `range`, after what the stream has; the stream goes on behind them. */
static cz_err write_points(cz_params_writer *w, cz_pool *pool, const void *points, size_t n,
                           size_t point_bytes, size_t grain, cz_loop_fn range)
{
    points_job job = {.fd = fileno(w->file.stream),
                      .path = w->file.tmp_path,
                      .points = points,
                      .point_bytes = point_bytes};

    if (n > w->missing)
        return cz_fail(CZ_E_ARG, "parameter writer: more points than the list's count");
    w->missing -= (uint32_t)n;
    if (fflush(w->file.stream) != 0 || (job.at = ftello(w->file.stream)) < 0)
        return cz_fail(CZ_E_IO, "%s: cannot write: %s", job.path, strerror(errno));
    CZ_TRY(cz_parallel_for(pool, n, grain, range, &job));
    if (fseeko(w->file.stream, job.at + (off_t)(n * point_bytes), SEEK_SET) != 0)
        return cz_fail(CZ_E_IO, "%s: cannot write: %s", job.path, strerror(errno));
    return CZ_OK;
}

cz_err cz_params_writer_g1(cz_params_writer *w, cz_pool *pool, const cz_g1_affine *points, size_t n)
{
    return write_points(w, pool, points, n, CZ_G1_UNCOMPRESSED_BYTES, POINTS_A_TURN,
                        encode_g1_range);
}

cz_err cz_params_writer_g2(cz_params_writer *w, cz_pool *pool, const cz_g2_affine *points, size_t n)
{
    return write_points(w, pool, points, n, CZ_G2_UNCOMPRESSED_BYTES, POINTS_A_TURN,
                        encode_g2_range);
}

cz_err cz_params_writer_encoded(cz_params_writer *w, cz_pool *pool, const uint8_t *bytes, size_t n,
                                size_t point_bytes)
{
    return write_points(w, pool, bytes, n, point_bytes, BYTES_A_TURN / point_bytes,
                        write_encoded_range);
}

cz_err cz_params_writer_commit(cz_params_writer *w)
{
    if (w->n_parts != N_PARTS || w->missing > 0)
        return cz_fail(CZ_E_ARG, "parameter writer: lists or points are missing");
    return cz_file_writer_commit(&w->file);
}

void cz_params_writer_abort(cz_params_writer *w)
{
    cz_file_writer_abort(&w->file);
    *w = (cz_params_writer){0};
}
