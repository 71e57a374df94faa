/* stages.h: one proof in the making, and its stages (prove.c lists them in order). */
#ifndef CZ_GROTH16_STAGES_H
#define CZ_GROTH16_STAGES_H

#include "groth16/key.h"
#include "groth16/prove_options.h"
#include "groth16/split.h"

typedef struct {
    const cz_prover_key *key;
    cz_assignment *w;
    cz_pool *pool;
    cz_trace *trace;
    cz_prove_options options;

    cz_split inputs, aux;
    const uint64_t *aux_classes; /* see list_sum.h; NULL: w->aux has all values */
    /* The sums; none is blinded yet, so all are secret. A part of l may be in h instead, and r
     * times a part of b1: C has no other use for either. */
    cz_g1 h, l, a, b1;
    cz_g2 b2;
} cz_proof_job;

/** Do the assignment's sizes and densities fit the key's lists? CZ_E_INPUT says which does not. */
CZ_MUST_CHECK cz_err cz_stage_check(const cz_proof_job *job);

/** Lock the vectors, where the options say so. */
void cz_stage_pin(const cz_proof_job *job, cz_fr *const rows[], unsigned n);

/** Erase one that is done with, unlock it, give it back. */
void cz_stage_drop(const cz_proof_job *job, cz_fr **rows);

/** a, b, c -> the coefficients of h in w->a, as plain integers; b and c are freed. */
CZ_MUST_CHECK cz_err cz_stage_quotient(cz_proof_job *job);

/** h = sum of coefficients times the H points; w->a is done with. */
CZ_MUST_CHECK cz_err cz_stage_h(cz_proof_job *job);

CZ_MUST_CHECK cz_err cz_stage_split(cz_proof_job *job);
CZ_MUST_CHECK cz_err cz_stage_l(cz_proof_job *job);
CZ_MUST_CHECK cz_err cz_stage_a(cz_proof_job *job);
CZ_MUST_CHECK cz_err cz_stage_b1(cz_proof_job *job);
CZ_MUST_CHECK cz_err cz_stage_b2(cz_proof_job *job);

/** The proof from the five sums and the blinding scalars. */
void cz_stage_assemble(cz_proof *out, const cz_proof_job *job, const cz_fr *r, const cz_fr *s);

#endif
