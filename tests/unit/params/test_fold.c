/* Folding parameters: the file is that of a setup that knows the waste, byte for byte; the check
 * accepts it and nothing else. On the host's stand-in for a device, on one with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "../groth16/host_prover.h"
#include "fold_circuit.h"
#include "host_fold.h"
#include "scratch.h"

#include <string.h>
#include <unistd.h>

#include "cs/compile.h"
#include "params/fold.h"
#include "params/lagrange.h"

/* A circuit with parameters and the folded file that its waste gives. */
typedef struct {
    fold_circuit circuit;
    cz_compiled *compiled;
    cz_params params;
    cz_folded folded;
} key;

static cz_fr random_scalar(void)
{
    uint8_t bytes[32];
    cz_fr r;

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(&r, bytes);
    return r;
}

static void key_make(key *k, fold_circuit circuit, cz_pool *pool)
{
    const cz_toxic_waste waste = {random_scalar(), random_scalar(), random_scalar(),
                                  random_scalar(), random_scalar()};
    const cz_setup_options options = {.pool = pool, .folded = true};

    *k = (key){.circuit = circuit};
    assert_ok(cz_circuit_compile(&k->compiled, &k->circuit.base, NULL));
    assert_ok(cz_params_setup_with(&k->circuit.base, &waste, scratch_path("toy.params"),
                                   scratch_path("toy.vk"), &options));
    assert_ok(cz_params_open(&k->params, scratch_path("toy.params")));
    assert_ok(cz_folded_open(&k->folded, scratch_path("toy.folded"), &k->params, "fold"));
}

static void key_free(key *k)
{
    cz_folded_close(&k->folded);
    cz_params_close(&k->params);
    cz_compiled_destroy(k->compiled);
}

static bool exists(const char *name)
{
    return access(scratch_path(name), F_OK) == 0;
}

static void assert_same_file(const char *name, const char *other)
{
    size_t n, m;
    uint8_t *a = cz_test_read(scratch_path(name), &n), *b = cz_test_read(scratch_path(other), &m);

    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

/* ---- the file ---- */

static void assert_folds(const fold_circuit *circuit, cz_pool *pool)
{
    const cz_fold_options options = {.pool = pool};
    key k;

    key_make(&k, *circuit, pool);
    assert_ok(cz_params_fold(&k.params, k.compiled, scratch_path("made.folded"), &options));
    assert_same_file("made.folded", "toy.folded");
    key_free(&k);
}

static void test_fold_makes_the_file_of_the_waste(void **state)
{
    const fold_circuit circuits[] = {fold_make(1, 2, 0, 0), fold_make(1, 3, 2, 4),
                                     fold_make(3, 10, 5, 12), fold_make(70, 20, 11, 21)};
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++)
        assert_folds(&circuits[i], i % 2 ? pool : NULL);
    cz_pool_destroy(pool);
}

/* A name when a step begins, a comma when it ends. */
static void see_step(void *ctx, const char *step, uint64_t done, uint64_t total)
{
    char *seen = ctx;

    assert_true(done <= total);
    if (done == 0)
        strcat(seen, step);
    if (done == total)
        strcat(seen, ", ");
}

static void assert_steps_are_named(cz_gpu *gpu)
{
    char seen[160] = "";
    const cz_fold_options options = {.gpu = gpu, .progress = see_step, .ctx = seen};
    key k;

    key_make(&k, fold_make(1, 3, 2, 4), NULL);
    assert_ok(cz_params_fold(&k.params, k.compiled, scratch_path("made.folded"), &options));
    assert_string_equal(seen, "columns, h transform, h, l transform, l, check h, check l, sync, ");
    key_free(&k);
}

static void test_progress_names_the_steps(void **state)
{
    (void)state;
    assert_steps_are_named(NULL);
}

/* ---- the check ---- */

static cz_err check_damaged(const key *k, cz_gpu *gpu)
{
    const cz_fold_options options = {.gpu = gpu};
    cz_folded damaged;
    cz_err err;

    assert_ok(cz_folded_open(&damaged, scratch_path("damaged.folded"), &k->params, "fold"));
    err = cz_folded_check(&k->params, &damaged, k->compiled, &options);
    cz_folded_close(&damaged);
    return err;
}

