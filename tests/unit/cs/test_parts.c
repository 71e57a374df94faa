/* Equal parts of a circuit: in order by default, by several threads for the witness. */
#include "cs/assignment.h"
#include "cs/bit_witness.h"
#include "cs/compile.h"
#include "cs/satisfied.h"
#include "toy.h"

/* A head, then n parts of some bits, a number, maybe an input, and two parts of their own; part
 * `odd` (if any) has a bit more, or fails. */
typedef enum { ODD_NOTHING, ODD_BIT, ODD_CLASS, ODD_FAILURE } odd_kind;

typedef struct {
    cz_circuit circuit; /* first */
    size_t n;
    unsigned bits; /* of a part */
    bool inputs;
    size_t odd;
    odd_kind kind;
} parted;

static cz_fr value_of(size_t i)
{
    cz_fr r;

    cz_fr_from_u64(&r, 2 + i * i);
    return r;
}

typedef struct {
    const parted *p;
    size_t part;
} inner;

static void make_inner(const void *shared, cz_cs *cs, size_t i)
{
    const inner *in = shared;
    const cz_fr value = value_of(in->part * 3 + i);

    (void)cz_cs_alloc_bit(cs, CZ_N("bit"), (in->part + i) % 3 == 0);
    (void)cz_cs_alloc(cs, CZ_N("number"), &value);
}

static void make_part(const void *shared, cz_cs *cs, size_t i)
{
    const parted *p = shared;
    const bool odd = p->kind != ODD_NOTHING && i == p->odd;
    const inner in = {p, i};
    cz_fr value = value_of(i);

    cz_cs_enter(cs, CZ_NU("part %u", i));
    for (unsigned k = 0; k < p->bits; k++)
        (void)cz_cs_alloc_bit(cs, CZ_N("bit"), (i * 7 + k) % 5 < 2);
    if (odd && p->kind == ODD_CLASS)
        (void)cz_cs_alloc_bit(cs, CZ_N("bit"), true);
    else
        (void)cz_cs_alloc(cs, CZ_N("number"), &value);
    if (p->inputs)
        (void)cz_cs_alloc_input(cs, CZ_N("input"), &value);
    if (odd && p->kind == ODD_BIT)
        (void)cz_cs_alloc_bit(cs, CZ_N("one more"), true);
    if (odd && p->kind == ODD_FAILURE)
        cz_cs_fail(cs, cz_fail(CZ_E_INPUT, "part %zu does not want", i));
    cz_cs_parts(cs, 2, make_inner, &in);
    cz_cs_leave(cs);
}

static void parted_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const parted *p = (const parted *)(const void *)self;
    const cz_fr value = value_of(99);

    (void)cz_cs_alloc(cs, CZ_N("head"), &value);
    (void)cz_cs_alloc_bit(cs, CZ_N("head's bit"), true);
    cz_cs_parts(cs, p->n, make_part, p);
    assert_int_equal(cs->depth, 0);
    (void)cz_cs_alloc_bit(cs, CZ_N("foot"), true);
}

static parted make(size_t n, unsigned bits, bool inputs)
{
    return (parted){
        .circuit = {.id = "parted", .synthesize = parted_synthesize},
        .n = n,
        .bits = bits,
        .inputs = inputs,
    };
}

static cz_compiled *compile(const parted *p)
{
    cz_compiled *c;

    assert_ok(cz_circuit_compile(&c, &p->circuit, NULL));
    return c;
}

static void assert_threads_agree(const parted *p, unsigned threads)
{
    cz_compiled *c = compile(p);
    cz_bit_witness alone, together;
    cz_witness_report report;
    cz_pool *pool;

    assert_ok(cz_pool_create(&pool, threads));
    assert_ok(cz_bit_witness_synthesize(&alone, c, &p->circuit));
    assert_ok(cz_bit_witness_synthesize_pool(&together, c, &p->circuit, pool));
    assert_ok(cz_circuit_check(&report, &p->circuit));
    assert_int_equal(alone.n_inputs, report.inputs);
    assert_int_equal(alone.n_aux, report.aux);
    assert_memory_equal(alone.inputs, together.inputs, alone.n_inputs * sizeof(cz_fr));
    assert_memory_equal(alone.fields, together.fields, alone.n_fields * sizeof(cz_fr));
    assert_memory_equal(alone.bits, together.bits, (alone.n_aux / 64 + 1) * sizeof(uint64_t));
    cz_witness_report_clear(&report);
    cz_bit_witness_clear(&alone);
    cz_bit_witness_clear(&together);
    cz_pool_destroy(pool);
    cz_compiled_destroy(c);
}

/* Parts smaller than a word share words with their neighbours. */
static void test_threads_agree(void **state)
{
    const unsigned bits[] = {0, 1, 5, 59, 60, 64, 200};

    (void)state;
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++)
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            const parted some = make(50, bits[i], false), with_inputs = make(33, bits[i], true);
            const parted one = make(1, bits[i], true), none = make(0, bits[i], true);

            assert_threads_agree(&some, threads);
            assert_threads_agree(&with_inputs, threads);
            assert_threads_agree(&one, threads);
            assert_threads_agree(&none, threads);
        }
}

