/* The compiled form: that it is the circuit, what it shares, and that its evaluation equals the
 * classic path. */
#include "blocks.h"
#include "cs/assignment.h"
#include "cs/compile.h"
#include "cs/compiled_eval.h"

/* ---- it is the circuit ---- */

static cz_compiled *compile(const cz_circuit *circuit)
{
    cz_compiled *c = NULL;

    assert_ok(cz_circuit_compile(&c, circuit, NULL));
    return c;
}

static void assert_same_circuit(const cz_compiled *c, const cz_circuit *circuit)
{
    const cz_digest_options options = {.threads = 1};
    cz_expansion expansion = cz_compiled_expand(c);
    cz_circuit_stats direct, expanded, stored = cz_compiled_stats(c);

    assert_ok(cz_circuit_digest(&direct, circuit, &options));
    assert_ok(cz_circuit_digest(&expanded, &expansion.circuit, &options));
    assert_memory_equal(&direct, &expanded, sizeof direct);
    assert_memory_equal(&direct, &stored, sizeof direct);
}

static void test_expansion_of_random_circuits(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 3000; n = n * 3 + 1) {
        random_circuit circuit = random_make(n);
        cz_compiled *c = compile(&circuit.circuit);

        assert_same_circuit(c, &circuit.circuit);
        cz_compiled_destroy(c);
    }
}

static void test_expansion_of_random_blocks(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        random_blocks circuit = random_blocks_make(30, 1 + i % 4);
        cz_compiled *c = compile(&circuit.circuit);

        assert_same_circuit(c, &circuit.circuit);
        cz_compiled_destroy(c);
    }
}

static void empty_synthesize(const cz_circuit *self, cz_cs *cs)
{
    (void)self;
    cz_cs_border(cs);
    cz_cs_border(cs);
}

static void test_empty_circuit(void **state)
{
    const cz_circuit circuit = {"empty", empty_synthesize};
    const cz_fr one = CZ_FR_ONE;
    cz_compiled *c = compile(&circuit);
    cz_bit_witness w;
    cz_fr row[3];

    (void)state;
    assert_same_circuit(c, &circuit);
    assert_int_equal(cz_compiled_measure(c).instances, 0);
    assert_int_equal(cz_compiled_rows(c), 1);
    assert_ok(cz_bit_witness_synthesize(&w, c, &circuit));
    assert_ok(cz_compiled_eval(c, &w, NULL, 0, 1, &row[0], &row[1], &row[2]));
    assert_true(cz_fr_equal(&row[0], &one));
    assert_true(cz_fr_is_zero(&row[1]));
    assert_true(cz_fr_is_zero(&row[2]));
    cz_bit_witness_clear(&w);
    cz_compiled_destroy(c);
}

static void test_expansion_has_no_witness(void **state)
{
    chain_circuit circuit = chain_make(3, 0, ODD_NOTHING);
    cz_compiled *c = compile(&circuit.circuit);
    cz_expansion expansion = cz_compiled_expand(c);
    cz_assignment s;

    (void)state;
    assert_fails(cz_assignment_synthesize(&s, &expansion.circuit), CZ_E_ARG, "witness");
    cz_compiled_destroy(c);
}

static void failing_synthesize(const cz_circuit *self, cz_cs *cs)
{
    (void)self;
    cz_cs_fail(cs, cz_fail(CZ_E_ARG, "no such thing"));
}

static void test_failure_of_the_circuit(void **state)
{
    const cz_circuit failing = {"failing", failing_synthesize};
    const cz_circuit nameless = {"an-id-of-more-than-thirty-one-characters", empty_synthesize};
    cz_compiled *c;

    (void)state;
    assert_fails(cz_circuit_compile(&c, &failing, NULL), CZ_E_ARG, "no such thing");
    assert_fails(cz_circuit_compile(&c, &nameless, NULL), CZ_E_ARG, "too long");
}

/* Another circuit at every second synthesis: what is recorded is not what is hashed. */
static void fickle_synthesize(const cz_circuit *self, cz_cs *cs)
{
    static unsigned calls;
    chain_circuit circuit = chain_make(3, calls++ % 2 == 0 ? 3 : 1, ODD_COEFFICIENT);

    (void)self;
    chain_synthesize(&circuit.circuit, cs);
}

