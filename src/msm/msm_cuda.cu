/* msm_cuda.cu: sums over G1 on a CUDA device; see msm_gpu.h for the contract.
 *
 * The stages of a sum, in order, and the files that hold them:
 *   halves            scalars to half-scalars                              lists_cuda.h
 *   for each set of buckets (msm_plan.h), in chunks of buckets:
 *     digits, sort, lists                                                  lists_cuda.h, CUB
 *     levels          all pairs of a level of all buckets' trees           pair_cuda.h
 *     merge           bucket sums of the two halves: A + phi(B)            pair_cuda.h
 *   rows, columns     sums of 2^k neighbours, and of every 2^k-th          pair_cuda.h
 *   tail              bit sums and Horner, to one point                    tail_cuda.h
 *
 * All operands of the pair kernel lie in one pool, so that a reference is an element number:
 *     points | table of shifted points | results of the levels | buckets | stored infinities */
#include "gpu/arena.h"
#include "gpu/device_cuda.h"
#include "msm/lists_cuda.h"
#include "msm/msm_plan.h"
#include "msm/pair_cuda.h"
#include "msm/tail_cuda.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_LOG_N = 27,
    POINT_BYTES = 96,
    MAX_TILE = 256,    /* pairs a thread and inversion */
    MAX_LOW_BITS = 10, /* buckets of a segment: 2^10 */
    MAX_SEGMENTS = 1 << 20,
    MAX_MARKS = 256,
    WIDE_THREADS = 512,   /* for long calls, one block a multiprocessor */
    NARROW_THREADS = 256, /* for short ones, two */
    FEW_POINTS = 4096     /* what a bit sum's tail takes */
};

#define WIDE_FROM ((uint64_t)1 << 21) /* pairs */

/* Times of stages by events; idle unless asked for. */
typedef struct {
    bool on;
    unsigned n;
    cudaEvent_t event[MAX_MARKS];
    const char *name[MAX_MARKS]; /* of what ended there */
    uint64_t items[MAX_MARKS];
} stopwatch;

struct cz_gpu_msm {
    cz_gpu *gpu;
    cudaStream_t stream;
    cz_msm_plan plan;
    cz_arena_map map;
    void *memory;
    uint64_t n_points; /* with the table */
    uint64_t slots;    /* of results */
    uint64_t capacity; /* entries whose lists fit the levels' regions */
    uint32_t tile;
    list_levels levels;

    uint4 *pool, *results, *buckets; /* results and buckets lie in the pool */
    uint32_t infinity;               /* element number */
    uint4 *prefix;
    uint4 *half[2];
    uint32_t *keys[2], *refs[2];
    uint32_t *offset;  /* of every key; long lists only */
    uint32_t *segment; /* first entries of segments */
    uint32_t *result;  /* reference that a bucket came to */
    uint32_t *used;    /* pairs by level, then the overflow mark */
    uint2 *pairs;
    void *sort;
    size_t sort_bytes;
    tail_job *jobs;
    tail_point *parts, *sums;
    uint4 *answer;

    uint32_t *h_used, *h_segment; /* pinned */
    uint4 *h_answer;
    tail_plan tail;
    unsigned n_jobs;
    stopwatch watch;
};

/* ---- stopwatch ---- */

static cz_err watch_start(cz_gpu_msm *msm, bool on)
{
    stopwatch *w = &msm->watch;

    w->on = on;
    w->n = 0;
    if (!on)
        return CZ_OK;
    for (int i = 0; i < MAX_MARKS && w->event[i] == NULL; i++)
        CZ_TRY_CUDA(cudaEventCreate(&w->event[i]));
    CZ_TRY_CUDA(cudaEventRecord(w->event[0], msm->stream));
    w->n = 1;
    return CZ_OK;
}

/* What was queued since the last mark was `name`. */
static cz_err watch_mark(cz_gpu_msm *msm, const char *name, uint64_t items)
{
    stopwatch *w = &msm->watch;

    if (!w->on || w->n == MAX_MARKS)
        return CZ_OK;
    CZ_TRY_CUDA(cudaEventRecord(w->event[w->n], msm->stream));
    w->name[w->n] = name;
    w->items[w->n] = items;
    w->n++;
    return CZ_OK;
}

static void add_phase(cz_gpu_phases *phases, const char *name, float ms, uint64_t items)
{
    unsigned i = 0;

    while (i < phases->n && strcmp(phases->phase[i].name, name) != 0)
        i++;
    if (i == CZ_GPU_MAX_PHASES)
        return;
    if (i == phases->n) {
        phases->n++;
        memset(&phases->phase[i], 0, sizeof phases->phase[i]);
        memcpy(phases->phase[i].name, name, strlen(name));
    }
    phases->phase[i].ms += ms;
    phases->phase[i].items += items;
}

