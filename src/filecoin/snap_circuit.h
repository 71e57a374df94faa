/* snap_circuit.h: the circuits of an empty-sector update, all sector sizes.
 *
 * Statement: I know comm_c and the roots of the old and new replica trees that hash to comm_r_old
 * and comm_r_new, and for each challenge that follows from comm_r_new an old node, a data node
 * under comm_d_new and their encoding under the new root. Public: partition and choice of h,
 * comm_r_old, comm_d_new, comm_r_new (snap_inputs.h). Variable and constraint order, and the names
 * of the paths, are the network's: rust-fil-proofs storage-proofs-update/src/circuit.rs,
 * poseidon/circuit.rs. */
#ifndef CZ_FILECOIN_SNAP_CIRCUIT_H
#define CZ_FILECOIN_SNAP_CIRCUIT_H

#include "cs/cs.h"
#include "filecoin/vanilla_snap.h"

/** Without a witness, for digests and setups. `id` and shape must outlive it. */
CZ_MUST_CHECK cz_err cz_snap_circuit_create_blank(cz_circuit **out, const char *id,
                                                  const cz_sector_shape *shape);
CZ_MUST_CHECK cz_err cz_snap_poseidon_circuit_create_blank(cz_circuit **out, const char *id,
                                                           const cz_sector_shape *shape);

/** Partition k of a checked vanilla proof, which must outlive it. */
CZ_MUST_CHECK cz_err cz_snap_circuit_create(cz_circuit **out, const char *id,
                                            const cz_snap_statement *s, const cz_snap_vanilla *v,
                                            unsigned k);

#endif
