/* fold_cuda.cu: transforms and sparse sums of points on a CUDA device; see fold_device.h. */
#include "gpu/device_cuda.h"
#include "msm/pair_cuda.h"
#include "params/fold_device.h"

enum { FOLD_THREADS = 128, FOLD_BLOCKS = 4, SUM_THREADS = 128, SUM_BLOCKS = 3 };

/* A product's table; what is to be inverted takes its place. */
#define FOLD_SHARED_BYTES (CZ_FOLD_TABLE * 48 * FOLD_THREADS)

/* ---- products ---- */

/* 1 / d, all threads of the block together. */
static __device__ __forceinline__ void invert(uint32_t *inverse, const uint32_t *d, uint4 *shared)
{
    fp_store(shared + threadIdx.x, FOLD_THREADS, d);
    __syncthreads();
    if (threadIdx.x < 32)
        invert_products<coord_fp, FOLD_THREADS>(shared + threadIdx.x);
    __syncthreads();
    fp_load(inverse, shared + threadIdx.x, FOLD_THREADS);
}

/* (x, y) times the scalar where `multiply`; all threads of the block come here. */
static __device__ __forceinline__ void multiplied(uint32_t *x, uint32_t *y, const uint32_t *scalar,
                                                  bool multiply, uint4 *shared)
{
    const cz_fold_table table = {(uint32_t *)(shared + threadIdx.x), FOLD_THREADS};
    cz_fold_jacobian p;
    uint32_t d[12];
    int none = 1;

    cz_fp32_one(d);
    if (multiply) {
        cz_fold_digits digits;

        cz_fold_digits_of(&digits, scalar);
        cz_fold_product(&p, x, y, &digits, &table);
        none = cz_fold_affine_denominator(d, &p);
    }
    __syncthreads(); /* the tables are done with */
    invert(d, d, shared);
    if (multiply)
        cz_fold_affine(x, y, &p, d, none);
}

/** The items of a task.
 *
 * Launch  a thread an item, block FOLD_THREADS, FOLD_SHARED_BYTES
 * Reads   points, neighbouring threads neighbouring ones but for factors; each layer 96 bytes of
 *         a point for some 1,480 products
 * Writes  in place; no item reads what another writes */
static __global__ void __launch_bounds__(FOLD_THREADS, FOLD_BLOCKS)
    k_multiply(const __grid_constant__ cz_fold_task task)
{
    extern __shared__ uint4 fold_shared[];
    const uint64_t item = (uint64_t)blockIdx.x * FOLD_THREADS + threadIdx.x;
    const uint64_t n = task.kind == CZ_FOLD_FACTORS ? *task.n_factors : task.n;
    const uint64_t i = task.first + item;
    const bool mine = item < n;
    uint32_t x[12], y[12], scalar[8], d[12];
    bool multiply = false;

    if ((uint64_t)blockIdx.x * FOLD_THREADS >= n)
        return;
    cz_fp32_one(d);
    if (mine)
        multiply = !cz_fold_operand(&task, i, x, y, scalar);
    multiplied(x, y, scalar, multiply, fold_shared);
    if (task.kind != CZ_FOLD_LAYER) {
        if (mine) {
            cz_setup_store(cz_fold_place(&task, i), x);
            cz_setup_store(cz_fold_place(&task, i) + 12, y);
        }
        return;
    }
    if (mine)
        cz_fold_layer_denominator(d, &task, i, x, y);
    invert(d, d, fold_shared);
    if (mine)
        cz_fold_layer_sums(&task, i, x, y, d);
}

static unsigned blocks_for(uint64_t threads, unsigned block)
{
    return (unsigned)((threads + block - 1) / block);
}

static cz_err launch_products(cz_gpu *gpu, const struct cz_fold_task *task)
{
    if (task->n == 0)
        return CZ_OK;
    CZ_TRY_CUDA(cudaFuncSetAttribute(k_multiply, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     FOLD_SHARED_BYTES));
    k_multiply<<<blocks_for(task->n, FOLD_THREADS), FOLD_THREADS, FOLD_SHARED_BYTES,
                 gpu->stream[CZ_GPU_COMPUTE]>>>(*task);
    CZ_TRY_LAUNCH(k_multiply);
    return CZ_OK;
}

static cz_err multiply(cz_gpu *gpu, const struct cz_fold_task *task)
{
    CZ_TRY(cz_gpu_enter(gpu));
    return launch_products(gpu, task);
}

/* ---- reading ---- */

/** Points of the transform, in natural order, as the file's bytes. Launch: a thread a point. */
static __global__ void __launch_bounds__(SUM_THREADS)
    k_encode_points(uint32_t *bytes, const uint32_t *points, unsigned log_n, size_t first, size_t n)
{
    const size_t i = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x;

    if (i < n)
        cz_fold_encode(bytes, points, log_n, first, i);
}

