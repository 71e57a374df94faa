/* fold_gpu.h: keys into which C is folded, on a CUDA device: transforms of a list of points, and
 * sparse columns of points.
 *
 * The transform is of the domain of n = 2^log_n roots of unity, h's points being its input and the
 * last of n infinity (docs/decisions/050-c-fold.md). Its result stays on the device; points of it
 * are read from there, and columns of a matrix are multiplied with it.
 *
 * Method: n log2(n) / 2 products of a point and a root of unity, affine points between layers;
 * fold_device.h says how. Cost of a transform of 2^27 points: 27 2^26 products of a point, each
 * some 1,480 products in Fp, and 12.9 GB of device memory.
 *
 * What is computed is checked nowhere here: whoever keeps it checks it (params/fold.h).
 *
 * Threads: as the cz_gpu. Errors of all: CZ_E_CUDA; CZ_E_NOMEM with the bytes needed and left. */
#ifndef CZ_PARAMS_FOLD_GPU_H
#define CZ_PARAMS_FOLD_GPU_H

#include "base/pool.h"
#include "curve/curve.h"
#include "gpu/gpu.h"
#include "params/params.h"

typedef struct cz_fold_gpu cz_fold_gpu;

/** For the list h of `params`, which has n - 1 points; the file and the pool must stay. Device
 * memory: 96 n bytes, and up to 0.5 GiB for work; 50 MiB pinned; while points are read 100 MiB more
 * of each. CZ_E_DECLINED: not 2^log_n - 1 points, log_n 1 … 27. */
CZ_MUST_CHECK cz_err cz_fold_gpu_create(cz_gpu *gpu, cz_fold_gpu **out, const cz_params *params,
                                        cz_pool *pool);

/** NULL is fine. Waits for the device. */
void cz_fold_gpu_destroy(cz_fold_gpu *f);

/** Points of a transform. */
size_t cz_fold_gpu_size(const cz_fold_gpu *f);

/* Told after each step of a transform, the points read being the first and their scaling the
 * second; at most log_n + 2 of them. */
typedef struct {
    void (*step)(void *ctx, unsigned done, unsigned of, double seconds);
    void *ctx;
} cz_fold_gpu_progress;

/** T_j = sum of factor base^i w^(-ij) h_i, for all j < n, w the domain's root. Reads h anew; what
 * the device had before is lost. `progress` may be NULL. CZ_E_INPUT: a damaged point, named;
 * CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_fold_gpu_transform(cz_fold_gpu *f, const cz_fr *factor, const cz_fr *base,
                                           const cz_fold_gpu_progress *progress);

/** T_first … T_(first + n - 1), uncompressed. CZ_E_DECLINED names the first that is infinity. */
CZ_MUST_CHECK cz_err cz_fold_gpu_points(cz_fold_gpu *f, uint8_t *encoded, size_t first, size_t n);

/* Neighbouring columns of a matrix. */
typedef struct {
    size_t n;
    const uint32_t *start;       /* n + 1: entries start[k] … start[k + 1] - 1 are column k's */
    const uint32_t *row;         /* an entry's, below the size */
    const uint32_t *coefficient; /* an entry's number in the table of coefficients */
    const cz_point_list *list;   /* of the params; its point first + k counts to column k; NULL: no
                                    list */
    size_t first;
} cz_fold_columns;

/** The table of coefficients of all columns from now on; it is copied. Any values; 1 and -1 are
 * fast, others cost a product of a point. At most 2^31. */
CZ_MUST_CHECK cz_err cz_fold_gpu_coefficients(cz_fold_gpu *f, const cz_fr *coefficients, size_t n);

/** encoded[k] = (the list's point of column k, or infinity) + sum over its entries of coefficient *
 * T_row, uncompressed. Any number of columns, of any lengths: they go to the device in parts.
 * `infinite`, (n + 63) / 64 words, gets the bits of those that are infinity; NULL: none may be,
 * else CZ_E_DECLINED names the first. CZ_E_INPUT: a damaged point of the list; CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_fold_gpu_columns(cz_fold_gpu *f, uint8_t *encoded, uint64_t *infinite,
                                         const cz_fold_columns *columns);

#endif
