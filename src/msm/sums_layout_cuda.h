/* sums_layout_cuda.h: what a sum puts where in the scratch, and how large that is.
 *
 * Elements of the scratch, by the numbers that references name them by: further points (sums of
 * shared values' terms, and their table), results of the levels, buckets, stored infinities. Where
 * the fastest form does not fit, the lists of a set are made and added in `chunks`, a part of its
 * buckets at a time; bit sums take a part of the points at a time.
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_SUMS_LAYOUT_CUDA_H
#define CZ_MSM_SUMS_LAYOUT_CUDA_H

#include <stdlib.h>
#include <string.h>

#include "gpu/arena.h"
#include "msm/digits_cuda.h"
#include "msm/pair_cuda.h"
#include "msm/patterns_cuda.h"
#include "msm/runs_cuda.h"
#include "msm/segments_cuda.h"
#include "msm/split_cuda.h"
#include "msm/sums_answer.h"
#include "msm/sums_cuda.h"
#include "msm/tail_cuda.h"

#define SUM_MAX_TERMS      (((uint64_t)1 << 27) + ((uint64_t)1 << 25)) /* as sums_gpu.h says */
#define SUM_TOGETHER_TERMS ((uint64_t)1 << 22) /* sums up to here have all sets together */

enum {
    SUM_MAX_TILE = 256, /* pairs a thread and inversion */
    SUM_MAX_CHUNKS = 32,
    TOGETHER_TILE = 64,
    WIDE_THREADS = 512,   /* for long calls, one block a multiprocessor */
    NARROW_THREADS = 256, /* for short ones, two */
    FEW_POINTS = 1 << 15, /* what a bit sum's last step takes of a chunk ... */
    FEW_SLICES = 16,      /* ... in so many parts */
    TAIL_FROM = 1 << 15   /* lanes: fewer pairs are left to the last step's bit sums */
};

/* A sum under way. */
typedef struct {
    cz_gpu_sums *sums;
    cudaStream_t stream;
    const uint4 *points;
    uint32_t n_elements; /* the caller's: points, with the tables that the sum uses */
    cz_msm_plan plan;
    uint64_t capacity; /* entries whose lists fit the levels' regions; of a bit sum: points */
    uint64_t slots;    /* of results */
    uint32_t tile;
    unsigned n_jobs;
    list_levels levels;
    size_t sort_bytes;
    cz_arena_map map;

    uint4 *scratch; /* its elements; the following are element numbers there */
    uint32_t more, results, buckets, infinity;
    uint4 *prefix;
    uint4 *half[2];
    uint32_t *keys[2], *refs[2];
    uint32_t *segment; /* first entries of segments; of a split: how many */
    uint32_t *filled;  /* entries of a split's parts */
    uint32_t *result;  /* reference that a bucket came to */
    uint32_t *used;    /* pairs by level, then USED_... */
    uint32_t *cuts;    /* of runs: keys and references, round by round */
    uint2 *pairs;
    void *sort;
    tail_job *jobs;
    tail_point *parts, *bit_sums;
    uint4 *samples, *values;
    uint32_t n_more;                          /* further points */
    uint64_t rows_left[CZ_MSM_PLAN_MAX_SETS]; /* that columns lie in */
    cz_sum_sets sets;                         /* what the bit sums belong to */
    bool needs_parts; /* many scalars share digits: only fewer terms at a time fit */
    cz_sum_point answer;
} sum_state;

enum {
    USED_LONG = LIST_MAX_LEVELS,
    USED_ENTRIES,
    USED_BITS,
    USED_SHARED,
    USED_FULL_PART, /* of a split ... */
    USED_FULL_SEGMENT
};

/* Where a region's address goes. */
typedef struct {
    unsigned n;
    unsigned region[CZ_ARENA_MAX_REGIONS];
    void **to[CZ_ARENA_MAX_REGIONS];
} sum_places;

static inline void place(sum_state *s, sum_places *p, void *to, const char *name, uint64_t bytes)
{
    p->region[p->n] = cz_arena_add(&s->map, name, bytes);
    p->to[p->n++] = (void **)to;
}

/* Entries of rounds 2 and 3 of k_run_lists after E in the first, in up to two runs of it. */
static inline uint64_t cut_entries(uint64_t entries, int round)
{
    for (int i = 1; i < round; i++)
        entries = 2 * (entries / RUN_ENTRIES + 4);
    return entries;
}

