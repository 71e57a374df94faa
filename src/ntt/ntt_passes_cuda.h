/* ntt_passes_cuda.h: the passes of transforms over Fr on a CUDA device. Inside ntt/ only;
 * ntt_cuda.cu orders them.
 *
 * Method: a transform of n = 2^(m1 + m2 + m3) in three passes [Bai90, "six-step"; here without
 * separate transposes]. With i = i1 2^(m2+m3) + i2 2^m3 + i3 and k = k1 + k2 2^m1 + k3 2^(m1+m2),
 *
 *     first   for all (i2, i3): transform over i1 to k1                       xs -> scratch
 *     middle  times w^(2^m3 i2 k1); for all (k1, i3): over i2 to k2           in scratch
 *     last    times w^(i3 (k1 + 2^m1 k2)); for all (k1, k2): over i3 to k3    scratch -> xs
 *
 * where only the last pass changes places, so natural order comes out. Two passes are the same
 * without the middle one (m2 = 0), one pass is the last alone. Each m is at most 9.
 *
 * A block takes a tile of 2^m x 2^c elements, 1024 in all, where 2^c neighbouring columns make the
 * accesses to memory 64 bytes long at least; four blocks a multiprocessor, so that some compute
 * while others load. It works in shared memory in steps of radix 8 (then 4, 2), as
 * decimation in frequency; each thread holds 8 elements in registers. Values stay lazy (below 2 r)
 * between steps and passes.
 *
 * What costs is wide products (field/fr_device.h), so twiddles are never computed where a table of
 * at most 8 MiB can hold them, for that stays in the L2 cache:
 *     roots[e]                    w_512^e, within a tile
 *     twist[e]                    w_(2^t)^e, t = max(m1+m2, m2+m3): the middle pass's factors, and
 *                                 in the last pass the part that depends on (i3, k2)
 *     last[i3 2^m1 + k1]          the part of the last pass that depends on (i3, k1): w^(i3 k1),
 *                                 and with it, at no cost, 1/n and powers of 7 that depend on i3
 *                                 or on k1
 * A coset costs one product an element (in the first pass, 7^(i1 ...)) and a few a tile.
 *
 * An inverse transform that goes on to the coset, as the quotient's a and b do, saves a pass: the
 * last one of the first and the first one of the second have the same tiles where m1 = m3, and are
 * one kernel (k_ntt_turn). Its results lie in other places than its inputs, so the two vectors
 * change roles.
 *
 * On an H200, resident: 2^27 in 34.6 ms (onto the coset 37.7), the quotient in 221 ms. */
#ifndef CZ_NTT_NTT_PASSES_CUDA_H
#define CZ_NTT_NTT_PASSES_CUDA_H

#include "field/fr_device.h"
#include "gpu/device_cuda.h"

enum {
    MAX_LOG_N = 27,
    MAX_LOG_M = 9,
    LOG_TILE = 10,
    THREADS = 128,
    TILE_PER_THREAD = (1 << LOG_TILE) / THREADS,
    TILE_BYTES = (1 << LOG_TILE) * 32,
    FACTOR_BYTES = (1 << MAX_LOG_M) * 32
};

enum { FORWARD, BACKWARD };
typedef enum { FIRST, MIDDLE, LAST } pass_place;

/* What a pass's kernel gets; it lies in constant memory. */
typedef struct {
    const cz_fr32 *in;
    cz_fr32 *out;
    unsigned m1, m2, m3;
    unsigned log_m, log_c; /* a tile: 2^log_m x 2^log_c */
    unsigned steps;        /* radices, as logarithms, four bits each, first step lowest */
    cz_fr32 w8[3];
    const cz_fr32 *roots;
    const cz_fr32 *twist; /* NULL: no such factor; twist_shift from the tile's exponents to it */
    unsigned twist_shift;
    const cz_fr32 *by_row;   /* FIRST, MIDDLE: further factors of i1 or i2, or NULL; LAST: last[] */
    const cz_fr32 *post;     /* LAST: factors of k3, or NULL */
    const cz_fr32 *post_mid; /* LAST: factors of k2, with post */
    const cz_fr32 *times;    /* of the input, element by element, or NULL */
    const cz_fr32 *factor;   /* LAST: of the output, or NULL */
    const cz_fr32 *minus;    /* LAST: from the output, or NULL */
} pass_args;

