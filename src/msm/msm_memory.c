/* msm_memory.c: see msm_memory.h. */
#define _DEFAULT_SOURCE
#include "msm/msm_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { CACHE_LINE = 64, HUGE_PAGE = 1 << 21 };

/* Room for one pointer more. */
static cz_err grow(cz_msm_memory *m)
{
    void **blocks = realloc(m->blocks, (m->n + 1) * sizeof *blocks);

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

static cz_err take_block(cz_msm_memory *m, void **p, size_t bytes)
{
    const size_t align = alignment_of(bytes);
    void *block;

    CZ_TRY(grow(m));
    block = aligned_alloc(align, bytes);
    if (block == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu bytes of scratch", bytes);
    /* Points are gathered at random; pages of 4 KiB would miss the TLB. A refusal is harmless. */
    if (align == HUGE_PAGE)
        (void)madvise(block, bytes, MADV_HUGEPAGE);
    m->blocks[m->n++] = block;
    *p = block;
    return CZ_OK;
}

cz_err cz_msm_take(cz_msm_memory *m, void *p, size_t count, size_t size)
{
    void *block = NULL;

    if (count > (SIZE_MAX - HUGE_PAGE) / size)
        return cz_fail(CZ_E_NOMEM, "scratch of %zu items of %zu bytes", count, size);
    if (!m->only_counting)
        CZ_TRY(take_block(m, &block, cz_msm_block_bytes(count, size)));
    m->bytes += cz_msm_block_bytes(count, size);
    memcpy(p, &block, sizeof block);
    return CZ_OK;
}

void cz_msm_release(cz_msm_memory *m)
{
    while (m->n > 0)
        free(m->blocks[--m->n]);
    free(m->blocks);
    m->blocks = NULL;
    m->bytes = 0;
}
