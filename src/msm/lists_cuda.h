/* lists_cuda.h: from scalars to lists of pairs: halves, digits, buckets, and what to add in which
 * order.
 *
 * A half-scalar |k| gets the constant sum of 2^(c - 1) 2^pos over its lower windows added once;
 * then every digit is a plain bit field: field - 2^(c-1) in the lower windows, the field itself in
 * the top one. Digit d of point P makes an entry: key = |d| - 1 (plus `stride` for the second half
 * of the scalar), reference = P's element number, sign in bit 31. A zero digit makes none.
 *
 * A bucket of n entries becomes a tree: level 0 pairs its entries, level 1 the sums of level 0, and
 * so on; an odd one is carried over. All pairs of a level are one call of k_pair_add; level l has
 * its own region of the results, at most E / (2^l + 1) + 1 of E entries.
 *
 * Entries are brought to segments of equal top bits of their keys: by a split (split_cuda.h), or,
 * where few are added or scalars repeat or are small, by a sort. One block then takes one segment,
 * sorts it by the rest in shared memory and writes its part of every level's list
 * (segments_cuda.h). Segments that do not fit are sorted by all bits; k_run_lists then cuts them
 * into pieces of RUN_ENTRIES whatever their keys, a block a piece, and what is cut becomes the
 * entries of another round, whose levels follow.
 *
 * Values that many scalars share are found by a sample (k_sample). Terms with such a value make one
 * entry each, for a bucket of the value's own, and none for the digits; what a bucket comes to is a
 * further point, the value its scalar.
 *
 * Several bit sums over the same points: a point's bucket is the pattern of its bits (k_patterns).
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_LISTS_CUDA_H
#define CZ_MSM_LISTS_CUDA_H

#include <cub/cub.cuh>

#include "gpu/backend.h"
#include "msm/glv_device.h"
#include "msm/pair_cuda.h"

enum {
    LIST_MAX_LEVELS = 36,
    LIST_MAX_WINDOWS = 4, /* of a set */
    LIST_ITEMS = 4,       /* half-scalars that a thread of k_digits takes at a time */
    LIST_THREADS = 256,
    LIST_WARPS = LIST_THREADS / 32,
    RUN_ENTRIES = 4096, /* of a piece */
    RUN_LEVELS = 12,    /* of its trees */
    RUN_ROUNDS = 3,     /* enough for 2^29 entries */
    RUN_THREADS = 512,
    SAMPLES = 2048,
    MAX_SHARED = 256 /* shared values */
};
#define LIST_NO_KEY UINT32_MAX

/** First slot of each level's region. */
typedef struct {
    uint32_t first[LIST_MAX_LEVELS + 1];
} list_levels;

/** The windows that share one set of buckets. */
typedef struct {
    int n;
    int position[LIST_MAX_WINDOWS];
    int width[LIST_MAX_WINDOWS];      /* 0: the top window */
    uint32_t first[LIST_MAX_WINDOWS]; /* element number of the table's point 0 */
    uint32_t more[LIST_MAX_WINDOWS];  /* and of the first further point's */
} list_windows;

/** Scalars from all over the vector. Launch: SAMPLES threads in all. */
static __global__ void k_sample(const uint4 *scalars, uint4 *samples, uint64_t n)
{
    const uint32_t j = blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t i = (uint64_t)((j + 1) * 2654435761u) * n >> 32;

    samples[2 * j] = __ldg(scalars + 2 * i);
    samples[2 * j + 1] = __ldg(scalars + 2 * i + 1);
}

/* The values that many scalars share, and what becomes of terms with one of them. */
typedef struct {
    const uint4 *values; /* of two pieces */
    uint32_t n;          /* at most MAX_SHARED */
    const uint32_t *index;
    uint32_t *keys, *refs, *count; /* entries, in any order */
} list_shared;

/* Which of the values a scalar is, `values` beginning with `low`; -1: none. */
PAIR_DEV int find_shared(const list_shared &shared, const uint32_t *low, uint4 a, uint4 b)
{
    for (uint32_t v = 0; v < shared.n; v++) {
        if (low[v] != a.x)
            continue;
        const uint4 c = shared.values[2 * v], d = shared.values[2 * v + 1];

        if (a.y == c.y && a.z == c.z && a.w == c.w && b.x == d.x && b.y == d.y && b.z == d.z &&
            b.w == d.w)
            return (int)v;
    }
    return -1;
}

