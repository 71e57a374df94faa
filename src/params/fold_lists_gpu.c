/* fold_lists_gpu.c: the lists of a folded file by a device (fold_gpu.h), chunk after chunk. */
#include <stdlib.h>
#include <string.h>

#include "params/fold_gpu.h"
#include "params/fold_lists.h"

typedef struct {
    const cz_fold_lists *f;
    cz_fold_gpu *gpu;
    uint8_t *encoded; /* of a chunk */
    uint64_t *infinite;
    const char *step; /* the transform that runs */
    size_t done;      /* points of l */
} work;

static const size_t POINT = CZ_G1_UNCOMPRESSED_BYTES;

static size_t chunk_from(size_t first, size_t n)
{
    return n - first < CZ_FOLD_CHUNK ? n - first : CZ_FOLD_CHUNK;
}

/* ---- transforms ---- */

static void report_step(void *ctx, unsigned done, unsigned of, double seconds)
{
    const work *w = ctx;

    (void)seconds;
    cz_fold_report(&w->f->options, w->step, done, of);
}

static cz_err transform(work *w, const cz_fold_transform *t)
{
    const cz_fold_gpu_progress progress = {.step = report_step, .ctx = w};

    w->step = t->step;
    cz_fold_report(&w->f->options, t->step, 0, w->f->shape.log_n + 2);
    return cz_fold_gpu_transform(w->gpu, &t->factor, &t->base, &progress);
}

static cz_err write_h(work *w)
{
    const cz_fold_transform t = cz_fold_transform_h(w->f->shape.log_n);
    const size_t size = cz_fold_gpu_size(w->gpu);

    CZ_TRY(transform(w, &t));
    CZ_TRY(cz_fold_begin_list(w->f, "h"));
    for (size_t first = 0, n; first < size; first += n) {
        n = chunk_from(first, size);
        CZ_TRY_IN(cz_fold_gpu_points(w->gpu, w->encoded, first, n), "%s: h", w->f->params->path);
        CZ_TRY(cz_fold_write(w->f, "h", w->encoded, n, first + n));
    }
    return CZ_OK;
}

/* ---- l ---- */

static cz_fold_columns columns_from(const work *w, size_t variable, size_t n)
{
    const cz_c_columns *c = w->f->columns;

    return (cz_fold_columns){
        .n = n, .start = c->start + variable, .row = c->row, .coefficient = c->coeff};
}

/* Inputs [first, first + n), of which those that occur in C are moved together and written. */
static cz_err write_input_chunk(work *w, size_t first, size_t n)
{
    const cz_fold_columns columns = columns_from(w, first, n);
    size_t kept = 0;

    CZ_TRY(cz_fold_gpu_columns(w->gpu, w->encoded, w->infinite, &columns));
    for (size_t i = 0; i < n; i++) {
        if (!cz_fold_input_occurs(w->f, (uint32_t)(first + i)))
            continue;
        if (w->infinite[i / 64] >> (i % 64) & 1)
            return cz_fold_decline_l(w->f, first + i);
        memmove(w->encoded + kept++ * POINT, w->encoded + i * POINT, POINT);
    }
    w->done += kept;
    return cz_fold_write(w->f, "l", w->encoded, kept, w->done);
}

static cz_err write_aux_chunk(work *w, size_t first, size_t n)
{
    cz_fold_columns columns = columns_from(w, w->f->shape.n_inputs + first, n);

    columns.list = &w->f->params->l;
    columns.first = first;
    CZ_TRY(cz_fold_gpu_columns(w->gpu, w->encoded, w->infinite, &columns));
    for (size_t i = 0; i < n; i++)
        if (w->infinite[i / 64] >> (i % 64) & 1)
            return cz_fold_decline_l(w->f, w->f->shape.n_inputs + first + i);
    w->done += n;
    return cz_fold_write(w->f, "l", w->encoded, n, w->done);
}

static cz_err write_l(work *w)
{
    const cz_fold_transform t = cz_fold_transform_l(w->f->shape.log_n);
    const size_t n_inputs = w->f->shape.n_inputs, n_aux = w->f->shape.n_aux;

    CZ_TRY(transform(w, &t));
    CZ_TRY(cz_fold_gpu_coefficients(w->gpu, w->f->columns->coeffs, w->f->columns->n_coeffs));
    CZ_TRY(cz_fold_begin_list(w->f, "l"));
    for (size_t first = 0, n; first < n_inputs; first += n) {
        n = chunk_from(first, n_inputs);
        CZ_TRY(write_input_chunk(w, first, n));
    }
    for (size_t first = 0, n; first < n_aux; first += n) {
        n = chunk_from(first, n_aux);
        CZ_TRY(write_aux_chunk(w, first, n));
    }
    return CZ_OK;
}

cz_err cz_fold_lists_gpu(const cz_fold_lists *f)
{
    work w = {
        .f = f, .encoded = malloc(CZ_FOLD_CHUNK * POINT), .infinite = malloc(CZ_FOLD_CHUNK / 8)};
    cz_err err = CZ_OK;

    if (w.encoded == NULL || w.infinite == NULL)
        err = cz_fail(CZ_E_NOMEM, "%s: no memory to fold", f->params->path);
    if (err == CZ_OK)
        err = cz_fold_gpu_create(f->options.gpu, &w.gpu, f->params, f->options.pool);
    if (err == CZ_OK)
        err = write_h(&w);
    if (err == CZ_OK)
        err = write_l(&w);
    cz_fold_gpu_destroy(w.gpu);
    free(w.encoded);
    free(w.infinite);
    return err;
}
