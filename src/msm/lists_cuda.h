/* lists_cuda.h: from scalars to lists of pairs: halves, digits, buckets, and what to add in which
 * order.
 *
 * A half-scalar |k| gets the constant sum of 2^(c - 1) 2^pos over its lower windows added once;
 * then every digit is a plain bit field: field - 2^(c-1) in the lower windows, the field itself in
 * the top one. Digit d of point P makes an entry: key = |d| - 1 (plus `half` for the second half of
 * the scalar), reference = P's element number, sign in bit 31. A zero digit refers to infinity, its
 * key spread over the buckets.
 *
 * A bucket of n entries becomes a tree: level 0 pairs its entries, level 1 the sums of level 0, and
 * so on; an odd one is carried over. All pairs of a level are one call of k_pair_add; level l has
 * its own region of the results, at most E / (2^l + 1) + 1 of E entries.
 *
 * Entries are sorted by the top bits of the key only. One block then takes one segment of equal top
 * bits, sorts it by the rest in shared memory and writes its part of every level's list
 * (k_segment_lists). A segment that does not fit (skewed scalars) needs the full sort and
 * k_long_lists, where one thread walks a bucket: right, but slow for very long buckets.
 *
 * For msm_cuda.cu alone. */
#ifndef CZ_MSM_LISTS_CUDA_H
#define CZ_MSM_LISTS_CUDA_H

#include <cub/cub.cuh>

#include "msm/glv_device.h"
#include "msm/pair_cuda.h"

enum {
    LIST_MAX_LEVELS = 32,
    LIST_MAX_WINDOWS = 4, /* of a set */
    SEGMENT_CAPACITY = 9216,
    SEGMENT_THREADS = 512,
    SEGMENT_BUCKETS = 1024, /* at most */
    LIST_THREADS = 256
};

/** First slot of each level's region. */
typedef struct {
    uint32_t first[LIST_MAX_LEVELS];
} list_levels;

/** The windows that share one set of buckets. */
typedef struct {
    int n;
    int position[LIST_MAX_WINDOWS];
    int width[LIST_MAX_WINDOWS];      /* 0: the top window */
    uint32_t first[LIST_MAX_WINDOWS]; /* element number of the table's point 0 */
} list_windows;

/** Scalars to half-scalars: 16 bytes each, |k| + offset, the sign in bit 127.
 *
 * Launch  any grid, block LIST_THREADS. `montgomery`: scalars are Fr elements */
static __global__ void __launch_bounds__(LIST_THREADS)
    k_halves(const uint4 *scalars, uint4 *half0, uint4 *half1, uint64_t n, uint64_t offset_low,
             uint64_t offset_high, int montgomery)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint4 a = __ldg(scalars + 2 * i), b = __ldg(scalars + 2 * i + 1);
        uint32_t s[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        cz_glv_half k[2];

        if (montgomery) {
            const uint32_t one[8] = {1};

            cz_fr32_mul(s, s, one);
        }
        cz_glv_split(k, s);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const uint64_t low = k[h].limb[0] | (uint64_t)k[h].limb[1] << 32;
            const uint64_t high = k[h].limb[2] | (uint64_t)k[h].limb[3] << 32;
            const uint64_t l = low + offset_low;
            const uint64_t u = (high + offset_high + (l < low)) | (uint64_t)k[h].negative << 63;
            const uint4 v =
                make_uint4((uint32_t)l, (uint32_t)(l >> 32), (uint32_t)u, (uint32_t)(u >> 32));

            if (h == 0)
                half0[i] = v;
            else
                half1[i] = v;
        }
    }
}

/** Entries of one set: 2 windows' entries lie at (2 w + half) n + i.
 *
 * Launch  any grid, block LIST_THREADS */
template <int WINDOWS>
static __global__ void __launch_bounds__(LIST_THREADS)
    k_digits(const uint4 *half0, const uint4 *half1, uint32_t *keys, uint32_t *refs, uint64_t n,
             const __grid_constant__ list_windows windows, uint32_t buckets)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const uint4 v = __ldg((h ? half1 : half0) + i);
            const uint64_t low = v.x | (uint64_t)v.y << 32, top = v.z | (uint64_t)v.w << 32;
            const uint32_t negative = (uint32_t)(top >> 63);
            const uint64_t high = top & ~((uint64_t)1 << 63);

#pragma unroll
            for (int w = 0; w < WINDOWS; w++) {
                const int position = windows.position[w], width = windows.width[w];
                const uint64_t field =
                    position >= 64 ? high >> (position - 64)
                                   : (position ? low >> position | high << (64 - position) : low);
                uint32_t magnitude = (uint32_t)field, sign = negative, key, ref;

                if (width != 0) {
                    const int digit =
                        (int)((uint32_t)field & ((1u << width) - 1)) - (1 << (width - 1));

                    sign ^= (uint32_t)digit >> 31;
                    magnitude = (uint32_t)(digit < 0 ? -digit : digit);
                }
                key = magnitude - 1;
                ref = ((uint32_t)i + windows.first[w]) | sign << 31;
                if (magnitude == 0) {
                    ref = PAIR_NONE;
                    key = (uint32_t)((uint64_t)((uint32_t)i * 2654435761u) * buckets >> 32);
                }
                keys[(2 * w + h) * n + i] = h * buckets + key;
                refs[(2 * w + h) * n + i] = ref;
            }
        }
    }
}

