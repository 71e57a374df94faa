/* Reading toxic waste. */
#define _GNU_SOURCE
#include "scratch.h"

#include <string.h>

#include "params/setup.h"

#define HEX_1 "0100000000000000000000000000000000000000000000000000000000000000"
#define HEX_0 "0000000000000000000000000000000000000000000000000000000000000000"
#define HEX_R "01000000fffffffffe5bfeff02a4bd5305d8a10908d83933487d9d2953a7ed73"

static cz_err read_with_tau(cz_toxic_waste *w, const char *tau)
{
    char text[1024];
    int n = snprintf(text, sizeof text,
                     "{\"alpha\": \"" HEX_1 "\", \"beta\": \"" HEX_1 "\", \"gamma\": \"" HEX_1
                     "\", \"delta\": \"" HEX_1 "\", %s}",
                     tau);

    write_bytes(scratch_path("toxic.json"), (const uint8_t *)text, (size_t)n);
    return cz_toxic_waste_read(w, scratch_path("toxic.json"));
}

static void test_golden_waste_is_read(void **state)
{
    const uint8_t tau[32] = {0xb3, 0x7c, 0x12, 0x69, 0x5b, 0xc0, 0x26, 0xf1, 0x44, 0x91, 0xc8,
                             0x97, 0x4a, 0x87, 0x88, 0x5b, 0x9f, 0xb0, 0xc6, 0x47, 0x6d, 0x39,
                             0x1b, 0xcf, 0xa7, 0xc8, 0xe1, 0x98, 0x4e, 0x75, 0xb9, 0x29};
    cz_toxic_waste w;
    uint8_t bytes[32];

    (void)state;
    assert_ok(cz_toxic_waste_read(&w, cz_vector_path("golden/toxic/porep-2k.json")));
    cz_fr_to_le(bytes, &w.tau);
    assert_memory_equal(bytes, tau, sizeof tau);
}

static void test_bad_waste_is_refused(void **state)
{
    const struct {
        const char *tau, *message;
    } bad[] = {
        {"\"tau\": \"" HEX_0 "\"", "tau: zero"},
        {"\"tau\": \"" HEX_R "\"", "tau: not below the field's modulus"},
        {"\"tau\": \"01\"", "tau: not 64 hex digits"},
        {"\"tau\": 1", "tau"},
        {"\"sigma\": \"" HEX_1 "\"", "tau"},
    };
    cz_toxic_waste w;

    (void)state;
    assert_ok(read_with_tau(&w, "\"tau\": \"" HEX_1 "\""));
    assert_true(cz_fr_is_one(&w.tau));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_not_equal(read_with_tau(&w, bad[i].tau), CZ_OK);
        assert_non_null(strstr(cz_err_message(), bad[i].message));
        assert_non_null(strstr(cz_err_message(), "toxic.json"));
    }
    assert_fails(cz_toxic_waste_read(&w, scratch_path("none.json")), CZ_E_NOTFOUND, "none.json");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_golden_waste_is_read, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_bad_waste_is_refused, scratch_make, scratch_remove),
};

CZ_TEST_MAIN(cases)
