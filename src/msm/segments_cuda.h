/* segments_cuda.h: the lists of pairs of one segment of keys, made by one block (lists_cuda.h).
 *
 * A block sorts its segment's entries by the low bits of their keys in shared memory and writes its
 * part of every level's list. Entries are brought to segments by a split (split_cuda.h) or by a
 * sort.
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_SEGMENTS_CUDA_H
#define CZ_MSM_SEGMENTS_CUDA_H

#include "msm/lists_cuda.h"
#include "msm/msm_plan.h"

enum {
    SEGMENT_CAPACITY = 9216,
    SEGMENT_THREADS = 512,
    SEGMENT_BUCKETS = 1 << CZ_MSM_PLAN_KEY_BITS, /* at most */
    SEGMENT_EACH = SEGMENT_BUCKETS / SEGMENT_THREADS,
    SEGMENT_ROUNDS = SEGMENT_CAPACITY / SEGMENT_THREADS
};

/** segment[s] = first entry whose key >> low is s or more, s <= n_segments; *any_long becomes
 * nonzero when a segment exceeds SEGMENT_CAPACITY. Launch: a thread a segment and one more. */
static __global__ void k_segments(const uint32_t *keys, uint32_t *segment, uint32_t *any_long,
                                  uint64_t entries, uint32_t n_segments, uint32_t low)
{
    const uint32_t s = blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t a = 0, b = entries;

    if (s > n_segments)
        return;
    while (a < b) {
        const uint64_t middle = (a + b) / 2;

        if ((__ldg(keys + middle) >> low) < s)
            a = middle + 1;
        else
            b = middle;
    }
    segment[s] = (uint32_t)a;
    if (s < n_segments && a + SEGMENT_CAPACITY < entries &&
        (__ldg(keys + a + SEGMENT_CAPACITY) >> low) == s)
        *any_long = 1;
}

/* Pairs of a segment's first levels side by side in one number: at most SEGMENT_CAPACITY /
 * (2^l + 1) in level l, so 4608 in level 0 and 542 in level 4. */
enum { PACKED_LEVELS = 5, PACKED_BITS = 13 };

PAIR_DEV uint32_t packed_pairs(uint64_t packed, uint32_t level)
{
    return (uint32_t)(packed >> (PACKED_BITS * level)) & ((1u << PACKED_BITS) - 1);
}

PAIR_DEV uint64_t pack_pairs(uint32_t entries)
{
    uint64_t packed = 0;

#pragma unroll
    for (int l = 0; l < PACKED_LEVELS; l++) {
        packed += (uint64_t)(entries / 2) << (PACKED_BITS * l);
        entries -= entries / 2;
    }
    return packed;
}

/* Where a set's entries are. */
typedef struct {
    const uint32_t *keys, *refs; /* segment s: from segment[s] to segment[s + 1] ... */
    const uint16_t *lows;        /* ... after a split: from s * places on, segment[s] of them, and
                                    of the keys only the low bits */
    const uint32_t *segment;
    uint32_t places, low, n_keys;
} segment_source;

/* Where lists go. */
typedef struct {
    list_levels levels;
    uint32_t *used;   /* pairs, by level */
    uint2 *pairs;     /* to the levels' regions */
    uint32_t *result; /* reference that a bucket came to */
    uint32_t slot;    /* element number of slot 0 */
} segment_lists_to;

typedef struct {
    uint32_t level_base[PACKED_LEVELS], lone[SEGMENT_BUCKETS];
    uint32_t count[SEGMENT_BUCKETS]; /* of entries; then also where a bucket's lie */
    uint2 staged[SEGMENT_CAPACITY / 2];
} segment_block;

typedef cub::BlockScan<uint32_t, SEGMENT_THREADS, cub::BLOCK_SCAN_WARP_SCANS> segment_scan32;
typedef cub::BlockScan<uint64_t, SEGMENT_THREADS, cub::BLOCK_SCAN_WARP_SCANS> segment_scan64;

typedef union {
    segment_scan32::TempStorage s32;
    segment_scan64::TempStorage s64;
} segment_scans;

/* What a thread knows: its entries (bucket << 16 | rank in it, and reference), its buckets, and
 * the packed pairs of buckets before them and of all. */
typedef struct {
    uint32_t n; /* entries of the segment */
    uint32_t place[SEGMENT_ROUNDS], ref[SEGMENT_ROUNDS];
    bucket_state b[SEGMENT_EACH];
    uint64_t before, all;
    uint32_t base; /* of the first threads: where their level's pairs go */
} segment_part;

