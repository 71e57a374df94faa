/* The decoder of a sector's PoSt proof, for each of the three forms that its Merkle proofs take;
 * what it accepts goes through the checks of meaning, which must give an answer too. */
#include "fuzz.h"

#include "filecoin/post_check.h"

/* Single, Sub and Top proofs, at the smallest sizes that have them. */
static const char *const tags[] = {"2k", "4k", "32k"};

static void check(const cz_post_vanilla *v, cz_proof_kind kind)
{
    const cz_post_statement s = {.kind = kind, .shape = v->shape};

    if (cz_post_check(v, &s, NULL) != CZ_OK)
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
}

static void decode(const char *tag, cz_proof_kind kind, const uint8_t *bytes, size_t n)
{
    cz_post_vanilla *v;

    if (cz_post_vanilla_create(&v, cz_sector_shape_by_tag(tag), 1, cz_post_openings(kind)) != CZ_OK)
        return;
    if (cz_post_sector_decode(v, 0, bytes, n) == CZ_OK)
        check(v, kind);
    else
        FUZZ_REQUIRE(cz_err_message()[0] != '\0');
    cz_post_vanilla_destroy(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        decode(tags[i], CZ_KIND_WINDOW, bytes, n);
    decode(tags[0], CZ_KIND_WINNING, bytes, n);
    return 0;
}
