/* The quotient: against its definition, and as the division that it is. */
#include "ntt/quotient.h"
#include "ntt_cases.h"

static void assert_equals_reference(const cz_ntt_plan *plan, cz_pool *pool, const cz_fr *a,
                                    const cz_fr *b, const cz_fr *c)
{
    const unsigned log_n = cz_ntt_plan_log_n(plan);
    const size_t n = (size_t)1 << log_n;
    cz_fr *h = copy_vector(a, n), *b1 = copy_vector(b, n), *c1 = copy_vector(c, n);
    cz_fr *expected = copy_vector(a, n), *b2 = copy_vector(b, n), *c2 = copy_vector(c, n);

    assert_ok(cz_ntt_quotient(plan, pool, h, b1, c1));
    cz_ntt_quotient_ref(expected, b2, c2, log_n);
    assert_same(h, expected, n);
    free(h);
    free(b1);
    free(c1);
    free(expected);
    free(b2);
    free(c2);
}

/* The steps one by one, c in the memory of b, coefficients as plain integers. */
static void assert_steps_equal_whole(const cz_ntt_plan *plan, cz_pool *pool, const cz_fr *a,
                                     const cz_fr *b, const cz_fr *c)
{
    const size_t n = (size_t)1 << cz_ntt_plan_log_n(plan);
    cz_fr *x = copy_vector(a, n), *y = copy_vector(b, n);
    cz_fr *h = copy_vector(a, n), *b1 = copy_vector(b, n), *c1 = copy_vector(c, n);

    assert_ok(cz_ntt_quotient(plan, pool, h, b1, c1));
    assert_ok(cz_ntt_quotient_factor(plan, pool, y));
    assert_ok(cz_ntt_quotient_factor(plan, pool, x));
    assert_ok(cz_ntt_quotient_product(plan, pool, x, y, true));
    memcpy(y, c, n * sizeof *y);
    assert_ok(cz_ntt_quotient_subtract(plan, pool, x, y, true));
    for (size_t i = 0; i < n; i++) {
        cz_u256 plain;

        cz_fr_to_u256(&plain, &h[i]);
        assert_memory_equal(&x[i], &plain, sizeof plain);
    }
    free(x);
    free(y);
    free(h);
    free(b1);
    free(c1);
}

/* Random values, and values at the extremes. */
static void form_equals_reference(const char *form)
{
    const unsigned threads[] = {1, 2, 3, 7};

    take_form(form);
    for (unsigned log_n = 0; log_n <= 12; log_n++) {
        const size_t n = (size_t)1 << log_n;
        cz_fr *a = random_vector(n), *b = random_vector(n), *c = random_vector(n);
        cz_ntt_plan *plan;
        cz_pool *pool;

        assert_ok(cz_pool_create(&pool, threads[log_n % 4]));
        assert_ok(cz_ntt_plan_create(&plan, log_n, pool));
        assert_equals_reference(plan, pool, a, b, c);
        assert_steps_equal_whole(plan, pool, a, b, c);
        for (size_t i = 0; i < n; i++) {
            a[i] = extreme(i);
            b[i] = extreme(i / N_EXTREMES);
            c[i] = extreme((size_t)cz_test_random());
        }
        assert_equals_reference(plan, pool, a, b, c);
        cz_ntt_plan_destroy(plan);
        cz_pool_destroy(pool);
        free(a);
        free(b);
        free(c);
    }
}

static void scalar_equals_reference(void **state)
{
    (void)state;
    form_equals_reference("scalar");
}

static void ifma_equals_reference(void **state)
{
    (void)state;
    form_equals_reference("ifma");
}

