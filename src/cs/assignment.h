/* assignment.h: the classic path: what a Groth16 prover needs of one synthesised circuit, as full
 * vectors.
 *
 * For constraint j: a[j] = A_j . w, and so on, followed by one row x_i * 0 = 0 for every input i
 * (the rows that keep the inputs' polynomials independent), so a, b, c have n_constraints +
 * n_inputs entries. Densities: bit k of a plane says that variable k occurs with a non-zero
 * coefficient in some A (or B) row. The planes are those of the constraints, plus every input in A
 * through the appended rows; the parameter lists a, b_g1 and b_g2 hold points for exactly these
 * variables. */
#ifndef CZ_CS_ASSIGNMENT_H
#define CZ_CS_ASSIGNMENT_H

#include "cs/cs.h"

typedef struct {
    uint32_t n_inputs;
    uint32_t n_aux;
    uint64_t n_rows; /* n_constraints + n_inputs */
    cz_fr *inputs;   /* inputs[0] = 1 */
    cz_fr *aux;
    cz_fr *a, *b, *c; /* n_rows entries, room for row_capacity of them */
    uint64_t row_capacity;
    uint64_t *dens_a_aux; /* bit planes, 64 variables a word */
    uint64_t *dens_b_input;
    uint64_t *dens_b_aux;
} cz_assignment;

/** Synthesise with witness. On success the caller owns *out (cz_assignment_clear, which erases the
 * witness). a, b, c are allocated with room for the next power of two, zero above n_rows, so that
 * transforms run in place. Errors: CZ_E_NOMEM; whatever the circuit reports. The witness is not
 * checked (cs/satisfied.h does). */
CZ_MUST_CHECK cz_err cz_assignment_synthesize(cz_assignment *out, const cz_circuit *circuit);
void cz_assignment_clear(cz_assignment *a);

#endif
