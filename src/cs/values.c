/* values.c: see values.h. */
#include "cs/values.h"

#include "base/bytes.h"

enum { FIRST_CAPACITY = 1024 };

/* Large lists lie in huge pages (base/blocks.h): first touches in 4 KiB pages cost more than the
 * synthesis itself. */
static cz_fr *allocate(const cz_values *list, size_t cap)
{
    return cz_blocks_take(list->blocks, cap * sizeof(cz_fr));
}

/* The old block is erased and given back; false: nothing changed. */
static bool move(cz_values *list, size_t cap)
{
    cz_fr *v = allocate(list, cap);

    if (v == NULL)
        return false;
    if (list->n > 0) {
        memcpy(v, list->v, list->n * sizeof *v);
        cz_secure_zero(list->v, list->n * sizeof *v);
    }
    cz_blocks_give(list->blocks, list->v, list->cap * sizeof *v);
    list->v = v;
    list->cap = cap;
    return true;
}

static bool grow_to(cz_values *list, cz_cs *cs, size_t cap)
{
    if (move(list, cap))
        return true;
    cz_cs_fail(cs, cz_fail(CZ_E_NOMEM, "no memory for %zu field elements", cap));
    return false;
}

bool cz_values_grow(cz_values *list, cz_cs *cs)
{
    return grow_to(list, cs, list->cap == 0 ? FIRST_CAPACITY : list->cap * 2);
}

void cz_values_reserve(cz_values *list, cz_cs *cs, uint64_t n)
{
    size_t cap = FIRST_CAPACITY;

    while (cap < n)
        cap *= 2;
    if (cap > list->cap)
        (void)grow_to(list, cs, cap);
}

void cz_values_clear(cz_values *list)
{
    if (list->n > 0)
        cz_secure_zero(list->v, list->n * sizeof *list->v);
    cz_blocks_give(list->blocks, list->v, list->cap * sizeof *list->v);
    *list = (cz_values){0};
}