static cz_err encode(cz_gpu *gpu, void *d_bytes, const void *d_points, unsigned log_n, size_t first,
                     size_t n)
{
    CZ_TRY(cz_gpu_enter(gpu));
    if (n == 0)
        return CZ_OK;
    k_encode_points<<<blocks_for(n, SUM_THREADS), SUM_THREADS, 0, gpu->stream[CZ_GPU_COMPUTE]>>>(
        (uint32_t *)d_bytes, (const uint32_t *)d_points, log_n, first, n);
    CZ_TRY_LAUNCH(k_encode_points);
    return CZ_OK;
}

/* ---- columns ---- */

/** Launch: a thread an entry. */
static __global__ void __launch_bounds__(SUM_THREADS)
    k_entries(const __grid_constant__ cz_fold_part part)
{
    const size_t i = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x;

    if (i < part.n_entries)
        cz_fold_entry(&part, i);
}

/** Sums of terms, at most CZ_FOLD_SEGMENT and one. Launch: a thread a job. */
static __global__ void __launch_bounds__(SUM_THREADS, SUM_BLOCKS)
    k_sum_terms(const __grid_constant__ cz_fold_part part)
{
    const size_t i = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x;

    if (i < part.round_first[1])
        cz_fold_sum_terms(&part, &part.jobs[i]);
}

/** Sums of sums. Launch: a thread a job. */
static __global__ void __launch_bounds__(SUM_THREADS)
    k_sum_sums(const __grid_constant__ cz_fold_part part, unsigned round)
{
    const size_t i = part.round_first[round] + (size_t)blockIdx.x * SUM_THREADS + threadIdx.x;

    if (i < part.round_first[round + 1])
        cz_fold_sum_sums(&part, &part.jobs[i]);
}

/** The columns' bytes. Launch: a thread a chain of CZ_SETUP_CHAIN. */
static __global__ void __launch_bounds__(SUM_THREADS, SUM_BLOCKS)
    k_encode_sums(const __grid_constant__ cz_fold_part part, size_t chains)
{
    const size_t chain = (size_t)blockIdx.x * SUM_THREADS + threadIdx.x;
    const int mine = chain < chains;

    cz_setup_g1_encode(part.bytes, part.sums, part.running, part.n, mine ? chain : 0, chains, mine);
}

static cz_err launch_entries(cz_gpu *gpu, const struct cz_fold_part *part)
{
    const cudaStream_t stream = gpu->stream[CZ_GPU_COMPUTE];
    const cz_fold_task products = cz_fold_part_products(part);

    if (part->n_entries == 0)
        return CZ_OK;
    CZ_TRY_CUDA(cudaMemsetAsync(part->n_factors, 0, sizeof *part->n_factors, stream));
    k_entries<<<blocks_for(part->n_entries, SUM_THREADS), SUM_THREADS, 0, stream>>>(*part);
    CZ_TRY_LAUNCH(k_entries);
    return launch_products(gpu, &products);
}

static cz_err launch_sums(cz_gpu *gpu, const struct cz_fold_part *part)
{
    const cudaStream_t stream = gpu->stream[CZ_GPU_COMPUTE];
    const size_t chains = (part->n + CZ_SETUP_CHAIN - 1) / CZ_SETUP_CHAIN;

    k_sum_terms<<<blocks_for(part->round_first[1], SUM_THREADS), SUM_THREADS, 0, stream>>>(*part);
    CZ_TRY_LAUNCH(k_sum_terms);
    for (unsigned round = 1; round < part->n_rounds; round++) {
        const size_t jobs = part->round_first[round + 1] - part->round_first[round];

        k_sum_sums<<<blocks_for(jobs, SUM_THREADS), SUM_THREADS, 0, stream>>>(*part, round);
        CZ_TRY_LAUNCH(k_sum_sums);
    }
    k_encode_sums<<<blocks_for(chains, SUM_THREADS), SUM_THREADS, 0, stream>>>(*part, chains);
    CZ_TRY_LAUNCH(k_encode_sums);
    return CZ_OK;
}

static cz_err columns(cz_gpu *gpu, const struct cz_fold_part *part)
{
    CZ_TRY(cz_gpu_enter(gpu));
    if (part->n == 0)
        return CZ_OK;
    CZ_TRY(launch_entries(gpu, part));
    return launch_sums(gpu, part);
}

void cz_gpu_fold_fill(cz_gpu_backend *table)
{
    table->fold_multiply = multiply;
    table->fold_encode = encode;
    table->fold_columns = columns;
}
