/* groth16.h: Groth16 proofs [Gro16] over BLS12-381, the flavour of bellperson: prove, verify, batch
 * verify.
 *
 * Proving is a list of stages, each a function that can be run and tested alone (prove.c):
 *   witness (cs/assignment.h) -> quotient h -> sums H, L, A, B1, B2 -> assemble.
 * A proof is 192 bytes: A, C in compressed G1, B in compressed G2, in the order A, B, C. */
#ifndef CZ_GROTH16_GROTH16_H
#define CZ_GROTH16_GROTH16_H

#include "base/pool.h"
#include "base/trace.h"
#include "cs/assignment.h"
#include "groth16/prove_options.h"
#include "params/params.h"

enum { CZ_PROOF_BYTES = 192 };

typedef struct {
    cz_g1_affine a;
    cz_g2_affine b;
    cz_g1_affine c;
} cz_proof;

void cz_proof_write(uint8_t out[CZ_PROOF_BYTES], const cz_proof *proof);

/** Decode with all checks; infinity in any place is refused. The message names A, B or C. */
CZ_MUST_CHECK cz_err cz_proof_read(cz_proof *out, const uint8_t in[CZ_PROOF_BYTES]);

/* The prover's view of a parameter file, shared by all proofs of the circuit, from any thread:
 * the lists of the file and the transform's twiddles. Points are converted (and their encoding and
 * curve equation checked) chunk by chunk where they are used, so a key costs the twiddles and no
 * copy of the file. `params` must stay open as long as the key lives. */
typedef struct cz_prover_key cz_prover_key;
CZ_MUST_CHECK cz_err cz_prover_key_load(cz_prover_key **out, const cz_params *params, cz_pool *pool,
                                        cz_trace *trace);
void cz_prover_key_destroy(cz_prover_key *key);
const cz_vk *cz_prover_key_vk(const cz_prover_key *key);

/** Prove from a classic assignment. a, b, c of `w` are consumed: each is erased and given back
 * as soon as it is done with. r and s are the blinding scalars: erase them after use. Phases go to
 * `trace` (NULL: nowhere). The proof is not verified here.
 *
 * Memory beside the assignment: chunks of H's points, 2^21 or an eighth of the domain, with what
 * cz_msm_g1 takes for them, some 0.4 GiB up to 2^24 and 2.4 GiB at 2^27, when b and c are gone.
 * Errors: CZ_E_NOMEM; CZ_E_INPUT when sizes and parameters do not fit, or a parameter point is
 * damaged ("path: section[index]: …"). */
CZ_MUST_CHECK cz_err cz_groth16_prove(cz_proof *out, const cz_prover_key *key, cz_assignment *w,
                                      const cz_fr *r, const cz_fr *s, cz_pool *pool,
                                      cz_trace *trace);

/** The same with options (NULL: the defaults), and the same bytes. */
CZ_MUST_CHECK cz_err cz_groth16_prove_with(cz_proof *out, const cz_prover_key *key,
                                           cz_assignment *w, const cz_fr *r, const cz_fr *s,
                                           cz_pool *pool, cz_trace *trace,
                                           const cz_prove_options *options);

/** As cz_groth16_prove with r and s drawn from the operating system, and erased. */
CZ_MUST_CHECK cz_err cz_groth16_prove_blinded(cz_proof *out, const cz_prover_key *key,
                                              cz_assignment *w, cz_pool *pool, cz_trace *trace);

/* A verifying key with what can be computed once. */
typedef struct cz_verifier cz_verifier;
CZ_MUST_CHECK cz_err cz_verifier_create(cz_verifier **out, const cz_vk *vk);
void cz_verifier_destroy(cz_verifier *v);

/** Public inputs that a proof needs, without the leading one. */
size_t cz_verifier_inputs(const cz_verifier *v);

/** CZ_OK: valid. CZ_E_VERIFY: not. CZ_E_INPUT: n_inputs is not the key's. `inputs` without the
 * leading one. */
CZ_MUST_CHECK cz_err cz_groth16_verify(const cz_verifier *v, const cz_proof *proof,
                                       const cz_fr *inputs, size_t n_inputs);

/** n proofs at once by a random linear combination (128-bit weights from the OS); inputs n x
 * n_inputs. n = 0 is an error. When the combination fails, each proof is looked at alone and the
 * message names the first bad one. */
CZ_MUST_CHECK cz_err cz_groth16_verify_batch(const cz_verifier *v, cz_pool *pool,
                                             const cz_proof *proofs, size_t n, const cz_fr *inputs,
                                             size_t n_inputs);

#endif
