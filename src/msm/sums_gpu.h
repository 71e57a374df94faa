/* sums_gpu.h: sums over G1 and G2 on a CUDA device, of points that lie anywhere in its memory.
 *
 * Same values as msm.h's cz_msm_g1/_g2 and cz_bit_sum_g1/_g2. Method: the endomorphism halves the
 * scalars, signed digits, two partitions or a radix sort, batch-affine additions in trees,
 * batch-affine row and column sums, bit sums, the last step on the host; msm_plan.h chooses
 * windows, pair_cuda.h holds the kernel that does nearly all work. Several bit sums over the same
 * points share a sort by the points' patterns of bits [Pip76].
 *
 * A cz_gpu_sums is scratch alone, one block with a printable map, large enough for the shapes that
 * it was made for; sums of both groups take turns in it. The points are the caller's: resident, or
 * a chunk of a stream, at a multiple of 32 bytes. Points: affine, Montgomery, in the subgroup of
 * order r (the endomorphism needs that); (0, 0) is infinity; any repetitions. Scalars: below 2^255,
 * of any distribution: what repeats or is small costs no more than random scalars. What is zero
 * costs next to nothing.
 *
 * A sum is queued behind the compute queue's work and the call returns with the result; it waits
 * for the device, where the host must know counts and at the end.
 *
 * Limits: CZ_SUMS_GPU_MAX_TERMS; points, their tables and scratch have at most 2^32 / 3 elements,
 * over G2 2^32 / 6: enough for as many points, of G1 with four tables.
 *
 * Threads: as the cz_gpu. Timing depends on the scalars. */
#ifndef CZ_MSM_SUMS_GPU_H
#define CZ_MSM_SUMS_GPU_H

#include "curve/curve.h"
#include "gpu/gpu.h"

/* A domain of 2^27, and a list's tail that joins its sum. */
enum { CZ_SUMS_GPU_MAX_TERMS = (1 << 27) + (1 << 25) };

/** Bytes of scratch that do for any of the shapes. CZ_E_DECLINED: one is beyond the limits, or
 * cannot do with its max_bytes. */
CZ_MUST_CHECK cz_err cz_sums_gpu_bytes(cz_gpu *gpu, uint64_t *bytes,
                                       const cz_gpu_sums_shape *shapes, size_t n_shapes);

/** Scratch for sums up to the shapes. d_memory: the caller's, cz_sums_gpu_bytes() of it, aligned to
 * 256 bytes, whose contents need not last between sums; NULL: taken from the device's budget.
 * CZ_E_NOMEM, CZ_E_DECLINED. */
CZ_MUST_CHECK cz_err cz_sums_gpu_create(cz_gpu *gpu, cz_gpu_sums **out,
                                        const cz_gpu_sums_shape *shapes, size_t n_shapes,
                                        void *d_memory);

/** NULL is fine. Waits for the device. */
void cz_sums_gpu_destroy(cz_gpu_sums *sums);

/** Make the tables of n points, for full-width sums over all of them with that many tables, 2 or 4,
 * their own counted: n further points from d_points[n] on for each other. Two save about 4 % of
 * such a sum, four about 6 %; of no use with an index. */
CZ_MUST_CHECK cz_err cz_sums_gpu_make_tables(cz_gpu_sums *sums, cz_gpu_group group, void *d_points,
                                             size_t n, unsigned tables);

/** The sum of terms of G1 (G2). phases may be NULL. CZ_E_ARG: larger than the scratch's shapes. */
CZ_MUST_CHECK cz_err cz_sums_gpu_full_g1(cz_gpu_sums *sums, cz_g1 *out, const cz_gpu_terms *terms,
                                         cz_gpu_phases *phases);
CZ_MUST_CHECK cz_err cz_sums_gpu_full_g2(cz_gpu_sums *sums, cz_g2 *out, const cz_gpu_terms *terms,
                                         cz_gpu_phases *phases);

/** The sum of the points whose bit is set; n points and n bits in words of 64, device memory; bits
 * from n on are ignored. CZ_E_ARG as above. */
CZ_MUST_CHECK cz_err cz_sums_gpu_bits_g1(cz_gpu_sums *sums, cz_g1 *out,
                                         const cz_g1_affine *d_points, const uint64_t *d_bits,
                                         size_t n, cz_gpu_phases *phases);
CZ_MUST_CHECK cz_err cz_sums_gpu_bits_g2(cz_gpu_sums *sums, cz_g2 *out,
                                         const cz_g2_affine *d_points, const uint64_t *d_bits,
                                         size_t n, cz_gpu_phases *phases);

/** Bit sums of n_planes planes over the same points, out[j] by d_planes[j] (a host array of device
 * addresses; planes as above): one addition a point in all, where each sum alone takes half a one.
 * n_planes at most CZ_GPU_MAX_PLANES and the shape's; one plane is a plain bit sum. CZ_E_ARG. */
CZ_MUST_CHECK cz_err cz_sums_gpu_bits_g1_many(cz_gpu_sums *sums, cz_g1 *out,
                                              const cz_g1_affine *d_points,
                                              const uint64_t *const *d_planes, unsigned n_planes,
                                              size_t n, cz_gpu_phases *phases);
CZ_MUST_CHECK cz_err cz_sums_gpu_bits_g2_many(cz_gpu_sums *sums, cz_g2 *out,
                                              const cz_g2_affine *d_points,
                                              const uint64_t *const *d_planes, unsigned n_planes,
                                              size_t n, cz_gpu_phases *phases);

#endif