/* ---- a tile in shared memory: two planes of 16-byte halves ---- */

typedef struct {
    uint4 *low, *high;
} tile_memory;

/* Neighbouring threads that are far apart in the tile would meet in the same banks. */
CZ_DEV unsigned bank_spread(unsigned e)
{
    return e ^ (((e >> 5 ^ e >> 8) & 1) << 2);
}

static __device__ __forceinline__ void tile_load(uint32_t *x, tile_memory t, unsigned e)
{
    const uint4 a = t.low[bank_spread(e)], b = t.high[bank_spread(e)];

    x[0] = a.x, x[1] = a.y, x[2] = a.z, x[3] = a.w;
    x[4] = b.x, x[5] = b.y, x[6] = b.z, x[7] = b.w;
}

static __device__ __forceinline__ void tile_store(tile_memory t, unsigned e, const uint32_t *x)
{
    t.low[bank_spread(e)] = make_uint4(x[0], x[1], x[2], x[3]);
    t.high[bank_spread(e)] = make_uint4(x[4], x[5], x[6], x[7]);
}

static __device__ __forceinline__ void unpack(uint32_t *x, uint4 a, uint4 b)
{
    x[0] = a.x, x[1] = a.y, x[2] = a.z, x[3] = a.w;
    x[4] = b.x, x[5] = b.y, x[6] = b.z, x[7] = b.w;
}

/* Tables: cached. */
static __device__ __forceinline__ void table_load(uint32_t *x, const cz_fr32 *table, size_t at)
{
    const uint4 *p = (const uint4 *)(table + at);

    unpack(x, __ldg(p), __ldg(p + 1));
}

/* Vectors: read once, so the tables keep the cache. */
static __device__ __forceinline__ void vector_load(uint32_t *x, const cz_fr32 *p)
{
    const uint4 *q = (const uint4 *)p;

    unpack(x, __ldcs(q), __ldcs(q + 1));
}

static __device__ __forceinline__ void vector_store(cz_fr32 *p, const uint32_t *x)
{
    uint4 *q = (uint4 *)p;

    __stcs(q, make_uint4(x[0], x[1], x[2], x[3]));
    __stcs(q + 1, make_uint4(x[4], x[5], x[6], x[7]));
}

/* ---- small transforms in registers ---- */

/* (a, b) = (a + b, a - b) */
static __device__ __forceinline__ void butterfly(uint32_t *a, uint32_t *b)
{
    uint32_t difference[8];

    cz_fr32_sub_lazy(difference, a, b);
    cz_fr32_add_lazy(a, a, b);
    cz_limbs_copy(b, difference, 8);
}

/* x[0 .. 2^LOG_R), natural in, bit-reversed out. */
template <int LOG_R>
static __device__ __forceinline__ void small_transform(uint32_t (*x)[8], const pass_args *args)
{
    if (LOG_R == 3) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            butterfly(x[i], x[i + 4]);
            if (i > 0)
                cz_fr32_mul(x[i + 4], x[i + 4], args->w8[i - 1].v);
        }
    }
    if (LOG_R >= 2) {
#pragma unroll
        for (int half = 0; half < (1 << LOG_R) / 4; half++) {
            uint32_t(*y)[8] = x + 4 * half;

            butterfly(y[0], y[2]);
            butterfly(y[1], y[3]);
            cz_fr32_mul(y[3], y[3], args->w8[1].v);
        }
    }
#pragma unroll
    for (int pair = 0; pair < 1 << (LOG_R - 1); pair++)
        butterfly(x[2 * pair], x[2 * pair + 1]);
}

