/* tail_cuda.h: the last, small part of a device sum: bit sums, from which the host makes the point
 * (sums_answer.h): S_j = the sum of those of some neighbours whose number has bit j. Thousands of
 * points a set, so XYZZ additions [BL07] suffice here.
 *
 * F is the field of the coordinates, coord_fp or coord_fp2_apart; a "thread" below is LANES of
 * them, each with its component.
 *
 * For the sums_*_cuda.* alone. */
#ifndef CZ_MSM_TAIL_CUDA_H
#define CZ_MSM_TAIL_CUDA_H

#include "msm/pair_cuda.h"

enum { TAIL_THREADS = 128, TAIL_SPLIT = 16 };

/** A lane's part of (x / zz, y / zzz); zz = 0 is infinity. Canonical. */
typedef struct {
    cz_fp32 x, y, zz, zzz;
} tail_point;

/** A bit sum: of the points base + i, i < n, where i has this bit; bit -1: of all. */
typedef struct {
    uint64_t base;
    uint32_t n;
    int bit;
} tail_job;

/* A lane's component of a coordinate, canonical. */
template <class F> struct tail {
    static __device__ __noinline__ cz_fp32 square(cz_fp32 a)
    {
        cz_fp32 r;

        F::sqr(r.v, a.v);
        cz_fp32_canonical(r.v, r.v);
        return r;
    }

    PAIR_DEV cz_fp32 product(cz_fp32 a, cz_fp32 b)
    {
        return coord_product<F>(a, b);
    }

    PAIR_DEV cz_fp32 sum(cz_fp32 a, cz_fp32 b)
    {
        cz_fp32 r;

        cz_fp32_add(r.v, a.v, b.v);
        return r;
    }

    PAIR_DEV cz_fp32 difference(cz_fp32 a, cz_fp32 b)
    {
        cz_fp32 r;

        cz_fp32_sub(r.v, a.v, b.v);
        return r;
    }

    PAIR_DEV bool is_infinity(const tail_point *p)
    {
        return F::is_zero(p->zz.v);
    }

    PAIR_DEV void set_infinity(tail_point *p)
    {
        cz_fp32_zero(p->x.v);
        cz_fp32_zero(p->y.v);
        cz_fp32_zero(p->zz.v);
        cz_fp32_zero(p->zzz.v);
    }

    static __device__ __noinline__ void dbl(tail_point *p)
    {
        if (is_infinity(p))
            return;
        const cz_fp32 u = sum(p->y, p->y), v = square(u), w = product(u, v);
        const cz_fp32 s = product(p->x, v), xx = square(p->x);
        const cz_fp32 m = sum(sum(xx, xx), xx);

        p->x = difference(square(m), sum(s, s));
        p->y = difference(product(m, difference(s, p->x)), product(w, p->y));
        p->zz = product(v, p->zz);
        p->zzz = product(w, p->zzz);
    }

    static __device__ __noinline__ void add(tail_point *p, const tail_point *q)
    {
        if (is_infinity(q))
            return;
        if (is_infinity(p)) {
            *p = *q;
            return;
        }
        const cz_fp32 u = product(p->x, q->zz), s = product(p->y, q->zzz);
        const cz_fp32 d = difference(product(q->x, p->zz), u);
        const cz_fp32 r = difference(product(q->y, p->zzz), s);

        if (F::is_zero(d.v)) {
            if (F::is_zero(r.v))
                dbl(p);
            else
                set_infinity(p);
            return;
        }
        const cz_fp32 dd = square(d), ddd = product(d, dd), v = product(u, dd);

        p->x = difference(difference(square(r), ddd), sum(v, v));
        p->y = difference(product(r, difference(v, p->x)), product(s, ddd));
        p->zz = product(product(p->zz, q->zz), dd);
        p->zzz = product(product(p->zzz, q->zzz), ddd);
    }

    PAIR_DEV void load(tail_point *p, const uint4 *affine)
    {
        fp_load(p->x.v, affine + 3 * F::component(), 1);
        fp_load(p->y.v, affine + F::PIECES / 2 + 3 * F::component(), 1);
        if (F::is_zero(p->x.v) & F::is_zero(p->y.v)) {
            set_infinity(p);
        } else {
            F::one(p->zz.v);
            F::one(p->zzz.v);
        }
    }

    /* To affine; infinity is all zero. */
    static __device__ __noinline__ void store(uint4 *affine, const tail_point *p)
    {
        cz_fp32 x, y;

        cz_fp32_zero(x.v);
        cz_fp32_zero(y.v);
        if (!is_infinity(p)) {
            const cz_fp32 both = coord_inverse<F>(product(p->zz, p->zzz));

            x = product(p->x, product(both, p->zzz));
            y = product(p->y, product(both, p->zz));
        }
        fp_store(affine + 3 * F::component(), 1, x.v);
        fp_store(affine + F::PIECES / 2 + 3 * F::component(), 1, y.v);
    }

    /* The sum of a block's points, to block[0]; n lanes, a power of 2. */
    PAIR_DEV void sum_block(tail_point *block, uint32_t n)
    {
        __syncthreads();
        for (uint32_t half = n / 2; half >= F::LANES; half /= 2) {
            if (threadIdx.x < half)
                add(&block[threadIdx.x], &block[threadIdx.x + half]);
            __syncthreads();
        }
    }
};

