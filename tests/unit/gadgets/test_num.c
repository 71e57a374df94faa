/* test_num.c: numbers: arithmetic, bits, packing, choosing and inserting, against plain values. */
#include "gadgets/constraint.h"
#include "gadgets/encode.h"
#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "recorder.h"

static cz_fr random_fr(void)
{
    uint8_t bytes[32];
    cz_fr v;

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(&v, bytes);
    return v;
}

static cz_num random_num(recorder *r)
{
    cz_fr v = random_fr();

    return cz_num_alloc(&r->cs, CZ_N("free"), &v);
}

static void assert_num(const recorder *r, const cz_num *num, const cz_fr *want)
{
    assert_true(cz_fr_equal(&num->value, want));
    assert_true(cz_fr_equal(recorder_value(r, num->var), want));
}

/* ---- arithmetic ---- */

static void test_arithmetic(void **state)
{
    recorder r;
    cz_num a, b, c;
    cz_fr want;

    (void)state;
    recorder_init(&r);
    a = random_num(&r);
    b = random_num(&r);
    c = cz_num_add(&r.cs, CZ_N("add"), &a, &b);
    cz_fr_add(&want, &a.value, &b.value);
    assert_num(&r, &c, &want);
    c = cz_num_mul(&r.cs, CZ_N("mul"), &a, &b);
    cz_fr_mul(&want, &a.value, &b.value);
    assert_num(&r, &c, &want);
    c = cz_num_square(&r.cs, CZ_N("square"), &a);
    cz_fr_sqr(&want, &a.value);
    assert_num(&r, &c, &want);
    assert_satisfied(&r);
    want = CZ_FR_ONE;
    assert_every_change_caught(&r, 0, &want);
    recorder_clear(&r);
}