/* The polynomial with these values on the domain, at a point. */
static cz_fr interpolate_at(const cz_fr *values, unsigned log_n, const cz_fr *point)
{
    size_t n = (size_t)1 << log_n;
    cz_fr *coefficients = copy_vector(values, n);
    cz_fr sum = CZ_FR_ZERO;

    cz_ntt_ref_inverse(coefficients, log_n);
    while (n-- > 0) {
        cz_fr_mul(&sum, &sum, point);
        cz_fr_add(&sum, &sum, &coefficients[n]);
    }
    free(coefficients);
    return sum;
}

/* A(x) B(x) - C(x) = h(x) (x^n - 1) at a random x; h has n - 1 coefficients. */
static void divides_where_constraints_hold(void **state)
{
    enum { LOG_N = 10, N = 1 << LOG_N };
    const uint64_t exponent = N;
    const cz_fr one = CZ_FR_ONE;
    cz_fr *a = random_vector(N), *b = random_vector(N), *c = random_vector(N);
    cz_fr x, z, left, right, at_b, at_c, h_at_x = CZ_FR_ZERO;
    cz_ntt_plan *plan;

    (void)state;
    for (size_t i = 0; i < N; i++)
        cz_fr_mul(&c[i], &a[i], &b[i]);
    random_fr(&x);
    left = interpolate_at(a, LOG_N, &x);
    at_b = interpolate_at(b, LOG_N, &x);
    at_c = interpolate_at(c, LOG_N, &x);
    cz_fr_mul(&left, &left, &at_b);
    cz_fr_sub(&left, &left, &at_c);
    assert_ok(cz_ntt_plan_create(&plan, LOG_N, NULL));
    assert_ok(cz_ntt_quotient(plan, NULL, a, b, c));
    assert_true(cz_fr_is_zero(&a[N - 1]));
    for (size_t i = N; i-- > 0;) {
        cz_fr_mul(&h_at_x, &h_at_x, &x);
        cz_fr_add(&h_at_x, &h_at_x, &a[i]);
    }
    cz_fr_pow_var(&z, &x, &exponent, 1);
    cz_fr_sub(&z, &z, &one);
    cz_fr_mul(&right, &h_at_x, &z);
    assert_true(cz_fr_equal(&left, &right));
    cz_ntt_plan_destroy(plan);
    free(a);
    free(b);
    free(c);
}

/* The value at x of the polynomial below X^n with these values on the domain. */
static cz_fr value_at(const cz_fr *values, unsigned log_n, const cz_fr *x)
{
    const size_t n = (size_t)1 << log_n;
    cz_fr *coefficients = copy_vector(values, n), sum = {{0}};

    cz_ntt_ref_inverse(coefficients, log_n);
    for (size_t i = n; i-- > 0;) {
        cz_fr_mul(&sum, &sum, x);
        cz_fr_add(&sum, &sum, &coefficients[i]);
    }
    free(coefficients);
    return sum;
}

static void products_on_the_coset_are_those_of_values(void **state)
{
    (void)state;
    for (unsigned log_n = 0; log_n <= 5; log_n++) {
        const size_t n = (size_t)1 << log_n;
        cz_fr *a = random_vector(n), *b = random_vector(n);
        cz_fr *product = copy_vector(a, n), *b1 = copy_vector(b, n);
        cz_fr x = {CZ_FR_GENERATOR}, w;

        cz_fr_root_of_unity(&w, log_n);
        cz_ntt_coset_product_ref(product, b1, log_n);
        for (size_t j = 0; j < n; j++) {
            const cz_fr of_a = value_at(a, log_n, &x), of_b = value_at(b, log_n, &x);
            cz_fr want;

            cz_fr_mul(&want, &of_a, &of_b);
            assert_true(cz_fr_equal(&product[j], &want));
            cz_fr_mul(&x, &x, &w);
        }
        free(a);
        free(b);
        free(product);
        free(b1);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(scalar_equals_reference),
    cmocka_unit_test(ifma_equals_reference),
    cmocka_unit_test(divides_where_constraints_hold),
    cmocka_unit_test(products_on_the_coset_are_those_of_values),
};

CZ_TEST_MAIN(cases)
