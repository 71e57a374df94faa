/* msm_cpu_g2.c: form "cpu" over G2. */
#include "curve/curve.h"

#define GROUP     cz_g2
#define AFFINE    cz_g2_affine
#define G(name)   cz_g2_##name
#define COORD     cz_fp2
#define COORD_ONE CZ_FP2_ONE
#define C(name)   cz_fp2_##name
#define KERNEL    "msm/msm_cpu_add.h"
#include "msm/msm_body.h"

static bool always(void)
{
    return true;
}

const cz_msm_g2_form cz_msm_cpu_g2 = {"cpu",      always,    msm,          bit_sum,
                                      fixed_base, msm_bytes, bit_sum_bytes};