CZ_DEV int reverse_bits(int k, int log_r)
{
    return log_r == 3 ? (k & 1) << 2 | (k & 2) | k >> 2 : log_r == 2 ? (k & 1) << 1 | k >> 1 : k;
}

/* One step over the whole tile: places base + t 2^log_s, t < 2^LOG_R, belong together. */
template <int LOG_R>
static __device__ __forceinline__ void tile_step(tile_memory tile, const pass_args *args,
                                                 unsigned log_s)
{
    const unsigned groups = 1u << (args->log_m + args->log_c - LOG_R);

    for (unsigned g = threadIdx.x; g < groups; g += THREADS) {
        const unsigned column = g & ((1u << args->log_c) - 1);
        const unsigned h = g >> args->log_c;
        const unsigned low = h & ((1u << log_s) - 1);
        const unsigned base = h >> log_s << (log_s + LOG_R) | low;
        uint32_t x[1 << LOG_R][8];

#pragma unroll
        for (int t = 0; t < 1 << LOG_R; t++)
            tile_load(x[t], tile, (base + ((unsigned)t << log_s)) << args->log_c | column);
        small_transform<LOG_R>(x, args);
#pragma unroll
        for (int k = 0; k < 1 << LOG_R; k++) {
            uint32_t *y = x[reverse_bits(k, LOG_R)];

            if (k > 0 && log_s > 0) {
                uint32_t w[8];

                table_load(w, args->roots, (low * (unsigned)k) << (MAX_LOG_M - LOG_R - log_s));
                cz_fr32_mul(y, y, w);
            }
            tile_store(tile, (base + ((unsigned)k << log_s)) << args->log_c | column, y);
        }
    }
}

/* All steps; frequency k then lies at place_of(k). */
static __device__ __forceinline__ void tile_transform(tile_memory tile, const pass_args *args)
{
    unsigned log_s = args->log_m;

    for (unsigned steps = args->steps; steps != 0; steps >>= 4) {
        log_s -= steps & 15;
        __syncthreads();
        if ((steps & 15) == 3)
            tile_step<3>(tile, args, log_s);
        else if ((steps & 15) == 2)
            tile_step<2>(tile, args, log_s);
        else
            tile_step<1>(tile, args, log_s);
    }
    __syncthreads();
}

CZ_DEV unsigned place_of(unsigned k, unsigned log_m, unsigned steps)
{
    unsigned place = 0;

    for (unsigned log_s = log_m; steps != 0; steps >>= 4) {
        const unsigned log_r = steps & 15;

        log_s -= log_r;
        place |= (k & ((1u << log_r) - 1)) << log_s;
        k >>= log_r;
    }
    return place;
}

/* ---- where a tile's elements lie ---- */

typedef struct {
    size_t in, out;             /* of row 0, column 0 */
    unsigned in_row, in_column; /* strides, logarithms */
    unsigned out_row;
    unsigned k1, k2; /* k1: of column 0 */
} tile_place;

template <pass_place PLACE>
static __device__ __forceinline__ tile_place locate(const pass_args *args, unsigned tile)
{
    tile_place p;

    p.k1 = p.k2 = 0;
    p.in_column = 0;
    if (PLACE == FIRST) {
        p.in_row = args->m2 + args->m3;
        p.in = (size_t)tile << args->log_c;
    } else if (PLACE == MIDDLE) {
        const unsigned tiles = args->m3 - args->log_c;

        p.k1 = tile >> tiles;
        p.in_row = args->m3;
        p.in = ((size_t)p.k1 << (args->m2 + args->m3)) +
               ((size_t)(tile & ((1u << tiles) - 1)) << args->log_c);
    } else {
        const unsigned tiles = args->m1 - args->log_c;

        p.k2 = tile >> tiles;
        p.k1 = (tile & ((1u << tiles) - 1)) << args->log_c;
        p.in_row = 0;
        p.in_column = args->m2 + args->m3;
        p.in = ((size_t)p.k1 << (args->m2 + args->m3)) + ((size_t)p.k2 << args->m3);
        p.out_row = args->m1 + args->m2;
        p.out = ((size_t)p.k2 << args->m1) + p.k1;
        return p;
    }
    p.out_row = p.in_row;
    p.out = p.in;
    return p;
}

