/* msm_memory.h: the scratch of one call: taken piece by piece, released together. */
#ifndef CZ_MSM_MSM_MEMORY_H
#define CZ_MSM_MSM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Starts as all zero. */
typedef struct {
    void **blocks;
    size_t n;
    size_t bytes;       /* of all blocks */
    bool only_counting; /* nothing is allocated, and *p is NULL: to know `bytes` beforehand */
} cz_msm_memory;

/** *p = room for `count` items of `size` bytes, aligned to a cache line (large ones to huge pages),
 * contents undefined. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_msm_take(cz_msm_memory *m, void *p, size_t count, size_t size);

void cz_msm_release(cz_msm_memory *m);

/** What cz_msm_take takes for this. */
size_t cz_msm_block_bytes(size_t count, size_t size);

#endif
