/* Parameter files: what is written comes back; whatever is damaged is refused, the place named. */
#define _GNU_SOURCE
#include "scratch.h"
#include "tiny_params.h"

#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

/* Section borders of a tiny file: offsets of the counts. */
enum {
    IC_AT = CZ_VK_HEAD_BYTES - 4,
    H_AT = CZ_VK_HEAD_BYTES + TINY_IC * 96,
    L_AT = H_AT + 4 + TINY_H * 96,
    A_AT = L_AT + 4 + TINY_L * 96,
    B1_AT = A_AT + 4 + TINY_A * 96,
    B2_AT = B1_AT + 4 + TINY_B * 96,
    END_AT = B2_AT + 4 + TINY_B * 192
};

typedef struct {
    tiny_points points;
    uint8_t *bytes;
    size_t n;
} tiny_file;

static tiny_file make_file(void)
{
    tiny_file f;

    tiny_make(&f.points);
    tiny_write(&f.points, scratch_path("good.params"));
    f.bytes = cz_test_read(scratch_path("good.params"), &f.n);
    assert_int_equal(f.n, END_AT);
    return f;
}

static void free_file(tiny_file *f)
{
    free(f->points.vk.ic);
    free(f->bytes);
}

static void assert_refused(const uint8_t *bytes, size_t n, const char *text)
{
    const char *path = scratch_path("bad.params");
    cz_params p;

    write_bytes(path, bytes, n);
    assert_fails(cz_params_open(&p, path), CZ_E_INPUT, text);
    assert_non_null(strstr(cz_err_message(), path));
}

static void test_what_is_written_comes_back(void **state)
{
    tiny_file f = make_file();
    cz_g1_affine g1[TINY_A];
    cz_g2_affine g2[TINY_B];
    const uint32_t picks[] = {4, 0, 4};
    cz_params p;
    cz_pool *pool;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    assert_ok(cz_params_open(&p, scratch_path("good.params")));
    assert_int_equal(p.h.n, TINY_H);
    assert_int_equal(p.l.n, TINY_L);
    assert_int_equal(p.trailing_bytes, 0);
    assert_true(cz_g1_affine_equal(&p.vk.delta_g1, &f.points.vk.delta_g1));
    assert_true(cz_g2_affine_equal(&p.vk.gamma_g2, &f.points.vk.gamma_g2));
    assert_memory_equal(p.vk.ic, f.points.vk.ic, TINY_IC * sizeof *p.vk.ic);

    assert_ok(cz_params_load_g1(&p, &p.h, pool, 0, TINY_H, g1));
    assert_memory_equal(g1, f.points.h, sizeof f.points.h);
    assert_ok(cz_params_load_g1(&p, &p.l, pool, 2, 3, g1));
    assert_memory_equal(g1, f.points.l + 2, 3 * sizeof *g1);
    assert_ok(cz_params_load_g1(&p, &p.a, NULL, 0, TINY_A, g1));
    assert_memory_equal(g1, f.points.a, sizeof f.points.a);
    assert_ok(cz_params_load_g2(&p, &p.b_g2, pool, 0, TINY_B, g2));
    assert_memory_equal(g2, f.points.b_g2, sizeof f.points.b_g2);
    assert_ok(cz_params_gather_g1(&p, &p.b_g1, pool, picks, 3, g1));
    assert_memory_equal(&g1[0], &f.points.b_g1[4], sizeof *g1);
    assert_memory_equal(&g1[1], &f.points.b_g1[0], sizeof *g1);
    assert_memory_equal(&g1[2], &f.points.b_g1[4], sizeof *g1);
    assert_ok(cz_params_gather_g2(&p, &p.b_g2, pool, picks, 3, g2));
    assert_memory_equal(&g2[1], &f.points.b_g2[0], sizeof *g2);

    assert_ok(cz_params_check_points(&p, pool));
    cz_params_close(&p);
    cz_pool_destroy(pool);
    free_file(&f);
}

/* --- a file that is replaced --- */

typedef struct {
    const char *name, *others[2];
    _Atomic bool stop;
} replacer;

