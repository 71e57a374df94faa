/* lc.c: linear combinations; see lc.h. */
#include "cs/lc.h"

#include <stdlib.h>

#include "cs/lc_sort.h"

static const cz_fr fr_one = {CZ_FR_R};

static cz_fr fr_minus_one(void)
{
    cz_fr r;

    cz_fr_neg(&r, &fr_one);
    return r;
}

void cz_lc_init(cz_lc *lc)
{
    lc->terms = lc->few;
    lc->n = 0;
    lc->cap = CZ_LC_INLINE_TERMS;
    lc->sorted = true;
    lc->failed = false;
}

void cz_lc_clear(cz_lc *lc)
{
    if (lc->terms != lc->few)
        free(lc->terms);
    cz_lc_init(lc);
}

void cz_lc_reset(cz_lc *lc)
{
    lc->n = 0;
    lc->sorted = true;
    lc->failed = false;
}

/* Room for `want` terms in all, doubling. */
static bool grow(cz_lc *lc, size_t want)
{
    size_t cap = lc->cap;
    cz_term *terms;

    while (cap < want)
        cap *= 2;
    terms = cap > UINT32_MAX ? NULL : malloc(cap * sizeof *terms);
    if (terms == NULL) {
        lc->failed = true;
        return false;
    }
    memcpy(terms, lc->terms, lc->n * sizeof *terms);
    if (lc->terms != lc->few)
        free(lc->terms);
    lc->terms = terms;
    lc->cap = (uint32_t)cap;
    return true;
}

static inline bool reserve(cz_lc *lc, size_t more)
{
    size_t want = lc->n + more;

    return want <= lc->cap || grow(lc, want);
}

/* The new last term still ascends? */
static inline void note_order(cz_lc *lc)
{
    if (lc->n > 1 && lc->terms[lc->n - 2].var.id >= lc->terms[lc->n - 1].var.id)
        lc->sorted = false;
}

void cz_lc_add(cz_lc *lc, const cz_fr *coeff, cz_var v)
{
    const cz_fr kept = *coeff; /* it may lie in the terms that are about to move */

    if (!reserve(lc, 1))
        return;
    lc->terms[lc->n].coeff = kept;
    lc->terms[lc->n].var = v;
    lc->n++;
    note_order(lc);
}

void cz_lc_add_var(cz_lc *lc, cz_var v)
{
    cz_lc_add(lc, &fr_one, v);
}

void cz_lc_sub_var(cz_lc *lc, cz_var v)
{
    const cz_fr minus_one = fr_minus_one();

    cz_lc_add(lc, &minus_one, v);
}

/* Append other's terms as they are; false when memory is short. `other` may be lc itself. */
static bool append(cz_lc *lc, const cz_lc *other)
{
    uint32_t n = other->n;
    bool ascending = other->sorted;

    if (other->failed)
        lc->failed = true;
    if (n == 0 || !reserve(lc, n))
        return false;
    if (lc->n > 0 && lc->terms[lc->n - 1].var.id >= other->terms[0].var.id)
        ascending = false;
    memcpy(lc->terms + lc->n, other->terms, n * sizeof *lc->terms);
    lc->n += n;
    lc->sorted = lc->sorted && ascending;
    return true;
}

void cz_lc_add_lc(cz_lc *lc, const cz_lc *other)
{
    (void)append(lc, other);
}

void cz_lc_sub_lc(cz_lc *lc, const cz_lc *other)
{
    uint32_t from = lc->n;

    if (!append(lc, other))
        return;
    for (uint32_t i = from; i < lc->n; i++)
        cz_fr_neg(&lc->terms[i].coeff, &lc->terms[i].coeff);
}

void cz_lc_add_scaled(cz_lc *lc, const cz_fr *c, const cz_lc *other)
{
    const cz_fr factor = *c;
    uint32_t from = lc->n;

    if (!append(lc, other))
        return;
    if (cz_fr_is_one(&factor))
        return;
    for (uint32_t i = from; i < lc->n; i++) {
        cz_fr *coeff = &lc->terms[i].coeff;

        if (cz_fr_is_one(coeff))
            *coeff = factor;
        else
            cz_fr_mul(coeff, coeff, &factor);
    }
}

static void drop_zeros(cz_lc *lc)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < lc->n; i++) {
        if (cz_fr_is_zero(&lc->terms[i].coeff))
            continue;
        if (kept != i)
            lc->terms[kept] = lc->terms[i];
        kept++;
    }
    lc->n = kept;
}

void cz_lc_normalize(cz_lc *lc)
{
    if (!lc->sorted) {
        if (!cz_terms_sort(lc->terms, lc->n)) {
            lc->failed = true;
            return;
        }
        lc->n = cz_terms_merge(lc->terms, lc->n);
        lc->sorted = true;
    }
    drop_zeros(lc);
}

/* acc += coeff * value; most values of a witness are 0 or 1, most coefficients 1 or -1. */
static void add_product(cz_fr *acc, const cz_fr *coeff, const cz_fr *value)
{
    const cz_fr minus_one = fr_minus_one();
    cz_fr product;

    if (cz_fr_is_zero(value))
        return;
    if (cz_fr_is_one(value)) {
        cz_fr_add(acc, acc, coeff);
    } else if (cz_fr_is_one(coeff)) {
        cz_fr_add(acc, acc, value);
    } else if (cz_fr_equal(coeff, &minus_one)) {
        cz_fr_sub(acc, acc, value);
    } else {
        cz_fr_mul(&product, coeff, value);
        cz_fr_add(acc, acc, &product);
    }
}

void cz_lc_eval(cz_fr *out, const cz_lc *lc, const cz_fr *inputs, const cz_fr *aux)
{
    cz_fr acc = CZ_FR_ZERO;

    for (uint32_t i = 0; i < lc->n; i++) {
        cz_var v = lc->terms[i].var;

        add_product(&acc, &lc->terms[i].coeff, (cz_var_is_aux(v) ? aux : inputs) + cz_var_index(v));
    }
    *out = acc;
}
