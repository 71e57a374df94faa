/* pinned.c: see pinned.h. */
#include "engine/pinned.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"
#include "gpu/gpu.h"

typedef struct block {
    struct block *next;
    void *memory;
    size_t bytes;
    bool taken;
} block;

struct cz_pinned {
    pthread_mutex_t slow; /* of the handle: locking and unlocking pages, a turn each; taken first */
    cz_gpu *gpu;

    pthread_mutex_t lock; /* of what follows; for a moment */
    uint64_t limit, used; /* used changes in turns alone */
    block *blocks;
    bool refused; /* the system gave none: it is not asked again */
    _Atomic uint64_t idle;
};

cz_err cz_pinned_create(cz_pinned **out, unsigned number, uint64_t limit_bytes)
{
    cz_pinned *p = calloc(1, sizeof *p);
    cz_err err;

    if (p == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for page-locked blocks");
    err = cz_gpu_open(&p->gpu, (int)number, 0);
    if (err != CZ_OK) {
        free(p);
        return err;
    }
    p->limit = limit_bytes;
    (void)pthread_mutex_init(&p->slow, NULL);
    (void)pthread_mutex_init(&p->lock, NULL);
    *out = p;
    return CZ_OK;
}

/* What lies idle: nobody finds it any more. */
static block *detach_idle(cz_pinned *p)
{
    block *idle = NULL, **at = &p->blocks;

    (void)pthread_mutex_lock(&p->lock);
    while (*at != NULL) {
        block *b = *at;

        if (b->taken) {
            at = &b->next;
            continue;
        }
        *at = b->next;
        b->next = idle;
        idle = b;
    }
    (void)pthread_mutex_unlock(&p->lock);
    return idle;
}

/* It counts until it is gone. In turn. */
static void release_idle(cz_pinned *p)
{
    block *b = detach_idle(p);

    while (b != NULL) {
        block *next = b->next;

        cz_gpu_give_back(p->gpu, b->memory);
        (void)pthread_mutex_lock(&p->lock);
        p->used -= b->bytes;
        atomic_fetch_sub(&p->idle, b->bytes);
        (void)pthread_mutex_unlock(&p->lock);
        free(b);
        b = next;
    }
}

void cz_pinned_destroy(cz_pinned *p)
{
    if (p == NULL)
        return;
    release_idle(p);
    cz_gpu_close(p->gpu);
    (void)pthread_mutex_destroy(&p->slow);
    (void)pthread_mutex_destroy(&p->lock);
    free(p);
}

static bool would_do(const block *b, size_t bytes)
{
    return !b->taken && b->bytes >= bytes && b->bytes / 2 <= bytes;
}

static block *find_idle(const cz_pinned *p, size_t bytes)
{
    block *best = NULL;

    for (block *b = p->blocks; b != NULL; b = b->next)
        if (would_do(b, bytes) && (best == NULL || b->bytes < best->bytes))
            best = b;
    return best;
}

/* NULL: there is none. */
static block *take_idle(cz_pinned *p, size_t bytes)
{
    block *b;

    (void)pthread_mutex_lock(&p->lock);
    b = find_idle(p, bytes);
    if (b != NULL) {
        b->taken = true;
        atomic_fetch_sub(&p->idle, b->bytes);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return b;
}

static bool is_refused(cz_pinned *p)
{
    bool refused;

    (void)pthread_mutex_lock(&p->lock);
    refused = p->refused;
    (void)pthread_mutex_unlock(&p->lock);
    return refused;
}

/* In turn, as the next two. */
static bool has_room(cz_pinned *p, size_t bytes)
{
    if (p->used > p->limit - bytes)
        release_idle(p);
    return p->used <= p->limit - bytes;
}

static void keep(cz_pinned *p, block *b)
{
    (void)pthread_mutex_lock(&p->lock);
    b->next = p->blocks;
    p->blocks = b;
    p->used += b->bytes;
    (void)pthread_mutex_unlock(&p->lock);
}

static block *add(cz_pinned *p, size_t bytes)
{
    block *b;

    if (is_refused(p) || !has_room(p, bytes) || (b = calloc(1, sizeof *b)) == NULL)
        return NULL;
    if (cz_gpu_take(p->gpu, CZ_GPU_PINNED_MEMORY, &b->memory, bytes, "a witness") != CZ_OK) {
        (void)pthread_mutex_lock(&p->lock);
        p->refused = true;
        (void)pthread_mutex_unlock(&p->lock);
        cz_log(CZ_LOG_WARN, "witnesses are not page-locked any more: %s", cz_err_message());
        free(b);
        return NULL;
    }
    b->bytes = bytes;
    b->taken = true;
    keep(p, b);
    return b;
}

/* Something may have been given back before its turn came. */
static block *take_or_add(cz_pinned *p, size_t bytes)
{
    block *b;

    (void)pthread_mutex_lock(&p->slow);
    b = take_idle(p, bytes);
    if (b == NULL)
        b = add(p, bytes);
    (void)pthread_mutex_unlock(&p->slow);
    return b;
}

void *cz_pinned_take(cz_pinned *p, size_t bytes)
{
    block *b = take_idle(p, bytes);

    if (b == NULL && bytes <= p->limit && !is_refused(p))
        b = take_or_add(p, bytes);
    return b != NULL ? b->memory : NULL;
}

void cz_pinned_give_back(cz_pinned *p, void *memory)
{
    (void)pthread_mutex_lock(&p->lock);
    for (block *b = p->blocks; b != NULL; b = b->next)
        if (b->memory == memory) {
            b->taken = false;
            atomic_fetch_add(&p->idle, b->bytes);
        }
    (void)pthread_mutex_unlock(&p->lock);
}

uint64_t cz_pinned_idle_bytes(const cz_pinned *p)
{
    return p != NULL ? atomic_load(&p->idle) : 0;
}

uint64_t cz_pinned_reusable(cz_pinned *p, size_t bytes, unsigned others)
{
    uint64_t found = 0;
    unsigned n = 0;

    if (p == NULL)
        return 0;
    (void)pthread_mutex_lock(&p->lock);
    for (const block *b = p->blocks; b != NULL; b = b->next)
        n += would_do(b, bytes);
    if (n > others)
        found = find_idle(p, bytes)->bytes; /* the next ones are no smaller */
    (void)pthread_mutex_unlock(&p->lock);
    return found;
}

void cz_pinned_trim(cz_pinned *p)
{
    if (p == NULL)
        return;
    (void)pthread_mutex_lock(&p->slow);
    release_idle(p);
    (void)pthread_mutex_unlock(&p->slow);
}

uint64_t cz_pinned_bytes(cz_pinned *p)
{
    uint64_t bytes;

    if (p == NULL)
        return 0;
    (void)pthread_mutex_lock(&p->lock);
    bytes = p->used;
    (void)pthread_mutex_unlock(&p->lock);
    return bytes;
}

uint64_t cz_pinned_limit(const cz_pinned *p)
{
    return p != NULL ? p->limit : 0;
}
