/* faults.h: faults that tests order: a wrong bit in a result, an allocation that fails, a stage
 * that takes its time. Nothing happens unless asked for. */
#ifndef CZ_ENGINE_FAULTS_H
#define CZ_ENGINE_FAULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

typedef struct {
    unsigned kind;      /* proof kind; 0: any */
    unsigned partition; /* UINT32_MAX: any */
    unsigned times;     /* how often it still happens */
} cz_fault;

typedef struct {
    cz_fault flip;                   /* one bit of a sum, as it shows in the proof's bytes */
    cz_fault nomem;                  /* the witness cannot be allocated */
    unsigned synthesis_ms, prove_ms; /* added to the stage */
} cz_faults;

/** "flip=KIND:PARTITION:TIMES,nomem=KIND:PARTITION:TIMES,synthesis=MS,prove=MS", any of them; kinds
 * porep, snap, wpost, winning, or * for any; * also for any partition. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err cz_faults_parse(cz_faults *out, const char *text);

/** Does the fault strike here? Counts down. */
bool cz_fault_strikes(cz_fault *fault, unsigned kind, unsigned partition);

#endif
