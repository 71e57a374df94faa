/* msm_gpu.h: sums over G1 on a CUDA device, with resident points.
 *
 * Same values as msm.h's cz_msm_g1 and cz_bit_sum_g1, affine. Method: the endomorphism halves the
 * scalars, signed digits, a radix sort, batch-affine additions in trees, batch-affine row and
 * column sums; msm_plan.h chooses windows, pair_cuda.h holds the kernel that does nearly all work.
 *
 * A cz_gpu_msm owns the points, an optional table of multiples of them, and all scratch, as one
 * block of device memory with a printable map. Points: affine, Montgomery, in the subgroup of order
 * r (the endomorphism needs that); (0, 0) is infinity; any repetitions. Scalars: below 2^255.
 *
 * Calls wait for the device where the host must know counts; they return with the result.
 * Threads: as the cz_gpu. Timing depends on the scalars. */
#ifndef CZ_MSM_MSM_GPU_H
#define CZ_MSM_MSM_GPU_H

#include "curve/curve.h"
#include "gpu/gpu.h"

typedef enum {
    CZ_MSM_PLAIN_SCALARS,     /* cz_u256 */
    CZ_MSM_MONTGOMERY_SCALARS /* cz_fr */
} cz_msm_scalars;

/** For sums of n points, n from 1 to 2^27. tables: 1, or 2 for a table of n further points, which
 * saves about 4 % of the time. Memory at 2^27: 75 GB, with a table 89 GB.
 * CZ_E_NOMEM says what is needed; CZ_E_DECLINED above 2^27. */
CZ_MUST_CHECK cz_err cz_msm_gpu_create(cz_gpu *gpu, cz_gpu_msm **out, size_t n, unsigned tables);

/** NULL is fine. Waits for the device. */
void cz_msm_gpu_destroy(cz_gpu_msm *msm);

/** Where the caller puts the n points (device memory), before cz_msm_gpu_points_ready. */
cz_g1_affine *cz_msm_gpu_points(cz_gpu_msm *msm);

/** The points are there (queued on the compute queue, or synchronised): make the table. */
CZ_MUST_CHECK cz_err cz_msm_gpu_points_ready(cz_gpu_msm *msm);

/** The sum of scalars[i] points[i]. d_scalars: n of them, device memory. phases may be NULL.
 * CZ_E_DECLINED: so many scalars share digits that the lists exceed the plan's memory (only with
 * tables = 2, of a large sum). */
CZ_MUST_CHECK cz_err cz_msm_gpu_run(cz_gpu_msm *msm, cz_g1 *out, const void *d_scalars,
                                    cz_msm_scalars form, cz_gpu_phases *phases);

/** The sum of the points whose bit is set; d_bits: n bits in words of 64, device memory. */
CZ_MUST_CHECK cz_err cz_msm_gpu_bit_sum(cz_gpu_msm *msm, cz_g1 *out, const uint64_t *d_bits,
                                        cz_gpu_phases *phases);

#endif
