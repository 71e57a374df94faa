/* points_feed.c: see points_feed.h. */
#define _GNU_SOURCE
#include "params/points_feed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "params/points_gpu.h"

enum { MAX_PIECE_BYTES = 64 << 20, PIECES = 2 };

/* A pinned buffer. */
typedef struct {
    uint8_t *bytes;
    cz_gpu_event *copied; /* until then it is busy */
    bool is_used;
} piece;

struct cz_points_feed {
    cz_gpu *gpu;
    const cz_params *params;
    cz_pool *pool;
    size_t piece_bytes;
    piece piece[PIECES];
    unsigned turn;       /* of the pieces */
    uint32_t *bad;       /* pinned: the least number of a bad point ... */
    uint32_t *d_bad;     /* ... and where the device finds it */
    cz_gpu_event *there; /* the stretch is on the device */
    cz_gpu_event *used;  /* its place is free again */

    const cz_points_stretch *stretches;
    size_t n;
    uint8_t *d_bytes;
    size_t current; /* of the stretches, as the user goes on */

    pthread_t thread;
    bool is_running;
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t changed;
    size_t n_sent, n_used; /* stretches */
    bool is_stopped;
    cz_err err; /* of the thread, and why */
    char message[1024];
};

/* ---- memory ---- */

static cz_err make_piece(cz_points_feed *f, piece *p)
{
    void *bytes;

    CZ_TRY(
        cz_gpu_take(f->gpu, CZ_GPU_PINNED_MEMORY, &bytes, f->piece_bytes, "points on their way"));
    p->bytes = bytes;
    return cz_gpu_event_create(f->gpu, &p->copied);
}

static cz_err make_all(cz_points_feed *f)
{
    void *bad;

    CZ_TRY(cz_gpu_take(f->gpu, CZ_GPU_PINNED_MEMORY, &bad, sizeof *f->bad, "points on their way"));
    f->bad = bad;
    for (int i = 0; i < PIECES; i++)
        CZ_TRY(make_piece(f, &f->piece[i]));
    CZ_TRY(cz_gpu_event_create(f->gpu, &f->there));
    return cz_gpu_event_create(f->gpu, &f->used);
}

cz_err cz_points_feed_create(cz_gpu *gpu, cz_points_feed **out, const cz_params *params,
                             cz_pool *pool, size_t most_bytes, void *d_mark)
{
    cz_points_feed *f = calloc(1, sizeof *f);
    cz_err err;

    if (f == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to stream points");
    f->gpu = gpu;
    f->params = params;
    f->pool = pool;
    f->d_bad = d_mark;
    f->piece_bytes = most_bytes < MAX_PIECE_BYTES ? most_bytes : MAX_PIECE_BYTES;
    (void)pthread_mutex_init(&f->lock, NULL);
    (void)pthread_cond_init(&f->changed, NULL);
    err = make_all(f);
    if (err != CZ_OK) {
        cz_points_feed_destroy(f);
        return err;
    }
    *out = f;
    return CZ_OK;
}

void cz_points_feed_destroy(cz_points_feed *f)
{
    if (f == NULL)
        return;
    for (int i = 0; i < PIECES; i++) {
        cz_gpu_give_back(f->gpu, f->piece[i].bytes);
        cz_gpu_event_destroy(f->piece[i].copied);
    }
    cz_gpu_give_back(f->gpu, f->bad);
    cz_gpu_event_destroy(f->there);
    cz_gpu_event_destroy(f->used);
    (void)pthread_mutex_destroy(&f->lock);
    (void)pthread_cond_destroy(&f->changed);
    free(f);
}

/* ---- the thread ---- */

static const cz_params *file_of(const cz_points_feed *f, const cz_points_stretch *s)
{
    return s->file != NULL ? s->file : f->params;
}

static bool is_g2(const cz_points_feed *f, const cz_points_stretch *s)
{
    return s->list == &file_of(f, s)->b_g2;
}

/* n bytes of a file from `offset` on. */
static cz_err send_piece(cz_points_feed *f, const cz_params *file, uint8_t *d_to, size_t offset,
                         size_t n)
{
    piece *p = &f->piece[f->turn++ % PIECES];
    float ms;

    if (p->is_used) /* asking for a time waits */
        CZ_TRY(cz_gpu_event_ms(&ms, p->copied, p->copied));
    CZ_TRY(cz_params_read_shared(file, f->pool, p->bytes, offset, n));
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COPY, d_to, p->bytes, n));
    CZ_TRY(cz_gpu_event_record(f->gpu, p->copied, CZ_GPU_COPY));
    p->is_used = true;
    return CZ_OK;
}

static bool is_stopped(cz_points_feed *f)
{
    bool stopped;

    (void)pthread_mutex_lock(&f->lock);
    stopped = f->is_stopped;
    (void)pthread_mutex_unlock(&f->lock);
    return stopped;
}

