/* test_g2.c: the group G2. */
#include <string.h>

#include "curve/curve.h"
#include "curve/curve_equation.h"
#include "known_answers.h"

static void random_fp(cz_fp *r)
{
    uint8_t bytes[48];

    do {
        cz_test_random_bytes(bytes, sizeof bytes);
        bytes[47] &= 0x1f;
    } while (!cz_fp_from_le(r, bytes));
}

static void random_coord(cz_fp2 *r)
{
    random_fp(&r->c0);
    random_fp(&r->c1);
}

#define GROUP        cz_g2
#define AFFINE       cz_g2_affine
#define XYZZ         cz_g2_xyzz
#define G(name)      cz_g2_##name
#define COORD        cz_fp2
#define C(name)      cz_fp2_##name
#define GENERATOR    cz_g2_generator
#define COMPRESSED   CZ_G2_COMPRESSED_BYTES
#define UNCOMPRESSED CZ_G2_UNCOMPRESSED_BYTES
#define KA_SECTION   "g2"
#define curve_rhs    cz_g2_rhs
#include "group_laws_body.h"

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(every_addition_handles_every_case),
    cmocka_unit_test(doubling_is_addition_to_itself),
    cmocka_unit_test(sums_in_xyzz_equal_sums_in_jacobian),
    cmocka_unit_test(equality_ignores_the_scale),
    cmocka_unit_test(small_multiples_are_repeated_additions),
    cmocka_unit_test(every_bit_of_the_scalar_counts),
    cmocka_unit_test(products_by_the_order_and_its_neighbours),
    cmocka_unit_test(multiplication_is_linear),
    cmocka_unit_test(infinity_stays_infinity),
    cmocka_unit_test(batch_to_affine_equals_one_by_one),
    cmocka_unit_test(affine_and_back),
    cmocka_unit_test(curve_membership),
    cmocka_unit_test(subgroup_membership_is_that_of_the_definition),
    cmocka_unit_test(points_of_cofactor_order_are_outside),
    cmocka_unit_test(known_answers_of_the_group),
};

CZ_TEST_MAIN(cases)
