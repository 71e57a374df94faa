/* sums_pairs_cuda.h: launches of the pair kernel, and what every device sum begins with.
 *
 * For sums_body_cuda.h alone. */
#ifndef CZ_MSM_SUMS_PAIRS_CUDA_H
#define CZ_MSM_SUMS_PAIRS_CUDA_H

#include "msm/sums_layout_cuda.h"

#define WIDE_FROM ((uint64_t)1 << 21) /* lanes */

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

static inline cz_err allow_split_memory(const cz_gpu *gpu)
{
    const cudaFuncAttribute what = cudaFuncAttributeMaxDynamicSharedMemorySize;

    if (gpu->shared_bytes_a_block < SPLIT_SHARED_BYTES)
        return CZ_OK;
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_digits<1>, what, SPLIT_SHARED_BYTES));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_digits<2>, what, SPLIT_SHARED_BYTES));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_digits<4>, what, SPLIT_SHARED_BYTES));
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_split_parts, what, SPLIT_SHARED_BYTES));
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
    CZ_TRY(allow_split_memory(gpu));
    CZ_TRY_CUDA(cudaMemsetAsync(scratch_at<G>(s, s->infinity), 0, point_bytes<G>(PAIR_INFINITIES),
                                s->stream));
    return CZ_OK;
}

static inline cz_err does_not_fit(const cz_gpu_sums *sums, uint64_t n)
{
    return cz_fail(CZ_E_ARG, "a sum of %llu terms does not fit the %llu bytes of its scratch",
                   (unsigned long long)n, (unsigned long long)sums->bytes);
}

static inline unsigned strides(const sum_state *s)
{
    return (unsigned)s->sums->gpu->multiprocessors * 8;
}

#endif
