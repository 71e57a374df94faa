/* Proofs that others made: the official 32 GiB keys of 2020 with twelve proofs, small sectors
 * proved with the reference crates, and bellman's own cases, some of which must fail. */
#include "../filecoin/golden.h"
#include "base/base64.h"
#include "foreign_vk.h"
#include "groth16/groth16.h"

/* --- the official keys (v27) --- */

typedef struct {
    cz_vk vk;
    uint8_t *vk_bytes, *proof_bytes, *input_bytes;
    size_t vk_len, n, n_inputs;
    cz_verifier *verifier;
    cz_proof *proofs;
    cz_fr *inputs;
    cz_pool *pool;
} official;

static uint8_t *read_shared(const char *name, size_t *n)
{
    const char *path = cz_shared_vector_path(name);

    if (path == NULL)
        skip();
    return cz_test_read(path, n);
}

/* The window PoSt key is inside a file that comes in two parts. */
static uint8_t *read_window_vk(size_t *n)
{
    enum { AT = 16, END = 2481524 };
    size_t n0, n1;
    uint8_t *part0 = read_shared("groth16-v27-32gib/window.prf.part0", &n0);
    uint8_t *part1 = read_shared("groth16-v27-32gib/window.prf.part1", &n1);
    uint8_t *vk = malloc(END - AT);

    assert_non_null(vk);
    memcpy(vk, part0 + AT, n0 - AT);
    memcpy(vk + n0 - AT, part1, END - n0);
    free(part0);
    free(part1);
    *n = END - AT;
    return vk;
}

static void open_official(official *o, const char *name)
{
    char path[128];
    size_t proofs_len, inputs_len;

    *o = (official){0};
    assert_ok(cz_pool_create(&o->pool, 2));
    (void)snprintf(path, sizeof path, "groth16-v27-32gib/%s-32gib-v27.vk", name);
    o->vk_bytes = strcmp(name, "windowpost") == 0 ? read_window_vk(&o->vk_len)
                                                  : read_shared(path, &o->vk_len);
    (void)snprintf(path, sizeof path, "groth16-v27-32gib/%s-32gib-v27.proofs", name);
    o->proof_bytes = read_shared(path, &proofs_len);
    (void)snprintf(path, sizeof path, "groth16-v27-32gib/%s-32gib-v27.inputs", name);
    o->input_bytes = read_shared(path, &inputs_len);
    assert_ok(cz_vk_parse_pool(&o->vk, o->vk_bytes, o->vk_len, name, o->pool));
    assert_ok(cz_verifier_create(&o->verifier, &o->vk));

    o->n = proofs_len / CZ_PROOF_BYTES;
    o->n_inputs = inputs_len / 32 / o->n;
    o->proofs = malloc(o->n * sizeof *o->proofs);
    o->inputs = malloc(o->n * o->n_inputs * sizeof *o->inputs);
    assert_true(o->proofs != NULL && o->inputs != NULL);
    for (size_t i = 0; i < o->n; i++)
        assert_ok(cz_proof_read(&o->proofs[i], o->proof_bytes + i * CZ_PROOF_BYTES));
    for (size_t i = 0; i < o->n * o->n_inputs; i++)
        assert_true(cz_fr_from_be(&o->inputs[i], o->input_bytes + i * 32));
}

static void close_official(official *o)
{
    cz_verifier_destroy(o->verifier);
    cz_vk_clear(&o->vk);
    free(o->vk_bytes);
    free(o->proof_bytes);
    free(o->input_bytes);
    free(o->proofs);
    free(o->inputs);
    cz_pool_destroy(o->pool);
}

static cz_err verify_one(const official *o, size_t i)
{
    return cz_groth16_verify(o->verifier, &o->proofs[i], o->inputs + i * o->n_inputs, o->n_inputs);
}

static cz_err verify_all(const official *o)
{
    return cz_groth16_verify_batch(o->verifier, o->pool, o->proofs, o->n, o->inputs, o->n_inputs);
}

