/* host_prover.h: every operation that a proof on a device needs, on the host. */
#ifndef CZ_TESTS_HOST_PROVER_H
#define CZ_TESTS_HOST_PROVER_H

#include "../cs/host_eval.h"
#include "../params/host_points.h"
#include "groth16/select_device.h"
#include "msm/msm.h"
#include "ntt/quotient.h"

/* ---- transforms ---- */

struct cz_gpu_ntt {
    cz_ntt_plan *plan;
    size_t n;
};

static inline cz_err host_ntt_create(cz_gpu *gpu, cz_gpu_ntt **out, unsigned log_n)
{
    (void)gpu;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    (*out)->n = (size_t)1 << log_n;
    return cz_ntt_plan_create(&(*out)->plan, log_n, NULL);
}

static inline void host_ntt_destroy(cz_gpu_ntt *ntt)
{
    cz_ntt_plan_destroy(ntt->plan);
    free(ntt);
}

/* As the device: b, c and the scratch lose their contents. */
static inline cz_err host_ntt_quotient(cz_gpu_ntt *ntt, void *a, void *b, void *c, void *scratch)
{
    cz_err err = cz_ntt_quotient(ntt->plan, NULL, a, b, c);

    memset(b, 0x5a, ntt->n * sizeof(cz_fr));
    memset(c, 0x5a, ntt->n * sizeof(cz_fr));
    memset(scratch, 0x5a, ntt->n * sizeof(cz_fr));
    return err;
}

static inline cz_err host_ntt_quotient_product(cz_gpu_ntt *ntt, void *a, void *b, void *scratch)
{
    CZ_TRY(cz_ntt_quotient_factor(ntt->plan, NULL, a));
    CZ_TRY(cz_ntt_quotient_factor(ntt->plan, NULL, b));
    CZ_TRY(cz_ntt_quotient_product(ntt->plan, NULL, a, b, false));
    memset(b, 0x5a, ntt->n * sizeof(cz_fr));
    memset(scratch, 0x5a, ntt->n * sizeof(cz_fr));
    return CZ_OK;
}

static inline cz_err host_ntt_quotient_subtract(cz_gpu_ntt *ntt, void *c, void *a, void *scratch)
{
    const cz_fr zero = {{0}};
    cz_fr *h = c;

    CZ_TRY(cz_ntt_quotient_subtract(ntt->plan, NULL, a, c, false));
    for (size_t i = 0; i < ntt->n; i++)
        cz_fr_sub(&h[i], &zero, (const cz_fr *)a + i);
    memset(a, 0x5a, ntt->n * sizeof(cz_fr));
    memset(scratch, 0x5a, ntt->n * sizeof(cz_fr));
    return CZ_OK;
}

static inline cz_err host_ntt_coset_product(cz_gpu_ntt *ntt, void *a, void *b, void *scratch)
{
    cz_fr *to = a;

    CZ_TRY(cz_ntt_quotient_factor(ntt->plan, NULL, a));
    CZ_TRY(cz_ntt_quotient_factor(ntt->plan, NULL, b));
    for (size_t j = 0; j < ntt->n; j++)
        cz_fr_mul(&to[j], &to[j], (const cz_fr *)b + j);
    memset(b, 0x5a, ntt->n * sizeof(cz_fr));
    memset(scratch, 0x5a, ntt->n * sizeof(cz_fr));
    return CZ_OK;
}

/* ---- selections ---- */

static inline cz_err host_select_bits(cz_gpu *gpu, uint64_t *out, const uint64_t *bits,
                                      const uint64_t *mask, const uint32_t *ranks, size_t n_words,
                                      uint32_t first_bit)
{
    (void)gpu;
    for (size_t w = 0; w < n_words; w++) {
        uint32_t rank;
        const uint64_t v =
            cz_select_moved(cz_select_compress(bits[w], mask[w]), ranks[w], first_bit, &rank);
        const uint32_t shift = rank % 64;

        out[rank / 64] |= v << shift;
        if (shift > 0)
            out[rank / 64 + 1] |= v >> (64 - shift);
    }
    return CZ_OK;
}

