/* test_words.c: 32- and 64-bit words and shared equalities, against the machine's arithmetic. */
#include "gadgets/uint32.h"
#include "gadgets/uint64.h"
#include "recorder.h"

/* The word's bits, its value and the variables agree. */
static void assert_word(const recorder *r, const cz_uint32 *a, uint32_t want)
{
    assert_int_equal(a->value, want);
    for (unsigned i = 0; i < 32; i++) {
        cz_boolean b = a->bits[i];
        bool value = cz_boolean_is_constant(b)
                         ? b.value
                         : cz_fr_is_one(recorder_value(r, b.var)) ^ (b.kind == CZ_BOOLEAN_NOT);

        assert_int_equal(value, want >> i & 1);
        assert_int_equal(b.value, value);
    }
}

static uint32_t random_word(void)
{
    return (uint32_t)cz_test_random();
}

/* A word of some constant and some allocated bits. */
static void make_word(recorder *r, cz_uint32 *out, uint32_t value, bool mixed)
{
    cz_uint32 constant;

    cz_uint32_alloc(&r->cs, CZ_N("word"), out, value);
    cz_uint32_constant(&constant, value);
    for (unsigned i = 0; mixed && i < 32; i += 3)
        out->bits[i] = constant.bits[i];
    for (unsigned i = 1; mixed && i < 32; i += 3)
        out->bits[i] = cz_boolean_not(
            cz_boolean_from_bit(cz_bit_alloc(&r->cs, CZ_N("negated"), !(value >> i & 1))));
}

static void check_bitwise(bool mixed)
{
    uint32_t a = random_word();
    uint32_t b = random_word();
    uint32_t c = random_word();
    cz_uint32 x, y, z, out;
    recorder r;

    recorder_init(&r);
    make_word(&r, &x, a, mixed);
    make_word(&r, &y, b, mixed);
    make_word(&r, &z, c, mixed);
    cz_uint32_xor(&r.cs, CZ_N("xor"), &out, &x, &y);
    assert_word(&r, &out, a ^ b);
    cz_uint32_ch(&r.cs, CZ_N("ch"), &out, &x, &y, &z);
    assert_word(&r, &out, (a & b) ^ (~a & c));
    cz_uint32_maj(&r.cs, CZ_N("maj"), &out, &x, &y, &z);
    assert_word(&r, &out, (a & b) ^ (a & c) ^ (b & c));
    cz_uint32_xor(&r.cs, CZ_N("in place"), &x, &x, &y);
    assert_word(&r, &x, a ^ b);
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_bitwise_operations(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++)
        check_bitwise(i % 2);
}

static void test_rotations_are_free(void **state)
{
    uint32_t a = random_word();
    cz_uint32 x, out;
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_uint32_alloc(&r.cs, CZ_N("x"), &x, a);
    for (unsigned by = 1; by < 32; by++) {
        cz_uint32_rotr(&out, &x, by);
        assert_word(&r, &out, a >> by | a << (32 - by));
        cz_uint32_shr(&out, &x, by);
        assert_word(&r, &out, a >> by);
    }
    assert_int_equal(r.cs.n_constraints, 32);
    recorder_clear(&r);
}

static void test_bit_orders(void **state)
{
    uint32_t a = random_word();
    cz_boolean bits[32];
    cz_uint32 x, back;
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_uint32_alloc(&r.cs, CZ_N("x"), &x, a);
    cz_uint32_to_bits_be(bits, &x);
    for (unsigned i = 0; i < 32; i++)
        assert_int_equal(bits[i].value, a >> (31 - i) & 1);
    cz_uint32_from_bits_be(&back, bits);
    assert_word(&r, &back, a);
    recorder_clear(&r);
}

/* ---- addition ---- */

