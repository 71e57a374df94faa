/* Many proofs at once: all good is accepted, one bad among many is found and named. */
#define _GNU_SOURCE
#include "toy_key.h"

enum { N = 21, N_INPUTS = 2 };

typedef struct {
    toy_key key;
    cz_proof proofs[N];
    cz_fr inputs[N * N_INPUTS];
    cz_pool *pool;
} many;

static void make_many(many *m)
{
    assert_ok(cz_pool_create(&m->pool, 2));
    toy_key_init(&m->key, toy_make(N_INPUTS, 10, 5), "toy.params", m->pool);
    for (unsigned i = 0; i < N; i++) {
        m->proofs[i] = toy_key_prove(&m->key, i + 1, NULL);
        toy_key_inputs(&m->key, i + 1, &m->inputs[(size_t)i * N_INPUTS]);
    }
}

static void free_many(many *m)
{
    toy_key_free(&m->key);
    cz_pool_destroy(m->pool);
}

static cz_err verify_first(const many *m, size_t n, cz_pool *pool)
{
    return cz_groth16_verify_batch(m->key.verifier, pool, m->proofs, n, m->inputs, N_INPUTS);
}

static void test_good_batches_of_every_size(void **state)
{
    const size_t sizes[] = {1, 2, 5, 6, 8, 13, N};
    many m;

    (void)state;
    make_many(&m);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assert_ok(verify_first(&m, sizes[i], m.pool));
        assert_ok(verify_first(&m, sizes[i], NULL));
    }
    free_many(&m);
}

static void test_one_bad_proof_is_named(void **state)
{
    const size_t places[] = {0, 7, N - 1};
    many m;

    (void)state;
    make_many(&m);
    for (size_t i = 0; i < 3; i++) {
        cz_proof was = m.proofs[places[i]];
        char text[32];

        m.proofs[places[i]].c = m.proofs[(places[i] + 1) % N].c;
        (void)snprintf(text, sizeof text, "proof %zu of %d", places[i], N);
        assert_fails(verify_first(&m, N, m.pool), CZ_E_VERIFY, text);
        m.proofs[places[i]] = was;
    }
    assert_ok(verify_first(&m, N, m.pool));
    free_many(&m);
}

static void test_exchanged_inputs_are_named(void **state)
{
    many m;
    cz_fr t;

    (void)state;
    make_many(&m);
    t = m.inputs[4 * N_INPUTS];
    m.inputs[4 * N_INPUTS] = m.inputs[9 * N_INPUTS];
    m.inputs[9 * N_INPUTS] = t;
    assert_fails(verify_first(&m, N, m.pool), CZ_E_VERIFY, "proof 4 of 21");
    assert_ok(verify_first(&m, 4, m.pool));
    free_many(&m);
}

/* Two wrongs that cancel in a plain product of the equations: only the weights catch it. */
static void test_errors_that_cancel_are_found(void **state)
{
    many m;
    cz_g1 c;
    cz_g1_affine minus;

    (void)state;
    make_many(&m);
    cz_g1_from_affine(&c, &m.proofs[0].c);
    cz_g1_add_affine(&c, &c, &cz_g1_generator);
    cz_g1_to_affine(&m.proofs[0].c, &c);
    minus = cz_g1_generator;
    cz_fp_neg(&minus.y, &minus.y);
    cz_g1_from_affine(&c, &m.proofs[1].c);
    cz_g1_add_affine(&c, &c, &minus);
    cz_g1_to_affine(&m.proofs[1].c, &c);
    assert_fails(verify_first(&m, 2, m.pool), CZ_E_VERIFY, "proof 0 of 2");
    free_many(&m);
}

static void test_empty_batches_and_wrong_counts(void **state)
{
    many m;

    (void)state;
    make_many(&m);
    assert_fails(verify_first(&m, 0, m.pool), CZ_E_INPUT, "no proofs");
    assert_fails(cz_groth16_verify_batch(m.key.verifier, m.pool, m.proofs, 2, m.inputs, 3),
                 CZ_E_INPUT, "3 public inputs, but the verifying key is for 2");
    free_many(&m);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_good_batches_of_every_size),
    cmocka_unit_test(test_one_bad_proof_is_named),
    cmocka_unit_test(test_exchanged_inputs_are_named),
    cmocka_unit_test(test_errors_that_cancel_are_found),
    cmocka_unit_test(test_empty_batches_and_wrong_counts),
};

CZ_TEST_MAIN(cases)
