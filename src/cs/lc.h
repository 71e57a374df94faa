/* lc.h: variables and linear combinations.
 *
 * A cz_var is one 32-bit word: the index, with bit 31 set for auxiliary variables, so that
 * comparing words gives the network's order (inputs first, each by index). CZ_VAR_ONE is input 0,
 * the constant one. A cz_lc is a growing list of terms. It may hold a variable twice while it is
 * built; cz_lc_normalize sorts it, merges equal variables and drops zero coefficients, which is the
 * form that constraint systems receive. Short ones live in the struct itself (no heap), the common
 * case by far. */
#ifndef CZ_CS_LC_H
#define CZ_CS_LC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "field/fr.h"

typedef struct {
    uint32_t id;
} cz_var;

#define CZ_VAR_AUX_BIT 0x80000000u
#define CZ_VAR_ONE     ((cz_var){0})

static inline bool cz_var_is_aux(cz_var v)
{
    return (v.id & CZ_VAR_AUX_BIT) != 0;
}

static inline uint32_t cz_var_index(cz_var v)
{
    return v.id & ~CZ_VAR_AUX_BIT;
}

typedef struct {
    cz_fr coeff;
    cz_var var;
} cz_term;

enum { CZ_LC_INLINE_TERMS = 4 };

/* Terms that live in the struct: CZ_LC_INLINE_TERMS, unless somebody measures what fewer cost. */
extern unsigned cz_lc_inline_terms;

/** For the whole process, at most CZ_LC_INLINE_TERMS, 0: all terms on the heap. Values and proofs
 * do not depend on it. Only while no combination is alive in any thread. */
void cz_lc_set_inline_terms(unsigned n);

typedef struct {
    cz_term *terms; /* `few`, or the heap */
    uint32_t n;
    uint32_t cap;
    bool sorted; /* strictly ascending by variable, so nothing to merge */
    bool failed; /* memory ran out; reported by the constraint system that receives it */
    cz_term few[CZ_LC_INLINE_TERMS];
} cz_lc;

/** The empty combination (zero). Release with cz_lc_clear; an lc must not be copied by assignment.
 */
static inline void cz_lc_init(cz_lc *lc)
{
    lc->terms = lc->few;
    lc->n = 0;
    lc->cap = cz_lc_inline_terms;
    lc->sorted = true;
    lc->failed = false;
}

static inline void cz_lc_clear(cz_lc *lc)
{
    if (lc->terms != lc->few)
        free(lc->terms);
    cz_lc_init(lc);
}

/** Empty it, keep its memory. */
static inline void cz_lc_reset(cz_lc *lc)
{
    lc->n = 0;
    lc->sorted = true;
    lc->failed = false;
}

/** Room for n terms in all, for cz_lc_push; false, and lc->failed, when memory is short. */
CZ_MUST_CHECK bool cz_lc_grow(cz_lc *lc, size_t n);

/* + coeff v. `coeff` must not lie in lc itself. */
static inline void cz_lc_push(cz_lc *lc, const cz_fr *coeff, cz_var v)
{
    if (lc->n == lc->cap && !cz_lc_grow(lc, (size_t)lc->n + 1))
        return;
    if (lc->n > 0 && lc->terms[lc->n - 1].var.id >= v.id)
        lc->sorted = false;
    lc->terms[lc->n].coeff = *coeff;
    lc->terms[lc->n].var = v;
    lc->n++;
}

/** + coeff v */
static inline void cz_lc_add(cz_lc *lc, const cz_fr *coeff, cz_var v)
{
    const cz_fr kept = *coeff; /* it may lie in the terms that are about to move */

    cz_lc_push(lc, &kept, v);
}

/** + v */
static inline void cz_lc_add_var(cz_lc *lc, cz_var v)
{
    const cz_fr one = CZ_FR_ONE;

    cz_lc_push(lc, &one, v);
}

/** - v */
static inline void cz_lc_sub_var(cz_lc *lc, cz_var v)
{
    const cz_fr one = CZ_FR_ONE;
    cz_fr minus_one;

    cz_fr_neg(&minus_one, &one); /* folded by the compiler */
    cz_lc_push(lc, &minus_one, v);
}

void cz_lc_add_lc(cz_lc *lc, const cz_lc *other);                     /* + other */
void cz_lc_sub_lc(cz_lc *lc, const cz_lc *other);                     /* - other */
void cz_lc_add_scaled(cz_lc *lc, const cz_fr *c, const cz_lc *other); /* + c other */

/** Sort, merge, drop zeros. Value unchanged. */
void cz_lc_normalize(cz_lc *lc);

/** The value under an assignment (inputs[0] is one). */
void cz_lc_eval(cz_fr *out, const cz_lc *lc, const cz_fr *inputs, const cz_fr *aux);

#endif
