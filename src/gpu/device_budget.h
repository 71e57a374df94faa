/* device_budget.h: how much of a device's memory is taken at most.
 *
 * Where nobody says, all that is free at start but a reserve. It is for what no cz_gpu counts: the
 * kernels' code, some 10 MB; the stacks that CUDA keeps for all threads that can run at a time (1.1
 * KB for the pair kernel over G2, so 0.3 GB on 132 multiprocessors of 2048 threads, and as much
 * again while they grow); and others that come to use the device a little, as a screen or a second
 * program's context. None of that grows with the device's memory. Where the device then turns out
 * to have less, the budget shrinks to nine tenths of what was free, and plans are made anew.
 *
 * Plain C, so that it is tested without a device. */
#ifndef CZ_GPU_DEVICE_BUDGET_H
#define CZ_GPU_DEVICE_BUDGET_H

#include <stdint.h>

#define CZ_GPU_MOST_RESERVE ((uint64_t)3 << 29) /* 1.5 GiB; less where a tenth is less */

typedef struct {
    uint64_t bytes;
    uint64_t cautious; /* what it may shrink to; a budget that was given stays */
} cz_gpu_budget;

/** given: 0: nobody says. */
static inline cz_gpu_budget cz_gpu_budget_make(uint64_t given, uint64_t free_bytes)
{
    const uint64_t tenth = free_bytes / 10;
    const uint64_t reserve = tenth < CZ_GPU_MOST_RESERVE ? tenth : CZ_GPU_MOST_RESERVE;
    cz_gpu_budget budget;

    budget.bytes = given > 0 ? given : free_bytes - reserve;
    budget.cautious = given > 0 ? given : free_bytes - tenth;
    return budget;
}

/** After memory within the budget was not there, while used_bytes are taken. */
static inline void cz_gpu_budget_shrink(cz_gpu_budget *budget, uint64_t used_bytes)
{
    const uint64_t least = budget->cautious > used_bytes ? budget->cautious : used_bytes;

    if (budget->bytes > least)
        budget->bytes = least;
}

#endif
