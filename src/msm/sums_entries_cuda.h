/* sums_entries_cuda.h: the entries of a set of buckets, brought to segments by a sort or a
 * split.
 *
 * For sums_body_cuda.h alone. */
#ifndef CZ_MSM_SUMS_ENTRIES_CUDA_H
#define CZ_MSM_SUMS_ENTRIES_CUDA_H

#include <math.h>

#include "msm/sums_pairs_cuda.h"

/* ---- entries, in any order; the sort ---- */

/* The sorted entries of a set. */
typedef struct {
    const cz_msm_plan_set *set;
    uint64_t entries;
    uint32_t n_keys;
    unsigned key_bits;
    uint32_t *keys, *refs;             /* where they are */
    uint32_t *other_keys, *other_refs; /* the sort's other buffers */
    unsigned low;                      /* key bits left unsorted */
    uint32_t n_segments;
    bool split; /* its entries came to segments without a sort: */
    cz_split_shape by;
    bool any_long; /* are there segments that do not fit a block? */
    bool sorted;   /* by all bits */
} sum_set;

static inline list_windows windows_of(const sum_state *s, const cz_msm_plan_set *set)
{
    list_windows w = {};

    w.n = (int)set->n_windows;
    for (unsigned i = 0; i < set->n_windows; i++) {
        w.position[i] = set->window[i].position;
        w.width[i] = set->window[i].width;
        w.first[i] = (uint32_t)(s->plan.n * set->window[i].table);
        w.more[i] = s->n_elements + s->more + MAX_SHARED * set->window[i].table;
    }
    return w;
}

template <int WINDOWS>
static cz_err launch_digits(sum_state *s, const list_windows &w, const uint32_t *index,
                            uint32_t key0, uint32_t stride)
{
    k_digits<WINDOWS><<<strides(s), LIST_THREADS, 0, s->stream>>>(
        s->half[0], s->half[1], index, s->keys[0], s->refs[0], s->used + USED_ENTRIES, s->plan.n,
        s->n_more, w, key0, stride);
    CZ_TRY_LAUNCH(k_digits);
    return CZ_OK;
}

/* Queue the entries of a set of the plan, behind those that are there. */
static inline cz_err queue_digits(sum_state *s, const cz_msm_plan_set *set, const uint32_t *index,
                                  uint32_t key0, uint32_t stride)
{
    const list_windows w = windows_of(s, set);

    if (w.n == 1)
        return launch_digits<1>(s, w, index, key0, stride);
    if (w.n == 2)
        return launch_digits<2>(s, w, index, key0, stride);
    return launch_digits<4>(s, w, index, key0, stride);
}