/* Factors that a whole tile shares, by row: of the inputs in the middle pass, of the results in the
 * last. */
template <pass_place PLACE>
static __device__ __forceinline__ void make_factors(cz_fr32 *factors, const pass_args *args,
                                                    const tile_place *p)
{
    for (unsigned i = threadIdx.x; i < 1u << args->log_m; i += THREADS) {
        uint32_t f[8], g[8];

        if (PLACE == MIDDLE) {
            table_load(f, args->twist, (size_t)(p->k1 * i) << args->twist_shift);
            if (args->by_row != NULL) {
                table_load(g, args->by_row, i);
                cz_fr32_mul_canonical(f, f, g);
            }
        } else {
            table_load(f, args->post, i);
            table_load(g, args->post_mid, p->k2);
            cz_fr32_mul_canonical(f, f, g);
        }
        cz_limbs_copy(factors[i].v, f, 8);
    }
}

/* An input times its factor. */
template <pass_place PLACE>
static __device__ __forceinline__ void scale_input(uint32_t *x, const cz_fr32 *factors,
                                                   const pass_args *args, const tile_place *p,
                                                   unsigned row, unsigned column)
{
    uint32_t f[8];

    if (PLACE == FIRST) {
        if (args->by_row == NULL)
            return;
        table_load(f, args->by_row, row);
    } else if (PLACE == MIDDLE) {
        cz_limbs_copy(f, factors[row].v, 8);
    } else {
        table_load(f, args->by_row, ((size_t)row << args->m1) + p->k1 + column);
        if (args->twist != NULL) {
            uint32_t g[8];

            table_load(g, args->twist, (size_t)(p->k2 * row) << args->twist_shift);
            cz_fr32_mul(x, x, g);
        }
    }
    cz_fr32_mul(x, x, f);
}

/* A pass's inputs, times their factors, into the tile, in order. */
template <pass_place PLACE>
static __device__ __forceinline__ void load_tile(tile_memory tile, cz_fr32 *factors,
                                                 const pass_args *args, const tile_place *p)
{
    const unsigned elements = 1u << (args->log_m + args->log_c);
    const unsigned row_mask = (1u << args->log_m) - 1, column_mask = (1u << args->log_c) - 1;

    if (PLACE == MIDDLE || (PLACE == LAST && args->post != NULL)) {
        make_factors<PLACE>(factors, args, p);
        __syncthreads();
    }
    for (unsigned e = threadIdx.x; e < elements; e += THREADS) {
        const unsigned row = PLACE == LAST ? e & row_mask : e >> args->log_c;
        const unsigned column = PLACE == LAST ? e >> args->log_m : e & column_mask;
        const size_t at = p->in + ((size_t)row << p->in_row) + ((size_t)column << p->in_column);
        uint32_t x[8];

        vector_load(x, args->in + at);
        if (PLACE != MIDDLE && args->times != NULL) {
            uint32_t y[8];

            vector_load(y, args->times + at);
            cz_fr32_mul(x, x, y);
        }
        scale_input<PLACE>(x, factors, args, p, row, column);
        tile_store(tile, row << args->log_c | column, x);
    }
}

/* Element number e of the transformed tile. */
static __device__ __forceinline__ void result_load(uint32_t *x, tile_memory tile,
                                                   const pass_args *args, unsigned e)
{
    const unsigned column = e & ((1u << args->log_c) - 1);

    tile_load(x, tile,
              place_of(e >> args->log_c, args->log_m, args->steps) << args->log_c | column);
}

