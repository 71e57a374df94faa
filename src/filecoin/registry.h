/* registry.h: what every proof-type number of the network means.
 *
 * The three Go enums (RegisteredSealProof, RegisteredPoStProof, RegisteredUpdateProof) as one
 * table: kind, sector size, api version, porep id and features. Unknown numbers are refused by
 * name. Source: go-state-types abi,
 * rust-filecoin-proofs-api registry. */
#ifndef CZ_FILECOIN_REGISTRY_H
#define CZ_FILECOIN_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Numbers are those of the request's proof_kind on the wire. */
typedef enum {
    CZ_KIND_UNSPECIFIED = 0,
    CZ_KIND_POREP = 1,
    CZ_KIND_SNAP = 2,
    CZ_KIND_WINDOW = 3,
    CZ_KIND_WINNING = 4
} cz_proof_kind;

/** "porep", "snap", "wpost", "winning": the circuit ids' prefixes. "unspecified" otherwise. */
const char *cz_proof_kind_name(cz_proof_kind kind);

typedef enum { CZ_API_1_0 = 0, CZ_API_1_1 = 1, CZ_API_1_2 = 2 } cz_api_version;

/** "1.0.0", "1.1.0", "1.2.0". */
const char *cz_api_version_name(cz_api_version api);

enum { CZ_FEATURE_SYNTHETIC = 1, CZ_FEATURE_NON_INTERACTIVE = 2 };

/* Names are those of rust-filecoin-proofs-api, which C1 outputs carry. The Go names differ in two
 * places: window 10 … 14 end in V1_1 there (their api version is 1.2.0), and seal 15 … 19 in
 * NiPoRep. */
typedef struct {
    cz_proof_kind kind;
    uint64_t number;      /* in its own enum */
    const char *name;     /* e.g. "StackedDrg2KiBV1_1" */
    uint64_t sector_size; /* bytes */
    cz_api_version api;   /* of the graph and challenges; means nothing for updates */
    unsigned features;
    uint8_t porep_id[32]; /* zero but for seal proofs */
    unsigned partitions;  /* of one proof; 0 where it depends on the request (window PoSt) */
} cz_proof_spec;

/** The row of (kind, number). CZ_E_INPUT "porep: registered proof 99 is unknown". sector_size 0
 * accepts any; otherwise a contradiction is CZ_E_INPUT naming both. */
CZ_MUST_CHECK cz_err cz_proof_spec_find(const cz_proof_spec **out, cz_proof_kind kind,
                                        uint64_t number, uint64_t sector_size);

/** Seal proofs by the name that C1 outputs carry ("StackedDrg2KiBV1"). NULL when unknown. */
const cz_proof_spec *cz_seal_spec_by_name(const char *name);

/** All rows, for listings and tests; *n of them. */
const cz_proof_spec *cz_proof_specs(size_t *n);

/** "2k", "8m", "32g"; NULL for a size without circuits. And back; 0 when unknown. */
const char *cz_sector_size_tag(uint64_t sector_size);
uint64_t cz_sector_size_from_tag(const char *tag);

#endif
