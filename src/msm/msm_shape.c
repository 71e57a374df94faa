/* msm_shape.c: see msm_shape.h. */
#include "msm/msm_shape.h"

#include <string.h>

enum { LOG_FREE_BUCKETS = 20 };

void cz_msm_shape_init(cz_msm_shape *s, unsigned c)
{
    memset(s, 0, sizeof *s);
    s->c = c;
    s->n_windows = (CZ_MSM_SCALAR_BITS + c - 1) / c;
    /* The top digit is at most 2^top_bits: what is left of 255 bits, and a carry. */
    s->top_bits = CZ_MSM_SCALAR_BITS - c * (s->n_windows - 1);
    for (unsigned w = 0; w + 1 < s->n_windows; w++) {
        unsigned bit = c * w + c - 1;

        s->offset[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

/* Many buckets, 128 to 256 bytes each, only beside many points. */
static bool too_many_buckets(const cz_msm_shape *s, size_t n)
{
    size_t buckets = cz_msm_n_buckets(s);

    return buckets > (size_t)1 << LOG_FREE_BUCKETS && buckets > n / 4;
}

void cz_msm_shape_choose(cz_msm_shape *s, size_t n, unsigned per_bucket, unsigned max_window)
{
    uint64_t best_cost = UINT64_MAX;
    unsigned best = 2;

    for (unsigned c = 2; c <= max_window; c++) {
        uint64_t cost;

        cz_msm_shape_init(s, c);
        cost = (uint64_t)n * s->n_windows + (uint64_t)per_bucket * cz_msm_n_buckets(s);
        if (cost < best_cost && !too_many_buckets(s, n)) {
            best_cost = cost;
            best = c;
        }
    }
    cz_msm_shape_init(s, best);
}