static void test_encode_and_decode_are_inverse(void **state)
{
    recorder r;
    cz_num key, value, encoded, decoded;

    (void)state;
    recorder_init(&r);
    key = random_num(&r);
    value = random_num(&r);
    encoded = cz_encode(&r.cs, CZ_N("encode"), &key, &value);
    decoded = cz_decode(&r.cs, CZ_N("decode"), &key, &encoded);
    assert_num(&r, &decoded, &value.value);
    assert_false(cz_fr_equal(&encoded.value, &value.value));
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_inputs(void **state)
{
    recorder r;
    cz_fr v = random_fr();
    cz_num num, input;

    (void)state;
    recorder_init(&r);
    num = random_num(&r);
    cz_num_inputize(&r.cs, CZ_N("a"), &num);
    input = cz_num_alloc_input(&r.cs, CZ_N("b"), &v);
    assert_true(cz_fr_equal(&r.inputs[1], &num.value));
    assert_false(cz_var_is_aux(input.var));
    assert_num(&r, &input, &v);
    r.inputs[1] = v;
    assert_violated(&r, "enforce input is correct");
    recorder_clear(&r);
}

static void test_relations_reject_wrong_numbers(void **state)
{
    recorder r;
    cz_num a, b;

    (void)state;
    recorder_init(&r);
    a = random_num(&r);
    b = random_num(&r);
    cz_enforce_equal(&r.cs, CZ_N("equal"), &a, &b);
    assert_violated(&r, "equal");
    recorder_clear(&r);
    recorder_init(&r);
    a = random_num(&r);
    b = random_num(&r);
    cz_enforce_difference(&r.cs, CZ_N("difference"), &a, &b, &a);
    assert_violated(&r, "difference");
    recorder_clear(&r);
}

/* ---- bits ---- */

typedef void to_bits(cz_cs *cs, cz_name name, cz_boolean out[CZ_FR_BITS], const cz_num *num);

static void check_bits(to_bits *f, const cz_fr *value)
{
    cz_boolean bits[CZ_FR_BITS];
    cz_fr back;
    cz_u256 v;
    recorder r;
    cz_num num;

    recorder_init(&r);
    num = cz_num_alloc(&r.cs, CZ_N("num"), value);
    f(&r.cs, CZ_N("bits"), bits, &num);
    cz_fr_to_u256(&v, value);
    for (unsigned i = 0; i < CZ_FR_BITS; i++)
        assert_int_equal(bits[i].value, v.l[i / 64] >> (i % 64) & 1);
    cz_booleans_value(&back, bits, CZ_FR_BITS);
    assert_true(cz_fr_equal(&back, value));
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_bits_of_numbers(void **state)
{
    cz_fr values[6] = {CZ_FR_ZERO, CZ_FR_ONE};

    (void)state;
    cz_fr_neg(&values[2], &values[1]); /* r - 1: all comparisons equal to the end */
    cz_fr_sub(&values[3], &values[2], &values[1]);
    values[4] = random_fr();
    values[5] = random_fr();
    for (int i = 0; i < 6; i++) {
        check_bits(cz_num_to_bits_le, &values[i]);
        check_bits(cz_num_to_bits_le_strict, &values[i]);
    }
}

/* The bits of v + r in place of those of v, and all conjunctions made to fit. */
static void forge_bits(recorder *r, const cz_boolean bits[CZ_FR_BITS], const cz_u256 *forged)
{
    cz_fr abc[3];

    for (unsigned i = 0; i < CZ_FR_BITS; i++)
        r->aux[cz_var_index(bits[i].var)] =
            forged->l[i / 64] >> (i % 64) & 1 ? CZ_FR_ONE : CZ_FR_ZERO;
    for (uint64_t i = 0; i < r->cs.n_constraints; i++) {
        const recorded *c = &r->constraints[i];

        if (strstr(r->names[i], "and constraint") == NULL)
            continue;
        recorder_eval(r, c, abc);
        cz_fr_mul(&r->aux[cz_var_index(c->terms[c->end[1]].var)], &abc[0], &abc[1]);
    }
}

static const char *verdict_on_second_encoding(to_bits *f, recorder *r)
{
    cz_boolean bits[CZ_FR_BITS];
    cz_u256 forged;
    uint64_t carry = 0;
    cz_num num;
    cz_fr five;

    cz_fr_from_u64(&five, 5);
    recorder_init(r);
    num = cz_num_alloc(&r->cs, CZ_N("num"), &five);
    f(&r->cs, CZ_N("bits"), bits, &num);
    for (int i = 0; i < 4; i++)
        forged.l[i] = cz_adc(cz_fr_modulus[i], i == 0 ? 5 : 0, &carry);
    forge_bits(r, bits, &forged);
    return recorder_violated(r);
}

static void test_only_strict_bits_are_unique(void **state)
{
    recorder r;

    (void)state;
    assert_null(verdict_on_second_encoding(cz_num_to_bits_le, &r));
    recorder_clear(&r);
    assert_non_null(
        strstr(verdict_on_second_encoding(cz_num_to_bits_le_strict, &r), "boolean constraint"));
    recorder_clear(&r);
}

/* ---- packing ---- */

static void check_packing(size_t n)
{
    cz_boolean bits[600];
    bool plain[600];
    cz_fr want[3];
    recorder r;
    cz_num packed;

    recorder_init(&r);
    for (size_t i = 0; i < n; i++) {
        plain[i] = cz_test_random() & 1;
        bits[i] = cz_boolean_from_bit(cz_bit_alloc(&r.cs, CZ_N("bit"), plain[i]));
        if (i % 7 == 3)
            bits[i] = cz_boolean_constant(plain[i]);
        if (i % 7 == 5)
            bits[i] = cz_boolean_not(
                cz_boolean_from_bit(cz_bit_alloc(&r.cs, CZ_N("negated"), !plain[i])));
    }
    cz_multipack(want, plain, n);
    packed = cz_pack_bits(&r.cs, CZ_N("pack"), bits, n);
    assert_num(&r, &packed, &want[0]);
    cz_pack_into_inputs(&r.cs, CZ_N("inputs"), bits, n);
    assert_int_equal(r.cs.n_inputs - 1, cz_multipack_inputs(n));
    for (size_t i = 0; i < cz_multipack_inputs(n); i++)
        assert_true(cz_fr_equal(&r.inputs[1 + i], &want[i]));
    assert_satisfied(&r);
    r.inputs[1] = random_fr();
    assert_violated(&r, "packing constraint 0");
    recorder_clear(&r);
}

static void test_packing(void **state)
{
    static const size_t sizes[] = {1, 2, 64, 253, 254, 255, 508, 509, 600};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_packing(sizes[i]);
}

static void test_bytes_and_bits(void **state)
{
    static const uint8_t bytes[2] = {0x81, 0x04};
    static const bool be[16] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0};
    static const bool le[16] = {1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0};
    bool bits[16];

    (void)state;
    cz_bytes_to_bits_be(bits, bytes, 2);
    assert_memory_equal(bits, be, sizeof be);
    cz_bytes_to_bits_le(bits, bytes, 2);
    assert_memory_equal(bits, le, sizeof le);
}

static void test_reversed_bit_numbering(void **state)
{
    cz_boolean in[11], out[16];

    (void)state;
    for (uint32_t i = 0; i < 11; i++)
        in[i] = (cz_boolean){{i}, CZ_BOOLEAN_IS, false};
    assert_int_equal(cz_reverse_bit_numbering(out, in, 11), 16);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(out[i].var.id, 7 - i);
    for (uint32_t i = 8; i < 13; i++)
        assert_true(cz_boolean_is_constant(out[i]) && !out[i].value);
    for (uint32_t i = 13; i < 16; i++)
        assert_int_equal(out[i].var.id, 8 + 15 - i);
}

/* ---- choosing ---- */

static void alloc_index(recorder *r, cz_bit *bits, unsigned n, unsigned index)
{
    for (unsigned i = 0; i < n; i++)
        bits[i] = cz_bit_alloc(&r->cs, CZ_NU("index bit %u", i), index >> i & 1);
}

static void check_insert(unsigned size, unsigned index)
{
    unsigned n_bits = (unsigned)__builtin_ctz(size);
    cz_num element, siblings[CZ_INSERT_MAX], out[CZ_INSERT_MAX];
    cz_fr one = CZ_FR_ONE;
    cz_bit bits[3];
    recorder r;

    recorder_init(&r);
    alloc_index(&r, bits, n_bits, index);
    element = random_num(&r);
    for (unsigned i = 0; i < size - 1; i++)
        siblings[i] = random_num(&r);
    cz_insert(&r.cs, out, size, &element, bits, siblings);
    for (unsigned i = 0, from = 0; i < size; i++)
        assert_num(&r, &out[i], i == index ? &element.value : &siblings[from++].value);
    assert_satisfied(&r);
    assert_every_change_caught(&r, 0, &one);
    recorder_clear(&r);
}

static void test_insertion_everywhere(void **state)
{
    (void)state;
    for (unsigned size = 2; size <= CZ_INSERT_MAX; size *= 2)
        for (unsigned index = 0; index < size; index++)
            check_insert(size, index);
}

static void test_insertion_of_other_sizes_is_refused(void **state)
{
    cz_num nums[16], out[16];
    cz_bit bits[4];
    recorder r;

    (void)state;
    recorder_init(&r);
    alloc_index(&r, bits, 4, 0);
    for (unsigned i = 0; i < 16; i++)
        nums[i] = random_num(&r);
    cz_insert(&r.cs, out, 16, &nums[0], bits, nums + 1);
    assert_fails(cz_cs_status(&r.cs), CZ_E_ARG, "insertion among 16 nodes");
    recorder_clear(&r);
}

static void check_select(unsigned n_bits, unsigned index)
{
    cz_num from[1 << CZ_SELECT_MAX_BITS], selected;
    cz_bit bits[CZ_SELECT_MAX_BITS];
    recorder r;

    recorder_init(&r);
    alloc_index(&r, bits, n_bits, index);
    for (unsigned i = 0; i < 1u << n_bits; i++)
        from[i] = random_num(&r);
    selected = cz_select(&r.cs, CZ_N("select"), from, bits, n_bits);
    assert_num(&r, &selected, &from[index].value);
    assert_satisfied(&r);
    r.aux[cz_var_index(selected.var)] = from[index ^ 1].value;
    assert_violated(&r, "pick");
    recorder_clear(&r);
}

static void test_selection(void **state)
{
    (void)state;
    for (unsigned n_bits = 1; n_bits <= 4; n_bits++)
        for (unsigned index = 0; index < 1u << n_bits; index++)
            check_select(n_bits, index);
    check_select(CZ_SELECT_MAX_BITS, 0xa5);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_arithmetic),
    cmocka_unit_test(test_encode_and_decode_are_inverse),
    cmocka_unit_test(test_inputs),
    cmocka_unit_test(test_relations_reject_wrong_numbers),
    cmocka_unit_test(test_bits_of_numbers),
    cmocka_unit_test(test_only_strict_bits_are_unique),
    cmocka_unit_test(test_packing),
    cmocka_unit_test(test_bytes_and_bits),
    cmocka_unit_test(test_reversed_bit_numbering),
    cmocka_unit_test(test_insertion_everywhere),
    cmocka_unit_test(test_insertion_of_other_sizes_is_refused),
    cmocka_unit_test(test_selection),
};
CZ_TEST_MAIN(cases)
