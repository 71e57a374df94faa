/* post_circuit.h: the circuit of a PoSt partition, winning or window, all sector sizes.
 *
 * Statement: for each sector, I know comm_c and comm_r_last whose hash is comm_r, and for each of
 * its challenges a leaf with a path to comm_r_last. Public: comm_r and the leaves' indices, sector
 * by sector (post_inputs.h). Variable and constraint order, and the names of the paths, are the
 * network's: rust-fil-proofs storage-proofs-post/src/fallback/circuit.rs. */
#ifndef CZ_FILECOIN_POST_CIRCUIT_H
#define CZ_FILECOIN_POST_CIRCUIT_H

#include "cs/cs.h"
#include "filecoin/post_inputs.h"
#include "filecoin/vanilla_post.h"

/** Without a witness, for digests and setups. `id` and shape must outlive it. */
CZ_MUST_CHECK cz_err cz_winning_circuit_create_blank(cz_circuit **out, const char *id,
                                                     const cz_sector_shape *shape);
CZ_MUST_CHECK cz_err cz_window_circuit_create_blank(cz_circuit **out, const char *id,
                                                    const cz_sector_shape *shape);

/** Of checked vanilla proofs, which must outlive it. */
CZ_MUST_CHECK cz_err cz_post_circuit_create(cz_circuit **out, const char *id, cz_proof_kind kind,
                                            const cz_post_vanilla *v);

#endif
