/* The test setup against its definition: every scalar by the textbook, every point by double and
 * add, compared as file bytes. */
#define _GNU_SOURCE
#include "scratch.h"

#include <string.h>

#include "cs/columns.h"
#include "ntt/ntt.h"
#include "params/lagrange.h"
#include "params/params.h"
#include "params/setup.h"
#include "toy_circuit.h"

static cz_toxic_waste random_waste(void)
{
    cz_toxic_waste w;
    cz_fr *parts[] = {&w.alpha, &w.beta, &w.gamma, &w.delta, &w.tau};

    for (size_t i = 0; i < 5; i++) {
        uint8_t bytes[32];

        cz_test_random_bytes(bytes, sizeof bytes);
        cz_fr_from_le_mod(parts[i], bytes);
    }
    return w;
}

/* --- scalars --- */

static void test_lagrange_is_the_inverse_transform_of_powers(void **state)
{
    cz_fr expected[64], got[64];
    cz_toxic_waste w = random_waste();
    cz_fr one = CZ_FR_ONE;

    (void)state;
    for (unsigned log_n = 0; log_n <= 6; log_n++) {
        size_t n = (size_t)1 << log_n;

        assert_ok(cz_scaled_powers(expected, 0, n, &w.tau, &one, NULL));
        cz_ntt_ref_inverse(expected, log_n);
        assert_ok(cz_lagrange_at(got, n, log_n, &w.tau, NULL));
        assert_memory_equal(got, expected, n * sizeof *got);
    }
    assert_fails(cz_lagrange_at(got, 8, 3, &one, NULL), CZ_E_INPUT, "root of unity");
}

static void test_lagrange_in_threads_and_batches(void **state)
{
    enum { LOG_N = 14, N = 1 << LOG_N };
    cz_fr *expected = malloc(N * sizeof *expected), *got = malloc(N * sizeof *got);
    cz_toxic_waste w = random_waste();
    cz_fr one = CZ_FR_ONE;
    cz_pool *pool;

    (void)state;
    assert_non_null(expected);
    assert_non_null(got);
    assert_ok(cz_pool_create(&pool, 3));
    assert_ok(cz_scaled_powers(expected, 0, N, &w.tau, &one, pool));
    cz_ntt_ref_inverse(expected, LOG_N);
    memset(got, 0xaa, N * sizeof *got);
    assert_ok(cz_lagrange_at(got, N - 700, LOG_N, &w.tau, pool));
    assert_memory_equal(got, expected, (N - 700) * sizeof *got);
    cz_pool_destroy(pool);
    free(expected);
    free(got);
}

static void test_scaled_powers_from_anywhere(void **state)
{
    cz_toxic_waste w = random_waste();
    cz_fr got[5], expected = w.alpha;

    (void)state;
    for (int i = 0; i < 1000; i++)
        cz_fr_mul(&expected, &expected, &w.tau);
    assert_ok(cz_scaled_powers(got, 998, 5, &w.tau, &w.alpha, NULL));
    assert_memory_equal(&got[2], &expected, sizeof expected);
}

/* --- the whole file --- */

typedef struct {
    uint8_t *bytes;
    size_t n;
} blob;

static void put_g1(blob *b, const cz_fr *k)
{
    cz_g1_affine affine;
    cz_u256 plain;
    cz_g1 p;

    cz_fr_to_u256(&plain, k);
    cz_g1_from_affine(&p, &cz_g1_generator);
    cz_g1_mul_var(&p, &p, &plain);
    cz_g1_to_affine(&affine, &p);
    cz_g1_serialize(b->bytes + b->n, &affine);
    b->n += 96;
}

static void put_g2(blob *b, const cz_fr *k)
{
    cz_g2_affine affine;
    cz_u256 plain;
    cz_g2 p;

    cz_fr_to_u256(&plain, k);
    cz_g2_from_affine(&p, &cz_g2_generator);
    cz_g2_mul_var(&p, &p, &plain);
    cz_g2_to_affine(&affine, &p);
    cz_g2_serialize(b->bytes + b->n, &affine);
    b->n += 192;
}

static void put_count(blob *b, size_t n)
{
    for (int i = 0; i < 4; i++)
        b->bytes[b->n++] = (uint8_t)(n >> (24 - 8 * i));
}