/* A pass's results to their places. */
template <pass_place PLACE>
static __device__ __forceinline__ void store_tile(tile_memory tile, const cz_fr32 *factors,
                                                  const pass_args *args, const tile_place *p)
{
    const unsigned elements = 1u << (args->log_m + args->log_c);

    for (unsigned e = threadIdx.x; e < elements; e += THREADS) {
        const unsigned k = e >> args->log_c, column = e & ((1u << args->log_c) - 1);
        const size_t at = p->out + ((size_t)k << p->out_row) + column;
        uint32_t x[8];

        result_load(x, tile, args, e);
        if (PLACE == LAST) {
            if (args->post != NULL)
                cz_fr32_mul(x, x, factors[k].v);
            if (args->factor != NULL) {
                uint32_t y[8];

                vector_load(y, args->factor + at);
                cz_fr32_mul(x, x, y);
            }
            cz_fr32_canonical(x, x);
            if (args->minus != NULL) {
                uint32_t y[8];

                vector_load(y, args->minus + at);
                cz_fr32_sub(x, x, y);
            }
        }
        vector_store(args->out + at, x);
    }
}

/** One pass over one tile.
 *
 * Launch  grid n / tile, block THREADS, dynamic shared memory TILE_BYTES + FACTOR_BYTES
 * Reads   tiles of `in` in pieces of 64 bytes or more (rows of 16 KiB in the last pass); tables
 *         from L2
 * Writes  `out` in pieces of 64 bytes or more; canonical in the last pass, else lazy */
template <pass_place PLACE>
static __global__ void __launch_bounds__(THREADS, 4) k_ntt_pass(const __grid_constant__ pass_args a)
{
    extern __shared__ uint4 shared[];
    const tile_memory tile = {shared, shared + (1 << LOG_TILE)};
    cz_fr32 *const factors = (cz_fr32 *)(shared + (2 << LOG_TILE));
    const tile_place p = locate<PLACE>(&a, blockIdx.x);

    load_tile<PLACE>(tile, factors, &a, &p);
    tile_transform(tile, &a);
    store_tile<PLACE>(tile, factors, &a, &p);
}

/* The results of one transform, each times its row's factor, as the inputs of the next. The tile is
 * whole, for m1 = m3 is 5 at least. */
static __device__ __forceinline__ void turn_tile(tile_memory tile, const pass_args *from,
                                                 const pass_args *to)
{
    uint32_t x[TILE_PER_THREAD][8];

#pragma unroll
    for (unsigned i = 0; i < TILE_PER_THREAD; i++)
        result_load(x[i], tile, from, threadIdx.x + i * THREADS);
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < TILE_PER_THREAD; i++) {
        const unsigned e = threadIdx.x + i * THREADS;
        uint32_t f[8];

        table_load(f, to->by_row, e >> to->log_c);
        cz_fr32_mul(x[i], x[i], f);
        tile_store(tile, e, x[i]);
    }
}

/** The last pass of an inverse transform and the first of the one that takes its results onto the
 * coset: where m1 = m3 a tile of the one writes what the same tile of the other reads.
 *
 * Launch  as k_ntt_pass
 * Reads   last.in as the last pass, tables from L2
 * Writes  first.out as the first pass; it may not be last.in, for it has other tiles */
static __global__ void __launch_bounds__(THREADS, 4)
    k_ntt_turn(const __grid_constant__ pass_args last, const __grid_constant__ pass_args first)
{
    extern __shared__ uint4 shared[];
    const tile_memory tile = {shared, shared + (1 << LOG_TILE)};
    const tile_place from = locate<LAST>(&last, blockIdx.x);
    const tile_place to = locate<FIRST>(&first, blockIdx.x);

    load_tile<LAST>(tile, NULL, &last, &from);
    tile_transform(tile, &last);
    turn_tile(tile, &last, &first);
    tile_transform(tile, &first);
    store_tile<FIRST>(tile, NULL, &first, &to);
}

#endif
