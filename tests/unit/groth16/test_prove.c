/* Proofs: equal to what the toxic waste says, accepted when right and refused when anything is
 * wrong. */
#define _GNU_SOURCE
#include "toy_key.h"

#include <string.h>

#include "cs/columns.h"
#include "groth16/key.h"
#include "params/lagrange.h"

/* --- the proof computed from the waste: three scalars --- */

/* A = a G1, B = b G2, C = c G1. */
typedef struct {
    cz_fr a, b, c;
} exponents;

/* Sum of values[k] columns[k] over inputs, then aux. */
static cz_fr weigh(const cz_assignment *w, const cz_fr *column)
{
    cz_fr sum = CZ_FR_ZERO, t;

    for (uint32_t k = 0; k < w->n_inputs + w->n_aux; k++) {
        cz_fr_mul(&t, &column[k], k < w->n_inputs ? &w->inputs[k] : &w->aux[k - w->n_inputs]);
        cz_fr_add(&sum, &sum, &t);
    }
    return sum;
}

/* With u, v, w the weighed columns at tau:
 *   a = alpha + u + r delta,  b = beta + v + s delta,
 *   c = (beta u' + alpha v' + w' + u v - w) / delta + s a + r b - r s delta
 * where ' leaves out the public inputs, and u v - w is h t by the definition of h. */
static exponents expected_exponents(const toy_key *k, const cz_assignment *w, const cz_fr *r,
                                    const cz_fr *s)
{
    uint32_t n = w->n_inputs + w->n_aux;
    const cz_toxic_waste *t = &k->waste;
    cz_fr *weights = calloc(w->n_rows, sizeof *weights), *col[3], u, v, x, all[3], aux[3];
    exponents e;

    for (int i = 0; i < 3; i++)
        assert_non_null(col[i] = calloc(n, sizeof **col));
    assert_non_null(weights);
    assert_ok(cz_lagrange_at(weights, w->n_rows, k->key->log_n, &t->tau, NULL));
    assert_ok(cz_circuit_columns(col[0], col[1], col[2], &k->toy.base, w->n_inputs, w->n_aux,
                                 weights, w->n_rows));
    for (int i = 0; i < 3; i++) {
        all[i] = weigh(w, col[i]);
        memset(col[i], 0, w->n_inputs * sizeof **col);
        aux[i] = weigh(w, col[i]);
        free(col[i]);
    }
    free(weights);
    u = all[0];
    v = all[1];

    cz_fr_mul(&e.a, r, &t->delta);
    cz_fr_add(&e.a, &e.a, &u);
    cz_fr_add(&e.a, &e.a, &t->alpha);
    cz_fr_mul(&e.b, s, &t->delta);
    cz_fr_add(&e.b, &e.b, &v);
    cz_fr_add(&e.b, &e.b, &t->beta);

    cz_fr_mul(&e.c, &u, &v);
    cz_fr_sub(&e.c, &e.c, &all[2]);
    cz_fr_add(&e.c, &e.c, &aux[2]);
    cz_fr_mul(&x, &t->beta, &aux[0]);
    cz_fr_add(&e.c, &e.c, &x);
    cz_fr_mul(&x, &t->alpha, &aux[1]);
    cz_fr_add(&e.c, &e.c, &x);
    cz_fr_inv(&x, &t->delta);
    cz_fr_mul(&e.c, &e.c, &x);
    cz_fr_mul(&x, s, &e.a);
    cz_fr_add(&e.c, &e.c, &x);
    cz_fr_mul(&x, r, &e.b);
    cz_fr_add(&e.c, &e.c, &x);
    cz_fr_mul(&x, r, s);
    cz_fr_mul(&x, &x, &t->delta);
    cz_fr_sub(&e.c, &e.c, &x);
    return e;
}

