/* poseidon_template.h: what the Poseidon circuit of one arity has in common between all its
 * instances: the combination that enters each S-box after the first round, and the result.
 *
 * Variables are named by slots: slot 0 is the constant element (the domain tag after its S-box,
 * computed outside of the circuit), slot s > 0 the s-th S-box output in order of allocation. Every
 * combination ascends by slot and has no zero coefficient. Slot 0 occurs only in the second round's
 * combinations. Threads: built once an arity, immutable, never freed. */
#ifndef CZ_GADGETS_POSEIDON_TEMPLATE_H
#define CZ_GADGETS_POSEIDON_TEMPLATE_H

#include "hash/poseidon.h"

typedef struct {
    cz_fr coeff;
    uint32_t slot;
} cz_poseidon_term;

typedef struct {
    const cz_poseidon_constants *k;
    unsigned n_slots;
    unsigned n_sums;         /* S-boxes after the first round, and the result as the last sum */
    uint32_t *first;         /* n_sums + 1: where each sum's terms begin */
    cz_poseidon_term *terms; /* of all sums */
} cz_poseidon_template;

/** NULL for an arity without constants, or without memory; the message says which, *err is set. */
const cz_poseidon_template *cz_poseidon_template_get(unsigned arity, cz_err *err);

#endif
