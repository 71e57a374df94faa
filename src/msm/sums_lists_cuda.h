/* sums_lists_cuda.h: the lists of pairs of a chunk of segments.
 *
 * For sums_body_cuda.h alone. */
#ifndef CZ_MSM_SUMS_LISTS_CUDA_H
#define CZ_MSM_SUMS_LISTS_CUDA_H

#include "msm/sums_entries_cuda.h"

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

#endif
