/* msm_cpu_g1.c: form "cpu" over G1. */
#include "curve/curve.h"

#define GROUP     cz_g1
#define AFFINE    cz_g1_affine
#define G(name)   cz_g1_##name
#define COORD     cz_fp
#define COORD_ONE CZ_FP_ONE
#define C(name)   cz_fp_##name
#define KERNEL    "msm/msm_cpu_add.h"
#include "msm/msm_body.h"

static bool always(void)
{
    return true;
}

const cz_msm_g1_form cz_msm_cpu_g1 = {"cpu",      always,    msm,          bit_sum,
                                      fixed_base, msm_bytes, bit_sum_bytes};
