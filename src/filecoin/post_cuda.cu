/* post_cuda.cu: the witness of a PoSt partition on a CUDA device; post_device.h says how. */
#include "filecoin/post_device.h"
#include "gpu/device_cuda.h"

/* A path is long and there are few: small blocks spread them evenly over multiprocessors. */
enum { POST_THREADS = 32 };

/** Launch  a thread a sector */
static __global__ void __launch_bounds__(POST_THREADS)
    k_post_heads(const __grid_constant__ cz_post_device p)
{
    const uint32_t i = blockIdx.x * POST_THREADS + threadIdx.x;

    if (i < p.n_sectors)
        cz_post_device_head(&p, i);
}

/** Launch  a thread a path */
static __global__ void __launch_bounds__(POST_THREADS)
    k_post_paths(const __grid_constant__ cz_post_device p)
{
    const uint32_t i = blockIdx.x * POST_THREADS + threadIdx.x;

    if (i < p.n_sectors * p.n_challenges)
        cz_post_device_path(&p, i);
}

static unsigned blocks_for(uint32_t n)
{
    return (n + POST_THREADS - 1) / POST_THREADS;
}

static cz_err post_witness(cz_gpu *gpu, const cz_post_device *p)
{
    CZ_TRY(cz_gpu_enter(gpu));
    if (p->n_sectors == 0)
        return CZ_OK;
    k_post_heads<<<blocks_for(p->n_sectors), POST_THREADS, 0, gpu->stream[CZ_GPU_COMPUTE]>>>(*p);
    CZ_TRY_LAUNCH(k_post_heads);
    k_post_paths<<<blocks_for(p->n_sectors * p->n_challenges), POST_THREADS, 0,
                   gpu->stream[CZ_GPU_COMPUTE]>>>(*p);
    CZ_TRY_LAUNCH(k_post_paths);
    return CZ_OK;
}

void cz_gpu_post_fill(cz_gpu_backend *table)
{
    table->post_witness = post_witness;
}