/* Levels' regions for `entries` entries; slots in all. */
static inline uint64_t lay_out_levels(list_levels *levels, uint64_t entries)
{
    uint64_t slots = 0;

    for (int l = 0; l < LIST_MAX_LEVELS; l++) {
        const int round = l / RUN_LEVELS, at = l % RUN_LEVELS;

        levels->first[l] = (uint32_t)slots;
        if (l < 14) /* of segments, and of the first round */
            slots += entries / (((uint64_t)1 << l) + 1) + 1;
        if (round > 0)
            slots += cut_entries(entries, round + 1) / (((uint64_t)1 << at) + 1) + 2;
    }
    levels->first[LIST_MAX_LEVELS] = (uint32_t)slots;
    return slots;
}

static inline unsigned bits_for(uint64_t n)
{
    unsigned bits = 0;

    while ((uint64_t)1 << bits < n)
        bits++;
    return bits;
}

static inline unsigned count_jobs(const cz_msm_plan *plan)
{
    unsigned jobs = 0;

    for (unsigned s = 0; s < plan->n_sets; s++)
        jobs += bits_for(plan->set[s].padded_buckets >> plan->column_bits) + plan->column_bits + 1;
    return jobs;
}

template <class G> static uint32_t choose_tile(const cz_gpu *gpu, uint64_t pairs)
{
    const uint64_t at_once = (uint64_t)gpu->multiprocessors * WIDE_THREADS / G::pairs::LANES;
    const uint64_t tile = (pairs + at_once - 1) / at_once;

    return tile < 8 ? 8 : tile > (uint64_t)SUM_MAX_TILE ? (uint32_t)SUM_MAX_TILE : (uint32_t)tile;
}

/* The regions that both kinds of sums have; `buckets` may be 0. */
template <class G>
static void place_common(sum_state *s, sum_places *p, const cz_gpu *gpu, uint64_t n_buckets)
{
    constexpr uint64_t POINT_BYTES = 16 * G::pairs::PIECES, LANES = G::pairs::LANES;
    const uint64_t results = CZ_MSM_PLAN_MAX_SHARE * MAX_SHARED, buckets = results + s->slots;
    const uint64_t infinity = buckets + n_buckets, all = infinity + PAIR_INFINITIES;
    const uint64_t prefix = (uint64_t)gpu->multiprocessors * WIDE_THREADS * s->tile * 96;

    s->more = 0;
    s->results = (uint32_t)results;
    s->buckets = (uint32_t)buckets;
    s->infinity = (uint32_t)infinity;
    place(s, p, &s->scratch, "points, results, buckets", all * POINT_BYTES);
    place(s, p, &s->prefix, "prefixes", prefix);
    place(s, p, &s->used, "counters", SUM_USED * 4);
    place(s, p, &s->jobs, "tail jobs", s->n_jobs * sizeof *s->jobs);
    place(s, p, &s->parts, "tail parts", s->n_jobs * TAIL_SPLIT * LANES * sizeof *s->parts);
    place(s, p, &s->bit_sums, "tail sums", s->n_jobs * LANES * sizeof *s->bit_sums);
}

/* Can all elements be named? */
template <class G> static bool elements_fit(const sum_state *s)
{
    const uint64_t all = s->n_elements + (uint64_t)s->infinity + PAIR_INFINITIES;

    return all * (G::pairs::PIECES / 2) <= UINT32_MAX && all < PAIR_NONE;
}

static inline void set_addresses(const sum_state *s, const sum_places *p)
{
    if (s->sums == NULL)
        return;
    for (unsigned i = 0; i < p->n; i++)
        *p->to[i] = cz_arena_at(&s->map, p->region[i], s->sums->memory);
}

static inline cz_err ask_sort_bytes(sum_state *s, uint64_t entries)
{
    cub::DoubleBuffer<uint32_t> keys, refs;

    CZ_TRY_CUDA(cub::DeviceRadixSort::SortPairs(NULL, s->sort_bytes, keys, refs, (int64_t)entries,
                                                0, 32, s->stream));
    return CZ_OK;
}

/* What k_run_lists writes of entries that go on beyond a piece. */
static inline uint64_t cut_places(uint64_t entries)
{
    return cut_entries(entries, 2) + cut_entries(entries, 3) + 16;
}

/* How a set's entries come to segments without a sort; false: they do not. */
static inline bool split_of(const cz_msm_plan *plan, const cz_msm_plan_set *set,
                            cz_split_shape *split)
{
    const double entries = 2.0 * (double)plan->n * set->n_windows;

    return !plan->together && cz_split_plan(split, entries / (2.0 * set->buckets), 2 * set->stride,
                                            CZ_MSM_PLAN_KEY_BITS, SEGMENT_CAPACITY);
}

