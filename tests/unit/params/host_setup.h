/* host_setup.h: what setup_cuda.cu does, on the host: the same text, point after point. */
#ifndef CZ_TESTS_HOST_SETUP_H
#define CZ_TESTS_HOST_SETUP_H

#include "host_gpu.h"

cz_err host_setup_multiples(cz_gpu *gpu, int g2, void *bytes, const void *table, unsigned c,
                            const void *scalars, size_t n, void *scratch);

#endif
