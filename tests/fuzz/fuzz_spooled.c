/* Requests as the spool keeps them: what is read whole is read in outline too, and says the same.
 */
#include "fuzz.h"

#include <string.h>

#include "engine/request_codec.h"

static void compare(const cz_request *whole, const cz_request *outline)
{
    FUZZ_REQUIRE(strcmp(whole->request_id, outline->request_id) == 0);
    FUZZ_REQUIRE(whole->kind == outline->kind);
    FUZZ_REQUIRE(whole->sector_size == outline->sector_size);
    FUZZ_REQUIRE(whole->registered_proof == outline->registered_proof);
    FUZZ_REQUIRE(whole->has_registered_proof == outline->has_registered_proof);
    FUZZ_REQUIRE(whole->vanilla_proof_len == outline->vanilla_proof_len);
    FUZZ_REQUIRE((whole->n_vanilla_proofs == 0) == (outline->n_vanilla_proofs == 0));
    FUZZ_REQUIRE(cz_request_bytes(whole) == cz_request_bytes(outline));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    cz_request *whole = NULL, *outline = NULL;
    const cz_err err = cz_request_read(&whole, bytes, n);
    const cz_err outline_err = cz_request_read_shape(&outline, bytes, n);
    uint8_t content[32];

    if (err == CZ_OK) {
        FUZZ_REQUIRE(outline_err == CZ_OK);
        compare(whole, outline);
        cz_request_content(content, whole);
        cz_request_destroy(whole);
    } else {
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
    }
    if (outline_err == CZ_OK)
        cz_request_destroy(outline);
    return 0;
}
