/* The network's list of parameter files and the digests in it. */
#define _GNU_SOURCE
#include "scratch.h"
#include "tiny_params.h"

#include <string.h>

#include "base/bytes.h"
#include "params/manifest.h"

static void write_text(const char *path, const char *text)
{
    write_bytes(path, (const uint8_t *)text, strlen(text));
}

static void hex_digest(char hex[33], const char *path)
{
    uint8_t digest[CZ_PARAM_DIGEST_BYTES];

    assert_ok(cz_params_digest(digest, path, NULL, NULL));
    cz_hex_encode(hex, digest, sizeof digest);
}

/* "abc" is the example of [RFC 7693, appendix A]. */
#define ABC_DIGEST "ba80a53f981c4d0d6a2797b69f12f6e9"

static void test_digest_is_the_start_of_blake2b(void **state)
{
    char hex[33];

    (void)state;
    write_text(scratch_path("abc"), "abc");
    hex_digest(hex, scratch_path("abc"));
    assert_string_equal(hex, ABC_DIGEST);
    write_text(scratch_path("empty"), "");
    hex_digest(hex, scratch_path("empty"));
    assert_string_equal(hex, "786a02f742015903c6c6fd852552d272");
}

static void test_files_are_checked_against_the_list(void **state)
{
    cz_manifest m;

    (void)state;
    write_text(scratch_path("x.params"), "abc");
    write_text(scratch_path("y.params"), "abcd");
    write_text(scratch_path("z.params"), "abc");
    write_text(scratch_path("list.json"),
               "{\"x.params\": {\"cid\": \"Qm\", \"digest\": \"" ABC_DIGEST
               "\", \"sector_size\": 2048},\n \"y.params\": {\"digest\": \"" ABC_DIGEST
               "\", \"sector_size\": 8388608, \"more\": []}}");
    assert_ok(cz_manifest_read(&m, scratch_path("list.json")));
    assert_int_equal(m.n, 2);
    assert_int_equal(cz_manifest_find(&m, "some/where/y.params")->sector_size, 8388608);
    assert_null(cz_manifest_find(&m, "params"));
    assert_ok(cz_manifest_check(&m, scratch_path("x.params"), NULL, NULL));
    assert_fails(cz_manifest_check(&m, scratch_path("y.params"), NULL, NULL), CZ_E_INPUT,
                 "says " ABC_DIGEST);
    assert_fails(cz_manifest_check(&m, scratch_path("z.params"), NULL, NULL), CZ_E_NOTFOUND,
                 "no such name in");
    cz_manifest_clear(&m);
}

/* What a download does when it is through. */
static void replace(void *ctx, uint64_t done, uint64_t total)
{
    (void)ctx;
    (void)done;
    (void)total;
    assert_int_equal(rename(scratch_path("new.params"), scratch_path("the.params")), 0);
}

static void test_what_is_hashed_is_what_is_opened(void **state)
{
    cz_params_options options = {.progress = replace};
    char hex[33], list[256];
    tiny_points old, new;
    cz_params p;
    cz_manifest m;

    (void)state;
    tiny_make(&old);
    tiny_make(&new);
    tiny_write(&old, scratch_path("the.params"));
    tiny_write(&new, scratch_path("new.params"));
    hex_digest(hex, scratch_path("the.params"));
    (void)snprintf(list, sizeof list,
                   "{\"the.params\": {\"digest\": \"%s\", \"sector_size\": 2048}}", hex);
    write_text(scratch_path("list.json"), list);
    assert_ok(cz_manifest_read(&m, scratch_path("list.json")));
    options.manifest = &m;
    assert_ok(cz_params_open_with(&p, scratch_path("the.params"), &options));
    assert_true(cz_g1_affine_equal(&p.vk.delta_g1, &old.vk.delta_g1));
    cz_params_close(&p);
    options.progress = NULL;
    assert_fails(cz_params_open_with(&p, scratch_path("the.params"), &options), CZ_E_INPUT, hex);
    cz_manifest_clear(&m);
    free(old.vk.ic);
    free(new.vk.ic);
}

