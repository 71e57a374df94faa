/* gen_vanilla.h: synthetic vanilla proofs that satisfy their circuits, at any size, from a seed.
 *
 * No sector exists behind them (but see seal.h): trees hold what the challenges need and seeded
 * values elsewhere (sparse_tree.h, patterned_tree.h). They are for measuring and testing full-size
 * shapes; the chain knows nothing of such sectors. The same seed gives the same bytes everywhere.
 */
#ifndef CZ_FILECOIN_GEN_VANILLA_H
#define CZ_FILECOIN_GEN_VANILLA_H

#include "base/pool.h"
#include "filecoin/gen_text.h"
#include "filecoin/job.h"
#include "filecoin/porep_inputs.h"
#include "filecoin/post_inputs.h"
#include "filecoin/vanilla_porep.h"
#include "filecoin/vanilla_post.h"
#include "filecoin/vanilla_snap.h"

/* Whose sector it is. */
typedef struct {
    uint64_t miner_id, sector_number;
} cz_gen_identity;

/** An interactive PoRep: labels follow from the parents' columns, which are seeded. Synthetic and
 * non-interactive ones are CZ_E_UNSUPPORTED: their challenges follow from the sealed sector. */
CZ_MUST_CHECK cz_err cz_gen_porep(cz_porep_vanilla **out, const cz_proof_spec *spec, uint64_t seed,
                                  const cz_gen_identity *id, cz_pool *pool);

/** Winning or window PoSt of n_sectors, numbered on from first_number. */
CZ_MUST_CHECK cz_err cz_gen_post(cz_post_vanilla **out, const cz_post_statement *s, uint64_t seed,
                                 uint64_t first_number, size_t n_sectors, cz_pool *pool);

/** An update; its statement's commitments are filled in. */
CZ_MUST_CHECK cz_err cz_gen_snap(cz_snap_vanilla **out, cz_snap_statement *s, uint64_t seed,
                                 cz_pool *pool);

/* Which request. */
typedef struct {
    cz_proof_kind kind;
    uint64_t sector_size;
    uint64_t seed;
    bool sealed; /* from small sectors that are sealed for it (seal.h), not from sparse trees */
    bool has_registered_proof; /* else PoReps of api 1.1.0, windows of api 1.2.0 */
    uint64_t registered_proof;
} cz_gen_order;

/** A whole request, as SubmitProofRequest's JSON; windows hold a full partition. The caller clears
 * *out. CZ_E_NOTFOUND names a size that no registered proof has. */
CZ_MUST_CHECK cz_err cz_gen_request_for(cz_gen_text *out, const cz_gen_order *order, cz_pool *pool);

/** The same with the usual registered proof, without sealing. */
CZ_MUST_CHECK cz_err cz_gen_request(cz_gen_text *out, cz_proof_kind kind, uint64_t sector_size,
                                    uint64_t seed, cz_pool *pool);

/** The same by the circuit's id ("porep-2k"), parsed; the caller destroys it. CZ_E_INPUT for an id
 * that requests are not made for. */
CZ_MUST_CHECK cz_err cz_gen_circuit_request(cz_request **out, const char *circuit_id, uint64_t seed,
                                            cz_pool *pool);

#endif
