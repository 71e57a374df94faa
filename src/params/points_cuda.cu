/* points_cuda.cu: points out of a parameter file's bytes on a CUDA device; see points_device.h. */
#include "gpu/device_cuda.h"
#include "params/points_device.h"

enum { POINTS_THREADS = 128 };

template <int WORDS>
static __device__ __forceinline__ void read_words(uint32_t *w, const uint4 *from)
{
#pragma unroll
    for (int i = 0; i < WORDS / 4; i++) {
        const uint4 v = __ldg(from + i);

        w[4 * i] = v.x, w[4 * i + 1] = v.y, w[4 * i + 2] = v.z, w[4 * i + 3] = v.w;
    }
}

/** Point i goes to place to[i], or i without `to`; *bad becomes the least first + i of a point that
 * is none.
 *
 * Launch  a thread a point, block POINTS_THREADS */
template <int WORDS>
static __global__ void __launch_bounds__(POINTS_THREADS)
    k_decode(const uint4 *bytes, const uint32_t *to, uint64_t n, uint32_t first, uint4 *part0,
             uint4 *part1, uint32_t *bad)
{
    const uint64_t i = (uint64_t)blockIdx.x * POINTS_THREADS + threadIdx.x;
    uint32_t w[WORDS], point[WORDS];
    uint32_t place;
    uint4 *out;
    int good;

    if (i >= n)
        return;
    read_words<WORDS>(w, bytes + WORDS / 4 * i);
    good = WORDS == CZ_POINT_G1_WORDS ? cz_point_decode_g1(point, w) : cz_point_decode_g2(point, w);
    if (!good) {
        atomicMin(bad, first + (uint32_t)i);
        return;
    }
    place = to != NULL ? to[i] : (uint32_t)i;
    out =
        (place & CZ_POINT_PART1 ? part1 : part0) + WORDS / 4 * (uint64_t)(place & ~CZ_POINT_PART1);
#pragma unroll
    for (int j = 0; j < WORDS / 4; j++)
        out[j] = make_uint4(point[4 * j], point[4 * j + 1], point[4 * j + 2], point[4 * j + 3]);
}

static cz_err decode(cz_gpu *gpu, int g2, const void *d_bytes, const uint32_t *d_to, size_t n,
                     uint32_t first, void *d_part0, void *d_part1, uint32_t *d_bad)
{
    const unsigned blocks = (unsigned)((n + POINTS_THREADS - 1) / POINTS_THREADS);
    cudaStream_t stream = gpu->stream[CZ_GPU_COMPUTE];

    CZ_TRY(cz_gpu_enter(gpu));
    if (n == 0)
        return CZ_OK;
    if (g2)
        k_decode<CZ_POINT_G2_WORDS><<<blocks, POINTS_THREADS, 0, stream>>>(
            (const uint4 *)d_bytes, d_to, n, first, (uint4 *)d_part0, (uint4 *)d_part1, d_bad);
    else
        k_decode<CZ_POINT_G1_WORDS><<<blocks, POINTS_THREADS, 0, stream>>>(
            (const uint4 *)d_bytes, d_to, n, first, (uint4 *)d_part0, (uint4 *)d_part1, d_bad);
    CZ_TRY_LAUNCH(k_decode);
    return CZ_OK;
}

void cz_gpu_points_fill(cz_gpu_backend *table)
{
    table->points_decode = decode;
}
