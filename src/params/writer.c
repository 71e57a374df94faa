/* writer.c: parameter files, written in a stream, but for the points.
 *
 * Writers of one file take turns in the kernel, so that pwrite by many threads is as fast as by
 * one; pages of a map are filled side by side. Where a page fault is cheap, that is three times as
 * fast (7.2 against 2.5 GB/s into a tmpfs, 16 threads); where it is dear, as in some virtual
 * machines, a tenth. So both are tried. Space is reserved before a map is written to: what is
 * refused is refused there, as an error, not as a signal. */
#define _GNU_SOURCE /* pwrite and off_t are POSIX, fallocate is Linux */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/trace.h"
#include "params/params.h"

enum { N_LISTS = 5, POINTS_A_TURN = 512, BYTES_A_TURN = 1 << 20, MAP_FROM = 64 << 10 };
enum { BY_PWRITE, BY_MAP };

cz_err cz_params_writer_open(cz_params_writer *w, const char *path)
{
    *w = (cz_params_writer){0};
    CZ_TRY(cz_file_writer_open(&w->file, path));
    w->map_fd = open(w->file.tmp_path, O_RDWR | O_CLOEXEC);
    w->may_map = w->map_fd >= 0;
    return CZ_OK;
}

cz_err cz_params_writer_head(cz_params_writer *w, const uint8_t *bytes, size_t n, unsigned n_lists)
{
    if (w->n_wanted != 0)
        return cz_fail(CZ_E_ARG, "parameter writer: the vk comes first, and once");
    CZ_TRY(cz_file_write(&w->file, bytes, n));
    w->n_parts = 1;
    w->n_wanted = 1 + n_lists;
    return CZ_OK;
}

cz_err cz_params_writer_vk(cz_params_writer *w, const cz_vk *vk)
{
    const size_t n = cz_vk_bytes(vk);
    uint8_t *bytes = malloc(n);
    cz_err err;

    if (bytes == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory to write", w->file.path);
    cz_vk_serialize(bytes, vk);
    err = cz_params_writer_head(w, bytes, n, N_LISTS);
    free(bytes);
    return err;
}

cz_err cz_params_writer_begin(cz_params_writer *w, uint32_t n)
{
    uint8_t count[4];

    if (w->missing > 0 || w->n_parts == w->n_wanted)
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
    uint8_t *map; /* of this place, or NULL */
    void *map_begin;
    size_t map_bytes;
} points_job;

static cz_err write_at(const points_job *job, const uint8_t *bytes, size_t n, size_t offset)
{
    if (job->map != NULL) {
        memcpy(job->map + offset, bytes, n);
        return CZ_OK;
    }
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

/* Each way once, then the faster one. */
static bool wants_map(const cz_params_writer *w, size_t n)
{
    return w->may_map && n >= MAP_FROM && w->seconds[BY_PWRITE] > 0 &&
           w->seconds[BY_MAP] < w->seconds[BY_PWRITE];
}

static void make_map(cz_params_writer *w, points_job *job, size_t n)
{
    const size_t before = (size_t)job->at % (size_t)sysconf(_SC_PAGESIZE);
    void *map = MAP_FAILED;

    if (fallocate(w->map_fd, 0, job->at, (off_t)n) == 0)
        map = mmap(NULL, before + n, PROT_READ | PROT_WRITE, MAP_SHARED, w->map_fd,
                   job->at - (off_t)before);
    w->may_map = map != MAP_FAILED; /* pwrite will tell why not, if it matters */
    if (map == MAP_FAILED)
        return;
    job->map_begin = map;
    job->map_bytes = before + n;
    job->map = (uint8_t *)map + before;
}

static cz_err run_points(cz_params_writer *w, cz_pool *pool, points_job *job, size_t n,
                         size_t grain, cz_loop_fn range)
{
    const size_t bytes = n * job->point_bytes;
    const uint64_t start = cz_clock_ns();
    cz_err err;

    if (wants_map(w, bytes))
        make_map(w, job, bytes);
    err = cz_parallel_for(pool, n, grain, range, job);
    if (job->map != NULL)
        (void)munmap(job->map_begin, job->map_bytes);
    if (bytes >= MAP_FROM)
        w->seconds[job->map != NULL ? BY_MAP : BY_PWRITE] =
            (double)(cz_clock_ns() - start) / 1e9 / (double)bytes;
    return err;
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
    CZ_TRY(run_points(w, pool, &job, n, grain, range));
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

static void close_map(cz_params_writer *w)
{
    if (w->map_fd > 0) /* never standard input, and 0 in a zeroed writer */
        (void)close(w->map_fd);
    w->map_fd = 0;
    w->may_map = false;
}

cz_err cz_params_writer_commit(cz_params_writer *w)
{
    if (w->n_wanted == 0 || w->n_parts != w->n_wanted || w->missing > 0)
        return cz_fail(CZ_E_ARG, "parameter writer: lists or points are missing");
    close_map(w);
    return cz_file_writer_commit(&w->file);
}

void cz_params_writer_abort(cz_params_writer *w)
{
    close_map(w);
    cz_file_writer_abort(&w->file);
    *w = (cz_params_writer){0};
}
