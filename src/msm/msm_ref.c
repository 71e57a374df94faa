/* msm_ref.c: the definitions of msm.h: double and add, one bit of all scalars at a time. Never
 * tuned. */
#include "msm/msm.h"

static unsigned bit_of(const uint64_t *limbs, size_t i)
{
    return limbs[i / 64] >> (i % 64) & 1;
}

#define DEFINE_REFERENCE(G)                                                                        \
    void cz_bit_sum_ref_##G(cz_##G *out, const cz_##G##_affine *points, const uint64_t *bits,      \
                            size_t n)                                                              \
    {                                                                                              \
        cz_##G##_set_infinity(out);                                                                \
        for (size_t i = 0; i < n; i++)                                                             \
            if (bit_of(bits, i) != 0)                                                              \
                cz_##G##_add_affine(out, out, &points[i]);                                         \
    }                                                                                              \
                                                                                                   \
    void cz_msm_ref_##G(cz_##G *out, const cz_##G##_affine *points, const cz_u256 *scalars,        \
                        size_t n)                                                                  \
    {                                                                                              \
        cz_##G##_set_infinity(out);                                                                \
        for (size_t bit = 256; bit-- > 0;) {                                                       \
            cz_##G##_dbl(out, out);                                                                \
            for (size_t i = 0; i < n; i++)                                                         \
                if (bit_of(scalars[i].l, bit) != 0)                                                \
                    cz_##G##_add_affine(out, out, &points[i]);                                     \
        }                                                                                          \
    }

DEFINE_REFERENCE(g1)
DEFINE_REFERENCE(g2)
