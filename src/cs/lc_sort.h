/* lc_sort.h: ordering the terms of a linear combination, inside cs/ only.
 *
 * Combinations are appended from pieces that each ascend (an addition of 32-bit words is 32 terms
 * a word), so the sort is a natural merge sort: it finds the ascending runs and merges them
 * pairwise, on 8-byte keys (variable and position) instead of 40-byte terms. A few terms are
 * sorted by insertion. */
#ifndef CZ_CS_LC_SORT_H
#define CZ_CS_LC_SORT_H

#include "cs/lc.h"

/** Ascending by variable, equal variables next to each other. False: memory is short, terms
 * unchanged. */
CZ_MUST_CHECK bool cz_terms_sort(cz_term *terms, uint32_t n);

/** Add up neighbours with the same variable; the number of terms left. */
uint32_t cz_terms_merge(cz_term *terms, uint32_t n);

#endif