/* One changed bit in a proof, an input or the key. */
static void assert_changes_are_refused(official *o)
{
    cz_fr was = o->inputs[o->n_inputs - 1], one = CZ_FR_ONE;
    cz_verifier *other;
    cz_proof proof;
    uint8_t bytes[CZ_PROOF_BYTES];

    memcpy(bytes, o->proof_bytes, sizeof bytes);
    for (int i = 0; i < 3; i++) {
        const size_t signs[] = {0, 48, 144};

        bytes[signs[i]] ^= 0x20;
        assert_ok(cz_proof_read(&proof, bytes));
        assert_fails(cz_groth16_verify(o->verifier, &proof, o->inputs, o->n_inputs), CZ_E_VERIFY,
                     "does not verify");
        bytes[signs[i]] ^= 0x20;
    }
    cz_fr_add(&o->inputs[o->n_inputs - 1], &was, &one);
    assert_fails(verify_one(o, 0), CZ_E_VERIFY, "does not verify");
    o->inputs[o->n_inputs - 1] = was;

    cz_fp_neg(&o->vk.ic[1].y, &o->vk.ic[1].y);
    assert_ok(cz_verifier_create(&other, &o->vk));
    assert_fails(cz_groth16_verify(other, &o->proofs[0], o->inputs, o->n_inputs), CZ_E_VERIFY,
                 "does not verify");
    cz_verifier_destroy(other);
    cz_fp_neg(&o->vk.ic[1].y, &o->vk.ic[1].y);
    assert_ok(verify_one(o, 0));
}

static void assert_official(const char *name, size_t n, size_t n_inputs)
{
    official o;

    open_official(&o, name);
    assert_int_equal(o.n, n);
    assert_int_equal(cz_verifier_inputs(o.verifier), n_inputs);
    assert_int_equal(o.n_inputs, n_inputs);
    for (size_t i = 0; i < n; i++)
        assert_ok(verify_one(&o, i));
    assert_ok(verify_all(&o));
    assert_changes_are_refused(&o);
    close_official(&o);
}

static void test_official_porep_32g(void **state)
{
    (void)state;
    assert_official("porep", 10, 327);
}

static void test_official_winning_32g(void **state)
{
    (void)state;
    assert_official("winningpost", 1, 132);
}

static void test_official_window_32g(void **state)
{
    (void)state;
    assert_official("windowpost", 1, 25839);
}

static void test_one_bad_official_proof_is_named(void **state)
{
    official o;

    (void)state;
    open_official(&o, "porep");
    o.proofs[6].a = o.proofs[5].a;
    assert_fails(verify_all(&o), CZ_E_VERIFY, "proof 6 of 10");
    close_official(&o);
}

static void test_damaged_official_keys_are_refused(void **state)
{
    official o;
    cz_vk vk;

    (void)state;
    open_official(&o, "winningpost");
    for (size_t i = 0; i < 40; i++) {
        size_t at = cz_test_random() % o.vk_len;

        o.vk_bytes[at] ^= (uint8_t)(1 << (cz_test_random() % 8));
        assert_int_equal(cz_vk_parse(&vk, o.vk_bytes, o.vk_len, "key"), CZ_E_INPUT);
        free(o.vk_bytes);
        o.vk_bytes = read_shared("groth16-v27-32gib/winningpost-32gib-v27.vk", &o.vk_len);
    }
    close_official(&o);
}

/* --- small sectors of polka-storage --- */

static uint8_t *hex_bytes(cz_json v, size_t *n)
{
    const char *text = golden_text(v);
    uint8_t *bytes;

    *n = strlen(text) / 2;
    bytes = malloc(*n + 1);
    assert_non_null(bytes);
    assert_true(cz_hex_decode(bytes, *n, text, strlen(text)));
    return bytes;
}

static void assert_case_verifies(const cz_vk *vk, cz_json c)
{
    size_t n, n_inputs = golden_size(golden_get(c, "public_inputs_be_hex"));
    uint8_t *proof_bytes = hex_bytes(golden_get(c, "proof"), &n);
    cz_fr *inputs = malloc(n_inputs * sizeof *inputs), one = CZ_FR_ONE;
    cz_verifier *v;
    cz_proof proof;

    assert_non_null(inputs);
    assert_int_equal(n, CZ_PROOF_BYTES);
    for (size_t i = 0; i < n_inputs; i++) {
        uint8_t bytes[32];

        golden_hex(golden_at(golden_get(c, "public_inputs_be_hex"), i), bytes, 32);
        assert_true(cz_fr_from_be(&inputs[i], bytes));
    }
    assert_ok(cz_verifier_create(&v, vk));
    assert_ok(cz_proof_read(&proof, proof_bytes));
    assert_ok(cz_groth16_verify(v, &proof, inputs, n_inputs));
    cz_fr_add(&inputs[0], &inputs[0], &one);
    assert_fails(cz_groth16_verify(v, &proof, inputs, n_inputs), CZ_E_VERIFY, "");
    cz_verifier_destroy(v);
    free(inputs);
    free(proof_bytes);
}

