/* host_points.h: what points_cuda.cu does, on the host: the same text, point after point. */
#ifndef CZ_TESTS_HOST_POINTS_H
#define CZ_TESTS_HOST_POINTS_H

#include "host_gpu.h"

cz_err host_points_decode(cz_gpu *gpu, int g2, const void *bytes, const uint32_t *to, size_t n,
                          uint32_t first, void *part0, void *part1, uint32_t *bad);

#endif