static void test_difference_is_found(void **state)
{
    const cz_circuit fickle = {"fickle", fickle_synthesize};
    cz_compiled *c;

    (void)state;
    assert_fails(cz_circuit_compile(&c, &fickle, NULL), CZ_E_INTERNAL, "not the circuit");
}

/* ---- what is shared ---- */

static cz_compiled_sizes sizes_of_chain(unsigned n, unsigned odd, odd_kind kind)
{
    chain_circuit circuit = chain_make(n, odd, kind);
    cz_compiled *c = compile(&circuit.circuit);
    cz_compiled_sizes sizes = cz_compiled_measure(c);

    assert_same_circuit(c, &circuit.circuit);
    cz_compiled_destroy(c);
    return sizes;
}

/* The first bit, the block, the public row. */
static void test_equal_blocks_share_a_template(void **state)
{
    cz_compiled_sizes sizes = sizes_of_chain(50, 0, ODD_NOTHING);

    (void)state;
    assert_int_equal(sizes.templates, 3);
    assert_int_equal(sizes.instances, 1 + 50 + 5);
    assert_int_equal(sizes.n_fields, 2 * 50);
}

static void test_different_blocks_do_not(void **state)
{
    (void)state;
    assert_int_equal(sizes_of_chain(50, 20, ODD_COEFFICIENT).templates, 4);
    assert_int_equal(sizes_of_chain(50, 20, ODD_NEGATION).templates, 4);
    assert_int_equal(sizes_of_chain(50, 20, ODD_CONSTANT).templates, 4);
    assert_int_equal(sizes_of_chain(50, 20, ODD_WITNESS).templates, 3);
    /* the next block has a port of another class */
    assert_int_equal(sizes_of_chain(50, 20, ODD_CLASS).templates, 5);
    assert_int_equal(sizes_of_chain(50, 49, ODD_CLASS).templates, 4);
}

/* ---- blocks that are too large ---- */

/* n variables and rows without a border, then a row over `ports` of them. */
typedef struct {
    cz_circuit circuit; /* first */
    uint32_t n, ports;
} large_circuit;

static void large_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const large_circuit *t = (const large_circuit *)(const void *)self;
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (uint32_t i = 0; i < t->n; i++) {
        cz_var bit = cz_cs_alloc_bit(cs, CZ_N("bit"), i % 5 == 0);

        cz_lc_add_var(&a, bit);
        cz_lc_add_var(&b, i < 10 ? CZ_VAR_ONE : toy_aux(i * 7 / 11));
        cz_lc_sub_var(&c, toy_aux(i / 2));
        toy_enforce(cs, CZ_N("row"), &a, &b, &c);
    }
    for (uint32_t i = 0; i < t->ports; i++)
        toy_add(&a, (int64_t)(i % 17) - 8, toy_aux(i));
    toy_enforce(cs, CZ_N("wide row"), &a, &b, &c);
    for (uint32_t i = 0; i < t->ports % 1000; i++)
        (void)cz_cs_alloc_bit(cs, CZ_N("late bit"), true);
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static void assert_eval_is_classic(const cz_circuit *circuit, cz_pool *pool);

static void test_large_blocks_are_cut(void **state)
{
    static const uint32_t sizes[][2] = {
        {1000, 0}, {39999, 5}, {40001, 20000}, {100000, 20001}, {100000, 65999}};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        large_circuit circuit = {{"large", large_synthesize}, sizes[i][0], sizes[i][1]};
        cz_compiled *c = compile(&circuit.circuit);

        assert_same_circuit(c, &circuit.circuit);
        assert_true(cz_compiled_measure(c).instances >= sizes[i][0] / 40000 + 1);
        cz_compiled_destroy(c);
        assert_eval_is_classic(&circuit.circuit, NULL);
    }
}

/* Many small rows, each over two variables of an earlier block: more ports together than a template
 * has columns. */
