/* post_check.h: do decoded vanilla proofs of a PoSt prove their statement?
 *
 * What the circuit will enforce, checked natively first: every path leads from its leaf to
 * comm_r_last at the derived challenge, and comm_r is the hash of comm_c and comm_r_last. A sector
 * that fails is faulty; all faulty ones are listed, so that an operator can declare them in one go.
 * A sector number that occurs twice is refused: the verifier counts each sector once. */
#ifndef CZ_FILECOIN_POST_CHECK_H
#define CZ_FILECOIN_POST_CHECK_H

#include "base/pool.h"
#include "filecoin/post_inputs.h"
#include "filecoin/vanilla_post.h"

/** CZ_E_INPUT "[3]: sector 12: challenge 4: … (2 faulty sectors: 12, 90)". */
CZ_MUST_CHECK cz_err cz_post_check(const cz_post_vanilla *v, const cz_post_statement *s,
                                   cz_pool *pool);

#endif