/* Bytes that entries take before and after they are brought to segments. */
static inline void entry_bytes(const cz_msm_plan *plan, uint64_t *before, uint64_t *after)
{
    *before = *after = 8 * plan->max_entries;
    for (unsigned i = 0; i < plan->n_sets; i++) {
        cz_split_shape split;
        uint64_t parts, segments;

        if (!split_of(plan, &plan->set[i], &split))
            continue;
        parts = 8 * (uint64_t)split.n_parts * split.part_places;
        segments = 6 * (uint64_t)split.n_segments * split.segment_places;
        *before = *before < parts ? parts : *before;
        *after = *after < segments ? segments : *after;
    }
}

/* A full-width sum of n terms in that many chunks; 0: with all sets together. s->sums may be NULL:
 * only to know s->map.bytes. */
template <class G>
static cz_err lay_out_full(sum_state *s, cz_gpu *gpu, uint64_t n, unsigned tables, unsigned chunks)
{
    sum_places p = {};
    uint64_t before, after;

    s->map = {};
    if (chunks == 0)
        cz_msm_plan_choose_together(&s->plan, n);
    else
        cz_msm_plan_choose(&s->plan, n, tables);
    s->capacity = s->plan.max_entries;
    if (chunks > 1)
        s->capacity = s->capacity / chunks + s->capacity / (20 * chunks) + 65536;
    if (s->capacity > s->plan.max_entries)
        s->capacity = s->plan.max_entries;
    s->slots = lay_out_levels(&s->levels, s->capacity);
    if (s->slots < s->plan.all_buckets) /* rows */
        s->slots = s->plan.all_buckets;
    s->tile = choose_tile<G>(gpu, s->capacity / 2);
    if (s->plan.together && s->tile > TOGETHER_TILE) /* fewer prefixes: 0.4 GB */
        s->tile = TOGETHER_TILE;
    s->n_jobs = count_jobs(&s->plan);
    CZ_TRY(ask_sort_bytes(s, s->plan.max_entries));
    entry_bytes(&s->plan, &before, &after);
    place_common<G>(s, &p, gpu, s->plan.all_buckets);
    place(s, &p, &s->half[0], "half-scalars 0", (n + MAX_SHARED) * 16);
    place(s, &p, &s->half[1], "half-scalars 1", (n + MAX_SHARED) * 16);
    place(s, &p, &s->samples, "samples", SAMPLES * 32);
    place(s, &p, &s->values, "shared values", MAX_SHARED * 32);
    place(s, &p, &s->keys[0], "entries", before);
    place(s, &p, &s->keys[1], "entries by segments", after);
    place(s, &p, &s->filled, "parts", CZ_SPLIT_MAX_BINS * 4);
    place(s, &p, &s->segment, "segments", (SUM_MAX_SEGMENTS + 1) * 4);
    place(s, &p, &s->result, "bucket results", s->plan.max_keys * 4);
    place(s, &p, &s->cuts, "cut runs", cut_places(s->capacity) * 8);
    place(s, &p, &s->pairs, "pairs", s->slots * 8);
    place(s, &p, &s->sort, "sort", s->sort_bytes);
    set_addresses(s, &p);
    if (s->sums != NULL)
        for (int i = 0; i < 2; i++)
            s->refs[i] = s->keys[i] + s->plan.max_entries;
    return CZ_OK;
}

/* A bit sum over chunks of n points. */
template <class G> static void lay_out_bits(sum_state *s, cz_gpu *gpu, uint64_t n)
{
    sum_places p = {};

    s->map = {};
    s->capacity = n;
    s->slots = n + LIST_MAX_LEVELS;
    s->tile = choose_tile<G>(gpu, n / 2);
    s->n_jobs = FEW_SLICES;
    place_common<G>(s, &p, gpu, 0);
    place(s, &p, &s->refs[0], "references", (n + 2) * 4);
    set_addresses(s, &p);
}

/* Bit sums by several planes over chunks of n points, of which there are `chunks`: each chunk has
 * buckets of its own for all patterns. */
template <class G>
static cz_err lay_out_planes(sum_state *s, cz_gpu *gpu, uint64_t n, unsigned planes,
                             unsigned chunks)
{
    const uint64_t patterns = (uint64_t)1 << planes;
    sum_places p = {};

    s->map = {};
    s->capacity = n;
    s->slots = lay_out_levels(&s->levels, n);
    if (s->slots < patterns) /* lone pairs */
        s->slots = patterns;
    s->tile = choose_tile<G>(gpu, n / 2);
    s->n_jobs = planes;
    CZ_TRY(ask_sort_bytes(s, n));
    place_common<G>(s, &p, gpu, chunks * patterns);
    place(s, &p, &s->keys[0], "keys", n * 4);
    place(s, &p, &s->keys[1], "keys, sorted", n * 4);
    place(s, &p, &s->refs[0], "references", n * 4);
    place(s, &p, &s->refs[1], "references, sorted", n * 4);
    place(s, &p, &s->result, "bucket results", patterns * 4);
    place(s, &p, &s->cuts, "cut runs", cut_places(n) * 8);
    place(s, &p, &s->pairs, "pairs", s->slots * 8);
    place(s, &p, &s->sort, "sort", s->sort_bytes);
    set_addresses(s, &p);
    return CZ_OK;
}

