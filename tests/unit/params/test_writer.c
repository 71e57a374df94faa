/* Points go into a parameter file by pwrite and through a map: the same bytes, the same refusals.
 */
#define _GNU_SOURCE
#include "scratch.h"
#include "tiny_params.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>

enum { MANY = 1500, FEW = 3 };

static uint8_t random_points[MANY * 96];

static void begin(cz_params_writer *w, tiny_points *tiny)
{
    tiny_make(tiny);
    cz_test_random_bytes(random_points, sizeof random_points);
    assert_ok(cz_params_writer_open(w, scratch_path("any.params")));
    assert_ok(cz_params_writer_vk(w, &tiny->vk));
}

static void test_both_ways(void **state)
{
    const size_t counts[] = {MANY, FEW, MANY - 1, MANY, FEW, MANY - 700, MANY};
    uint32_t n = 0;
    cz_params_writer w;
    tiny_points tiny;
    const uint8_t *at;
    uint8_t *file;
    size_t n_file;

    (void)state;
    begin(&w, &tiny);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        n += (uint32_t)counts[i];
    assert_ok(cz_params_writer_begin(&w, n));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        assert_ok(cz_params_writer_encoded(&w, NULL, random_points, counts[i], 96));
    assert_true(w.seconds[0] > 0);
    assert_true(w.seconds[1] > 0 || !w.may_map); /* not every file system reserves space */
    for (int list = 1; list < 5; list++)
        assert_ok(cz_params_writer_begin(&w, 0));
    assert_ok(cz_params_writer_commit(&w));
    file = cz_test_read(scratch_path("any.params"), &n_file);
    assert_int_equal(n_file, cz_vk_bytes(&tiny.vk) + 4 + (size_t)96 * n + 4 * 4);
    at = file + cz_vk_bytes(&tiny.vk) + 4;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_memory_equal(at, random_points, counts[i] * 96);
        at += counts[i] * 96;
    }
    free(file);
    cz_vk_clear(&tiny.vk);
}

/* The limit is met by pwrite, by the map, and by pwrite after the map was refused. */
static void test_no_space(void **state)
{
    struct rlimit usual, little = {.rlim_cur = 100 << 10};
    cz_params_writer w;
    tiny_points tiny;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    little.rlim_max = usual.rlim_max;
    (void)signal(SIGXFSZ, SIG_IGN);
    for (size_t good = 0; good < 4; good++) {
        begin(&w, &tiny);
        assert_ok(cz_params_writer_begin(&w, 10 * MANY));
        for (size_t i = 0; i < good; i++)
            assert_ok(cz_params_writer_encoded(&w, NULL, random_points, MANY, 96));
        little.rlim_cur = good * sizeof random_points + 100000;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        assert_fails(cz_params_writer_encoded(&w, NULL, random_points, MANY, 96), CZ_E_IO,
                     "cannot write");
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
        cz_params_writer_abort(&w);
        cz_vk_clear(&tiny.vk);
    }
    (void)signal(SIGXFSZ, SIG_DFL);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_both_ways, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_no_space, scratch_make, scratch_remove),
};
CZ_TEST_MAIN(cases)