/* As a download does: another file takes the name. */
static void *replace_again_and_again(void *arg)
{
    replacer *r = arg;

    for (unsigned i = 0; !r->stop; i++) {
        char fresh[512];

        (void)snprintf(fresh, sizeof fresh, "%s.new", r->name);
        assert_int_equal(link(r->others[i % 2], fresh), 0);
        assert_int_equal(rename(fresh, r->name), 0);
    }
    return NULL;
}

/* Frame and points are of one file, the one or the other, and none is refused. */
static void assert_is_one_file(const char *path, size_t bytes_of[2])
{
    uint8_t tail[192];
    cz_params p;

    assert_ok(cz_params_open_with(&p, path, &(cz_params_options){.allow_trailing = true}));
    assert_true(p.map_bytes == bytes_of[0] || p.map_bytes == bytes_of[1]);
    assert_ok(cz_params_read(&p, tail, p.map_bytes - sizeof tail, sizeof tail));
    assert_memory_equal(tail, p.map + p.map_bytes - sizeof tail, sizeof tail);
    cz_params_close(&p);
}

static void test_a_file_that_is_replaced_meanwhile_is_one_of_both(void **state)
{
    tiny_file f = make_file();
    uint8_t *longer = calloc(1, f.n + 1000);
    size_t bytes_of[2] = {f.n, f.n + 1000};
    char name[512], one[512], other[512];
    replacer r = {.name = name, .others = {one, other}};
    pthread_t thread;

    (void)state;
    assert_non_null(longer);
    memcpy(longer, f.bytes, f.n);
    memset(longer + f.n, 0x5a, 1000);
    (void)snprintf(one, sizeof one, "%s", scratch_path("one"));
    (void)snprintf(other, sizeof other, "%s", scratch_path("other"));
    (void)snprintf(name, sizeof name, "%s", scratch_path("some.params"));
    write_bytes(one, f.bytes, f.n);
    write_bytes(other, longer, f.n + 1000);
    write_bytes(name, f.bytes, f.n);
    assert_int_equal(pthread_create(&thread, NULL, replace_again_and_again, &r), 0);
    for (unsigned i = 0; i < 200; i++)
        assert_is_one_file(name, bytes_of);
    r.stop = true;
    (void)pthread_join(thread, NULL);
    free(longer);
    free_file(&f);
}

static void test_vk_comes_back(void **state)
{
    tiny_file f = make_file();
    cz_vk vk;
    uint8_t *bytes;

    (void)state;
    bytes = malloc(cz_vk_bytes(&f.points.vk));
    assert_non_null(bytes);
    cz_vk_serialize(bytes, &f.points.vk);
    assert_memory_equal(bytes, f.bytes, H_AT);
    write_bytes(scratch_path("good.vk"), bytes, H_AT);
    assert_ok(cz_vk_read(&vk, scratch_path("good.vk")));
    assert_int_equal(vk.n_ic, TINY_IC);
    assert_memory_equal(vk.ic, f.points.vk.ic, TINY_IC * sizeof *vk.ic);
    cz_vk_clear(&vk);
    free(bytes);
    free_file(&f);
}

static void test_cut_at_every_border(void **state)
{
    const struct {
        size_t at;
        const char *text;
    } borders[] = {
        {1, "too short"},          {96, "too short"},           {IC_AT, "too short"},
        {IC_AT + 4, "section ic"}, {H_AT, "too short"},         {H_AT + 4, "section h"},
        {L_AT, "section l"},       {L_AT + 4, "section l"},     {A_AT, "section a"},
        {A_AT + 4, "section a"},   {B1_AT, "section b_g1"},     {B1_AT + 4, "section b_g1"},
        {B2_AT, "section b_g2"},   {B2_AT + 4, "section b_g2"}, {END_AT, "b_g2"},
    };
    tiny_file f = make_file();

    (void)state;
    for (size_t i = 0; i < sizeof borders / sizeof borders[0]; i++) {
        size_t at = borders[i].at;

        assert_refused(f.bytes, at - 1, at == 1 ? "empty" : "too short");
        if (at < END_AT) {
            assert_refused(f.bytes, at, borders[i].text);
            assert_refused(f.bytes, at + 1, "too short");
        }
    }
    free_file(&f);
}

