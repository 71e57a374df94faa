/* eval_cuda.cu: the rows of a compiled circuit on a CUDA device; eval_device.h says how. */
#include "cs/eval_device.h"
#include "gpu/device_cuda.h"

enum { EVAL_THREADS = 128 };

/* One warp: the sum of all lanes' digits to lane 0. */
static __device__ __forceinline__ void add_lanes(int64_t digits[CZ_EVAL_DIGITS])
{
#pragma unroll
    for (int d = 0; d < CZ_EVAL_DIGITS; d++)
#pragma unroll
        for (int lanes = 16; lanes > 0; lanes /= 2)
            digits[d] += __shfl_down_sync(0xffffffffu, (long long)digits[d], lanes);
}

/** a, b, c of all constraints, those of them that are not NULL.
 *
 * Launch  grid: items, block EVAL_THREADS */
static __global__ void __launch_bounds__(EVAL_THREADS)
    k_eval_rows(const __grid_constant__ cz_eval_tables t, const uint32_t *plane,
                const cz_fr32 *values, cz_fr32 *a, cz_fr32 *b, cz_fr32 *c)
{
    __shared__ uint32_t bits[CZ_EVAL_BIT_WORDS];
    const cz_eval_item item = t.items[blockIdx.x];
    const cz_eval_instance x = t.instances[item.instance];
    const cz_eval_template shape = t.templates[x.template_index];
    cz_fr32 *const out[3] = {a, b, c};
    const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (uint32_t i = threadIdx.x; i < shape.n_columns / 32 + 2; i += EVAL_THREADS)
        bits[i] = 0;
    __syncthreads();
    cz_eval_load_columns(bits, &t, &x, plane, threadIdx.x, EVAL_THREADS);
    __syncthreads();

    const cz_eval_place at = cz_eval_at(&t, &x, bits, values);

    for (uint32_t i = threadIdx.x; i < item.n_rows; i += EVAL_THREADS) {
        const uint32_t k = item.first_row + i;
        const cz_eval_row row = t.rows[shape.first_row + k];

        cz_eval_light_row(out, (uint64_t)x.first_row + k, &at, &row);
    }
    for (uint32_t i = threadIdx.x; i < item.n_long; i += EVAL_THREADS)
        cz_eval_long_sum(out, &at, &x, &item, i);
    for (uint32_t i = warp; i < item.n_wide; i += EVAL_THREADS / 32) {
        const uint32_t which = t.wide[item.first_wide + i], k = which / 4;
        const int m = (int)(which % 4);
        const cz_eval_row row = t.rows[shape.first_row + k];
        cz_fr32 *const to = m == 0 ? a : m == 1 ? b : c;
        int64_t digits[CZ_EVAL_DIGITS] = {0};

        if (to == NULL)
            continue;
        cz_eval_wide_part(digits, &at, cz_eval_terms(&t, &row, m), row.n[m], lane, 32);
        add_lanes(digits);
        if (lane == 0) {
            uint32_t v[8];

            cz_eval_from_digits(v, digits);
            cz_fr32_write(&to[(uint64_t)x.first_row + k], v);
        }
    }
}

static cz_err eval_rows(cz_gpu *gpu, const cz_eval_tables *tables, const void *d_bits,
                        const void *d_values, void *d_a, void *d_b, void *d_c)
{
    CZ_TRY(cz_gpu_enter(gpu));
    if (tables->n_items == 0)
        return CZ_OK;
    k_eval_rows<<<tables->n_items, EVAL_THREADS, 0, gpu->stream[CZ_GPU_COMPUTE]>>>(
        *tables, (const uint32_t *)d_bits, (const cz_fr32 *)d_values, (cz_fr32 *)d_a,
        (cz_fr32 *)d_b, (cz_fr32 *)d_c);
    CZ_TRY_LAUNCH(k_eval_rows);
    return CZ_OK;
}

void cz_gpu_eval_fill(cz_gpu_backend *table)
{
    table->eval_rows = eval_rows;
}
