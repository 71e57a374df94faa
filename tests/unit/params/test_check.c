/* The full check finds any point outside its subgroup, also those that hide: of small order, and in
 * pairs that cancel. */
#define _GNU_SOURCE
#include "scratch.h"
#include "tiny_params.h"

#include "msm/msm.h"

enum { N = 2047, N_B = 1100 };

typedef struct {
    cz_g1_affine h[N];
    cz_g2_affine b[N_B];
    cz_vk vk;
} many_points;

static many_points *make_points(void)
{
    many_points *m = malloc(sizeof *m);
    cz_u256 k[N];

    assert_non_null(m);
    for (size_t i = 0; i < N; i++)
        k[i] = tiny_scalar();
    assert_ok(cz_fixed_base_g1(NULL, m->h, &cz_g1_generator, k, N));
    assert_ok(cz_fixed_base_g2(NULL, m->b, &cz_g2_generator, k, N_B));
    m->vk = (cz_vk){.alpha_g1 = m->h[0],
                    .beta_g1 = m->h[1],
                    .delta_g1 = m->h[2],
                    .beta_g2 = m->b[0],
                    .gamma_g2 = m->b[1],
                    .delta_g2 = m->b[2],
                    .n_ic = 1,
                    .ic = m->h};
    return m;
}

static cz_err check(const many_points *m, cz_pool *pool)
{
    cz_params_writer w;
    cz_params p;
    cz_err err;

    assert_ok(cz_params_writer_open(&w, scratch_path("many.params")));
    assert_ok(cz_params_writer_vk(&w, &m->vk));
    assert_ok(cz_params_writer_begin(&w, N));
    assert_ok(cz_params_writer_g1(&w, NULL, m->h, N));
    assert_ok(cz_params_writer_begin(&w, N_B));
    assert_ok(cz_params_writer_g1(&w, NULL, m->h, N_B));
    assert_ok(cz_params_writer_begin(&w, 0));
    assert_ok(cz_params_writer_begin(&w, N_B));
    assert_ok(cz_params_writer_g1(&w, NULL, m->h + 5, N_B));
    assert_ok(cz_params_writer_begin(&w, N_B));
    assert_ok(cz_params_writer_g2(&w, NULL, m->b, N_B));
    assert_ok(cz_params_writer_commit(&w));
    assert_ok(cz_params_open(&p, scratch_path("many.params")));
    err = cz_params_check_points(&p, pool);
    cz_params_close(&p);
    return err;
}

/* p += (0, 2), a point of order 3 on y^2 = x^3 + 4; or p -= (0, 2). */
static void add_order_3(cz_g1_affine *p, bool negative)
{
    cz_g1_affine t = {CZ_FP_ZERO, CZ_FP_ONE};
    cz_g1 sum;

    cz_fp_dbl(&t.y, &t.y);
    if (negative)
        cz_fp_neg(&t.y, &t.y);
    cz_g1_from_affine(&sum, p);
    cz_g1_add_affine(&sum, &sum, &t);
    cz_g1_to_affine(p, &sum);
}

static void test_good_points_pass(void **state)
{
    many_points *m = make_points();
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    assert_ok(check(m, NULL));
    assert_ok(check(m, pool));
    cz_pool_destroy(pool);
    free(m);
}

static void test_a_point_with_a_part_of_order_3(void **state)
{
    many_points *m = make_points();

    (void)state;
    add_order_3(&m->h[1999], false);
    assert_fails(check(m, NULL), CZ_E_INPUT, "many.params: h[1999]: not in the subgroup");
    free(m);
}

static void test_points_that_cancel(void **state)
{
    many_points *m = make_points();

    (void)state;
    add_order_3(&m->h[1500], false);
    add_order_3(&m->h[1501], true);
    assert_fails(check(m, NULL), CZ_E_INPUT, "h[1500]: not in the subgroup");
    free(m);
}

static void test_three_points_of_one_part(void **state)
{
    many_points *m = make_points();

    (void)state;
    for (int i = 0; i < 3; i++)
        add_order_3(&m->h[1700 + 64 * i], false);
    assert_fails(check(m, NULL), CZ_E_INPUT, "h[1700]: not in the subgroup");
    free(m);
}

/* A point of the twist outside the subgroup: x = u, 1 + u, … until y^2 = x^3 + 4 (1 + u) is a
 * square. */
static void test_a_stray_point_of_g2(void **state)
{
    many_points *m = make_points();
    cz_fp2 b = {CZ_FP_ONE, CZ_FP_ONE}, one = CZ_FP2_ONE, x = {CZ_FP_ZERO, CZ_FP_ONE}, rhs;

    (void)state;
    cz_fp2_dbl(&b, &b);
    cz_fp2_dbl(&b, &b);
    for (;;) {
        cz_fp2_sqr(&rhs, &x);
        cz_fp2_mul(&rhs, &rhs, &x);
        cz_fp2_add(&rhs, &rhs, &b);
        if (cz_fp2_sqrt(&m->b[777].y, &rhs))
            break;
        cz_fp2_add(&x, &x, &one);
    }
    m->b[777].x = x;
    assert_false(cz_g2_affine_in_subgroup(&m->b[777]));
    assert_fails(check(m, NULL), CZ_E_INPUT, "many.params: b_g2[777]: not in the subgroup");
    free(m);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_good_points_pass, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_a_point_with_a_part_of_order_3, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_points_that_cancel, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_three_points_of_one_part, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_a_stray_point_of_g2, scratch_make, scratch_remove),
};

CZ_TEST_MAIN(cases)
