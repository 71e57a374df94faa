/* assignment_digest.h: what a prover needs of one circuit with its witness, as SHA-256: of the
 * vectors a, b, c, the densities and the witness, made by the classic path or by the compiled form.
 * Nothing is kept but the witness, so circuits whose assignment does not fit into memory can be
 * compared: a 32 GiB partition's three vectors have 12 GiB. */
#ifndef CZ_CS_ASSIGNMENT_DIGEST_H
#define CZ_CS_ASSIGNMENT_DIGEST_H

#include "base/pool.h"
#include "cs/bit_witness.h"
#include "cs/cs.h"

typedef struct {
    uint64_t n_rows; /* constraints, and one an input */
    uint64_t inputs, aux;
    /* Elements as 32 bytes little-endian, canonical. */
    uint8_t a[32], b[32], c[32];
    uint8_t witness[32]; /* inputs, then aux: as cs/satisfied.h */
    uint8_t
        densities[32]; /* A's plane of aux variables, B's of inputs, B's of aux, in 64-bit words */
} cz_assignment_digest;

/** The classic path's: combinations as cz_cs_enforce gets them, evaluated one by one. Memory: 32
 * bytes a variable, half as much again while the list grows. CZ_E_NOMEM; what the circuit reports.
 */
CZ_MUST_CHECK cz_err cz_assignment_digest_classic(cz_assignment_digest *out,
                                                  const cz_circuit *circuit);

/** The compiled form's: rows in slices, by the pool's threads. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_assignment_digest_compiled(cz_assignment_digest *out, const cz_compiled *c,
                                                   const cz_bit_witness *w, cz_pool *pool);

/** NULL: all is equal; else what differs first: "a", "densities", … */
const char *cz_assignment_digest_differs(const cz_assignment_digest *x,
                                         const cz_assignment_digest *y);

#endif
