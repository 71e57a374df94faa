/* split_cuda.h: from half-scalars to entries that lie by segments, in two steps, without a sort.
 *
 * k_split_digits makes a set's entries and brings each to its part, by the key's top bits;
 * k_split_parts brings a part's entries to their segments, by the bits below (split_plan.h). Both
 * take a tile of entries, order it by bin in shared memory, claim room in each bin by one addition
 * and write runs of neighbours. The order within a bin is anyone's: sums do not depend on it.
 *
 * Beside digits, a sort of four passes over keys and references, and a search for segments, which
 * it replaces, that saves a pass of writing, one of counting, and two bytes of every entry.
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_SPLIT_CUDA_H
#define CZ_MSM_SPLIT_CUDA_H

#include "msm/digits_cuda.h"
#include "msm/split_plan.h"

enum {
    SPLIT_THREADS = 512,
    SPLIT_EACH = 16, /* entries of a thread */
    SPLIT_TILE = SPLIT_THREADS * SPLIT_EACH,
    SPLIT_BINS_EACH = CZ_SPLIT_MAX_BINS / SPLIT_THREADS
};

/* A block's tile. */
typedef struct {
    uint32_t count[CZ_SPLIT_MAX_BINS]; /* of a bin's entries; then where they begin in the tile */
    uint32_t to[CZ_SPLIT_MAX_BINS];    /* place in memory less place in the tile, of a bin */
    uint2 entry[SPLIT_TILE];           /* key, reference */
} split_block;

/** Bytes of dynamic shared memory of the kernels below. */
#define SPLIT_SHARED_BYTES ((int)sizeof(split_block))

/* Claim room for the block's bins, the first of which is `first`, and say where each begins; all
 * threads, after the counts. The entries of all bins; 0: a bin is full, which *overflow gets to
 * know. */
PAIR_DEV uint32_t split_claim(split_block *block, uint32_t first, uint32_t places, uint32_t *filled,
                              uint32_t *overflow)
{
    typedef cub::BlockScan<uint32_t, SPLIT_THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan32;
    __shared__ typename scan32::TempStorage scan;
    uint32_t *const mine = block->count + threadIdx.x * SPLIT_BINS_EACH;
    uint32_t sum = 0, at, all, full = 0;

#pragma unroll
    for (int x = 0; x < SPLIT_BINS_EACH; x++)
        sum += mine[x];
    scan32(scan).ExclusiveSum(sum, at, all);
#pragma unroll
    for (int x = 0; x < SPLIT_BINS_EACH; x++) {
        const uint32_t bin = threadIdx.x * SPLIT_BINS_EACH + x, n = mine[x];

        if (n > 0) {
            const uint32_t base = atomicAdd(filled + first + bin, n);

            full |= base + n > places;
            block->to[bin] = (first + bin) * places + base - at;
        }
        mine[x] = at;
        at += n;
    }
    if (!__syncthreads_or(full))
        return all;
    if (threadIdx.x == 0)
        *overflow = 1;
    return 0;
}

/* Entries with keys other than LIST_NO_KEY, N a thread, to the block's tile by bin; as
 * split_claim. `shift` and `mask` tell a key's bin. */
template <int N>
PAIR_DEV uint32_t split_order(split_block *block, const uint32_t *key, const uint32_t *ref,
                              uint32_t shift, uint32_t mask, uint32_t first, uint32_t places,
                              uint32_t *filled, uint32_t *overflow)
{
    uint32_t rank[N], all;

    for (int i = threadIdx.x; i < CZ_SPLIT_MAX_BINS; i += SPLIT_THREADS)
        block->count[i] = 0;
    __syncthreads();
#pragma unroll
    for (int e = 0; e < N; e++)
        rank[e] =
            key[e] == LIST_NO_KEY ? 0 : atomicAdd(block->count + (key[e] >> shift & mask), 1u);
    __syncthreads();
    all = split_claim(block, first, places, filled, overflow);
#pragma unroll
    for (int e = 0; e < N; e++)
        if (key[e] != LIST_NO_KEY)
            block->entry[block->count[key[e] >> shift & mask] + rank[e]] =
                make_uint2(key[e], ref[e]);
    __syncthreads();
    return all;
}

