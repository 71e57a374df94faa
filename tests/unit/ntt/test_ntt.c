/* The transforms: the definition against direct evaluation, each form against the definition, and
 * properties where the definition is too slow. */
#include <pthread.h>

#include "ntt/ntt_forms.h"
#include "ntt_cases.h"

typedef cz_err (*transform)(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);

/* ---- the definition ---- */

/* sum of xs[i] point^i */
static cz_fr evaluate(const cz_fr *xs, size_t n, const cz_fr *point)
{
    cz_fr sum = CZ_FR_ZERO;

    while (n-- > 0) {
        cz_fr_mul(&sum, &sum, point);
        cz_fr_add(&sum, &sum, &xs[n]);
    }
    return sum;
}

static void assert_evaluates(const cz_fr *coefficients, const cz_fr *values, unsigned log_n,
                             const cz_fr *shift)
{
    const size_t n = (size_t)1 << log_n;
    cz_fr root, point = *shift;

    cz_fr_root_of_unity(&root, log_n);
    for (size_t i = 0; i < n; i++) {
        cz_fr value = evaluate(coefficients, n, &point);

        assert_true(cz_fr_equal(&value, &values[i]));
        cz_fr_mul(&point, &point, &root);
    }
}

static void reference_evaluates(void **state)
{
    const cz_fr one = CZ_FR_ONE;
    const cz_fr seven = {CZ_FR_GENERATOR};

    (void)state;
    for (unsigned log_n = 0; log_n <= 7; log_n++) {
        const size_t n = (size_t)1 << log_n;
        cz_fr *coefficients = random_vector(n);
        cz_fr *values = copy_vector(coefficients, n);

        cz_ntt_ref_forward(values, log_n);
        assert_evaluates(coefficients, values, log_n, &one);
        cz_ntt_ref_inverse(values, log_n);
        assert_same(coefficients, values, n);
        cz_ntt_ref_coset_forward(values, log_n);
        assert_evaluates(coefficients, values, log_n, &seven);
        cz_ntt_ref_coset_inverse(values, log_n);
        assert_same(coefficients, values, n);
        free(coefficients);
        free(values);
    }
}

/* ---- each form against the definition ---- */

static void assert_transform(transform fn, const cz_ntt_plan *plan, cz_pool *pool,
                             const cz_fr *input, const cz_fr *expected)
{
    const size_t n = (size_t)1 << cz_ntt_plan_log_n(plan);
    cz_fr *xs = copy_vector(input, n);

    assert_ok(fn(plan, pool, xs));
    assert_same(xs, expected, n);
    free(xs);
}

/* All six transforms of one input, in up to four pools. */
static void assert_equals_reference(unsigned log_n, const cz_fr *input, cz_pool *const *pools,
                                    size_t n_pools)
{
    const size_t n = (size_t)1 << log_n;
    cz_fr *forward = copy_vector(input, n), *inverse = copy_vector(input, n);
    cz_fr *coset_forward = copy_vector(input, n), *coset_inverse = copy_vector(input, n);
    cz_fr *reversed = copy_vector(input, n), *inverse_reversed;
    cz_ntt_plan *plan;

    cz_ntt_ref_forward(forward, log_n);
    cz_ntt_ref_inverse(inverse, log_n);
    cz_ntt_ref_coset_forward(coset_forward, log_n);
    cz_ntt_ref_coset_inverse(coset_inverse, log_n);
    plain_bit_reverse(reversed, log_n);
    inverse_reversed = copy_vector(inverse, n);
    plain_bit_reverse(inverse_reversed, log_n);
    assert_ok(cz_ntt_plan_create(&plan, log_n, pools[0]));
    for (size_t i = 0; i < n_pools; i++) {
        assert_transform(cz_ntt_forward, plan, pools[i], input, forward);
        assert_transform(cz_ntt_inverse, plan, pools[i], input, inverse);
        assert_transform(cz_ntt_coset_forward, plan, pools[i], input, coset_forward);
        assert_transform(cz_ntt_coset_inverse, plan, pools[i], input, coset_inverse);
        assert_transform(cz_ntt_inverse_to_rev, plan, pools[i], input, inverse_reversed);
        assert_transform(cz_ntt_coset_forward_from_rev, plan, pools[i], reversed, coset_forward);
    }
    cz_ntt_plan_destroy(plan);
    free(forward);
    free(inverse);
    free(coset_forward);
    free(coset_inverse);
    free(reversed);
    free(inverse_reversed);
}