static void many_ports_synthesize(const cz_circuit *self, cz_cs *cs)
{
    enum { PAIRS = 36000 };
    cz_lc a, b, c;

    (void)self;
    for (uint32_t i = 0; i < 2 * PAIRS; i++)
        (void)cz_cs_alloc_bit(cs, CZ_N("bit"), i % 3 == 0);
    cz_cs_border(cs);
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (uint32_t i = 0; i < PAIRS; i++) {
        cz_lc_add_var(&a, toy_aux(2 * i));
        cz_lc_add_var(&c, toy_aux(2 * i + 1));
        toy_enforce(cs, CZ_N("row"), &a, &b, &c);
    }
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static void test_many_ports_are_cut(void **state)
{
    const cz_circuit circuit = {"ports", many_ports_synthesize};
    cz_compiled *c = compile(&circuit);

    (void)state;
    assert_same_circuit(c, &circuit);
    cz_compiled_destroy(c);
}

static void test_rows_that_do_not_fit(void **state)
{
    large_circuit circuit = {{"large", large_synthesize}, 100000, 80000};
    cz_compiled *c;

    (void)state;
    assert_fails(cz_circuit_compile(&c, &circuit.circuit, NULL), CZ_E_UNSUPPORTED, "large");
}

/* A coefficient of its own in every row. */
static void many_coeffs_synthesize(const cz_circuit *self, cz_cs *cs)
{
    cz_lc a, b, c;

    (void)self;
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (int64_t i = 1; i <= 65537; i++) {
        toy_add(&a, i, CZ_VAR_ONE);
        toy_enforce(cs, CZ_N("row"), &a, &b, &c);
    }
}

static void test_coefficients_that_do_not_fit(void **state)
{
    const cz_circuit circuit = {"many", many_coeffs_synthesize};
    cz_compiled *c;

    (void)state;
    assert_fails(cz_circuit_compile(&c, &circuit, NULL), CZ_E_UNSUPPORTED, "coefficients");
}

/* ---- evaluation ---- */

static void assert_planes(const cz_compiled *c, const cz_assignment *s)
{
    cz_densities d;

    assert_ok(cz_compiled_densities(&d, c));
    assert_memory_equal(d.a_aux, s->dens_a_aux, (s->n_aux + 63) / 64 * 8);
    assert_memory_equal(d.b_aux, s->dens_b_aux, (s->n_aux + 63) / 64 * 8);
    assert_memory_equal(d.b_input, s->dens_b_input, (s->n_inputs + 63) / 64 * 8);
    cz_densities_clear(&d);
}

static void assert_witness(const cz_bit_witness *w, const cz_compiled *c, const cz_assignment *s)
{
    uint32_t n_fields = 0;

    assert_int_equal(w->n_inputs, s->n_inputs);
    assert_int_equal(w->n_aux, s->n_aux);
    assert_memory_equal(w->inputs, s->inputs, s->n_inputs * sizeof(cz_fr));
    for (uint32_t k = 0; k < w->n_aux; k++) {
        bool is_bit = cz_compiled_classes(c)[k / 64] >> (k % 64) & 1;
        cz_fr v;

        cz_bit_witness_aux(&v, w, c, k);
        assert_memory_equal(&v, &s->aux[k], sizeof v);
        if (!is_bit) {
            assert_int_equal(cz_compiled_field_index(c, k), n_fields);
            assert_int_equal(w->bits[k / 64] >> (k % 64) & 1, 0);
            n_fields++;
        }
    }
    assert_int_equal(n_fields, w->n_fields);
}

static void assert_slice(const cz_compiled *c, const cz_bit_witness *w, const cz_assignment *s,
                         cz_pool *pool, uint64_t first, uint64_t n)
{
    const size_t bytes = n * sizeof(cz_fr);
    cz_fr *rows = malloc(3 * bytes + 3 * sizeof *rows);
    cz_fr *b = rows + n + 1, *c_out = b + n + 1;

    assert_non_null(rows);
    memset(rows, 0xa5, 3 * bytes + 3 * sizeof *rows);
    assert_ok(cz_compiled_eval(c, w, pool, first, n, rows, b, c_out));
    assert_memory_equal(rows, s->a + first, bytes);
    assert_memory_equal(b, s->b + first, bytes);
    assert_memory_equal(c_out, s->c + first, bytes);
    for (int i = 0; i < 3; i++) /* nothing beyond */
        assert_int_equal(rows[(n + 1) * (size_t)(i + 1) - 1].l[0], 0xa5a5a5a5a5a5a5a5u);
    free(rows);
}

static void assert_eval_is_classic(const cz_circuit *circuit, cz_pool *pool)
{
    cz_compiled *c = compile(circuit);
    uint64_t n = cz_compiled_rows(c);
    cz_bit_witness w, same;
    cz_assignment s;

    assert_ok(cz_assignment_synthesize(&s, circuit));
    assert_ok(cz_bit_witness_synthesize(&w, c, circuit));
    assert_int_equal(n, s.n_rows);
    assert_witness(&w, c, &s);
    assert_planes(c, &s);
    assert_slice(c, &w, &s, pool, 0, n);
    for (int i = 0; i < 20; i++) {
        uint64_t first = cz_test_random() % (n + 1);

        assert_slice(c, &w, &s, pool, first, cz_test_random() % (n - first + 1));
    }
    assert_ok(cz_bit_witness_from_values(&same, c, s.inputs, s.aux));
    assert_memory_equal(same.bits, w.bits, w.n_aux / 64 * 8);
    assert_memory_equal(same.fields, w.fields, w.n_fields * sizeof *w.fields);
    cz_bit_witness_clear(&same);
    cz_bit_witness_clear(&w);
    cz_assignment_clear(&s);
    cz_compiled_destroy(c);
}

static void test_eval_of_toys(void **state)
{
    toy_circuit toy = toy_make(3, 27, 1);
    chain_circuit chain = chain_make(40, 7, ODD_NEGATION);
    chain_circuit constant = chain_make(40, 7, ODD_CONSTANT);

    (void)state;
    assert_eval_is_classic(&toy.circuit, NULL);
    assert_eval_is_classic(&chain.circuit, NULL);
    assert_eval_is_classic(&constant.circuit, NULL);
}

static void test_eval_of_random_circuits(void **state)
{
    (void)state;
    for (uint32_t n = 1; n < 3000; n = n * 3 + 1) {
        random_circuit circuit = random_make(n);

        assert_eval_is_classic(&circuit.circuit, NULL);
    }
}

static void test_eval_of_random_blocks(void **state)
{
    (void)state;
    for (unsigned threads = 1; threads <= 4; threads++) {
        cz_pool *pool;

        assert_ok(cz_pool_create(&pool, threads));
        for (unsigned i = 0; i < 5; i++) {
            random_blocks circuit = random_blocks_make(10 + 15 * i, 1 + i);

            assert_eval_is_classic(&circuit.circuit, pool);
        }
        cz_pool_destroy(pool);
    }
}

static void test_eval_of_chosen_columns(void **state)
{
    random_blocks circuit = random_blocks_make(20, 2);
    cz_compiled *c = compile(&circuit.circuit);
    size_t n = (size_t)cz_compiled_rows(c);
    cz_fr *all = malloc(3 * n * sizeof *all), *one = malloc(n * sizeof *one);
    cz_bit_witness w;

    (void)state;
    assert_ok(cz_bit_witness_synthesize(&w, c, &circuit.circuit));
    assert_ok(cz_compiled_eval(c, &w, NULL, 0, n, all, all + n, all + 2 * n));
    assert_ok(cz_compiled_eval(c, &w, NULL, 0, n, one, NULL, NULL));
    assert_memory_equal(one, all, n * sizeof *one);
    assert_ok(cz_compiled_eval(c, &w, NULL, 0, n, NULL, one, NULL));
    assert_memory_equal(one, all + n, n * sizeof *one);
    assert_ok(cz_compiled_eval(c, &w, NULL, 0, n, NULL, NULL, one));
    assert_memory_equal(one, all + 2 * n, n * sizeof *one);
    cz_bit_witness_clear(&w);
    cz_compiled_destroy(c);
    free(all);
    free(one);
}

/* ---- sums of bits at the limits of their kinds ---- */

/* n bits, all one, with the same coefficient each. */
typedef struct {
    cz_circuit circuit; /* first */
    cz_fr coeff;
    unsigned n;
} limit_circuit;

static void limit_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const limit_circuit *t = (const limit_circuit *)(const void *)self;
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (unsigned i = 0; i < t->n; i++)
        cz_lc_add(&a, &t->coeff, cz_cs_alloc_bit(cs, CZ_N("bit"), true));
    toy_enforce(cs, CZ_N("sum"), &a, &b, &c);
    cz_lc_clear(&a);
}

