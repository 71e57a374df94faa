/* sums_add_cuda.h: from a set of entries to its buckets, and from buckets to rows and columns.
 *
 * For sums_body_cuda.h alone. */
#ifndef CZ_MSM_SUMS_ADD_CUDA_H
#define CZ_MSM_SUMS_ADD_CUDA_H

#include "msm/sums_lists_cuda.h"

/* ---- buckets ---- */

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

/* ---- rows and columns ---- */

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
