/* setup_gpu.h: a test setup's points from a CUDA device, as a parameter file's bytes.
 *
 * Scalars go up in chunks and come back as encoded multiples of the group's generator
 * (setup_device.h) in pinned memory; two chunks may be on their way, so that the device computes
 * one while threads write the other. The last point of every chunk is computed here as well: a
 * device that reckons wrongly is found out.
 *
 * Threads: as the cz_gpu. */
#ifndef CZ_PARAMS_SETUP_GPU_H
#define CZ_PARAMS_SETUP_GPU_H

#include "base/pool.h"
#include "curve/curve.h"
#include "gpu/gpu.h"

/** The table of setup_device.h for windows of c bits (8 or 16): cz_setup_table_points(c) affine
 * points. */
CZ_MUST_CHECK cz_err cz_setup_table(void *points, cz_gpu_group group, unsigned c, cz_pool *pool);

typedef struct cz_setup_gpu cz_setup_gpu;

/** For lists of at most `longest` points, by group; 0: none. Memory: up to 0.7 GiB of the device's
 * and 0.26 GiB pinned; tables are made by the pool's threads. CZ_E_NOMEM; CZ_E_CUDA. */
CZ_MUST_CHECK cz_err cz_setup_gpu_create(cz_gpu *gpu, cz_setup_gpu **out,
                                         const size_t longest[CZ_GPU_GROUPS], cz_pool *pool);

/** NULL is fine. Waits for the device. */
void cz_setup_gpu_destroy(cz_setup_gpu *s);

/** Points of a chunk, at most: at least CZ_SETUP_GPU_LEAST, or the longest list. */
enum { CZ_SETUP_GPU_LEAST = 1 << 10 };
size_t cz_setup_gpu_chunk(const cz_setup_gpu *s, cz_gpu_group group);

/** Where the scalars of the next chunk go. At most one chunk may be on its way. */
cz_fr *cz_setup_gpu_scalars(cz_setup_gpu *s);

/** Send the chunk: n of them, at least 1, times the group's generator. */
CZ_MUST_CHECK cz_err cz_setup_gpu_begin(cz_setup_gpu *s, cz_gpu_group group, size_t n);

/** Wait for the earliest chunk that is on its way: its points' bytes, until two more are begun.
 * CZ_E_CUDA: also when its last point is wrong. */
CZ_MUST_CHECK cz_err cz_setup_gpu_end(cz_setup_gpu *s, const uint8_t **bytes, size_t *n);

#endif
