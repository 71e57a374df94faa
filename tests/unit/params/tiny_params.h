/* tiny_params.h: a well-formed parameter file of a few random points, for tests of the frame. */
#ifndef CZ_TESTS_TINY_PARAMS_H
#define CZ_TESTS_TINY_PARAMS_H

#include <stdlib.h>
#include <string.h>

#include "params/params.h"
#include "support.h"

enum { TINY_IC = 3, TINY_H = 7, TINY_L = 6, TINY_A = 8, TINY_B = 5 };

typedef struct {
    cz_vk vk;
    cz_g1_affine h[TINY_H], l[TINY_L], a[TINY_A], b_g1[TINY_B];
    cz_g2_affine b_g2[TINY_B];
} tiny_points;

static inline cz_u256 tiny_scalar(void)
{
    cz_u256 k = {{cz_test_random(), cz_test_random(), 0, 0}};

    return k;
}

static inline void tiny_g1(cz_g1_affine *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cz_u256 k = tiny_scalar();
        cz_g1 p;

        cz_g1_from_affine(&p, &cz_g1_generator);
        cz_g1_mul_var(&p, &p, &k);
        cz_g1_to_affine(&out[i], &p);
    }
}

static inline void tiny_g2(cz_g2_affine *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cz_u256 k = tiny_scalar();
        cz_g2 p;

        cz_g2_from_affine(&p, &cz_g2_generator);
        cz_g2_mul_var(&p, &p, &k);
        cz_g2_to_affine(&out[i], &p);
    }
}

static inline void tiny_make(tiny_points *t)
{
    tiny_g1(&t->vk.alpha_g1, 1);
    tiny_g1(&t->vk.beta_g1, 1);
    tiny_g1(&t->vk.delta_g1, 1);
    tiny_g2(&t->vk.beta_g2, 1);
    tiny_g2(&t->vk.gamma_g2, 1);
    tiny_g2(&t->vk.delta_g2, 1);
    t->vk.n_ic = TINY_IC;
    t->vk.ic = malloc(TINY_IC * sizeof *t->vk.ic);
    assert_non_null(t->vk.ic);
    tiny_g1(t->vk.ic, TINY_IC);
    tiny_g1(t->h, TINY_H);
    tiny_g1(t->l, TINY_L);
    tiny_g1(t->a, TINY_A);
    tiny_g1(t->b_g1, TINY_B);
    tiny_g2(t->b_g2, TINY_B);
}

static inline void tiny_write(const tiny_points *t, const char *path)
{
    cz_params_writer w;

    assert_ok(cz_params_writer_open(&w, path));
    assert_ok(cz_params_writer_vk(&w, &t->vk));
    assert_ok(cz_params_writer_begin(&w, TINY_H));
    assert_ok(cz_params_writer_g1(&w, NULL, t->h, 3));
    assert_ok(cz_params_writer_g1(&w, NULL, t->h + 3, TINY_H - 3));
    assert_ok(cz_params_writer_begin(&w, TINY_L));
    assert_ok(cz_params_writer_g1(&w, NULL, t->l, TINY_L));
    assert_ok(cz_params_writer_begin(&w, TINY_A));
    assert_ok(cz_params_writer_g1(&w, NULL, t->a, TINY_A));
    assert_ok(cz_params_writer_begin(&w, TINY_B));
    assert_ok(cz_params_writer_g1(&w, NULL, t->b_g1, TINY_B));
    assert_ok(cz_params_writer_begin(&w, TINY_B));
    assert_ok(cz_params_writer_g2(&w, NULL, t->b_g2, TINY_B));
    assert_ok(cz_params_writer_commit(&w));
}

#endif
