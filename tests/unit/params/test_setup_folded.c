/* The folded file of a test setup against its definition: sums of the parameters' own scalars, term
 * by term; and what it is for: the two sums of a proof. */
#define _GNU_SOURCE
#include "host_setup.h"
#include "scratch.h"
#include "toy_circuit.h"

#include <string.h>

#include "cs/assignment.h"
#include "cs/columns.h"
#include "msm/msm.h"
#include "ntt/ntt.h"
#include "params/folded.h"
#include "params/lagrange.h"
#include "params/setup.h"

/* The toy, and rows with inputs in C: one = one, input_2 5 = 5 input_2, if there are so many. */
typedef struct {
    cz_circuit base;
    toy_circuit toy;
} inputs_circuit;

static cz_var input_var(uint32_t k)
{
    return (cz_var){k};
}

static void add_input_row(cz_cs *cs, uint32_t input)
{
    cz_lc a, b, c;
    cz_fr five;

    cz_fr_from_u64(&five, 5);
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    cz_lc_add_var(&a, input_var(input));
    cz_lc_add(&b, &five, CZ_VAR_ONE);
    cz_lc_add(&c, &five, input_var(input));
    cz_cs_enforce(cs, CZ_N("input"), &a, &b, &c);
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static void inputs_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const inputs_circuit *c = (const inputs_circuit *)(const void *)self;

    toy_synthesize(&c->toy.base, cs);
    add_input_row(cs, 0);
    if (c->toy.n_inputs >= 2)
        add_input_row(cs, 2);
}

static inputs_circuit inputs_make(unsigned n_inputs, unsigned n_bits, unsigned n_products)
{
    return (inputs_circuit){.base = {.id = "inputs", .synthesize = inputs_synthesize},
                            .toy = toy_make(n_inputs, n_bits, n_products)};
}

static cz_fr random_scalar(void)
{
    uint8_t bytes[32];
    cz_fr r;

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(&r, bytes);
    return r;
}

static cz_toxic_waste random_waste(void)
{
    return (cz_toxic_waste){random_scalar(), random_scalar(), random_scalar(), random_scalar(),
                            random_scalar()};
}

/* ---- the definition ---- */

typedef struct {
    cz_circuit_stats stats;
    size_t n, n_vars;
    unsigned log_n;
    cz_fr *h; /* the parameters', the last zero */
    cz_fr *l;
    cz_fr *folded_h, *folded_l; /* folded_l of every variable */
} scalars;

static cz_fr *take(size_t n)
{
    cz_fr *xs = calloc(n, sizeof *xs);

    assert_non_null(xs);
    return xs;
}

static void free_scalars(scalars *s)
{
    free(s->h);
    free(s->l);
    free(s->folded_h);
    free(s->folded_l);
}

static void measure(scalars *s, const cz_circuit *circuit)
{
    assert_ok(cz_circuit_count(&s->stats, circuit));
    s->n_vars = s->stats.inputs + s->stats.aux;
    for (s->n = 1; s->n < s->stats.constraints + s->stats.inputs; s->n *= 2)
        s->log_n++;
    s->h = take(s->n);
    s->l = take(s->n_vars);
    s->folded_h = take(s->n);
    s->folded_l = take(s->n_vars);
}

static void original_lists(scalars *s, const cz_circuit *circuit, const cz_toxic_waste *t)
{
    cz_fr *weights = take(s->n), *u = take(s->n_vars), *v = take(s->n_vars);
    cz_fr factor, inv, x;

    cz_vanishing_at(&factor, s->log_n, &t->tau);
    cz_fr_inv(&inv, &t->delta);
    cz_fr_mul(&factor, &factor, &inv);
    assert_ok(cz_scaled_powers(s->h, 0, s->n - 1, &t->tau, &factor, NULL));
    assert_ok(cz_lagrange_at(weights, s->n, s->log_n, &t->tau, NULL));
    assert_ok(cz_circuit_columns(u, v, s->l, circuit, (uint32_t)s->stats.inputs,
                                 (uint32_t)s->stats.aux, weights, s->n));
    for (size_t k = 0; k < s->n_vars; k++) {
        cz_fr_mul(&x, &u[k], &t->beta);
        cz_fr_add(&s->l[k], &s->l[k], &x);
        cz_fr_mul(&x, &v[k], &t->alpha);
        cz_fr_add(&s->l[k], &s->l[k], &x);
        cz_fr_mul(&s->l[k], &s->l[k], &inv);
        if (k < s->stats.inputs)
            s->l[k] = CZ_FR_ZERO; /* an input has none */
    }
    free(weights);
    free(u);
    free(v);
}