static void test_cut_anywhere(void **state)
{
    tiny_file f = make_file();

    (void)state;
    for (int i = 0; i < 100; i++)
        assert_refused(f.bytes, 1 + cz_test_random() % (END_AT - 1), "too short");
    free_file(&f);
}

static void test_counts_that_do_not_fit(void **state)
{
    const struct {
        size_t at;
        const char *section;
    } counts[] = {{IC_AT, "section ic has 4294967295 points"},
                  {H_AT, "section h has 4294967295 points"},
                  {L_AT, "section l has 4294967295 points"},
                  {A_AT, "section a has 4294967295 points"},
                  {B1_AT, "section b_g1 has 4294967295 points"},
                  {B2_AT, "section b_g2 has 4294967295 points"}};
    tiny_file f = make_file();

    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        uint32_t was = cz_load_be32(f.bytes + counts[i].at);

        cz_store_be32(f.bytes + counts[i].at, UINT32_MAX);
        assert_refused(f.bytes, f.n, counts[i].section);
        cz_store_be32(f.bytes + counts[i].at, was);
    }
    /* A shorter last list leaves its bytes over. */
    cz_store_be32(f.bytes + B2_AT, TINY_B - 1);
    assert_refused(f.bytes, f.n, "192 bytes after the last point of b_g2");
    cz_store_be32(f.bytes + B2_AT, TINY_B);
    cz_store_be32(f.bytes + IC_AT, 0);
    assert_refused(f.bytes, f.n, "ic: no points");
    free_file(&f);
}

static void test_lists_that_contradict_each_other(void **state)
{
    tiny_points t;
    cz_params_writer w;
    cz_params p;

    (void)state;
    tiny_make(&t);
    assert_ok(cz_params_writer_open(&w, scratch_path("six.params")));
    assert_ok(cz_params_writer_vk(&w, &t.vk));
    assert_ok(cz_params_writer_begin(&w, 6));
    assert_ok(cz_params_writer_g1(&w, NULL, t.h, 6));
    for (int i = 0; i < 4; i++)
        assert_ok(cz_params_writer_begin(&w, 0));
    assert_ok(cz_params_writer_commit(&w));
    assert_fails(cz_params_open(&p, scratch_path("six.params")), CZ_E_INPUT,
                 "h: 6 points, not a power of two less one");

    assert_ok(cz_params_writer_open(&w, scratch_path("b.params")));
    assert_ok(cz_params_writer_vk(&w, &t.vk));
    for (uint32_t i = 0; i < 5; i++) {
        assert_ok(cz_params_writer_begin(&w, i == 4 ? 1 : 0));
        if (i == 4)
            assert_ok(cz_params_writer_g2(&w, NULL, t.b_g2, 1));
    }
    assert_ok(cz_params_writer_commit(&w));
    assert_fails(cz_params_open(&p, scratch_path("b.params")), CZ_E_INPUT,
                 "b_g2: 1 points, but b_g1 has 0");
    free(t.vk.ic);
}

static void test_writer_refuses_the_wrong_order(void **state)
{
    tiny_points t;
    cz_params_writer w;

    (void)state;
    tiny_make(&t);
    assert_ok(cz_params_writer_open(&w, scratch_path("never.params")));
    assert_fails(cz_params_writer_begin(&w, 1), CZ_E_ARG, "out of turn");
    assert_ok(cz_params_writer_vk(&w, &t.vk));
    assert_ok(cz_params_writer_begin(&w, 2));
    assert_fails(cz_params_writer_g1(&w, NULL, t.h, 3), CZ_E_ARG, "more points");
    assert_fails(cz_params_writer_begin(&w, 1), CZ_E_ARG, "out of turn");
    assert_fails(cz_params_writer_commit(&w), CZ_E_ARG, "missing");
    cz_params_writer_abort(&w);
    cz_params_writer_abort(&w);
    assert_int_not_equal(access(scratch_path("never.params"), F_OK), 0);
    free(t.vk.ic);
}