/* A copy of a file with the bytes of the point at `to` being those of `point`. */
static void write_patched(const char *name, const cz_params *file, const uint8_t *to,
                          const uint8_t *point)
{
    uint8_t *copy = malloc(file->map_bytes);

    assert_non_null(copy);
    memcpy(copy, file->map, file->map_bytes);
    memcpy(copy + (to - file->map), point, CZ_G1_UNCOMPRESSED_BYTES);
    write_bytes(scratch_path(name), copy, file->map_bytes);
    free(copy);
}

static const uint8_t *point_of(const cz_point_list *list, size_t i)
{
    return list->bytes + i * CZ_G1_UNCOMPRESSED_BYTES;
}

static void assert_check_refuses_point(const key *k, const cz_point_list *list, size_t i,
                                       const uint8_t *point, const char *message)
{
    write_patched("damaged.folded", &k->folded.file, point_of(list, i), point);
    assert_fails(check_damaged(k, NULL), CZ_E_INPUT, message);
}

static void test_check_refuses_a_wrong_point(void **state)
{
    const cz_fold_options options = {.pool = NULL};
    const cz_point_list *h, *l;
    key k;

    (void)state;
    key_make(&k, fold_make(3, 10, 5, 12), NULL);
    h = &k.folded.file.h;
    l = &k.folded.file.l;
    assert_ok(cz_folded_check(&k.params, &k.folded, k.compiled, &options));
    for (size_t i = 0; i < h->n; i += h->n - 1) /* the first and the last */
        assert_check_refuses_point(&k, h, i, point_of(h, i ^ 1), "h: does not follow");
    for (size_t i = 0; i < l->n; i += l->n - 1)
        assert_check_refuses_point(&k, l, i, point_of(l, 2), "l: does not follow");
    assert_check_refuses_point(&k, l, 5, point_of(&k.params.l, 2), "l: does not follow");
    key_free(&k);
}

static void test_check_refuses_points_that_changed_places(void **state)
{
    key k;

    (void)state;
    key_make(&k, fold_make(3, 10, 5, 12), NULL);
    for (int i = 0; i < 2; i++) {
        const cz_point_list *list = i == 0 ? &k.folded.file.h : &k.folded.file.l;
        const size_t at = (size_t)(list->bytes - k.folded.file.map);
        uint8_t *copy = malloc(k.folded.file.map_bytes);

        assert_non_null(copy);
        memcpy(copy, k.folded.file.map, k.folded.file.map_bytes);
        memcpy(copy + at + 4 * 96, point_of(list, 7), 96);
        memcpy(copy + at + 7 * 96, point_of(list, 4), 96);
        write_bytes(scratch_path("damaged.folded"), copy, k.folded.file.map_bytes);
        free(copy);
        assert_fails(check_damaged(&k, NULL), CZ_E_INPUT,
                     i == 0 ? "h: does not follow" : "l: does not follow");
    }
    key_free(&k);
}

/* Another circuit of the same shape: a coefficient of C differs. */
static void test_check_refuses_another_coefficient(void **state)
{
    const cz_fold_options options = {.pool = NULL};
    fold_circuit other = fold_make(3, 10, 5, 12);
    cz_compiled *compiled;
    key k;

    (void)state;
    key_make(&k, other, NULL);
    other.coefficients++;
    assert_ok(cz_circuit_compile(&compiled, &other.base, NULL));
    assert_fails(cz_folded_check(&k.params, &k.folded, compiled, &options), CZ_E_INPUT,
                 "l: does not follow");
    cz_compiled_destroy(compiled);
    key_free(&k);
}

/* Parameters that differ where their identity does not look. */
static void test_check_refuses_other_parameters(void **state)
{
    const cz_fold_options options = {.pool = NULL};
    cz_params other;
    key k;

    (void)state;
    key_make(&k, fold_make(3, 10, 5, 12), NULL);
    write_patched("other.params", &k.params, point_of(&k.params.h, 3), point_of(&k.params.h, 4));
    assert_ok(cz_params_open(&other, scratch_path("other.params")));
    assert_fails(cz_folded_check(&other, &k.folded, k.compiled, &options), CZ_E_INPUT,
                 "h: does not follow");
    cz_params_close(&other);
    write_patched("other.params", &k.params, point_of(&k.params.l, 3), point_of(&k.params.l, 4));
    assert_ok(cz_params_open(&other, scratch_path("other.params")));
    assert_fails(cz_folded_check(&other, &k.folded, k.compiled, &options), CZ_E_INPUT,
                 "l: does not follow");
    cz_params_close(&other);
    key_free(&k);
}