static cz_err send_stretch(cz_points_feed *f, const cz_points_stretch *s)
{
    const cz_params *file = file_of(f, s);
    const size_t size = is_g2(f, s) ? CZ_G2_UNCOMPRESSED_BYTES : CZ_G1_UNCOMPRESSED_BYTES;
    const size_t offset = (size_t)(s->list->bytes - file->map) + s->first * size;
    const size_t bytes = s->n * size;

    for (size_t at = 0; at < bytes && !is_stopped(f); at += f->piece_bytes)
        CZ_TRY(send_piece(f, file, f->d_bytes + at, offset + at,
                          bytes - at < f->piece_bytes ? bytes - at : f->piece_bytes));
    return cz_gpu_event_record(f->gpu, f->there, CZ_GPU_COPY);
}

/* Until the place is free, or all is stopped. */
static bool wait_for_place(cz_points_feed *f, size_t i)
{
    bool go_on;

    (void)pthread_mutex_lock(&f->lock);
    while (!f->is_stopped && f->n_used < i)
        (void)pthread_cond_wait(&f->changed, &f->lock);
    go_on = !f->is_stopped;
    (void)pthread_mutex_unlock(&f->lock);
    return go_on;
}

static void note_sent(cz_points_feed *f, cz_err err)
{
    (void)pthread_mutex_lock(&f->lock);
    f->n_sent += err == CZ_OK;
    f->err = err;
    if (err != CZ_OK)
        (void)snprintf(f->message, sizeof f->message, "%s", cz_err_message());
    (void)pthread_cond_broadcast(&f->changed);
    (void)pthread_mutex_unlock(&f->lock);
}

static void *run(void *arg)
{
    cz_points_feed *f = arg;
    cz_err err = CZ_OK;

    for (size_t i = 0; err == CZ_OK && i < f->n && wait_for_place(f, i); i++) {
        if (i > 0)
            err = cz_gpu_event_wait(f->gpu, f->used, CZ_GPU_COPY);
        if (err == CZ_OK)
            err = send_stretch(f, &f->stretches[i]);
        note_sent(f, err);
    }
    return NULL;
}

/* ---- the user's side ---- */

cz_err cz_points_feed_start(cz_points_feed *f, const cz_points_stretch *stretches, size_t n,
                            void *d_bytes)
{
    f->stretches = stretches;
    f->n = n;
    f->d_bytes = d_bytes;
    f->current = 0;
    f->n_sent = f->n_used = 0;
    f->is_stopped = false;
    f->err = CZ_OK;
    *f->bad = UINT32_MAX;
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->d_bad, f->bad, sizeof *f->bad));
    if (pthread_create(&f->thread, NULL, run, f) != 0)
        return cz_fail(CZ_E_NOMEM, "no thread to stream points");
    f->is_running = true;
    return CZ_OK;
}

cz_err cz_points_feed_next(cz_points_feed *f)
{
    cz_err err;

    CZ_ASSERT(f->current < f->n);
    (void)pthread_mutex_lock(&f->lock);
    while (f->n_sent <= f->current && f->err == CZ_OK)
        (void)pthread_cond_wait(&f->changed, &f->lock);
    err = f->n_sent > f->current ? CZ_OK : f->err;
    (void)pthread_mutex_unlock(&f->lock);
    if (err != CZ_OK) {
        cz_err_adopt(f->message);
        return err;
    }
    return cz_gpu_event_wait(f->gpu, f->there, CZ_GPU_COMPUTE);
}

static void note_used(cz_points_feed *f)
{
    (void)pthread_mutex_lock(&f->lock);
    f->n_used++;
    (void)pthread_cond_broadcast(&f->changed);
    (void)pthread_mutex_unlock(&f->lock);
}

cz_err cz_points_feed_decode(cz_points_feed *f, const uint32_t *d_to, void *d_part0, void *d_part1)
{
    const cz_points_stretch *s = &f->stretches[f->current++];
    const cz_gpu_backend *backend;
    float ms;

    CZ_TRY(cz_gpu_load(&backend));
    CZ_TRY(cz_gpu_result(backend->points_decode(f->gpu, is_g2(f, s), f->d_bytes, d_to, s->n,
                                                (uint32_t)s->first, d_part0, d_part1, f->d_bad)));
    CZ_TRY(cz_gpu_copy(f->gpu, CZ_GPU_COMPUTE, f->bad, f->d_bad, sizeof *f->bad));
    CZ_TRY(cz_gpu_event_record(f->gpu, f->used, CZ_GPU_COMPUTE));
    note_used(f);
    CZ_TRY(cz_gpu_event_ms(&ms, f->used, f->used));
    return *f->bad == UINT32_MAX ? CZ_OK : cz_points_gpu_name_bad(file_of(f, s), s->list, *f->bad);
}

void cz_points_feed_stop(cz_points_feed *f)
{
    if (!f->is_running)
        return;
    (void)pthread_mutex_lock(&f->lock);
    f->is_stopped = true;
    (void)pthread_cond_broadcast(&f->changed);
    (void)pthread_mutex_unlock(&f->lock);
    (void)pthread_join(f->thread, NULL);
    f->is_running = false;
}