static void assert_refused(odd_kind kind, size_t odd, cz_err code, const char *part_of_message)
{
    parted good = make(40, 20, true), bad = good;
    cz_compiled *c = compile(&good);
    cz_bit_witness w;
    cz_pool *pool;

    bad.kind = kind;
    bad.odd = odd;
    assert_ok(cz_pool_create(&pool, 3));
    assert_fails(cz_bit_witness_synthesize_pool(&w, c, &bad.circuit, pool), code, part_of_message);
    assert_fails(cz_bit_witness_synthesize(&w, c, &bad.circuit), code, part_of_message);
    cz_pool_destroy(pool);
    cz_compiled_destroy(c);
}

static void test_parts_that_differ(void **state)
{
    const size_t places[] = {0, 1, 17, 39};

    (void)state;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        assert_refused(ODD_BIT, places[i], CZ_E_INTERNAL, "");
        assert_refused(ODD_CLASS, places[i], CZ_E_INTERNAL, "");
        assert_refused(ODD_FAILURE, places[i], CZ_E_INPUT, "does not want");
    }
}

static void test_more_parts_than_were_compiled(void **state)
{
    const parted good = make(40, 20, true), more = make(41, 20, true), less = make(39, 20, true);
    cz_compiled *c = compile(&good);
    cz_bit_witness w;

    (void)state;
    assert_fails(cz_bit_witness_synthesize(&w, c, &more.circuit), CZ_E_INTERNAL, "compiled");
    assert_fails(cz_bit_witness_synthesize(&w, c, &less.circuit), CZ_E_INTERNAL, "variables");
    cz_compiled_destroy(c);
}

/* ---- bits by the word, numbers by the list ---- */

enum { WORDS = 3000 };

/* Words of all lengths, at all places in a word of the plane. */
static void words_synthesize(const cz_circuit *self, cz_cs *cs)
{
    uint64_t s = 5;

    (void)self;
    for (int i = 0; i < WORDS; i++) {
        const unsigned n = (unsigned)((s = s * 6364136223846793005u + 1) >> 58) + 1;
        const uint64_t values = s ^ s >> 31;

        if (cz_cs_takes_words(cs)) {
            (void)cz_cs_alloc_bits(cs, values, n);
            continue;
        }
        for (unsigned k = 0; k < n; k++)
            (void)cz_cs_alloc_bit(cs, CZ_N("bit"), (values >> k & 1) != 0);
    }
}

static void test_words_are_their_bits(void **state)
{
    const cz_circuit circuit = {"words", words_synthesize};
    cz_assignment s;
    cz_bit_witness by_words, by_bits;
    cz_compiled *c;

    (void)state;
    assert_ok(cz_circuit_compile(&c, &circuit, NULL));
    assert_ok(cz_assignment_synthesize(&s, &circuit));
    assert_ok(cz_bit_witness_from_values(&by_bits, c, s.inputs, s.aux));
    assert_ok(cz_bit_witness_synthesize(&by_words, c, &circuit));
    assert_int_equal(by_words.n_aux, by_bits.n_aux);
    assert_memory_equal(by_words.bits, by_bits.bits, (by_bits.n_aux / 64 + 1) * sizeof(uint64_t));
    cz_bit_witness_clear(&by_words);
    cz_bit_witness_clear(&by_bits);
    cz_assignment_clear(&s);
    cz_compiled_destroy(c);
}

/* A number, a bit, two numbers; the witness says three numbers and a bit. */
static void turned_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const cz_fr value = value_of(3);
    cz_fr *values;

    (void)self;
    if (cz_cs_takes_values(cs)) {
        (void)cz_cs_alloc_values(cs, &values, 3);
        for (int i = 0; values != NULL && i < 3; i++)
            values[i] = value;
        (void)cz_cs_alloc_bit(cs, CZ_N("bit"), true);
        return;
    }
    (void)cz_cs_alloc(cs, CZ_N("number"), &value);
    (void)cz_cs_alloc_bit(cs, CZ_N("bit"), true);
    (void)cz_cs_alloc(cs, CZ_N("number"), &value);
    (void)cz_cs_alloc(cs, CZ_N("number"), &value);
}

static void test_numbers_in_place_of_a_bit(void **state)
{
    const cz_circuit circuit = {"turned", turned_synthesize};
    cz_bit_witness w;
    cz_compiled *c;

    (void)state;
    assert_ok(cz_circuit_compile(&c, &circuit, NULL));
    assert_fails(cz_bit_witness_synthesize(&w, c, &circuit), CZ_E_INTERNAL,
                 "not what was compiled");
    cz_compiled_destroy(c);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_threads_agree),
    cmocka_unit_test(test_parts_that_differ),
    cmocka_unit_test(test_more_parts_than_were_compiled),
    cmocka_unit_test(test_words_are_their_bits),
    cmocka_unit_test(test_numbers_in_place_of_a_bit),
};
CZ_TEST_MAIN(cases)