/* The stream has been waited for. */
static cz_err watch_read(cz_gpu_msm *msm, cz_gpu_phases *phases)
{
    const stopwatch *w = &msm->watch;

    if (!w->on)
        return CZ_OK;
    phases->n = 0;
    for (unsigned i = 1; i < w->n; i++) {
        float ms;

        CZ_TRY_CUDA(cudaEventElapsedTime(&ms, w->event[i - 1], w->event[i]));
        add_phase(phases, w->name[i], ms, w->items[i]);
    }
    return CZ_OK;
}

/* ---- launches of the pair kernel ---- */

template <pair_source S, int THREADS, int BLOCKS>
static cz_err launch_pairs(cz_gpu_msm *msm, pair_args *a, uint64_t n)
{
    const uint64_t blocks = (uint64_t)msm->gpu->multiprocessors * BLOCKS;
    const uint64_t share = (n + blocks * THREADS - 1) / (blocks * THREADS);
    const uint64_t tiles = (share + msm->tile - 1) / msm->tile;
    const unsigned grid = (unsigned)((n + share * THREADS - 1) / (share * THREADS));

    a->share = (uint32_t)share;
    a->staggered = tiles >= 2;
    a->tile = tiles >= 2 ? msm->tile : (uint32_t)share;
    k_pair_add<S, THREADS, BLOCKS><<<grid, THREADS, PAIR_SHARED_BYTES(THREADS), msm->stream>>>(*a);
    CZ_TRY_LAUNCH(k_pair_add);
    return CZ_OK;
}

template <pair_source S> static cz_err add_pairs(cz_gpu_msm *msm, pair_args *a, uint64_t n)
{
    if (n == 0)
        return CZ_OK;
    a->points = msm->pool;
    a->prefix = msm->prefix;
    a->infinity = msm->infinity;
    a->n = n;
    if (n >= WIDE_FROM && msm->gpu->shared_bytes_a_block >= PAIR_SHARED_BYTES(WIDE_THREADS))
        return launch_pairs<S, WIDE_THREADS, 1>(msm, a, n);
    return launch_pairs<S, NARROW_THREADS, 2>(msm, a, n);
}

template <pair_source S> static cz_err allow_shared_memory(const cz_gpu *gpu)
{
    const cudaFuncAttribute what = cudaFuncAttributeMaxDynamicSharedMemorySize;
    const int wide = PAIR_SHARED_BYTES(WIDE_THREADS), narrow = PAIR_SHARED_BYTES(NARROW_THREADS);

    if (gpu->shared_bytes_a_block >= wide)
        CZ_TRY_CUDA(cudaFuncSetAttribute(k_pair_add<S, WIDE_THREADS, 1>, what, wide));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_pair_add<S, NARROW_THREADS, 2>, what, narrow));
    return CZ_OK;
}

static uint32_t element_of(const cz_gpu_msm *msm, const uint4 *point)
{
    return (uint32_t)((point - msm->pool) / 6);
}

/* ---- memory ---- */

/* Levels' regions for `entries` entries; slots in all. */
static uint64_t lay_out_levels(list_levels *levels, uint64_t entries)
{
    uint64_t slots = 0;

    for (int l = 0; l < LIST_MAX_LEVELS; l++) {
        levels->first[l] = (uint32_t)slots;
        slots += entries / (((uint64_t)1 << l) + 1) + 1;
    }
    return slots;
}

/* Chunks only where sets are large and shared: half of the entries at a time, and a twentieth, for
 * they are not spread evenly. */
static uint64_t choose_capacity(const cz_msm_plan *plan)
{
    const uint64_t all = plan->max_entries;

    return plan->tables > 1 && plan->n >= (uint64_t)1 << 24 ? all / 2 + all / 40 + 65536 : all;
}

static uint32_t choose_tile(const cz_gpu_msm *msm)
{
    const uint64_t pairs = msm->capacity / 2;
    const uint64_t threads = (uint64_t)msm->gpu->multiprocessors * WIDE_THREADS;
    const uint64_t tile = (pairs + threads - 1) / threads;

    return tile < 8 ? 8 : tile > (uint64_t)MAX_TILE ? (uint32_t)MAX_TILE : (uint32_t)tile;
}

static cz_err ask_sort_bytes(cz_gpu_msm *msm)
{
    cub::DoubleBuffer<uint32_t> keys, refs;

    CZ_TRY_CUDA(cub::DeviceRadixSort::SortPairs(
        NULL, msm->sort_bytes, keys, refs, (int64_t)msm->plan.max_entries, 0, 32, msm->stream));
    return CZ_OK;
}

/* Where a region's address goes. */
typedef struct {
    unsigned region;
    void **to;
} placement;

