/* vanilla_snap.h: the vanilla proof of an empty-sector update in memory: one PartitionProof a
 * partition.
 *
 * Bincode of one partition (the layout is that of rust-fil-proofs' structures; commitments are 32
 * raw bytes): comm_c, u64 number of apex leaves, the leaves, u64 number of challenges, and for each
 * three Merkle proofs (bincode.h): in the old replica tree, the new data tree, the new replica
 * tree.
 *
 * Every array has the length that the sector's shape fixes; a length that differs is an error of
 * the input. What the elements mean is checked by snap_check.h. */
#ifndef CZ_FILECOIN_VANILLA_SNAP_H
#define CZ_FILECOIN_VANILLA_SNAP_H

#include "filecoin/merkle.h"
#include "filecoin/snap_inputs.h"

typedef struct {
    cz_inclusion_proof r_old; /* replica before the update, tree R shape */
    cz_inclusion_proof d_new; /* data, dims.tree_d */
    cz_inclusion_proof r_new; /* replica after the update */
} cz_snap_opening;

typedef struct {
    cz_fr comm_c;
    cz_fr *apex_leaves; /* dims.apex_leaves */
    cz_snap_opening *openings;
} cz_snap_partition;

typedef struct {
    const cz_sector_shape *shape;
    cz_snap_dims dims;
    cz_snap_partition *partitions; /* dims.partitions */
} cz_snap_vanilla;

/** All slots, zero. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_snap_vanilla_create(cz_snap_vanilla **out, const cz_sector_shape *shape,
                                            cz_snap_variant variant);
void cz_snap_vanilla_destroy(cz_snap_vanilla *v);

/** Fill the slot of partition k of a SHA-256 variant. CZ_E_INPUT "challenge_proofs[3]:
 * proof_r_old: …". */
CZ_MUST_CHECK cz_err cz_snap_partition_decode(cz_snap_vanilla *v, size_t k, const uint8_t *bytes,
                                              size_t n);

#endif
