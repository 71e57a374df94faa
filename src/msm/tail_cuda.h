/* tail_cuda.h: the last, small part of a device sum: from row and column sums to one point.
 *
 * A set's bucket b = column + row 2^k weighs b + 1. With R the row sums and C the column sums,
 *     sum of (b + 1) B_b = 2^k sum of row R_row + sum of column C_column + sum of C_column
 * and a weighted sum is a Horner scheme over bit sums: S_j = the sum of those points whose number
 * has bit j. Thousands of points a set, so XYZZ additions [BL07] suffice here.
 *
 * For msm_cuda.cu alone. */
#ifndef CZ_MSM_TAIL_CUDA_H
#define CZ_MSM_TAIL_CUDA_H

#include "msm/pair_cuda.h"

enum { TAIL_THREADS = 128, TAIL_SPLIT = 16 };

/** (x / zz, y / zzz); zz = 0 is infinity. Canonical. */
typedef struct {
    cz_fp32 x, y, zz, zzz;
} tail_point;

/** A bit sum: of the points base + i, i < n, where i has this bit; bit -1: of all. */
typedef struct {
    uint64_t base;
    uint32_t n;
    int bit;
} tail_job;

/** A set's sums in the results of the jobs: rows' bits, then columns' bits, then all columns. */
typedef struct {
    uint32_t first;
    uint32_t row_bits;
    int position; /* the set's weight is 2^position */
} tail_set;

typedef struct {
    tail_set set[PAIR_MAX_SETS];
    uint32_t n_sets;
    uint32_t column_bits;
} tail_plan;

static __device__ __noinline__ cz_fp32 fp_square(cz_fp32 a)
{
    cz_fp32 r;

    cz_fp32_sqr(r.v, a.v);
    cz_fp32_canonical(r.v, r.v);
    return r;
}

PAIR_DEV cz_fp32 fp_sum(cz_fp32 a, cz_fp32 b)
{
    cz_fp32 r;

    cz_fp32_add(r.v, a.v, b.v);
    return r;
}

PAIR_DEV cz_fp32 fp_difference(cz_fp32 a, cz_fp32 b)
{
    cz_fp32 r;

    cz_fp32_sub(r.v, a.v, b.v);
    return r;
}

PAIR_DEV bool tail_is_infinity(const tail_point *p)
{
    return cz_limbs_are_zero(p->zz.v, 12);
}

PAIR_DEV void tail_set_infinity(tail_point *p)
{
    cz_fp32_zero(p->x.v);
    cz_fp32_zero(p->y.v);
    cz_fp32_zero(p->zz.v);
    cz_fp32_zero(p->zzz.v);
}

static __device__ __noinline__ void tail_double(tail_point *p)
{
    if (tail_is_infinity(p))
        return;
    const cz_fp32 u = fp_sum(p->y, p->y), v = fp_square(u), w = fp_product(u, v);
    const cz_fp32 s = fp_product(p->x, v), xx = fp_square(p->x);
    const cz_fp32 m = fp_sum(fp_sum(xx, xx), xx);

    p->x = fp_difference(fp_square(m), fp_sum(s, s));
    p->y = fp_difference(fp_product(m, fp_difference(s, p->x)), fp_product(w, p->y));
    p->zz = fp_product(v, p->zz);
    p->zzz = fp_product(w, p->zzz);
}

static __device__ __noinline__ void tail_add(tail_point *p, const tail_point *q)
{
    if (tail_is_infinity(q))
        return;
    if (tail_is_infinity(p)) {
        *p = *q;
        return;
    }
    const cz_fp32 u = fp_product(p->x, q->zz), s = fp_product(p->y, q->zzz);
    const cz_fp32 d = fp_difference(fp_product(q->x, p->zz), u);
    const cz_fp32 r = fp_difference(fp_product(q->y, p->zzz), s);

    if (cz_limbs_are_zero(d.v, 12)) {
        if (cz_limbs_are_zero(r.v, 12))
            tail_double(p);
        else
            tail_set_infinity(p);
        return;
    }
    const cz_fp32 dd = fp_square(d), ddd = fp_product(d, dd), v = fp_product(u, dd);

    p->x = fp_difference(fp_difference(fp_square(r), ddd), fp_sum(v, v));
    p->y = fp_difference(fp_product(r, fp_difference(v, p->x)), fp_product(s, ddd));
    p->zz = fp_product(fp_product(p->zz, q->zz), dd);
    p->zzz = fp_product(fp_product(p->zzz, q->zzz), ddd);
}

PAIR_DEV void tail_load(tail_point *p, const uint4 *affine)
{
    fp_load(p->x.v, affine, 1);
    fp_load(p->y.v, affine + 3, 1);
    if (cz_limbs_are_zero(p->x.v, 12) && cz_limbs_are_zero(p->y.v, 12)) {
        tail_set_infinity(p);
    } else {
        cz_fp32_one(p->zz.v);
        cz_fp32_one(p->zzz.v);
    }
}

