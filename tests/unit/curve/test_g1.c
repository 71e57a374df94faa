/* test_g1.c: the group G1. */
#include <string.h>

#include "curve/curve.h"
#include "curve/curve_equation.h"
#include "known_answers.h"

static void random_coord(cz_fp *r)
{
    uint8_t bytes[48];

    do {
        cz_test_random_bytes(bytes, sizeof bytes);
        bytes[47] &= 0x1f;
    } while (!cz_fp_from_le(r, bytes));
}

#define GROUP        cz_g1
#define AFFINE       cz_g1_affine
#define XYZZ         cz_g1_xyzz
#define G(name)      cz_g1_##name
#define COORD        cz_fp
#define C(name)      cz_fp_##name
#define GENERATOR    cz_g1_generator
#define COMPRESSED   CZ_G1_COMPRESSED_BYTES
#define UNCOMPRESSED CZ_G1_UNCOMPRESSED_BYTES
#define KA_SECTION   "g1"
#define curve_rhs    cz_g1_rhs
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
