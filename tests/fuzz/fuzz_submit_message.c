/* SubmitProofRequest off the wire: decode, make a request of it, and a message again: the same. */
#include "fuzz.h"

#include <string.h>

#include "rpc/messages.h"

static void compare(const cz_request *request)
{
    cz_submit_message m;
    uint8_t *bytes;
    Cuzk__V1__SubmitProofRequest *again;
    cz_request *other;
    size_t n;

    FUZZ_REQUIRE(cz_submit_message_init(&m, request) == CZ_OK);
    n = cuzk__v1__submit_proof_request__get_packed_size(&m.message);
    bytes = malloc(n + 1);
    FUZZ_REQUIRE(bytes != NULL);
    FUZZ_REQUIRE(cuzk__v1__submit_proof_request__pack(&m.message, bytes) == n);
    again = cuzk__v1__submit_proof_request__unpack(NULL, n, bytes);
    FUZZ_REQUIRE(again != NULL);
    FUZZ_REQUIRE(cz_request_from_message(&other, again) == CZ_OK);
    FUZZ_REQUIRE(other->n_vanilla_proofs == request->n_vanilla_proofs);
    FUZZ_REQUIRE(strcmp(other->request_id, request->request_id) == 0);
    cz_request_destroy(other);
    cuzk__v1__submit_proof_request__free_unpacked(again, NULL);
    free(bytes);
    cz_submit_message_clear(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    Cuzk__V1__SubmitProofRequest *m = cuzk__v1__submit_proof_request__unpack(NULL, n, bytes);
    cz_request *request;

    if (m == NULL)
        return 0;
    if (cz_request_from_message(&request, m) == CZ_OK) {
        compare(request);
        cz_request_destroy(request);
    } else {
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
    }
    cuzk__v1__submit_proof_request__free_unpacked(m, NULL);
    return 0;
}
