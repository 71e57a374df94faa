/* prove_options.h: what a proof's stages can do in more than one way; the bytes are the same in
 * all, but for `flip`.
 *
 * For the laboratory (experiment.h), for tests of what checks proofs (flip), and for traces of
 * proofs with many partitions; who only wants a proof passes NULL. */
#ifndef CZ_GROTH16_PROVE_OPTIONS_H
#define CZ_GROTH16_PROVE_OPTIONS_H

#include <stdbool.h>

#include "base/blocks.h"

/* The vectors of the domain, as a device that reads them from host memory would want them. */
typedef enum {
    CZ_PIN_OFF,
    CZ_PIN_PER_PROOF, /* locked when the proof begins, unlocked when it is done with them */
    CZ_PIN_POOLED     /* from blocks that stay touched and locked */
} cz_pin_mode;

/* The five sums that a proof is put together from. */
typedef enum { CZ_SUM_NONE, CZ_SUM_H, CZ_SUM_L, CZ_SUM_A, CZ_SUM_B1, CZ_SUM_B2 } cz_proof_sum;

/* All zero: the defaults. */
typedef struct {
    cz_pin_mode pin;
    cz_blocks *blocks; /* of CZ_PIN_POOLED */
    bool b2_serial;    /* the sum over B2 by one thread */
    cz_proof_sum flip; /* ordered by tests: one bit of this sum comes out wrong, and so the proof */
    unsigned partition; /* its number, for the trace */
} cz_prove_options;

#endif
