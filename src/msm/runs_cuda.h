/* runs_cuda.h: the lists of pairs of sorted entries, buckets of any length (lists_cuda.h).
 *
 * k_run_lists cuts the entries into pieces of RUN_ENTRIES whatever their keys, a block a piece;
 * what is cut becomes the entries of another round, whose levels follow.
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_RUNS_CUDA_H
#define CZ_MSM_RUNS_CUDA_H

#include <cub/cub.cuh>

#include "msm/lists_cuda.h"

enum {
    RUN_ENTRIES = 4096, /* of a piece */
    RUN_LEVELS = 12,    /* of its trees */
    RUN_ROUNDS = 3,     /* enough for 2^29 entries */
    RUN_THREADS = 512
};

/* One round of k_run_lists. */
typedef struct {
    const uint32_t *keys, *refs; /* sorted; LIST_NO_KEY: no entry */
    uint64_t n;
    uint32_t first_level;
    uint32_t *cut_keys,
        *cut_refs; /* two a block: what goes on beyond its ends. Keys start as none */
} run_round;

/* A run's part in a block, by the place of its first entry. */
typedef struct {
    uint32_t ref[RUN_ENTRIES];
    uint16_t start[RUN_ENTRIES]; /* of the run that an entry belongs to */
    uint16_t count[RUN_ENTRIES]; /* at starts */
} run_block;

struct run_max {
    __device__ uint32_t operator()(uint32_t a, uint32_t b) const
    {
        return a > b ? a : b;
    }
};

/* Fill the block from m entries that begin at `begin`. */
PAIR_DEV void run_load(run_block *block, const run_round &round, uint64_t begin, uint32_t m)
{
    enum { EACH = RUN_ENTRIES / RUN_THREADS };
    typedef cub::BlockScan<uint32_t, RUN_THREADS> scan32;
    __shared__ typename scan32::TempStorage scan;
    uint32_t head = 0, before;

#pragma unroll
    for (int q = 0; q < EACH; q++) {
        const uint32_t i = threadIdx.x * EACH + q;

        if (i < m && i > 0 && round.keys[begin + i] != round.keys[begin + i - 1])
            head = i;
    }
    scan32(scan).ExclusiveScan(head, before, 0u, run_max());
    head = before;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
        const uint32_t i = threadIdx.x * EACH + q;

        if (i >= m)
            break;
        const uint32_t key = round.keys[begin + i];

        if (i > 0 && key != round.keys[begin + i - 1])
            head = i;
        block->start[i] = (uint16_t)head;
        block->ref[i] = round.refs[begin + i];
        if (i + 1 == m || key != round.keys[begin + i + 1])
            block->count[head] = (uint16_t)(key == LIST_NO_KEY ? 0 : i + 1 - head);
    }
    __syncthreads();
}

/* The pairs of level l of all the block's runs; false when there are none. A level's items lie from
 * their run's start on. */
PAIR_DEV bool run_level(run_block *block, uint32_t m, uint32_t l, uint32_t first, uint32_t *used,
                        uint2 *pairs, uint32_t slot)
{
    enum { EACH = RUN_ENTRIES / RUN_THREADS };
    typedef cub::BlockScan<uint32_t, RUN_THREADS> scan32;
    __shared__ typename scan32::TempStorage scan;
    __shared__ uint32_t base;
    uint32_t a[EACH], b[EACH], n = 0, before, all, at;

#pragma unroll
    for (int q = 0; q < EACH; q++) {
        const uint32_t i = q * RUN_THREADS + threadIdx.x;

        a[q] = b[q] = LIST_NO_KEY;
        if (i < m) {
            const uint32_t start = block->start[i], j = i - start;
            const uint32_t left = (block->count[start] + (1u << l) - 1) >> l;

            if (j % 2 == 0 && j < left)
                a[q] = block->ref[i];
            if (j % 2 == 0 && j + 1 < left) {
                b[q] = block->ref[i + 1];
                n++;
            }
        }
    }
    if (!__syncthreads_or(n > 0))
        return false;
    scan32(scan).ExclusiveSum(n, before, all);
    if (threadIdx.x == 0)
        base = atomicAdd(used, all);
    __syncthreads();
    at = first + base + before;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
        const uint32_t i = q * RUN_THREADS + threadIdx.x;

        if (a[q] == LIST_NO_KEY)
            continue;
        const uint32_t start = block->start[i], to = start + (i - start) / 2;

        if (b[q] == LIST_NO_KEY) {
            block->ref[to] = a[q];
        } else {
            pairs[at] = make_uint2(a[q], b[q]);
            block->ref[to] = slot + at++;
        }
    }
    __syncthreads();
    return true;
}

/** As k_segment_lists, from sorted entries, buckets of any length; a block RUN_ENTRIES entries.
 *
 * Launch  grid ceil(n / RUN_ENTRIES), block RUN_THREADS
 * Writes  pairs, used; result[bucket] of buckets that lie in one block, the others to the round's
 *         cut_*, sorted */
static __global__ void __launch_bounds__(RUN_THREADS)
    k_run_lists(const __grid_constant__ run_round round, const __grid_constant__ list_levels levels,
                uint32_t *used, uint2 *pairs, uint32_t *result, uint32_t slot)
{
    __shared__ run_block block;
    const uint64_t begin = (uint64_t)blockIdx.x * RUN_ENTRIES;
    const uint64_t left = round.n - begin;
    const uint32_t m = left < RUN_ENTRIES ? (uint32_t)left : RUN_ENTRIES;
    uint32_t *const cut_keys = round.cut_keys + 2 * blockIdx.x;
    uint32_t *const cut_refs = round.cut_refs + 2 * blockIdx.x;

    run_load(&block, round, begin, m);
    for (uint32_t l = 0;; l++) {
        const uint32_t level = round.first_level + l;

        if (!run_level(&block, m, l, levels.first[level], used + level, pairs, slot))
            break;
    }
    for (uint32_t i = threadIdx.x; i < m; i += RUN_THREADS) {
        const uint32_t end = i + block.count[i], key = round.keys[begin + i];

        if (block.start[i] != i || key == LIST_NO_KEY)
            continue;
        const bool cut_before = i == 0 && begin > 0 && round.keys[begin - 1] == key;
        const bool cut_after = end == m && begin + m < round.n && round.keys[begin + m] == key;

        if (!cut_before && !cut_after) {
            result[key] = block.ref[i];
            continue;
        }
        cut_keys[i > 0] = key;
        cut_refs[i > 0] = block.ref[i];
        if (i == 0 && end == m) { /* so that what goes on is not torn apart */
            cut_keys[1] = key;
            cut_refs[1] = PAIR_NONE;
        }
    }
}

/** pairs[i] = what bucket i came to, and infinity. Launch: n threads. */
static __global__ void k_lone_pairs(const uint32_t *result, uint2 *pairs, uint32_t n)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        pairs[i] = make_uint2(result[i], PAIR_NONE);
}

#endif
