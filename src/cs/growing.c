/* growing.c: see growing.h. */
#include "cs/growing.h"

#include <stdlib.h>

bool cz_growing_reserve(cz_growing *g, cz_cs *cs, size_t n, size_t size)
{
    size_t cap = g->cap == 0 ? 64 : g->cap;
    void *items;

    if (g->n + n <= g->cap)
        return true;
    while (cap < g->n + n)
        cap *= 2;
    items = realloc(g->items, cap * size);
    if (items == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_NOMEM, "no memory for %zu items of a recording", cap));
        return false;
    }
    g->items = items;
    g->cap = cap;
    return true;
}

void cz_growing_clear(cz_growing *g)
{
    free(g->items);
    *g = (cz_growing){NULL, 0, 0};
}