static void expected_bytes(uint8_t out[CZ_PROOF_BYTES], const exponents *e)
{
    cz_u256 k[3];
    cz_proof p;
    cz_g1 g1;
    cz_g2 g2;

    cz_fr_to_u256(&k[0], &e->a);
    cz_fr_to_u256(&k[1], &e->b);
    cz_fr_to_u256(&k[2], &e->c);
    cz_g1_from_affine(&g1, &cz_g1_generator);
    cz_g1_mul_var(&g1, &g1, &k[0]);
    cz_g1_to_affine(&p.a, &g1);
    cz_g2_from_affine(&g2, &cz_g2_generator);
    cz_g2_mul_var(&g2, &g2, &k[1]);
    cz_g2_to_affine(&p.b, &g2);
    cz_g1_from_affine(&g1, &cz_g1_generator);
    cz_g1_mul_var(&g1, &g1, &k[2]);
    cz_g1_to_affine(&p.c, &g1);
    cz_proof_write(out, &p);
}

static void assert_proof_is_expected(const toy_key *k, const cz_fr *r, const cz_fr *s,
                                     cz_pool *pool)
{
    uint8_t got[CZ_PROOF_BYTES], expected[CZ_PROOF_BYTES];
    cz_fr inputs[8];
    cz_assignment w;
    exponents e;
    cz_proof p;

    assert_ok(cz_assignment_synthesize(&w, &k->toy.base));
    e = expected_exponents(k, &w, r, s);
    expected_bytes(expected, &e);
    assert_ok(cz_groth16_prove(&p, k->key, &w, r, s, pool, NULL));
    cz_assignment_clear(&w);
    cz_proof_write(got, &p);
    assert_memory_equal(got, expected, sizeof got);
    toy_key_inputs(k, k->toy.seed, inputs);
    assert_ok(cz_groth16_verify(k->verifier, &p, inputs, k->toy.n_inputs));
}

static void test_proofs_are_what_the_waste_says(void **state)
{
    const toy_circuit circuits[] = {toy_make(1, 2, 0), toy_make(2, 3, 4), toy_make(8, 100, 70),
                                    toy_make(3, 1500, 600)};
    const char *names[] = {"0.params", "1.params", "2.params", "3.params"};
    cz_fr zero = CZ_FR_ZERO;
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++) {
        toy_key k;
        cz_fr r = toy_key_random(), s = toy_key_random();

        toy_key_init(&k, circuits[i], names[i], pool);
        assert_proof_is_expected(&k, &r, &s, pool);
        assert_proof_is_expected(&k, &r, &s, NULL);
        assert_proof_is_expected(&k, &zero, &zero, NULL);
        k.key->h_chunk = 5; /* many MSMs in the place of one */
        assert_proof_is_expected(&k, &r, &s, pool);
        toy_key_free(&k);
    }
    cz_pool_destroy(pool);
}

/* --- refusals --- */

static void test_every_flipped_bit_is_refused(void **state)
{
    toy_key k;
    cz_proof p, q;
    uint8_t bytes[CZ_PROOF_BYTES];
    unsigned decoded = 0;
    cz_fr inputs[2];

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    p = toy_key_prove(&k, 7, NULL);
    toy_key_inputs(&k, 7, inputs);
    cz_proof_write(bytes, &p);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << (bit % 8));
        if (cz_proof_read(&q, bytes) == CZ_OK) {
            assert_fails(cz_groth16_verify(k.verifier, &q, inputs, 2), CZ_E_VERIFY,
                         "does not verify");
            decoded++;
        }
        bytes[bit / 8] ^= (uint8_t)(1 << (bit % 8));
    }
    assert_true(decoded >= 3); /* the three signs at least */
    assert_ok(cz_proof_read(&q, bytes));
    assert_ok(cz_groth16_verify(k.verifier, &q, inputs, 2));
    toy_key_free(&k);
}

