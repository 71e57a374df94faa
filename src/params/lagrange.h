/* lagrange.h: the scalars that a setup is made of: Lagrange polynomials of a domain at a point, and
 * powers of a point. */
#ifndef CZ_PARAMS_LAGRANGE_H
#define CZ_PARAMS_LAGRANGE_H

#include "base/pool.h"
#include "field/fr.h"

/** L_j(tau) for j < n, n at most 2^log_n: the polynomials that are 1 at the j-th 2^log_n-th root of
 * unity and 0 at the others. Method: L_j(tau) = (tau^N - 1) w^j / (N (tau - w^j)), inverted in
 * batches. CZ_E_INPUT when tau lies in the domain. */
CZ_MUST_CHECK cz_err cz_lagrange_at(cz_fr *out, uint64_t n, unsigned log_n, const cz_fr *tau,
                                    cz_pool *pool);

/** out[i] = factor * tau^(first + i) for i < n. */
CZ_MUST_CHECK cz_err cz_scaled_powers(cz_fr *out, uint64_t first, size_t n, const cz_fr *tau,
                                      const cz_fr *factor, cz_pool *pool);

/** out[j] = factor (1 + x + … + x^(n - 2)) with x = tau w^-j, for j < count, n = 2^log_n, w its
 * root of unity: the transform of the powers of tau but for the last. Method: with that one they
 * make n L_j(tau). CZ_E_INPUT when tau lies in the domain. */
CZ_MUST_CHECK cz_err cz_transformed_powers(cz_fr *out, uint64_t count, unsigned log_n,
                                           const cz_fr *tau, const cz_fr *factor, cz_pool *pool);

/** z = tau^(2^log_n) - 1: the domain's vanishing polynomial at tau. */
void cz_vanishing_at(cz_fr *z, unsigned log_n, const cz_fr *tau);

#endif
