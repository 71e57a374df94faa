/* values.c: see values.h. */
#include "cs/values.h"

#include <stdlib.h>

#include "base/bytes.h"

/* From this size on glibc moves blocks by remapping their pages: nothing is copied, nothing is left
 * behind. */
enum { FIRST_CAPACITY = 1024, REMAPPED_BYTES = 64 << 20 };

/* A larger block with the same content; the old one is erased and freed. NULL: nothing changed. */
static cz_fr *move(cz_fr *old, size_t n, size_t cap)
{
    cz_fr *v;

    if (n * sizeof *v >= REMAPPED_BYTES)
        return realloc(old, cap * sizeof *v);
    v = malloc(cap * sizeof *v);
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
