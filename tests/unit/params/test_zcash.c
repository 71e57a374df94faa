/* A real ceremony's file: Zcash's Sapling output parameters, which carry contributions after the
 * last list. */
#define _GNU_SOURCE
#include "scratch.h"

#include <string.h>

#include "base/bytes.h"
#include "params/manifest.h"
#include "params/params.h"

/* The file comes in two parts. */
static const char *join_parts(void)
{
    const char *path0 = cz_shared_vector_path("params/zcash-sapling-output.params.part0");
    const char *path1 = cz_shared_vector_path("params/zcash-sapling-output.params.part1");
    uint8_t *part0, *part1;
    size_t n0, n1;

    if (path0 == NULL || path1 == NULL)
        skip();
    part0 = cz_test_read(path0, &n0);
    part1 = cz_test_read(path1, &n1);
    part0 = realloc(part0, n0 + n1);
    assert_non_null(part0);
    memcpy(part0 + n0, part1, n1);
    write_bytes(scratch_path("sapling-output.params"), part0, n0 + n1);
    free(part0);
    free(part1);
    return scratch_path("sapling-output.params");
}

static void test_trailing_contributions(void **state)
{
    const cz_params_options options = {.allow_trailing = true};
    const char *path = join_parts();
    cz_params p;

    (void)state;
    assert_fails(cz_params_open(&p, path), CZ_E_INPUT, "52836 bytes after the last point of b_g2");
    assert_ok(cz_params_open_with(&p, path, &options));
    assert_int_equal(p.trailing_bytes, 52836);
    assert_int_equal(p.h.n, 8191);
    assert_int_equal(p.l.n, 7821);
    assert_int_equal(p.a.n, 6298);
    assert_int_equal(p.b_g1.n, 4850);
    assert_int_equal(p.b_g2.n, 4850);
    assert_null(cz_params_circuit_id(&p));
    cz_params_close(&p);
}

static void test_every_point_of_the_ceremony_is_good(void **state)
{
    const cz_params_options options = {.allow_trailing = true};
    const char *path = join_parts();
    cz_pool *pool;
    cz_params p;

    (void)state;
    assert_ok(cz_pool_create(&pool, 2));
    assert_ok(cz_params_open_with(&p, path, &options));
    assert_ok(cz_params_check_points(&p, pool));
    cz_params_close(&p);
    cz_pool_destroy(pool);
}

static void test_published_digest(void **state)
{
    const char *path = join_parts();
    uint8_t digest[CZ_PARAM_DIGEST_BYTES];
    char hex[33];

    (void)state;
    assert_ok(cz_params_digest(digest, path, NULL, NULL));
    cz_hex_encode(hex, digest, sizeof digest);
    assert_string_equal(hex, "657e3d38dbb5cb5e7dd2970e8b03d69b");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_trailing_contributions, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_every_point_of_the_ceremony_is_good, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_published_digest, scratch_make, scratch_remove),
};

CZ_TEST_MAIN(cases)