/* The fastest form of a full-width sum that max_bytes have room for: with all sets together where
 * few terms are added, else the fewest chunks, from `chunks` on. */
template <class G>
static cz_err fit_full(sum_state *s, cz_gpu *gpu, uint64_t n, unsigned tables, unsigned chunks,
                       uint64_t max_bytes, bool *fits)
{
    *fits = false;
    if (n <= SUM_TOGETHER_TERMS && tables == 1) { /* a table is the other plan's */
        CZ_TRY(lay_out_full<G>(s, gpu, n, tables, 0));
        *fits = s->map.bytes <= max_bytes && elements_fit<G>(s);
    }
    for (; chunks <= SUM_MAX_CHUNKS && !*fits; chunks *= 2) {
        CZ_TRY(lay_out_full<G>(s, gpu, n, tables, chunks));
        *fits = s->map.bytes <= max_bytes && elements_fit<G>(s);
    }
    return CZ_OK;
}

/* The largest chunk of the n points of bit sums that max_bytes have room for. */
template <class G>
static cz_err fit_bits(sum_state *s, cz_gpu *gpu, uint64_t n, unsigned planes, uint64_t max_bytes,
                       bool *fits)
{
    uint64_t chunk = n;

    for (;;) {
        if (planes > 1)
            CZ_TRY(lay_out_planes<G>(s, gpu, chunk, planes, (unsigned)((n + chunk - 1) / chunk)));
        else
            lay_out_bits<G>(s, gpu, chunk);
        *fits = s->map.bytes <= max_bytes && elements_fit<G>(s);
        if (*fits || chunk <= (uint64_t)1 << 20)
            return CZ_OK;
        chunk = (chunk / 2 + 16383) / 16384 * 16384; /* whole blocks of k_set_bits */
    }
}

/* 0: as 1, nothing but the points. */
static inline bool tables_do(unsigned tables)
{
    return tables <= 2 || tables == CZ_MSM_PLAN_MAX_SHARE;
}

/* Chunks that large sums begin with: each is still long enough to fill a device, and the scratch is
 * as much shorter. A set's entries are 2 n with each table; points of G2 are twice as long. */
template <class G> static unsigned first_chunks(uint64_t n, unsigned tables)
{
    if (n < (uint64_t)1 << 24)
        return 1;
    return G::group == CZ_GPU_G2 ? 4 : tables;
}

template <class G>
static cz_err sum_bytes(cz_gpu *gpu, uint64_t *bytes, const cz_gpu_sums_shape *shape)
{
    const uint64_t max_bytes = shape->max_bytes > 0 ? shape->max_bytes : UINT64_MAX;
    const unsigned tables = shape->tables > 0 ? shape->tables : 1;
    const unsigned chunks = first_chunks<G>(shape->full_terms, tables);
    sum_state s = {};
    bool fits = true;

    if (shape->full_terms > SUM_MAX_TERMS || shape->bit_terms > SUM_MAX_TERMS ||
        !tables_do(shape->tables) || shape->planes > CZ_GPU_MAX_PLANES)
        return cz_fail(CZ_E_DECLINED,
                       "sums of %llu points, 1, 2 or 4 tables and %d planes at most on a device",
                       (unsigned long long)SUM_MAX_TERMS, (int)CZ_GPU_MAX_PLANES);
    *bytes = 0;
    if (shape->full_terms > 0) {
        s.n_elements = (uint32_t)(shape->full_terms * tables);
        CZ_TRY(fit_full<G>(&s, gpu, shape->full_terms, tables, chunks, max_bytes, &fits));
        *bytes = s.map.bytes;
    }
    for (unsigned planes = 1; fits && shape->bit_terms > 0; planes = shape->planes) {
        s.n_elements = (uint32_t)shape->bit_terms;
        CZ_TRY(fit_bits<G>(&s, gpu, shape->bit_terms, planes, max_bytes, &fits));
        *bytes = *bytes < s.map.bytes ? s.map.bytes : *bytes;
        if (planes >= shape->planes)
            break;
    }
    if (!fits)
        return cz_fail(CZ_E_DECLINED,
                       "scratch for sums over G%d of %llu terms or %llu bits: %llu bytes do not do",
                       G::group == CZ_GPU_G2 ? 2 : 1, (unsigned long long)shape->full_terms,
                       (unsigned long long)shape->bit_terms, (unsigned long long)max_bytes);
    return CZ_OK;
}

#endif
