/* blocks.c: see blocks.h. */
#define _GNU_SOURCE
#include "base/blocks.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20, PAGE = 4096, STEP = 32 << 10, MAX_IDLE = 64 };

typedef struct {
    void *block;
    size_t bytes;
} idle_block;

struct cz_blocks {
    pthread_mutex_t lock; /* guards all below */
    idle_block idle[MAX_IDLE];
    size_t n_idle;
    cz_blocks_counts counts;
};

cz_err cz_blocks_create(cz_blocks **out)
{
    cz_blocks *b = calloc(1, sizeof *b);

    if (b == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a pool of blocks");
    (void)pthread_mutex_init(&b->lock, NULL);
    *out = b;
    return CZ_OK;
}

void cz_blocks_destroy(cz_blocks *b)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < b->n_idle; i++) {
        cz_block_unpin(b->idle[i].block, b->idle[i].bytes);
        free(b->idle[i].block);
    }
    (void)pthread_mutex_destroy(&b->lock);
    free(b);
}

/* Requests of about the same size share blocks. */
static size_t whole_steps(size_t bytes)
{
    const size_t step = bytes < HUGE_PAGE ? STEP : HUGE_PAGE;

    return (bytes + step - 1) / step * step;
}

/* Large blocks begin at a huge page. A refusal of those is harmless. */
static void *allocate(size_t bytes)
{
    void *block;

    if (bytes < HUGE_PAGE)
        return malloc(bytes);
    block = aligned_alloc(HUGE_PAGE, whole_steps(bytes));
    if (block != NULL)
        (void)madvise(block, whole_steps(bytes), MADV_HUGEPAGE);
    return block;
}

void cz_block_touch(void *block, size_t bytes)
{
    volatile uint8_t *at = block;

    for (size_t i = 0; i < bytes; i += PAGE)
        at[i] = 0;
}

bool cz_block_pin(void *block, size_t bytes)
{
    if (mlock(block, bytes) == 0)
        return true;
    for (size_t i = 0; i < bytes; i += PAGE) /* contents stay as they are */
        ((volatile uint8_t *)block)[i] = ((volatile uint8_t *)block)[i];
    return false;
}

void cz_block_unpin(void *block, size_t bytes)
{
    (void)munlock(block, bytes);
}

/* The last idle block of that size, taken out of the list; NULL when there is none. */
static void *take_idle(cz_blocks *b, size_t bytes)
{
    for (size_t i = b->n_idle; i-- > 0;) {
        void *block = b->idle[i].block;

        if (b->idle[i].bytes != bytes)
            continue;
        b->idle[i] = b->idle[--b->n_idle];
        b->counts.reused++;
        return block;
    }
    return NULL;
}

static void *make(cz_blocks *b, size_t bytes)
{
    void *block = allocate(bytes);
    bool locked;

    if (block == NULL)
        return NULL;
    locked = cz_block_pin(block, bytes);
    (void)pthread_mutex_lock(&b->lock);
    b->counts.made++;
    b->counts.bytes += bytes;
    b->counts.locked += locked ? bytes : 0;
    (void)pthread_mutex_unlock(&b->lock);
    return block;
}

void *cz_blocks_take(cz_blocks *b, size_t bytes)
{
    void *block;

    if (b == NULL)
        return allocate(bytes);
    bytes = whole_steps(bytes);
    (void)pthread_mutex_lock(&b->lock);
    block = take_idle(b, bytes);
    (void)pthread_mutex_unlock(&b->lock);
    return block != NULL ? block : make(b, bytes);
}

void cz_blocks_give(cz_blocks *b, void *block, size_t bytes)
{
    bool kept = false;

    if (block == NULL)
        return;
    if (b != NULL) {
        bytes = whole_steps(bytes);
        (void)pthread_mutex_lock(&b->lock);
        kept = b->n_idle < MAX_IDLE;
        if (kept)
            b->idle[b->n_idle++] = (idle_block){.block = block, .bytes = bytes};
        (void)pthread_mutex_unlock(&b->lock);
        if (!kept)
            cz_block_unpin(block, bytes);
    }
    if (!kept)
        free(block);
}

cz_blocks_counts cz_blocks_count(const cz_blocks *b)
{
    cz_blocks_counts counts = {0};

    if (b == NULL)
        return counts;
    (void)pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&b->lock);
    counts = b->counts;
    (void)pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&b->lock);
    return counts;
}
