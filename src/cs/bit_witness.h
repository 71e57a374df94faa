/* bit_witness.h: a witness by the classes of its variables: a bit for a bit.
 *
 * The plane has one bit for every aux variable; those of class field are zero in it, and their
 * values are listed, in order. A 32 GiB PoRep partition takes 16 MB of bits and some 70 MB of field
 * elements, in place of 4 GiB. Gadgets run in their witness-only mode: no combination is built.
 *
 * A circuit's equal parts (cz_cs_parts: challenges, sectors) are made by several threads: the first
 * one tells how many variables a part has, and so where every other one begins. */
#ifndef CZ_CS_BIT_WITNESS_H
#define CZ_CS_BIT_WITNESS_H

#include "base/pool.h"
#include "cs/compiled.h"

typedef struct cz_witness_source cz_witness_source; /* witness_source.h */

typedef struct {
    uint32_t n_inputs, n_aux, n_fields;
    cz_fr *inputs;  /* inputs[0] = 1 */
    uint64_t *bits; /* n_aux of them, and a word to spare */
    cz_fr *fields;
    cz_witness_source *source; /* in place of all three, which are NULL: a device makes them */
} cz_bit_witness;

/** Synthesise the witness of a circuit whose compiled form is c. On success the caller owns *out
 * (cz_bit_witness_clear, which erases it). Whether it satisfies the circuit is not checked
 * (cz_compiled_satisfied does). Errors: CZ_E_INTERNAL when the circuit is not the compiled one;
 * CZ_E_NOMEM; what the circuit reports. */
CZ_MUST_CHECK cz_err cz_bit_witness_synthesize(cz_bit_witness *out, const cz_compiled *c,
                                               const cz_circuit *circuit);

/** The same by the pool's threads (NULL: this one alone). */
CZ_MUST_CHECK cz_err cz_bit_witness_synthesize_pool(cz_bit_witness *out, const cz_compiled *c,
                                                    const cz_circuit *circuit, cz_pool *pool);

/** From a full witness. CZ_E_UNSATISFIED, naming the variable, when one of class bit is neither 0
 * nor 1. */
CZ_MUST_CHECK cz_err cz_bit_witness_from_values(cz_bit_witness *out, const cz_compiled *c,
                                                const cz_fr *inputs, const cz_fr *aux);

/** Takes over the source. */
void cz_bit_witness_from_source(cz_bit_witness *out, cz_witness_source *source);

/** CZ_E_ARG: the values are yet to be made. */
CZ_MUST_CHECK cz_err cz_bit_witness_has_values(const cz_bit_witness *w);

/** Value of aux variable k, of a witness that has values. */
void cz_bit_witness_aux(cz_fr *out, const cz_bit_witness *w, const cz_compiled *c, uint32_t k);

void cz_bit_witness_clear(cz_bit_witness *w);

#endif
