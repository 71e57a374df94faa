/* pair_forward_cuda.h: the first half of pair_cuda.h: what the pairs are and where their points
 * lie, how a warp fetches them, what rare pairs need, the block's inversion, and the forward pass.
 *
 * For pair_cuda.h alone. */
#ifndef CZ_MSM_PAIR_FORWARD_CUDA_H
#define CZ_MSM_PAIR_FORWARD_CUDA_H

#include <cuda_runtime.h>

#include "msm/coord_cuda.h"

enum {
    PAIR_INFINITIES = 8192, /* stored ones: a single one would be a hot spot in the L2 cache */
    PAIR_MAX_SETS = 12
};
#define PAIR_NONE 0x7fffffffu /* a reference to infinity */

/* Where the two operands of pair i come from. */
typedef enum {
    PAIR_LIST,    /* pairs[i] */
    PAIR_MERGE,   /* buckets[i] + phi(buckets[i + half]), phi the endomorphism (x, y) -> (beta x, y)
                   */
    PAIR_ROWS,    /* first + 2 i and its neighbour */
    PAIR_COLUMNS, /* folding sets in place: base + j and base + fold + j, result over the former */
} pair_source;

typedef struct {
    const uint4 *points;  /* element 0 */
    const uint4 *scratch; /* where element 0 would lie if all were like the scratch's first */
    uint32_t n_points;    /* the scratch's first element */
    uint4 *out;
    uint64_t out_first; /* pair i's sum goes to element out_first + i of `out` */
    const uint2 *pairs;
    const uint32_t *buckets;
    uint4 *prefix; /* scratch: blocks * tile * threads * 96 bytes */
    uint64_t n;
    uint32_t tile;      /* pairs of a thread and an inversion */
    uint32_t share;     /* pairs of a thread in all */
    uint32_t staggered; /* shorten first tiles */
    uint32_t half;
    uint32_t infinity;                /* element number of the first stored infinity */
    uint32_t first;                   /* ROWS: of pair 0; COLUMNS: what `base` counts from */
    uint32_t n_sets;                  /* COLUMNS */
    uint64_t set_pair[PAIR_MAX_SETS]; /* first pair of a set; all ones beyond the last */
    uint64_t set_base[PAIR_MAX_SETS];
    uint64_t set_fold[PAIR_MAX_SETS];
} pair_args;

/** Bytes of dynamic shared memory of k_pair_add. */
#define PAIR_SHARED_BYTES(threads) (18 * (threads)*16)

#define PAIR_DEV                   static __device__ __forceinline__

/* The address of an element. */
template <class F> PAIR_DEV const uint4 *element_at(const pair_args &args, uint32_t element)
{
    return (element < args.n_points ? args.points : args.scratch) + (uint64_t)F::PIECES * element;
}

/* ---- 48-byte numbers in memory, in 16-byte pieces `stride` pieces apart ---- */

PAIR_DEV void fp_from_pieces(uint32_t *x, uint4 a, uint4 b, uint4 c)
{
    x[0] = a.x, x[1] = a.y, x[2] = a.z, x[3] = a.w;
    x[4] = b.x, x[5] = b.y, x[6] = b.z, x[7] = b.w;
    x[8] = c.x, x[9] = c.y, x[10] = c.z, x[11] = c.w;
}

PAIR_DEV uint4 fp_piece(const uint32_t *x, int i)
{
    return make_uint4(x[4 * i], x[4 * i + 1], x[4 * i + 2], x[4 * i + 3]);
}

PAIR_DEV void fp_load(uint32_t *x, const uint4 *p, unsigned stride)
{
    fp_from_pieces(x, p[0], p[stride], p[2 * stride]);
}

PAIR_DEV void fp_store(uint4 *p, unsigned stride, const uint32_t *x)
{
    p[0] = fp_piece(x, 0);
    p[stride] = fp_piece(x, 1);
    p[2 * stride] = fp_piece(x, 2);
}

/* Past the first-level cache: written by this thread before. */
PAIR_DEV void fp_store_l2(uint4 *p, unsigned stride, const uint32_t *x)
{
    __stcg(p, fp_piece(x, 0));
    __stcg(p + stride, fp_piece(x, 1));
    __stcg(p + 2 * stride, fp_piece(x, 2));
}

PAIR_DEV void copy_async(uint32_t shared_to, const uint4 *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_to), "l"(from)
                 : "memory");
}

PAIR_DEV void copy_commit(void)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int GROUPS> PAIR_DEV void copy_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(GROUPS) : "memory");
}

/* ---- descriptors ---- */

