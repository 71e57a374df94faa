/* sums_body_cuda.h: device sums over a group; see sums_gpu.h for the contract. Included once a
 * group, by sums_g1_cuda.cu and sums_g2_cuda.cu; G names the group and its fields.
 *
 * The stages of a full-width sum, in order, and the files that hold them:
 *   halves            scalars to half-scalars; values that many share      lists_cuda.h,
 *                                                                          sums_shared_cuda.h
 *   for each set of buckets (msm_plan.h), in chunks of buckets:
 *     digits, sort, lists                                                  lists_cuda.h, CUB
 *     levels          all pairs of a level of all buckets' trees           pair_cuda.h
 *     merge           bucket sums of the two halves: A + phi(B)            pair_cuda.h
 *   rows, columns     sums of 2^k neighbours, and of every 2^k-th          pair_cuda.h
 *   tail              bit sums and Horner, to one point                    tail_cuda.h */
#ifndef CZ_MSM_SUMS_BODY_CUDA_H
#define CZ_MSM_SUMS_BODY_CUDA_H

#include "msm/sums_layout_cuda.h"
#include "msm/sums_shared_cuda.h"

#include <math.h>

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
    CZ_TRY_CUDA(cudaMemsetAsync(scratch_at<G>(s, s->infinity), 0, point_bytes<G>(PAIR_INFINITIES),
                                s->stream));
    return CZ_OK;
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
    bool any_long; /* are there segments that do not fit a block? */
    bool sorted;   /* by all bits */
} sum_set;

