/* msm_memory.h: the scratch of one call: taken piece by piece, released together. Large blocks come
 * from, and go to, the spare ones of msm_spare.h.
 *
 * What tells of scalars is taken as secret and erased when released: their digits, which points
 * were picked for them, and sums of few of these. */
#ifndef CZ_MSM_MSM_MEMORY_H
#define CZ_MSM_MSM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/pool.h"

typedef struct {
    void *p;
    size_t bytes; /* taken */
    size_t room;  /* that the block has */
    bool secret;
} cz_msm_block;

/* Starts as all zero. */
typedef struct {
    cz_msm_block *blocks;
    size_t n;
    size_t bytes;       /* of all blocks */
    bool only_counting; /* nothing is allocated, and *p is NULL: to know `bytes` beforehand */
} cz_msm_memory;

/** *p = room for `count` items of `size` bytes, aligned to a cache line (large ones to huge pages),
 * contents undefined. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_msm_take(cz_msm_memory *m, void *p, size_t count, size_t size);

/** The same, to be erased when released. */
CZ_MUST_CHECK cz_err cz_msm_take_secret(cz_msm_memory *m, void *p, size_t count, size_t size);

/** Erase what is secret, the threads together. */
void cz_msm_erase(cz_msm_memory *m, cz_pool *threads);

/** Free all; what is secret and not erased yet is erased before. */
void cz_msm_release(cz_msm_memory *m);

/** What cz_msm_take takes for this. */
size_t cz_msm_block_bytes(size_t count, size_t size);

#endif