static void assert_limit(const cz_fr *coeff, unsigned n, cz_lc_kind kind)
{
    limit_circuit circuit = {{"limit", limit_synthesize}, *coeff, n};
    cz_compiled *c;

    for (int sign = 0; sign < 2; sign++) {
        c = compile(&circuit.circuit);
        assert_int_equal(cz_compiled_view(c)->rows[0].kind[0], kind);
        cz_compiled_destroy(c);
        assert_eval_is_classic(&circuit.circuit, NULL);
        cz_fr_neg(&circuit.coeff, &circuit.coeff);
    }
}

static void test_limits_of_kinds(void **state)
{
    cz_fr coeff = toy_fr(1), half = toy_fr(2);

    (void)state;
    assert_limit(&coeff, 64, CZ_LC_SMALL);
    assert_limit(&coeff, 65, CZ_LC_WIDE);
    assert_limit(&coeff, 30000, CZ_LC_WIDE);
    coeff = toy_fr(64);
    assert_limit(&coeff, 1, CZ_LC_SMALL);
    assert_limit(&coeff, 2, CZ_LC_WIDE);
    coeff = toy_fr(65);
    assert_limit(&coeff, 1, CZ_LC_WIDE);
    coeff = toy_fr(0xffffffff);
    assert_limit(&coeff, 30000, CZ_LC_WIDE);
    coeff = toy_fr((int64_t)1 << 32);
    assert_limit(&coeff, 3, CZ_LC_WIDE);
    coeff = toy_fr(((int64_t)1 << 32) + 1);
    assert_limit(&coeff, 3000, CZ_LC_WIDE);
    cz_fr_inv(&half, &half);
    coeff = toy_fr(-1);
    cz_fr_mul(&coeff, &coeff, &half); /* (r - 1) / 2, the largest magnitude: 4.4 fit */
    assert_limit(&coeff, 4, CZ_LC_WIDE);
    assert_limit(&coeff, 5, CZ_LC_FIELD);
}