static inline cz_err make_entries(sum_state *s, sum_set *set, const uint32_t *index)
{
    uint32_t *count = s->used + USED_ENTRIES, *h_count = s->sums->h_used + USED_ENTRIES;
    list_windows w = {};

    w.n = (int)set->set->n_windows;
    for (unsigned i = 0; i < set->set->n_windows; i++) {
        w.position[i] = set->set->window[i].position;
        w.width[i] = set->set->window[i].width;
        w.first[i] = (uint32_t)(s->plan.n * set->set->window[i].table);
        w.more[i] = s->n_elements + s->more + MAX_SHARED * set->set->window[i].table;
    }
    CZ_TRY_CUDA(cudaMemsetAsync(count, 0, 4, s->stream));
    if (w.n == 1)
        k_digits<1><<<strides(s), LIST_THREADS, 0, s->stream>>>(
            s->half[0], s->half[1], index, s->keys[0], s->refs[0], count, s->plan.n, s->n_more, w,
            set->set->stride);
    else
        k_digits<2><<<strides(s), LIST_THREADS, 0, s->stream>>>(
            s->half[0], s->half[1], index, s->keys[0], s->refs[0], count, s->plan.n, s->n_more, w,
            set->set->stride);
    CZ_TRY_LAUNCH(k_digits);
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

/* As many low bits as leave room in a segment for what eight deviations of chance can add. */
static inline unsigned choose_low_bits(const sum_set *set)
{
    const double each = (double)set->entries / (2.0 * set->set->buckets);
    unsigned low = 0;

    while (low < CZ_MSM_PLAN_KEY_BITS && low + 1 < set->key_bits) {
        const double next = each * (double)(2u << low);

        if (next + 8 * sqrt(next) + 64 > SEGMENT_CAPACITY)
            break;
        low++;
    }
    return low;
}

/* Sort by the top bits and find the segments. */
static inline cz_err sort_into_segments(sum_state *s, sum_set *set)
{
    uint32_t *any_long = s->used + USED_LONG, *h_long = s->sums->h_used + USED_LONG;

    set->low = choose_low_bits(set);
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
    k_segment_lists<<<end - begin, SEGMENT_THREADS, 0, s->stream>>>(
        begin, set->keys, set->refs, s->segment, set->low, set->n_keys, s->levels, s->used,
        s->pairs, s->result, s->n_elements + s->results);
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

/* From half-scalars to the set's buckets. */
template <class G>
static cz_err add_set(sum_state *s, const cz_msm_plan_set *set, const uint32_t *index)
{
    sum_set state = {};
    uint64_t full = set->buckets;

    state.set = set;
    state.n_keys = 2 * set->stride;
    state.key_bits = bits_for(state.n_keys);
    CZ_TRY(make_entries(s, &state, index));
    if (state.entries == 0)
        full = 0;
    CZ_TRY_CUDA(cudaMemsetAsync(scratch_at<G>(s, s->buckets + set->first_bucket + full), 0,
                                point_bytes<G>(set->padded_buckets - full), s->stream));
    if (state.entries == 0)
        return CZ_OK;
    CZ_TRY(sort_into_segments(s, &state));
    return add_segments<G>(s, &state);
}

/* Row sums come to lie behind the levels that lead to them. */
static inline uint32_t row_sums(const sum_state *s)
{
    uint64_t before = 0;

    for (unsigned l = 1; l < s->plan.column_bits; l++)
        before += s->plan.all_buckets >> l;
    return s->results + (uint32_t)before;
}

/* Sums of 2^column_bits neighbours, to row_sums(). */
template <class G> static cz_err add_rows(sum_state *s)
{
    uint64_t in = s->buckets, out = s->results, n = s->plan.all_buckets, items = 0;

    for (unsigned l = 0; l < s->plan.column_bits; l++) {
        pair_args a = {};

        n /= 2;
        a.first = (uint32_t)in;
        a.out = scratch_at<G>(s, out);
        CZ_TRY((add_pairs<G, PAIR_ROWS>(s, &a, n)));
        items += n;
        in = out;
        out += n;
    }
    return sum_watch_mark(s->sums, "rows", items);
}

/* Sums of every 2^column_bits-th bucket of a set, to its first 2^column_bits places. */
template <class G> static cz_err add_columns(sum_state *s)
{
    const cz_msm_plan *plan = &s->plan;
    uint64_t rows[CZ_MSM_PLAN_MAX_SETS], items = 0;

    for (unsigned i = 0; i < plan->n_sets; i++)
        rows[i] = plan->set[i].padded_buckets >> plan->column_bits;
    for (;;) {
        uint64_t n = 0;
        pair_args a = {};

        a.first = s->buckets;
        a.out = scratch_at<G>(s, s->buckets);
        a.n_sets = plan->n_sets;
        for (unsigned i = 0; i < PAIR_MAX_SETS; i++) {
            a.set_pair[i] = UINT64_MAX;
            if (i >= plan->n_sets)
                continue;
            const uint64_t keep = (rows[i] + 1) / 2;

            a.set_pair[i] = n;
            a.set_base[i] = plan->set[i].first_bucket;
            a.set_fold[i] = keep << plan->column_bits;
            n += (rows[i] - keep) << plan->column_bits;
            rows[i] = keep;
        }
        if (n == 0)
            return sum_watch_mark(s->sums, "columns", items);
        CZ_TRY((add_pairs<G, PAIR_COLUMNS>(s, &a, n)));
        items += n;
    }
}

/* ---- the tail ---- */

static inline cz_err send_jobs(sum_state *s, const tail_job *jobs, unsigned n)
{
    static_assert(sizeof(tail_job) == 16 && sizeof(tail_job) * SUM_MAX_JOBS <= 16 * SUM_MAX_JOBS,
                  "pinned memory of jobs");
    /* the last sum that read them was waited for, or is an earlier part of this one */
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    memcpy(s->sums->h_jobs, jobs, n * sizeof *jobs);
    CZ_TRY_CUDA(cudaMemcpyAsync(s->jobs, s->sums->h_jobs, n * sizeof *jobs, cudaMemcpyHostToDevice,
                                s->stream));
    return CZ_OK;
}

template <class G> static cz_err add_bit_sums(sum_state *s, unsigned n_jobs)
{
    typedef typename G::tail F;

    k_bit_sums<F>
        <<<n_jobs * TAIL_SPLIT, TAIL_THREADS, 0, s->stream>>>(s->scratch, s->jobs, s->parts);
    CZ_TRY_LAUNCH(k_bit_sums);
    k_join_parts<F><<<n_jobs, TAIL_SPLIT * F::LANES, 0, s->stream>>>(s->parts, s->bit_sums);
    CZ_TRY_LAUNCH(k_join_parts);
    return CZ_OK;
}

/* The sum of n neighbours in the scratch. */
template <class G>
static cz_err add_neighbours(sum_state *s, uint32_t first, uint64_t n, uint4 *answer)
{
    const tail_job job = {first, (uint32_t)n, -1};

    CZ_TRY(send_jobs(s, &job, 1));
    CZ_TRY(add_bit_sums<G>(s, 1));
    k_to_affine<typename G::tail><<<1, G::tail::LANES, 0, s->stream>>>(s->bit_sums, answer);
    CZ_TRY_LAUNCH(k_to_affine);
    return CZ_OK;
}

static inline unsigned plan_tail(sum_state *s, tail_job *jobs)
{
    const cz_msm_plan *plan = &s->plan;
    const unsigned k = plan->column_bits;
    unsigned n = 0;

    s->tail.n_sets = plan->n_sets;
    s->tail.column_bits = k;
    for (unsigned i = 0; i < plan->n_sets; i++) {
        const cz_msm_plan_set *set = &plan->set[i];
        const uint32_t rows = (uint32_t)(set->padded_buckets >> k);
        const unsigned row_bits = bits_for(rows);
        const uint64_t first_bucket = s->buckets + set->first_bucket;

        s->tail.set[i] = {n, row_bits, set->position};
        for (unsigned bit = 0; bit < row_bits; bit++)
            jobs[n++] = {row_sums(s) + (set->first_bucket >> k), rows, (int)bit};
        for (unsigned bit = 0; bit < k; bit++)
            jobs[n++] = {first_bucket, 1u << k, (int)bit};
        jobs[n++] = {first_bucket, 1u << k, -1};
    }
    return n;
}

template <class G> static cz_err combine(sum_state *s, uint4 *answer)
{
    tail_job jobs[SUM_MAX_JOBS];

    if (s->n_jobs > SUM_MAX_JOBS)
        return cz_fail(CZ_E_INTERNAL, "a sum with %u bit sums", s->n_jobs);
    CZ_TRY(send_jobs(s, jobs, plan_tail(s, jobs)));
    CZ_TRY(add_bit_sums<G>(s, s->n_jobs));
    k_combine<typename G::tail>
        <<<1, 32 * PAIR_MAX_SETS, 0, s->stream>>>(s->bit_sums, s->tail, answer);
    CZ_TRY_LAUNCH(k_combine);
    return CZ_OK;
}

/* to[i] = 2^shift from[i] */
template <class G>
static cz_err shift_points(cudaStream_t stream, const uint4 *from, uint4 *to, uint64_t n, int shift)
{
    typedef typename G::tail F;
    const uint64_t a_block = TAIL_THREADS / F::LANES;

    k_shifted_points<F>
        <<<(unsigned)((n + a_block - 1) / a_block), TAIL_THREADS, 0, stream>>>(from, to, n, shift);
    CZ_TRY_LAUNCH(k_shifted_points);
    return CZ_OK;
}

/* The answer to the host; waits. */
template <class G>
static cz_err fetch_answer(sum_state *s, void *out_affine, const uint4 *answer,
                           cz_gpu_phases *phases)
{
    CZ_TRY_CUDA(cudaMemcpyAsync(s->sums->h_answer, answer, point_bytes<G>(1),
                                cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "tail", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    CZ_TRY(sum_watch_read(s->sums, phases));
    memcpy(out_affine, s->sums->h_answer, point_bytes<G>(1));
    return CZ_OK;
}

/* ---- full-width sums ---- */

static inline cz_err make_halves(sum_state *s, const uint4 *scalars, uint64_t n, uint64_t to,
                                 int montgomery, const list_shared *shared)
{
    k_halves<<<strides(s), LIST_THREADS, 0, s->stream>>>(scalars, s->half[0] + to, s->half[1] + to,
                                                         n, s->plan.offset_low, s->plan.offset_high,
                                                         montgomery, *shared);
    CZ_TRY_LAUNCH(k_halves);
    return sum_watch_mark(s->sums, "halves", 0);
}

/* The sums of the terms of each shared value become further points, the values their scalars. */
template <class G>
static cz_err add_shared_values(sum_state *s, const list_shared *shared, int montgomery)
{
    const list_shared none = {};
    uint32_t *h_count = s->sums->h_used + USED_SHARED;
    uint4 *points = scratch_at<G>(s, s->more);
    sum_set set = {};
    pair_args a = {};

    CZ_TRY_CUDA(cudaMemcpyAsync(h_count, shared->count, 4, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    s->needs_parts = *h_count > s->capacity;
    if (s->needs_parts)
        return CZ_OK;
    set.keys = s->keys[0];
    set.refs = s->refs[0];
    set.other_keys = s->keys[1];
    set.other_refs = s->refs[1];
    set.key_bits = bits_for(shared->n) > 0 ? bits_for(shared->n) : 1;
    CZ_TRY(sort_entries(s, &set, *h_count, 0));
    CZ_TRY_CUDA(cudaMemsetAsync(s->result, 0xff, MAX_SHARED * 4, s->stream));
    CZ_TRY_CUDA(cudaMemsetAsync(s->used, 0, LIST_MAX_LEVELS * 4, s->stream));
    CZ_TRY(run_lists(s, set.keys, set.refs, *h_count));
    CZ_TRY(add_levels<G>(s));
    k_lone_pairs<<<1, shared->n, 0, s->stream>>>(s->result, s->pairs);
    CZ_TRY_LAUNCH(k_lone_pairs);
    a.pairs = s->pairs;
    a.out = points;
    CZ_TRY((add_pairs<G, PAIR_LIST>(s, &a, shared->n)));
    CZ_TRY(make_halves(s, s->values, shared->n, s->plan.n, montgomery, &none));
    s->n_more = shared->n;
    if (s->plan.tables < 2)
        return CZ_OK;
    return shift_points<G>(s->stream, points, points + G::pairs::PIECES * MAX_SHARED, shared->n,
                           s->plan.shift);
}

/* Terms first … first + plan.n - 1, to answer `part`; the scratch is laid out for them. */
template <class G>
static cz_err add_part(sum_state *s, const cz_gpu_terms *terms, uint64_t first, unsigned part)
{
    const cz_msm_plan *plan = &s->plan;
    const uint32_t *index = terms->d_index != NULL ? terms->d_index + first : NULL;
    const uint4 *scalars = (const uint4 *)terms->d_scalars + 2 * first;
    list_shared shared = {};

    s->needs_parts = false;
    s->n_more = 0;
    s->points = (const uint4 *)terms->d_points;
    s->n_elements = (uint32_t)(terms->n_points * plan->tables);
    if (index == NULL) {
        s->points += G::pairs::PIECES * first;
        s->n_elements -= (uint32_t)first;
    }
    if (!elements_fit<G>(s))
        return cz_fail(CZ_E_DECLINED, "a sum over %llu points: too many for 32-bit numbers",
                       (unsigned long long)terms->n_points);
    CZ_TRY(begin_sum<G>(s));
    CZ_TRY(find_shared_values(s, scalars, index, &shared));
    CZ_TRY(make_halves(s, scalars, plan->n, 0, terms->montgomery, &shared));
    if (shared.n > 0)
        CZ_TRY(add_shared_values<G>(s, &shared, terms->montgomery));
    for (unsigned i = 0; i < plan->n_sets && !s->needs_parts; i++)
        CZ_TRY(add_set<G>(s, &plan->set[i], index));
    if (s->needs_parts)
        return CZ_OK;
    CZ_TRY(add_rows<G>(s));
    CZ_TRY(add_columns<G>(s));
    return combine<G>(s, scratch_at<G>(s, part));
}

static inline cz_err does_not_fit(const cz_gpu_sums *sums, uint64_t n)
{
    return cz_fail(CZ_E_ARG, "a sum of %llu terms does not fit the %llu bytes of its scratch",
                   (unsigned long long)n, (unsigned long long)sums->bytes);
}

/* As few parts as fit all lists of a set at once, whatever the scalars; without the table. */
template <class G>
static cz_err add_in_parts(sum_state *s, const cz_gpu_terms *terms, unsigned *n_parts)
{
    uint64_t each = terms->n;
    bool fits = false;

    for (*n_parts = 1; !fits; *n_parts += !fits) {
        if (*n_parts > SUM_MAX_PARTS)
            return does_not_fit(s->sums, terms->n);
        each = (terms->n + *n_parts - 1) / *n_parts;
        CZ_TRY(lay_out_full<G>(s, s->sums->gpu, each, 1, 1));
        fits = s->map.bytes <= s->sums->bytes && elements_fit<G>(s);
    }
    for (unsigned i = 0; i < *n_parts; i++) {
        const uint64_t first = i * each, left = terms->n - first;

        if (left < each)
            CZ_TRY(lay_out_full<G>(s, s->sums->gpu, left, 1, 1));
        CZ_TRY(add_part<G>(s, terms, first, i));
    }
    return s->needs_parts ? cz_fail(CZ_E_INTERNAL, "a sum's part is too large") : CZ_OK;
}

template <class G>
static cz_err sum_full(cz_gpu_sums *sums, void *out_affine, const cz_gpu_terms *terms,
                       cz_gpu_phases *phases)
{
    const uint64_t n = terms->n;
    const unsigned tables = terms->d_index == NULL && terms->tables > 1 ? 2 : 1;
    sum_state s = {};
    unsigned n_parts = 1;
    bool fits;

    if (n == 0) {
        memset(out_affine, 0, point_bytes<G>(1));
        return CZ_OK;
    }
    if (n > (uint64_t)1 << SUM_MAX_LOG_N || (terms->d_index == NULL && n != terms->n_points))
        return cz_fail(CZ_E_ARG, "a sum of %llu terms over %llu points", (unsigned long long)n,
                       (unsigned long long)terms->n_points);
    s.sums = sums;
    s.stream = sums->stream;
    s.n_elements = (uint32_t)(terms->n_points * tables);
    CZ_TRY(fit_full<G>(&s, sums->gpu, n, tables, 1, sums->bytes, &fits));
    if (fits)
        CZ_TRY(add_part<G>(&s, terms, 0, 0));
    if (!fits || s.needs_parts)
        CZ_TRY(add_in_parts<G>(&s, terms, &n_parts));
    if (n_parts > 1)
        CZ_TRY(add_neighbours<G>(&s, 0, n_parts, s.scratch));
    return fetch_answer<G>(&s, out_affine, s.scratch, phases);
}

template <class G> static cz_err sum_make_table(cz_gpu_sums *sums, void *d_points, uint64_t n)
{
    uint4 *points = (uint4 *)d_points;
    cz_msm_plan plan;

    if (n == 0)
        return CZ_OK;
    cz_msm_plan_choose(&plan, n, 2);
    return shift_points<G>(sums->stream, points, points + G::pairs::PIECES * n, n, plan.shift);
}

/* ---- bit sums ---- */

/* References of the set bits of points first … first + n - 1 to refs[0]; an even number of them. */
static inline cz_err list_set_bits(sum_state *s, const uint64_t *d_bits, uint64_t first, uint64_t n,
                                   uint64_t *listed)
{
    const uint64_t words = (n + 63) / 64;
    const unsigned blocks = (unsigned)((words + LIST_THREADS - 1) / LIST_THREADS);
    uint32_t *count = s->used + USED_BITS, *h_count = s->sums->h_used + USED_BITS;

    CZ_TRY_CUDA(cudaMemsetAsync(count, 0, 4, s->stream));
    k_set_bits<<<blocks, LIST_THREADS, 0, s->stream>>>(d_bits + first / 64, s->refs[0], count, n,
                                                       (uint32_t)first);
    CZ_TRY_LAUNCH(k_set_bits);
    CZ_TRY_CUDA(cudaMemcpyAsync(h_count, count, 4, cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY(sum_watch_mark(s->sums, "lists", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    *listed = *h_count;
    if (*listed % 2 != 0) { /* 0xffffffff refers to infinity as well as PAIR_NONE does */
        CZ_TRY_CUDA(cudaMemsetAsync(s->refs[0] + *listed, 0xff, 4, s->stream));
        *listed += 1;
    }
    return CZ_OK;
}

/* Sums of neighbours until few are left; *first: their element number, *n: how many. */
template <class G> static cz_err halve_until_few(sum_state *s, uint64_t *first, uint64_t *n)
{
    while (*n > FEW_POINTS) {
        pair_args a = {};

        if (*n % 2 != 0) {
            CZ_TRY_CUDA(
                cudaMemsetAsync(scratch_at<G>(s, *first + *n), 0, point_bytes<G>(1), s->stream));
            *n += 1;
        }
        a.first = (uint32_t)*first;
        *first += *n;
        *n /= 2;
        a.out = scratch_at<G>(s, *first);
        CZ_TRY((add_pairs<G, PAIR_ROWS>(s, &a, *n)));
        CZ_TRY(sum_watch_mark(s->sums, "halve", *n));
    }
    return CZ_OK;
}

/* Of points first … first + n - 1, to answer `part`. */
template <class G>
static cz_err add_bits(sum_state *s, const uint64_t *d_bits, uint64_t first, uint64_t n,
                       unsigned part)
{
    uint64_t at = s->results, listed;
    pair_args a = {};

    CZ_TRY(list_set_bits(s, d_bits, first, n, &listed));
    listed /= 2;
    a.pairs = (const uint2 *)s->refs[0];
    a.out = scratch_at<G>(s, at);
    CZ_TRY((add_pairs<G, PAIR_LIST>(s, &a, listed)));
    CZ_TRY(sum_watch_mark(s->sums, "level 1", listed));
    CZ_TRY(halve_until_few<G>(s, &at, &listed));
    return add_neighbours<G>(s, (uint32_t)at, listed, scratch_at<G>(s, part));
}

template <class G>
static cz_err sum_bits(cz_gpu_sums *sums, void *out_affine, const void *d_points,
                       const uint64_t *d_bits, uint64_t n, cz_gpu_phases *phases)
{
    sum_state s = {};
    unsigned part = 0;

    if (n == 0) {
        memset(out_affine, 0, point_bytes<G>(1));
        return CZ_OK;
    }
    s.sums = sums;
    s.stream = sums->stream;
    s.points = (const uint4 *)d_points;
    s.n_elements = (uint32_t)n;
    if (n > (uint64_t)1 << SUM_MAX_LOG_N || !fit_bits<G>(&s, sums->gpu, n, sums->bytes) ||
        (n + s.capacity - 1) / s.capacity > SUM_MAX_PARTS)
        return does_not_fit(sums, n);
    CZ_TRY(begin_sum<G>(&s));
    for (uint64_t first = 0; first < n; first += s.capacity, part++)
        CZ_TRY(
            add_bits<G>(&s, d_bits, first, n - first < s.capacity ? n - first : s.capacity, part));
    if (part > 1)
        CZ_TRY(add_neighbours<G>(&s, 0, part, s.scratch));
    return fetch_answer<G>(&s, out_affine, s.scratch, phases);
}

#endif
