/* One list's sum in chunks equals the plain sum over its points, for every density and class. */
#define _GNU_SOURCE
#include "../params/scratch.h"

#include <string.h>

#include "groth16/list_sum.h"
#include "msm/msm.h"

enum { N_INPUTS = 70, N_AUX = 1000, N_VARS = N_INPUTS + N_AUX };

typedef struct {
    cz_fr values[N_VARS];
    uint64_t dens_input[2], dens_aux[16];
    cz_split inputs, aux;
    cz_g1_affine g1[N_VARS]; /* of the variables that have a point, in order */
    cz_g2_affine g2[N_VARS];
    cz_u256 scalars[N_VARS]; /* and their values */
    uint32_t n;
    cz_params params;
} lists;

static bool dense(const lists *t, size_t k)
{
    return k < N_INPUTS ? t->dens_input[k / 64] >> (k % 64) & 1
                        : t->dens_aux[(k - N_INPUTS) / 64] >> ((k - N_INPUTS) % 64) & 1;
}

static void write_lists(lists *t)
{
    cz_params_writer w;
    cz_vk vk = {.n_ic = 1};

    vk.alpha_g1 = vk.beta_g1 = vk.delta_g1 = cz_g1_generator;
    vk.beta_g2 = vk.gamma_g2 = vk.delta_g2 = cz_g2_generator;
    vk.ic = t->g1;
    assert_ok(cz_params_writer_open(&w, scratch_path("lists.params")));
    assert_ok(cz_params_writer_vk(&w, &vk));
    assert_ok(cz_params_writer_begin(&w, 0));
    assert_ok(cz_params_writer_begin(&w, t->n));
    assert_ok(cz_params_writer_g1(&w, NULL, t->g1, t->n));
    assert_ok(cz_params_writer_begin(&w, 0));
    assert_ok(cz_params_writer_begin(&w, t->n));
    assert_ok(cz_params_writer_g1(&w, NULL, t->g1, t->n));
    assert_ok(cz_params_writer_begin(&w, t->n));
    assert_ok(cz_params_writer_g2(&w, NULL, t->g2, t->n));
    assert_ok(cz_params_writer_commit(&w));
    assert_ok(cz_params_open(&t->params, scratch_path("lists.params")));
}

/* `ones`, `full`: parts in 256 of values that are one and full-size; `density` likewise. */
static lists *make_lists(unsigned ones, unsigned full, unsigned density)
{
    lists *t = calloc(1, sizeof *t);
    cz_u256 k[N_VARS];

    assert_non_null(t);
    for (size_t i = 0; i < N_VARS; i++) {
        unsigned class = cz_test_random() % 256;
        uint64_t bit = (uint64_t)(cz_test_random() % 256 < density);
        uint8_t bytes[32];

        if (class < ones) {
            t->values[i] = CZ_FR_ONE;
        } else if (class < ones + full) {
            cz_test_random_bytes(bytes, sizeof bytes);
            cz_fr_from_le_mod(&t->values[i], bytes);
        }
        if (i < N_INPUTS)
            t->dens_input[i / 64] |= bit << (i % 64);
        else
            t->dens_aux[(i - N_INPUTS) / 64] |= bit << ((i - N_INPUTS) % 64);
    }
    assert_ok(cz_split_make(&t->inputs, t->values, N_INPUTS, NULL));
    assert_ok(cz_split_make(&t->aux, t->values + N_INPUTS, N_AUX, NULL));
    for (size_t i = 0; i < N_VARS; i++)
        if (dense(t, i))
            cz_fr_to_u256(&t->scalars[t->n++], &t->values[i]);
    for (size_t i = 0; i < N_VARS; i++)
        k[i] = (cz_u256){{cz_test_random(), cz_test_random(), cz_test_random(), 1}};
    assert_ok(cz_fixed_base_g1(NULL, t->g1, &cz_g1_generator, k, N_VARS));
    assert_ok(cz_fixed_base_g2(NULL, t->g2, &cz_g2_generator, k, N_VARS));
    write_lists(t);
    return t;
}

