/* porep_challenges.h: which nodes a PoRep must open.
 *
 * Interactive: from the seed that the chain draws after the replica is committed. Synthetic: the
 * same number, chosen by the seed among 2^18 (or all nodes, if fewer) that follow from replica id
 * and comm_r, so that the sealed layers need not be kept. Non-interactive: many more, from replica
 * id and comm_r alone. Node 0 is never challenged.
 * Source: rust-fil-proofs storage-proofs-porep/src/stacked/vanilla/challenges.rs. */
#ifndef CZ_FILECOIN_POREP_CHALLENGES_H
#define CZ_FILECOIN_POREP_CHALLENGES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

typedef struct {
    uint64_t nodes;
    unsigned features; /* CZ_FEATURE_… */
    uint8_t replica_id[32];
    uint8_t comm_r[32];
    uint8_t seed[32]; /* not looked at by the non-interactive form */
} cz_porep_challenge_inputs;

/** Challenges first … first + n - 1 of all partitions' together. Fails only when BLAKE2b does. */
CZ_MUST_CHECK cz_err cz_porep_challenges(uint32_t *out, const cz_porep_challenge_inputs *in,
                                         uint32_t first, uint32_t n);

/** The synthetic set's members first … first + n - 1, for tests. */
CZ_MUST_CHECK cz_err cz_synthetic_challenges(uint32_t *out, const cz_porep_challenge_inputs *in,
                                             uint32_t first, uint32_t n);

/** As cz_porep_challenges for a synthetic set of set_size members (the network's sets are
 * min(nodes, 2^18)), for known answers of smaller sets. */
CZ_MUST_CHECK cz_err cz_synthetic_selection(uint32_t *out, const cz_porep_challenge_inputs *in,
                                            uint32_t set_size, uint32_t first, uint32_t n);

#endif