/* (beta u + alpha v + w) / divisor */
static cz_fr ext_scalar(const cz_toxic_waste *t, const cz_fr *u, const cz_fr *v, const cz_fr *w,
                        const cz_fr *divisor)
{
    cz_fr r, s;

    cz_fr_mul(&r, &t->beta, u);
    cz_fr_mul(&s, &t->alpha, v);
    cz_fr_add(&r, &r, &s);
    cz_fr_add(&r, &r, w);
    cz_fr_inv(&s, divisor);
    cz_fr_mul(&r, &r, &s);
    return r;
}

static void put_nonzero(blob *b, const cz_fr *values, size_t n, void (*put)(blob *, const cz_fr *))
{
    size_t count = 0;

    for (size_t k = 0; k < n; k++)
        count += !cz_fr_is_zero(&values[k]);
    put_count(b, count);
    for (size_t k = 0; k < n; k++)
        if (!cz_fr_is_zero(&values[k]))
            put(b, &values[k]);
}

/* The .params of a circuit by the definition; the first *vk_len bytes are the .vk. */
static blob reference_params(const cz_circuit *circuit, const cz_toxic_waste *t, size_t *vk_len)
{
    cz_circuit_stats stats;
    cz_fr *weights, *u, *v, *w, h = CZ_FR_ONE, one = CZ_FR_ONE, factor, inv;
    size_t n_vars, rows, n = 1;
    unsigned log_n = 0;
    blob b = {0};

    assert_ok(cz_circuit_count(&stats, circuit));
    n_vars = stats.inputs + stats.aux;
    rows = stats.constraints + stats.inputs;
    for (; n < rows; n *= 2)
        log_n++;
    weights = calloc(n, sizeof *weights);
    u = calloc(n_vars, sizeof *u);
    v = calloc(n_vars, sizeof *v);
    w = calloc(n_vars, sizeof *w);
    b.bytes = malloc(2000 + n * 96 + n_vars * 500);
    assert_true(weights != NULL && u != NULL && v != NULL && w != NULL && b.bytes != NULL);
    assert_ok(cz_scaled_powers(weights, 0, n, &t->tau, &one, NULL));
    factor = weights[n - 1];
    cz_fr_mul(&factor, &factor, &t->tau);
    cz_fr_sub(&factor, &factor, &one);
    cz_fr_inv(&inv, &t->delta);
    cz_fr_mul(&factor, &factor, &inv);
    cz_ntt_ref_inverse(weights, log_n);
    assert_ok(cz_circuit_columns(u, v, w, circuit, (uint32_t)stats.inputs, (uint32_t)stats.aux,
                                 weights, rows));

    put_g1(&b, &t->alpha);
    put_g1(&b, &t->beta);
    put_g2(&b, &t->beta);
    put_g2(&b, &t->gamma);
    put_g1(&b, &t->delta);
    put_g2(&b, &t->delta);
    put_count(&b, stats.inputs);
    for (size_t k = 0; k < stats.inputs; k++) {
        cz_fr x = ext_scalar(t, &u[k], &v[k], &w[k], &t->gamma);

        put_g1(&b, &x);
    }
    *vk_len = b.n;
    put_count(&b, n - 1);
    for (size_t i = 0; i + 1 < n; i++) {
        cz_fr x;

        cz_fr_mul(&x, &h, &factor);
        put_g1(&b, &x);
        cz_fr_mul(&h, &h, &t->tau);
    }
    put_count(&b, stats.aux);
    for (size_t k = stats.inputs; k < n_vars; k++) {
        cz_fr x = ext_scalar(t, &u[k], &v[k], &w[k], &t->delta);

        put_g1(&b, &x);
    }
    put_nonzero(&b, u, n_vars, put_g1);
    put_nonzero(&b, v, n_vars, put_g1);
    put_nonzero(&b, v, n_vars, put_g2);
    free(weights);
    free(u);
    free(v);
    free(w);
    return b;
}

static void assert_setup_equals_reference(const toy_circuit *toy, cz_pool *pool)
{
    cz_toxic_waste waste = random_waste();
    uint8_t *params, *vk;
    size_t params_len, vk_len, expected_vk_len;
    blob expected = reference_params(&toy->base, &waste, &expected_vk_len);

    assert_ok(cz_params_setup(&toy->base, &waste, scratch_path("toy.params"),
                              scratch_path("toy.vk"), pool, NULL, NULL));
    params = cz_test_read(scratch_path("toy.params"), &params_len);
    vk = cz_test_read(scratch_path("toy.vk"), &vk_len);
    assert_int_equal(params_len, expected.n);
    assert_memory_equal(params, expected.bytes, expected.n);
    assert_int_equal(vk_len, expected_vk_len);
    assert_memory_equal(vk, expected.bytes, expected_vk_len);
    free(params);
    free(vk);
    free(expected.bytes);
}