/* ---- what is declined ---- */

static void decode(cz_g1 *out, const uint8_t *bytes)
{
    cz_g1_affine affine;

    assert_ok(cz_g1_deserialize(&affine, bytes));
    cz_g1_from_affine(out, &affine);
}

/* bytes = a - factor b */
static void subtract(uint8_t bytes[96], const uint8_t *a, const uint8_t *b, const cz_fr *factor)
{
    cz_g1 p, q;
    cz_g1_affine affine;
    cz_u256 k;

    decode(&p, a);
    decode(&q, b);
    cz_fr_to_u256(&k, factor);
    cz_g1_mul_var(&q, &q, &k);
    cz_g1_neg(&q, &q);
    cz_g1_add(&p, &p, &q);
    cz_g1_to_affine(&affine, &p);
    cz_g1_serialize(bytes, &affine);
}

static void assert_declined(const key *k, cz_gpu *gpu, const char *message)
{
    const cz_fold_options options = {.gpu = gpu};
    cz_params params;

    assert_ok(cz_params_open(&params, scratch_path("odd.params")));
    assert_fails(cz_params_fold(&params, k->compiled, scratch_path("odd.folded"), &options),
                 CZ_E_DECLINED, message);
    assert_false(exists("odd.folded"));
    cz_params_close(&params);
}

/* H_0 counts to every H'_j by 1 / (z n): without z n H'_5 in it, H'_5 is infinity. */
static void write_params_without_h5(const key *k)
{
    const cz_fr shift = {CZ_FR_GENERATOR};
    uint8_t point[96];
    cz_fr factor, n;

    cz_vanishing_at(&factor, k->folded.log_n, &shift);
    cz_fr_from_u64(&n, (uint64_t)1 << k->folded.log_n);
    cz_fr_mul(&factor, &factor, &n);
    subtract(point, k->params.h.bytes, point_of(&k->folded.file.h, 5), &factor);
    write_patched("odd.params", &k->params, k->params.h.bytes, point);
}

/* L'_4 out of L_4: an input's point is before it. */
static void write_params_without_l4(const key *k)
{
    const cz_fr one = CZ_FR_ONE;
    const size_t inputs = k->folded.file.l.n - k->params.l.n;
    uint8_t point[96];

    subtract(point, point_of(&k->params.l, 4), point_of(&k->folded.file.l, inputs + 4), &one);
    write_patched("odd.params", &k->params, point_of(&k->params.l, 4), point);
}

static void test_fold_declines_points_at_infinity(void **state)
{
    key k;

    (void)state;
    key_make(&k, fold_make(1, 3, 2, 4), NULL);
    write_params_without_h5(&k);
    assert_declined(&k, NULL, "point 5 of h would be infinity");
    write_params_without_l4(&k);
    assert_declined(&k, NULL, "the point of aux 4 would be infinity");
    key_free(&k);
}

static void test_fold_refuses_parameters_of_another_circuit(void **state)
{
    const cz_fold_options options = {.pool = NULL};
    const fold_circuit other = fold_make(1, 3, 2, 5);
    cz_compiled *compiled;
    key k;

    (void)state;
    key_make(&k, fold_make(1, 3, 3, 5), NULL);
    assert_ok(cz_circuit_compile(&compiled, &other.base, NULL));
    assert_fails(cz_params_fold(&k.params, compiled, scratch_path("made.folded"), &options),
                 CZ_E_INPUT, "belongs to another circuit");
    assert_false(exists("made.folded"));
    cz_compiled_destroy(compiled);
    key_free(&k);
}

/* ---- devices ---- */

static cz_gpu *open_device(void)
{
    host_prover_use();
    host_fold_fill();
    return host_gpu_open(0);
}

static void close_device(cz_gpu *gpu)
{
    assert_int_equal(cz_gpu_used_bytes(gpu, CZ_GPU_DEVICE_MEMORY), 0);
    assert_int_equal(cz_gpu_used_bytes(gpu, CZ_GPU_PINNED_MEMORY), 0);
    cz_gpu_close(gpu);
}