static void test_other_inputs_are_refused(void **state)
{
    toy_key k;
    cz_proof p;
    cz_fr inputs[4] = {CZ_FR_ZERO}, one = CZ_FR_ONE;

    (void)state;
    toy_key_init(&k, toy_make(3, 10, 5), "toy.params", NULL);
    p = toy_key_prove(&k, 7, NULL);
    toy_key_inputs(&k, 7, inputs);
    assert_int_equal(cz_verifier_inputs(k.verifier), 3);
    assert_ok(cz_groth16_verify(k.verifier, &p, inputs, 3));
    assert_fails(cz_groth16_verify(k.verifier, &p, inputs, 2), CZ_E_INPUT,
                 "2 public inputs, but the verifying key is for 3");
    assert_fails(cz_groth16_verify(k.verifier, &p, inputs, 4), CZ_E_INPUT, "4 public inputs");
    for (int i = 0; i < 3; i++) {
        cz_fr was = inputs[i];

        cz_fr_add(&inputs[i], &inputs[i], &one);
        assert_fails(cz_groth16_verify(k.verifier, &p, inputs, 3), CZ_E_VERIFY, "");
        inputs[i] = was;
    }
    toy_key_free(&k);
}

static void test_a_proof_under_another_key_is_refused(void **state)
{
    toy_key k;
    toy_key other;
    cz_proof p;
    cz_fr inputs[2];

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    toy_key_init(&other, toy_make(2, 10, 5), "other.params", NULL);
    p = toy_key_prove(&k, 7, NULL);
    toy_key_inputs(&k, 7, inputs);
    assert_ok(cz_groth16_verify(k.verifier, &p, inputs, 2));
    assert_fails(cz_groth16_verify(other.verifier, &p, inputs, 2), CZ_E_VERIFY, "");
    toy_key_free(&k);
    toy_key_free(&other);
}

static void test_an_unsatisfied_witness_proves_nothing(void **state)
{
    toy_key k;
    cz_fr inputs[2];
    cz_proof p;

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    k.toy.unsatisfied = true;
    p = toy_key_prove(&k, 7, NULL);
    toy_key_inputs(&k, 7, inputs);
    assert_fails(cz_groth16_verify(k.verifier, &p, inputs, 2), CZ_E_VERIFY, "");
    toy_key_free(&k);
}

static void assert_does_not_fit(const toy_key *k, toy_circuit other, const char *text)
{
    cz_assignment w;
    cz_proof p;

    assert_ok(cz_assignment_synthesize(&w, &other.base));
    assert_fails(cz_groth16_prove_blinded(&p, k->key, &w, NULL, NULL), CZ_E_INPUT, text);
    cz_assignment_clear(&w);
}

static void test_a_key_of_another_circuit_is_refused(void **state)
{
    toy_key k;

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    assert_does_not_fit(&k, toy_make(3, 10, 5), "ic has 3 points, but the circuit has 4 inputs");
    assert_does_not_fit(&k, toy_make(2, 10, 6), "l has 16 points, but the circuit needs 17");
    assert_does_not_fit(&k, toy_make(2, 100, 6), "h is for a domain of 2^5");
    toy_key_free(&k);
}

static void test_a_damaged_point_stops_the_proof(void **state)
{
    toy_key k;
    const struct {
        const cz_point_list *list;
        size_t at;
        const char *place;
    } flips[] = {{&k.params.h, 3 * 96 + 60, "bad.params: h[3]"},
                 {&k.params.l, 15 * 96 + 60, "bad.params: l[15]"},
                 {&k.params.b_g2, 60, "bad.params: b_g2[0]"}};

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    for (size_t i = 0; i < sizeof flips / sizeof flips[0]; i++) {
        cz_assignment w;
        cz_prover_key *key;
        cz_params bad;
        cz_proof p;
        uint8_t *bytes;
        size_t n;

        bytes = cz_test_read(scratch_path("toy.params"), &n);
        bytes[(size_t)(flips[i].list->bytes - k.params.map) + flips[i].at] ^= 8;
        write_bytes(scratch_path("bad.params"), bytes, n);
        free(bytes);
        assert_ok(cz_params_open(&bad, scratch_path("bad.params")));
        assert_ok(cz_prover_key_load(&key, &bad, NULL, NULL));
        assert_ok(cz_assignment_synthesize(&w, &k.toy.base));
        assert_fails(cz_groth16_prove_blinded(&p, key, &w, NULL, NULL), CZ_E_INPUT, flips[i].place);
        cz_assignment_clear(&w);
        cz_prover_key_destroy(key);
        cz_params_close(&bad);
    }
    toy_key_free(&k);
}

