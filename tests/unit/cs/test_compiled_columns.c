/* The columns of C of a compiled circuit: that they are the classic circuit's matrix, and the
 * product by rows. */
#include "cs/compiled_columns.h"

#include "blocks.h"
#include "cs/columns.h"
#include "cs/compile.h"
#include "cs/compiled_eval.h"

typedef struct {
    cz_compiled *compiled;
    cz_c_columns columns;
    uint32_t n_inputs, n_aux;
    uint64_t n_rows; /* constraints and inputs */
} subject;

static subject make(const cz_circuit *circuit)
{
    subject s = {.compiled = NULL};
    cz_circuit_stats stats;

    assert_ok(cz_circuit_compile(&s.compiled, circuit, NULL));
    assert_ok(cz_c_columns_make(&s.columns, s.compiled));
    stats = cz_compiled_stats(s.compiled);
    s.n_inputs = (uint32_t)stats.inputs;
    s.n_aux = (uint32_t)stats.aux;
    s.n_rows = stats.constraints + stats.inputs;
    return s;
}

static void clear(subject *s)
{
    cz_c_columns_clear(&s->columns);
    cz_compiled_destroy(s->compiled);
}

static cz_fr *take(uint64_t n)
{
    cz_fr *xs = calloc(n + 1, sizeof *xs);

    assert_non_null(xs);
    return xs;
}

static cz_fr *take_random(uint64_t n)
{
    cz_fr *xs = take(n);

    for (uint64_t i = 0; i < n; i++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(&xs[i], bytes);
    }
    return xs;
}

static void add_product(cz_fr *sum, const cz_fr *a, const cz_fr *b)
{
    cz_fr t;

    cz_fr_mul(&t, a, b);
    cz_fr_add(sum, sum, &t);
}

/* out[row] += coefficient v[k] for every entry */
static void times_by_columns(cz_fr *out, const cz_c_columns *c, const cz_fr *v)
{
    for (uint32_t k = 0; k < c->n_vars; k++)
        for (uint32_t e = c->start[k]; e < c->start[k + 1]; e++)
            add_product(&out[c->row[e]], &c->coeffs[c->coeff[e]], &v[k]);
}

/* ---- their form ---- */

static void assert_well_formed(const subject *s)
{
    const cz_c_columns *c = &s->columns;

    assert_int_equal(c->n_vars, s->n_inputs + s->n_aux);
    assert_int_equal(c->start[0], 0);
    assert_int_equal(c->start[c->n_vars], c->n_entries);
    assert_int_equal(c->n_entries, cz_compiled_stats(s->compiled).nnz_c);
    for (uint32_t k = 0; k < c->n_vars; k++) {
        assert_true(c->start[k] <= c->start[k + 1]);
        for (uint32_t e = c->start[k]; e < c->start[k + 1]; e++) {
            assert_true(e == c->start[k] || c->row[e - 1] < c->row[e]);
            assert_true(c->row[e] < s->n_rows && c->coeff[e] < c->n_coeffs);
        }
    }
}