static void assert_device_folds(const fold_circuit *circuit)
{
    cz_fold_options options = {.gpu = open_device()};
    key k;

    assert_ok(cz_pool_create(&options.pool, 2));
    key_make(&k, *circuit, options.pool);
    assert_ok(cz_params_fold(&k.params, k.compiled, scratch_path("made.folded"), &options));
    assert_same_file("made.folded", "toy.folded");
    assert_ok(cz_folded_check(&k.params, &k.folded, k.compiled, &options));
    key_free(&k);
    cz_pool_destroy(options.pool);
    close_device(options.gpu);
}

static void test_device_makes_the_same_file(void **state)
{
    const fold_circuit small[] = {fold_make(1, 2, 0, 0), fold_make(3, 10, 5, 12)};
    const fold_circuit large = fold_make(70, 64, 3000, 5000);

    (void)state;
    assert_device_folds(&small[0]);
    assert_device_folds(&small[1]);
    if (getenv("CUZK_TEST_CUDA") != NULL)
        assert_device_folds(&large);
}

static void test_device_names_the_same_steps(void **state)
{
    cz_gpu *gpu = open_device();

    (void)state;
    assert_steps_are_named(gpu);
    close_device(gpu);
}

static void test_device_checks_and_declines_alike(void **state)
{
    cz_gpu *gpu = open_device();
    const cz_point_list *h, *l;
    key k;

    (void)state;
    key_make(&k, fold_make(1, 3, 2, 4), NULL);
    h = &k.folded.file.h;
    l = &k.folded.file.l;
    write_patched("damaged.folded", &k.folded.file, point_of(h, 3), point_of(h, 4));
    assert_fails(check_damaged(&k, gpu), CZ_E_INPUT, "h: does not follow");
    write_patched("damaged.folded", &k.folded.file, point_of(l, 3), point_of(l, 4));
    assert_fails(check_damaged(&k, gpu), CZ_E_INPUT, "l: does not follow");
    write_params_without_h5(&k);
    assert_declined(&k, gpu, "odd.params: h");
    write_params_without_l4(&k);
    assert_declined(&k, gpu, "the point of aux 4 would be infinity");
    key_free(&k);
    close_device(gpu);
}

/* As host_fold_encode, but two points have changed places. */
static cz_err swap_points(cz_gpu *gpu, void *bytes, const void *points, unsigned log_n,
                          size_t first, size_t n)
{
    uint8_t *encoded = bytes, one[CZ_G1_UNCOMPRESSED_BYTES];

    CZ_TRY(host_fold_encode(gpu, bytes, points, log_n, first, n));
    memcpy(one, encoded, sizeof one);
    memcpy(encoded, encoded + 2 * sizeof one, sizeof one);
    memcpy(encoded + 2 * sizeof one, one, sizeof one);
    return CZ_OK;
}

static void test_a_device_that_is_wrong_leaves_no_file(void **state)
{
    cz_fold_options options = {.gpu = open_device()};
    key k;

    (void)state;
    key_make(&k, fold_make(1, 3, 2, 4), NULL);
    if (getenv("CUZK_TEST_CUDA") == NULL) {
        host_gpu_table.fold_encode = swap_points;
        assert_fails(cz_params_fold(&k.params, k.compiled, scratch_path("made.folded"), &options),
                     CZ_E_CUDA, "folding went wrong, no file was written: ");
        assert_non_null(strstr(cz_err_message(), "h: does not follow"));
        assert_non_null(strstr(cz_err_message(), "toy.params has points outside the subgroup"));
        assert_false(exists("made.folded"));
    }
    key_free(&k);
    close_device(options.gpu);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_fold_makes_the_file_of_the_waste, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_progress_names_the_steps, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_check_refuses_a_wrong_point, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_check_refuses_points_that_changed_places, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_check_refuses_another_coefficient, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_check_refuses_other_parameters, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_fold_declines_points_at_infinity, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_fold_refuses_parameters_of_another_circuit, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_device_makes_the_same_file, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_device_names_the_same_steps, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_device_checks_and_declines_alike, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_a_device_that_is_wrong_leaves_no_file, scratch_make,
                                    scratch_remove),
};
CZ_TEST_MAIN(cases)
