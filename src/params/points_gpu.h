/* points_gpu.h: the points of a parameter file onto a CUDA device.
 *
 * Chunks of the file go through two pinned buffers: threads read one while the device takes and
 * converts the other. Encodings and the curve equation are checked there as cz_params_load_g1 does
 * here; a damaged point is named by that function, so the message is the same. */
#ifndef CZ_PARAMS_POINTS_GPU_H
#define CZ_PARAMS_POINTS_GPU_H

#include "gpu/gpu.h"
#include "params/params.h"

/* Buffers for any number of lists. */
typedef struct cz_points_gpu cz_points_gpu;

/** For the lists of `params`: at most 100 MiB of pinned memory and as much of the device's, of
 * which cz_points_gpu_bytes are counted. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_points_gpu_create(cz_gpu *gpu, cz_points_gpu **out,
                                          const cz_params *params);
void cz_points_gpu_destroy(cz_points_gpu *p);
uint64_t cz_points_gpu_bytes(const cz_params *params);

/* Where the points of a list go, in two parts. */
typedef struct {
    /* Fill `to` for points [first, first + n): the place in part 0, or with CZ_POINTS_PART1 in part
     * 1. Chunks come in order. NULL: all in part 0, in order. */
    void (*places)(void *ctx, uint32_t *to, size_t first, size_t n);
    void *ctx;
    void *d_part[2]; /* of cz_g1_affine or cz_g2_affine */
} cz_points_layout;

/** A point that the device refuses, number `bad` of its list: the host's loader says what is wrong
 * with it. CZ_E_INPUT, as a rule. */
CZ_MUST_CHECK cz_err cz_points_gpu_name_bad(const cz_params *params, const cz_point_list *list,
                                            uint32_t bad);

#define CZ_POINTS_PART1 0x80000000u

/** Load a whole list; which group follows from the list. Returns when all is there. CZ_E_INPUT for
 * a damaged point, CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_points_gpu_load(cz_points_gpu *p, const cz_params *params,
                                        const cz_point_list *list, cz_pool *pool,
                                        const cz_points_layout *layout);

#endif
