/* test_soundness.c: in every golden gadget, any single wrong value breaks a constraint; and modes
 * without values or without constraints see the same circuit. */
#include "cs/digest.h"
#include "golden_gadgets.h"
#include "recorder.h"

/* ---- single wrong values ---- */

/* Free inputs are the variables allocated first, under these names. */
static bool is_free_input(const char *path)
{
    static const char *const names[] = {"bit ", "num ", "word ", "x/"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(path, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static uint32_t count_free_inputs(const recorder *r)
{
    uint32_t n = 0;

    while (n < r->cs.n_aux && is_free_input(r->aux_names[n]))
        n++;
    return n;
}

/* Choice and majority do not depend on all of their operands, so a free input may change there. */
static bool ignores_some_inputs(const char *gadget)
{
    return strcmp(gadget, "uint32-ch") == 0 || strcmp(gadget, "uint32-maj") == 0;
}

static void check_changes(const golden_gadget *g)
{
    cz_fr plus = CZ_FR_ONE;
    cz_fr minus;
    recorder r;
    uint32_t first;

    cz_fr_neg(&minus, &plus);
    recorder_init(&r);
    g->circuit.synthesize(&g->circuit, &r.cs);
    assert_satisfied(&r);
    first = ignores_some_inputs(g->circuit.id) ? count_free_inputs(&r) : 0;
    assert_every_change_caught(&r, first, &plus); /* 0 becomes 1, 1 becomes 2 */
    assert_every_change_caught(&r, first, &minus);
    recorder_clear(&r);
}

static void test_any_wrong_value_is_caught(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDEN_GADGETS; i++)
        check_changes(&golden_gadgets[i]);
}

/* The checker itself must be able to fail: a variable in no constraint. */
static void test_checker_sees_unconstrained_values(void **state)
{
    cz_fr one = CZ_FR_ONE;
    recorder r;
    bool caught[3] = {false, false, false};

    (void)state;
    recorder_init(&r);
    (void)cz_bit_alloc(&r.cs, CZ_N("bit"), true);
    (void)cz_num_alloc(&r.cs, CZ_N("loose"), &one);
    recorder_mark_caught(&r, &r.constraints[0], &one, caught);
    assert_true(caught[1]);
    assert_false(caught[2]);
    recorder_clear(&r);
}

/* ---- modes ---- */

/* A mode that hashes what it is given. */
typedef struct {
    cz_cs cs; /* first */
    cz_sha256 values;
} value_hasher;

static void hash_value(cz_cs *cs, cz_name name, const cz_fr *value)
{
    uint8_t bytes[32];

    (void)name;
    cz_fr_to_le(bytes, value);
    cz_sha256_update(&((value_hasher *)cs)->values, bytes, sizeof bytes);
}

static void refuse(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    (void)cs, (void)name, (void)a, (void)b, (void)c;
    fail_msg("a constraint that nobody wants");
}

static void accept(cz_cs *cs, cz_name name, const cz_lc *a, const cz_lc *b, const cz_lc *c)
{
    (void)cs, (void)name, (void)a, (void)b, (void)c;
}

static void hash_values(const cz_circuit *circuit, bool wants_constraints, uint8_t out[32],
                        uint32_t *n)
{
    static const cz_cs_ops without = {hash_value, hash_value, refuse};
    static const cz_cs_ops with = {hash_value, hash_value, accept};
    value_hasher h;

    cz_cs_init(&h.cs, wants_constraints ? &with : &without, true, wants_constraints);
    cz_sha256_init(&h.values);
    circuit->synthesize(circuit, &h.cs);
    assert_int_equal(cz_cs_status(&h.cs), CZ_OK);
    cz_sha256_final(&h.values, out);
    *n = h.cs.n_aux + h.cs.n_inputs;
}

static void test_witness_alone_is_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDEN_GADGETS; i++) {
        uint8_t with[32], without[32];
        uint32_t n_with = 0;
        uint32_t n_without = 0;

        hash_values(&golden_gadgets[i].circuit, true, with, &n_with);
        hash_values(&golden_gadgets[i].circuit, false, without, &n_without);
        assert_int_equal(n_with, n_without);
        assert_memory_equal(with, without, 32);
    }
}

static void test_paths_are_left_as_entered(void **state)
{
    (void)state;
    for (size_t i = 0; i < GOLDEN_GADGETS; i++) {
        recorder r;

        recorder_init(&r);
        golden_gadgets[i].circuit.synthesize(&golden_gadgets[i].circuit, &r.cs);
        assert_int_equal(r.cs.depth, 0);
        recorder_clear(&r);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_any_wrong_value_is_caught),
    cmocka_unit_test(test_checker_sees_unconstrained_values),
    cmocka_unit_test(test_witness_alone_is_the_same),
    cmocka_unit_test(test_paths_are_left_as_entered),
};
CZ_TEST_MAIN(cases)
