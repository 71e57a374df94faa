/* The native twin of SHA-256's circuit against the circuit: variable by variable, on words of
 * constants, variables and negations in every mixture. */
#include "cs/assignment.h"
#include "cs/bit_witness.h"
#include "cs/compile.h"
#include "gadgets/multipack.h"
#include "gadgets/sha256_circuit.h"
#include "support.h"

/* What the booleans of a word are. */
typedef enum { CONSTANTS, VARIABLES, NEGATIONS, MIXED, N_FORMS } form;

/* Two compressions on a state and blocks of such booleans; then sums over the state, so that its
 * variables count too. */
typedef struct {
    cz_circuit circuit; /* first */
    uint64_t seed;
    form h, block;
} twin_circuit;

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static cz_boolean some_boolean(cz_cs *cs, form f, uint64_t *s)
{
    bool value = next(s) >> 30 & 1;
    cz_boolean b;

    if (f == MIXED)
        f = (form)(next(s) >> 30) % MIXED;
    if (f == CONSTANTS)
        return cz_boolean_constant(value);
    b = cz_boolean_from_bit(cz_bit_alloc(cs, CZ_N("bit"), value));
    return f == NEGATIONS ? cz_boolean_not(b) : b;
}

static void twin_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const twin_circuit *t = (const twin_circuit *)(const void *)self;
    uint64_t s = t->seed;
    cz_boolean block[512], state[32];
    cz_uint32 h[8];
    cz_num sum;

    for (unsigned i = 0; i < 256; i++)
        h[i / 32].bits[i % 32] = some_boolean(cs, t->h, &s);
    for (unsigned i = 0; i < 8; i++) {
        cz_uint32_to_bits_be(state, &h[i]);
        cz_uint32_from_bits_be(&h[i], state);
    }
    for (unsigned k = 0; k < 2; k++) {
        for (unsigned i = 0; i < 512; i++)
            block[i] = some_boolean(cs, t->block, &s);
        cz_sha256_circuit_compress(cs, h, block, h);
    }
    for (unsigned i = 0; i < 8; i++)
        sum = cz_pack_bits(cs, CZ_N("word"), h[i].bits, 32);
    cz_num_inputize(cs, CZ_N("sum"), &sum);
}

static void check(const twin_circuit *circuit)
{
    cz_bit_witness w, classic;
    cz_compiled *c;
    cz_assignment s;

    assert_ok(cz_circuit_compile(&c, &circuit->circuit, NULL));
    assert_ok(cz_assignment_synthesize(&s, &circuit->circuit));
    assert_ok(cz_bit_witness_synthesize(&w, c, &circuit->circuit));
    assert_ok(cz_bit_witness_from_values(&classic, c, s.inputs, s.aux));
    assert_memory_equal(w.bits, classic.bits, (w.n_aux / 64 + (size_t)1) * sizeof *w.bits);
    assert_memory_equal(w.fields, classic.fields, w.n_fields * sizeof *w.fields);
    assert_memory_equal(w.inputs, classic.inputs, w.n_inputs * sizeof *w.inputs);
    cz_bit_witness_clear(&classic);
    cz_bit_witness_clear(&w);
    cz_assignment_clear(&s);
    cz_compiled_destroy(c);
}

static void test_twin_of_every_mixture(void **state)
{
    (void)state;
    for (unsigned h = 0; h < N_FORMS; h++)
        for (unsigned block = 0; block < N_FORMS; block++) {
            twin_circuit circuit = {
                {"twin", twin_synthesize}, cz_test_random() | 1, (form)h, (form)block};

            check(&circuit);
        }
}

static void test_twin_of_random_mixtures(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        twin_circuit circuit = {{"twin", twin_synthesize}, cz_test_random() | 1, MIXED, MIXED};

        check(&circuit);
    }
}

/* The bits of numbers come by the word too. */
static void number_synthesize(const cz_circuit *self, cz_cs *cs)
{
    uint64_t s = ((const twin_circuit *)(const void *)self)->seed;
    cz_boolean bits[CZ_FR_BITS];
    cz_fr value = CZ_FR_ZERO;
    cz_num num;

    for (unsigned i = 0; i < 20; i++) {
        cz_fr_from_u64(&value, next(&s));
        for (unsigned k = 0; k < i; k++)
            cz_fr_mul(&value, &value, &value);
        num = cz_num_alloc(cs, CZ_N("num"), &value);
        cz_num_to_bits_le(cs, CZ_N("bits"), bits, &num);
        (void)cz_boolean_and(cs, CZ_N("and"), bits[i], bits[i + 64]);
        cz_num_to_bits_le_strict(cs, CZ_N("strict bits"), bits, &num);
    }
}

static void test_bits_of_numbers(void **state)
{
    twin_circuit circuit = {
        {"numbers", number_synthesize}, cz_test_random() | 1, VARIABLES, VARIABLES};

    (void)state;
    check(&circuit);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_twin_of_every_mixture),
    cmocka_unit_test(test_twin_of_random_mixtures),
    cmocka_unit_test(test_bits_of_numbers),
};
CZ_TEST_MAIN(cases)