/** Bit sums, each in TAIL_SPLIT parts.
 *
 * Launch  grid jobs * TAIL_SPLIT, block TAIL_THREADS */
template <class F>
static __global__ void __launch_bounds__(TAIL_THREADS)
    k_bit_sums(const uint4 *elements, const tail_job *jobs, tail_point *parts)
{
    constexpr uint32_t EACH = TAIL_THREADS / F::LANES;
    __shared__ tail_point block[TAIL_THREADS];
    const tail_job job = jobs[blockIdx.x / TAIL_SPLIT];
    const uint32_t part = blockIdx.x % TAIL_SPLIT;
    uint32_t members = job.n;
    tail_point sum;

    if (job.bit >= 0) { /* of 0 … n - 1, those with the bit */
        const uint32_t whole = (job.n >> (job.bit + 1)) << job.bit;

        members = whole + ((job.n >> job.bit & 1) != 0 ? job.n & ((1u << job.bit) - 1) : 0);
    }
    tail<F>::set_infinity(&sum);
    if (part * EACH >= members) { /* nothing is left for this block */
        if (threadIdx.x < F::LANES)
            parts[blockIdx.x * F::LANES + threadIdx.x] = sum;
        return;
    }
    for (uint32_t m = part * EACH + threadIdx.x / F::LANES; m < members; m += TAIL_SPLIT * EACH) {
        uint32_t i = m;
        tail_point p;

        if (job.bit >= 0)
            i = (m >> job.bit << (job.bit + 1)) | 1u << job.bit | (m & ((1u << job.bit) - 1));
        tail<F>::load(&p, elements + F::PIECES * (job.base + i));
        tail<F>::add(&sum, &p);
    }
    block[threadIdx.x] = sum;
    tail<F>::sum_block(block, TAIL_THREADS);
    if (threadIdx.x < F::LANES)
        parts[blockIdx.x * F::LANES + threadIdx.x] = block[threadIdx.x];
}

/** The parts of each job together. Launch: grid jobs, block TAIL_SPLIT * LANES. */
template <class F> static __global__ void k_join_parts(const tail_point *parts, tail_point *sums)
{
    constexpr uint32_t N = TAIL_SPLIT * F::LANES;
    __shared__ tail_point block[N];

    block[threadIdx.x] = parts[(uint64_t)blockIdx.x * N + threadIdx.x];
    tail<F>::sum_block(block, N);
    if (threadIdx.x < F::LANES)
        sums[blockIdx.x * F::LANES + threadIdx.x] = block[threadIdx.x];
}

/** to[i] = 2^shift from[i]. Launch: LANES threads a point, block TAIL_THREADS. */
template <class F>
static __global__ void __launch_bounds__(TAIL_THREADS)
    k_shifted_points(const uint4 *from, uint4 *to, uint64_t n, int shift)
{
    const uint64_t i = ((uint64_t)blockIdx.x * TAIL_THREADS + threadIdx.x) / F::LANES;
    tail_point p;

    if (i >= n)
        return;
    tail<F>::load(&p, from + F::PIECES * i);
    for (int k = 0; k < shift; k++)
        tail<F>::dbl(&p);
    tail<F>::store(to + F::PIECES * i, &p);
}

#endif
