/* test_encoding.c: points as bytes, good and bad. */
#include <string.h>

#include "curve/curve.h"
#include "known_answers.h"

#define T(name)      g1_##name
#define AFFINE       cz_g1_affine
#define G(name)      cz_g1_##name
#define GENERATOR    cz_g1_generator
#define COMPRESSED   48
#define UNCOMPRESSED 96
#define GROUP_NAME   "G1"
#define BAD_SECTION  "g1_bad"
#include "encoding_cases_body.h"

#undef T
#undef AFFINE
#undef G
#undef GENERATOR
#undef COMPRESSED
#undef UNCOMPRESSED
#undef GROUP_NAME
#undef BAD_SECTION

#define T(name)      g2_##name
#define AFFINE       cz_g2_affine
#define G(name)      cz_g2_##name
#define GENERATOR    cz_g2_generator
#define COMPRESSED   96
#define UNCOMPRESSED 192
#define GROUP_NAME   "G2"
#define BAD_SECTION  "g2_bad"
#include "encoding_cases_body.h"

/* Either half of a G2 coordinate must be canonical: c1 comes first. */
static void g2_both_halves_must_be_canonical(void **state)
{
    uint8_t bytes[192];
    cz_g2_affine a;

    (void)state;
    for (size_t half = 0; half < 4; half++) {
        cz_g2_serialize(bytes, &cz_g2_generator);
        memset(bytes + 48 * half, 0xff, 48);
        bytes[0] &= 0x1f;
        assert_fails(cz_g2_deserialize(&a, bytes), CZ_E_INPUT,
                     half < 2 ? "x is not below" : "y is not below");
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(g1_known_answers_are_accepted_or_refused),
    cmocka_unit_test(g1_one_point_has_one_encoding),
    cmocka_unit_test(g1_unchecked_still_checks_flags_and_coordinates),
    cmocka_unit_test(g1_infinity_round_trips),
    cmocka_unit_test(g2_known_answers_are_accepted_or_refused),
    cmocka_unit_test(g2_one_point_has_one_encoding),
    cmocka_unit_test(g2_unchecked_still_checks_flags_and_coordinates),
    cmocka_unit_test(g2_infinity_round_trips),
    cmocka_unit_test(g2_both_halves_must_be_canonical),
};

CZ_TEST_MAIN(cases)
