/* pair_cuda.h: sums of many independent pairs of affine points, the kernel that all device sums are
 * made of; F is the field of the coordinates (coord_cuda.h).
 *
 * Method: affine additions share inversions [Mon87]: with d = x2 - x1 a pair costs 5 products and
 * a square, where XYZZ needs 8 and 2. A thread takes up to `tile` pairs in turn:
 *
 *   forward   x only: d, and the running product of all d, kept before each step in `prefix`
 *   invert    one warp inverts the block's products, several a lane by the same trick, so that a
 *             block pays for one inversion
 *   backward  the steps in reverse: 1/d from the prefix, then the sum
 *
 * What made it fast on an H200 (0.83 of the arithmetic's bound, all memory traffic included):
 *   - warps fetch the points of 32 pairs together, neighbouring lanes taking neighbouring 16-byte
 *     pieces with cp.async: a random point costs one or two requests, not six;
 *   - x two steps ahead, whole points half a step ahead, descriptors one step before those;
 *   - the first tile of a block is shortened by a part that depends on the block, so that some are
 *     in the forward pass (memory) while others are in the backward pass (multiplier);
 *   - 512 threads, one block a multiprocessor, 128 registers.
 *
 * Over G2 two lanes share a pair, each with one component of every coordinate, so that a lane has
 * the registers and memory accesses of G1 with 1.5 times the arithmetic.
 *
 * Points: 96 or 192 bytes, x then y, Montgomery, canonical; all zero is infinity. Operands are
 * named by element number, below 2^31 - 1: first the caller's points, then those of the scratch;
 * bit 31 of a reference negates. All cases are exact: equal points, opposite points, infinities.
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_PAIR_CUDA_H
#define CZ_MSM_PAIR_CUDA_H

#include "msm/pair_forward_cuda.h"

/* ---- the backward pass ---- */

/* Fetch both points of a step, and its prefix. */
template <class F, pair_source S>
PAIR_DEV void fetch_step(const pair_args &args, const pair_place &at, pair_elements e)
{
    constexpr bool SCRATCH = is_in_scratch<S>::value;

    fetch_points<F, true, SCRATCH>(args, at.fetch, e.a, at.table_whole);
    fetch_points<F, true, SCRATCH>(args, at.fetch + 2 * AREA_BYTES, e.b, at.table_whole);
}

template <pair_source S, int THREADS> PAIR_DEV void fetch_prefix(const pair_place &at, int j)
{
    const uint4 *from = at.prefix + (uint64_t)j * prefix_step<S, THREADS>::pieces;

    if (j > 0) {
#pragma unroll
        for (int c = 0; c < 3; c++)
            copy_async(at.prefix_to + c * 16, from + c * THREADS);
    }
    if (S == PAIR_MERGE && j >= 0) {
#pragma unroll
        for (int c = 0; c < 3; c++)
            copy_async(at.product_to + c * THREADS * 16, from + (3 + c) * THREADS);
    }
}

/* A sum that needs no division is written, where `write`, and true is returned; else y2 becomes the
 * numerator of the slope. For any pair. */
template <class F>
PAIR_DEV bool rare_sum(uint4 *out, const uint32_t *x1, uint32_t *y1, const uint32_t *x2,
                       uint32_t *y2, uint2 refs, bool write)
{
    const bool none1 = F::is_zero(x1) & F::is_zero(y1), none2 = F::is_zero(x2) & F::is_zero(y2);
    const bool same_x = F::are_equal(x1, x2);
    bool same_y;

    negate_exactly(y1, refs.x >> 31);
    negate_exactly(y2, refs.y >> 31);
    same_y = F::are_equal(y1, y2);
    if (none1 || none2 || (same_x && !same_y)) {
        uint32_t t[12];

#pragma unroll
        for (int i = 0; i < 12; i++)
            t[i] = none1 ? x2[i] : none2 ? x1[i] : 0;
        if (write)
            fp_store(out, 1, t);
#pragma unroll
        for (int i = 0; i < 12; i++)
            t[i] = none1 ? y2[i] : none2 ? y1[i] : 0;
        if (write)
            fp_store(out + F::PIECES / 2, 1, t);
    }
    cz_fp32_sub_lazy(y2, y2, y1);
    if (F::any(same_x && same_y)) {
        uint32_t x[12], numerator[12];

        cz_limbs_copy(x, x1, 12);
        tangent_numerator<F>(numerator, x);
#pragma unroll
        for (int i = 0; i < 12; i++)
            y2[i] = same_x && same_y ? numerator[i] : y2[i];
    }
    return none1 || none2 || (same_x && !same_y);
}