/* The tree of a few buckets, level by level: the entries or sums that are left. */
typedef struct {
    uint32_t left;  /* how many */
    uint32_t pairs; /* that many are sums of the level before, from slot `sums` on ... */
    uint32_t sums;
    uint32_t odd; /* ... and this one was carried over, if there is one more */
} bucket_state;

/* Reference of the j-th of what is left. */
PAIR_DEV uint32_t bucket_ref(const bucket_state &b, uint32_t j)
{
    return j < b.pairs ? b.sums + j : b.odd;
}

/* The pairs of one level go to pairs[at ...], their sums to slot `slot` on. entries: of level 0,
 * else NULL. */
PAIR_DEV void bucket_level(bucket_state *b, uint2 *pairs, uint32_t at, uint32_t slot,
                           const uint32_t *entries)
{
    const uint32_t n = b->left / 2;
    uint32_t odd = b->odd;

    if (b->left < 2)
        return;
    for (uint32_t j = 0; j < n; j++)
        pairs[at + j] = entries != NULL
                            ? make_uint2(entries[2 * j], entries[2 * j + 1])
                            : make_uint2(bucket_ref(*b, 2 * j), bucket_ref(*b, 2 * j + 1));
    if (b->left & 1)
        odd = entries != NULL ? entries[b->left - 1] : bucket_ref(*b, b->left - 1);
    b->odd = odd;
    b->sums = slot + at;
    b->pairs = n;
    b->left -= n;
}

/* What a bucket came to. */
PAIR_DEV uint32_t bucket_result(const bucket_state &b)
{
    return b.pairs > 0 ? b.sums : b.odd;
}

/** segment[s] = first entry whose key >> low is s or more, s <= n_segments; *overflow becomes
 * nonzero when a segment exceeds SEGMENT_CAPACITY. Launch: a thread a segment and one more. */
static __global__ void k_segments(const uint32_t *keys, uint32_t *segment, uint32_t *overflow,
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
        *overflow = 1;
}

/** Lists of one segment a block, all levels.
 *
 * Launch  grid: segments, block SEGMENT_THREADS
 * Writes  pairs[level region], result[bucket] (a reference); used[level] counts pairs */
static __global__ void __launch_bounds__(SEGMENT_THREADS, 2)
    k_segment_lists(uint32_t first_segment, const uint32_t *keys, const uint32_t *refs,
                    const uint32_t *segment, uint32_t low, uint32_t n_keys,
                    const __grid_constant__ list_levels levels, uint32_t *used, uint2 *pairs,
                    uint32_t *result, uint32_t slot)
{
    enum { EACH = SEGMENT_BUCKETS / SEGMENT_THREADS, ROUNDS = SEGMENT_CAPACITY / SEGMENT_THREADS };
    typedef cub::BlockScan<uint32_t, SEGMENT_THREADS> scan32;
    typedef cub::BlockScan<uint64_t, SEGMENT_THREADS> scan64;
    __shared__ union {
        typename scan32::TempStorage s32;
        typename scan64::TempStorage s64;
    } scan;
    __shared__ uint32_t level_base[4], count[SEGMENT_BUCKETS], sorted[SEGMENT_CAPACITY];
    const uint32_t s = first_segment + blockIdx.x, begin = segment[s], n = segment[s + 1] - begin;
    const uint32_t thread = threadIdx.x, buckets = 1u << low;
    uint32_t place[ROUNDS], offset[EACH], sum = 0, before;
    bucket_state b[EACH];

    for (uint32_t i = thread; i < SEGMENT_BUCKETS; i += SEGMENT_THREADS)
        count[i] = 0;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < ROUNDS; q++) {
        const uint32_t i = q * SEGMENT_THREADS + thread;

        place[q] = 0;
        if (i < n) {
            const uint32_t bucket = __ldg(keys + begin + i) & (buckets - 1);

            place[q] = bucket << 16 | atomicAdd(count + bucket, 1u);
        }
    }
    __syncthreads();
#pragma unroll
    for (int x = 0; x < EACH; x++) {
        b[x].left = count[thread * EACH + x];
        b[x].pairs = b[x].sums = 0;
        b[x].odd = PAIR_NONE;
        offset[x] = sum;
        sum += b[x].left;
    }
    scan32(scan.s32).ExclusiveSum(sum, before);
#pragma unroll
    for (int x = 0; x < EACH; x++) {
        offset[x] += before;
        count[thread * EACH + x] = offset[x];
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < ROUNDS; q++) {
        const uint32_t i = q * SEGMENT_THREADS + thread;

        if (i < n)
            sorted[count[place[q] >> 16] + (place[q] & 0xffff)] = __ldg(refs + begin + i);
    }
    __syncthreads();
