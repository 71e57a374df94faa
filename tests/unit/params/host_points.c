/* host_points.c: see host_points.h. */
#include "host_points.h"

#include <string.h>

#include "params/points_device.h"

cz_err host_points_decode(cz_gpu *gpu, int g2, const void *bytes, const uint32_t *to, size_t n,
                          uint32_t first, void *part0, void *part1, uint32_t *bad)
{
    const size_t words = g2 ? CZ_POINT_G2_WORDS : CZ_POINT_G1_WORDS;
    const uint32_t *in = bytes;

    (void)gpu;
    for (size_t i = 0; i < n; i++, in += words) {
        uint32_t point[CZ_POINT_G2_WORDS];
        const uint32_t place = to != NULL ? to[i] : (uint32_t)i;
        uint32_t *out = place & CZ_POINT_PART1 ? part1 : part0;

        if (!(g2 ? cz_point_decode_g2(point, in) : cz_point_decode_g1(point, in))) {
            if (first + i < *bad)
                *bad = (uint32_t)(first + i);
            continue;
        }
        memcpy(out + words * (place & ~CZ_POINT_PART1), point, words * sizeof *point);
    }
    return CZ_OK;
}
