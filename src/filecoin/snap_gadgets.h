/* snap_gadgets.h: the pieces of the empty-sector-update circuits: challenges, the high bits of a
 * challenge, the encoding of a node. Names and order are the network's:
 * rust-fil-proofs storage-proofs-update/src/gadgets.rs. */
#ifndef CZ_FILECOIN_SNAP_GADGETS_H
#define CZ_FILECOIN_SNAP_GADGETS_H

#include "filecoin/snap_inputs.h"
#include "gadgets/num.h"

/** H(a, b) under the update's domain tag. */
cz_num cz_snap_hash_circuit(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b);

/** The challenges' bits below the partition's, least significant first: out takes dims->challenges
 * times node_bits - partition_bits. */
void cz_snap_challenge_bits(cz_cs *cs, cz_name name, cz_bit *out, const cz_snap_dims *dims,
                            const cz_num *comm_r_new, const cz_num *partition);

/** The h highest of n bits as a number, h being hs[i] where h_select[i] is the one bit that is
 * set. */
cz_num cz_snap_high_bits(cz_cs *cs, cz_name name, const cz_bit *bits, unsigned n,
                         const cz_bit h_select[CZ_SNAP_HS], const unsigned hs[CZ_SNAP_HS]);

/** old + data * rho. */
cz_num cz_snap_encode(cz_cs *cs, cz_name name, const cz_num *old, const cz_num *data,
                      const cz_num *rho);

#endif