/* factor (sum over i of shift^-i w^-ij h_i) */
static cz_fr transform_at(const scalars *s, size_t j, const cz_fr *shift, const cz_fr *factor)
{
    const uint64_t e = j;
    cz_fr step, power = CZ_FR_ONE, sum = CZ_FR_ZERO, term;

    cz_fr_root_of_unity(&step, s->log_n);
    cz_fr_pow_var(&step, &step, &e, 1);
    cz_fr_mul(&step, &step, shift);
    cz_fr_inv(&step, &step);
    for (size_t i = 0; i < s->n; i++) {
        cz_fr_mul(&term, &power, &s->h[i]);
        cz_fr_add(&sum, &sum, &term);
        cz_fr_mul(&power, &power, &step);
    }
    cz_fr_mul(&sum, &sum, factor);
    return sum;
}

static void fold(scalars *s, const cz_circuit *circuit)
{
    cz_fr *weights = take(s->n), *a = take(s->n_vars), *b = take(s->n_vars);
    const cz_fr g = {CZ_FR_GENERATOR}, one = CZ_FR_ONE;
    cz_fr factor, n;

    cz_vanishing_at(&factor, s->log_n, &g);
    cz_fr_from_u64(&n, s->n);
    cz_fr_mul(&factor, &factor, &n);
    cz_fr_inv(&factor, &factor);
    for (size_t j = 0; j < s->n; j++) {
        s->folded_h[j] = transform_at(s, j, &g, &factor);
        weights[j] = transform_at(s, j, &one, &factor);
        cz_fr_neg(&weights[j], &weights[j]);
    }
    assert_ok(cz_circuit_columns(a, b, s->folded_l, circuit, (uint32_t)s->stats.inputs,
                                 (uint32_t)s->stats.aux, weights, s->n));
    for (size_t k = 0; k < s->n_vars; k++)
        cz_fr_add(&s->folded_l[k], &s->folded_l[k], &s->l[k]);
    free(weights);
    free(a);
    free(b);
}

static scalars define(const cz_circuit *circuit, const cz_toxic_waste *waste)
{
    scalars s = {.n = 0};

    measure(&s, circuit);
    original_lists(&s, circuit, waste);
    fold(&s, circuit);
    return s;
}

/* ---- the file ---- */

static void make_files(const cz_circuit *circuit, const cz_toxic_waste *waste, cz_gpu *gpu,
                       cz_pool *pool)
{
    const cz_setup_options options = {.gpu = gpu, .pool = pool, .folded = true};

    assert_ok(cz_params_setup_with(circuit, waste, scratch_path("toy.params"),
                                   scratch_path("toy.vk"), &options));
}

static void assert_point(const uint8_t *got, const cz_fr *scalar)
{
    uint8_t want[96];
    cz_g1_affine affine;
    cz_u256 plain;

    cz_fr_to_u256(&plain, scalar);
    assert_ok(cz_fixed_base_g1(NULL, &affine, &cz_g1_generator, &plain, 1));
    cz_g1_serialize(want, &affine);
    assert_memory_equal(got, want, sizeof want);
}

static bool has_point(const cz_folded *f, size_t input)
{
    return f->input_has_point[input / 64] >> input % 64 & 1;
}

static void assert_l(const cz_folded *f, const scalars *s)
{
    const uint8_t *at = f->file.l.bytes;

    for (size_t k = 0; k < s->n_vars; k++) {
        if (k < s->stats.inputs) {
            assert_int_equal(has_point(f, k), !cz_fr_is_zero(&s->folded_l[k]));
            if (!has_point(f, k))
                continue;
        }
        assert_point(at, &s->folded_l[k]);
        at += 96;
    }
    assert_ptr_equal(at, f->file.l.bytes + (size_t)96 * f->file.l.n);
}

