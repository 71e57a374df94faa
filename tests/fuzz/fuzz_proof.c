/* Proofs: what decodes must encode to the same bytes, so every proof has one encoding. */
#include "fuzz.h"

#include <string.h>

#include "groth16/groth16.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    uint8_t in[CZ_PROOF_BYTES] = {0}, back[CZ_PROOF_BYTES];
    cz_proof proof;

    (void)memcpy(in, bytes, n < sizeof in ? n : sizeof in);
    if (cz_proof_read(&proof, in) == CZ_OK) {
        cz_proof_write(back, &proof);
        FUZZ_REQUIRE(memcmp(in, back, sizeof in) == 0);
    }
    return 0;
}
