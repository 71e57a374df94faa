/* gen_bincode.h: vanilla proofs as clients send them; the decoders are vanilla_post.h,
 * vanilla_snap.h and c1_json.c. */
#ifndef CZ_FILECOIN_GEN_BINCODE_H
#define CZ_FILECOIN_GEN_BINCODE_H

#include "filecoin/gen_text.h"
#include "filecoin/vanilla_porep.h"
#include "filecoin/vanilla_post.h"
#include "filecoin/vanilla_snap.h"

/** Bincode of one sector's FallbackPoStSectorProof. */
void cz_gen_put_post_sector(cz_gen_text *t, const cz_post_vanilla *v, size_t i);

/** Bincode of one PartitionProof (SHA-256 variant). */
void cz_gen_put_snap_partition(cz_gen_text *t, const cz_snap_vanilla *v, size_t k);

/** JSON of SealCommitPhase1Output, byte arrays as serde writes them. */
void cz_gen_put_c1_json(cz_gen_text *t, const cz_porep_vanilla *v);

#endif
