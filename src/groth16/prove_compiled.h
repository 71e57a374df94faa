/* prove_compiled.h: proofs from a compiled circuit and a witness by classes: the fast path.
 *
 * The same stages as groth16.h's classic path, and the same bytes for the same r and s; what
 * differs is where they start. a, b, c are evaluated from templates, c when b is done with, so that
 * two vectors of the domain are alive; the bit plane of the witness is the selection of the bit
 * sums as it stands, and full-size values are read where the witness has them. prove_memory.h has
 * the account in bytes: a 32 GiB PoRep partition takes 8.13 GiB, of which 8 are the two vectors. */
#ifndef CZ_GROTH16_PROVE_COMPILED_H
#define CZ_GROTH16_PROVE_COMPILED_H

#include "cs/bit_witness.h"
#include "groth16/groth16.h"

/** As cz_groth16_prove; the witness is only read. Errors: as there. */
CZ_MUST_CHECK cz_err cz_groth16_prove_compiled(cz_proof *out, const cz_prover_key *key,
                                               const cz_compiled *circuit, const cz_bit_witness *w,
                                               const cz_fr *r, const cz_fr *s, cz_pool *pool,
                                               cz_trace *trace);

/** The same with options (NULL: the defaults), and the same bytes. */
CZ_MUST_CHECK cz_err cz_groth16_prove_compiled_with(cz_proof *out, const cz_prover_key *key,
                                                    const cz_compiled *circuit,
                                                    const cz_bit_witness *w, const cz_fr *r,
                                                    const cz_fr *s, cz_pool *pool, cz_trace *trace,
                                                    const cz_prove_options *options);

/** The same with r and s drawn from the operating system, and erased. */
CZ_MUST_CHECK cz_err cz_groth16_prove_compiled_blinded(cz_proof *out, const cz_prover_key *key,
                                                       const cz_compiled *circuit,
                                                       const cz_bit_witness *w, cz_pool *pool,
                                                       cz_trace *trace);

#endif