static inline cz_err host_select_values(cz_gpu *gpu, void *out, const void *values,
                                        const uint32_t *at, size_t n)
{
    (void)gpu;
    for (size_t i = 0; i < n; i++)
        memcpy((cz_fr *)out + i, (const cz_fr *)values + at[i], sizeof(cz_fr));
    return CZ_OK;
}

static inline cz_err host_select_products(cz_gpu *gpu, void *out, const void *values,
                                          const uint32_t *at, size_t n, const void *factor)
{
    (void)gpu;
    for (size_t i = 0; i < n; i++)
        cz_select_product((cz_fr32 *)out + i, (const cz_fr32 *)values + at[i], factor);
    return CZ_OK;
}

static inline cz_err host_select_places(cz_gpu *gpu, uint32_t *to, const cz_select_words *words,
                                        const cz_select_stretch *stretch)
{
    (void)gpu;
    for (uint32_t i = 0; i < stretch->n_inputs; i++)
        cz_select_input_place(to, i, stretch);
    for (uint32_t w = 0; w < words->n_words; w++)
        cz_select_word_places(to, words, w, stretch);
    return CZ_OK;
}

/* ---- sums ---- */

struct cz_gpu_sums {
    cz_gpu_sums_shape shape[CZ_GPU_GROUPS];
    void *memory;
    uint64_t bytes;
};

enum { HOST_SCRATCH_BYTES = 1 << 16, HOST_LEAST_SCRATCH_BYTES = 1 << 13 };

static inline cz_err host_sums_bytes(cz_gpu *gpu, uint64_t *bytes, const cz_gpu_sums_shape *shapes,
                                     size_t n_shapes)
{
    (void)gpu;
    *bytes = HOST_SCRATCH_BYTES;
    for (size_t i = 0; i < n_shapes; i++)
        if (shapes[i].max_bytes > 0 && shapes[i].max_bytes < HOST_SCRATCH_BYTES)
            *bytes = HOST_LEAST_SCRATCH_BYTES;
    for (size_t i = 0; i < n_shapes; i++)
        if (shapes[i].max_bytes > 0 && shapes[i].max_bytes < *bytes)
            return cz_fail(CZ_E_DECLINED, "%llu bytes do not do",
                           (unsigned long long)shapes[i].max_bytes);
    return CZ_OK;
}

static inline cz_err host_sums_create(cz_gpu *gpu, cz_gpu_sums **out,
                                      const cz_gpu_sums_shape *shapes, size_t n_shapes,
                                      void *memory, const struct cz_sum_host *const hosts[])
{
    (void)gpu;
    (void)hosts;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    for (size_t i = 0; i < n_shapes; i++) {
        cz_gpu_sums_shape *most = &(*out)->shape[shapes[i].group];

        if (most->full_terms < shapes[i].full_terms)
            most->full_terms = shapes[i].full_terms;
        if (most->bit_terms < shapes[i].bit_terms)
            most->bit_terms = shapes[i].bit_terms;
        if (most->planes < shapes[i].planes)
            most->planes = shapes[i].planes;
    }
    (*out)->memory = memory;
    assert_ok(host_sums_bytes(gpu, &(*out)->bytes, shapes, n_shapes));
    return CZ_OK;
}

static inline void host_sums_destroy(cz_gpu_sums *sums)
{
    free(sums);
}

/* The scratch is the sums' while one runs. */
static inline void host_sums_spoil(cz_gpu_sums *sums)
{
    memset(sums->memory, 0x5a, sums->bytes);
}

