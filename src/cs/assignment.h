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

#include "base/blocks.h"
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
    cz_blocks *blocks; /* where a, b, c go back to; NULL: the allocator */
} cz_assignment;

/** Synthesise with witness. On success the caller owns *out (cz_assignment_clear, which erases the
 * witness). a, b, c are allocated with room for the next power of two, zero above n_rows, so that
 * transforms run in place. Errors: CZ_E_NOMEM; whatever the circuit reports. The witness is not
 * checked (cs/satisfied.h does). */
CZ_MUST_CHECK cz_err cz_assignment_synthesize(cz_assignment *out, const cz_circuit *circuit);

/* What is known before, and where memory comes from; all zero: nothing is known, the allocator. */
typedef struct {
    uint64_t rows, aux; /* room for so many is taken at once; 0: lists grow by doubling */
    bool touch;         /* … and every page of that room is touched at once */
    bool in_turn;       /* … while no other assignment of the process touches its own */
    cz_blocks *blocks;  /* of a, b, c; outlives the assignment */
} cz_assignment_options;

/** The same by options (NULL: none). The values are the same, whatever the options say. */
CZ_MUST_CHECK cz_err cz_assignment_synthesize_with(cz_assignment *out, const cz_circuit *circuit,
                                                   const cz_assignment_options *options);

/** Erase a, b or c and give it back, before the rest. */
void cz_assignment_drop_rows(cz_assignment *a, cz_fr **rows);

void cz_assignment_clear(cz_assignment *a);

#endif
