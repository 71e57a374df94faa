/* test_dump.c: the text form of a circuit, and paths. */
#define _GNU_SOURCE
#include "cs/dump.h"

#include <stdlib.h>

#include "toy.h"

static char *dump_text(const cz_circuit *circuit, cz_err *err)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    *err = cz_circuit_dump(f, circuit);
    (void)fclose(f);
    return text;
}

#define ZEROS_48 "000000000000000000000000000000000000000000000000"

static void test_toy_circuit_as_text(void **state)
{
    static const char want[] = "input i0 /one\n"
                               "alloc a0 x\n"
                               "alloc a1 cube/x2\n"
                               "c0 (a0) * (a0) = (a1)   cube/square\n"
                               "alloc a2 cube/x3\n"
                               "c1 (a1) * (a0) = (a2)   cube/product\n"
                               "input i1 out\n"
                               "c2 (5*i0 3*a2) * (i0) = (5*i0 3*i1)   equal\n"
                               "alloc a3 flag 4/bit\n"
                               "c3 (i0 -a3) * (a3) = ()   flag 4/boolean\n"
                               "value i0 0100000000000000" ZEROS_48 "\n"
                               "value i1 1b00000000000000" ZEROS_48 "\n"
                               "value a0 0300000000000000" ZEROS_48 "\n"
                               "value a1 0900000000000000" ZEROS_48 "\n"
                               "value a2 1b00000000000000" ZEROS_48 "\n"
                               "value a3 0100000000000000" ZEROS_48 "\n";
    toy_circuit toy = toy_make(3, 27, 1);
    cz_err err;
    char *text;

    (void)state;
    text = dump_text(&toy.circuit, &err);
    assert_ok(err);
    assert_string_equal(text, want);
    free(text);
}

/* One constraint with coefficients of every kind. */
static void coefficients_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const cz_fr zero = CZ_FR_ZERO;
    cz_u256 bits = {{0, 0, 0, 0}};
    cz_lc a, b, c;
    cz_fr k;

    (void)self;
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    (void)cz_cs_alloc(cs, CZ_N("v"), &zero);
    toy_add(&a, 1, toy_aux(0));
    toy_add(&a, -1, toy_aux(1));
    toy_add(&a, 4294967295, toy_aux(2));
    toy_add(&a, -4294967295, toy_aux(3));
    toy_add(&b, 4294967296, toy_aux(4));
    toy_add(&b, -4294967296, toy_aux(5));
    bits.l[3] = (uint64_t)1 << 61;
    cz_fr_from_u256(&k, &bits);
    cz_lc_add(&c, &k, toy_aux(6));
    toy_add(&c, 0x85145f3000000, toy_aux(7));
    cz_cs_enforce(cs, CZ_N("kinds"), &a, &b, &c);
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static void test_kinds_of_coefficients(void **state)
{
    static const char want[] =
        "c0 (a0 -a1 4294967295*a2 -4294967295*a3) * "
        "(2^32*a4 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfefffffffe00000001*a5) = "
        "(2^253*a6 0x0000000000000000000000000000000000000000000000000008514"
        "5f3000000*a7)   kinds\n";
    cz_circuit circuit = {"kinds", coefficients_synthesize};
    cz_err err;
    char *text;

    (void)state;
    text = dump_text(&circuit, &err);
    assert_ok(err);
    assert_non_null(strstr(text, want));
    free(text);
}

static void test_full_stream_is_an_error(void **state)
{
    toy_circuit toy = toy_make(3, 27, 1);
    FILE *f = fopen("/dev/full", "w");

    (void)state;
    if (f == NULL)
        skip();
    assert_fails(cz_circuit_dump(f, &toy.circuit), CZ_E_IO, "toy");
    (void)fclose(f);
}

static void test_paths_are_cut_and_numbered(void **state)
{
    char path[64];
    cz_cs cs;

    (void)state;
    cz_cs_init(&cs, NULL, false, false);
    cz_cs_path(&cs, CZ_N("top"), path, sizeof path);
    assert_string_equal(path, "top");
    cz_cs_enter(&cs, CZ_NU("layer %u of it", 18446744073709551615u));
    cz_cs_path(&cs, CZ_N("100% sure"), path, sizeof path);
    assert_string_equal(path, "layer 18446744073709551615 of it/100% sure");
    cz_cs_path(&cs, CZ_N("100% sure"), path, 9);
    assert_string_equal(path, "layer 18");
    cz_cs_path(&cs, CZ_N("x"), path, 1);
    assert_string_equal(path, "");
    cz_cs_leave(&cs);
    cz_cs_path(&cs, CZ_N("top"), path, sizeof path);
    assert_string_equal(path, "top");
}

static void test_paths_deeper_than_the_limit(void **state)
{
    char path[1024];
    cz_cs cs;

    (void)state;
    cz_cs_init(&cs, NULL, false, false);
    for (unsigned i = 0; i < CZ_CS_MAX_DEPTH + 3; i++)
        cz_cs_enter(&cs, CZ_N("d"));
    cz_cs_path(&cs, CZ_N("end"), path, sizeof path);
    assert_int_equal(strlen(path), 2 * CZ_CS_MAX_DEPTH + strlen(".../end"));
    for (unsigned i = 0; i < CZ_CS_MAX_DEPTH + 3; i++)
        cz_cs_leave(&cs);
    cz_cs_path(&cs, CZ_N("end"), path, sizeof path);
    assert_string_equal(path, "end");
}

static void test_the_first_failure_is_kept(void **state)
{
    cz_cs cs;

    (void)state;
    cz_cs_init(&cs, NULL, false, false);
    cz_cs_fail(&cs, CZ_OK);
    assert_ok(cz_cs_status(&cs));
    cz_cs_fail(&cs, CZ_E_NOMEM);
    cz_cs_fail(&cs, CZ_E_INPUT);
    cz_cs_fail(&cs, CZ_OK);
    assert_int_equal(cz_cs_status(&cs), CZ_E_NOMEM);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_toy_circuit_as_text),
    cmocka_unit_test(test_kinds_of_coefficients),
    cmocka_unit_test(test_full_stream_is_an_error),
    cmocka_unit_test(test_paths_are_cut_and_numbered),
    cmocka_unit_test(test_paths_deeper_than_the_limit),
    cmocka_unit_test(test_the_first_failure_is_kept),
};
CZ_TEST_MAIN(cases)