static void assert_follows_definition(const inputs_circuit *c, cz_pool *pool)
{
    const cz_toxic_waste waste = random_waste();
    scalars s = define(&c->base, &waste);
    cz_params params;
    cz_folded f;

    make_files(&c->base, &waste, NULL, pool);
    assert_ok(cz_params_open(&params, scratch_path("toy.params")));
    assert_ok(cz_folded_open(&f, scratch_path("toy.folded"), &params, "inputs"));
    assert_int_equal(f.file.h.n, s.n);
    assert_true(has_point(&f, 0) && !has_point(&f, 1));
    assert_true(c->toy.n_inputs < 2 || has_point(&f, 2));
    for (size_t j = 0; j < s.n; j++)
        assert_point(f.file.h.bytes + 96 * j, &s.folded_h[j]);
    assert_l(&f, &s);
    cz_folded_close(&f);
    cz_params_close(&params);
    free_scalars(&s);
}

static void test_folded_setup_equals_its_definition(void **state)
{
    const inputs_circuit circuits[] = {inputs_make(1, 2, 0), inputs_make(2, 3, 4),
                                       inputs_make(70, 20, 9)};
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++)
        assert_follows_definition(&circuits[i], i % 2 ? pool : NULL);
    cz_pool_destroy(pool);
}

static void test_transformed_powers_in_threads_and_batches(void **state)
{
    enum { LOG_N = 14, N = 1 << LOG_N };
    cz_fr *want = take(N), *got = take(N);
    const cz_fr tau = random_scalar(), factor = random_scalar(), one = CZ_FR_ONE;
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 3));
    assert_ok(cz_scaled_powers(want, 0, N - 1, &tau, &factor, pool));
    cz_ntt_ref_forward(want, LOG_N);
    assert_ok(cz_transformed_powers(got, N - 700, LOG_N, &tau, &factor, pool));
    for (size_t j = 0; j < N - 700; j++) /* at w^-j */
        assert_true(cz_fr_equal(&got[j], &want[(N - j) % N]));
    assert_fails(cz_transformed_powers(got, 8, 3, &one, &factor, NULL), CZ_E_INPUT,
                 "root of unity");
    cz_pool_destroy(pool);
    free(want);
    free(got);
}

/* ---- what it is for ---- */

static void add_product(cz_fr *sum, const cz_fr *a, const cz_fr *b)
{
    cz_fr t;

    cz_fr_mul(&t, a, b);
    cz_fr_add(sum, sum, &t);
}

/* The scalar of sum h_i H_i + sum over aux of w_k L_k, by six transforms. */
static cz_fr classic_sum(const scalars *s, const cz_assignment *w)
{
    cz_fr *abc[3] = {take(s->n), take(s->n), take(s->n)}, sum = CZ_FR_ZERO, z;
    const cz_fr *rows[3] = {w->a, w->b, w->c};
    const cz_fr g = {CZ_FR_GENERATOR};

    cz_vanishing_at(&z, s->log_n, &g);
    cz_fr_inv(&z, &z);
    for (int m = 0; m < 3; m++) {
        memcpy(abc[m], rows[m], w->n_rows * sizeof *rows[m]);
        cz_ntt_ref_inverse(abc[m], s->log_n);
        cz_ntt_ref_coset_forward(abc[m], s->log_n);
    }
    for (size_t j = 0; j < s->n; j++) {
        cz_fr_mul(&abc[0][j], &abc[0][j], &abc[1][j]);
        cz_fr_sub(&abc[0][j], &abc[0][j], &abc[2][j]);
        cz_fr_mul(&abc[0][j], &abc[0][j], &z);
    }
    cz_ntt_ref_coset_inverse(abc[0], s->log_n);
    for (size_t i = 0; i < s->n; i++)
        add_product(&sum, &abc[0][i], &s->h[i]);
    for (uint32_t k = 0; k < w->n_aux; k++)
        add_product(&sum, &w->aux[k], &s->l[w->n_inputs + k]);
    for (int m = 0; m < 3; m++)
        free(abc[m]);
    return sum;
}

/* The same by four and the folded lists. */
static cz_fr folded_sum(const scalars *s, const cz_assignment *w)
{
    cz_fr *ab[2] = {take(s->n), take(s->n)}, sum = CZ_FR_ZERO;
    const cz_fr *rows[2] = {w->a, w->b};

    for (int m = 0; m < 2; m++) {
        memcpy(ab[m], rows[m], w->n_rows * sizeof *rows[m]);
        cz_ntt_ref_inverse(ab[m], s->log_n);
        cz_ntt_ref_coset_forward(ab[m], s->log_n);
    }
    for (size_t j = 0; j < s->n; j++) {
        cz_fr_mul(&ab[0][j], &ab[0][j], &ab[1][j]);
        add_product(&sum, &ab[0][j], &s->folded_h[j]);
    }
    for (uint32_t k = 0; k < w->n_inputs; k++)
        add_product(&sum, &w->inputs[k], &s->folded_l[k]);
    for (uint32_t k = 0; k < w->n_aux; k++)
        add_product(&sum, &w->aux[k], &s->folded_l[w->n_inputs + k]);
    free(ab[0]);
    free(ab[1]);
    return sum;
}