/* An entry of term i for value v. */
PAIR_DEV void add_shared(const list_shared &shared, uint64_t i, uint32_t v)
{
    const uint32_t together = __activemask(), lane = threadIdx.x & 31;
    const int leader = __ffs((int)together) - 1;
    uint32_t at = 0;

    if ((int)lane == leader)
        at = atomicAdd(shared.count, __popc(together));
    at = __shfl_sync(together, at, leader) + __popc(together & ((1u << lane) - 1));
    shared.keys[at] = v;
    shared.refs[at] = shared.index != NULL ? __ldg(shared.index + i) : (uint32_t)i;
}

/** Scalars to half-scalars: 16 bytes each, |k| + offset, the sign in bit 127. Those of shared
 * values count as 0.
 *
 * Launch  any grid, block LIST_THREADS. `montgomery`: scalars are Fr elements */
static __global__ void __launch_bounds__(LIST_THREADS)
    k_halves(const uint4 *scalars, uint4 *half0, uint4 *half1, uint64_t n, uint64_t offset_low,
             uint64_t offset_high, int montgomery, const __grid_constant__ list_shared shared)
{
    __shared__ uint32_t low[MAX_SHARED];

    if (threadIdx.x < shared.n)
        low[threadIdx.x] = shared.values[2 * threadIdx.x].x;
    __syncthreads();
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += (uint64_t)gridDim.x * blockDim.x) {
        const uint4 a = __ldg(scalars + 2 * i), b = __ldg(scalars + 2 * i + 1);
        const int value = find_shared(shared, low, a, b);
        uint32_t s[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
        cz_glv_half k[2];

        if (value >= 0) {
            add_shared(shared, i, (uint32_t)value);
#pragma unroll
            for (int j = 0; j < 8; j++)
                s[j] = 0;
        }
        if (montgomery) {
            const uint32_t one[8] = {1};

            cz_fr32_mul(s, s, one);
        }
        cz_glv_split(k, s);
#pragma unroll
        for (int h = 0; h < 2; h++) {
            const uint64_t first = k[h].limb[0] | (uint64_t)k[h].limb[1] << 32;
            const uint64_t second = k[h].limb[2] | (uint64_t)k[h].limb[3] << 32;
            const uint64_t l = first + offset_low;
            const uint64_t u = (second + offset_high + (l < first)) | (uint64_t)k[h].negative << 63;
            const uint4 v =
                make_uint4((uint32_t)l, (uint32_t)(l >> 32), (uint32_t)u, (uint32_t)(u >> 32));

            if (h == 0)
                half0[i] = v;
            else
                half1[i] = v;
        }
    }
}

/* A half-scalar as k_halves leaves it. */
typedef struct {
    uint64_t low, high;
    uint32_t negative;
} list_half;

PAIR_DEV list_half half_load(const uint4 *half)
{
    const uint4 v = __ldg(half);
    const uint64_t top = v.z | (uint64_t)v.w << 32;

    return {v.x | (uint64_t)v.y << 32, top & ~((uint64_t)1 << 63), (uint32_t)(top >> 63)};
}

/* Magnitude of a window's digit; its sign goes to bit 31 of *ref. */
PAIR_DEV uint32_t half_digit(const list_half &half, int position, int width, uint32_t *ref)
{
    const uint64_t field = position >= 64  ? half.high >> (position - 64)
                           : position != 0 ? half.low >> position | half.high << (64 - position)
                                           : half.low;
    uint32_t negative = half.negative;
    int digit;

    if (width == 0) {
        *ref |= negative << 31;
        return (uint32_t)field;
    }
    digit = (int)((uint32_t)field & ((1u << width) - 1)) - (1 << (width - 1));
    negative ^= (uint32_t)digit >> 31;
    *ref |= negative << 31;
    return (uint32_t)(digit < 0 ? -digit : digit);
}

/* Places for the entries of a block, `total` of each warp: this warp's first. All threads come here
 * together, and once more together before the next time. */
PAIR_DEV uint32_t list_claim(uint32_t *of_warp, uint32_t *base, uint32_t *count, uint32_t total)
{
    const uint32_t warp = threadIdx.x / 32;

    if ((threadIdx.x & 31) == 0)
        of_warp[warp] = total;
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t sum = 0;

        for (int w = 0; w < LIST_WARPS; w++) {
            const uint32_t here = of_warp[w];

            of_warp[w] = sum;
            sum += here;
        }
        *base = atomicAdd(count, sum);
    }
    __syncthreads();
    return *base + of_warp[warp];
}

