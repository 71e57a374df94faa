/* msm_g2_ifma.c: form "ifma" over G2. */
#include "base/cpu.h"
#include "curve/curve.h"
#include "field/fp2_ifma.h"

#define GROUP         cz_g2
#define AFFINE        cz_g2_affine
#define G(name)       cz_g2_##name
#define COORD         cz_fp2
#define C(name)       cz_fp2_##name
#define COORD_X8      cz_fp2_x8
#define X(name)       cz_fp2_x8_##name
#define PARTS         2
#define PART_X8(v, i) ((i) == 0 ? &(v)->c0 : &(v)->c1)
#define PART(v, i)    ((i) == 0 ? &(v)->c0 : &(v)->c1)
#define KERNEL        "msm/msm_ifma_add.h"
#include "msm/msm_body.h"

static bool has_ifma(void)
{
    return cz_cpu_has(CZ_CPU_AVX512IFMA) && cz_cpu_has(CZ_CPU_BMI2) && cz_cpu_has(CZ_CPU_ADX);
}

const cz_msm_g2_form cz_msm_ifma_g2 = {"ifma",     has_ifma,  msm,          bit_sum,
                                       fixed_base, msm_bytes, bit_sum_bytes};