/** Entries of one set to its parts; arguments as k_digits.
 *
 * Launch  grid ceil((n + n_more) / (SPLIT_THREADS * items of a thread)), block SPLIT_THREADS
 * Writes  to[part * part_places ...] and how many: filled[part]; *overflow: a part is full */
template <int WINDOWS>
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    k_split_digits(const uint4 *half0, const uint4 *half1, const uint32_t *index, uint64_t n,
                   uint32_t n_more, const __grid_constant__ list_windows windows, uint32_t stride,
                   const __grid_constant__ cz_split_shape split, uint2 *to, uint32_t *filled,
                   uint32_t *overflow)
{
    enum { ITEMS = SPLIT_EACH / (2 * WINDOWS), EACH = ITEMS * 2 * WINDOWS };
    extern __shared__ uint4 split_shared[];
    split_block *const block = (split_block *)split_shared;
    const uint64_t first = (uint64_t)blockIdx.x * (SPLIT_THREADS * ITEMS);
    const uint32_t shift = split.low + split.fine;
    uint32_t key[EACH], ref[EACH], all;

#pragma unroll
    for (int item = 0; item < ITEMS; item++)
        term_entries<WINDOWS>(key + item * 2 * WINDOWS, ref + item * 2 * WINDOWS, half0, half1,
                              index, first + item * SPLIT_THREADS + threadIdx.x, n, n_more, windows,
                              0, stride);
    all = split_order<EACH>(block, key, ref, shift, ~0u, 0, split.part_places, filled, overflow);
    for (uint32_t i = threadIdx.x; i < all; i += SPLIT_THREADS) {
        const uint2 e = block->entry[i];

        to[block->to[e.x >> shift] + i] = e;
    }
}

/** Entries of parts to their segments.
 *
 * Launch  grid (tiles of a full part, parts), block SPLIT_THREADS
 * Writes  refs and low bits of keys, segment s from s * segment_places on, filled[s] of them;
 *         *overflow: a segment is full. Nothing when a part was */
static __global__ void __launch_bounds__(SPLIT_THREADS, 2)
    k_split_parts(const uint2 *from, const uint32_t *part_filled, const uint32_t *part_overflow,
                  const __grid_constant__ cz_split_shape split, uint32_t *refs, uint16_t *lows,
                  uint32_t *filled, uint32_t *overflow)
{
    extern __shared__ uint4 split_shared[];
    split_block *const block = (split_block *)split_shared;
    const uint32_t part = blockIdx.y, begin = blockIdx.x * SPLIT_TILE;
    const uint32_t mask = (1u << split.fine) - 1, low_mask = (1u << split.low) - 1;
    const uint32_t n = *part_overflow != 0 ? 0 : part_filled[part];
    uint32_t key[SPLIT_EACH], ref[SPLIT_EACH], all;

    if (begin >= n)
        return;
    from += (uint64_t)part * split.part_places;
#pragma unroll
    for (int e = 0; e < SPLIT_EACH; e++) {
        const uint32_t i = begin + e * SPLIT_THREADS + threadIdx.x;
        const uint2 v = i < n ? __ldcs(from + i) : make_uint2(LIST_NO_KEY, 0);

        key[e] = v.x;
        ref[e] = v.y;
    }
    all = split_order<SPLIT_EACH>(block, key, ref, split.low, mask, part << split.fine,
                                  split.segment_places, filled, overflow);
    for (uint32_t i = threadIdx.x; i < all; i += SPLIT_THREADS) {
        const uint2 e = block->entry[i];
        const uint32_t at = block->to[e.x >> split.low & mask] + i;

        refs[at] = e.y;
        lows[at] = (uint16_t)(e.x & low_mask);
    }
}

#endif
