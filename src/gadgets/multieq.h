/* multieq.h: several small equalities in one constraint.
 *
 * An equality of integers below 2^n needs only n bits of a field element, so equalities are shifted
 * side by side, lhs = sum 2^shift lhs_i, until 254 bits are full, and cost one constraint
 * "multieq K" together. It is made at the path where it became full, or where cz_multieq_finish is
 * called.
 *
 * Terms are kept as eight-byte words (variable, shift, sign) and become field coefficients only
 * when a constraint is made. Memory: fixed, in the struct (about 30 KB: keep it off small stacks).
 */
#ifndef CZ_GADGETS_MULTIEQ_H
#define CZ_GADGETS_MULTIEQ_H

#include "gadgets/boolean.h"

enum {
    CZ_MULTIEQ_MAX_LHS = 2560, /* 7 equalities of up to 10 words each, one constant a word */
    CZ_MULTIEQ_MAX_RHS = CZ_FR_CAPACITY
};

/* One side: terms of +-2^shift, and what constants add up to. */
typedef struct {
    uint64_t *keys; /* variable << 32 | shift << 1 | negative */
    unsigned n;
    cz_fr constant;
} cz_multieq_side;

typedef struct {
    cz_cs *cs;
    uint64_t ops;       /* constraints made so far */
    unsigned bits_used; /* of the current constraint */
    cz_multieq_side lhs, rhs;
    cz_lc a, b, c; /* reused from constraint to constraint */
    uint64_t lhs_keys[CZ_MULTIEQ_MAX_LHS], rhs_keys[CZ_MULTIEQ_MAX_RHS];
    uint64_t scratch[CZ_MULTIEQ_MAX_LHS];
} cz_multieq;

void cz_multieq_init(cz_multieq *m, cz_cs *cs);

/** Begin an equality of n_bits bits: makes a constraint first when it does not fit any more. */
void cz_multieq_begin(cz_multieq *m, unsigned n_bits);

/* Terms of the equality that was begun: 2^i b on either side. */
void cz_multieq_add_lhs(cz_multieq *m, unsigned i, cz_boolean b);
void cz_multieq_add_rhs(cz_multieq *m, unsigned i, cz_boolean b);

/** The equality is complete. */
void cz_multieq_end(cz_multieq *m, unsigned n_bits);

/** Make the last constraint and release memory. Call exactly once. */
void cz_multieq_finish(cz_multieq *m);

#endif