static void place(cz_gpu_msm *msm, placement *p, unsigned *n, void **to, const char *name,
                  uint64_t bytes)
{
    p[*n].region = cz_arena_add(&msm->map, name, bytes);
    p[(*n)++].to = to;
}

static cz_err take_memory(cz_gpu_msm *msm)
{
    const cz_msm_plan *plan = &msm->plan;
    const uint64_t n = plan->n, entries = plan->max_entries, keys = plan->max_keys;
    const uint64_t pool = msm->n_points + msm->slots + plan->all_buckets + PAIR_INFINITIES;
    const uint64_t prefix = (uint64_t)msm->gpu->multiprocessors * WIDE_THREADS * msm->tile * 96;
    placement p[CZ_ARENA_MAX_REGIONS];
    unsigned n_placed = 0;

    if (6 * pool > UINT32_MAX)
        return cz_fail(CZ_E_DECLINED,
                       "a sum of %llu points with %u tables: too many for 32-bit "
                       "element numbers",
                       (unsigned long long)n, plan->tables);
#define PLACE(field, name, bytes) place(msm, p, &n_placed, (void **)&msm->field, name, bytes)
    PLACE(pool, "pool", pool * POINT_BYTES);
    PLACE(prefix, "prefixes", prefix);
    PLACE(half[0], "half-scalars 0", n * 16);
    PLACE(half[1], "half-scalars 1", n * 16);
    PLACE(keys[0], "keys", entries * 4);
    PLACE(keys[1], "keys, sorted", entries * 4);
    PLACE(refs[0], "references", (entries + 2) * 4);
    PLACE(refs[1], "refs, sorted", entries * 4);
    PLACE(offset, "offsets", (keys + 1) * 4);
    PLACE(segment, "segments", (MAX_SEGMENTS + 1) * 4);
    PLACE(result, "bucket results", keys * 4);
    PLACE(used, "counters", (LIST_MAX_LEVELS + 1) * 4);
    PLACE(pairs, "pairs", msm->slots * 8);
    PLACE(sort, "sort", msm->sort_bytes);
    PLACE(jobs, "tail jobs", msm->n_jobs * sizeof *msm->jobs);
    PLACE(parts, "tail parts", msm->n_jobs * TAIL_SPLIT * sizeof *msm->parts);
    PLACE(sums, "tail sums", msm->n_jobs * sizeof *msm->sums);
    PLACE(answer, "answer", POINT_BYTES);
#undef PLACE
    CZ_TRY(cz_gpu_take_device(msm->gpu, &msm->memory, msm->map.bytes, "sum over G1"));
    for (unsigned i = 0; i < n_placed; i++)
        *p[i].to = cz_arena_at(&msm->map, p[i].region, msm->memory);
    msm->results = msm->pool + 6 * msm->n_points;
    msm->buckets = msm->results + 6 * msm->slots;
    msm->infinity = (uint32_t)(pool - PAIR_INFINITIES);
    CZ_TRY_CUDA(cudaMemsetAsync(msm->pool + 6 * (uint64_t)msm->infinity, 0,
                                (size_t)PAIR_INFINITIES * POINT_BYTES, msm->stream));
    return CZ_OK;
}

/* ---- the tail's jobs ---- */

static unsigned bits_for(uint64_t n)
{
    unsigned bits = 0;

    while ((uint64_t)1 << bits < n)
        bits++;
    return bits;
}

static unsigned count_jobs(const cz_msm_plan *plan)
{
    unsigned jobs = 0;

    for (unsigned s = 0; s < plan->n_sets; s++)
        jobs += bits_for(plan->set[s].padded_buckets >> plan->column_bits) + plan->column_bits + 1;
    return jobs;
}

/* Row sums come to lie behind the levels that lead to them. */
static const uint4 *row_sums(const cz_gpu_msm *msm)
{
    uint64_t before = 0;

    for (unsigned l = 1; l < msm->plan.column_bits; l++)
        before += msm->plan.all_buckets >> l;
    return msm->results + 6 * before;
}

