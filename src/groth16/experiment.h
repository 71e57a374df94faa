/* experiment.h: the switches of the laboratory, and a prover that obeys them.
 *
 * An optimisation is a switch until it is proven, and stays one: each has a plain twin here, every
 * combination gives the same proof for the same r and s, and `cuzk-bench ab` measures what each is
 * worth, alone and together (docs/laboratory.md). The daemon's defaults are cz_experiment_defaults.
 *
 * inline_terms and msm_window hold for the whole process: one experiment at a time. */
#ifndef CZ_GROTH16_EXPERIMENT_H
#define CZ_GROTH16_EXPERIMENT_H

#include "cs/compiled.h"
#include "groth16/groth16.h"
#include "msm/msm.h"

/* How the vectors of a classic synthesis get their room. */
typedef enum {
    CZ_PRESIZE_OFF,         /* by doubling */
    CZ_PRESIZE_PER_CIRCUIT, /* all of it at once, as the circuit's sizes say */
    CZ_PRESIZE_TOUCHED,     /* … and every page of it touched before the first value */
    CZ_PRESIZE_SEQUENTIAL   /* … of one circuit of the process after the other */
} cz_presize;

typedef struct {
    bool classic;          /* combinations and full vectors, in place of the compiled circuit */
    unsigned inline_terms; /* A1: terms of a combination that need no heap, 0 … 4 */
    cz_presize presize;    /* A2: of the classic path; the compiled one always knows its sizes */
    bool b2_serial;        /* A4: the sum over B2 by one thread */
    cz_pin_mode pin;       /* B1: a, b and c */
    cz_msm_window window;  /* D4 */
    unsigned window_bits;  /* of CZ_MSM_WINDOW_FIXED */
    unsigned
        slow_down_percent; /* of a proof's time, spent on nothing: does the laboratory see it? */
} cz_experiment;

cz_experiment cz_experiment_defaults(void);

/** What holds for the whole process: inline_terms and msm_window. While nothing is proved. */
void cz_experiment_set_process(const cz_experiment *x);

/** The classic path's synthesis as the switches say; `compiled` tells the circuit's sizes, a, b and
 * c come from `blocks` (may be NULL). Errors: cs/assignment.h. */
CZ_MUST_CHECK cz_err cz_experiment_assign(cz_assignment *out, const cz_experiment *x,
                                          const cz_compiled *compiled, const cz_circuit *circuit,
                                          cz_blocks *blocks);

/** Busy for slow_down_percent of the time since `start`, in phase `assemble`. */
void cz_experiment_waste(const cz_experiment *x, uint64_t start_ns, cz_trace *trace);

/* What proofs of one circuit share. Filled by cz_experiment_open; the pointers stay the caller's.
 */
typedef struct {
    cz_experiment switches;
    const cz_prover_key *key;
    const cz_compiled *compiled; /* also tells the classic path its sizes */
    cz_pool *pool;
    cz_blocks *blocks; /* of CZ_PIN_POOLED */
} cz_experiment_prover;

/** Sets what holds for the process. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_experiment_open(cz_experiment_prover *out, const cz_experiment *switches,
                                        const cz_prover_key *key, const cz_compiled *compiled,
                                        cz_pool *pool);

/** Gives the pool's blocks back, and the process its defaults. */
void cz_experiment_close(cz_experiment_prover *p);

/** Witness and proof of one partition. r and s as cz_groth16_prove; the proof is not verified. */
CZ_MUST_CHECK cz_err cz_experiment_prove(cz_proof *out, const cz_experiment_prover *p,
                                         const cz_circuit *circuit, const cz_fr *r, const cz_fr *s,
                                         unsigned partition, cz_trace *trace);

#endif