static inline cz_u256 *host_plain(const cz_gpu_terms *terms)
{
    cz_u256 *plain = malloc((terms->n + 1) * sizeof *plain);

    assert_non_null(plain);
    assert_true(terms->montgomery);
    for (size_t i = 0; i < terms->n; i++)
        cz_fr_to_u256(&plain[i], (const cz_fr *)terms->d_scalars + i);
    return plain;
}

static inline cz_err host_sums_full(cz_gpu_sums *sums, void *out_affine, const cz_gpu_terms *terms,
                                    cz_gpu_phases *phases)
{
    cz_u256 *plain = host_plain(terms);
    cz_g1 g1;
    cz_g2 g2;

    assert_null(phases);
    assert_null(terms->d_index);
    assert_true(terms->n <= sums->shape[terms->group].full_terms && terms->n == terms->n_points);
    if (terms->group == CZ_GPU_G1) {
        assert_ok(cz_msm_g1(NULL, &g1, terms->d_points, plain, terms->n));
        cz_g1_to_affine(out_affine, &g1);
    } else {
        assert_ok(cz_msm_g2(NULL, &g2, terms->d_points, plain, terms->n));
        cz_g2_to_affine(out_affine, &g2);
    }
    free(plain);
    host_sums_spoil(sums);
    return CZ_OK;
}

static inline cz_err host_sums_bits(cz_gpu_sums *sums, cz_gpu_group group, void *out_affine,
                                    const void *points, const uint64_t *bits, uint64_t n,
                                    cz_gpu_phases *phases)
{
    cz_g1 g1;
    cz_g2 g2;

    assert_null(phases);
    assert_true(n <= sums->shape[group].bit_terms);
    if (group == CZ_GPU_G1) {
        assert_ok(cz_bit_sum_g1(NULL, &g1, points, bits, n));
        cz_g1_to_affine(out_affine, &g1);
    } else {
        assert_ok(cz_bit_sum_g2(NULL, &g2, points, bits, n));
        cz_g2_to_affine(out_affine, &g2);
    }
    host_sums_spoil(sums);
    return CZ_OK;
}

static inline cz_err host_sums_bits_many(cz_gpu_sums *sums, cz_gpu_group group, void *out_affine,
                                         const void *points, const uint64_t *const *planes,
                                         unsigned n_planes, uint64_t n, cz_gpu_phases *phases)
{
    const size_t bytes = group == CZ_GPU_G1 ? sizeof(cz_g1_affine) : sizeof(cz_g2_affine);

    assert_true(n_planes <= 1 || n_planes <= sums->shape[group].planes);
    for (unsigned j = 0; j < n_planes; j++)
        assert_ok(host_sums_bits(sums, group, (char *)out_affine + j * bytes, points, planes[j], n,
                                 phases));
    return CZ_OK;
}

static inline void host_prover_use(void)
{
    host_gpu_table.ntt_create = host_ntt_create;
    host_gpu_table.ntt_destroy = host_ntt_destroy;
    host_gpu_table.ntt_quotient = host_ntt_quotient;
    host_gpu_table.ntt_quotient_product = host_ntt_quotient_product;
    host_gpu_table.ntt_quotient_subtract = host_ntt_quotient_subtract;
    host_gpu_table.ntt_coset_product = host_ntt_coset_product;
    host_gpu_table.eval_rows = host_eval_rows;
    host_gpu_table.points_decode = host_points_decode;
    host_gpu_table.select_bits = host_select_bits;
    host_gpu_table.select_values = host_select_values;
    host_gpu_table.select_products = host_select_products;
    host_gpu_table.select_places = host_select_places;
    host_gpu_table.sums_bytes = host_sums_bytes;
    host_gpu_table.sums_create = host_sums_create;
    host_gpu_table.sums_destroy = host_sums_destroy;
    host_gpu_table.sums_full = host_sums_full;
    host_gpu_table.sums_bits = host_sums_bits;
    host_gpu_table.sums_bits_many = host_sums_bits_many;
}

#endif
