/* digits_cuda.h: from scalars to entries: halves, digits, buckets (lists_cuda.h).
 *
 * A half-scalar |k| gets the constant sum of 2^(c - 1) 2^pos over its lower windows added once;
 * then every digit is a plain bit field: field - 2^(c-1) in the lower windows, the field itself in
 * the top one. Digit d of point P makes an entry: key = |d| - 1 (plus `stride` for the second half
 * of the scalar), reference = P's element number, sign in bit 31. A zero digit makes none.
 *
 * Values that many scalars share are found by a sample (k_sample). Terms with such a value make one
 * entry each, for a bucket of the value's own, and none for the digits; what a bucket comes to is a
 * further point, the value its scalar.
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_DIGITS_CUDA_H
#define CZ_MSM_DIGITS_CUDA_H

#include "msm/glv_device.h"
#include "msm/lists_cuda.h"

enum {
    LIST_MAX_WINDOWS = 4, /* of a set */
    LIST_ITEMS = 4,       /* half-scalars that a thread of k_digits takes at a time */
    SAMPLES = 2048,
    MAX_SHARED = 256 /* shared values */
};

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

#endif