typedef struct {
    uint64_t last, total;
    unsigned calls;
} progress_seen;

static void see_progress(void *ctx, uint64_t done, uint64_t total)
{
    progress_seen *seen = ctx;

    assert_true(done > seen->last);
    seen->last = done;
    seen->total = total;
    seen->calls++;
}

static void test_progress_reaches_the_end(void **state)
{
    size_t n = ((size_t)32 << 20) + 5;
    uint8_t *bytes = calloc(1, n), digest[CZ_PARAM_DIGEST_BYTES];
    progress_seen seen = {0};

    (void)state;
    assert_non_null(bytes);
    write_bytes(scratch_path("big"), bytes, n);
    assert_ok(cz_params_digest(digest, scratch_path("big"), see_progress, &seen));
    assert_int_equal(seen.last, n);
    assert_int_equal(seen.total, n);
    assert_int_equal(seen.calls, 3);
    free(bytes);
}

static void test_damaged_lists_are_refused(void **state)
{
    const struct {
        const char *text, *message;
    } lists[] = {
        {"[]", "not a list of parameter files"},
        {"{\"x\": 1}", "x"},
        {"{\"x\": {\"sector_size\": 1}}", "digest"},
        {"{\"x\": {\"digest\": \"12\", \"sector_size\": 1}}", "not 32 hex digits"},
        {"{\"x\": {\"digest\": \"" ABC_DIGEST "\"}}", "sector_size"},
        {"{\"x\": {\"digest\": \"" ABC_DIGEST "\", \"sector_size\": -1}}", "sector_size"},
        {"{\"x\": ", "list.json"},
        {"", "list.json"},
    };
    cz_manifest m;

    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        cz_err err;

        write_text(scratch_path("list.json"), lists[i].text);
        err = cz_manifest_read(&m, scratch_path("list.json"));
        assert_true(err == CZ_E_INPUT || err == CZ_E_NOTFOUND);
        assert_non_null(strstr(cz_err_message(), lists[i].message));
        assert_non_null(strstr(cz_err_message(), scratch_path("list.json")));
    }
    assert_fails(cz_manifest_read(&m, scratch_path("none.json")), CZ_E_NOTFOUND, "none.json");
}

static void test_network_list_v28(void **state)
{
    const char *path = cz_shared_vector_path("regression/parameters-v28.json");
    const cz_manifest_entry *e;
    char hex[33];
    cz_manifest m;

    (void)state;
    if (path == NULL)
        skip();
    assert_ok(cz_manifest_read(&m, path));
    assert_int_equal(m.n, 44);
    e = cz_manifest_find(&m, "v28-empty-sector-update-merkletree-poseidon_hasher-8-0-0-61fa69f38b9c"
                             "c771ba27b670124714b4ea77fbeae05e377fb859c4a43b73a30c.params");
    assert_non_null(e);
    cz_hex_encode(hex, e->digest, sizeof e->digest);
    assert_string_equal(hex, "c3ad7bb549470b82ad52ed070aebb4f4");
    assert_int_equal(e->sector_size, 536870912);
    cz_manifest_clear(&m);
}

static void test_official_keys_have_their_digests(void **state)
{
    const struct {
        const char *file, *digest;
    } keys[] = {
        {"groth16-v27-32gib/porep-32gib-v27.vk", "7a139d82b8a02e35279d657e197f5c1f"},
        {"groth16-v27-32gib/winningpost-32gib-v27.vk", "2306247a1e616dbe07f01b88196c2044"},
    };
    char hex[33];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *path = cz_shared_vector_path(keys[i].file);

        if (path == NULL)
            skip();
        hex_digest(hex, path);
        assert_string_equal(hex, keys[i].digest);
    }
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_digest_is_the_start_of_blake2b, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_files_are_checked_against_the_list, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_what_is_hashed_is_what_is_opened, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_progress_reaches_the_end, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_damaged_lists_are_refused, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_network_list_v28, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_official_keys_have_their_digests, scratch_make,
                                    scratch_remove),
};

CZ_TEST_MAIN(cases)
