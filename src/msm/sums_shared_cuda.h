/* sums_shared_cuda.h: the values that many scalars of a sum share, by a sample (shared_values.h).
 *
 * A value that a share f of the scalars have is seen 2048 f times on average. Zeros cost nothing
 * anyway. Random scalars never repeat.
 *
 * For sums_body_cuda.h alone. */
#ifndef CZ_MSM_SUMS_SHARED_CUDA_H
#define CZ_MSM_SUMS_SHARED_CUDA_H

#include "msm/shared_values.h"
#include "msm/sums_layout_cuda.h"

enum { SHARED_MIN_TERMS = 1 << 14 };

static_assert((int)SAMPLES == (int)SHARED_SAMPLES && (int)MAX_SHARED == (int)SHARED_MAX_VALUES &&
                  (SAMPLES + MAX_SHARED) * sizeof(cz_shared_scalar) == SUM_SAMPLE_BYTES,
              "pinned memory of samples and values");

/* Fills *shared, whose n is 0 when there are no such values; waits for the device. */
static inline cz_err find_shared_values(sum_state *s, const uint4 *scalars, const uint32_t *index,
                                        list_shared *shared)
{
    cz_shared_scalar *samples = (cz_shared_scalar *)s->sums->h_samples, *values = samples + SAMPLES;

    *shared = {};
    if (s->plan.n < SHARED_MIN_TERMS)
        return CZ_OK;
    k_sample<<<SAMPLES / 256, 256, 0, s->stream>>>(scalars, s->samples, s->plan.n);
    CZ_TRY_LAUNCH(k_sample);
    CZ_TRY_CUDA(cudaMemcpyAsync(samples, s->samples, SAMPLES * sizeof *samples,
                                cudaMemcpyDeviceToHost, s->stream));
    CZ_TRY_CUDA(cudaMemsetAsync(s->used + USED_SHARED, 0, 4, s->stream));
    CZ_TRY_CUDA(cudaStreamSynchronize(s->stream));
    *shared = {s->values,  cz_shared_find(values, samples),
               index,      s->keys[0],
               s->refs[0], s->used + USED_SHARED};
    if (shared->n == 0)
        return CZ_OK;
    CZ_TRY_CUDA(cudaMemcpyAsync(s->values, values, shared->n * sizeof *values,
                                cudaMemcpyHostToDevice, s->stream));
    return CZ_OK;
}

#endif
