/* quotient.h: the quotient polynomial of Groth16, h = (A B - C) / Z with Z = X^n - 1.
 *
 * A, B, C are the polynomials of degree below n that take the values a[i], b[i], c[i] at w^i; where
 * the constraints hold, a[i] b[i] = c[i] for all i and the division is exact. On the coset 7 H, Z
 * is the constant 7^n - 1. Seven transforms: a, b, c to coefficients and on to the coset (without
 * permutation, ntt.h), then h back. */
#ifndef CZ_NTT_QUOTIENT_H
#define CZ_NTT_QUOTIENT_H

#include "ntt/ntt.h"

/** a[i] becomes coefficient i of h, natural order; h has n - 1 coefficients: a[n - 1] is 0 when the
 * division is exact. b and c are consumed (left with no meaning).
 *
 * In      a, b, c  n = 2^log_n values each (the plan's n), at w^i; distinct arrays
 * Errors  CZ_E_NOMEM, with a, b and c untouched or consumed */
CZ_MUST_CHECK cz_err cz_ntt_quotient(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a, cz_fr *b,
                                     cz_fr *c);

/** The definition, for tests. */
void cz_ntt_quotient_ref(cz_fr *a, cz_fr *b, cz_fr *c, unsigned log_n);

#endif
