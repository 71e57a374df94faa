/* test_columns.c: column sums against a direct computation and against the rows. */
#include "cs/columns.h"

#include <stdlib.h>

#include "cs/assignment.h"
#include "random_circuit.h"

static void random_weights(cz_fr *w, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(&w[i], bytes);
    }
}

/* sum += c * w[row] */
static void add(cz_fr *sum, int64_t c, const cz_fr *w)
{
    cz_fr coeff = toy_fr(c);
    cz_fr p;

    cz_fr_mul(&p, &coeff, w);
    cz_fr_add(sum, sum, &p);
}

static void test_toy_columns(void **state)
{
    toy_circuit toy = toy_make(0, 0, 0);
    cz_fr w[6], at[6], bt[6], ct[6];
    cz_fr a[6] = {0}, b[6] = {0}, c[6] = {0}; /* one, out, x, x2, x3, bit */

    (void)state;
    random_weights(w, 6);
    add(&a[2], 1, &w[0]);
    add(&a[3], 1, &w[1]);
    add(&a[0], 5, &w[2]);
    add(&a[4], 3, &w[2]);
    add(&a[0], 1, &w[3]);
    add(&a[5], -1, &w[3]);
    add(&a[0], 1, &w[4]); /* the inputs' own rows */
    add(&a[1], 1, &w[5]);
    add(&b[2], 1, &w[0]);
    add(&b[2], 1, &w[1]);
    add(&b[0], 1, &w[2]);
    add(&b[5], 1, &w[3]);
    add(&c[3], 1, &w[0]);
    add(&c[4], 1, &w[1]);
    add(&c[0], 5, &w[2]);
    add(&c[1], 3, &w[2]);
    assert_ok(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 4, w, 6));
    assert_memory_equal(at, a, sizeof a);
    assert_memory_equal(bt, b, sizeof b);
    assert_memory_equal(ct, c, sizeof c);
}

/* sum over columns of at[k] witness[k] = sum over rows of L_j a[j]. */
static void assert_same_sum(const cz_fr *columns, const cz_fr *rows, const cz_fr *weights,
                            const cz_assignment *s)
{
    cz_fr by_columns = CZ_FR_ZERO;
    cz_fr by_rows = CZ_FR_ZERO;
    cz_fr p;

    for (uint32_t k = 0; k < s->n_inputs + s->n_aux; k++) {
        cz_fr_mul(&p, &columns[k], k < s->n_inputs ? &s->inputs[k] : &s->aux[k - s->n_inputs]);
        cz_fr_add(&by_columns, &by_columns, &p);
    }
    for (uint64_t j = 0; j < s->n_rows; j++) {
        cz_fr_mul(&p, &rows[j], &weights[j]);
        cz_fr_add(&by_rows, &by_rows, &p);
    }
    assert_true(cz_fr_equal(&by_columns, &by_rows));
}

static void test_columns_against_rows(void **state)
{
    random_circuit circuit = random_make(700);
    cz_assignment s;
    cz_fr *w, *at, *bt, *ct;
    size_t n;

    (void)state;
    assert_ok(cz_assignment_synthesize(&s, &circuit.circuit));
    n = s.n_inputs + s.n_aux;
    w = malloc(s.row_capacity * sizeof *w);
    at = malloc(n * sizeof *at);
    bt = malloc(n * sizeof *bt);
    ct = malloc(n * sizeof *ct);
    random_weights(w, s.row_capacity);
    assert_ok(
        cz_circuit_columns(at, bt, ct, &circuit.circuit, s.n_inputs, s.n_aux, w, s.row_capacity));
    assert_same_sum(at, s.a, w, &s);
    assert_same_sum(bt, s.b, w, &s);
    assert_same_sum(ct, s.c, w, &s);
    free(w);
    free(at);
    free(bt);
    free(ct);
    cz_assignment_clear(&s);
}

static void test_wrong_sizes_are_refused(void **state)
{
    toy_circuit toy = toy_make(0, 0, 0);
    cz_fr w[6] = {0}, at[8], bt[8], ct[8];

    (void)state;
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 1, 4, w, 6), CZ_E_ARG, "more inputs");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 3, w, 6), CZ_E_ARG, "more aux");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 5, w, 6), CZ_E_ARG,
                 "fewer variables");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 4, w, 5), CZ_E_ARG,
                 "fewer row weights");
    assert_fails(cz_circuit_columns(at, bt, ct, &toy.circuit, 2, 4, w, 3), CZ_E_ARG,
                 "more constraints");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_toy_columns),
    cmocka_unit_test(test_columns_against_rows),
    cmocka_unit_test(test_wrong_sizes_are_refused),
};
CZ_TEST_MAIN(cases)
