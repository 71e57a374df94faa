/* golden_params.h: the test parameters of a golden circuit, made by our setup from the golden toxic
 * waste and compared with the SHA-256 in the cases' meta.json.
 *
 * They are kept in ./golden-params under the network's names, so that the cases of the full tier,
 * each a process of its own, make them once. */
#ifndef CZ_TESTS_GOLDEN_PARAMS_H
#define CZ_TESTS_GOLDEN_PARAMS_H

#include <sys/stat.h>

#include "../filecoin/golden.h"
#include "base/file.h"
#include "filecoin/job.h"
#include "groth16/groth16.h"
#include "hash/sha256.h"
#include "params/setup.h"

static inline bool golden_file_is(const char *path, const uint8_t sha256[32])
{
    const uint8_t *bytes;
    uint8_t digest[32];
    size_t n;

    if (cz_file_map(path, &bytes, &n) != CZ_OK)
        return false;
    cz_sha256_of(digest, bytes, n);
    cz_file_unmap(bytes, n);
    return memcmp(digest, sha256, 32) == 0;
}

/* Make (or find) the files of the case's circuit; `params` and `vk` get their paths. The test fails
 * when our bytes are not the golden ones. */
static inline void golden_params(const char *case_name, char params[512], char vk[512],
                                 cz_pool *pool)
{
    uint8_t params_sha256[32], vk_sha256[32];
    char path[256];
    const char *id;
    cz_circuit *circuit;
    cz_toxic_waste waste;
    cz_json names;
    golden meta;

    (void)snprintf(path, sizeof path, "golden/cases/%s/meta.json", case_name);
    meta = golden_open(cz_vector_path(path));
    id = golden_get_text(meta.root, "circuit_id");
    assert_ok(cz_circuit_create_blank(&circuit, id));
    names = golden_get(meta.root, "params");
    golden_get_hex(names, "params_sha256", params_sha256, 32);
    golden_get_hex(names, "vk_sha256", vk_sha256, 32);
    (void)mkdir("golden-params", 0777);
    (void)snprintf(params, 512, "golden-params/%s", golden_get_text(names, "params_file"));
    (void)snprintf(vk, 512, "golden-params/%s", golden_get_text(names, "vk_file"));
    if (!golden_file_is(params, params_sha256) || !golden_file_is(vk, vk_sha256)) {
        (void)snprintf(path, sizeof path, "golden/%s", golden_get_text(meta.root, "toxic"));
        assert_ok(cz_toxic_waste_read(&waste, cz_vector_path(path)));
        assert_ok(cz_params_setup(circuit, &waste, params, vk, pool, NULL, NULL));
    }
    assert_true(golden_file_is(params, params_sha256));
    assert_true(golden_file_is(vk, vk_sha256));
    cz_circuit_destroy(circuit);
    golden_close(&meta);
}

#endif
