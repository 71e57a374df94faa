/* msm_g1_ifma.c: form "ifma" over G1. */
#include "base/cpu.h"
#include "curve/curve.h"

#define GROUP         cz_g1
#define AFFINE        cz_g1_affine
#define G(name)       cz_g1_##name
#define COORD         cz_fp
#define C(name)       cz_fp_##name
#define COORD_X8      cz_fp_x8
#define X(name)       cz_fp_x8_##name
#define PARTS         1
#define PART_X8(v, i) (v)
#define PART(v, i)    (v)
#define KERNEL        "msm/msm_ifma_add.h"
#include "msm/msm_body.h"

static bool has_ifma(void)
{
    return cz_cpu_has(CZ_CPU_AVX512IFMA) && cz_cpu_has(CZ_CPU_BMI2) && cz_cpu_has(CZ_CPU_ADX);
}

const cz_msm_g1_form cz_msm_ifma_g1 = {"ifma",     has_ifma,  msm,          bit_sum,
                                       fixed_base, msm_bytes, bit_sum_bytes};