static cz_err plan_tail(cz_gpu_msm *msm)
{
    const cz_msm_plan *plan = &msm->plan;
    const unsigned k = plan->column_bits;
    const uint64_t first_row = element_of(msm, row_sums(msm));
    const uint64_t first_bucket = element_of(msm, msm->buckets);
    tail_job *jobs = (tail_job *)calloc(msm->n_jobs, sizeof *jobs);
    unsigned n = 0;
    cudaError_t e;

    if (jobs == NULL)
        return cz_fail(CZ_E_NOMEM, "sum over G1: no host memory");
    msm->tail.n_sets = plan->n_sets;
    msm->tail.column_bits = k;
    for (unsigned s = 0; s < plan->n_sets; s++) {
        const cz_msm_plan_set *set = &plan->set[s];
        const uint32_t rows = (uint32_t)(set->padded_buckets >> k);
        const unsigned row_bits = bits_for(rows);

        msm->tail.set[s] = {n, row_bits, set->position};
        for (unsigned bit = 0; bit < row_bits; bit++)
            jobs[n++] = {first_row + (set->first_bucket >> k), rows, (int)bit};
        for (unsigned bit = 0; bit < k; bit++)
            jobs[n++] = {first_bucket + set->first_bucket, 1u << k, (int)bit};
        jobs[n++] = {first_bucket + set->first_bucket, 1u << k, -1};
    }
    e = cudaMemcpy(msm->jobs, jobs, n * sizeof *jobs, cudaMemcpyHostToDevice);
    free(jobs);
    CZ_TRY_CUDA(e);
    return CZ_OK;
}

/* ---- create, destroy ---- */

static void destroy(cz_gpu_msm *msm)
{
    (void)cudaSetDevice(msm->gpu->index);
    (void)cudaStreamSynchronize(msm->stream);
    for (int i = 0; i < MAX_MARKS && msm->watch.event[i] != NULL; i++)
        (void)cudaEventDestroy(msm->watch.event[i]);
    (void)cudaFreeHost(msm->h_used);
    (void)cudaFreeHost(msm->h_segment);
    (void)cudaFreeHost(msm->h_answer);
    cz_gpu_give(msm->gpu, msm->memory);
    (void)cudaGetLastError();
    free(msm);
}

static cz_err set_up(cz_gpu_msm *msm)
{
    CZ_TRY(allow_shared_memory<PAIR_LIST>(msm->gpu));
    CZ_TRY(allow_shared_memory<PAIR_MERGE>(msm->gpu));
    CZ_TRY(allow_shared_memory<PAIR_ROWS>(msm->gpu));
    CZ_TRY(allow_shared_memory<PAIR_COLUMNS>(msm->gpu));
    CZ_TRY_CUDA(cudaMallocHost((void **)&msm->h_used, (LIST_MAX_LEVELS + 1) * 4));
    CZ_TRY_CUDA(cudaMallocHost((void **)&msm->h_segment, (MAX_SEGMENTS + 1) * 4));
    CZ_TRY_CUDA(cudaMallocHost((void **)&msm->h_answer, POINT_BYTES));
    msm->n_points = msm->plan.n * msm->plan.tables;
    msm->capacity = choose_capacity(&msm->plan);
    msm->slots = lay_out_levels(&msm->levels, msm->capacity);
    if (msm->slots < msm->plan.all_buckets)
        msm->slots = msm->plan.all_buckets;
    if (msm->slots < msm->plan.n + LIST_MAX_LEVELS) /* a bit sum's levels */
        msm->slots = msm->plan.n + LIST_MAX_LEVELS;
    msm->tile = choose_tile(msm);
    msm->n_jobs = count_jobs(&msm->plan);
    CZ_TRY(ask_sort_bytes(msm));
    CZ_TRY(take_memory(msm));
    return plan_tail(msm);
}

static cz_err create(cz_gpu *gpu, cz_gpu_msm **out, size_t n, unsigned tables)
{
    cz_gpu_msm *msm;
    cz_err err;

    if (n == 0 || n > (size_t)1 << MAX_LOG_N || tables < 1 || tables > 2)
        return cz_fail(CZ_E_DECLINED,
                       "a sum of %zu points with %u tables: 1 to 2^%d points, 1 or "
                       "2 tables on a device",
                       n, tables, (int)MAX_LOG_N);
    CZ_TRY(cz_gpu_enter(gpu));
    msm = (cz_gpu_msm *)calloc(1, sizeof *msm);
    if (msm == NULL)
        return cz_fail(CZ_E_NOMEM, "sum over G1: no host memory");
    msm->gpu = gpu;
    msm->stream = gpu->stream[CZ_GPU_COMPUTE];
    cz_msm_plan_choose(&msm->plan, n, tables);
    err = set_up(msm);
    if (err != CZ_OK) {
        destroy(msm);
        return err;
    }
    *out = msm;
    return CZ_OK;
}

static void *points(cz_gpu_msm *msm)
{
    return msm->pool;
}

static cz_err points_ready(cz_gpu_msm *msm)
{
    const uint64_t n = msm->plan.n;

    CZ_TRY(cz_gpu_enter(msm->gpu));
    if (msm->plan.tables < 2)
        return CZ_OK;
    k_shifted_points<<<(unsigned)((n + TAIL_THREADS - 1) / TAIL_THREADS), TAIL_THREADS, 0,
                       msm->stream>>>(msm->pool, msm->pool + 6 * n, n, msm->plan.shift);
    CZ_TRY_LAUNCH(k_shifted_points);
    return CZ_OK;
}