static void test_polka_storage_proofs(void **state)
{
    const char *path = cz_shared_vector_path("groth16-small/polka-storage-2kib.json");
    const char *names[] = {"porep_2kib", "window_post_2kib"};
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    for (int i = 0; i < 2; i++) {
        cz_json c = golden_get(g.root, names[i]);
        size_t n;
        uint8_t *bytes = hex_bytes(golden_get(c, "vk"), &n);
        cz_vk vk;

        foreign_vk(&vk, bytes, n);
        assert_case_verifies(&vk, c);
        cz_vk_clear(&vk);
        free(bytes);
    }
    golden_close(&g);
}

static void test_polka_storage_vk_file(void **state)
{
    const char *vk_path = cz_shared_vector_path("groth16-small/polka-storage-2kib-porep.vk");
    const char *path = cz_shared_vector_path("groth16-small/polka-storage-2kib-porep.json");
    golden g;
    cz_vk vk;

    (void)state;
    if (path == NULL || vk_path == NULL)
        skip();
    assert_ok(cz_vk_read(&vk, vk_path));
    g = golden_open(path);
    assert_case_verifies(&vk, g.root);
    cz_vk_clear(&vk);
    golden_close(&g);
}

/* --- bellman's cases --- */

static uint8_t *base64_bytes(cz_json c, const char *key, size_t *n)
{
    const char *text = golden_get_text(c, key);
    uint8_t *bytes = malloc(cz_base64_max_decoded(strlen(text)) + 1);

    assert_non_null(bytes);
    assert_ok(cz_base64_decode(bytes, n, text, strlen(text)));
    return bytes;
}

static cz_err verify_bellman(cz_json c)
{
    size_t vk_len, proof_len, inputs_len;
    uint8_t *vk_bytes = base64_bytes(c, "vk_base64", &vk_len);
    uint8_t *proof_bytes = base64_bytes(c, "proof_base64", &proof_len);
    uint8_t *input_bytes = base64_bytes(c, "inputs_base64", &inputs_len);
    cz_fr inputs[32];
    cz_verifier *v;
    cz_proof proof;
    cz_vk vk;
    cz_err err;

    assert_int_equal(proof_len, CZ_PROOF_BYTES);
    for (size_t i = 0; i < inputs_len / 32; i++)
        assert_true(cz_fr_from_be(&inputs[i], input_bytes + i * 32));
    foreign_vk(&vk, vk_bytes, vk_len);
    assert_ok(cz_verifier_create(&v, &vk));
    err = cz_proof_read(&proof, proof_bytes);
    if (err == CZ_OK)
        err = cz_groth16_verify(v, &proof, inputs, inputs_len / 32);
    cz_verifier_destroy(v);
    cz_vk_clear(&vk);
    free(vk_bytes);
    free(proof_bytes);
    free(input_bytes);
    return err;
}

static void test_bellman_cases(void **state)
{
    const char *path = cz_shared_vector_path("groth16-small/bellman-bls12-381-cases.json");
    unsigned n_valid = 0;
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    assert_int_equal(golden_size(g.root), 12);
    for (size_t i = 0; i < 12; i++) {
        cz_json c = golden_at(g.root, i);
        bool valid;

        assert_ok(cz_json_bool(golden_get(c, "valid"), &valid));
        if (valid)
            assert_ok(verify_bellman(c));
        else
            assert_int_not_equal(verify_bellman(c), CZ_OK);
        n_valid += valid;
    }
    assert_int_equal(n_valid, 6);
    golden_close(&g);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_official_porep_32g),
    cmocka_unit_test(test_official_winning_32g),
    cmocka_unit_test(test_official_window_32g),
    cmocka_unit_test(test_one_bad_official_proof_is_named),
    cmocka_unit_test(test_damaged_official_keys_are_refused),
    cmocka_unit_test(test_polka_storage_proofs),
    cmocka_unit_test(test_polka_storage_vk_file),
    cmocka_unit_test(test_bellman_cases),
};

CZ_TEST_MAIN(cases)
