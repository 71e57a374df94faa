/* lc.c: linear combinations; see lc.h. */
#include "cs/lc.h"

#include "cs/lc_sort.h"

unsigned cz_lc_inline_terms = CZ_LC_INLINE_TERMS;

void cz_lc_set_inline_terms(unsigned n)
{
    CZ_ASSERT(n <= CZ_LC_INLINE_TERMS);
    cz_lc_inline_terms = n;
}

bool cz_lc_grow(cz_lc *lc, size_t n)
{
    size_t cap = lc->cap < CZ_LC_INLINE_TERMS ? CZ_LC_INLINE_TERMS : lc->cap;
    cz_term *terms;

    if (n <= lc->cap)
        return true;
    while (cap < n)
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

/* Append other's terms as they are; false when memory is short. `other` may be lc itself. */
static bool append(cz_lc *lc, const cz_lc *other)
{
    uint32_t n = other->n;
    bool ascending = other->sorted;

    if (other->failed)
        lc->failed = true;
    if (n == 0 || !cz_lc_grow(lc, (size_t)lc->n + n))
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

/* Zeros are rare: the terms before the first one stay where they are. */
static void drop_zeros(cz_lc *lc)
{
    uint32_t kept = 0;

    while (kept < lc->n && !cz_fr_is_zero(&lc->terms[kept].coeff))
        kept++;
    for (uint32_t i = kept; i < lc->n; i++) {
        if (cz_fr_is_zero(&lc->terms[i].coeff))
            continue;
        lc->terms[kept++] = lc->terms[i];
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
    const cz_fr one = CZ_FR_ONE;
    cz_fr minus_one, product;

    cz_fr_neg(&minus_one, &one);
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
