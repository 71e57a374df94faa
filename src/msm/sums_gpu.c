/* sums_gpu.c: see sums_gpu.h. What a witness's sum comes to is as secret as the witness, so it does
 * not stay on the stack. */
#include "msm/sums_gpu.h"

#include "base/bytes.h"
#include "msm/sums_answer.h"

/* Whoever holds a cz_gpu or a cz_gpu_sums has loaded the backend, so this cannot fail for them. */
static const cz_gpu_backend *backend(void)
{
    const cz_gpu_backend *b = NULL;

    return cz_gpu_load(&b) == CZ_OK ? b : NULL;
}

cz_err cz_sums_gpu_bytes(cz_gpu *gpu, uint64_t *bytes, const cz_gpu_sums_shape *shapes,
                         size_t n_shapes)
{
    return cz_gpu_result(backend()->sums_bytes(gpu, bytes, shapes, n_shapes));
}

cz_err cz_sums_gpu_create(cz_gpu *gpu, cz_gpu_sums **out, const cz_gpu_sums_shape *shapes,
                          size_t n_shapes, void *d_memory)
{
    static const cz_sum_host *const hosts[CZ_GPU_GROUPS] = {
        [CZ_GPU_G1] = &cz_sum_host_g1, [CZ_GPU_G2] = &cz_sum_host_g2};

    return cz_gpu_result(backend()->sums_create(gpu, out, shapes, n_shapes, d_memory, hosts));
}

void cz_sums_gpu_destroy(cz_gpu_sums *sums)
{
    if (sums != NULL)
        backend()->sums_destroy(sums);
}

cz_err cz_sums_gpu_make_tables(cz_gpu_sums *sums, cz_gpu_group group, void *d_points, size_t n,
                               unsigned tables)
{
    return cz_gpu_result(backend()->sums_make_tables(sums, group, d_points, n, tables));
}

/* The terms as those of the group that the function's name says. */
static cz_err run_full(cz_gpu_sums *sums, void *sum, const cz_gpu_terms *terms, cz_gpu_group group,
                       cz_gpu_phases *phases)
{
    cz_gpu_terms t = *terms;

    t.group = group;
    return cz_gpu_result(backend()->sums_full(sums, sum, &t, phases));
}

cz_err cz_sums_gpu_full_g1(cz_gpu_sums *sums, cz_g1 *out, const cz_gpu_terms *terms,
                           cz_gpu_phases *phases)
{
    cz_g1_affine sum;

    CZ_TRY(run_full(sums, &sum, terms, CZ_GPU_G1, phases));
    cz_g1_from_affine(out, &sum);
    cz_secure_zero(&sum, sizeof sum);
    return CZ_OK;
}

cz_err cz_sums_gpu_full_g2(cz_gpu_sums *sums, cz_g2 *out, const cz_gpu_terms *terms,
                           cz_gpu_phases *phases)
{
    cz_g2_affine sum;

    CZ_TRY(run_full(sums, &sum, terms, CZ_GPU_G2, phases));
    cz_g2_from_affine(out, &sum);
    cz_secure_zero(&sum, sizeof sum);
    return CZ_OK;
}

cz_err cz_sums_gpu_bits_g1(cz_gpu_sums *sums, cz_g1 *out, const cz_g1_affine *d_points,
                           const uint64_t *d_bits, size_t n, cz_gpu_phases *phases)
{
    cz_g1_affine sum;

    CZ_TRY(cz_gpu_result(backend()->sums_bits(sums, CZ_GPU_G1, &sum, d_points, d_bits, n, phases)));
    cz_g1_from_affine(out, &sum);
    cz_secure_zero(&sum, sizeof sum);
    return CZ_OK;
}

cz_err cz_sums_gpu_bits_g2(cz_gpu_sums *sums, cz_g2 *out, const cz_g2_affine *d_points,
                           const uint64_t *d_bits, size_t n, cz_gpu_phases *phases)
{
    cz_g2_affine sum;

    CZ_TRY(cz_gpu_result(backend()->sums_bits(sums, CZ_GPU_G2, &sum, d_points, d_bits, n, phases)));
    cz_g2_from_affine(out, &sum);
    cz_secure_zero(&sum, sizeof sum);
    return CZ_OK;
}

static cz_err too_many_planes(unsigned n_planes)
{
    return cz_fail(CZ_E_ARG, "bit sums by %u planes at once, of at most %d", n_planes,
                   (int)CZ_GPU_MAX_PLANES);
}

cz_err cz_sums_gpu_bits_g1_many(cz_gpu_sums *sums, cz_g1 *out, const cz_g1_affine *d_points,
                                const uint64_t *const *d_planes, unsigned n_planes, size_t n,
                                cz_gpu_phases *phases)
{
    cz_g1_affine sum[CZ_GPU_MAX_PLANES];

    if (n_planes > CZ_GPU_MAX_PLANES)
        return too_many_planes(n_planes);
    CZ_TRY(cz_gpu_result(
        backend()->sums_bits_many(sums, CZ_GPU_G1, sum, d_points, d_planes, n_planes, n, phases)));
    for (unsigned j = 0; j < n_planes; j++)
        cz_g1_from_affine(&out[j], &sum[j]);
    cz_secure_zero(sum, n_planes * sizeof *sum);
    return CZ_OK;
}

cz_err cz_sums_gpu_bits_g2_many(cz_gpu_sums *sums, cz_g2 *out, const cz_g2_affine *d_points,
                                const uint64_t *const *d_planes, unsigned n_planes, size_t n,
                                cz_gpu_phases *phases)
{
    cz_g2_affine sum[CZ_GPU_MAX_PLANES];

    if (n_planes > CZ_GPU_MAX_PLANES)
        return too_many_planes(n_planes);
    CZ_TRY(cz_gpu_result(
        backend()->sums_bits_many(sums, CZ_GPU_G2, sum, d_points, d_planes, n_planes, n, phases)));
    for (unsigned j = 0; j < n_planes; j++)
        cz_g2_from_affine(&out[j], &sum[j]);
    cz_secure_zero(sum, n_planes * sizeof *sum);
    return CZ_OK;
}
