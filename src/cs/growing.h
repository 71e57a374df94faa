/* growing.h: lists that grow, for the recorder. Inside cs/ only. */
#ifndef CZ_CS_GROWING_H
#define CZ_CS_GROWING_H

#include "cs/cs.h"

/* Of items of any one type; all zero: empty. */
typedef struct {
    void *items;
    size_t n, cap;
} cz_growing;

/** Room for n more items of `size` bytes; a failure goes to cs. */
CZ_MUST_CHECK bool cz_growing_reserve(cz_growing *g, cz_cs *cs, size_t n, size_t size);

void cz_growing_clear(cz_growing *g);

#endif