/* ---- satisfied? ---- */

static uint64_t first_failing(const cz_circuit *circuit)
{
    cz_compiled *c = compile(circuit);
    uint64_t row = 0;
    cz_bit_witness w;

    assert_ok(cz_bit_witness_synthesize(&w, c, circuit));
    assert_ok(cz_compiled_satisfied(c, &w, NULL, &row));
    cz_bit_witness_clear(&w);
    cz_compiled_destroy(c);
    return row;
}

static void test_satisfied(void **state)
{
    chain_circuit good = chain_make(40, 7, ODD_NEGATION);
    chain_circuit bad = chain_make(40, 5, ODD_WITNESS);
    toy_circuit toy = toy_make(3, 28, 1);

    (void)state;
    assert_int_equal(first_failing(&good.circuit), 2 * 40 + 4);
    assert_int_equal(first_failing(&bad.circuit), 2 * 5 + 1);
    assert_int_equal(first_failing(&toy.circuit), 2);
}

/* bit x = y, with values that need not be right. */
typedef struct {
    cz_circuit circuit; /* first */
    bool bit;
    int64_t x, y;
} choice_circuit;

static void choice_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const choice_circuit *t = (const choice_circuit *)(const void *)self;
    const cz_fr x = toy_fr(t->x), y = toy_fr(t->y);
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    cz_lc_add_var(&a, cz_cs_alloc_bit(cs, CZ_N("bit"), t->bit));
    cz_lc_add_var(&b, cz_cs_alloc(cs, CZ_N("x"), &x));
    cz_lc_add_var(&c, cz_cs_alloc(cs, CZ_N("y"), &y));
    toy_enforce(cs, CZ_N("choice"), &a, &b, &c);
    toy_enforce(cs, CZ_N("nothing"), &a, &b, &c);
}

/* Rows whose factors are 0 or 1 take no product. */
static void test_rows_with_zeros_and_ones(void **state)
{
    (void)state;
    for (int bit = 0; bit < 2; bit++)
        for (int64_t x = -1; x <= 2; x++)
            for (int64_t y = -1; y <= 2; y++) {
                const choice_circuit t = {{"choice", choice_synthesize}, bit != 0, x, y};

                assert_int_equal(first_failing(&t.circuit), y == bit * x ? 2 : 0);
            }
}

