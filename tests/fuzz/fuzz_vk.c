/* Verifying keys: what parses must serialise to the same bytes. */
#include "fuzz.h"

#include <string.h>

#include "params/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    uint8_t *back;
    cz_vk vk;

    if (cz_vk_parse(&vk, bytes, n, "input") != CZ_OK)
        return 0;
    FUZZ_REQUIRE(cz_vk_bytes(&vk) == n);
    back = malloc(n);
    if (back != NULL) {
        cz_vk_serialize(back, &vk);
        FUZZ_REQUIRE(memcmp(back, bytes, n) == 0);
    }
    free(back);
    cz_vk_clear(&vk);
    return 0;
}