static void free_lists(lists *t)
{
    cz_params_close(&t->params);
    cz_split_clear(&t->inputs);
    cz_split_clear(&t->aux);
    free(t);
}

static cz_list_sum sum_of(const lists *t, const cz_point_list *list)
{
    return (cz_list_sum){.params = &t->params,
                         .list = list,
                         .parts = {{t->values, &t->inputs, t->dens_input, N_INPUTS},
                                   {t->values + N_INPUTS, &t->aux, t->dens_aux, N_AUX}},
                         .n_parts = 2,
                         .ones_phase = CZ_PHASE_BATCH_ADD,
                         .tail_phase = CZ_PHASE_TAIL_MSM};
}

static void assert_sums(const lists *t, size_t chunk, size_t tail_max, cz_pool *pool)
{
    cz_list_sum g1 = sum_of(t, &t->params.b_g1), g2 = sum_of(t, &t->params.b_g2);
    cz_g1 sum1, expected1;
    cz_g2 sum2, expected2;

    g1.chunk = g2.chunk = chunk;
    g1.tail_max = g2.tail_max = tail_max;
    assert_int_equal(cz_list_sum_points(&g1), t->n);
    assert_ok(cz_list_sum_g1(&sum1, &g1, pool, NULL));
    cz_msm_ref_g1(&expected1, t->g1, t->scalars, t->n);
    assert_true(cz_g1_equal(&sum1, &expected1));
    assert_ok(cz_list_sum_g2(&sum2, &g2, pool, NULL));
    cz_msm_ref_g2(&expected2, t->g2, t->scalars, t->n);
    assert_true(cz_g2_equal(&sum2, &expected2));
}

static void test_sums_equal_the_definition(void **state)
{
    const unsigned mixes[][3] = {{120, 6, 200}, {0, 256, 256}, {256, 0, 256},
                                 {0, 0, 256},   {100, 50, 20}, {10, 10, 0}};
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    for (size_t i = 0; i < sizeof mixes / sizeof mixes[0]; i++) {
        lists *t = make_lists(mixes[i][0], mixes[i][1], mixes[i][2]);

        assert_sums(t, 0, 0, pool);
        assert_sums(t, 64, 64, NULL);
        assert_sums(t, 128, 200, pool);
        free_lists(t);
    }
    cz_pool_destroy(pool);
}

static void test_full_density_needs_no_plane(void **state)
{
    lists *t = make_lists(120, 20, 256);
    cz_list_sum job = sum_of(t, &t->params.l);
    cz_g1 sum, expected;

    (void)state;
    job.parts[0].density = NULL;
    job.parts[1].density = NULL;
    assert_int_equal(cz_list_sum_points(&job), N_VARS);
    assert_ok(cz_list_sum_g1(&sum, &job, NULL, NULL));
    cz_msm_ref_g1(&expected, t->g1, t->scalars, t->n);
    assert_true(cz_g1_equal(&sum, &expected));
    free_lists(t);
}

static void test_a_damaged_point_is_named(void **state)
{
    lists *t = make_lists(256, 0, 256);
    cz_list_sum job;
    cz_g1 sum;
    uint8_t *bytes;
    size_t n, at = (size_t)(t->params.l.bytes - t->params.map) + 500 * 96 + 10;

    (void)state;
    bytes = cz_test_read(scratch_path("lists.params"), &n);
    bytes[at] ^= 4;
    write_bytes(scratch_path("bad.params"), bytes, n);
    free(bytes);
    cz_params_close(&t->params);
    assert_ok(cz_params_open(&t->params, scratch_path("bad.params")));
    job = sum_of(t, &t->params.l);
    assert_fails(cz_list_sum_g1(&sum, &job, NULL, NULL), CZ_E_INPUT, "bad.params: l[500]");
    free_lists(t);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_sums_equal_the_definition, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_full_density_needs_no_plane, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_a_damaged_point_is_named, scratch_make, scratch_remove),
};

CZ_TEST_MAIN(cases)
