/* patterns_cuda.h: from bits to entries. Several bit sums over the same points: a point's bucket is
 * the pattern of its bits. One alone: the points whose bit is set (lists_cuda.h).
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_PATTERNS_CUDA_H
#define CZ_MSM_PATTERNS_CUDA_H

#include <cub/cub.cuh>

#include "msm/lists_cuda.h"

/* Planes of bits of the same points. */
typedef struct {
    const uint64_t *plane[CZ_GPU_MAX_PLANES];
    uint32_t n;
} list_planes;

/** An entry for each of points first ... first + n - 1 that has a bit in any plane, in any order:
 * its key is the bits, that of plane j at place j. first: a multiple of 64.
 *
 * Launch  any grid, block LIST_THREADS. Reads  a word of each plane for 32 points, together */
static __global__ void __launch_bounds__(LIST_THREADS)
    k_patterns(const __grid_constant__ list_planes planes, uint32_t *keys, uint32_t *refs,
               uint32_t *count, uint64_t first, uint64_t n)
{
    enum { EACH = 8, TILE = EACH * LIST_THREADS };
    __shared__ uint32_t of_warp[LIST_WARPS], base;
    const uint32_t lane = threadIdx.x & 31;

    for (uint64_t tile = (uint64_t)blockIdx.x * TILE; tile < n;
         tile += (uint64_t)gridDim.x * TILE) {
        uint32_t key[EACH], total = 0, at;

#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const uint64_t i = tile + q * LIST_THREADS + threadIdx.x, word = (first + i) / 64;

            key[q] = 0;
            for (uint32_t j = 0; i < n && j < planes.n; j++)
                key[q] |= (uint32_t)(__ldg(planes.plane[j] + word) >> (i % 64) & 1) << j;
            total += __popc(__ballot_sync(~0u, key[q] != 0));
        }
        at = list_claim(of_warp, &base, count, total);
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const uint32_t there = __ballot_sync(~0u, key[q] != 0);
            const uint32_t to = at + __popc(there & ((1u << lane) - 1));

            if (key[q] != 0) {
                keys[to] = key[q];
                refs[to] = (uint32_t)(first + tile) + q * LIST_THREADS + threadIdx.x;
            }
            at += __popc(there);
        }
        __syncthreads();
    }
}

/** refs[rank] = first + i for every set bit i of n, in any order within a block's range; *count
 * their number.
 *
 * Launch  grid ceil(n / (64 * LIST_THREADS)), block LIST_THREADS, a word a thread */
static __global__ void __launch_bounds__(LIST_THREADS)
    k_set_bits(const uint64_t *bits, uint32_t *refs, uint32_t *count, uint64_t n, uint32_t first)
{
    typedef cub::BlockScan<uint32_t, LIST_THREADS> scan32;
    __shared__ typename scan32::TempStorage scan;
    __shared__ uint32_t base;
    const uint64_t word = (uint64_t)blockIdx.x * LIST_THREADS + threadIdx.x;
    uint64_t v = 64 * word < n ? __ldg(bits + word) : 0;
    uint32_t before, all;

    if (64 * word + 64 > n && 64 * word < n)
        v &= ((uint64_t)1 << (n % 64)) - 1; /* not all 64 here, so n % 64 > 0 */
    scan32(scan).ExclusiveSum((uint32_t)__popcll(v), before, all);
    if (threadIdx.x == 0)
        base = atomicAdd(count, all);
    __syncthreads();
    for (uint32_t at = base + before; v != 0; v &= v - 1)
        refs[at++] = first + (uint32_t)(64 * word) + (uint32_t)__ffsll((long long)v) - 1;
}

#endif