/* The sum of infinity, the first operand or else the second, and the other one; y's lazy. */
template <class F>
PAIR_DEV void store_other(uint4 *out, const uint32_t *x1, const uint32_t *y1, const uint32_t *x2,
                          const uint32_t *y2, bool none1)
{
    uint32_t t[12];

#pragma unroll
    for (int i = 0; i < 12; i++)
        t[i] = none1 ? x2[i] : x1[i];
    fp_store(out, 1, t);
#pragma unroll
    for (int i = 0; i < 12; i++)
        t[i] = none1 ? y2[i] : y1[i];
    cz_fp32_canonical(t, t);
    fp_store(out + F::PIECES / 2, 1, t);
}

/* x3 = l^2 - x1 - x2, y3 = l (x1 - x3) - y1 with the slope l = numerator * inverse. */
template <class F>
PAIR_DEV void finish_sum(uint4 *out, const uint32_t *x1, const uint32_t *y1, uint32_t *x2,
                         uint32_t *numerator, uint32_t *inverse, bool write)
{
    uint32_t *const slope = inverse, *const t = numerator;

    F::mul(slope, inverse, numerator);
    F::sqr(t, slope);
    cz_limbs_add(x2, x2, x1, 12);
    cz_fp32_sub_of_lazy(t, t, x2);
    cz_fp32_canonical(t, t);
    if (write)
        fp_store(out, 1, t);
    cz_fp32_sub_lazy(t, x1, t);
    F::mul(t, slope, t);
    cz_fp32_sub_canonical(t, t, y1);
    cz_fp32_canonical(t, t);
    if (write)
        fp_store(out + F::PIECES / 2, 1, t);
}

template <class F, pair_source S, int THREADS>
PAIR_DEV void backward_pass(const pair_args &args, const pair_place &at, const pair_tile &tile,
                            uint32_t *inverse, uint2 refs, uint2 next)
{
    constexpr uint32_t PAIRS = THREADS / F::LANES;
    const uint32_t x_at = at.lane / F::LANES * F::PIECES + 3 * F::component();
    const uint32_t y_at = x_at + F::PIECES / 2;

#pragma unroll 1
    for (int j = tile.steps - 1; j >= 0; j--) {
        const uint64_t i = tile.first + (uint64_t)j * PAIRS;
        const bool signs =
            (S == PAIR_LIST || S == PAIR_MERGE) && __any_sync(~0u, (refs.x | refs.y) >> 31);
        bool done = i >= tile.end;
        uint64_t slot = args.out_first + i;
        uint32_t x1[12], x2[12], y1[12], y2[12], l[12];
        uint32_t *const d = y2;
        uint4 *out;

        copy_wait<0>();
        __syncwarp();
        fp_load(x1, at.area + x_at, 1);
        fp_load(x2, at.area + 2 * AREA + x_at, 1);
        fp_load(l, at.area + 4 * AREA + at.lane * 3, 1);
        if (S == PAIR_MERGE) { /* d = beta x2 - x1 + p was kept */
            uint32_t p[12];

            fp_load(d, at.product, THREADS);
            cz_fp32_modulus(p);
            cz_limbs_add(x2, d, x1, 12);
            (void)cz_limbs_sub(x2, x2, p, 12);
        } else {
            cz_fp32_sub_lazy(d, x2, x1);
        }
        const bool none = has_none<S>(refs), rare = F::any(F::is_rare(x1, x2, d) && !none);

        if (none)
            F::one(d);
        if (rare)
            patch_denominator<F>(args, d, pair_operands<S>(args, i, tile.end, refs), refs, x1, x2);
        if (j > 0) {
            F::mul(l, l, inverse);
            F::mul(inverse, inverse, d);
        } else {
            cz_limbs_copy(l, inverse, 12);
        }
        fp_load(y1, at.area + y_at, 1);
        fp_load(y2, at.area + 2 * AREA + y_at, 1);
        __syncwarp();
        if (j > 0) {
            fetch_step<F, S>(args, at, pair_operands<S>(args, i - PAIRS, tile.end, next));
            fetch_prefix<S, THREADS>(at, j - 1);
        }
        copy_commit();
        if (S == PAIR_COLUMNS)
            slot = pair_operands<S>(args, i, tile.end, refs).a - args.first;
        out = args.out + F::PIECES * slot + 3 * F::component();
        if (rare) {
            done |= rare_sum<F>(out, x1, y1, x2, y2, refs, !done);
        } else {
            if (signs) {
                cz_fp32_negate_if(y1, refs.x >> 31);
                cz_fp32_negate_if(y2, refs.y >> 31);
            }
            if (none && !done) {
                store_other<F>(out, x1, y1, x2, y2, is_none(refs.x));
                done = true;
            }
            cz_fp32_sub_lazy(y2, y2, y1);
        }
        if (F::LANES > 1 || !done)
            finish_sum<F>(out, x1, y1, x2, y2, l, !done);
        refs = next;
        if (j > 1)
            next = pair_refs<S>(args, i - 2ull * PAIRS, tile.end);
    }
    copy_wait<0>();
}

