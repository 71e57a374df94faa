/* msm_memory.c: see msm_memory.h. */
#define _DEFAULT_SOURCE
#include "msm/msm_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "msm/msm_spare.h"

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21, ERASE_GRAIN = 1 << 19 };

/* Room for one block more. */
static cz_err grow(cz_msm_memory *m)
{
    cz_msm_block *blocks = realloc(m->blocks, (m->n + 1) * sizeof *blocks);

    if (blocks == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for scratch");
    m->blocks = blocks;
    return CZ_OK;
}

static size_t alignment_of(size_t bytes)
{
    return bytes >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
}

size_t cz_msm_block_bytes(size_t count, size_t size)
{
    const size_t bytes = count * size;
    const size_t align = alignment_of(bytes);

    return (bytes / align + 1) * align;
}

static void *allocate(size_t bytes)
{
    const size_t align = alignment_of(bytes);
    void *block = aligned_alloc(align, bytes);

    if (block == NULL) {
        cz_msm_spare_drop();
        block = aligned_alloc(align, bytes);
    }
    /* Points are gathered at random; pages of 4 KiB would miss the TLB. A refusal is harmless. */
    if (block != NULL && align == HUGE_PAGE)
        (void)madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

static cz_err take_block(cz_msm_memory *m, void **p, size_t bytes, bool secret)
{
    cz_msm_block block = {.bytes = bytes, .room = bytes, .secret = secret};

    CZ_TRY(grow(m));
    if (bytes >= CZ_MSM_SPARE_LEAST)
        block.p = cz_msm_spare_take(bytes, &block.room);
    if (block.p == NULL) {
        block.p = allocate(bytes);
        block.room = bytes;
    }
    if (block.p == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu bytes of scratch", bytes);
    m->blocks[m->n++] = block;
    *p = block.p;
    return CZ_OK;
}

static cz_err take(cz_msm_memory *m, void *p, size_t count, size_t size, bool secret)
{
    void *block = NULL;

    if (count > (SIZE_MAX - HUGE_PAGE) / size)
        return cz_fail(CZ_E_NOMEM, "scratch of %zu items of %zu bytes", count, size);
    if (!m->only_counting)
        CZ_TRY(take_block(m, &block, cz_msm_block_bytes(count, size), secret));
    m->bytes += cz_msm_block_bytes(count, size);
    memcpy(p, &block, sizeof block);
    return CZ_OK;
}

cz_err cz_msm_take(cz_msm_memory *m, void *p, size_t count, size_t size)
{
    return take(m, p, count, size, false);
}

cz_err cz_msm_take_secret(cz_msm_memory *m, void *p, size_t count, size_t size)
{
    return take(m, p, count, size, true);
}

/* Bytes [begin, end) of all secret blocks, one after another. */
static cz_err erase_range(void *ctx, size_t begin, size_t end, unsigned worker_id)
{
    const cz_msm_memory *m = ctx;
    size_t at = 0; /* where the block begins */

    (void)worker_id;
    for (size_t i = 0; i < m->n; i++) {
        const cz_msm_block *block = &m->blocks[i];
        size_t from = begin > at ? begin - at : 0;
        size_t to = end > at ? end - at : 0;

        if (!block->secret)
            continue;
        to = to < block->bytes ? to : block->bytes;
        if (from < to)
            cz_secure_zero((char *)block->p + from, to - from);
        at += block->bytes;
    }
    return CZ_OK;
}

void cz_msm_erase(cz_msm_memory *m, cz_pool *threads)
{
    size_t bytes = 0;

    for (size_t i = 0; i < m->n; i++)
        bytes += m->blocks[i].secret ? m->blocks[i].bytes : 0;
    if (cz_parallel_for(threads, bytes, ERASE_GRAIN, erase_range, m) != CZ_OK)
        return; /* cannot be: erase_range does not fail */
    for (size_t i = 0; i < m->n; i++)
        m->blocks[i].secret = false;
}

void cz_msm_release(cz_msm_memory *m)
{
    cz_msm_erase(m, NULL);
    while (m->n > 0) {
        const cz_msm_block *block = &m->blocks[--m->n];

        if (block->bytes < CZ_MSM_SPARE_LEAST || !cz_msm_spare_keep(block->p, block->room))
            free(block->p);
    }
    free(m->blocks);
    m->blocks = NULL;
    m->bytes = 0;
}
