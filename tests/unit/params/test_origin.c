/* Parameters of large sectors that are not the network's are told from those that are. */
#include "params/origin.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "support.h"

/* A file with the counts of a circuit. */
static cz_params counts_of(uint32_t ic, uint32_t l, uint32_t a, uint32_t b, unsigned log_domain)
{
    static char path[] = "v28-some.params";
    cz_params p = {.path = path};

    p.vk.n_ic = ic;
    p.h.n = (uint32_t)(((uint64_t)1 << log_domain) - 1);
    p.l.n = l;
    p.a.n = a;
    p.b_g1.n = p.b_g2.n = b;
    return p;
}

static cz_params large_window(void)
{
    return counts_of(25840, 126902376, 96205645, 91925767, 27);
}

static void read_hex(cz_json root, const char *key, uint8_t *out, size_t n)
{
    const char *text;
    cz_json v;
    size_t length;

    assert_ok(cz_json_get(root, key, &v));
    assert_ok(cz_json_string(v, &text, &length));
    assert_true(cz_hex_decode(out, n, text, length));
}

/* Alpha, beta and gamma of the network's keys; false: the vectors are not there. */
static bool network_points(cz_vk *vk)
{
    const char *path = cz_shared_vector_path("params/v28-mainnet-vk-known-prefix.json");
    uint8_t bytes[CZ_G2_UNCOMPRESSED_BYTES];
    uint8_t *text;
    cz_json_doc *doc;
    cz_json root;
    size_t n;

    if (path == NULL)
        return false;
    text = cz_test_read(path, &n);
    assert_ok(cz_json_parse(&doc, &root, (const char *)text, n));
    read_hex(root, "vk_offset_0_alpha_g1", bytes, CZ_G1_UNCOMPRESSED_BYTES);
    assert_ok(cz_g1_deserialize(&vk->alpha_g1, bytes));
    read_hex(root, "vk_offset_96_beta_g1", bytes, CZ_G1_UNCOMPRESSED_BYTES);
    assert_ok(cz_g1_deserialize(&vk->beta_g1, bytes));
    read_hex(root, "vk_offset_192_beta_g2", bytes, CZ_G2_UNCOMPRESSED_BYTES);
    assert_ok(cz_g2_deserialize(&vk->beta_g2, bytes));
    read_hex(root, "vk_offset_384_gamma_g2", bytes, CZ_G2_UNCOMPRESSED_BYTES);
    assert_ok(cz_g2_deserialize(&vk->gamma_g2, bytes));
    cz_json_destroy(doc);
    free(text);
    return true;
}

static void test_of_the_network(void **state)
{
    cz_params p = large_window();
    cz_params update = counts_of(5, 80978488, 80743586, 20983608, 27);

    (void)state;
    if (!network_points(&p.vk) || !network_points(&update.vk))
        skip();
    assert_int_equal(cz_params_origin_of(&p), CZ_ORIGIN_NETWORK);
    assert_int_equal(cz_params_origin_of(&update), CZ_ORIGIN_NETWORK);
    cz_fp_neg(&p.vk.alpha_g1.y, &p.vk.alpha_g1.y);
    assert_int_equal(cz_params_origin_of(&p), CZ_ORIGIN_OTHER);
    cz_fp2_neg(&update.vk.beta_g2.y, &update.vk.beta_g2.y);
    assert_int_equal(cz_params_origin_of(&update), CZ_ORIGIN_OTHER);
}

static void test_made_for_tests(void **state)
{
    cz_params p = large_window();
    cz_params porep = counts_of(328, 131076643, 130637870, 33386944, 27);

    (void)state;
    assert_int_equal(cz_params_origin_of(&p), CZ_ORIGIN_OTHER);
    assert_int_equal(cz_params_origin_of(&porep), CZ_ORIGIN_OTHER);
}

/* Small sectors, the update's Poseidon variant, and what belongs to no circuit. */
static void test_the_key_does_not_tell(void **state)
{
    cz_params small = counts_of(23, 22128, 16793, 16029, 15);
    cz_params poseidon = counts_of(5, 22593319, 17104397, 16340710, 25);
    cz_params nobody = counts_of(23, 22129, 16793, 16029, 15);

    (void)state;
    assert_string_equal(cz_params_circuit_id(&small), "wpost-2k");
    assert_string_equal(cz_params_circuit_id(&poseidon), "snap-poseidon-32g");
    assert_int_equal(cz_params_origin_of(&small), CZ_ORIGIN_UNKNOWN);
    assert_int_equal(cz_params_origin_of(&poseidon), CZ_ORIGIN_UNKNOWN);
    assert_int_equal(cz_params_origin_of(&nobody), CZ_ORIGIN_UNKNOWN);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_of_the_network),
    cmocka_unit_test(test_made_for_tests),
    cmocka_unit_test(test_the_key_does_not_tell),
};

CZ_TEST_MAIN(cases)
