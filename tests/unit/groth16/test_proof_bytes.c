/* The 192 bytes of a proof: all encodings that are not exactly a proof are refused. */
#include "support.h"

#include <string.h>

#include "groth16/groth16.h"

static cz_u256 random_scalar(void)
{
    cz_u256 k = {{cz_test_random(), cz_test_random(), cz_test_random(), cz_test_random() >> 2}};

    return k;
}

static cz_proof random_proof(void)
{
    cz_u256 k[3] = {random_scalar(), random_scalar(), random_scalar()};
    cz_proof p;
    cz_g1 g1;
    cz_g2 g2;

    cz_g1_from_affine(&g1, &cz_g1_generator);
    cz_g1_mul_var(&g1, &g1, &k[0]);
    cz_g1_to_affine(&p.a, &g1);
    cz_g1_mul_var(&g1, &g1, &k[1]);
    cz_g1_to_affine(&p.c, &g1);
    cz_g2_from_affine(&g2, &cz_g2_generator);
    cz_g2_mul_var(&g2, &g2, &k[2]);
    cz_g2_to_affine(&p.b, &g2);
    return p;
}

static bool proofs_equal(const cz_proof *x, const cz_proof *y)
{
    return cz_g1_affine_equal(&x->a, &y->a) && cz_g2_affine_equal(&x->b, &y->b) &&
           cz_g1_affine_equal(&x->c, &y->c);
}

static void test_bytes_come_back(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        cz_proof p = random_proof(), q;
        uint8_t bytes[CZ_PROOF_BYTES], again[CZ_PROOF_BYTES];

        cz_proof_write(bytes, &p);
        assert_ok(cz_proof_read(&q, bytes));
        assert_true(proofs_equal(&p, &q));
        cz_proof_write(again, &q);
        assert_memory_equal(bytes, again, sizeof bytes);
    }
}

static void test_no_other_bytes_mean_the_same_proof(void **state)
{
    cz_proof p = random_proof(), q;
    uint8_t bytes[CZ_PROOF_BYTES];

    (void)state;
    cz_proof_write(bytes, &p);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        if (cz_proof_read(&q, bytes) == CZ_OK)
            assert_false(proofs_equal(&p, &q));
        bytes[bit / 8] ^= (uint8_t)(1 << (bit % 8));
    }
}

static void test_infinity_is_refused_in_each_place(void **state)
{
    const struct {
        size_t at, n;
        const char *name;
    } places[] = {{0, 48, "proof: A: the point at infinity"},
                  {48, 96, "proof: B: the point at infinity"},
                  {144, 48, "proof: C: the point at infinity"}};
    cz_proof p = random_proof(), q;
    uint8_t bytes[CZ_PROOF_BYTES];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cz_proof_write(bytes, &p);
        memset(bytes + places[i].at, 0, places[i].n);
        bytes[places[i].at] = 0xc0;
        assert_fails(cz_proof_read(&q, bytes), CZ_E_INPUT, places[i].name);
    }
}

static void test_wrong_flags_are_refused(void **state)
{
    const size_t places[] = {0, 48, 144};
    const char *names[] = {"proof: A", "proof: B", "proof: C"};
    cz_proof p = random_proof(), q;
    uint8_t bytes[CZ_PROOF_BYTES];

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        cz_proof_write(bytes, &p);
        bytes[places[i]] &= 0x7f;
        assert_fails(cz_proof_read(&q, bytes), CZ_E_INPUT, names[i]);
        cz_proof_write(bytes, &p);
        bytes[places[i]] |= 0x40;
        assert_fails(cz_proof_read(&q, bytes), CZ_E_INPUT, names[i]);
    }
}

/* Coordinates of p and more have a canonical twin; only that is an encoding. */
static void test_coordinates_beyond_the_modulus_are_refused(void **state)
{
    cz_proof p = random_proof(), q;
    uint8_t bytes[CZ_PROOF_BYTES];

    (void)state;
    cz_proof_write(bytes, &p);
    memset(bytes, 0xff, 48);
    bytes[0] = 0x9f;
    assert_fails(cz_proof_read(&q, bytes), CZ_E_INPUT, "proof: A");
}

/* Small x on the curve are not in the subgroup: its share of the curve is 2^-126. */
static void test_points_outside_the_subgroup_are_refused(void **state)
{
    cz_proof p = random_proof(), q;
    uint8_t bytes[CZ_PROOF_BYTES];
    bool found = false;

    (void)state;
    for (uint8_t x = 1; x < 100 && !found; x++) {
        cz_proof_write(bytes, &p);
        memset(bytes + 144, 0, 48);
        bytes[144] = 0x80;
        bytes[191] = x;
        assert_int_equal(cz_proof_read(&q, bytes), CZ_E_INPUT);
        found = strstr(cz_err_message(), "subgroup") != NULL;
    }
    assert_true(found);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_bytes_come_back),
    cmocka_unit_test(test_no_other_bytes_mean_the_same_proof),
    cmocka_unit_test(test_infinity_is_refused_in_each_place),
    cmocka_unit_test(test_wrong_flags_are_refused),
    cmocka_unit_test(test_coordinates_beyond_the_modulus_are_refused),
    cmocka_unit_test(test_points_outside_the_subgroup_are_refused),
};

CZ_TEST_MAIN(cases)