typedef struct {
    uint32_t a, b; /* element numbers */
} pair_elements;

template <pair_source S> PAIR_DEV uint2 pair_refs(const pair_args &args, uint64_t i, uint64_t end)
{
    if (S == PAIR_LIST)
        return i < end ? __ldg(args.pairs + i) : make_uint2(PAIR_NONE, PAIR_NONE);
    if (S == PAIR_MERGE)
        return i < end ? make_uint2(__ldg(args.buckets + i), __ldg(args.buckets + i + args.half))
                       : make_uint2(PAIR_NONE, PAIR_NONE);
    return make_uint2(0, 0);
}

/* MERGE meets buckets without entries so often (a fiftieth of them where a bucket has four on
 * average, so some in most warps) that they must not take the way of rare cases, which waits for
 * memory: a reference tells. */
PAIR_DEV bool is_none(uint32_t ref)
{
    return (ref & PAIR_NONE) == PAIR_NONE;
}

template <pair_source S> PAIR_DEV bool has_none(uint2 refs)
{
    return S == PAIR_MERGE && (is_none(refs.x) || is_none(refs.y));
}

/* Element numbers of pair i; of stored infinities where there is no pair. */
template <pair_source S>
PAIR_DEV pair_elements pair_operands(const pair_args &args, uint64_t i, uint64_t end, uint2 refs)
{
    const uint32_t infinity = args.infinity + ((uint32_t)i & (PAIR_INFINITIES - 1));
    pair_elements e;

    if (S == PAIR_LIST || S == PAIR_MERGE) {
        e.a = refs.x & 0x7fffffff;
        e.b = refs.y & 0x7fffffff;
        if (e.a == PAIR_NONE)
            e.a = infinity;
        if (e.b == PAIR_NONE)
            e.b = infinity;
    } else if (i >= end) {
        e.a = e.b = infinity;
    } else if (S == PAIR_ROWS) {
        e.a = args.first + 2 * (uint32_t)i;
        e.b = e.a + 1;
    } else {
        uint32_t s = 0;

#pragma unroll
        for (int j = 1; j < PAIR_MAX_SETS; j++)
            s += i >= args.set_pair[j];
        e.a = args.first + (uint32_t)(args.set_base[s] + (i - args.set_pair[s]));
        e.b = e.a + (uint32_t)args.set_fold[s];
    }
    return e;
}

/* ---- a warp's fetches ----
 *
 * A warp has 32 / LANES pairs. Their points of W pieces each are fetched by W / LANES copies; in
 * copy k lane l takes piece 32 k + l. Three copies come to a whole number of points, so three
 * numbers tell a lane whose point and which of its pieces it takes, eight bits a copy: the lane in
 * five bits, the piece in three. Where a point has up to twelve pieces, two lanes know its number,
 * and which of them is asked tells the piece's lowest bit. */

/* Pieces of what is fetched: x, or x and y. */
template <class F, bool WHOLE> struct fetch_width {
    static constexpr uint32_t pieces = WHOLE ? F::PIECES : F::PIECES / 2;
};

template <class F, bool WHOLE> PAIR_DEV uint32_t fetch_table(uint32_t lane)
{
    constexpr uint32_t W = fetch_width<F, WHOLE>::pieces;
    uint32_t table = 0;

#pragma unroll
    for (int k = 0; k < 3; k++) {
        const uint32_t c = k * 32 + lane, point = c / W, piece = c - point * W;
        const uint32_t t =
            W > 8 ? (2 * point | (piece & 1)) | piece >> 1 << 5 : F::LANES * point | piece << 5;

        table |= t << (8 * k);
    }
    return table;
}

/* Each lane names its pair's element. SCRATCH: none of the caller's points. */
template <class F, bool WHOLE, bool SCRATCH>
PAIR_DEV void fetch_points(const pair_args &args, uint32_t shared_to, uint32_t element,
                           uint32_t table)
{
    constexpr uint32_t W = fetch_width<F, WHOLE>::pieces;
    /* in units of two pieces: a number of pieces would not do for 72 GB */
    const uint32_t first = F::PIECES / 2 * element, limit = F::PIECES / 2 * args.n_points;

#pragma unroll
    for (int k = 0; k < W / F::LANES; k++) {
        const uint32_t t = table >> (8 * (k % 3));
        const uint32_t from = __shfl_sync(~0u, first, k < 3 ? t : t + 16);
        const uint4 *base = SCRATCH || from >= limit ? args.scratch : args.points;
        const uint32_t two = W > 8 ? (t >> 5) & 7 : (t >> 6) & 3;
        const uintptr_t one = W > 8 ? (t & 1) << 4 : (t >> 1) & 16;

        copy_async(shared_to + k * 512,
                   (const uint4 *)((uintptr_t)(base + 2 * (uint64_t)(from + two)) | one));
    }
}