/* ---- the kernel ---- */

/* One tile of the block; all its threads come here together. */
template <class F, pair_source S, int THREADS>
PAIR_DEV void add_tile(const pair_args &args, const pair_place &at, const pair_tile &tile)
{
    constexpr uint32_t PAIRS = THREADS / F::LANES;
    uint2 refs = make_uint2(0, 0), next = refs;
    uint32_t inverse[12];

    forward_pass<F, S, THREADS>(args, at, tile);
    if (tile.steps > 0) {
        const uint64_t i = tile.first + (uint64_t)(tile.steps - 1) * PAIRS;

        refs = pair_refs<S>(args, i, tile.end);
        if (tile.steps > 1)
            next = pair_refs<S>(args, i - PAIRS, tile.end);
        __syncwarp();
        fetch_step<F, S>(args, at, pair_operands<S>(args, i, tile.end, refs));
    }
    __syncthreads();
    if (threadIdx.x < 32)
        invert_products<F, THREADS>(at.product);
    __syncthreads();
    fp_load(inverse, at.product, THREADS);
    fetch_prefix<S, THREADS>(at, tile.steps - 1);
    copy_commit();
    backward_pass<F, S, THREADS>(args, at, tile, inverse, refs, next);
    __syncthreads();
}

/** out[i] = the sum of pair i, for args.n pairs.
 *
 * Launch  grid ceil(n LANES / (share * THREADS)) at most, block THREADS, PAIR_SHARED_BYTES(THREADS)
 * Reads   points gathered, each twice over (x, then x and y); prefixes once each
 * Writes  sums; prefixes, 48 B a lane. Outputs may not be operands, but for COLUMNS
 * Cost    sm_90, 512 threads: 128 registers; over G1 no spills */
template <class F, pair_source S, int THREADS, int BLOCKS>
static __global__ void __launch_bounds__(THREADS, BLOCKS)
    k_pair_add(const __grid_constant__ pair_args args)
{
    extern __shared__ uint4 pair_shared[];
    const uint32_t thread = threadIdx.x, lane = thread & 31;
    constexpr uint32_t PAIRS = THREADS / F::LANES;
    const uint64_t begin = (uint64_t)blockIdx.x * args.share * PAIRS;
    const uint64_t stop = begin + (uint64_t)args.share * PAIRS;
    const uint64_t end = stop < args.n ? stop : args.n;
    uint32_t steps = args.tile;
    pair_place at;

    at.area = pair_shared + (thread >> 5) * (5 * AREA);
    at.fetch = (uint32_t)__cvta_generic_to_shared(at.area) + lane * 16;
    at.prefix_to = at.fetch + 4 * AREA_BYTES + lane * 32;
    at.product = pair_shared + 15 * THREADS + thread;
    at.product_to = (uint32_t)__cvta_generic_to_shared(at.product);
    at.prefix =
        args.prefix + (uint64_t)blockIdx.x * args.tile * prefix_step<S, THREADS>::pieces + thread;
    at.lane = lane;
    at.table_x = fetch_table<F, false>(lane);
    at.table_whole = fetch_table<F, true>(lane);
    if (args.staggered) {
        const uint32_t phase =
            blockIdx.x * 9 + blockIdx.x / (gridDim.x / BLOCKS + 1) * (16 / BLOCKS);

        steps = args.tile * ((phase & 15) + 1) / 16;
        steps = steps > 0 ? steps : 1;
    }
    for (uint64_t t = begin; t < end; steps = args.tile) {
        const uint64_t warp_first = t + (thread & ~31u) / F::LANES;
        const uint64_t left = warp_first < end ? (end - warp_first + PAIRS - 1) / PAIRS : 0;
        const pair_tile tile = {t + thread / F::LANES, end, (int)(left < steps ? left : steps)};

        t += (uint64_t)steps * PAIRS;
        add_tile<F, S, THREADS>(args, at, tile);
    }
}

#endif
