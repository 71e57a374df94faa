/* satisfied.h: does a witness satisfy the circuit? In streaming memory: about 32 bytes a variable.
 */
#ifndef CZ_CS_SATISFIED_H
#define CZ_CS_SATISFIED_H

#include "cs/cs.h"

typedef struct {
    uint64_t inputs, aux, constraints;
    uint64_t aux_zero, aux_one, aux_other;
    uint8_t
        witness_sha256[32]; /* all inputs (one first), then all aux, 32 bytes LE canonical each */
    bool satisfied;
    uint64_t first_failing;  /* number of the first violated constraint; only when !satisfied */
    char failing_path[1024]; /* its path */
    cz_fr *public_inputs;    /* inputs 1 … inputs-1; owned, cz_witness_report_clear */
} cz_witness_report;

/** Synthesise with values, check every constraint, digest the assignment. CZ_OK also when not
 * satisfied: look at the report. */
CZ_MUST_CHECK cz_err cz_circuit_check(cz_witness_report *out, const cz_circuit *circuit);
void cz_witness_report_clear(cz_witness_report *r);

#endif