/* The entries of term i of n and n_more: key and reference of either half by each window; a key of
 * LIST_NO_KEY where there is none. Arguments as k_digits. */
template <int WINDOWS>
PAIR_DEV void term_entries(uint32_t *key, uint32_t *ref, const uint4 *half0, const uint4 *half1,
                           const uint32_t *index, uint64_t i, uint64_t n, uint32_t n_more,
                           const list_windows &windows, uint32_t key0, uint32_t stride)
{
    const bool is_there = i < n + n_more;
    const uint32_t point = i >= n          ? (uint32_t)(i - n)
                           : index != NULL ? __ldg(index + i)
                                           : (uint32_t)i;

#pragma unroll
    for (int h = 0; h < 2; h++) {
        const list_half half = is_there ? half_load((h ? half1 : half0) + i) : list_half{};

#pragma unroll
        for (int w = 0; w < WINDOWS; w++) {
            const int e = h * WINDOWS + w;
            uint32_t magnitude;

            ref[e] = point + (i < n ? windows.first[w] : windows.more[w]);
            magnitude = half_digit(half, windows.position[w], windows.width[w], &ref[e]);
            key[e] = is_there && magnitude != 0 ? key0 + h * stride + magnitude - 1 : LIST_NO_KEY;
        }
    }
}

/** Entries of one set, in any order, behind the *count that are there. Keys begin at key0, those of
 * second halves at key0 + stride. index: the point of each of n scalars, or NULL; n_more scalars of
 * further points follow.
 *
 * Launch  any grid, block LIST_THREADS */
template <int WINDOWS>
static __global__ void __launch_bounds__(LIST_THREADS)
    k_digits(const uint4 *half0, const uint4 *half1, const uint32_t *index, uint32_t *keys,
             uint32_t *refs, uint32_t *count, uint64_t n, uint32_t n_more,
             const __grid_constant__ list_windows windows, uint32_t key0, uint32_t stride)
{
    enum { ITEMS = WINDOWS > 2 ? LIST_ITEMS / 2 : LIST_ITEMS, EACH = ITEMS * 2 * WINDOWS };
    __shared__ uint32_t of_warp[LIST_WARPS], base;
    const uint32_t lane = threadIdx.x & 31;

    for (uint64_t first = (uint64_t)blockIdx.x * LIST_THREADS * ITEMS; first < n + n_more;
         first += (uint64_t)gridDim.x * LIST_THREADS * ITEMS) {
        uint32_t key[EACH], ref[EACH], total = 0, at;

#pragma unroll
        for (int item = 0; item < ITEMS; item++)
            term_entries<WINDOWS>(key + item * 2 * WINDOWS, ref + item * 2 * WINDOWS, half0, half1,
                                  index, first + item * LIST_THREADS + threadIdx.x, n, n_more,
                                  windows, key0, stride);
#pragma unroll
        for (int e = 0; e < EACH; e++)
            total += __popc(__ballot_sync(~0u, key[e] != LIST_NO_KEY));
        at = list_claim(of_warp, &base, count, total);
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const bool is_there = key[e] != LIST_NO_KEY;
            const uint32_t there = __ballot_sync(~0u, is_there);
            const uint32_t to = at + __popc(there & ((1u << lane) - 1));

            if (is_there) {
                keys[to] = key[e];
                refs[to] = ref[e];
            }
            at += __popc(there);
        }
        __syncthreads();
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

/* The pairs of one level, to to[0 ...]; their sums will be from slot `sums` on. */
PAIR_DEV void bucket_level(bucket_state *b, uint2 *to, uint32_t sums)
{
    const uint32_t n = b->left / 2;

    if (b->left < 2)
        return;
    for (uint32_t j = 0; j < n; j++)
        to[j] = make_uint2(bucket_ref(*b, 2 * j), bucket_ref(*b, 2 * j + 1));
    if (b->left & 1)
        b->odd = bucket_ref(*b, b->left - 1);
    b->sums = sums;
    b->pairs = n;
    b->left -= n;
}

/* What a bucket came to. */
PAIR_DEV uint32_t bucket_result(const bucket_state &b)
{
    return b.pairs > 0 ? b.sums : b.odd;
}

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
