/* msm_shape.c: see msm_shape.h. */
#include "msm/msm_shape.h"

#include <string.h>

#include "msm/msm.h"

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

/* --- rules, for measurements --- */

static cz_msm_window window_rule = CZ_MSM_WINDOW_BY_SIZE;
static unsigned fixed_window;

void cz_msm_set_window(cz_msm_window rule, unsigned bits)
{
    CZ_ASSERT(rule != CZ_MSM_WINDOW_FIXED || (bits >= 2 && bits <= CZ_MSM_MAX_WINDOW));
    window_rule = rule;
    fixed_window = bits;
}

/* ln(2^k), rounded up. */
static unsigned table_window(size_t n)
{
    static const unsigned char windows[] = {2,  2,  2,  3,  3,  4,  5,  5,  6,  7,
                                            7,  8,  9,  10, 10, 11, 12, 12, 13, 14,
                                            14, 15, 16, 16, 17, 18, 19, 19, 20};
    size_t k = 0;

    while (k + 1 < sizeof windows && (size_t)1 << k < n)
        k++;
    return windows[k];
}

void cz_msm_shape_rule(cz_msm_shape *s, size_t n, unsigned per_bucket, unsigned max_window)
{
    unsigned c = window_rule == CZ_MSM_WINDOW_TABLE ? table_window(n) : fixed_window;

    if (window_rule == CZ_MSM_WINDOW_BY_SIZE)
        cz_msm_shape_choose(s, n, per_bucket, max_window);
    else
        cz_msm_shape_init(s, c < max_window ? c : max_window);
}
