/* host_fold.h: what fold_cuda.cu does, on the host: the same text, item after item. */
#ifndef CZ_TESTS_HOST_FOLD_H
#define CZ_TESTS_HOST_FOLD_H

#include "host_gpu.h"
#include "host_points.h"

cz_err host_fold_multiply(cz_gpu *gpu, const struct cz_fold_task *task);

cz_err host_fold_encode(cz_gpu *gpu, void *bytes, const void *points, unsigned log_n, size_t first,
                        size_t n);

cz_err host_fold_columns(cz_gpu *gpu, const struct cz_fold_part *part);

/** Before host_gpu_open: what cz_fold_gpu needs. */
static inline void host_fold_fill(void)
{
    host_gpu_table.points_decode = host_points_decode;
    host_gpu_table.fold_multiply = host_fold_multiply;
    host_gpu_table.fold_encode = host_fold_encode;
    host_gpu_table.fold_columns = host_fold_columns;
}

#endif