/* ---- lists of a set ---- */

/* The sorted entries of a set. */
typedef struct {
    const cz_msm_plan_set *set;
    uint64_t entries;
    uint32_t n_keys;
    unsigned key_bits;
    const uint32_t *keys, *refs;
    unsigned low;        /* key bits left unsorted */
    uint32_t n_segments; /* 0: fully sorted */
} sorted_set;

static unsigned strides(const cz_gpu_msm *msm)
{
    return (unsigned)msm->gpu->multiprocessors * 8;
}

static cz_err make_entries(cz_gpu_msm *msm, const cz_msm_plan_set *set)
{
    const uint64_t n = msm->plan.n;
    list_windows w;

    memset(&w, 0, sizeof w);
    w.n = (int)set->n_windows;
    for (unsigned i = 0; i < set->n_windows; i++) {
        w.position[i] = set->window[i].position;
        w.width[i] = set->window[i].width;
        w.first[i] = (uint32_t)(n * set->window[i].table);
    }
    if (set->n_windows == 1)
        k_digits<1><<<strides(msm), LIST_THREADS, 0, msm->stream>>>(
            msm->half[0], msm->half[1], msm->keys[0], msm->refs[0], n, w, set->buckets);
    else
        k_digits<2><<<strides(msm), LIST_THREADS, 0, msm->stream>>>(
            msm->half[0], msm->half[1], msm->keys[0], msm->refs[0], n, w, set->buckets);
    CZ_TRY_LAUNCH(k_digits);
    return watch_mark(msm, "digits", 0);
}

static cz_err sort_entries(cz_gpu_msm *msm, sorted_set *s, unsigned low)
{
    cub::DoubleBuffer<uint32_t> keys(msm->keys[0], msm->keys[1]);
    cub::DoubleBuffer<uint32_t> refs(msm->refs[0], msm->refs[1]);

    CZ_TRY_CUDA(cub::DeviceRadixSort::SortPairs(msm->sort, msm->sort_bytes, keys, refs,
                                                (int64_t)s->entries, (int)low, (int)s->key_bits,
                                                msm->stream));
    s->keys = keys.Current();
    s->refs = refs.Current();
    s->low = low;
    return watch_mark(msm, "sort", 0);
}

/* As many low bits as leave room in a segment for what eight deviations of chance can add. */
static unsigned choose_low_bits(const sorted_set *s)
{
    const double each = (double)s->entries / s->n_keys;
    unsigned low = 0;

    while (low < MAX_LOW_BITS && low + 1 < s->key_bits) {
        const double next = each * (double)(2u << low);

        if (next + 8 * sqrt(next) + 64 > SEGMENT_CAPACITY)
            break;
        low++;
    }
    return low;
}