static void assert_coefficients_differ(const cz_c_columns *c)
{
    cz_fr minus_one;

    assert_true(cz_fr_is_one(&c->coeffs[CZ_C_ONE]));
    cz_fr_neg(&minus_one, &c->coeffs[CZ_C_ONE]);
    assert_true(cz_fr_equal(&c->coeffs[CZ_C_MINUS_ONE], &minus_one));
    for (uint32_t i = 0; i < c->n_coeffs; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_false(cz_fr_equal(&c->coeffs[i], &c->coeffs[j]));
}

/* ---- the matrix ---- */

/* A random combination of the rows of C, variable by variable, against the classic circuit's. */
static void assert_is_the_matrix(const subject *s, const cz_circuit *circuit)
{
    const cz_c_columns *c = &s->columns;
    cz_fr *weights = take_random(s->n_rows);
    cz_fr *a = take(c->n_vars), *b = take(c->n_vars), *want = take(c->n_vars);

    assert_ok(cz_circuit_columns(a, b, want, circuit, s->n_inputs, s->n_aux, weights, s->n_rows));
    for (uint32_t k = 0; k < c->n_vars; k++) {
        cz_fr sum = CZ_FR_ZERO;

        for (uint32_t e = c->start[k]; e < c->start[k + 1]; e++)
            add_product(&sum, &c->coeffs[c->coeff[e]], &weights[c->row[e]]);
        assert_true(cz_fr_equal(&sum, &want[k]));
    }
    free(weights);
    free(a);
    free(b);
    free(want);
}

static void assert_product_by_rows(const subject *s, cz_pool *pool)
{
    cz_fr *v = take_random(s->columns.n_vars), *got = take_random(s->n_rows);
    cz_fr *want = take(s->n_rows);

    times_by_columns(want, &s->columns, v);
    assert_ok(cz_compiled_c_times(got, s->compiled, v, pool));
    assert_memory_equal(got, want, s->n_rows * sizeof *got);
    free(v);
    free(got);
    free(want);
}

static void assert_columns(const cz_circuit *circuit, cz_pool *pool)
{
    subject s = make(circuit);

    assert_well_formed(&s);
    assert_coefficients_differ(&s.columns);
    assert_is_the_matrix(&s, circuit);
    assert_product_by_rows(&s, pool);
    clear(&s);
}

static void empty_synthesize(const cz_circuit *self, cz_cs *cs)
{
    (void)self;
    (void)cs;
}

static void test_columns_of_small_circuits(void **state)
{
    const cz_circuit empty = {"empty", empty_synthesize};
    const toy_circuit toy = toy_make(3, 27, 1);
    const chain_circuit chain = chain_make(100, 41, ODD_CONSTANT);

    (void)state;
    assert_columns(&empty, NULL);
    assert_columns(&toy.circuit, NULL);
    assert_columns(&chain.circuit, NULL);
}

static void test_columns_of_random_circuits(void **state)
{
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    for (uint32_t n = 1; n < 1500; n = n * 5 + 2) {
        random_circuit circuit = random_make(n);

        assert_columns(&circuit.circuit, pool);
    }
    for (unsigned i = 0; i < 4; i++) {
        random_blocks blocks = random_blocks_make(30, 1 + i);

        assert_columns(&blocks.circuit, pool);
    }
    cz_pool_destroy(pool);
}

/* ---- the values that a witness gives ---- */

static void test_columns_times_a_witness(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        random_blocks circuit = random_blocks_make(20, 1 + i);
        subject s = make(&circuit.circuit);
        cz_fr *v = take(s.columns.n_vars), *got = take(s.n_rows), *want = take(s.n_rows);
        cz_bit_witness w;

        assert_ok(cz_bit_witness_synthesize(&w, s.compiled, &circuit.circuit));
        for (uint32_t k = 0; k < s.n_inputs; k++)
            v[k] = w.inputs[k];
        for (uint32_t k = 0; k < s.n_aux; k++)
            cz_bit_witness_aux(&v[s.n_inputs + k], &w, s.compiled, k);
        assert_ok(cz_compiled_eval(s.compiled, &w, NULL, 0, s.n_rows, NULL, NULL, want));
        times_by_columns(got, &s.columns, v);
        assert_memory_equal(got, want, s.n_rows * sizeof *got);
        assert_ok(cz_compiled_c_times(got, s.compiled, v, NULL));
        assert_memory_equal(got, want, s.n_rows * sizeof *got);
        cz_bit_witness_clear(&w);
        free(v);
        free(got);
        free(want);
        clear(&s);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_columns_of_small_circuits),
    cmocka_unit_test(test_columns_of_random_circuits),
    cmocka_unit_test(test_columns_times_a_witness),
};
CZ_TEST_MAIN(cases)
