/* values.c: see values.h. */
#define _GNU_SOURCE
#include "cs/values.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "base/bytes.h"

enum { FIRST_CAPACITY = 1024, HUGE_PAGE = 2 << 20 };

/* Large lists lie in huge pages: first touches in 4 KiB pages cost more than the synthesis itself.
 * A refusal is harmless. `cap` is a power of two, so sizes are multiples of the alignment. */
static cz_fr *allocate(size_t cap)
{
    size_t bytes = cap * sizeof(cz_fr);
    void *v;

    if (bytes < HUGE_PAGE)
        return malloc(bytes);
    v = aligned_alloc(HUGE_PAGE, bytes);
    if (v != NULL)
        (void)madvise(v, bytes, MADV_HUGEPAGE);
    return v;
}

/* A larger block with the same content; the old one is erased and freed. NULL: nothing changed. */
static cz_fr *move(cz_fr *old, size_t n, size_t cap)
{
    cz_fr *v = allocate(cap);

    if (v == NULL || n == 0)
        return v;
    memcpy(v, old, n * sizeof *v);
    cz_secure_zero(old, n * sizeof *v);
    free(old);
    return v;
}

bool cz_values_grow(cz_values *list, cz_cs *cs)
{
    size_t cap = list->cap == 0 ? FIRST_CAPACITY : list->cap * 2;
    cz_fr *v = move(list->v, list->n, cap);

    if (v == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_NOMEM, "no memory for %zu field elements", cap));
        return false;
    }
    list->v = v;
    list->cap = cap;
    return true;
}

void cz_values_clear(cz_values *list)
{
    if (list->n > 0)
        cz_secure_zero(list->v, list->n * sizeof *list->v);
    free(list->v);
    *list = (cz_values){0};
}
