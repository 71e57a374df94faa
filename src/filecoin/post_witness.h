/* post_witness.h: the witness of a PoSt partition, made on the device that proves it.
 *
 * All that a partition's 127 million variables (32 GiB, window) follow from is what the vanilla
 * proofs say: leaves, siblings, indices and commitments, 54 MB. They go up, and post_device.h makes
 * the rest. The values equal those of post_circuit.h; that the compiled circuit has its variables
 * where post_device.h puts them is checked when a source is made. */
#ifndef CZ_FILECOIN_POST_WITNESS_H
#define CZ_FILECOIN_POST_WITNESS_H

#include "cs/witness_source.h"
#include "filecoin/post_inputs.h"
#include "filecoin/vanilla_post.h"

/** Of checked vanilla proofs, which must outlive it; c: the compiled circuit, needed here alone.
 * CZ_E_INTERNAL when its variables are others, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_post_witness_source(cz_witness_source **out, cz_proof_kind kind,
                                            const cz_post_vanilla *v, const cz_compiled *c);

#endif
