/* snap_check.h: does a decoded update proof prove its statement?
 *
 * What the circuit will enforce, checked natively first: the derived challenges are opened in all
 * three trees, every path leads to its root, the new node is the old one plus rho times the data,
 * the roots and comm_c hash to the commitments, and the apex leaves are the nodes of the data tree
 * that the paths pass through. */
#ifndef CZ_FILECOIN_SNAP_CHECK_H
#define CZ_FILECOIN_SNAP_CHECK_H

#include "base/pool.h"
#include "filecoin/vanilla_snap.h"

/** CZ_E_INPUT "[3]: challenge_proofs[4]: proof_d_new: …", [3] being the partition. */
CZ_MUST_CHECK cz_err cz_snap_check(const cz_snap_vanilla *v, const cz_snap_statement *s,
                                   cz_pool *pool);

#endif