/* ---- the rare cases ---- */

/* In these, infinities, equal points and opposite points are sorted out. All lanes that must go
 * together come here when one of them has a rare pair, and any pair is treated right. */

/* The lane's component of an element's y. */
template <class F> PAIR_DEV const uint4 *y_at(const pair_args &args, uint32_t element)
{
    return element_at<F>(args, element) + F::PIECES / 2 + 3 * F::component();
}

/* p - a where yes, canonical from canonical. */
PAIR_DEV void negate_exactly(uint32_t *a, uint32_t yes)
{
    cz_fp32_negate_if(a, yes);
    cz_fp32_canonical(a, a);
}

/* What takes the place of d: 2 y for a tangent, 1 where nothing is inverted. */
template <class F>
static __device__ __noinline__ void rare_denominator(uint32_t *d, const uint4 *p1, const uint4 *p2,
                                                     uint32_t negate1, uint32_t negate2,
                                                     const uint32_t *x1, const uint32_t *x2)
{
    uint32_t y1[12], y2[12];
    bool none, same_x, same_y;

    fp_load(y1, p1, 1);
    fp_load(y2, p2, 1);
    none = F::is_zero(x1) & F::is_zero(y1);
    none |= F::is_zero(x2) & F::is_zero(y2);
    negate_exactly(y1, negate1);
    negate_exactly(y2, negate2);
    same_x = F::are_equal(x1, x2);
    same_y = F::are_equal(y1, y2);
    if (none || (same_x && !same_y))
        F::one(d);
    else if (same_x)
        cz_limbs_add(d, y1, y1, 12);
    else
        cz_fp32_sub_lazy(d, x2, x1);
}

/* Through copies, so that only they live on the stack. */
template <class F>
PAIR_DEV void patch_denominator(const pair_args &args, uint32_t *d, pair_elements e, uint2 refs,
                                const uint32_t *x1, const uint32_t *x2)
{
    uint32_t c1[12], c2[12], c3[12];

    cz_limbs_copy(c1, x1, 12);
    cz_limbs_copy(c2, x2, 12);
    rare_denominator<F>(c3, y_at<F>(args, e.a), y_at<F>(args, e.b), refs.x >> 31, refs.y >> 31, c1,
                        c2);
    cz_limbs_copy(d, c3, 12);
}

/* 3 x^2 */
template <class F>
static __device__ __noinline__ void tangent_numerator(uint32_t *t, const uint32_t *x)
{
    uint32_t square[12];

    F::sqr(square, x);
    cz_fp32_canonical(square, square);
    cz_fp32_add(t, square, square);
    cz_fp32_add(t, t, square);
}

/* ---- the block's inversion ---- */

template <class F> static __device__ __noinline__ cz_fp32 coord_product(cz_fp32 a, cz_fp32 b)
{
    cz_fp32 r;

    F::mul(r.v, a.v, b.v);
    cz_fp32_canonical(r.v, r.v);
    return r;
}

template <class F> static __device__ __noinline__ cz_fp32 coord_inverse(cz_fp32 a)
{
    cz_fp32 r;

    F::inv(r.v, a.v);
    return r;
}

/* One warp: products[lane + 32 k], k < THREADS / 32, become their inverses. */
template <class F, int THREADS> static __device__ __noinline__ void invert_products(uint4 *products)
{
    constexpr int N = THREADS / 32;
    cz_fp32 value, run, before[N];

    fp_load(run.v, products, THREADS);
#pragma unroll
    for (int k = 1; k < N; k++) {
        before[k] = run;
        fp_load(value.v, products + 32 * k, THREADS);
        run = coord_product<F>(run, value);
    }
    run = coord_inverse<F>(run);
#pragma unroll
    for (int k = N - 1; k >= 1; k--) {
        cz_fp32 inverse = coord_product<F>(run, before[k]);

        fp_load(value.v, products + 32 * k, THREADS);
        fp_store(products + 32 * k, THREADS, inverse.v);
        run = coord_product<F>(run, value);
    }
    fp_store(products, THREADS, run.v);
}

/* ---- the forward pass ---- */

/* Where a thread keeps things. In shared memory a warp has five areas of 96 pieces; the forward
 * pass fetches x alone into areas 0 to 3 (two steps), the backward pass whole points into 0, 1 and
 * 2, 3, and a prefix into area 4. */
