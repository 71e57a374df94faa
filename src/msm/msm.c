/* msm.c: the entries of msm.h: arguments checked, the best form chosen, once. */
#include "msm/msm.h"

#include "msm/msm_forms.h"

enum { MAX_LOG_N = 28 };

static cz_err check_n(size_t n)
{
    if (n > (size_t)1 << MAX_LOG_N)
        return cz_fail(CZ_E_ARG, "%zu points in one sum, at most 2^%d are supported", n, MAX_LOG_N);
    return CZ_OK;
}

static const cz_msm_g1_form *const g1_forms[] = {&cz_msm_ifma_g1, &cz_msm_cpu_g1};
static const cz_msm_g2_form *const g2_forms[] = {&cz_msm_ifma_g2, &cz_msm_cpu_g2};

#define DEFINE_ENTRIES(G)                                                                          \
    const cz_msm_##G##_form *const *cz_msm_##G##_forms(size_t *n)                                  \
    {                                                                                              \
        *n = sizeof G##_forms / sizeof G##_forms[0];                                               \
        return G##_forms;                                                                          \
    }                                                                                              \
                                                                                                   \
    /* The last form runs everywhere. */                                                           \
    static const cz_msm_##G##_form *best_##G(void)                                                 \
    {                                                                                              \
        size_t i = 0;                                                                              \
                                                                                                   \
        while (!G##_forms[i]->runs_here())                                                         \
            i++;                                                                                   \
        return G##_forms[i];                                                                       \
    }                                                                                              \
                                                                                                   \
    cz_err cz_msm_##G(cz_pool *pool, cz_##G *out, const cz_##G##_affine *points,                   \
                      const cz_u256 *scalars, size_t n)                                            \
    {                                                                                              \
        CZ_TRY(check_n(n));                                                                        \
        if (n == 0) {                                                                              \
            cz_##G##_set_infinity(out);                                                            \
            return CZ_OK;                                                                          \
        }                                                                                          \
        CZ_ASSERT(points != NULL && scalars != NULL);                                              \
        return best_##G()->msm(pool, out, points, scalars, n);                                     \
    }                                                                                              \
                                                                                                   \
    cz_err cz_bit_sum_##G(cz_pool *pool, cz_##G *out, const cz_##G##_affine *points,               \
                          const uint64_t *bits, size_t n)                                          \
    {                                                                                              \
        CZ_TRY(check_n(n));                                                                        \
        if (n == 0) {                                                                              \
            cz_##G##_set_infinity(out);                                                            \
            return CZ_OK;                                                                          \
        }                                                                                          \
        CZ_ASSERT(points != NULL && bits != NULL);                                                 \
        return best_##G()->bit_sum(pool, out, points, bits, n);                                    \
    }                                                                                              \
                                                                                                   \
    cz_err cz_fixed_base_##G(cz_pool *pool, cz_##G##_affine *points, const cz_##G##_affine *base,  \
                             const cz_u256 *scalars, size_t n)                                     \
    {                                                                                              \
        CZ_TRY(check_n(n));                                                                        \
        if (n == 0)                                                                                \
            return CZ_OK;                                                                          \
        CZ_ASSERT(points != NULL && base != NULL && scalars != NULL);                              \
        return best_##G()->fixed_base(pool, points, base, scalars, n);                             \
    }                                                                                              \
                                                                                                   \
    size_t cz_msm_bytes_##G(cz_pool *pool, size_t n)                                               \
    {                                                                                              \
        return best_##G()->msm_bytes(pool, n);                                                     \
    }                                                                                              \
                                                                                                   \
    size_t cz_bit_sum_bytes_##G(cz_pool *pool)                                                     \
    {                                                                                              \
        return best_##G()->bit_sum_bytes(pool);                                                    \
    }

// NOLINTBEGIN(clang-analyzer-core.NullDereference): the index of a form is below their number
DEFINE_ENTRIES(g1)
DEFINE_ENTRIES(g2)
// NOLINTEND(clang-analyzer-core.NullDereference)

const char *cz_msm_form(void)
{
    return best_g1()->name;
}
