/* sums_add_cuda.h: the steps of a device sum before its last: entries of sets, lists, additions.
 *
 * For sums_body_cuda.h alone. */
#ifndef CZ_MSM_SUMS_ADD_CUDA_H
#define CZ_MSM_SUMS_ADD_CUDA_H

#include <math.h>

#include "msm/sums_layout_cuda.h"

#define WIDE_FROM ((uint64_t)1 << 21) /* lanes */

/* ---- launches of the pair kernel ---- */

template <class F, pair_source S, int THREADS, int BLOCKS>
static cz_err launch_pairs(sum_state *s, pair_args *a, uint64_t n)
{
    const uint64_t multiprocessors = (uint64_t)s->sums->gpu->multiprocessors;
    const uint64_t a_block = THREADS / F::LANES, at_once = multiprocessors * BLOCKS * a_block;
    const uint64_t share = (n + at_once - 1) / at_once;
    const uint64_t tiles = (share + s->tile - 1) / s->tile;
    const unsigned grid = (unsigned)((n + share * a_block - 1) / (share * a_block));

    a->share = (uint32_t)share;
    a->staggered = tiles >= 2;
    a->tile = tiles >= 2 ? s->tile : (uint32_t)share;
    k_pair_add<F, S, THREADS, BLOCKS><<<grid, THREADS, PAIR_SHARED_BYTES(THREADS), s->stream>>>(*a);
    CZ_TRY_LAUNCH(k_pair_add);
    return CZ_OK;
}

/* LIST and MERGE name operands by their references; ROWS and COLUMNS by numbers in the scratch. */
template <class G, pair_source S> static cz_err add_pairs(sum_state *s, pair_args *a, uint64_t n)
{
    typedef typename G::pairs F;
    const uint32_t before = is_in_scratch<S>::value ? 0 : s->n_elements;
    const cz_gpu *gpu = s->sums->gpu;

    if (n == 0)
        return CZ_OK;
    a->points = s->points;
    a->n_points = before;
    a->scratch = (const uint4 *)((uintptr_t)s->scratch - (uintptr_t)before * F::PIECES * 16);
    a->prefix = s->prefix;
    a->infinity = before + s->infinity;
    a->n = n;
    if (n * F::LANES >= WIDE_FROM && gpu->shared_bytes_a_block >= PAIR_SHARED_BYTES(WIDE_THREADS))
        return launch_pairs<F, S, WIDE_THREADS, 1>(s, a, n);
    return launch_pairs<F, S, NARROW_THREADS, 2>(s, a, n);
}

template <class F, pair_source S> static cz_err allow_shared_memory(const cz_gpu *gpu)
{
    const cudaFuncAttribute what = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const int wide = PAIR_SHARED_BYTES(WIDE_THREADS), narrow = PAIR_SHARED_BYTES(NARROW_THREADS);

    if (gpu->shared_bytes_a_block >= wide)
        CZ_TRY_CUDA(cudaFuncSetAttribute(k_pair_add<F, S, WIDE_THREADS, 1>, what, wide));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_pair_add<F, S, NARROW_THREADS, 2>, what, narrow));
    return CZ_OK;
}

static inline cz_err allow_split_memory(const cz_gpu *gpu)
{
    const cudaFuncAttribute what = cudaFuncAttributeMaxDynamicSharedMemorySize;

    if (gpu->shared_bytes_a_block < SPLIT_SHARED_BYTES)
        return CZ_OK;
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_digits<1>, what, SPLIT_SHARED_BYTES));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_digits<2>, what, SPLIT_SHARED_BYTES));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_digits<4>, what, SPLIT_SHARED_BYTES));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_parts, what, SPLIT_SHARED_BYTES));
    return CZ_OK;
}

template <class G> static uint4 *scratch_at(const sum_state *s, uint64_t element)
{
    return s->scratch + G::pairs::PIECES * element;
}

