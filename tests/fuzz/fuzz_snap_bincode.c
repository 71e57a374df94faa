/* The decoder of an update's partition, for each of the three forms that its Merkle proofs take;
 * what it accepts goes through the checks of meaning, which must give an answer too. */
#include "fuzz.h"

#include "filecoin/snap_check.h"

static void decode(const char *tag, const uint8_t *bytes, size_t n)
{
    cz_snap_statement s = {.shape = cz_sector_shape_by_tag(tag), .variant = CZ_SNAP_SHA};
    cz_snap_vanilla *v;

    if (cz_snap_vanilla_create(&v, s.shape, s.variant) != CZ_OK)
        return;
    if (cz_snap_partition_decode(v, 0, bytes, n) == CZ_OK) {
        s.comm_d_new = v->partitions[0].openings[0].d_new.root;
        if (cz_snap_check(v, &s, NULL) != CZ_OK)
            FUZZ_REQUIRE(cz_err_message()[0] != '\0');
    } else {
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
    }
    cz_snap_vanilla_destroy(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    decode("2k", bytes, n);
    decode("4k", bytes, n);
    decode("32k", bytes, n);
    return 0;
}
