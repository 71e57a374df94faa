/* test_glv_device.c: the cut of scalars that CUDA devices use, on the host. */
#include "msm/glv_device.h"

#include <string.h>

#include "curve/curve.h"
#include "curve/curve_constants.h"
#include "field/fr.h"
#include "support.h"

/* The half as an element of Fr. */
static cz_fr half_in_fr(const cz_glv_half *k)
{
    cz_u256 v = {
        {k->limb[0] | (uint64_t)k->limb[1] << 32, k->limb[2] | (uint64_t)k->limb[3] << 32, 0, 0}};
    cz_fr r;

    cz_fr_from_u256(&r, &v);
    if (k->negative != 0)
        cz_fr_neg(&r, &r);
    return r;
}

/* -z^2 in Fr. */
static cz_fr eigenvalue(void)
{
    cz_fr z, r;

    cz_fr_from_u64(&z, CZ_BLS_X_ABS);
    cz_fr_mul(&r, &z, &z);
    cz_fr_neg(&r, &r);
    return r;
}

static void scalar(cz_u256 *s, int i)
{
    static const uint64_t edges[][4] = {
        {0, 0, 0, 0},
        {1, 0, 0, 0},
        {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX >> 1},
        {0x0000000100000000, 0xac45a4010001a402, 0, 0}, /* z^2 */
        {0x00000000ffffffff, 0xac45a4010001a402, 0, 0},
    };

    if (i < 5) {
        memcpy(s, edges[i], sizeof *s);
        return;
    }
    for (int j = 0; j < 4; j++)
        s->l[j] = i < 20 ? cz_fr_modulus[j] : cz_test_random();
    if (i < 12) { /* beside r / 2 */
        for (int j = 0; j < 4; j++)
            s->l[j] = s->l[j] >> 1 | (j < 3 ? s->l[j + 1] << 63 : 0);
    }
    if (i < 20)
        s->l[0] += (uint64_t)(i % 5) - 2;
    s->l[3] &= UINT64_MAX >> 1;
}

static void halves_make_the_scalar(void **state)
{
    const cz_fr lambda = eigenvalue();

    (void)state;
    for (int i = 0; i < 5000; i++) {
        uint32_t limbs[8];
        cz_glv_half k[2];
        cz_fr want, got, second;
        cz_u256 s;

        scalar(&s, i);
        cz_fr_from_u256(&want, &s);
        memcpy(limbs, &s, sizeof limbs);
        cz_glv_split(k, limbs);
        got = half_in_fr(&k[0]);
        second = half_in_fr(&k[1]);
        cz_fr_mul(&second, &second, &lambda);
        cz_fr_add(&got, &got, &second);
        assert_memory_equal(&got, &want, sizeof got);
        for (int h = 0; h < 2; h++)
            assert_true(k[h].limb[3] <= 0x5622d201); /* z^2 / 2 and a little */
    }
}

static void endomorphism_has_that_eigenvalue(void **state)
{
    const cz_fr lambda = eigenvalue();
    const cz_fp beta = CZ_G1_BETA;
    cz_g1_affine image = cz_g1_generator, want;
    cz_u256 k;
    cz_g1 g;

    (void)state;
    cz_fp_mul(&image.x, &image.x, &beta);
    cz_fr_to_u256(&k, &lambda);
    cz_g1_from_affine(&g, &cz_g1_generator);
    cz_g1_mul_var(&g, &g, &k);
    cz_g1_to_affine(&want, &g);
    assert_true(cz_g1_affine_equal(&image, &want));
}

static void endomorphism_of_g2_has_that_eigenvalue(void **state)
{
    const cz_fr lambda = eigenvalue();
    const cz_fp beta = CZ_G2_BETA;
    cz_g2_affine image = cz_g2_generator, want;
    cz_u256 k;
    cz_g2 g;

    (void)state;
    cz_fp_mul(&image.x.c0, &image.x.c0, &beta);
    cz_fp_mul(&image.x.c1, &image.x.c1, &beta);
    cz_fr_to_u256(&k, &lambda);
    cz_g2_from_affine(&g, &cz_g2_generator);
    cz_g2_mul_var(&g, &g, &k);
    cz_g2_to_affine(&want, &g);
    assert_true(cz_g2_affine_equal(&image, &want));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(halves_make_the_scalar),
    cmocka_unit_test(endomorphism_has_that_eigenvalue),
    cmocka_unit_test(endomorphism_of_g2_has_that_eigenvalue),
};

CZ_TEST_MAIN(cases)