static void test_files_that_are_something_else(void **state)
{
    const char *html = "<!DOCTYPE html>\n<html><head><title>504 Gateway Time-out</title></head>"
                       "<body><center><h1>504 Gateway Time-out</h1></center></body></html>";
    tiny_file f = make_file();
    uint8_t page[322], *zeros = calloc(1, f.n);
    cz_params p;
    cz_vk vk;

    (void)state;
    assert_non_null(zeros);
    memset(page, ' ', sizeof page);
    memcpy(page, html, strlen(html));
    assert_refused(page, sizeof page, "322 bytes beginning with '<!DOCTYPE html>'");
    assert_refused(page, 0, "empty, not a parameter file");
    assert_refused(zeros, f.n, "begins with zero bytes");
    assert_refused(f.bytes, H_AT, "a .vk file in the place of a .params");
    assert_fails(cz_vk_read(&vk, scratch_path("good.params")), CZ_E_INPUT,
                 "a .params file in the place of a .vk");
    assert_fails(cz_params_open(&p, scratch_path("absent.params")), CZ_E_NOTFOUND, "absent.params");
    assert_int_equal(mkdir(scratch_path("folder.params"), 0700), 0);
    assert_fails(cz_params_open(&p, scratch_path("folder.params")), CZ_E_INPUT, "folder.params");
    if (geteuid() != 0) {
        assert_int_equal(chmod(scratch_path("good.params"), 0), 0);
        assert_fails(cz_params_open(&p, scratch_path("good.params")), CZ_E_IO, "good.params");
    }
    free(zeros);
    free_file(&f);
}

static void test_trailing_bytes_are_an_option(void **state)
{
    const cz_params_options options = {.pool = NULL, .allow_trailing = true};
    tiny_file f = make_file();
    uint8_t *longer = calloc(1, f.n + 100);
    cz_params p;

    (void)state;
    assert_non_null(longer);
    memcpy(longer, f.bytes, f.n);
    assert_refused(longer, f.n + 100, "100 bytes after the last point of b_g2");
    assert_ok(cz_params_open_with(&p, scratch_path("bad.params"), &options));
    assert_int_equal(p.trailing_bytes, 100);
    assert_int_equal(p.b_g2.n, TINY_B);
    cz_params_close(&p);
    free(longer);
    free_file(&f);
}

/* --- damaged points --- */

static void assert_bad_point(const tiny_file *f, size_t at, const char *place)
{
    const char *path = scratch_path("bad.params");
    cz_g1_affine g1[TINY_A];
    cz_g2_affine g2[TINY_B];
    cz_params p;
    cz_err err = CZ_OK;

    f->bytes[at] ^= 1;
    write_bytes(path, f->bytes, f->n);
    f->bytes[at] ^= 1;
    assert_ok(cz_params_open(&p, path));
    if (at < L_AT)
        err = cz_params_load_g1(&p, &p.h, NULL, 0, TINY_H, g1);
    else if (at < A_AT)
        err = cz_params_load_g1(&p, &p.l, NULL, 0, TINY_L, g1);
    else if (at < B1_AT)
        err = cz_params_load_g1(&p, &p.a, NULL, 0, TINY_A, g1);
    else if (at < B2_AT)
        err = cz_params_load_g1(&p, &p.b_g1, NULL, 0, TINY_B, g1);
    else
        err = cz_params_load_g2(&p, &p.b_g2, NULL, 0, TINY_B, g2);
    assert_fails(err, CZ_E_INPUT, place);
    assert_non_null(strstr(cz_err_message(), path));
    assert_fails(cz_params_check_points(&p, NULL), CZ_E_INPUT, place);
    cz_params_close(&p);
}

static void test_flipped_bytes_in_points_are_named(void **state)
{
    tiny_file f = make_file();

    (void)state;
    assert_bad_point(&f, H_AT + 4 + 2 * 96 + 40, "h[2]");
    assert_bad_point(&f, L_AT + 4 + 5 * 96 + 95, "l[5]");
    assert_bad_point(&f, A_AT + 4 + 7 * 96 + 47, "a[7]");
    assert_bad_point(&f, B1_AT + 4 + 95, "b_g1[0]");
    assert_bad_point(&f, B2_AT + 4 + 3 * 192 + 100, "b_g2[3]");
    free_file(&f);
}