/* Also where the witness is none: the top coefficient, which is 0 for one that is, meets nothing.
 */
static void test_the_two_sums_are_the_same(void **state)
{
    (void)state;
    for (unsigned unsatisfied = 0; unsatisfied < 2; unsatisfied++) {
        inputs_circuit c = inputs_make(3, 30, 20);
        const cz_toxic_waste waste = random_waste();
        scalars s = define(&c.base, &waste);
        cz_assignment w;
        cz_fr classic, folded;

        c.toy.unsatisfied = unsatisfied != 0;
        assert_ok(cz_assignment_synthesize(&w, &c.base));
        classic = classic_sum(&s, &w);
        folded = folded_sum(&s, &w);
        assert_true(cz_fr_equal(&classic, &folded));
        cz_assignment_clear(&w);
        free_scalars(&s);
    }
}

/* ---- devices ---- */

static void assert_same_file(const char *name, const char *other)
{
    size_t n, m;
    uint8_t *a = cz_test_read(scratch_path(name), &n), *b = cz_test_read(scratch_path(other), &m);

    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

static void test_folded_setups_are_the_same_on_a_device(void **state)
{
    const inputs_circuit circuits[] = {inputs_make(1, 2, 0), inputs_make(2, 300, 150)};

    (void)state;
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++) {
        const cz_toxic_waste waste = random_waste();
        cz_gpu *gpu;

        host_gpu_table.setup_multiples = host_setup_multiples;
        gpu = host_gpu_open(0);
        make_files(&circuits[i].base, &waste, gpu, NULL);
        assert_int_equal(cz_gpu_used_bytes(gpu, CZ_GPU_DEVICE_MEMORY), 0);
        cz_gpu_close(gpu);
        assert_int_equal(rename(scratch_path("toy.folded"), scratch_path("device.folded")), 0);
        make_files(&circuits[i].base, &waste, NULL, NULL);
        assert_same_file("toy.folded", "device.folded");
    }
}

/* ---- what is refused, and the steps ---- */

static void test_tau_in_the_coset_is_refused(void **state)
{
    const inputs_circuit c = inputs_make(1, 2, 0);
    const cz_setup_options options = {.folded = true};
    cz_toxic_waste waste = random_waste();

    (void)state;
    waste.tau = (cz_fr){CZ_FR_GENERATOR};
    assert_fails(cz_params_setup_with(&c.base, &waste, scratch_path("toy.params"),
                                      scratch_path("toy.vk"), &options),
                 CZ_E_INPUT, "tau lies in the coset");
}

static void see_step(void *ctx, const char *step, uint64_t done, uint64_t total)
{
    char *seen = ctx;

    assert_true(done <= total);
    if (done == total)
        strcat(strcat(seen, step), ", ");
}

static void test_progress_names_the_folded_steps(void **state)
{
    const inputs_circuit c = inputs_make(1, 4, 3);
    const cz_toxic_waste waste = random_waste();
    char seen[160] = "";
    const cz_setup_options options = {.folded = true, .progress = see_step, .ctx = seen};

    (void)state;
    assert_ok(cz_params_setup_with(&c.base, &waste, scratch_path("toy.params"),
                                   scratch_path("toy.vk"), &options));
    assert_string_equal(seen, "count, lagrange, columns, keys, h, l, a, b_g1, b_g2, sync, "
                              "C columns, folded h, folded l, folded sync, ");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_folded_setup_equals_its_definition, scratch_make,
                                    scratch_remove),
    cmocka_unit_test(test_transformed_powers_in_threads_and_batches),
    cmocka_unit_test(test_the_two_sums_are_the_same),
    cmocka_unit_test_setup_teardown(test_folded_setups_are_the_same_on_a_device, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_tau_in_the_coset_is_refused, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_progress_names_the_folded_steps, scratch_make,
                                    scratch_remove),
};
CZ_TEST_MAIN(cases)
