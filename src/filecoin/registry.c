/* registry.c: the table of proof types; see registry.h. */
#include "filecoin/registry.h"

#include <inttypes.h>
#include <string.h>

#define KIB (UINT64_C(1) << 10)
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/* The porep id is the number, 64 bits little-endian, then a nonce of 0 and zeros; all numbers fit
 * in a byte. */
#define SEAL(n, text, size, version, feats, parts)                                                 \
    {                                                                                              \
        CZ_KIND_POREP, n, text, size, version, feats, {n}, parts                                   \
    }
#define POST(kind, n, text, size, version, parts)                                                  \
    {                                                                                              \
        kind, n, text, size, version, 0, {0}, parts                                                \
    }
#define UPDATE(n, text, size, parts)                                                               \
    {                                                                                              \
        CZ_KIND_SNAP, n, text, size, CZ_API_1_1, 0, {0}, parts                                     \
    }

#define SYNTH CZ_FEATURE_SYNTHETIC
#define NI    CZ_FEATURE_NON_INTERACTIVE

static const cz_proof_spec specs[] = {
    SEAL(0, "StackedDrg2KiBV1", 2 * KIB, CZ_API_1_0, 0, 1),
    SEAL(1, "StackedDrg8MiBV1", 8 * MIB, CZ_API_1_0, 0, 1),
    SEAL(2, "StackedDrg512MiBV1", 512 * MIB, CZ_API_1_0, 0, 1),
    SEAL(3, "StackedDrg32GiBV1", 32 * GIB, CZ_API_1_0, 0, 10),
    SEAL(4, "StackedDrg64GiBV1", 64 * GIB, CZ_API_1_0, 0, 10),

    SEAL(5, "StackedDrg2KiBV1_1", 2 * KIB, CZ_API_1_1, 0, 1),
    SEAL(6, "StackedDrg8MiBV1_1", 8 * MIB, CZ_API_1_1, 0, 1),
    SEAL(7, "StackedDrg512MiBV1_1", 512 * MIB, CZ_API_1_1, 0, 1),
    SEAL(8, "StackedDrg32GiBV1_1", 32 * GIB, CZ_API_1_1, 0, 10),
    SEAL(9, "StackedDrg64GiBV1_1", 64 * GIB, CZ_API_1_1, 0, 10),

    SEAL(10, "StackedDrg2KiBV1_1_Feat_SyntheticPoRep", 2 * KIB, CZ_API_1_2, SYNTH, 1),
    SEAL(11, "StackedDrg8MiBV1_1_Feat_SyntheticPoRep", 8 * MIB, CZ_API_1_2, SYNTH, 1),
    SEAL(12, "StackedDrg512MiBV1_1_Feat_SyntheticPoRep", 512 * MIB, CZ_API_1_2, SYNTH, 1),
    SEAL(13, "StackedDrg32GiBV1_1_Feat_SyntheticPoRep", 32 * GIB, CZ_API_1_2, SYNTH, 10),
    SEAL(14, "StackedDrg64GiBV1_1_Feat_SyntheticPoRep", 64 * GIB, CZ_API_1_2, SYNTH, 10),

    SEAL(15, "StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", 2 * KIB, CZ_API_1_2, NI, 13),
    SEAL(16, "StackedDrg8MiBV1_2_Feat_NonInteractivePoRep", 8 * MIB, CZ_API_1_2, NI, 13),
    SEAL(17, "StackedDrg512MiBV1_2_Feat_NonInteractivePoRep", 512 * MIB, CZ_API_1_2, NI, 13),
    SEAL(18, "StackedDrg32GiBV1_2_Feat_NonInteractivePoRep", 32 * GIB, CZ_API_1_2, NI, 126),
    SEAL(19, "StackedDrg64GiBV1_2_Feat_NonInteractivePoRep", 64 * GIB, CZ_API_1_2, NI, 126),

    UPDATE(0, "StackedDrg2KiBV1", 2 * KIB, 1),
    UPDATE(1, "StackedDrg8MiBV1", 8 * MIB, 4),
    UPDATE(2, "StackedDrg512MiBV1", 512 * MIB, 16),
    UPDATE(3, "StackedDrg32GiBV1", 32 * GIB, 16),
    UPDATE(4, "StackedDrg64GiBV1", 64 * GIB, 16),

#define WINNING(n, text, size)                                                                     \
    POST(CZ_KIND_WINNING, n, "StackedDrgWinning" text, size, CZ_API_1_0, 1)
    WINNING(0, "2KiBV1", 2 * KIB),
    WINNING(1, "8MiBV1", 8 * MIB),
    WINNING(2, "512MiBV1", 512 * MIB),
    WINNING(3, "32GiBV1", 32 * GIB),
    WINNING(4, "64GiBV1", 64 * GIB),

#define WINDOW(n, text, size, version)                                                             \
    POST(CZ_KIND_WINDOW, n, "StackedDrgWindow" text, size, version, 0)
    WINDOW(5, "2KiBV1", 2 * KIB, CZ_API_1_0),
    WINDOW(6, "8MiBV1", 8 * MIB, CZ_API_1_0),
    WINDOW(7, "512MiBV1", 512 * MIB, CZ_API_1_0),
    WINDOW(8, "32GiBV1", 32 * GIB, CZ_API_1_0),
    WINDOW(9, "64GiBV1", 64 * GIB, CZ_API_1_0),
    WINDOW(10, "2KiBV1_2", 2 * KIB, CZ_API_1_2),
    WINDOW(11, "8MiBV1_2", 8 * MIB, CZ_API_1_2),
    WINDOW(12, "512MiBV1_2", 512 * MIB, CZ_API_1_2),
    WINDOW(13, "32GiBV1_2", 32 * GIB, CZ_API_1_2),
    WINDOW(14, "64GiBV1_2", 64 * GIB, CZ_API_1_2),
};