static void form_equals_reference(const char *form)
{
    const unsigned threads[] = {1, 2, 3, 7};
    cz_pool *pools[4];

    take_form(form);
    for (size_t i = 0; i < 4; i++)
        assert_ok(cz_pool_create(&pools[i], threads[i]));
    for (unsigned log_n = 0; log_n <= 14; log_n++) {
        cz_fr *input = random_vector((size_t)1 << log_n);

        assert_equals_reference(log_n, input, pools, log_n < 14 ? 4 : 2);
        free(input);
    }
    for (size_t i = 0; i < 4; i++)
        cz_pool_destroy(pools[i]);
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

/* Inputs that drive sums and differences to their extremes: constant vectors, one element among
 * zeros, alternating ones, extremes mixed. */
static void fill_with_extremes(cz_fr *xs, size_t n, size_t which)
{
    const size_t kind = which / N_EXTREMES;

    for (size_t i = 0; i < n; i++) {
        xs[i] = extreme(kind == 3 ? (size_t)cz_test_random() : which);
        if ((kind == 1 && i != which % n) || (kind == 2 && i % 2 == 1))
            xs[i] = CZ_FR_ZERO;
    }
}

static void form_bears_extremes(const char *form)
{
    cz_pool *const serial = NULL;

    take_form(form);
    for (unsigned log_n = 5; log_n <= 9; log_n += 2) {
        const size_t n = (size_t)1 << log_n;

        for (size_t which = 0; which < 4 * N_EXTREMES; which++) {
            cz_fr *input = random_vector(n);

            fill_with_extremes(input, n, which);
            assert_equals_reference(log_n, input, &serial, 1);
            free(input);
        }
    }
}

static void scalar_bears_extremes(void **state)
{
    (void)state;
    form_bears_extremes("scalar");
}

static void ifma_bears_extremes(void **state)
{
    (void)state;
    form_bears_extremes("ifma");
}

/* ---- every way of cutting up ---- */

static void assert_cut(const cz_ntt_job *job, unsigned passes, const cz_fr *input,
                       const cz_fr *expected)
{
    const size_t n = (size_t)1 << cz_ntt_plan_log_n(job->plan);
    cz_fr *xs = copy_vector(input, n);

    assert_ok(cz_ntt_run_in_passes(job, NULL, xs, passes));
    if (!job->from_rev)
        plain_bit_reverse(xs, cz_ntt_plan_log_n(job->plan));
    assert_same(xs, expected, n);
    free(xs);
}

/* Shift, scale and post together, in both directions, where the definition is a direct one. */
static void assert_all_cuts(unsigned log_n, unsigned least, unsigned most)
{
    const size_t n = (size_t)1 << log_n;
    cz_fr *input = random_vector(n), *expected = copy_vector(input, n);
    cz_fr *reversed = copy_vector(input, n), *plain;
    cz_ntt_job job = {.inverse = false};
    cz_ntt_plan *plan;
    cz_fr factor = CZ_FR_ONE;

    assert_ok(cz_ntt_plan_create(&plan, log_n, NULL));
    job.plan = plan;
    random_fr(&job.shift);
    random_fr(&job.scale);
    random_fr(&job.post);
    for (size_t i = 0; i < n; i++) {
        cz_fr_mul(&expected[i], &expected[i], &factor);
        cz_fr_mul(&factor, &factor, &job.shift);
    }
    cz_ntt_ref_forward(expected, log_n);
    for (size_t i = 0; i < n; i++)
        cz_fr_mul(&expected[i], &expected[i], &job.scale);
    plain_bit_reverse(reversed, log_n);
    plain = copy_vector(expected, n);
    factor = CZ_FR_ONE;
    for (size_t i = 0; i < n; i++) {
        cz_fr_mul(&expected[i], &expected[i], &factor);
        cz_fr_mul(&factor, &factor, &job.post);
    }
    for (unsigned passes = least; passes <= most; passes++) {
        job.from_rev = true;
        job.has_post = false;
        assert_cut(&job, passes, reversed, plain);
        job.from_rev = false;
        assert_cut(&job, passes, input, plain);
        job.has_post = true;
        assert_cut(&job, passes, input, expected);
    }
    cz_ntt_plan_destroy(plan);
    free(input);
    free(expected);
    free(reversed);
    free(plain);
}

static void scalar_cuts_agree(void **state)
{
    (void)state;
    take_form("scalar");
    for (unsigned log_n = 9; log_n <= 13; log_n++)
        assert_all_cuts(log_n, log_n < 12 ? 1 : 2, 3);
}

static void ifma_cuts_agree(void **state)
{
    (void)state;
    take_form("ifma");
    for (unsigned log_n = 9; log_n <= 14; log_n++)
        assert_all_cuts(log_n, 2, 3);
}

/* ---- properties ---- */

/* Coefficient k alone: the values are w^(i k), without multiplications gone astray. */
static void assert_impulse(const cz_ntt_plan *plan, cz_pool *pool, size_t k)
{
    const unsigned log_n = cz_ntt_plan_log_n(plan);
    const size_t n = (size_t)1 << log_n;
    const uint64_t exponent = k;
    cz_fr *xs = calloc(n, sizeof *xs);
    cz_fr step, expected = CZ_FR_ONE;

    assert_non_null(xs);
    xs[k] = CZ_FR_ONE;
    cz_fr_root_of_unity(&step, log_n);
    cz_fr_pow_var(&step, &step, &exponent, 1);
    assert_ok(cz_ntt_forward(plan, pool, xs));
    for (size_t i = 0; i < n; i++) {
        assert_true(cz_fr_equal(&xs[i], &expected));
        cz_fr_mul(&expected, &expected, &step);
    }
    free(xs);
}

/* T(x + s y) = T(x) + s T(y) */
static void assert_linear(const cz_ntt_plan *plan, cz_pool *pool, transform fn)
{
    const size_t n = (size_t)1 << cz_ntt_plan_log_n(plan);
    cz_fr *x = random_vector(n), *y = random_vector(n), *sum = copy_vector(x, n);
    cz_fr s;

    random_fr(&s);
    for (size_t i = 0; i < n; i++) {
        cz_fr t;

        cz_fr_mul(&t, &y[i], &s);
        cz_fr_add(&sum[i], &sum[i], &t);
    }
    assert_ok(fn(plan, pool, x));
    assert_ok(fn(plan, pool, y));
    assert_ok(fn(plan, pool, sum));
    for (size_t i = 0; i < n; i++) {
        cz_fr_mul(&y[i], &y[i], &s);
        cz_fr_add(&x[i], &x[i], &y[i]);
    }
    assert_same(x, sum, n);
    free(x);
    free(y);
    free(sum);
}

/* Multiplying coefficient i by w^i moves the values down by one. */
static void assert_shift(const cz_ntt_plan *plan, cz_pool *pool)
{
    const unsigned log_n = cz_ntt_plan_log_n(plan);
    const size_t n = (size_t)1 << log_n;
    cz_fr *xs = random_vector(n), *turned = copy_vector(xs, n);
    cz_fr root, factor = CZ_FR_ONE;

    cz_fr_root_of_unity(&root, log_n);
    for (size_t i = 0; i < n; i++) {
        cz_fr_mul(&turned[i], &turned[i], &factor);
        cz_fr_mul(&factor, &factor, &root);
    }
    assert_ok(cz_ntt_forward(plan, pool, xs));
    assert_ok(cz_ntt_forward(plan, pool, turned));
    assert_same(turned, xs + 1, n - 1);
    assert_same(turned + n - 1, xs, 1);
    free(xs);
    free(turned);
}

/* There and back, and the same by way of reversed order. */
static void assert_round_trips(const cz_ntt_plan *plan, cz_pool *pool)
{
    const size_t n = (size_t)1 << cz_ntt_plan_log_n(plan);
    cz_fr *xs = random_vector(n), *ys = copy_vector(xs, n);

    assert_ok(cz_ntt_forward(plan, pool, ys));
    assert_ok(cz_ntt_inverse(plan, pool, ys));
    assert_same(xs, ys, n);
    assert_ok(cz_ntt_coset_forward(plan, pool, ys));
    assert_ok(cz_ntt_coset_inverse(plan, pool, ys));
    assert_same(xs, ys, n);
    assert_ok(cz_ntt_inverse_to_rev(plan, pool, ys));
    assert_ok(cz_ntt_coset_forward_from_rev(plan, pool, ys));
    assert_ok(cz_ntt_coset_inverse(plan, pool, ys));
    assert_ok(cz_ntt_forward(plan, pool, ys));
    assert_same(xs, ys, n);
    free(xs);
    free(ys);
}

static void form_has_properties(const char *form, unsigned log_n)
{
    cz_ntt_plan *plan;
    cz_pool *pool;

    take_form(form);
    assert_ok(cz_pool_create(&pool, 2));
    assert_ok(cz_ntt_plan_create(&plan, log_n, pool));
    assert_impulse(plan, pool, 1);
    assert_impulse(plan, pool, (size_t)cz_test_random() >> (64 - log_n));
    assert_linear(plan, pool, cz_ntt_forward);
    assert_linear(plan, pool, cz_ntt_coset_forward_from_rev);
    assert_shift(plan, pool);
    assert_round_trips(plan, pool);
    cz_ntt_plan_destroy(plan);
    cz_pool_destroy(pool);
}

static void scalar_has_properties(void **state)
{
    (void)state;
    form_has_properties("scalar", 15);
}

static void ifma_has_properties(void **state)
{
    (void)state;
    form_has_properties("ifma", 15);
    form_has_properties("ifma", 18);
}

static void scalar_slow_has_properties_at_2_20(void **state)
{
    (void)state;
    form_has_properties("scalar", 20);
}

static void ifma_slow_has_properties_at_2_23(void **state)
{
    (void)state;
    form_has_properties("ifma", 23);
}

static void forms_slow_agree_at_2_23(void **state)
{
    const unsigned log_n = 23;
    const size_t n = (size_t)1 << log_n;
    cz_fr *xs, *ys;
    cz_ntt_plan *plan;
    cz_pool *pool;

    (void)state;
    take_form("ifma"); /* or skip at once */
    xs = random_vector(n);
    ys = copy_vector(xs, n);
    assert_ok(cz_pool_create(&pool, 0));
    assert_ok(cz_ntt_plan_create(&plan, log_n, pool));
    take_form("scalar");
    assert_ok(cz_ntt_inverse_to_rev(plan, pool, xs));
    assert_ok(cz_ntt_coset_forward_from_rev(plan, pool, xs));
    take_form("ifma");
    assert_ok(cz_ntt_inverse_to_rev(plan, pool, ys));
    assert_ok(cz_ntt_coset_forward_from_rev(plan, pool, ys));
    assert_same(xs, ys, n);
    cz_ntt_plan_destroy(plan);
    cz_pool_destroy(pool);
    free(xs);
    free(ys);
}

/* ---- the rest of the contract ---- */

static void bit_reverse_permutes(void **state)
{
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    for (unsigned log_n = 0; log_n <= 13; log_n++) {
        const size_t n = (size_t)1 << log_n;
        cz_fr *xs = random_vector(n), *ys = copy_vector(xs, n);

        assert_ok(cz_ntt_bit_reverse(pool, xs, log_n));
        plain_bit_reverse(ys, log_n);
        assert_same(xs, ys, n);
        free(xs);
        free(ys);
    }
    cz_pool_destroy(pool);
}

typedef struct {
    const cz_ntt_plan *plan;
    cz_fr *xs;
    cz_err err;
} call;

static void *call_forward(void *arg)
{
    call *c = arg;

    c->err = cz_ntt_forward(c->plan, NULL, c->xs);
    return NULL;
}

static void plan_serves_two_calls_at_once(void **state)
{
    enum { LOG_N = 12, N = 1 << LOG_N };
    cz_fr *xs = random_vector(N), *ys = random_vector(N);
    cz_fr *x_expected = copy_vector(xs, N), *y_expected = copy_vector(ys, N);
    call there = {.xs = xs}, here = {.xs = ys};
    cz_ntt_plan *plan;
    pthread_t thread;

    (void)state;
    assert_ok(cz_ntt_plan_create(&plan, LOG_N, NULL));
    there.plan = here.plan = plan;
    assert_int_equal(0, pthread_create(&thread, NULL, call_forward, &there));
    (void)call_forward(&here);
    assert_int_equal(0, pthread_join(thread, NULL));
    assert_ok(there.err);
    assert_ok(here.err);
    cz_ntt_ref_forward(x_expected, LOG_N);
    cz_ntt_ref_forward(y_expected, LOG_N);
    assert_same(xs, x_expected, N);
    assert_same(ys, y_expected, N);
    cz_ntt_plan_destroy(plan);
    free(xs);
    free(ys);
    free(x_expected);
    free(y_expected);
}

static void refuses_what_it_cannot(void **state)
{
    cz_ntt_plan *plan = NULL;

    (void)state;
    assert_fails(cz_ntt_plan_create(&plan, 29, NULL), CZ_E_ARG, "2^29");
    assert_null(plan);
    assert_fails(cz_ntt_select("mmx"), CZ_E_NOTFOUND, "mmx");
    cz_ntt_plan_destroy(NULL);
}

/* ntt.h: at most 2 MiB of a plan, at most 1.5 MiB of scratch a thread, and room for a tile. */
static void memory_is_as_promised(void **state)
{
    const char *const forms[] = {"scalar", "ifma"};
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    for (int f = 0; f < 2; f++) {
        if (cz_ntt_select(forms[f]) == CZ_E_NODEV)
            continue;
        for (unsigned log_n = 0; log_n <= CZ_NTT_MAX_LOG_N; log_n++) {
            const size_t alone = cz_ntt_scratch_bytes(log_n, NULL);

            assert_in_range(cz_ntt_plan_bytes(log_n), sizeof(cz_fr), (size_t)2 << 20);
            assert_in_range(alone, sizeof(cz_fr), (size_t)3 << 19);
            assert_int_equal(cz_ntt_scratch_bytes(log_n, pool), 3 * alone);
        }
        assert_true(cz_ntt_scratch_bytes(22, NULL) >= (8 * sizeof(cz_fr)) << 11);
    }
    cz_pool_destroy(pool);
}

static void scalar_is_selectable(void **state)
{
    (void)state;
    take_form("scalar");
    assert_string_equal("scalar", cz_ntt_form());
}

static void ifma_is_selectable(void **state)
{
    (void)state;
    take_form("ifma");
    assert_string_equal("ifma", cz_ntt_form());
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(reference_evaluates),
    cmocka_unit_test(scalar_equals_reference),
    cmocka_unit_test(ifma_equals_reference),
    cmocka_unit_test(scalar_bears_extremes),
    cmocka_unit_test(ifma_bears_extremes),
    cmocka_unit_test(scalar_cuts_agree),
    cmocka_unit_test(ifma_cuts_agree),
    cmocka_unit_test(scalar_has_properties),
    cmocka_unit_test(ifma_has_properties),
    cmocka_unit_test(scalar_slow_has_properties_at_2_20),
    cmocka_unit_test(ifma_slow_has_properties_at_2_23),
    cmocka_unit_test(forms_slow_agree_at_2_23),
    cmocka_unit_test(bit_reverse_permutes),
    cmocka_unit_test(plan_serves_two_calls_at_once),
    cmocka_unit_test(refuses_what_it_cannot),
    cmocka_unit_test(memory_is_as_promised),
    cmocka_unit_test(scalar_is_selectable),
    cmocka_unit_test(ifma_is_selectable),
};

CZ_TEST_MAIN(cases)