/* A thread's q-th entry; split entries are read two at a time. */
template <bool SPLIT> PAIR_DEV uint32_t segment_entry(int q)
{
    if (SPLIT)
        return 2 * ((q / 2) * SEGMENT_THREADS + threadIdx.x) + (q & 1);
    return q * SEGMENT_THREADS + threadIdx.x;
}

/* All that a thread takes is read before it needs the first. */
template <bool SPLIT>
PAIR_DEV void segment_load(segment_part *t, const segment_source &from, uint32_t s)
{
    const uint64_t begin = SPLIT ? (uint64_t)s * from.places : from.segment[s];

    t->n = from.segment[SPLIT ? s : s + 1] - (SPLIT ? 0 : (uint32_t)begin);
#pragma unroll
    for (int q = 0; q < SEGMENT_ROUNDS; q++)
        t->place[q] = t->ref[q] = 0;
#pragma unroll
    for (int q = 0; q < SEGMENT_ROUNDS; q += SPLIT ? 2 : 1) {
        const uint32_t i = segment_entry<SPLIT>(q);

        if (i >= t->n)
            continue;
        if (SPLIT) {
            const uint32_t lows = __ldg((const uint32_t *)(from.lows + begin + i));
            const uint2 refs = __ldg((const uint2 *)(from.refs + begin + i));

            t->place[q] = lows & 0xffff;
            t->place[q + 1] = lows >> 16;
            t->ref[q] = refs.x;
            t->ref[q + 1] = refs.y;
        } else {
            t->place[q] = __ldg(from.keys + begin + i);
            t->ref[q] = __ldg(from.refs + begin + i);
        }
    }
}

/* Entries by bucket, and each one's rank in its own. */
template <bool SPLIT>
PAIR_DEV void segment_count(segment_block *block, segment_part *t, uint32_t buckets)
{
    for (uint32_t i = threadIdx.x; i < SEGMENT_BUCKETS; i += SEGMENT_THREADS)
        block->count[i] = 0;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < SEGMENT_ROUNDS; q++) {
        const uint32_t bucket = t->place[q] & (buckets - 1);

        if (segment_entry<SPLIT>(q) < t->n)
            t->place[q] = bucket << 16 | atomicAdd(block->count + bucket, 1u);
    }
    __syncthreads();
}

/* Room for the pairs of the packed levels, and where each bucket's entries go. */
PAIR_DEV void segment_claim(segment_block *block, segment_part *t, segment_scans *scans,
                            const segment_lists_to &to)
{
    const uint32_t thread = threadIdx.x;
    uint64_t packed = 0;
    uint32_t at;

#pragma unroll
    for (int x = 0; x < SEGMENT_EACH; x++) {
        t->b[x].left = block->count[thread * SEGMENT_EACH + x];
        packed += pack_pairs(t->b[x].left);
    }
    segment_scan64(scans->s64).ExclusiveSum(packed, t->before, t->all);
    t->base = 0;
    if (thread < PACKED_LEVELS && packed_pairs(t->all, thread) > 0)
        t->base = atomicAdd(to.used + thread, packed_pairs(t->all, thread));
    at = packed_pairs(t->before, 0);
#pragma unroll
    for (int x = 0; x < SEGMENT_EACH; x++) {
        block->count[thread * SEGMENT_EACH + x] = t->b[x].left << 16 | 2 * at;
        at += t->b[x].left / 2;
    }
    __syncthreads();
}

/* Entries so that those of level 0's pairs lie together, in the pairs' order, and what is left over
 * of odd buckets apart. */
template <bool SPLIT>
PAIR_DEV void segment_spread(segment_block *block, const segment_part *t,
                             const segment_lists_to &to)
{
    uint32_t *const sorted = &block->staged[0].x;

#pragma unroll
    for (int q = 0; q < SEGMENT_ROUNDS; q++) {
        if (segment_entry<SPLIT>(q) < t->n) {
            const uint32_t bucket = t->place[q] >> 16, j = t->place[q] & 0xffff;
            const uint32_t here = block->count[bucket];

            if (j < (here >> 16 & ~1u))
                sorted[(here & 0xffff) + j] = t->ref[q];
            else
                block->lone[bucket] = t->ref[q];
        }
    }
    if (threadIdx.x < PACKED_LEVELS)
        block->level_base[threadIdx.x] = to.levels.first[threadIdx.x] + t->base;
    __syncthreads();
}

