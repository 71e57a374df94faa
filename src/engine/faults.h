/* faults.h: faults that tests order: a wrong bit in a result, an allocation that fails, a stage
 * that takes its time. Nothing happens unless asked for. */
#ifndef CZ_ENGINE_FAULTS_H
#define CZ_ENGINE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "groth16/prove_options.h"

typedef struct {
    unsigned kind;      /* proof kind; 0: any */
    unsigned partition; /* UINT32_MAX: any */
    unsigned times;     /* how often it still happens */
    unsigned sum;       /* of a flip: a cz_proof_sum, CZ_FAULT_EACH_SUM, or 0: the proof's bytes */
} cz_fault;

/* h, l, a, b1, b2 in turn. */
enum { CZ_FAULT_EACH_SUM = 6 };

typedef struct {
    cz_fault flip;                   /* one bit of a sum, or of the proof's first point */
    cz_fault nomem;                  /* the witness cannot be allocated */
    unsigned synthesis_ms, prove_ms; /* added to the stage */
} cz_faults;

/** "flip=KIND:PARTITION:TIMES:SUM,nomem=KIND:PARTITION:TIMES,synthesis=MS,prove=MS", any of them;
 * kinds porep, snap, wpost, winning, or * for any; * also for any partition; sums h, l, a, b1, b2,
 * or * for each in turn, of proofs on the CPU; without ":SUM" it is the finished proof, wherever it
 * was made. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err cz_faults_parse(cz_faults *out, const char *text);

/** Does the fault strike here? Counts down. */
bool cz_fault_strikes(cz_fault *fault, unsigned kind, unsigned partition);

/** Wait for so long. */
void cz_fault_delay(unsigned ms);

/** The sum of a flip that has just struck; 0: the proof's bytes. */
cz_proof_sum cz_fault_sum(const cz_fault *fault);

#endif
