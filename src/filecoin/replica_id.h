/* replica_id.h: the name of a replica: what its labels are bound to.
 * Source: rust-fil-proofs storage-proofs-porep/src/stacked/vanilla/params.rs. */
#ifndef CZ_FILECOIN_REPLICA_ID_H
#define CZ_FILECOIN_REPLICA_ID_H

#include <stdint.h>

/** A miner's actor id as the 32 bytes that proofs know it by: LEB128, zeros behind. */
void cz_prover_id(uint8_t out[32], uint64_t miner_id);

/** SHA-256(prover || sector, 8 bytes big-endian || ticket || comm_d || porep id), the two top bits
 * of the last byte cleared: a field element, little-endian. */
void cz_replica_id(uint8_t out[32], const uint8_t prover_id[32], uint64_t sector_number,
                   const uint8_t ticket[32], const uint8_t comm_d[32], const uint8_t porep_id[32]);

#endif