/* Pairs leave by way of shared memory, neighbours together. */
PAIR_DEV void segment_first_level(segment_block *block, segment_part *t, const segment_lists_to &to)
{
    uint32_t at = to.slot + block->level_base[0] + packed_pairs(t->before, 0);

#pragma unroll
    for (int x = 0; x < SEGMENT_EACH; x++) {
        bucket_state *b = &t->b[x];

        b->odd = (b->left & 1) != 0 ? block->lone[threadIdx.x * SEGMENT_EACH + x] : PAIR_NONE;
        b->pairs = b->left / 2;
        b->sums = at;
        b->left -= b->pairs;
        at += b->pairs;
    }
    for (uint32_t i = threadIdx.x; i < packed_pairs(t->all, 0); i += SEGMENT_THREADS)
        to.pairs[block->level_base[0] + i] = block->staged[i];
    __syncthreads();
}

/* The other packed levels; together they have no more pairs than level 0. */
PAIR_DEV void segment_packed_levels(segment_block *block, segment_part *t,
                                    const segment_lists_to &to)
{
    uint32_t at = 0;

#pragma unroll
    for (int l = 1; l < PACKED_LEVELS; l++) {
        uint32_t here = packed_pairs(t->before, l);

#pragma unroll
        for (int x = 0; x < SEGMENT_EACH; x++) {
            const uint32_t pairs = t->b[x].left / 2;

            bucket_level(&t->b[x], block->staged + at + here,
                         to.slot + block->level_base[l] + here);
            here += pairs;
        }
        at += packed_pairs(t->all, l);
    }
    __syncthreads();
    at = 0;
#pragma unroll
    for (int l = 1; l < PACKED_LEVELS; l++) {
        for (uint32_t i = threadIdx.x; i < packed_pairs(t->all, l); i += SEGMENT_THREADS)
            to.pairs[block->level_base[l] + i] = block->staged[at + i];
        at += packed_pairs(t->all, l);
    }
}

/* What is left, level by level, of the longest buckets. */
PAIR_DEV void segment_last_levels(segment_block *block, segment_part *t, segment_scans *scans,
                                  const segment_lists_to &to)
{
    for (int l = PACKED_LEVELS;; l++) {
        uint32_t here = 0, before, all, at;

#pragma unroll
        for (int x = 0; x < SEGMENT_EACH; x++)
            here += t->b[x].left / 2;
        if (!__syncthreads_or(here))
            return;
        segment_scan32(scans->s32).ExclusiveSum(here, before, all);
        if (threadIdx.x == 0)
            block->level_base[0] = to.levels.first[l] + atomicAdd(to.used + l, all);
        __syncthreads();
        at = block->level_base[0] + before;
#pragma unroll
        for (int x = 0; x < SEGMENT_EACH; x++) {
            const uint32_t mine = t->b[x].left / 2;

            bucket_level(&t->b[x], to.pairs + at, to.slot + at);
            at += mine;
        }
        __syncthreads();
    }
}

/** Lists of one segment a block, all levels; nothing of segments that are too long.
 *
 * Launch  grid: segments, block SEGMENT_THREADS
 * Reads   keys and references once
 * Writes  pairs[level region], result[bucket]; used[level] counts pairs */
template <bool SPLIT>
static __global__ void __launch_bounds__(SEGMENT_THREADS, 2)
    k_segment_lists(uint32_t first_segment, const __grid_constant__ segment_source from,
                    const __grid_constant__ segment_lists_to to)
{
    __shared__ segment_scans scans;
    __shared__ segment_block block;
    const uint32_t s = first_segment + blockIdx.x, buckets = 1u << from.low;
    segment_part t;

    segment_load<SPLIT>(&t, from, s);
    if (t.n > SEGMENT_CAPACITY)
        return;
    segment_count<SPLIT>(&block, &t, buckets);
    segment_claim(&block, &t, &scans, to);
    segment_spread<SPLIT>(&block, &t, to);
    segment_first_level(&block, &t, to);
    segment_packed_levels(&block, &t, to);
    segment_last_levels(&block, &t, &scans, to);
#pragma unroll
    for (int x = 0; x < SEGMENT_EACH; x++) {
        const uint32_t bucket = threadIdx.x * SEGMENT_EACH + x;
        const uint64_t key = ((uint64_t)s << from.low) + bucket;

        if (bucket < buckets && key < from.n_keys)
            to.result[key] = bucket_result(t.b[x]);
    }
}

#endif