#pragma unroll
    for (int x = 0; x < EACH; x++)
        if (b[x].left == 1)
            b[x].odd = sorted[offset[x]];
    { /* levels 0 to 3 with one scan, 16 bits each */
        uint64_t four = 0, four_before, four_all;

#pragma unroll
        for (int x = 0; x < EACH; x++) {
            uint32_t left = b[x].left;

#pragma unroll
            for (int l = 0; l < 4; l++) {
                four += (uint64_t)(left / 2) << (16 * l);
                left -= left / 2;
            }
        }
        scan64(scan.s64).ExclusiveSum(four, four_before, four_all);
        if (thread < 4) {
            const uint32_t all = (uint32_t)(four_all >> (16 * thread)) & 0xffff;

            level_base[thread] = all > 0 ? atomicAdd(used + thread, all) : 0;
        }
        __syncthreads();
#pragma unroll
        for (int l = 0; l < 4; l++) {
            uint32_t at =
                levels.first[l] + level_base[l] + ((uint32_t)(four_before >> (16 * l)) & 0xffff);

#pragma unroll
            for (int x = 0; x < EACH; x++) {
                const uint32_t here = b[x].left / 2;

                bucket_level(&b[x], pairs, at, slot, l == 0 ? sorted + offset[x] : NULL);
                at += here;
            }
        }
    }
    for (int l = 4;; l++) {
        uint32_t here = 0, all, at;

#pragma unroll
        for (int x = 0; x < EACH; x++)
            here += b[x].left / 2;
        if (!__syncthreads_or(here))
            break;
        scan32(scan.s32).ExclusiveSum(here, before, all);
        if (thread == 0)
            level_base[0] = atomicAdd(used + l, all);
        __syncthreads();
        at = levels.first[l] + level_base[0] + before;
#pragma unroll
        for (int x = 0; x < EACH; x++) {
            const uint32_t mine = b[x].left / 2;

            bucket_level(&b[x], pairs, at, slot, NULL);
            at += mine;
        }
        __syncthreads();
    }
#pragma unroll
    for (int x = 0; x < EACH; x++) {
        const uint64_t key = ((uint64_t)s << low) + thread * EACH + x;

        if (thread * EACH + x < buckets && key < n_keys)
            result[key] = bucket_result(b[x]);
    }
}

/** offset[k] = first entry of key k, from fully sorted keys; k <= n_keys. Launch: any grid. */
static __global__ void k_offsets(const uint32_t *keys, uint32_t *offset, uint64_t entries,
                                 uint32_t n_keys)
{
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < entries;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint32_t key = __ldg(keys + i);
        const int64_t last = i > 0 ? (int64_t)__ldg(keys + i - 1) : -1;

        for (int64_t k = last + 1; k <= key; k++)
            offset[k] = (uint32_t)i;
        if (i == entries - 1)
            for (uint64_t k = (uint64_t)key + 1; k <= n_keys; k++)
                offset[k] = (uint32_t)entries;
    }
}

/** As k_segment_lists, from fully sorted entries, buckets of any length; a thread a bucket.
 *
 * Launch  any grid, block LIST_THREADS */
static __global__ void __launch_bounds__(LIST_THREADS)
    k_long_lists(const uint32_t *offset, const uint32_t *refs, uint32_t n_keys,
                 const __grid_constant__ list_levels levels, uint32_t *used, uint2 *pairs,
                 uint32_t *result, uint32_t slot)
{
    typedef cub::BlockScan<uint32_t, LIST_THREADS> scan32;
    __shared__ typename scan32::TempStorage scan;
    __shared__ uint32_t level_base;

    for (uint64_t k0 = (uint64_t)blockIdx.x * LIST_THREADS; k0 < n_keys;
         k0 += (uint64_t)gridDim.x * LIST_THREADS) {
        const uint64_t k = k0 + threadIdx.x;
        const uint32_t begin = __ldg(offset + (k < n_keys ? k : n_keys));
        bucket_state b = {k < n_keys ? __ldg(offset + k + 1) - begin : 0, 0, 0, PAIR_NONE};

        if (b.left == 1)
            b.odd = __ldg(refs + begin);
        for (int l = 0;; l++) {
            uint32_t before, all;

            if (!__syncthreads_or(b.left / 2))
                break;
            scan32(scan).ExclusiveSum(b.left / 2, before, all);
            if (threadIdx.x == 0)
                level_base = atomicAdd(used + l, all);
            __syncthreads();
            bucket_level(&b, pairs, levels.first[l] + level_base + before, slot,
                         l == 0 ? refs + begin : NULL);
            __syncthreads();
        }
        if (k < n_keys)
            result[k] = bucket_result(b);
        __syncthreads();
    }
}

/** refs[rank] = i for every set bit i, in any order within a block's range; *count their number.
 *
 * Launch  grid ceil(n / (64 * LIST_THREADS)), block LIST_THREADS, a word a thread */
static __global__ void __launch_bounds__(LIST_THREADS)
    k_set_bits(const uint64_t *bits, uint32_t *refs, uint32_t *count, uint64_t n)
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
        refs[at++] = (uint32_t)(64 * word) + (uint32_t)__ffsll((long long)v) - 1;
}

#endif
