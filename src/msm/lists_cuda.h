/* lists_cuda.h: from scalars to lists of pairs: what to add in which order. The whole way, and what
 * its kernels share.
 *
 * A term makes entries: key = bucket, reference = its point's element number, sign in bit 31; one
 * for each digit of its scalar (digits_cuda.h), or one for the pattern of its bits in several
 * planes (patterns_cuda.h).
 *
 * A bucket of n entries becomes a tree: level 0 pairs its entries, level 1 the sums of level 0, and
 * so on; an odd one is carried over. All pairs of a level are one call of k_pair_add; level l has
 * its own region of the results, at most E / (2^l + 1) + 1 of E entries.
 *
 * Entries are brought to segments of equal top bits of their keys: by a split (split_cuda.h), or,
 * where few are added or scalars repeat or are small, by a sort. One block then takes one segment,
 * sorts it by the rest in shared memory and writes its part of every level's list
 * (segments_cuda.h). Segments that do not fit are sorted by all bits, and cut into pieces whatever
 * their keys (runs_cuda.h).
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_LISTS_CUDA_H
#define CZ_MSM_LISTS_CUDA_H

#include "gpu/backend.h"
#include "msm/pair_cuda.h"

enum { LIST_MAX_LEVELS = 36, LIST_THREADS = 256, LIST_WARPS = LIST_THREADS / 32 };
#define LIST_NO_KEY UINT32_MAX

/** First slot of each level's region. */
typedef struct {
    uint32_t first[LIST_MAX_LEVELS + 1];
} list_levels;

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

#endif