/* To affine; infinity is all zero. */
static __device__ __noinline__ void tail_store(uint4 *affine, const tail_point *p)
{
    cz_fp32 x, y;

    cz_fp32_zero(x.v);
    cz_fp32_zero(y.v);
    if (!tail_is_infinity(p)) {
        const cz_fp32 both = fp_inverse(fp_product(p->zz, p->zzz));

        x = fp_product(p->x, fp_product(both, p->zzz));
        y = fp_product(p->y, fp_product(both, p->zz));
    }
    fp_store(affine, 1, x.v);
    fp_store(affine + 3, 1, y.v);
}

/* The sum of a block's points, to block[0]; n threads, a power of 2. */
PAIR_DEV void tail_sum_block(tail_point *block, uint32_t n)
{
    __syncthreads();
    for (uint32_t half = n / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            tail_add(&block[threadIdx.x], &block[threadIdx.x + half]);
        __syncthreads();
    }
}

/** Bit sums, each in TAIL_SPLIT parts.
 *
 * Launch  grid jobs * TAIL_SPLIT, block TAIL_THREADS */
static __global__ void __launch_bounds__(TAIL_THREADS)
    k_bit_sums(const uint4 *points, const tail_job *jobs, tail_point *parts)
{
    __shared__ tail_point block[TAIL_THREADS];
    const tail_job job = jobs[blockIdx.x / TAIL_SPLIT];
    const uint32_t part = blockIdx.x % TAIL_SPLIT;
    uint32_t members = job.n;
    tail_point sum;

    if (job.bit >= 0) { /* of 0 … n - 1, those with the bit */
        const uint32_t whole = (job.n >> (job.bit + 1)) << job.bit;

        members = whole + ((job.n >> job.bit & 1) != 0 ? job.n & ((1u << job.bit) - 1) : 0);
    }
    tail_set_infinity(&sum);
    for (uint32_t m = part * TAIL_THREADS + threadIdx.x; m < members;
         m += TAIL_SPLIT * TAIL_THREADS) {
        uint32_t i = m;
        tail_point p;

        if (job.bit >= 0)
            i = (m >> job.bit << (job.bit + 1)) | 1u << job.bit | (m & ((1u << job.bit) - 1));
        tail_load(&p, points + 6 * (job.base + i));
        tail_add(&sum, &p);
    }
    block[threadIdx.x] = sum;
    tail_sum_block(block, TAIL_THREADS);
    if (threadIdx.x == 0)
        parts[blockIdx.x] = block[0];
}

/** The parts of each job together. Launch: grid jobs, block TAIL_SPLIT. */
static __global__ void k_join_parts(const tail_point *parts, tail_point *sums)
{
    __shared__ tail_point block[TAIL_SPLIT];

    block[threadIdx.x] = parts[(uint64_t)blockIdx.x * TAIL_SPLIT + threadIdx.x];
    tail_sum_block(block, TAIL_SPLIT);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = block[0];
}

/** Horner over each set's bit sums (a warp a set), then over the sets.
 *
 * Launch  grid 1, block 32 * PAIR_MAX_SETS */
static __global__ void k_combine(const tail_point *sums, const __grid_constant__ tail_plan plan,
                                 uint4 *affine)
{
    __shared__ tail_point of_set[PAIR_MAX_SETS];
    const uint32_t s = threadIdx.x / 32;
    tail_point p;

    tail_set_infinity(&p);
    if (threadIdx.x % 32 == 0 && s < plan.n_sets) {
        const tail_set set = plan.set[s];
        const tail_point *rows = sums + set.first, *columns = rows + set.row_bits;

        for (int j = (int)(plan.column_bits + set.row_bits) - 1; j >= 0; j--) {
            const bool row = j >= (int)plan.column_bits;

            tail_double(&p);
            tail_add(&p, row ? &rows[j - (int)plan.column_bits] : &columns[j]);
        }
        tail_add(&p, &columns[plan.column_bits]);
        of_set[s] = p;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int at = plan.set[plan.n_sets - 1].position;

        tail_set_infinity(&p);
        for (int i = (int)plan.n_sets - 1; i >= 0; i--) {
            for (; at > plan.set[i].position; at--)
                tail_double(&p);
            tail_add(&p, &of_set[i]);
        }
        tail_store(affine, &p);
    }
}

/** One sum to affine. Launch: one thread. */
static __global__ void k_to_affine(const tail_point *sum, uint4 *affine)
{
    tail_store(affine, sum);
}

/** to[i] = 2^shift from[i]. Launch: a thread a point, block TAIL_THREADS. */
static __global__ void __launch_bounds__(TAIL_THREADS)
    k_shifted_points(const uint4 *from, uint4 *to, uint64_t n, int shift)
{
    const uint64_t i = (uint64_t)blockIdx.x * TAIL_THREADS + threadIdx.x;
    tail_point p;

    if (i >= n)
        return;
    tail_load(&p, from + 6 * i);
    for (int k = 0; k < shift; k++)
        tail_double(&p);
    tail_store(to + 6 * i, &p);
}

#endif
