/* porep_inputs.h: a PoRep's public inputs, derived from what the chain knows.
 *
 * This is the verifier's half: a statement (replica id, commitments, seed and the graph's
 * parameters) gives the challenged nodes, their parents, and from these the inputs of the SNARK.
 * Source: rust-fil-proofs storage-proofs-porep/src/stacked/circuit/proof.rs. */
#ifndef CZ_FILECOIN_POREP_INPUTS_H
#define CZ_FILECOIN_POREP_INPUTS_H

#include "field/fr.h"
#include "filecoin/registry.h"
#include "filecoin/shapes.h"

typedef struct {
    const cz_sector_shape *shape;
    uint8_t porep_id[32];
    cz_api_version api;
    unsigned features;
    uint8_t replica_id[32], comm_d[32], comm_r[32]; /* field elements */
    uint8_t seed[32];                               /* unused by the non-interactive form */
} cz_porep_statement;

/* A challenged node and the nodes its label depends on. */
typedef struct {
    uint32_t node;
    uint32_t parents[CZ_PARENTS];
} cz_porep_node;

/** Challenges of partition k and their parents: out takes shape->porep_challenges. */
CZ_MUST_CHECK cz_err cz_porep_nodes(cz_porep_node *out, const cz_porep_statement *s, unsigned k);

/** Public inputs of a partition, without the leading one: 3 + 18 a challenge. */
size_t cz_porep_n_inputs(const cz_sector_shape *shape);

/** Those inputs for given nodes (of cz_porep_nodes). CZ_E_INPUT when a commitment is no field
 * element. */
CZ_MUST_CHECK cz_err cz_porep_inputs(cz_fr *out, const cz_porep_statement *s,
                                     const cz_porep_node *nodes);

#endif