static inline cz_err make_entries(sum_state *s, sum_set *set, const uint32_t *index)
{
    uint32_t *count = s->used + USED_ENTRIES, *h_count = s->sums->h_used + USED_ENTRIES;
    const cz_msm_plan *plan = &s->plan;

    CZ_TRY_CUDA(cudaMemsetAsync(count, 0, 4, s->stream));
    if (!plan->together)
        CZ_TRY(queue_digits(s, set->set, index, 0, set->set->stride));
    for (unsigned i = 0; plan->together && i < plan->n_sets; i++)
        CZ_TRY(queue_digits(s, &plan->set[i], index, (uint32_t)plan->set[i].first_bucket,
                            plan->all.stride));
    CZ_TRY_CUDA(cudaMemcpyAsync(h_count, count, 4, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "digits", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    set->entries = *h_count;
    set->keys = s->keys[0];
    set->refs = s->refs[0];
    set->other_keys = s->keys[1];
    set->other_refs = s->refs[1];
    return CZ_OK;
}

/* Sort n entries by key bits from `low` on; they may move to the other buffers. */
static inline cz_err sort_entries(sum_state *s, sum_set *set, uint64_t n, unsigned low)
{
    cub::DoubleBuffer<uint32_t> keys(set->keys, set->other_keys);
    cub::DoubleBuffer<uint32_t> refs(set->refs, set->other_refs);

    CZ_TRY_CUDA(cub::DeviceRadixSort::SortPairs(s->sort, s->sort_bytes, keys, refs, (int64_t)n,
                                                (int)low, (int)set->key_bits, s->stream));
    set->keys = keys.Current();
    set->refs = refs.Current();
    set->other_keys = keys.Alternate();
    set->other_refs = refs.Alternate();
    return sum_watch_mark(s->sums, "sort", 0);
}

/* Entries of a key, on average; where sets are together, in the fullest of them. */
static inline double entries_a_key(const cz_msm_plan *plan, const sum_set *set)
{
    double most = 0, all = 0;

    if (!plan->together)
        return (double)set->entries / (2.0 * set->set->buckets);
    for (unsigned i = 0; i < plan->n_sets; i++) {
        const double here = (double)plan->set[i].n_windows / plan->set[i].buckets;

        most = most < here ? here : most;
        all += plan->set[i].n_windows;
    }
    return (double)set->entries / 2 * most / all;
}

/* As many low bits as leave room in a segment for what eight deviations of chance can add. */
static inline unsigned choose_low_bits(const cz_msm_plan *plan, const sum_set *set)
{
    const double each = entries_a_key(plan, set);
    unsigned low = 0;

    while (low < CZ_MSM_PLAN_KEY_BITS && low + 1 < set->key_bits) {
        const double next = each * (double)(2u << low);

        if (cz_split_bound(next) > SEGMENT_CAPACITY)
            break;
        low++;
    }
    return low;
}

/* Sort by the top bits and find the segments. */
static inline cz_err sort_into_segments(sum_state *s, sum_set *set)
{
    uint32_t *any_long = s->used + USED_LONG, *h_long = s->sums->h_used + USED_LONG;

    set->low = choose_low_bits(&s->plan, set);
    set->n_segments = set->n_keys >> set->low;
    while (set->n_segments > SUM_MAX_SEGMENTS) {
        set->low++;
        set->n_segments /= 2;
    }
    CZ_TRY(sort_entries(s, set, set->entries, set->low));
    CZ_TRY_CUDA(cudaMemsetAsync(any_long, 0, 4, s->stream));
    k_segments<<<set->n_segments / 256 + 1, 256, 0, s->stream>>>(
        set->keys, s->segment, any_long, set->entries, set->n_segments, set->low);
    CZ_TRY_LAUNCH(k_segments);
    CZ_TRY_CUDA(cudaMemcpyAsync(h_long, any_long, 4, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY_CUDA(cudaMemcpyAsync(s->sums->h_segment, s->segment, ((size_t)set->n_segments + 1) * 4,
                                cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "segments", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    set->any_long = *h_long != 0;
    return CZ_OK;
}

/* ---- the same without a sort ---- */

template <int WINDOWS>
static cz_err launch_split_digits(sum_state *s, const sum_set *set, const list_windows &w,
                                  const uint32_t *index)
{
    const uint64_t a_block = SPLIT_THREADS * (SPLIT_EACH / (2 * WINDOWS));
    const uint64_t blocks = (s->plan.n + s->n_more + a_block - 1) / a_block;

    k_split_digits<WINDOWS><<<(unsigned)blocks, SPLIT_THREADS, SPLIT_SHARED_BYTES, s->stream>>>(
        s->half[0], s->half[1], index, s->plan.n, s->n_more, w, set->set->stride, set->by,
        (uint2 *)s->keys[0], s->filled, s->used + USED_FULL_PART);
    CZ_TRY_LAUNCH(k_split_digits);
    return CZ_OK;
}

static inline cz_err queue_split(sum_state *s, sum_set *set, const uint32_t *index)
{
    const list_windows w = windows_of(s, set->set);
    const dim3 tiles((set->by.part_places + SPLIT_TILE - 1) / SPLIT_TILE, set->by.n_parts);

    CZ_TRY_CUDA(cudaMemsetAsync(s->filled, 0, CZ_SPLIT_MAX_BINS * 4, s->stream));
    CZ_TRY_CUDA(cudaMemsetAsync(s->segment, 0, (size_t)set->by.n_segments * 4, s->stream));
    CZ_TRY_CUDA(cudaMemsetAsync(s->used + USED_FULL_PART, 0, 8, s->stream));
    CZ_TRY(w.n == 1   ? launch_split_digits<1>(s, set, w, index)
           : w.n == 2 ? launch_split_digits<2>(s, set, w, index)
                      : launch_split_digits<4>(s, set, w, index));
    CZ_TRY(sum_watch_mark(s->sums, "digits", 0));
    k_split_parts<<<tiles, SPLIT_THREADS, SPLIT_SHARED_BYTES, s->stream>>>(
        (const uint2 *)s->keys[0], s->filled, s->used + USED_FULL_PART, set->by, set->refs,
        (uint16_t *)set->keys, s->segment, s->used + USED_FULL_SEGMENT);
    CZ_TRY_LAUNCH(k_split_parts);
    return sum_watch_mark(s->sums, "split", 0);
}

/* From half-scalars to entries by segments, where digits are as even as chance leaves them;
 * set->split says whether. Waits. */
static inline cz_err split_into_segments(sum_state *s, sum_set *set, const uint32_t *index)
{
    uint32_t *at = s->sums->h_segment, *h_full = s->sums->h_used + USED_FULL_PART, sum = 0;

    if (s->sums->gpu->shared_bytes_a_block < SPLIT_SHARED_BYTES ||
        !split_of(&s->plan, set->set, &set->by))
        return CZ_OK;
    set->refs = s->keys[1];
    set->keys = set->refs + (uint64_t)set->by.n_segments * set->by.segment_places;
    CZ_TRY(queue_split(s, set, index));
    CZ_TRY_CUDA(
        cudaMemcpyAsync(h_full, s->used + USED_FULL_PART, 8, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY_CUDA(cudaMemcpyAsync(at, s->segment, (size_t)set->by.n_segments * 4,
                                cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    if (h_full[0] != 0 || h_full[1] != 0)
        return CZ_OK;
    set->split = true;
    set->low = set->by.low;
    set->n_segments = set->by.n_segments;
    for (uint32_t i = 0; i <= set->n_segments; i++) {
        const uint32_t here = i < set->n_segments ? at[i] : 0;

        at[i] = sum;
        sum += here;
    }
    set->entries = sum;
    return CZ_OK;
}

#endif
