/* msm_spare.h: blocks of scratch that wait for the next sum; behind msm_memory.h.
 *
 * The kernel clears pages that are new to a process, 2 MiB a fault. A sum of 2^16 points touches 36
 * MB: that took 5 to 12 % of its time, much of it while one thread worked alone (returning the
 * pages too). So up to CZ_MSM_SPARE_BYTES stay with the process; the ones that have waited longest
 * go first. Threads: any. */
#ifndef CZ_MSM_MSM_SPARE_H
#define CZ_MSM_MSM_SPARE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    CZ_MSM_SPARE_BYTES = 128 << 20,
    CZ_MSM_SPARE_LEAST = 1 << 16 /* smaller ones are left to the C library */
};

/** A block of `bytes` or not much more, aligned as it was allocated, contents undefined; *room is
 * its size. NULL: there is none. */
void *cz_msm_spare_take(size_t bytes, size_t *room);

/** Keep a block from aligned_alloc that nobody uses any more; false: it is the caller's still. */
bool cz_msm_spare_keep(void *block, size_t room);

/** Free all that is kept. */
void cz_msm_spare_drop(void);

/** Bytes kept now. */
size_t cz_msm_spare_bytes(void);

#endif
