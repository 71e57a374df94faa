/* msm_gpu.c: see msm_gpu.h. */
#include "msm/msm_gpu.h"

/* Whoever holds a cz_gpu or a cz_gpu_msm has loaded the backend, so this cannot fail for them. */
static const cz_gpu_backend *backend(void)
{
    const cz_gpu_backend *b = NULL;

    return cz_gpu_load(&b) == CZ_OK ? b : NULL;
}

cz_err cz_msm_gpu_create(cz_gpu *gpu, cz_gpu_msm **out, size_t n, unsigned tables)
{
    return cz_gpu_result(backend()->msm_create(gpu, out, n, tables));
}

void cz_msm_gpu_destroy(cz_gpu_msm *msm)
{
    if (msm != NULL)
        backend()->msm_destroy(msm);
}

cz_g1_affine *cz_msm_gpu_points(cz_gpu_msm *msm)
{
    return backend()->msm_points(msm);
}

cz_err cz_msm_gpu_points_ready(cz_gpu_msm *msm)
{
    return cz_gpu_result(backend()->msm_points_ready(msm));
}

cz_err cz_msm_gpu_run(cz_gpu_msm *msm, cz_g1 *out, const void *d_scalars, cz_msm_scalars form,
                      cz_gpu_phases *phases)
{
    cz_g1_affine sum;

    CZ_TRY(cz_gpu_result(
        backend()->msm_run(msm, &sum, d_scalars, form == CZ_MSM_MONTGOMERY_SCALARS, phases)));
    cz_g1_from_affine(out, &sum);
    return CZ_OK;
}

cz_err cz_msm_gpu_bit_sum(cz_gpu_msm *msm, cz_g1 *out, const uint64_t *d_bits,
                          cz_gpu_phases *phases)
{
    cz_g1_affine sum;

    CZ_TRY(cz_gpu_result(backend()->msm_bit_sum(msm, &sum, d_bits, phases)));
    cz_g1_from_affine(out, &sum);
    return CZ_OK;
}
