/* quotient.h: the quotient polynomial of Groth16, h = (A B - C) / Z with Z = X^n - 1.
 *
 * A, B, C are the polynomials of degree below n that take the values a[i], b[i], c[i] at w^i; where
 * the constraints hold, a[i] b[i] = c[i] for all i and the division is exact. On the coset 7 H, Z
 * is the constant z = 7^n - 1.
 *
 * Method: six transforms. a and b go to coefficients and on to the coset (without permutation,
 * ntt.h), their product back; that gives the coefficients of A B modulo X^n - 7^n. C has fewer than
 * n coefficients and does not change modulo that, so its coefficients, one transform from its
 * values, are subtracted there: h = (A B mod (X^n - 7^n) - C) / z.
 *
 * The three steps may be taken one by one, so that c comes into the memory that b had: no more than
 * two vectors are alive. */
#ifndef CZ_NTT_QUOTIENT_H
#define CZ_NTT_QUOTIENT_H

#include <stdbool.h>

#include "ntt/ntt.h"

/** a[i] becomes coefficient i of h, natural order; h has n - 1 coefficients: a[n - 1] is 0 when the
 * division is exact. b and c are consumed (left with no meaning).
 *
 * In      a, b, c  n = 2^log_n values each (the plan's n), at w^i; distinct arrays
 * Errors  CZ_E_NOMEM, with a, b and c untouched or consumed */
CZ_MUST_CHECK cz_err cz_ntt_quotient(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a, cz_fr *b,
                                     cz_fr *c);

/** Step 1, for a and for b: values at w^i become values on the coset. */
CZ_MUST_CHECK cz_err cz_ntt_quotient_factor(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);

/** Step 2: a, b of step 1 become (A B mod (X^n - 7^n)) / z in a, coefficients in reversed order; b
 * has no meaning any more. With `plain`, which must be the same in steps 2 and 3, coefficients come
 * out as plain integers, each a cz_u256 in its element's place, as sums of points want them; that
 * costs nothing. */
CZ_MUST_CHECK cz_err cz_ntt_quotient_product(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a,
                                             const cz_fr *b, bool plain);

/** Step 3: a of step 2 and the values of c become h in a, as cz_ntt_quotient gives it; c is
 * consumed. */
CZ_MUST_CHECK cz_err cz_ntt_quotient_subtract(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *a,
                                              cz_fr *c, bool plain);

/** The definition, for tests. */
void cz_ntt_quotient_ref(cz_fr *a, cz_fr *b, cz_fr *c, unsigned log_n);

/** What is left of it where C is folded into the keys (params/folded.h), by the definition: from
 * values at w^j, a[j] becomes A(7 w^j) B(7 w^j); b is consumed. */
void cz_ntt_coset_product_ref(cz_fr *a, cz_fr *b, unsigned log_n);

#endif