/* --- blinding, erasing, phases --- */

static void test_two_proofs_of_one_witness_differ(void **state)
{
    toy_key k;
    cz_proof p, q;

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    p = toy_key_prove(&k, 7, NULL);
    q = toy_key_prove(&k, 7, NULL);
    assert_false(cz_g1_affine_equal(&p.a, &q.a));
    assert_false(cz_g2_affine_equal(&p.b, &q.b));
    assert_false(cz_g1_affine_equal(&p.c, &q.c));
    toy_key_free(&k);
}

static void test_rows_are_erased(void **state)
{
    cz_assignment_options options = {.rows = 0};
    cz_fr *rows[3];
    toy_key k;
    cz_assignment w;
    cz_proof p;
    size_t bytes;

    (void)state;
    toy_key_init(&k, toy_make(2, 10, 5), "toy.params", NULL);
    assert_ok(cz_blocks_create(&options.blocks));
    assert_ok(cz_assignment_synthesize_with(&w, &k.toy.base, &options));
    bytes = w.row_capacity * sizeof *w.a;
    assert_ok(cz_groth16_prove_blinded(&p, k.key, &w, NULL, NULL));
    assert_true(w.a == NULL && w.b == NULL && w.c == NULL);
    for (int i = 0; i < 3; i++)
        rows[i] = cz_blocks_take(options.blocks, bytes);
    assert_int_equal(cz_blocks_count(options.blocks).reused, 3);
    for (int i = 0; i < 3; i++) {
        for (uint64_t row = 0; row < w.row_capacity; row++)
            assert_true(cz_fr_is_zero(&rows[i][row]));
        cz_blocks_give(options.blocks, rows[i], bytes);
    }
    cz_assignment_clear(&w);
    cz_blocks_destroy(options.blocks);
    toy_key_free(&k);
}

static void test_phases_are_traced(void **state)
{
    const cz_phase phases[] = {CZ_PHASE_NTT_MSM_H, CZ_PHASE_PREP_MSM, CZ_PHASE_BATCH_ADD,
                               CZ_PHASE_TAIL_MSM,  CZ_PHASE_B_G2_MSM, CZ_PHASE_ASSEMBLE,
                               CZ_PHASE_SRS_LOAD};
    toy_key k;
    cz_assignment w;
    cz_trace *trace;
    cz_proof p;

    (void)state;
    toy_key_init(&k, toy_make(2, 100, 50), "toy.params", NULL);
    assert_ok(cz_trace_create(&trace));
    assert_ok(cz_assignment_synthesize(&w, &k.toy.base));
    assert_ok(cz_groth16_prove_blinded(&p, k.key, &w, NULL, trace));
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        assert_true(cz_trace_total_ms(trace, phases[i]) > 0);
    cz_assignment_clear(&w);
    cz_trace_destroy(trace);
    toy_key_free(&k);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_proofs_are_what_the_waste_says),
    cmocka_unit_test(test_every_flipped_bit_is_refused),
    cmocka_unit_test(test_other_inputs_are_refused),
    cmocka_unit_test(test_a_proof_under_another_key_is_refused),
    cmocka_unit_test(test_an_unsatisfied_witness_proves_nothing),
    cmocka_unit_test(test_a_key_of_another_circuit_is_refused),
    cmocka_unit_test(test_a_damaged_point_stops_the_proof),
    cmocka_unit_test(test_two_proofs_of_one_witness_differ),
    cmocka_unit_test(test_rows_are_erased),
    cmocka_unit_test(test_phases_are_traced),
};

CZ_TEST_MAIN(cases)
