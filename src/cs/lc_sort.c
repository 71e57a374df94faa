/* lc_sort.c: see lc_sort.h. */
#include "cs/lc_sort.h"

#include <stdlib.h>

enum { INSERTION_MAX = 12, STACK_TERMS = 256 };

static void insertion_sort(cz_term *terms, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++) {
        cz_term moving = terms[i];
        uint32_t at = i;

        if (terms[i - 1].var.id <= moving.var.id)
            continue;
        for (; at > 0 && terms[at - 1].var.id > moving.var.id; at--)
            terms[at] = terms[at - 1];
        terms[at] = moving;
    }
}

/* End of the ascending run that begins at `from`. */
static uint32_t run_end(const uint64_t *keys, uint32_t from, uint32_t n)
{
    uint32_t end = from + 1;

    while (end < n && keys[end - 1] < keys[end])
        end++;
    return end;
}

/* to[a, c) = merge of from[a, b) and from[b, c). Keys are distinct. */
static void merge_runs(uint64_t *to, const uint64_t *from, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t left = a;
    uint32_t right = b;

    for (uint32_t i = a; i < c; i++) {
        bool take_left = right == c || (left < b && from[left] < from[right]);

        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* One pass over all runs; the number of runs that were seen. */
static uint32_t merge_pass(uint64_t *to, const uint64_t *from, uint32_t n)
{
    uint32_t runs = 0;

    for (uint32_t a = 0; a < n;) {
        uint32_t b = run_end(from, a, n);
        uint32_t c = b < n ? run_end(from, b, n) : b;

        merge_runs(to, from, a, b, c);
        runs += b < c ? 2 : 1;
        a = c;
    }
    return runs;
}

/* Sort through keys (2 n of them) and a copy of the terms. */
static void key_sort(cz_term *terms, uint32_t n, uint64_t *keys, cz_term *copy)
{
    uint64_t *from = keys;
    uint64_t *to = keys + n;

    for (uint32_t i = 0; i < n; i++)
        from[i] = (uint64_t)terms[i].var.id << 32 | i;
    memcpy(copy, terms, n * sizeof *copy);
    while (merge_pass(to, from, n) > 2) {
        uint64_t *swap = from;

        from = to;
        to = swap;
    }
    for (uint32_t i = 0; i < n; i++)
        terms[i] = copy[(uint32_t)to[i]];
}

bool cz_terms_sort(cz_term *terms, uint32_t n)
{
    uint64_t few_keys[2 * STACK_TERMS];
    cz_term few_terms[STACK_TERMS];
    uint64_t *keys = few_keys;
    cz_term *copy = few_terms;
    bool fits = n <= STACK_TERMS;

    if (n <= INSERTION_MAX) {
        insertion_sort(terms, n);
        return true;
    }
    if (!fits) {
        keys = malloc(2 * (size_t)n * sizeof *keys);
        copy = malloc((size_t)n * sizeof *copy);
    }
    if (keys != NULL && copy != NULL)
        key_sort(terms, n, keys, copy);
    if (!fits) {
        bool ok = keys != NULL && copy != NULL;

        free(keys);
        free(copy);
        return ok;
    }
    return true;
}

uint32_t cz_terms_merge(cz_term *terms, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (kept > 0 && terms[kept - 1].var.id == terms[i].var.id)
            cz_fr_add(&terms[kept - 1].coeff, &terms[kept - 1].coeff, &terms[i].coeff);
        else
            terms[kept++] = terms[i];
    }
    return kept;
}