typedef struct {
    uint4 *area;         /* the warp's */
    uint32_t fetch;      /* shared address for fetches: the area, this lane's piece */
    uint32_t prefix_to;  /* shared address of this lane's prefix */
    uint32_t product_to; /* shared address of this thread's product */
    uint4 *product;      /* stride: threads of the block */
    uint4 *prefix;       /* in device memory; stride from step to step: prefix_step */
    uint32_t lane;
    uint32_t table_x, table_whole; /* fetch_table */
} pair_place;

enum { AREA = 96, AREA_BYTES = AREA * 16 };

/* One tile of one thread. */
typedef struct {
    uint64_t first; /* its first pair; steps are THREADS / LANES apart */
    uint64_t end;   /* pairs from here on are not the block's */
    int steps;      /* of the warp */
} pair_tile;

/* Pieces from one step's prefix to the next; MERGE keeps d too, for it cost a product. */
template <pair_source S, int THREADS> struct prefix_step {
    static constexpr uint32_t pieces = (S == PAIR_MERGE ? 6 : 3) * THREADS;
};

/* ROWS and COLUMNS have no operands among the caller's points. */
template <pair_source S> struct is_in_scratch {
    static constexpr bool value = S == PAIR_ROWS || S == PAIR_COLUMNS;
};

template <class F, pair_source S>
PAIR_DEV void fetch_xs(const pair_args &args, const pair_place &at, uint32_t buffer,
                       pair_elements e)
{
    constexpr bool SCRATCH = is_in_scratch<S>::value;

    fetch_points<F, false, SCRATCH>(args, at.fetch + buffer * AREA_BYTES, e.a, at.table_x);
    fetch_points<F, false, SCRATCH>(args, at.fetch + (buffer + 1) * AREA_BYTES, e.b, at.table_x);
}

template <class F, pair_source S, int THREADS>
PAIR_DEV void forward_pass(const pair_args &args, const pair_place &at, const pair_tile &tile)
{
    constexpr uint32_t STEP = prefix_step<S, THREADS>::pieces, PAIRS = THREADS / F::LANES;
    uint2 refs = pair_refs<S>(args, tile.first, tile.end);
    uint32_t run[12];

    F::one(run);
    for (int j = 0; j < 2; j++) {
        if (j < tile.steps) {
            const uint64_t i = tile.first + (uint64_t)j * PAIRS;
            const pair_elements e = pair_operands<S>(args, i, tile.end, refs);

            if (j + 1 < tile.steps)
                refs = pair_refs<S>(args, i + PAIRS, tile.end);
            fetch_xs<F, S>(args, at, 2 * j, e);
        }
        copy_commit();
    }
#pragma unroll 1
    for (int j = 0; j < tile.steps; j++) {
        const uint32_t buffer = (j & 1) * 2;
        const uint64_t i = tile.first + (uint64_t)j * PAIRS;
        uint32_t x1[12], x2[12], d[12];

        copy_wait<1>();
        __syncwarp();
        fp_load(x1, at.area + buffer * AREA + at.lane * 3, 1);
        fp_load(x2, at.area + (buffer + 1) * AREA + at.lane * 3, 1);
        __syncwarp();
        if (j + 2 < tile.steps) {
            const pair_elements e = pair_operands<S>(args, i + 2 * PAIRS, tile.end, refs);

            if (j + 3 < tile.steps)
                refs = pair_refs<S>(args, i + 3 * PAIRS, tile.end);
            fetch_xs<F, S>(args, at, buffer, e);
        }
        copy_commit();
        if (S == PAIR_MERGE) {
            F::beta(d);
            cz_fp32_mul(d, x2, d);
            cz_fp32_canonical(x2, d);
        }
        cz_fp32_sub_lazy(d, x2, x1);
        if (S == PAIR_MERGE)
            fp_store_l2(at.prefix + (uint64_t)j * STEP + 3 * THREADS, THREADS, d);
        const bool rare = F::is_rare(x1, x2, d);

        if (F::any(rare)) {
            const uint2 again = pair_refs<S>(args, i, tile.end);
            const bool none = has_none<S>(again);

            if (none)
                F::one(d);
            if (S != PAIR_MERGE || F::any(rare && !none))
                patch_denominator<F>(args, d, pair_operands<S>(args, i, tile.end, again), again, x1,
                                     x2);
        }
        if (j > 0) {
            fp_store_l2(at.prefix + (uint64_t)j * STEP, THREADS, run);
            F::mul(run, run, d);
        } else {
            cz_limbs_copy(run, d, 12);
        }
    }
    fp_store(at.product, THREADS, run);
}

#endif