static void test_setup_equals_its_definition(void **state)
{
    const toy_circuit circuits[] = {toy_make(1, 2, 0), toy_make(2, 3, 4), toy_make(5, 40, 20),
                                    toy_make(1, 100, 29)};
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++)
        assert_setup_equals_reference(&circuits[i], i % 2 ? pool : NULL);
    cz_pool_destroy(pool);
}

static void test_setup_fits_its_circuit(void **state)
{
    toy_circuit toy = toy_make(3, 70, 50), other = toy_make(3, 70, 51);
    cz_toxic_waste waste = random_waste();
    cz_circuit_stats stats;
    cz_params p;

    (void)state;
    assert_ok(cz_params_setup(&toy.base, &waste, scratch_path("toy.params"), scratch_path("toy.vk"),
                              NULL, NULL, NULL));
    assert_ok(cz_params_open(&p, scratch_path("toy.params")));
    assert_ok(cz_circuit_count(&stats, &toy.base));
    assert_ok(cz_params_match(&p, &stats, "toy"));
    assert_true(p.a.n < p.vk.n_ic + p.l.n);
    assert_true(p.b_g1.n < p.vk.n_ic + p.l.n);
    assert_ok(cz_circuit_count(&stats, &other.base));
    assert_fails(cz_params_match(&p, &stats, "other"), CZ_E_INPUT, "not other");
    assert_ok(cz_params_check_points(&p, NULL));
    cz_params_close(&p);
}

/* --- what is refused, and that nothing is left behind --- */

static void assert_no_files(void)
{
    char command[160];

    (void)snprintf(command, sizeof command, "test -z \"$(ls -A '%s')\"", scratch_folder);
    assert_int_equal(system(command), 0);
}

static void test_setup_refuses_bad_input(void **state)
{
    toy_circuit toy = toy_make(1, 4, 3), loose = toy;
    cz_toxic_waste waste = random_waste(), bad = waste;

    (void)state;
    loose.unconstrained = true;
    assert_fails(cz_params_setup(&loose.base, &waste, scratch_path("toy.params"),
                                 scratch_path("toy.vk"), NULL, NULL, NULL),
                 CZ_E_INPUT, "toy: aux variable 8 is in no constraint");
    assert_no_files();
    bad.delta = CZ_FR_ZERO;
    assert_fails(cz_params_setup(&toy.base, &bad, scratch_path("toy.params"),
                                 scratch_path("toy.vk"), NULL, NULL, NULL),
                 CZ_E_INPUT, "delta is zero");
    bad = waste;
    bad.tau = CZ_FR_ONE;
    assert_fails(cz_params_setup(&toy.base, &bad, scratch_path("toy.params"),
                                 scratch_path("toy.vk"), NULL, NULL, NULL),
                 CZ_E_INPUT, "root of unity");
    assert_no_files();
    assert_int_not_equal(cz_params_setup(&toy.base, &waste, scratch_path("no/such/toy.params"),
                                         scratch_path("toy.vk"), NULL, NULL, NULL),
                         CZ_OK);
    assert_non_null(strstr(cz_err_message(), "no/such/toy.params"));
    assert_no_files();
}

typedef struct {
    char steps[128];
    uint64_t last;
} steps_seen;

static void see_step(void *ctx, const char *step, uint64_t done, uint64_t total)
{
    steps_seen *seen = ctx;

    assert_true(done <= total);
    if (done == total) {
        strcat(seen->steps, step);
        strcat(seen->steps, " ");
    }
}

static void test_progress_names_every_step(void **state)
{
    toy_circuit toy = toy_make(1, 4, 3);
    cz_toxic_waste waste = random_waste();
    steps_seen seen = {{0}, 0};

    (void)state;
    assert_ok(cz_params_setup(&toy.base, &waste, scratch_path("toy.params"), scratch_path("toy.vk"),
                              NULL, see_step, &seen));
    assert_string_equal(seen.steps, "count lagrange columns keys h l a b_g1 b_g2 sync ");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_lagrange_is_the_inverse_transform_of_powers, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_lagrange_in_threads_and_batches, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_scaled_powers_from_anywhere, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_setup_equals_its_definition, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_setup_fits_its_circuit, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_setup_refuses_bad_input, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_progress_names_every_step, scratch_make, scratch_remove),
};

CZ_TEST_MAIN(cases)
