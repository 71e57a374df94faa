/* msm_memory.h: the scratch of one call: taken piece by piece, released together. */
#ifndef CZ_MSM_MSM_MEMORY_H
#define CZ_MSM_MSM_MEMORY_H

#include <stddef.h>

#include "base/err.h"

/* Starts as all zero. */
typedef struct {
    void **blocks;
    size_t n;
} cz_msm_memory;

/** *p = room for `count` items of `size` bytes, aligned to a cache line (large ones to huge pages),
 * contents undefined. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_msm_take(cz_msm_memory *m, void *p, size_t count, size_t size);

void cz_msm_release(cz_msm_memory *m);

#endif
