/* The bincode decoder alone, without the checks of meaning that follow it in a job: mutations get
 * deeper that way. */
#include "fuzz.h"

#include "filecoin/c1.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    cz_porep_vanilla *vanilla;

    if (cz_c1_bincode_decode(&vanilla, bytes, n) == CZ_OK)
        cz_porep_vanilla_destroy(vanilla);
    else
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
    return 0;
}
