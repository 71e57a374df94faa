/* points.c: points out of the file into Montgomery form.
 *
 * Every loader is one parallel loop over a `pick`: a list and which of its points. The bytes are
 * read, not mapped: reading through a map costs a page fault each 64 KiB, which took 0.4 s of CPU a
 * 400 MB list where reading into a warm buffer takes 0.1 s (a virtual machine, warm page cache),
 * and a file that is cut while it is open gives an error instead of SIGBUS. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cpu.h"
#include "params/decode8.h"
#include "params/params.h"

enum {
    READ_BYTES = 1 << 20, /* a thread, of a read that all share */
    POINTS_A_TURN = 1024,
    /* Reading a point alone costs as much as reading so many in a row. */
    POINTS_A_SEEK = 20
};

typedef struct {
    const cz_params *params;
    const cz_point_list *list;
    size_t first;
    const uint32_t *at; /* NULL: first, first + 1, … */
    void *out;          /* cz_g1_affine or cz_g2_affine */
} pick;

/* Some of a pick's points as bytes: number begin … begin + n - 1. */
typedef struct {
    size_t begin, n;
    uint8_t *buffer;
    const uint8_t *rows[POINTS_A_TURN]; /* where each lies in the buffer */
} stretch;

static const char *section_name(const cz_params *p, const cz_point_list *list)
{
    return list == &p->h      ? "h"
           : list == &p->l    ? "l"
           : list == &p->a    ? "a"
           : list == &p->b_g1 ? "b_g1"
                              : "b_g2";
}

static size_t index_of(const pick *job, size_t i)
{
    return job->at == NULL ? job->first + i : job->at[i];
}

static cz_err bad_point(const pick *job, size_t index, const char *why)
{
    return cz_fail(CZ_E_INPUT, "%s: %s[%zu]: %s", job->params->path,
                   section_name(job->params, job->list), index, why);
}

cz_err cz_params_read(const cz_params *p, uint8_t *out, size_t offset, size_t n)
{
    while (n > 0) {
        ssize_t got = pread(p->fd, out, n, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return cz_fail(CZ_E_IO, "%s: cannot read at byte %zu: error %d", p->path, offset,
                           errno);
        if (got == 0)
            return cz_fail(CZ_E_IO, "%s: cut at byte %zu while it was open", p->path, offset);
        out += got;
        offset += (size_t)got;
        n -= (size_t)got;
    }
    return CZ_OK;
}

typedef struct {
    const cz_params *params;
    uint8_t *out;
    size_t offset; /* of the file */
} read_job;

static cz_err read_range(void *ctx, size_t begin, size_t end, unsigned worker)
{
    const read_job *job = ctx;

    (void)worker;
    return cz_params_read(job->params, job->out + begin, job->offset + begin, end - begin);
}

cz_err cz_params_read_shared(const cz_params *p, cz_pool *pool, uint8_t *out, size_t offset,
                             size_t n)
{
    read_job job = {.params = p, .out = out, .offset = offset};

    return cz_parallel_for(pool, n, READ_BYTES, read_range, &job);
}

static cz_err read_points(const pick *job, uint8_t *out, size_t index, size_t n, size_t point)
{
    size_t list_at = (size_t)(job->list->bytes - job->params->map);

    return cz_params_read(job->params, out, list_at + index * point, n * point);
}

/* How many points from number `begin` on lie in one ascending stretch that fits the buffer. */
static size_t stretch_length(const pick *job, size_t begin, size_t end)
{
    size_t first = index_of(job, begin), last = first, n = 1;

    while (begin + n < end) {
        size_t index = index_of(job, begin + n);

        if (index < last || index - first >= POINTS_A_TURN)
            break;
        last = index;
        n++;
    }
    return n;
}

/* The next points of [s->begin, end): all between the first and the last in one go where they are
 * dense, else each alone. */
static cz_err read_stretch(const pick *job, stretch *s, size_t end, size_t point)
{
    size_t first = index_of(job, s->begin), span;

    s->n = stretch_length(job, s->begin, end);
    span = index_of(job, s->begin + s->n - 1) - first + 1;
    if (span <= POINTS_A_SEEK * s->n) {
        for (size_t i = 0; i < s->n; i++)
            s->rows[i] = s->buffer + (index_of(job, s->begin + i) - first) * point;
        return read_points(job, s->buffer, first, span, point);
    }
    for (size_t i = 0; i < s->n; i++) {
        s->rows[i] = s->buffer + i * point;
        CZ_TRY(read_points(job, s->buffer + i * point, index_of(job, s->begin + i), 1, point));
    }
    return CZ_OK;
}

#define AFFINE   cz_g1_affine
#define G(name)  cz_g1_##name
#define POINT    CZ_G1_UNCOMPRESSED_BYTES
#define DECODE8  cz_decode8_g1_ifma
#define FN(name) g1_##name
#define LOAD     cz_params_load_g1
#define GATHER   cz_params_gather_g1
#include "params/points_body.h"
#undef AFFINE
#undef G
#undef POINT
#undef DECODE8
#undef FN
#undef LOAD
#undef GATHER

#define AFFINE   cz_g2_affine
#define G(name)  cz_g2_##name
#define POINT    CZ_G2_UNCOMPRESSED_BYTES
#define DECODE8  cz_decode8_g2_ifma
#define FN(name) g2_##name
#define LOAD     cz_params_load_g2
#define GATHER   cz_params_gather_g2
#include "params/points_body.h"

size_t cz_params_read_bytes(const cz_pool *pool)
{
    return cz_pool_threads(pool) * (size_t)POINTS_A_TURN * CZ_G2_UNCOMPRESSED_BYTES;
}
