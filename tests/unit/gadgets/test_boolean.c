/* test_boolean.c: every operation of bits and booleans on every kind of operand, against plain
 * logic. */
#include "gadgets/boolean.h"
#include "gadgets/num.h"
#include "recorder.h"

/* The six ways in which a value can come: constant, variable, negated variable; false and true. */
enum { WAYS = 6 };

static cz_boolean make(cz_cs *cs, unsigned way)
{
    bool value = way & 1;

    switch (way / 2) {
    case 0:
        return cz_boolean_constant(value);
    case 1:
        return cz_boolean_from_bit(cz_bit_alloc(cs, CZ_N("operand"), value));
    default:
        return cz_boolean_not(cz_boolean_from_bit(cz_bit_alloc(cs, CZ_N("operand"), !value)));
    }
}

/* The boolean means what its variable says. */
static void assert_boolean(const recorder *r, cz_boolean b, bool want)
{
    assert_int_equal(b.value, want);
    if (cz_boolean_is_constant(b))
        return;
    assert_int_equal(cz_fr_is_one(recorder_value(r, b.var)),
                     b.kind == CZ_BOOLEAN_NOT ? !want : want);
}

typedef cz_boolean operation(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b);

static void check_pair(operation *op, unsigned way_a, unsigned way_b, bool want)
{
    recorder r;
    cz_boolean a, b, c;

    recorder_init(&r);
    a = make(&r.cs, way_a);
    b = make(&r.cs, way_b);
    c = op(&r.cs, CZ_N("op"), a, b);
    assert_boolean(&r, c, want);
    assert_satisfied(&r);
    if (way_a < 2 || way_b < 2)
        assert_true(cz_boolean_is_constant(c) || c.var.id == a.var.id || c.var.id == b.var.id);
    recorder_clear(&r);
}

static void test_two_operands(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WAYS; i++) {
        for (unsigned j = 0; j < WAYS; j++) {
            bool a = i & 1;
            bool b = j & 1;

            check_pair(cz_boolean_xor, i, j, a ^ b);
            check_pair(cz_boolean_and, i, j, a & b);
            check_pair(cz_boolean_or, i, j, a | b);
        }
    }
}

typedef cz_boolean operation3(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b, cz_boolean c);

static void check_triple(operation3 *op, const unsigned ways[3], bool want)
{
    recorder r;
    cz_boolean a, b, c, d;

    recorder_init(&r);
    a = make(&r.cs, ways[0]);
    b = make(&r.cs, ways[1]);
    c = make(&r.cs, ways[2]);
    d = op(&r.cs, CZ_N("op"), a, b, c);
    assert_boolean(&r, d, want);
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_choice_and_majority(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WAYS * WAYS * WAYS; i++) {
        const unsigned ways[3] = {i % WAYS, i / WAYS % WAYS, i / WAYS / WAYS};
        bool a = ways[0] & 1;
        bool b = ways[1] & 1;
        bool c = ways[2] & 1;

        check_triple(cz_boolean_ch, ways, a ? b : c);
        check_triple(cz_boolean_maj, ways, a + b + c >= 2);
    }
}

/* The same variable as both operands must still give one constraint with merged terms. */
static void test_an_operand_twice(void **state)
{
    recorder r;
    cz_boolean a;

    (void)state;
    recorder_init(&r);
    a = make(&r.cs, 3);
    assert_boolean(&r, cz_boolean_xor(&r.cs, CZ_N("xor"), a, a), false);
    assert_boolean(&r, cz_boolean_and(&r.cs, CZ_N("and"), a, a), true);
    assert_boolean(&r, cz_boolean_maj(&r.cs, CZ_N("maj"), a, a, cz_boolean_not(a)), true);
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void check_equal(unsigned way_a, unsigned way_b)
{
    bool equal = (way_a & 1) == (way_b & 1);
    bool constants = way_a < 2 && way_b < 2;
    recorder r;
    cz_boolean a, b;

    recorder_init(&r);
    a = make(&r.cs, way_a);
    b = make(&r.cs, way_b);
    cz_boolean_enforce_equal(&r.cs, CZ_N("same"), a, b);
    if (constants)
        assert_int_equal(cz_cs_status(&r.cs), equal ? CZ_OK : CZ_E_UNSATISFIED);
    else
        assert_int_equal(recorder_violated(&r) == NULL, equal);
    recorder_clear(&r);
}

static void test_equality(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WAYS; i++)
        for (unsigned j = 0; j < WAYS; j++)
            check_equal(i, j);
}

static void check_conditional(bool value, bool must_be_false, bool holds)
{
    recorder r;
    cz_bit condition;

    recorder_init(&r);
    condition = cz_bit_alloc(&r.cs, CZ_N("condition"), must_be_false);
    (void)cz_bit_alloc_conditionally(&r.cs, CZ_N("bit"), value, condition);
    assert_int_equal(recorder_violated(&r) == NULL, holds);
    recorder_clear(&r);
}

static void test_conditional_bit(void **state)
{
    (void)state;
    check_conditional(false, false, true);
    check_conditional(true, false, true);
    check_conditional(false, true, true);
    check_conditional(true, true, false);
}

static void test_allocated_bits_of_words(void **state)
{
    const uint64_t word = 0x8000000000000005;
    recorder r;
    cz_bit bits[64];

    (void)state;
    recorder_init(&r);
    cz_bits_alloc_u64(&r.cs, bits, 64, word);
    for (unsigned i = 0; i < 64; i++)
        assert_int_equal(bits[i].value, word >> i & 1);
    assert_string_equal(r.aux_names[63], "bit 63/boolean");
    assert_satisfied(&r);
    recorder_clear(&r);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_two_operands),     cmocka_unit_test(test_choice_and_majority),
    cmocka_unit_test(test_an_operand_twice), cmocka_unit_test(test_equality),
    cmocka_unit_test(test_conditional_bit),  cmocka_unit_test(test_allocated_bits_of_words),
};
CZ_TEST_MAIN(cases)
