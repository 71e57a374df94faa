/* values.h: a growing list of field elements, for the modes that keep the witness. Inside cs/
 * only. */
#ifndef CZ_CS_VALUES_H
#define CZ_CS_VALUES_H

#include "base/blocks.h"
#include "cs/cs.h"

typedef struct {
    cz_fr *v;
    size_t n, cap;
    cz_blocks *blocks; /* where memory comes from; NULL: the allocator */
} cz_values;           /* all zero: the empty list */

/** Room for n values at least, at once; a failure goes to cs. */
void cz_values_reserve(cz_values *list, cz_cs *cs, uint64_t n);

/** Make room; a failure goes to cs. */
CZ_MUST_CHECK bool cz_values_grow(cz_values *list, cz_cs *cs);

static inline void cz_values_push(cz_values *list, cz_cs *cs, const cz_fr *value)
{
    if (list->n == list->cap && !cz_values_grow(list, cs))
        return;
    list->v[list->n++] = *value;
}

/** Erase (it may be a secret witness) and free. */
void cz_values_clear(cz_values *list);

#endif