enum { N_SPECS = sizeof specs / sizeof specs[0] };

const char *cz_proof_kind_name(cz_proof_kind kind)
{
    switch (kind) {
    case CZ_KIND_POREP:
        return "porep";
    case CZ_KIND_SNAP:
        return "snap";
    case CZ_KIND_WINDOW:
        return "wpost";
    case CZ_KIND_WINNING:
        return "winning";
    case CZ_KIND_UNSPECIFIED:
        break;
    }
    return "unspecified";
}

const char *cz_api_version_name(cz_api_version api)
{
    static const char *const names[] = {"1.0.0", "1.1.0", "1.2.0"};

    return names[api];
}

static const cz_proof_spec *find(cz_proof_kind kind, uint64_t number)
{
    for (size_t i = 0; i < N_SPECS; i++)
        if (specs[i].kind == kind && specs[i].number == number)
            return &specs[i];
    return NULL;
}

/* Winning and window PoSt share one Go enum: a number of the other kind deserves its own words. */
static cz_err fail_unknown(cz_proof_kind kind, uint64_t number)
{
    const cz_proof_kind other = kind == CZ_KIND_WINDOW    ? CZ_KIND_WINNING
                                : kind == CZ_KIND_WINNING ? CZ_KIND_WINDOW
                                                          : CZ_KIND_UNSPECIFIED;
    const cz_proof_spec *s = find(other, number);

    if (s != NULL)
        return cz_fail(CZ_E_INPUT, "%s: registered proof %" PRIu64 " is %s, a %s proof",
                       cz_proof_kind_name(kind), number, s->name, cz_proof_kind_name(other));
    return cz_fail(CZ_E_INPUT, "%s: registered proof %" PRIu64 " is unknown",
                   cz_proof_kind_name(kind), number);
}

cz_err cz_proof_spec_find(const cz_proof_spec **out, cz_proof_kind kind, uint64_t number,
                          uint64_t sector_size)
{
    const cz_proof_spec *s = find(kind, number);

    if (s == NULL)
        return fail_unknown(kind, number);
    if (sector_size != 0 && sector_size != s->sector_size)
        return cz_fail(CZ_E_INPUT,
                       "%s: registered proof %" PRIu64 " (%s) has sectors of %" PRIu64
                       " bytes, but sector_size is %" PRIu64,
                       cz_proof_kind_name(kind), number, s->name, s->sector_size, sector_size);
    *out = s;
    return CZ_OK;
}

const cz_proof_spec *cz_seal_spec_by_name(const char *name)
{
    for (size_t i = 0; i < N_SPECS; i++)
        if (specs[i].kind == CZ_KIND_POREP && strcmp(specs[i].name, name) == 0)
            return &specs[i];
    return NULL;
}

const cz_proof_spec *cz_proof_specs(size_t *n)
{
    *n = N_SPECS;
    return specs;
}