/* n words, every second one a constant when `mixed`; `repeat` takes the first one for all. */
static void check_sum(unsigned n, bool mixed, bool repeat, uint32_t fixed)
{
    cz_uint32 words[CZ_UINT32_MAX_OPERANDS], out;
    const cz_uint32 *operands[CZ_UINT32_MAX_OPERANDS];
    uint32_t sum = 0;
    cz_multieq m;
    recorder r;

    recorder_init(&r);
    for (unsigned i = 0; i < n; i++) {
        uint32_t value = fixed != 0 ? fixed : random_word();

        if (mixed && i % 2 == 1)
            cz_uint32_constant(&words[i], value);
        else
            make_word(&r, &words[i], value, mixed);
        operands[i] = &words[repeat ? 0 : i];
        sum += operands[i]->value;
    }
    cz_multieq_init(&m, &r.cs);
    cz_uint32_addmany(&m, CZ_N("sum"), &out, operands, n);
    cz_multieq_finish(&m);
    assert_word(&r, &out, sum);
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_sums(void **state)
{
    (void)state;
    for (unsigned n = 2; n <= CZ_UINT32_MAX_OPERANDS; n++) {
        check_sum(n, false, false, 0);
        check_sum(n, true, false, 0);
        check_sum(n, false, true, 0);
        check_sum(n, false, false, UINT32_MAX);
        check_sum(n, true, false, UINT32_MAX);
    }
}

static void test_sum_of_constants_is_constant(void **state)
{
    cz_uint32 a, b, out;
    const cz_uint32 *const both[] = {&a, &b};
    cz_multieq m;
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_uint32_constant(&a, 0xffffffff);
    cz_uint32_constant(&b, 3);
    cz_multieq_init(&m, &r.cs);
    cz_uint32_addmany(&m, CZ_N("sum"), &out, both, 2);
    cz_multieq_finish(&m);
    assert_word(&r, &out, 2);
    assert_int_equal(r.cs.n_constraints + r.cs.n_aux, 0);
    recorder_clear(&r);
}

/* 33 bits each: seven equalities fill 231 bits, an eighth would need 264. */
static void test_equalities_share_constraints(void **state)
{
    cz_uint32 a, b, out;
    const cz_uint32 *const both[] = {&a, &b};
    cz_multieq m;
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_uint32_alloc(&r.cs, CZ_N("a"), &a, random_word());
    cz_uint32_alloc(&r.cs, CZ_N("b"), &b, random_word());
    cz_multieq_init(&m, &r.cs);
    for (unsigned i = 0; i < 15; i++)
        cz_uint32_addmany(&m, CZ_NU("sum %u", i), &out, both, 2);
    cz_multieq_finish(&m);
    assert_int_equal(r.cs.n_constraints, 64 + 15 * 33 + 3);
    assert_string_equal(r.names[64 + 8 * 33], "sum 7/multieq 0"); /* made by the one too many */
    assert_string_equal(r.names[r.cs.n_constraints - 1], "multieq 2");
    assert_satisfied(&r);
    recorder_clear(&r);
}

/* A carry chain that pretends another sum: every wrong bit is noticed. */
static void test_wrong_sums_are_caught(void **state)
{
    cz_fr d = CZ_FR_ONE;
    cz_uint32 a, b, out;
    const cz_uint32 *const both[] = {&a, &b};
    cz_multieq m;
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_uint32_alloc(&r.cs, CZ_N("a"), &a, 0xfffffff0);
    cz_uint32_alloc(&r.cs, CZ_N("b"), &b, 0x11);
    cz_multieq_init(&m, &r.cs);
    cz_uint32_addmany(&m, CZ_N("sum"), &out, both, 2);
    cz_multieq_finish(&m);
    assert_every_change_caught(&r, 0, &d);
    r.aux[64 + 32] = CZ_FR_ZERO; /* the carry, and nothing else */
    assert_violated(&r, "multieq 0");
    recorder_clear(&r);
}

/* ---- 64 bits ---- */

static void test_uint64(void **state)
{
    const uint64_t value = cz_test_random();
    cz_boolean bits[64];
    cz_uint64 x, constant;
    recorder r;
    cz_fr want;

    (void)state;
    recorder_init(&r);
    cz_uint64_alloc(&r.cs, CZ_N("x"), &x, value);
    cz_uint64_constant(&constant, value);
    cz_uint64_to_bits_be(bits, &x);
    for (unsigned i = 0; i < 64; i++) {
        assert_int_equal(bits[i].value, value >> (63 - i) & 1);
        assert_int_equal(constant.bits[i].value, value >> i & 1);
    }
    cz_uint64_pack_into_input(&r.cs, CZ_N("input"), &x);
    cz_fr_from_u64(&want, value);
    assert_true(cz_fr_equal(&r.inputs[1], &want));
    assert_satisfied(&r);
    recorder_clear(&r);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_bitwise_operations),
    cmocka_unit_test(test_rotations_are_free),
    cmocka_unit_test(test_bit_orders),
    cmocka_unit_test(test_sums),
    cmocka_unit_test(test_sum_of_constants_is_constant),
    cmocka_unit_test(test_equalities_share_constraints),
    cmocka_unit_test(test_wrong_sums_are_caught),
    cmocka_unit_test(test_uint64),
};
CZ_TEST_MAIN(cases)