/* Sort by the top bits; n_segments stays 0 when a segment is too long. */
static cz_err sort_into_segments(cz_gpu_msm *msm, sorted_set *s)
{
    const unsigned low = choose_low_bits(s);
    const uint32_t n_segments = ((s->n_keys - 1) >> low) + 1;
    uint32_t *overflow = msm->used + LIST_MAX_LEVELS;

    if (n_segments > MAX_SEGMENTS)
        return CZ_OK;
    CZ_TRY(sort_entries(msm, s, low));
    CZ_TRY_CUDA(cudaMemsetAsync(overflow, 0, 4, msm->stream));
    k_segments<<<n_segments / 256 + 1, 256, 0, msm->stream>>>(s->keys, msm->segment, overflow,
                                                              s->entries, n_segments, low);
    CZ_TRY_LAUNCH(k_segments);
    CZ_TRY_CUDA(cudaMemcpyAsync(msm->h_used, overflow, 4, cudaMemcpyDeviceToHost, msm->stream));
    CZ_TRY_CUDA(cudaMemcpyAsync(msm->h_segment, msm->segment, ((size_t)n_segments + 1) * 4,
                                cudaMemcpyDeviceToHost, msm->stream));
    CZ_TRY(watch_mark(msm, "segments", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(msm->stream));
    if (msm->h_used[0] == 0)
        s->n_segments = n_segments;
    return CZ_OK;
}

/* ---- adding up ---- */

/* All levels whose lists are made; waits for their lengths. */
static cz_err add_levels(cz_gpu_msm *msm)
{
    static const char *const names[] = {"level 1", "level 2", "level 3", "level 4", "level 5+"};

    CZ_TRY_CUDA(cudaMemcpyAsync(msm->h_used, msm->used, LIST_MAX_LEVELS * 4, cudaMemcpyDeviceToHost,
                                msm->stream));
    CZ_TRY(watch_mark(msm, "lists", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(msm->stream));
    for (int l = 0; l < LIST_MAX_LEVELS && msm->h_used[l] > 0; l++) {
        pair_args a;

        memset(&a, 0, sizeof a);
        a.pairs = msm->pairs + msm->levels.first[l];
        a.out = msm->results;
        a.out_first = msm->levels.first[l];
        CZ_TRY(add_pairs<PAIR_LIST>(msm, &a, msm->h_used[l]));
        CZ_TRY(watch_mark(msm, names[l < 4 ? l : 4], msm->h_used[l]));
    }
    return CZ_OK;
}

/* Buckets [begin, end) of the set: both halves together. */
static cz_err merge(cz_gpu_msm *msm, const sorted_set *s, uint64_t begin, uint64_t end)
{
    pair_args a;

    memset(&a, 0, sizeof a);
    a.buckets = msm->result + begin;
    a.half = s->set->buckets;
    a.out = msm->buckets;
    a.out_first = s->set->first_bucket + begin;
    CZ_TRY(add_pairs<PAIR_MERGE>(msm, &a, end - begin));
    return watch_mark(msm, "merge", end - begin);
}

static cz_err segment_lists(cz_gpu_msm *msm, const sorted_set *s, uint32_t begin, uint32_t end)
{
    if (begin == end)
        return CZ_OK;
    k_segment_lists<<<end - begin, SEGMENT_THREADS, 0, msm->stream>>>(
        begin, s->keys, s->refs, msm->segment, s->low, s->n_keys, msm->levels, msm->used,
        msm->pairs, msm->result, (uint32_t)msm->n_points);
    CZ_TRY_LAUNCH(k_segment_lists);
    return CZ_OK;
}

/* As many segments of both halves from `begin` on as the lists take; where the halves do not meet
 * at a segment's border, all of them. */
static uint32_t chunk_end(const cz_gpu_msm *msm, uint32_t begin, uint32_t half)
{
    const uint32_t *at = msm->h_segment;
    uint32_t end = half;

    while (end > begin + 1 &&
           (uint64_t)(at[end] - at[begin]) + at[half + end] - at[half + begin] > msm->capacity)
        end = begin + (end - begin + 1) / 2;
    return end;
}

static cz_err add_segments(cz_gpu_msm *msm, const sorted_set *s)
{
    const bool aligned = (s->set->buckets & ((1u << s->low) - 1)) == 0;
    const uint32_t half = s->set->buckets >> s->low;

    if (!aligned) {
        if (s->entries > msm->capacity)
            return cz_fail(CZ_E_INTERNAL, "sum over G1: a set of %u buckets cannot be cut",
                           s->set->buckets);
        CZ_TRY_CUDA(cudaMemsetAsync(msm->used, 0, LIST_MAX_LEVELS * 4, msm->stream));
        CZ_TRY(segment_lists(msm, s, 0, s->n_segments));
        CZ_TRY(add_levels(msm));
        return merge(msm, s, 0, s->set->buckets);
    }
    for (uint32_t begin = 0; begin < half;) {
        const uint32_t end = chunk_end(msm, begin, half);

        CZ_TRY_CUDA(cudaMemsetAsync(msm->used, 0, LIST_MAX_LEVELS * 4, msm->stream));
        CZ_TRY(segment_lists(msm, s, begin, end));
        CZ_TRY(segment_lists(msm, s, half + begin, half + end));
        CZ_TRY(add_levels(msm));
        CZ_TRY(merge(msm, s, (uint64_t)begin << s->low, (uint64_t)end << s->low));
        begin = end;
    }
    return CZ_OK;
}

/* Skewed scalars: full sort, a thread a bucket. */
static cz_err add_long_lists(cz_gpu_msm *msm, sorted_set *s)
{
    if (s->entries > msm->capacity)
        return cz_fail(CZ_E_DECLINED,
                       "sum over G1: too many scalars share digits for a plan with "
                       "%u tables",
                       msm->plan.tables);
    CZ_TRY(make_entries(msm, s->set));
    CZ_TRY(sort_entries(msm, s, 0));
    k_offsets<<<strides(msm), LIST_THREADS, 0, msm->stream>>>(s->keys, msm->offset, s->entries,
                                                              s->n_keys);
    CZ_TRY_LAUNCH(k_offsets);
    CZ_TRY_CUDA(cudaMemsetAsync(msm->used, 0, LIST_MAX_LEVELS * 4, msm->stream));
    k_long_lists<<<strides(msm), LIST_THREADS, 0, msm->stream>>>(
        msm->offset, s->refs, s->n_keys, msm->levels, msm->used, msm->pairs, msm->result,
        (uint32_t)msm->n_points);
    CZ_TRY_LAUNCH(k_long_lists);
    CZ_TRY(add_levels(msm));
    return merge(msm, s, 0, s->set->buckets);
}

/* From half-scalars to the set's buckets. */
static cz_err add_set(cz_gpu_msm *msm, const cz_msm_plan_set *set)
{
    const uint64_t padding = set->padded_buckets - set->buckets;
    sorted_set s;

    memset(&s, 0, sizeof s);
    s.set = set;
    s.entries = 2 * msm->plan.n * set->n_windows;
    s.n_keys = 2 * set->buckets;
    s.key_bits = bits_for(s.n_keys);
    CZ_TRY_CUDA(cudaMemsetAsync(msm->buckets + 6 * (set->first_bucket + set->buckets), 0,
                                padding * POINT_BYTES, msm->stream));
    CZ_TRY(make_entries(msm, set));
    CZ_TRY(sort_into_segments(msm, &s));
    return s.n_segments > 0 ? add_segments(msm, &s) : add_long_lists(msm, &s);
}

/* Sums of 2^column_bits neighbours, to row_sums(). */
static cz_err add_rows(cz_gpu_msm *msm)
{
    const uint4 *in = msm->buckets;
    uint4 *out = msm->results;
    uint64_t n = msm->plan.all_buckets, items = 0;

    for (unsigned l = 0; l < msm->plan.column_bits; l++) {
        pair_args a;

        memset(&a, 0, sizeof a);
        n /= 2;
        a.first = element_of(msm, in);
        a.out = out;
        CZ_TRY(add_pairs<PAIR_ROWS>(msm, &a, n));
        items += n;
        in = out;
        out += 6 * n;
    }
    return watch_mark(msm, "rows", items);
}

/* Sums of every 2^column_bits-th bucket of a set, to its first 2^column_bits places. */
static cz_err add_columns(cz_gpu_msm *msm)
{
    const cz_msm_plan *plan = &msm->plan;
    uint64_t rows[CZ_MSM_PLAN_MAX_SETS], items = 0;

    for (unsigned s = 0; s < plan->n_sets; s++)
        rows[s] = plan->set[s].padded_buckets >> plan->column_bits;
    for (;;) {
        uint64_t n = 0;
        pair_args a;

        memset(&a, 0, sizeof a);
        a.first = element_of(msm, msm->buckets);
        a.out = msm->buckets;
        a.n_sets = plan->n_sets;
        for (unsigned s = 0; s < PAIR_MAX_SETS; s++) {
            a.set_pair[s] = UINT64_MAX;
            if (s >= plan->n_sets)
                continue;
            const uint64_t keep = (rows[s] + 1) / 2;

            a.set_pair[s] = n;
            a.set_base[s] = plan->set[s].first_bucket;
            a.set_fold[s] = keep << plan->column_bits;
            n += (rows[s] - keep) << plan->column_bits;
            rows[s] = keep;
        }
        if (n == 0)
            return watch_mark(msm, "columns", items);
        CZ_TRY(add_pairs<PAIR_COLUMNS>(msm, &a, n));
        items += n;
    }
}

/* The answer to the host; waits. */
static cz_err fetch_answer(cz_gpu_msm *msm, void *out_affine, cz_gpu_phases *phases)
{
    CZ_TRY_CUDA(cudaMemcpyAsync(msm->h_answer, msm->answer, POINT_BYTES, cudaMemcpyDeviceToHost,
                                msm->stream));
    CZ_TRY(watch_mark(msm, "tail", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(msm->stream));
    CZ_TRY(watch_read(msm, phases));
    memcpy(out_affine, msm->h_answer, POINT_BYTES);
    return CZ_OK;
}

static cz_err run(cz_gpu_msm *msm, void *out_affine, const void *d_scalars, int montgomery,
                  cz_gpu_phases *phases)
{
    const cz_msm_plan *plan = &msm->plan;

    CZ_TRY(cz_gpu_enter(msm->gpu));
    CZ_TRY(watch_start(msm, phases != NULL));
    k_halves<<<strides(msm), LIST_THREADS, 0, msm->stream>>>(
        (const uint4 *)d_scalars, msm->half[0], msm->half[1], plan->n, plan->offset_low,
        plan->offset_high, montgomery);
    CZ_TRY_LAUNCH(k_halves);
    CZ_TRY(watch_mark(msm, "halves", 0));
    for (unsigned s = 0; s < plan->n_sets; s++)
        CZ_TRY(add_set(msm, &plan->set[s]));
    CZ_TRY(add_rows(msm));
    CZ_TRY(add_columns(msm));
    k_bit_sums<<<msm->n_jobs * TAIL_SPLIT, TAIL_THREADS, 0, msm->stream>>>(msm->pool, msm->jobs,
                                                                           msm->parts);
    CZ_TRY_LAUNCH(k_bit_sums);
    k_join_parts<<<msm->n_jobs, TAIL_SPLIT, 0, msm->stream>>>(msm->parts, msm->sums);
    CZ_TRY_LAUNCH(k_join_parts);
    k_combine<<<1, 32 * PAIR_MAX_SETS, 0, msm->stream>>>(msm->sums, msm->tail, msm->answer);
    CZ_TRY_LAUNCH(k_combine);
    return fetch_answer(msm, out_affine, phases);
}

/* ---- bit sums ---- */

/* Sums of neighbours until few are left; *first: their element number, *n: how many. */
static cz_err halve_until_few(cz_gpu_msm *msm, uint32_t *first, uint64_t *n)
{
    uint4 *in = msm->results;
    uint64_t left = *n;

    while (left > FEW_POINTS) {
        pair_args a;

        memset(&a, 0, sizeof a);
        if (left % 2 != 0)
            CZ_TRY_CUDA(cudaMemsetAsync(in + 6 * left++, 0, POINT_BYTES, msm->stream));
        a.first = element_of(msm, in);
        in += 6 * left;
        left /= 2;
        a.out = in;
        CZ_TRY(add_pairs<PAIR_ROWS>(msm, &a, left));
        CZ_TRY(watch_mark(msm, "halve", left));
    }
    *first = element_of(msm, in);
    *n = left;
    return CZ_OK;
}

/* References of the set bits to refs[0]; an even number of them. */
static cz_err list_set_bits(cz_gpu_msm *msm, const uint64_t *d_bits, uint64_t *n)
{
    const uint64_t words = (msm->plan.n + 63) / 64;
    const unsigned blocks = (unsigned)((words + LIST_THREADS - 1) / LIST_THREADS);

    CZ_TRY_CUDA(cudaMemsetAsync(msm->used, 0, 4, msm->stream));
    k_set_bits<<<blocks, LIST_THREADS, 0, msm->stream>>>(d_bits, msm->refs[0], msm->used,
                                                         msm->plan.n);
    CZ_TRY_LAUNCH(k_set_bits);
    CZ_TRY_CUDA(cudaMemcpyAsync(msm->h_used, msm->used, 4, cudaMemcpyDeviceToHost, msm->stream));
    CZ_TRY(watch_mark(msm, "lists", 0));
    CZ_TRY_CUDA(cudaStreamSynchronize(msm->stream));
    *n = msm->h_used[0];
    if (*n % 2 != 0) {
        msm->h_used[1] = PAIR_NONE;
        CZ_TRY_CUDA(cudaMemcpyAsync(msm->refs[0] + (*n)++, &msm->h_used[1], 4,
                                    cudaMemcpyHostToDevice, msm->stream));
    }
    return CZ_OK;
}

static cz_err bit_sum(cz_gpu_msm *msm, void *out_affine, const void *d_bits, cz_gpu_phases *phases)
{
    tail_job job;
    pair_args a;
    uint64_t n;
    uint32_t first;

    CZ_TRY(cz_gpu_enter(msm->gpu));
    CZ_TRY(watch_start(msm, phases != NULL));
    CZ_TRY(list_set_bits(msm, (const uint64_t *)d_bits, &n));
    memset(&a, 0, sizeof a);
    a.pairs = (const uint2 *)msm->refs[0];
    a.out = msm->results;
    n /= 2;
    CZ_TRY(add_pairs<PAIR_LIST>(msm, &a, n));
    CZ_TRY(watch_mark(msm, "level 1", n));
    CZ_TRY(halve_until_few(msm, &first, &n));
    job = {first, (uint32_t)n, -1};
    /* the sort's memory is free here; the tail's jobs stay */
    CZ_TRY_CUDA(cudaMemcpyAsync(msm->sort, &job, sizeof job, cudaMemcpyHostToDevice, msm->stream));
    k_bit_sums<<<TAIL_SPLIT, TAIL_THREADS, 0, msm->stream>>>(msm->pool, (const tail_job *)msm->sort,
                                                             msm->parts);
    CZ_TRY_LAUNCH(k_bit_sums);
    k_join_parts<<<1, TAIL_SPLIT, 0, msm->stream>>>(msm->parts, msm->sums);
    CZ_TRY_LAUNCH(k_join_parts);
    k_to_affine<<<1, 1, 0, msm->stream>>>(msm->sums, msm->answer);
    CZ_TRY_LAUNCH(k_to_affine);
    return fetch_answer(msm, out_affine, phases);
}

void cz_gpu_msm_fill(cz_gpu_backend *table)
{
    table->msm_create = create;
    table->msm_destroy = destroy;
    table->msm_points = points;
    table->msm_points_ready = points_ready;
    table->msm_run = run;
    table->msm_bit_sum = bit_sum;
}