template <class G> static size_t point_bytes(uint64_t n)
{
    return 16 * (size_t)G::pairs::PIECES * n;
}

/* What every sum begins with, once the scratch is laid out. */
template <class G> static cz_err begin_sum(sum_state *s)
{
    const cz_gpu *gpu = s->sums->gpu;

    CZ_TRY((allow_shared_memory<typename G::pairs, PAIR_LIST>(gpu)));
    CZ_TRY((allow_shared_memory<typename G::pairs, PAIR_MERGE>(gpu)));
    CZ_TRY((allow_shared_memory<typename G::pairs, PAIR_ROWS>(gpu)));
    CZ_TRY((allow_shared_memory<typename G::pairs, PAIR_COLUMNS>(gpu)));
    CZ_TRY(allow_split_memory(gpu));
    CZ_TRY_CUDA(cudaMemsetAsync(scratch_at<G>(s, s->infinity), 0, point_bytes<G>(PAIR_INFINITIES),
                                s->stream));
    return CZ_OK;
}

static inline cz_err does_not_fit(const cz_gpu_sums *sums, uint64_t n)
{
    return cz_fail(CZ_E_ARG, "a sum of %llu terms does not fit the %llu bytes of its scratch",
                   (unsigned long long)n, (unsigned long long)sums->bytes);
}

static inline unsigned strides(const sum_state *s)
{
    return (unsigned)s->sums->gpu->multiprocessors * 8;
}

/* ---- entries of a set ---- */

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

/* ---- lists of a chunk ---- */

/* Lists from n sorted entries, whatever their keys. */
static inline cz_err run_lists(sum_state *s, const uint32_t *keys, const uint32_t *refs, uint64_t n)
{
    uint32_t *cut = s->cuts;
    run_round round = {keys, refs, n, 0, NULL, NULL};

    while (round.n > 0) {
        const unsigned blocks = (unsigned)((round.n + RUN_ENTRIES - 1) / RUN_ENTRIES);
        const uint64_t n_cut = 2 * (uint64_t)blocks;

        round.cut_keys = cut;
        round.cut_refs = cut + n_cut;
        cut += 2 * n_cut;
        CZ_TRY_CUDA(cudaMemsetAsync(round.cut_keys, 0xff, n_cut * 4, s->stream));
        k_run_lists<<<blocks, RUN_THREADS, 0, s->stream>>>(round, s->levels, s->used, s->pairs,
                                                           s->result, s->n_elements + s->results);
        CZ_TRY_LAUNCH(k_run_lists);
        round.keys = round.cut_keys;
        round.refs = round.cut_refs;
        round.n = blocks > 1 ? n_cut : 0;
        round.first_level += RUN_LEVELS;
    }
    return CZ_OK;
}

static inline cz_err segment_lists(sum_state *s, const sum_set *set, uint32_t begin, uint32_t end)
{
    const segment_source from = {
        set->keys, set->refs,  (const uint16_t *)set->keys, s->segment, set->by.segment_places,
        set->low,  set->n_keys};
    const segment_lists_to to = {s->levels, s->used, s->pairs, s->result,
                                 s->n_elements + s->results};

    if (set->split)
        k_segment_lists<true><<<end - begin, SEGMENT_THREADS, 0, s->stream>>>(begin, from, to);
    else
        k_segment_lists<false><<<end - begin, SEGMENT_THREADS, 0, s->stream>>>(begin, from, to);
    CZ_TRY_LAUNCH(k_segment_lists);
    return CZ_OK;
}

/* The entries of long segments among [begin, end), to the sort's other buffers from `at` on. */
static inline cz_err gather_long(sum_state *s, const sum_set *set, uint32_t begin, uint32_t end,
                                 uint64_t *at)
{
    const uint32_t *segment = s->sums->h_segment;

    for (uint32_t i = begin; i < end; i++) {
        const size_t n = segment[i + 1] - segment[i];

        if (n <= SEGMENT_CAPACITY)
            continue;
        CZ_TRY_CUDA(cudaMemcpyAsync(set->other_keys + *at, set->keys + segment[i], n * 4,
                                    cudaMemcpyDeviceToDevice, s->stream));
        CZ_TRY_CUDA(cudaMemcpyAsync(set->other_refs + *at, set->refs + segment[i], n * 4,
                                    cudaMemcpyDeviceToDevice, s->stream));
        *at += n;
    }
    return CZ_OK;
}

