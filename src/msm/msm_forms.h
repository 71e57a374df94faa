/* msm_forms.h: the forms that msm.c chooses from, and that the tests compare; for this room alone.
 *
 * A form is a full implementation of msm.h for one group. "cpu" is plain C over field/fp.h, "ifma"
 * computes in 8 lanes of AVX-512 IFMA. msm_ref.c is the definition and no form. Every entry of a
 * form has the contract of its namesake in msm.h, with arguments already checked and n > 0.
 *
 * To add a form: a file that defines its table, a line here, a row in msm.c. */
#ifndef CZ_MSM_MSM_FORMS_H
#define CZ_MSM_MSM_FORMS_H

#include <stdbool.h>

#include "msm/msm.h"

#define CZ_MSM_FORM_TYPE(G)                                                                        \
    typedef struct {                                                                               \
        const char *name;                                                                          \
        bool (*runs_here)(void);                                                                   \
        cz_err (*msm)(cz_pool * pool, cz_##G *out, const cz_##G##_affine *points,                  \
                      const cz_u256 *scalars, size_t n);                                           \
        cz_err (*bit_sum)(cz_pool * pool, cz_##G *out, const cz_##G##_affine *points,              \
                          const uint64_t *bits, size_t n);                                         \
        cz_err (*fixed_base)(cz_pool * pool, cz_##G##_affine *points, const cz_##G##_affine *base, \
                             const cz_u256 *scalars, size_t n);                                    \
        size_t (*msm_bytes)(cz_pool * pool, size_t n);                                             \
        size_t (*bit_sum_bytes)(cz_pool * pool);                                                   \
    } cz_msm_##G##_form

CZ_MSM_FORM_TYPE(g1);
CZ_MSM_FORM_TYPE(g2);

extern const cz_msm_g1_form cz_msm_ifma_g1;
extern const cz_msm_g1_form cz_msm_cpu_g1;
extern const cz_msm_g2_form cz_msm_ifma_g2;
extern const cz_msm_g2_form cz_msm_cpu_g2;

/** All forms of this build, best first; *n of them. */
const cz_msm_g1_form *const *cz_msm_g1_forms(size_t *n);
const cz_msm_g2_form *const *cz_msm_g2_forms(size_t *n);

#endif
