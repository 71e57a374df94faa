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

cz_err cz_msm_take(cz_msm_memory *m, void *p, size_t count, size_t size)
{
    size_t align = CACHE_LINE;
    size_t bytes;
    void *block;

    if (count > (SIZE_MAX - HUGE_PAGE) / size)
        return cz_fail(CZ_E_NOMEM, "scratch of %zu items of %zu bytes", count, size);
    CZ_TRY(grow(m));
    bytes = count * size;
    if (bytes >= HUGE_PAGE)
        align = HUGE_PAGE;
    bytes = (bytes / align + 1) * align;
    block = aligned_alloc(align, bytes);
    if (block == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu bytes of scratch", bytes);
    /* Points are gathered at random; pages of 4 KiB would miss the TLB. A refusal is harmless. */
    if (align == HUGE_PAGE)
        (void)madvise(block, bytes, MADV_HUGEPAGE);
    m->blocks[m->n++] = block;
    memcpy(p, &block, sizeof block);
    return CZ_OK;
}

void cz_msm_release(cz_msm_memory *m)
{
    while (m->n > 0)
        free(m->blocks[--m->n]);
    free(m->blocks);
    m->blocks = NULL;
}
