/* split.h: the witness in two parts: which values are one, and which are neither zero nor one.
 *
 * A proof's sums over L, A, B1 and B2 take the first part as plain additions of points and only the
 * second as multiplications. In a PoRep partition 98 % of the values are 0 or 1. Both parts are bit
 * planes (64 variables a word), so a split costs a quarter of a byte a variable; the values stay
 * where they are. */
#ifndef CZ_GROTH16_SPLIT_H
#define CZ_GROTH16_SPLIT_H

#include "base/pool.h"
#include "field/fr.h"

typedef struct {
    size_t n_words;
    uint64_t *ones; /* bit k: value k is 1 */
    uint64_t *tail; /* bit k: value k is neither 0 nor 1 */
} cz_split;

CZ_MUST_CHECK cz_err cz_split_make(cz_split *out, const cz_fr *values, size_t n, cz_pool *pool);

/** Erases the planes: they tell the witness. */
void cz_split_clear(cz_split *s);

#endif
