/* porep_circuit.h: the circuit of one partition of a stacked PoRep, all sector sizes.
 *
 * Statement: I know, for each challenge, data, replica and column nodes with paths to comm_d,
 * comm_r_last and comm_c, so that the node's labels follow from its parents' columns and the
 * replica node is the data node plus the last label; and comm_r is the hash of comm_c and
 * comm_r_last. Public: replica id, comm_d, comm_r, and all node indices (porep_inputs.h).
 * Variable and constraint order, and the names of the paths, are the network's:
 * rust-fil-proofs storage-proofs-porep/src/stacked/circuit/. */
#ifndef CZ_FILECOIN_POREP_CIRCUIT_H
#define CZ_FILECOIN_POREP_CIRCUIT_H

#include "cs/cs.h"
#include "filecoin/vanilla_porep.h"

/** Without a witness, for digests and setups. `id` and shape must outlive it. */
CZ_MUST_CHECK cz_err cz_porep_circuit_create_blank(cz_circuit **out, const char *id,
                                                   const cz_sector_shape *shape);

/** Partition k of a checked vanilla proof, for a replica id that may have been derived elsewhere.
 * The vanilla proof must outlive it. */
CZ_MUST_CHECK cz_err cz_porep_circuit_create(cz_circuit **out, const char *id,
                                             const cz_porep_vanilla *v,
                                             const uint8_t replica_id[32], unsigned k);

#endif
