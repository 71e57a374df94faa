/* Circuit ids and the network's names of their parameter files. */
#include "filecoin/circuits.h"

#include "filecoin/job.h"
#include "golden.h"

/* Every circuit of the golden list has a name and can be built, and there is no other. */
static void test_ids_of_the_network(void **state)
{
    golden g = golden_open(cz_vector_path("golden/circuit-digests.json"));
    cz_json list = golden_get(g.root, "circuits");
    char name[CZ_CACHE_NAME_MAX];
    size_t n = 0;

    (void)state;
    for (size_t i = 0; i < golden_size(list); i++) {
        const char *id = golden_get_text(golden_at(list, i), "id");
        cz_circuit *circuit;

        assert_ok(cz_circuit_cache_name(name, sizeof name, id));
        assert_ok(cz_circuit_create_blank(&circuit, id));
        assert_string_equal(circuit->id, id);
        cz_circuit_destroy(circuit);
    }
    while (cz_circuit_ids()[n] != NULL)
        n++;
    assert_int_equal(n, golden_size(list));
    golden_close(&g);
}

static void test_every_id_can_be_built(void **state)
{
    size_t n = 0;

    (void)state;
    for (const char *const *p = cz_circuit_ids(); *p != NULL; p++, n++) {
        cz_circuit *circuit;

        assert_ok(cz_circuit_create_blank(&circuit, *p));
        cz_circuit_destroy(circuit);
    }
    assert_true(n >= 10);
    assert_string_equal(cz_circuit_ids()[0], "porep-2k");
    assert_string_equal(cz_circuit_ids()[9], "porep-64g");
}

static void test_unknown_id(void **state)
{
    char name[CZ_CACHE_NAME_MAX];
    cz_circuit *circuit;

    (void)state;
    assert_fails(cz_circuit_create_blank(&circuit, "porep-3k"), CZ_E_NOTFOUND, "'porep-3k'");
    assert_fails(cz_circuit_create_blank(&circuit, ""), CZ_E_NOTFOUND, "''");
    assert_fails(cz_circuit_cache_name(name, sizeof name, "wpost-1g"), CZ_E_NOTFOUND, "wpost-1g");
    assert_fails(cz_circuit_cache_name(name, 20, "porep-2k"), CZ_E_ARG, "20 bytes");
    cz_circuit_destroy(NULL);
}

static void test_golden_cache_name(void **state)
{
    golden g = golden_open(cz_vector_path("golden/cases/porep-2k-v1/meta.json"));
    char name[CZ_CACHE_NAME_MAX], file[CZ_CACHE_NAME_MAX + 8];

    (void)state;
    assert_ok(cz_circuit_cache_name(name, sizeof name, "porep-2k"));
    (void)snprintf(file, sizeof file, "%s.params", name);
    assert_string_equal(file, golden_get_text(golden_get(g.root, "params"), "params_file"));
    golden_close(&g);
}

/* --- the published list --- */

static void assert_in_list(cz_json files, const char *id, const char *extension)
{
    char name[CZ_CACHE_NAME_MAX], file[CZ_CACHE_NAME_MAX + 8];

    assert_ok(cz_circuit_cache_name(name, sizeof name, id));
    (void)snprintf(file, sizeof file, "%s%s", name, extension);
    (void)golden_get(files, file);
}

/* The 22 circuits that the network has published parameters for. */
static const char *const published[] = {
    "porep-2k",          "porep-8m",          "porep-512m",   "porep-32g",   "porep-64g",
    "winning-2k",        "winning-8m",        "winning-512m", "winning-32g", "winning-64g",
    "wpost-2k",          "wpost-8m",          "wpost-512m",   "wpost-32g",   "wpost-64g",
    "snap-2k",           "snap-8m",           "snap-512m",    "snap-32g",    "snap-64g",
    "snap-poseidon-32g", "snap-poseidon-64g",
};

static void test_published_cache_names(void **state)
{
    const char *path = cz_shared_vector_path("regression/parameters-v28.json");
    const size_t n = sizeof published / sizeof published[0];
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    assert_int_equal(golden_size(g.root), 2 * n); /* .params and .vk */
    for (size_t i = 0; i < n; i++) {
        assert_in_list(g.root, published[i], ".params");
        assert_in_list(g.root, published[i], ".vk");
    }
    golden_close(&g);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_ids_of_the_network),
    cmocka_unit_test(test_every_id_can_be_built),
    cmocka_unit_test(test_unknown_id),
    cmocka_unit_test(test_golden_cache_name),
    cmocka_unit_test(test_published_cache_names),
};

CZ_TEST_MAIN(cases)
