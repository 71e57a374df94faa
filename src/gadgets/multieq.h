/* multieq.h: several small equalities in one constraint.
 *
 * An equality of integers below 2^n needs only n bits of a field element, so equalities are shifted
 * side by side, lhs = sum 2^shift lhs_i, until 254 bits are full, and cost one constraint
 * "multieq K" together. It is made at the path where it became full, or where cz_multieq_finish is
 * called.
 *
 * Terms are kept as eight-byte words (variable, shift, sign), sorted as such, and become field
 * coefficients only when a constraint is made. Memory: fixed, in the struct (about 45 KB: keep it
 * off small stacks). */
#ifndef CZ_GADGETS_MULTIEQ_H
#define CZ_GADGETS_MULTIEQ_H

#include "gadgets/boolean.h"

enum {
    CZ_MULTIEQ_MAX_TERMS =
        2560 /* a side: 7 equalities of up to 10 words of 32 bits, and to spare */
};

/* One side: terms +-2^shift v, and what constants add up to, a plain integer below 2^254. */
typedef struct {
    cz_u256 constant;
    unsigned n;
    uint64_t keys[CZ_MULTIEQ_MAX_TERMS]; /* variable << 32 | shift << 1 | negative */
} cz_multieq_side;

typedef struct {
    cz_cs *cs;
    uint64_t ops;       /* constraints made so far */
    unsigned bits_used; /* of the constraint that is being filled */
    cz_multieq_side lhs, rhs;
} cz_multieq;

void cz_multieq_init(cz_multieq *m, cz_cs *cs);

/** Begin an equality of integers below 2^n_bits, n_bits < 254; makes a constraint first when it
 * does not fit any more. Then give the terms of both sides, then cz_multieq_end. */
void cz_multieq_begin(cz_multieq *m, unsigned n_bits);

/** side += sum of 2^i bits[i]. */
void cz_multieq_add(cz_multieq *m, cz_multieq_side *side, const cz_boolean *bits, unsigned n);

void cz_multieq_end(cz_multieq *m, unsigned n_bits);

/** Make the last constraint. Call exactly once. */
void cz_multieq_finish(cz_multieq *m);

#endif
