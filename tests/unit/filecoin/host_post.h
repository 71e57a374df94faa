/* host_post.h: what post_cuda.cu does, on the host: the same text, thread after thread. */
#ifndef CZ_TESTS_HOST_POST_H
#define CZ_TESTS_HOST_POST_H

#include "filecoin/post_device.h"
#include "host_gpu.h"

static inline cz_err host_post_witness(cz_gpu *gpu, const cz_post_device *p)
{
    (void)gpu;
    for (uint32_t i = 0; i < p->n_sectors; i++)
        cz_post_device_head(p, i);
    for (uint32_t i = 0; i < p->n_sectors * p->n_challenges; i++)
        cz_post_device_path(p, i);
    return CZ_OK;
}

#endif
