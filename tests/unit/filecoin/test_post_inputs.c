/* PoSt challenges and public inputs of sectors that others proved. */
#include "filecoin/post_inputs.h"

#include "golden.h"

/* One 2 KiB sector, api 1.2.0, repeated to fill a partition of two. */
static void test_small_window_of_another_chain(void **state)
{
    const char *path = cz_shared_vector_path("groth16-small/polka-storage-2kib.json");
    cz_post_statement s = {
        .kind = CZ_KIND_WINDOW, .shape = cz_sector_shape_find(2048), .api = CZ_API_1_2};
    cz_post_public_sector sector = {.number = 77};
    uint8_t bytes[32], got[32];
    cz_json window, list;
    cz_fr inputs[22];
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    window = golden_get(g.root, "window_post_2kib");
    golden_get_hex(window, "randomness", bytes, 32);
    cz_post_randomness(s.randomness, bytes);
    golden_hex(golden_at(golden_at(golden_get(window, "sectors"), 0), 1), bytes, 32);
    assert_true(cz_fr_from_le(&sector.comm_r, bytes));
    assert_int_equal(cz_post_n_inputs(s.kind, s.shape), 22);
    cz_post_inputs(inputs, &s, &sector, 1);
    list = golden_get(window, "public_inputs_be_hex");
    for (size_t i = 0; i < 22; i++) {
        golden_hex(golden_at(list, i), bytes, 32);
        cz_fr_to_be(got, &inputs[i]);
        assert_memory_equal(got, bytes, 32);
    }
    golden_close(&g);
}

/* Challenges of sector 1 of 32 GiB under randomness 0. */
static void test_known_challenges(void **state)
{
    static const uint32_t wanted[10] = {707914199, 439148358,  967788220, 548708700,  1061661429,
                                        6202012,   1055504637, 389535735, 1000069704, 600088878};
    const cz_post_statement s = {.kind = CZ_KIND_WINDOW,
                                 .shape = cz_sector_shape_find(UINT64_C(32) << 30)};

    (void)state;
    for (unsigned n = 0; n < 10; n++)
        assert_int_equal(cz_post_challenge(&s, 0, 1, n), wanted[n]);
}

/* Sector i of 10 challenges: its index counts on before api 1.2.0, and starts anew from then on. */
static void test_challenge_index(void **state)
{
    cz_post_statement s = {.kind = CZ_KIND_WINDOW,
                           .shape = cz_sector_shape_find(UINT64_C(32) << 30)};
    cz_post_statement going_on = s;

    (void)state;
    going_on.first_index = 2349;
    assert_int_equal(cz_post_challenge(&s, 2, 7, 3), cz_post_challenge(&s, 0, 7, 23));
    assert_int_equal(cz_post_challenge(&going_on, 1, 7, 0), cz_post_challenge(&s, 2350, 7, 0));
    s.api = CZ_API_1_1;
    assert_int_equal(cz_post_challenge(&s, 2, 7, 3), cz_post_challenge(&s, 0, 7, 23));
    s.api = CZ_API_1_2;
    assert_int_equal(cz_post_challenge(&s, 2, 7, 3), cz_post_challenge(&s, 0, 7, 3));
}

/* A winning proof opens its sector 66 times; a short partition repeats its last sector. */
static void test_places(void **state)
{
    cz_post_place at = cz_post_place_of(CZ_KIND_WINNING, 1, 65, 0);

    (void)state;
    assert_int_equal(at.sector, 0);
    assert_int_equal(at.opening, 65);
    at = cz_post_place_of(CZ_KIND_WINDOW, 3, 2, 9);
    assert_int_equal(at.sector, 2);
    at = cz_post_place_of(CZ_KIND_WINDOW, 3, 2348, 9);
    assert_int_equal(at.sector, 2);
    assert_int_equal(at.opening, 9);
}

static void test_randomness_is_masked(void **state)
{
    uint8_t in[32], out[32];

    (void)state;
    memset(in, 0xff, sizeof in);
    cz_post_randomness(out, in);
    assert_memory_equal(out, in, 31);
    assert_int_equal(out[31], 0x3f);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_small_window_of_another_chain),
    cmocka_unit_test(test_known_challenges),
    cmocka_unit_test(test_challenge_index),
    cmocka_unit_test(test_places),
    cmocka_unit_test(test_randomness_is_masked),
};

CZ_TEST_MAIN(cases)
