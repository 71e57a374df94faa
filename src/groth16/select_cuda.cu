/* select_cuda.cu: what of a witness belongs to a list's points, on a CUDA device: bits, and scalars
 * as they are or times a factor, in the order of the points; and where a stretch's points go. */
#include "gpu/device_cuda.h"
#include "groth16/select_device.h"

enum { SELECT_THREADS = 256 };

/** The bits at set places of the mask, together, from bit ranks[w] - first_bit on for word w; bits
 * before number first_bit are left out; `out` is zero.
 *
 * Launch  a thread a word */
static __global__ void __launch_bounds__(SELECT_THREADS)
    k_select_bits(unsigned long long *out, const uint64_t *bits, const uint64_t *mask,
                  const uint32_t *ranks, uint64_t n_words, uint32_t first_bit)
{
    const uint64_t w = (uint64_t)blockIdx.x * SELECT_THREADS + threadIdx.x;
    uint32_t rank, shift;
    uint64_t v;

    if (w >= n_words)
        return;
    v = cz_select_compress(bits[w], mask[w]);
    v = cz_select_moved(v, ranks[w], first_bit, &rank);
    if (v == 0)
        return;
    shift = rank % 64;
    atomicOr(out + rank / 64, (unsigned long long)(v << shift));
    if (shift > 0 && v >> (64 - shift) != 0)
        atomicOr(out + rank / 64 + 1, (unsigned long long)(v >> (64 - shift)));
}

/** out[i] = values[at[i]], 32 bytes each, half a value a thread. */
static __global__ void __launch_bounds__(SELECT_THREADS)
    k_select_values(uint4 *out, const uint4 *values, const uint32_t *at, uint64_t n)
{
    const uint64_t i = (uint64_t)blockIdx.x * SELECT_THREADS + threadIdx.x;

    if (i < 2 * n)
        out[i] = __ldg(values + 2 * (uint64_t)at[i / 2] + i % 2);
}

/** out[i] = *factor values[at[i]]. The factor is secret, so it comes from memory, which is erased,
 * and not as an argument.
 *
 * Launch  a thread a value */
static __global__ void __launch_bounds__(SELECT_THREADS)
    k_select_products(cz_fr32 *out, const cz_fr32 *values, const uint32_t *at, uint64_t n,
                      const cz_fr32 *factor)
{
    const uint64_t i = (uint64_t)blockIdx.x * SELECT_THREADS + threadIdx.x;

    if (i < n)
        cz_select_product(out + i, values + at[i], factor);
}

/** Places of a stretch's points: those of inputs, then word after word.
 *
 * Launch  a thread an input and a word */
static __global__ void __launch_bounds__(SELECT_THREADS)
    k_select_places(uint32_t *to, const __grid_constant__ cz_select_words words,
                    const __grid_constant__ cz_select_stretch stretch)
{
    const uint32_t i = blockIdx.x * SELECT_THREADS + threadIdx.x;

    if (i < stretch.n_inputs)
        cz_select_input_place(to, i, &stretch);
    else if (i - stretch.n_inputs < words.n_words)
        cz_select_word_places(to, &words, i - stretch.n_inputs, &stretch);
}

static unsigned blocks_for(uint64_t n)
{
    return (unsigned)((n + SELECT_THREADS - 1) / SELECT_THREADS);
}

static cz_err select_bits(cz_gpu *gpu, uint64_t *d_out, const uint64_t *d_bits,
                          const uint64_t *d_mask, const uint32_t *d_ranks, size_t n_words,
                          uint32_t first_bit)
{
    CZ_TRY(cz_gpu_enter(gpu));
    if (n_words == 0)
        return CZ_OK;
    k_select_bits<<<blocks_for(n_words), SELECT_THREADS, 0, gpu->stream[CZ_GPU_COMPUTE]>>>(
        (unsigned long long *)d_out, d_bits, d_mask, d_ranks, n_words, first_bit);
    CZ_TRY_LAUNCH(k_select_bits);
    return CZ_OK;
}

static cz_err select_values(cz_gpu *gpu, void *d_out, const void *d_values, const uint32_t *d_at,
                            size_t n)
{
    CZ_TRY(cz_gpu_enter(gpu));
    if (n == 0)
        return CZ_OK;
    k_select_values<<<blocks_for(2 * (uint64_t)n), SELECT_THREADS, 0,
                      gpu->stream[CZ_GPU_COMPUTE]>>>((uint4 *)d_out, (const uint4 *)d_values, d_at,
                                                     n);
    CZ_TRY_LAUNCH(k_select_values);
    return CZ_OK;
}

static cz_err select_products(cz_gpu *gpu, void *d_out, const void *d_values, const uint32_t *d_at,
                              size_t n, const void *d_factor)
{
    CZ_TRY(cz_gpu_enter(gpu));
    if (n == 0)
        return CZ_OK;
    k_select_products<<<blocks_for(n), SELECT_THREADS, 0, gpu->stream[CZ_GPU_COMPUTE]>>>(
        (cz_fr32 *)d_out, (const cz_fr32 *)d_values, d_at, n, (const cz_fr32 *)d_factor);
    CZ_TRY_LAUNCH(k_select_products);
    return CZ_OK;
}

static cz_err select_places(cz_gpu *gpu, uint32_t *d_to, const cz_select_words *words,
                            const cz_select_stretch *stretch)
{
    const uint64_t threads = (uint64_t)stretch->n_inputs + words->n_words;

    CZ_TRY(cz_gpu_enter(gpu));
    if (threads == 0)
        return CZ_OK;
    k_select_places<<<blocks_for(threads), SELECT_THREADS, 0, gpu->stream[CZ_GPU_COMPUTE]>>>(
        d_to, *words, *stretch);
    CZ_TRY_LAUNCH(k_select_places);
    return CZ_OK;
}

void cz_gpu_select_fill(cz_gpu_backend *table)
{
    table->select_bits = select_bits;
    table->select_values = select_values;
    table->select_products = select_products;
    table->select_places = select_places;
}
