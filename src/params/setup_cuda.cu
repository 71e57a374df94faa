/* setup_cuda.cu: points of a test setup on a CUDA device; see setup_device.h. */
#include "gpu/device_cuda.h"
#include "msm/coord_cuda.h"
#include "params/setup_device.h"

/* G2: a component of every coordinate on each of two lanes, c1 first in the file's bytes. */
#define DEV              COORD_DEV
#define FN(name)         cz_setup_g2_##name
#define W                12
#define MUL              coord_fp2::mul
#define SQR              coord_fp2::sqr
#define SUB              cz_fp32_sub_of_lazy
#define INV              coord_fp2::inv
#define ONE              coord_fp2::one
#define NEGATE_IF        cz_setup_negate_if
#define IS_ZERO(a)       coord_fp2::is_zero(a)
#define LOAD(r, from, i) cz_setup_load(r, (from) + 24 * (size_t)(i) + 12 * coord_fp2::component())
#define STORE(to, i, v)  cz_setup_store((to) + 24 * (size_t)(i) + 12 * coord_fp2::component(), v)
#define ENCODE(to, i, v, none)                                                                     \
    cz_setup_encode((to) + 24 * (size_t)(i) + 12 * (1 - coord_fp2::component()), v, none)
#define MARK_INFINITY(bytes, i)                                                                    \
    do {                                                                                           \
        if (coord_fp2::component() == 1)                                                           \
            cz_setup_mark_infinity((bytes) + 48 * (size_t)(i));                                    \
    } while (0)
#include "params/setup_body_device.h"

enum { SETUP_THREADS = 128, SETUP_BLOCKS = 3 };

typedef struct {
    uint32_t *bytes, *sums, *running;
    const uint32_t *table;
    const uint4 *scalars;
    unsigned c;
    size_t n, chains;
} setup_args;

/** The sums of all scalars' windows.
 *
 * Launch  a thread a point, two over G2; block SETUP_THREADS
 * Reads   scalars coalesced; the table at random, a point a window, 50 MB that stay in the L2
 * Writes  sums */
template <int LANES>
static __global__ void __launch_bounds__(SETUP_THREADS, SETUP_BLOCKS)
    k_multiples(const __grid_constant__ setup_args args)
{
    const size_t point = ((size_t)blockIdx.x * SETUP_THREADS + threadIdx.x) / LANES;
    const size_t i = point < args.n ? point : args.n - 1;
    const uint4 low = args.scalars[2 * i], high = args.scalars[2 * i + 1];
    const uint32_t scalar[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};

    if (LANES == 1)
        cz_setup_g1_multiple(args.sums, i, args.table, args.c, scalar, point < args.n);
    else
        cz_setup_g2_multiple(args.sums, i, args.table, args.c, scalar, point < args.n);
}

/** The file's bytes from sums.
 *
 * Launch  a thread a chain, two over G2; block SETUP_THREADS */
template <int LANES>
static __global__ void __launch_bounds__(SETUP_THREADS, SETUP_BLOCKS)
    k_encode(const __grid_constant__ setup_args args)
{
    const size_t chain = ((size_t)blockIdx.x * SETUP_THREADS + threadIdx.x) / LANES;
    const int mine = chain < args.chains;

    if (LANES == 1)
        cz_setup_g1_encode(args.bytes, args.sums, args.running, args.n, mine ? chain : 0,
                           args.chains, mine);
    else
        cz_setup_g2_encode(args.bytes, args.sums, args.running, args.n, mine ? chain : 0,
                           args.chains, mine);
}

static unsigned blocks_for(size_t threads)
{
    return (unsigned)((threads + SETUP_THREADS - 1) / SETUP_THREADS);
}

template <int LANES> static cz_err launch(cz_gpu *gpu, const setup_args *args)
{
    const cudaStream_t stream = gpu->stream[CZ_GPU_COMPUTE];

    k_multiples<LANES><<<blocks_for(args->n * LANES), SETUP_THREADS, 0, stream>>>(*args);
    CZ_TRY_LAUNCH(k_multiples);
    k_encode<LANES><<<blocks_for(args->chains * LANES), SETUP_THREADS, 0, stream>>>(*args);
    CZ_TRY_LAUNCH(k_encode);
    return CZ_OK;
}

static cz_err multiples(cz_gpu *gpu, int g2, void *d_bytes, const void *d_table, unsigned c,
                        const void *d_scalars, size_t n, void *d_scratch)
{
    setup_args args = {(uint32_t *)d_bytes,
                       (uint32_t *)d_scratch,
                       (uint32_t *)d_scratch + 4 * (size_t)(g2 ? 24 : 12) * n,
                       (const uint32_t *)d_table,
                       (const uint4 *)d_scalars,
                       c,
                       n,
                       (n + CZ_SETUP_CHAIN - 1) / CZ_SETUP_CHAIN};

    CZ_TRY(cz_gpu_enter(gpu));
    if (n == 0)
        return CZ_OK;
    return g2 ? launch<2>(gpu, &args) : launch<1>(gpu, &args);
}

void cz_gpu_setup_fill(cz_gpu_backend *table)
{
    table->setup_multiples = multiples;
}