/* How many long segments there are among [begin, end), and their entries. */
static inline uint32_t count_long(const sum_state *s, uint32_t begin, uint32_t end,
                                  uint64_t *entries)
{
    const uint32_t *segment = s->sums->h_segment;
    uint32_t n = 0;

    for (uint32_t i = begin; i < end; i++)
        if (segment[i + 1] - segment[i] > SEGMENT_CAPACITY) {
            *entries += segment[i + 1] - segment[i];
            n++;
        }
    return n;
}

/* Lists of what does not fit a block. Where that is little, it is copied and sorted by itself, and
 * *rest says that the segments that fit remain to be done; else all is sorted. */
static inline cz_err long_lists(sum_state *s, sum_set *set, uint32_t begin, uint32_t end,
                                bool *rest)
{
    enum { FEW = 64 };
    const uint32_t *at = s->sums->h_segment, half = set->n_segments / 2;
    uint64_t entries = 0, copied = 0;
    const uint32_t n =
        count_long(s, begin, end, &entries) + count_long(s, half + begin, half + end, &entries);

    *rest = true;
    if (n == 0)
        return CZ_OK;
    CZ_TRY_CUDA(cudaMemsetAsync(s->result, 0xff, (size_t)set->n_keys * 4, s->stream));
    if (!set->sorted && n <= FEW && entries <= s->plan.max_entries / 2) {
        sum_set part = *set;

        CZ_TRY(gather_long(s, set, begin, end, &copied));
        CZ_TRY(gather_long(s, set, half + begin, half + end, &copied));
        part.keys = set->other_keys;
        part.refs = set->other_refs;
        part.other_keys = set->other_keys + entries;
        part.other_refs = set->other_refs + entries;
        CZ_TRY(sort_entries(s, &part, entries, 0));
        return run_lists(s, part.keys, part.refs, entries);
    }
    *rest = false;
    if (!set->sorted)
        CZ_TRY(sort_entries(s, set, set->entries, 0));
    set->sorted = true;
    CZ_TRY(run_lists(s, set->keys + at[begin], set->refs + at[begin], at[end] - at[begin]));
    return run_lists(s, set->keys + at[half + begin], set->refs + at[half + begin],
                     at[half + end] - at[half + begin]);
}

/* ---- adding up ---- */

