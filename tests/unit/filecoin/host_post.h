/* host_post.h: what post_cuda.cu does, on the host: the same text, thread after thread. */
#ifndef CZ_TESTS_HOST_POST_H
#define CZ_TESTS_HOST_POST_H

#include "host_gpu.h"

cz_err host_post_witness(cz_gpu *gpu, const struct cz_post_device *p);

#endif