/* Whoever of several threads finds it. */
static void test_a_late_failure_is_found_by_threads(void **state)
{
    const chain_circuit bad = chain_make(20000, 19990, ODD_WITNESS);
    cz_compiled *c = compile(&bad.circuit);
    cz_bit_witness w;
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 4));
    assert_ok(cz_bit_witness_synthesize(&w, c, &bad.circuit));
    for (int i = 0; i < 20; i++) {
        uint64_t row = 0;

        assert_ok(cz_compiled_satisfied(c, &w, pool, &row));
        /* of the blocks before, each with two rows, every tenth has a third */
        assert_int_equal(row, 2 * 19990 + 1999 + 1);
    }
    cz_bit_witness_clear(&w);
    cz_pool_destroy(pool);
    cz_compiled_destroy(c);
}

/* ---- a witness of something else ---- */

static void test_witness_of_another_circuit(void **state)
{
    chain_circuit chain = chain_make(20, 20, ODD_NOTHING);
    chain_circuit other_class = chain_make(20, 11, ODD_CLASS);
    chain_circuit shorter = chain_make(19, 20, ODD_NOTHING);
    chain_circuit longer = chain_make(21, 20, ODD_NOTHING);
    chain_circuit more_inputs = chain_make(28, 30, ODD_NOTHING);
    cz_compiled *c = compile(&chain.circuit);
    cz_bit_witness w;

    (void)state;
    assert_fails(cz_bit_witness_synthesize(&w, c, &other_class.circuit), CZ_E_INTERNAL, "compiled");
    assert_fails(cz_bit_witness_synthesize(&w, c, &shorter.circuit), CZ_E_INTERNAL, "other");
    assert_fails(cz_bit_witness_synthesize(&w, c, &longer.circuit), CZ_E_INTERNAL, "compiled");
    assert_fails(cz_bit_witness_synthesize(&w, c, &more_inputs.circuit), CZ_E_INTERNAL, "compiled");
    cz_compiled_destroy(c);

    c = compile(&other_class.circuit);
    assert_fails(cz_bit_witness_synthesize(&w, c, &chain.circuit), CZ_E_INTERNAL, "other");
    cz_compiled_destroy(c);
}

static void test_values_that_are_no_bits(void **state)
{
    chain_circuit chain = chain_make(20, 20, ODD_NOTHING);
    cz_compiled *c = compile(&chain.circuit);
    cz_assignment s;
    cz_bit_witness w;

    (void)state;
    assert_ok(cz_assignment_synthesize(&s, &chain.circuit));
    s.aux[4] = toy_fr(2);
    assert_fails(cz_bit_witness_from_values(&w, c, s.inputs, s.aux), CZ_E_UNSATISFIED, "4");
    cz_assignment_clear(&s);
    cz_compiled_destroy(c);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_expansion_of_random_circuits),
    cmocka_unit_test(test_expansion_of_random_blocks),
    cmocka_unit_test(test_empty_circuit),
    cmocka_unit_test(test_expansion_has_no_witness),
    cmocka_unit_test(test_failure_of_the_circuit),
    cmocka_unit_test(test_difference_is_found),
    cmocka_unit_test(test_equal_blocks_share_a_template),
    cmocka_unit_test(test_different_blocks_do_not),
    cmocka_unit_test(test_large_blocks_are_cut),
    cmocka_unit_test(test_many_ports_are_cut),
    cmocka_unit_test(test_rows_that_do_not_fit),
    cmocka_unit_test(test_coefficients_that_do_not_fit),
    cmocka_unit_test(test_eval_of_toys),
    cmocka_unit_test(test_eval_of_random_circuits),
    cmocka_unit_test(test_eval_of_random_blocks),
    cmocka_unit_test(test_eval_of_chosen_columns),
    cmocka_unit_test(test_limits_of_kinds),
    cmocka_unit_test(test_satisfied),
    cmocka_unit_test(test_rows_with_zeros_and_ones),
    cmocka_unit_test(test_a_late_failure_is_found_by_threads),
    cmocka_unit_test(test_witness_of_another_circuit),
    cmocka_unit_test(test_values_that_are_no_bits),
};
CZ_TEST_MAIN(cases)
