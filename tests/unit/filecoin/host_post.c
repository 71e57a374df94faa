/* host_post.c: see host_post.h. */
#include "host_post.h"

#include "filecoin/post_device.h"

cz_err host_post_witness(cz_gpu *gpu, const cz_post_device *p)
{
    (void)gpu;
    for (uint32_t i = 0; i < p->n_sectors; i++)
        cz_post_device_head(p, i);
    for (uint32_t i = 0; i < p->n_sectors * p->n_challenges; i++)
        cz_post_device_path(p, i);
    return CZ_OK;
}