/* All levels whose lists are made; waits for their lengths. */
template <class G> static cz_err add_levels(sum_state *s)
{
    static const char *const names[] = {"level 1", "level 2", "level 3", "level 4", "level 5+"};
    const uint32_t *used = s->sums->h_used;

    CZ_TRY_CUDA(cudaMemcpyAsync(s->sums->h_used, s->used, LIST_MAX_LEVELS * 4,
                                cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "lists", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    for (int l = 0; l < LIST_MAX_LEVELS; l++) {
        pair_args a = {};

        if (used[l] == 0)
            continue;
        a.pairs = s->pairs + s->levels.first[l];
        a.out = scratch_at<G>(s, s->results);
        a.out_first = s->levels.first[l];
        CZ_TRY((add_pairs<G, PAIR_LIST>(s, &a, used[l])));
        CZ_TRY(sum_watch_mark(s->sums, names[l < 4 ? l : 4], used[l]));
    }
    return CZ_OK;
}

/* Buckets [begin, end) of the set: both halves together. */
template <class G>
static cz_err merge(sum_state *s, const sum_set *set, uint64_t begin, uint64_t end)
{
    pair_args a = {};

    end = end < set->set->buckets ? end : set->set->buckets;
    if (begin >= end)
        return CZ_OK;
    a.buckets = s->result + begin;
    a.half = set->set->stride;
    a.out = scratch_at<G>(s, s->buckets);
    a.out_first = set->set->first_bucket + begin;
    CZ_TRY((add_pairs<G, PAIR_MERGE>(s, &a, end - begin)));
    return sum_watch_mark(s->sums, "merge", end - begin);
}

/* Entries of both halves' segments [begin, end). */
static inline uint64_t chunk_entries(const sum_state *s, const sum_set *set, uint32_t begin,
                                     uint32_t end)
{
    const uint32_t *at = s->sums->h_segment, half = set->n_segments / 2;

    return (uint64_t)(at[end] - at[begin]) + (at[half + end] - at[half + begin]);
}

/* Segments [begin, end) of both halves, to buckets. */
template <class G> static cz_err add_chunk(sum_state *s, sum_set *set, uint32_t begin, uint32_t end)
{
    const uint32_t half = set->n_segments / 2;
    bool rest = true;

    CZ_TRY_CUDA(cudaMemsetAsync(s->used, 0, LIST_MAX_LEVELS * 4, s->stream));
    if (set->any_long)
        CZ_TRY(long_lists(s, set, begin, end, &rest));
    if (rest) {
        CZ_TRY(segment_lists(s, set, begin, end));
        CZ_TRY(segment_lists(s, set, half + begin, half + end));
    }
    CZ_TRY(add_levels<G>(s));
    return merge<G>(s, set, (uint64_t)begin << set->low, (uint64_t)end << set->low);
}

/* As many segments at a time as the lists take. */
template <class G> static cz_err add_segments(sum_state *s, sum_set *set)
{
    const uint32_t half = set->n_segments / 2;

    for (uint32_t begin = 0, end; begin < half; begin = end) {
        end = half;
        while (end > begin + 1 && chunk_entries(s, set, begin, end) > s->capacity)
            end = begin + (end - begin + 1) / 2;
        s->needs_parts = chunk_entries(s, set, begin, end) > s->capacity;
        if (s->needs_parts)
            return CZ_OK;
        CZ_TRY(add_chunk<G>(s, set, begin, end));
    }
    return CZ_OK;
}

/* Entries in any order, few keys or long buckets: sorted and added up, s->result says to what. */
template <class G> static cz_err add_buckets(sum_state *s, sum_set *set, uint64_t n_keys)
{
    if (set->entries > 0)
        CZ_TRY(sort_entries(s, set, set->entries, 0));
    CZ_TRY_CUDA(cudaMemsetAsync(s->result, 0xff, n_keys * 4, s->stream));
    CZ_TRY_CUDA(cudaMemsetAsync(s->used, 0, LIST_MAX_LEVELS * 4, s->stream));
    CZ_TRY(run_lists(s, set->keys, set->refs, set->entries));
    return add_levels<G>(s);
}

/* What n buckets came to, one beside the other. */
template <class G> static cz_err collect_results(sum_state *s, uint4 *to, uint32_t n)
{
    pair_args a = {};

    k_lone_pairs<<<(n + LIST_THREADS - 1) / LIST_THREADS, LIST_THREADS, 0, s->stream>>>(
        s->result, s->pairs, n);
    CZ_TRY_LAUNCH(k_lone_pairs);
    a.pairs = s->pairs;
    a.out = to;
    return add_pairs<G, PAIR_LIST>(s, &a, n);
}

/* From half-scalars to the set's buckets. */
template <class G>
static cz_err add_set(sum_state *s, const cz_msm_plan_set *set, const uint32_t *index)
{
    sum_set state = {};
    uint64_t full = set->buckets; /* that are written below; the rest are infinity */

    state.set = set;
    state.n_keys = 2 * set->stride;
    state.key_bits = bits_for(state.n_keys);
    CZ_TRY(split_into_segments(s, &state, index));
    if (!state.split)
        CZ_TRY(make_entries(s, &state, index));
    if (state.entries == 0)
        full = 0;
    CZ_TRY_CUDA(cudaMemsetAsync(scratch_at<G>(s, s->buckets + set->first_bucket + full), 0,
                                point_bytes<G>(set->padded_buckets - full), s->stream));
    if (state.entries == 0)
        return CZ_OK;
    if (!state.split)
        CZ_TRY(sort_into_segments(s, &state));
    return add_segments<G>(s, &state);
}

/* Rows and columns are added up by pairs while there are enough to fill a device; the last step's
 * bit sums take what is left of them, several to a row or column. */

/* Levels of row sums. */
template <class G> static unsigned row_levels(const sum_state *s)
{
    unsigned levels = 0;

    while (levels < s->plan.column_bits &&
           s->plan.all_buckets >> (levels + 1) >= (uint64_t)TAIL_FROM / G::pairs::LANES)
        levels++;
    return levels;
}

/* Element number of row sums of 2^levels neighbours: behind the levels that lead to them. */
static inline uint32_t row_sums(const sum_state *s, unsigned levels)
{
    uint64_t before = 0;

    for (unsigned l = 1; l < levels; l++)
        before += s->plan.all_buckets >> l;
    return levels == 0 ? s->buckets : s->results + (uint32_t)before;
}

/* Sums of 2^row_levels() neighbours, to row_sums(). */
template <class G> static cz_err add_rows(sum_state *s)
{
    const unsigned levels = row_levels<G>(s);
    uint64_t n = s->plan.all_buckets, items = 0;

    for (unsigned l = 0; l < levels; l++) {
        pair_args a = {};

        n /= 2;
        a.first = row_sums(s, l);
        a.out = scratch_at<G>(s, row_sums(s, l + 1));
        CZ_TRY((add_pairs<G, PAIR_ROWS>(s, &a, n)));
        items += n;
    }
    return sum_watch_mark(s->sums, "rows", items);
}

/* One fold of all sets' rows: to the first half of them, rows[i] of set i. Pairs of it; 0: nothing
 * is left to fold. */
static inline uint64_t plan_fold(const sum_state *s, pair_args *a, uint64_t *rows)
{
    const cz_msm_plan *plan = &s->plan;
    uint64_t n = 0;

    a->n_sets = plan->n_sets;
    for (unsigned i = 0; i < PAIR_MAX_SETS; i++) {
        a->set_pair[i] = UINT64_MAX;
        if (i >= plan->n_sets)
            continue;
        const uint64_t keep = (rows[i] + 1) / 2;

        a->set_pair[i] = n;
        a->set_base[i] = plan->set[i].first_bucket;
        a->set_fold[i] = keep << plan->column_bits;
        n += (rows[i] - keep) << plan->column_bits;
        rows[i] = keep;
    }
    return n;
}

/* Sums of columns, to the first s->rows_left rows of a set. */
template <class G> static cz_err add_columns(sum_state *s)
{
    const cz_msm_plan *plan = &s->plan;
    uint64_t items = 0;

    for (unsigned i = 0; i < plan->n_sets; i++)
        s->rows_left[i] = plan->set[i].padded_buckets >> plan->column_bits;
    for (;;) {
        uint64_t rows[CZ_MSM_PLAN_MAX_SETS], n;
        pair_args a = {};

        memcpy(rows, s->rows_left, sizeof rows);
        n = plan_fold(s, &a, rows);
        if (n < (uint64_t)TAIL_FROM / G::pairs::LANES)
            return sum_watch_mark(s->sums, "columns", items);
        a.first = s->buckets;
        a.out = scratch_at<G>(s, s->buckets);
        CZ_TRY((add_pairs<G, PAIR_COLUMNS>(s, &a, n)));
        memcpy(s->rows_left, rows, sizeof rows);
        items += n;
    }
}

#endif