static void test_flipped_bytes_in_the_vk_are_named(void **state)
{
    const struct {
        size_t at;
        const char *place;
    } flips[] = {{50, "alpha_g1"},
                 {150, "beta_g1"},
                 {300, "beta_g2"},
                 {500, "gamma_g2"},
                 {600, "delta_g1"},
                 {800, "delta_g2"},
                 {IC_AT + 4 + 96 + 20, "ic[1]"}};
    tiny_file f = make_file();

    (void)state;
    for (size_t i = 0; i < sizeof flips / sizeof flips[0]; i++) {
        f.bytes[flips[i].at] ^= 1;
        assert_refused(f.bytes, f.n, flips[i].place);
        f.bytes[flips[i].at] ^= 1;
    }
    free_file(&f);
}

static void test_infinity_is_refused(void **state)
{
    tiny_file f = make_file();
    cz_g1_affine g1[TINY_L];
    cz_params p;
    uint8_t infinity[96] = {0x40};

    (void)state;
    memcpy(f.bytes + L_AT + 4 + 96, infinity, 96);
    write_bytes(scratch_path("inf.params"), f.bytes, f.n);
    assert_ok(cz_params_open(&p, scratch_path("inf.params")));
    assert_fails(cz_params_load_g1(&p, &p.l, NULL, 0, TINY_L, g1), CZ_E_INPUT,
                 "l[1]: the point at infinity");
    cz_params_close(&p);
    memcpy(f.bytes, infinity, 96);
    assert_refused(f.bytes, f.n, "alpha_g1: the point at infinity");
    free_file(&f);
}

/* On the curve, outside the subgroup: x = 4, 5, … until there is a square root. */
static void small_x_point(cz_g1_affine *p)
{
    cz_fp four = CZ_FP_ONE, one = CZ_FP_ONE, rhs;

    cz_fp_dbl(&four, &four);
    cz_fp_dbl(&four, &four);
    p->x = four;
    for (;;) {
        cz_fp_sqr(&rhs, &p->x);
        cz_fp_mul(&rhs, &rhs, &p->x);
        cz_fp_add(&rhs, &rhs, &four);
        if (cz_fp_sqrt(&p->y, &rhs) && !cz_g1_affine_in_subgroup(p))
            return;
        cz_fp_add(&p->x, &p->x, &one);
    }
}

static void test_subgroups_are_checked_in_the_full_check(void **state)
{
    tiny_file f = make_file();
    cz_g1_affine stray, g1[TINY_H];
    cz_params p;

    (void)state;
    small_x_point(&stray);
    cz_g1_serialize(f.bytes + H_AT + 4 + 96, &stray);
    write_bytes(scratch_path("stray.params"), f.bytes, f.n);
    assert_ok(cz_params_open(&p, scratch_path("stray.params")));
    assert_ok(cz_params_load_g1(&p, &p.h, NULL, 0, TINY_H, g1));
    assert_fails(cz_params_check_points(&p, NULL), CZ_E_INPUT, "h[1]: not in the subgroup");
    cz_params_close(&p);
    cz_g1_serialize(f.bytes + 96, &stray);
    assert_refused(f.bytes, f.n, "beta_g1");
    free_file(&f);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_what_is_written_comes_back, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_a_file_that_is_replaced_meanwhile_is_one_of_both,
                                    scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_vk_comes_back, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_cut_at_every_border, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_cut_anywhere, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_counts_that_do_not_fit, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_lists_that_contradict_each_other, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_writer_refuses_the_wrong_order, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_files_that_are_something_else, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_trailing_bytes_are_an_option, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_flipped_bytes_in_points_are_named, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_flipped_bytes_in_the_vk_are_named, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_infinity_is_refused, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_subgroups_are_checked_in_the_full_check, scratch_make,
                                    scratch_remove),
};

CZ_TEST_MAIN(cases)
