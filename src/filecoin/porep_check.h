/* porep_check.h: does a decoded C1 prove its statement?
 *
 * What the circuit will enforce, checked natively first, so that a bad C1 is refused in
 * milliseconds with a sentence instead of failing after the witness was built: every path leads
 * from its leaf to its root at the index that the derived challenge or parent says, columns hash to
 * their leaves, labels follow from the parents' columns, the replica node is data plus key, and
 * comm_r is the hash of the two roots. Beyond the circuit, the parts of a C1 that are only copies
 * (column indices, the labels' parents) must agree with the rest. */
#ifndef CZ_FILECOIN_POREP_CHECK_H
#define CZ_FILECOIN_POREP_CHECK_H

#include "base/pool.h"
#include "filecoin/porep_inputs.h"
#include "filecoin/vanilla_porep.h"

/** Check all openings, in parallel. nodes: those of all partitions in order. CZ_E_INPUT
 * "partition 3: challenge 2: replica_column_proofs: drg_parents[4]: …". */
CZ_MUST_CHECK cz_err cz_porep_check(const cz_porep_vanilla *v, const cz_porep_statement *s,
                                    const cz_porep_node *nodes, cz_pool *pool);

#endif
