/* ntt.h: number-theoretic transforms over Fr, on the domain of 2^log_n-th roots of unity and on its
 * coset 7 H.
 *
 * Contract, for every variant: natural order in, natural order out, in place, values canonical.
 *   forward        coefficients -> evaluations at w^i
 *   inverse        evaluations at w^i -> coefficients (includes 1/n)
 *   coset_forward  coefficients -> evaluations at 7 w^i
 *   coset_inverse  evaluations at 7 w^i -> coefficients
 * Variants: ntt_ref.c is the definition (radix 2, one loop), ntt_cpu.c the threaded one that these
 * names call. log_n 0 … 28. Threads: one plan may serve several calls at once. */
#ifndef CZ_NTT_NTT_H
#define CZ_NTT_NTT_H

#include "base/pool.h"
#include "field/fr.h"

typedef struct cz_ntt_plan cz_ntt_plan;

/** Twiddles for 2^log_n. CZ_E_ARG above 28, CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_ntt_plan_create(cz_ntt_plan **out, unsigned log_n, cz_pool *pool);
void cz_ntt_plan_destroy(cz_ntt_plan *plan);

CZ_MUST_CHECK cz_err cz_ntt_forward(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);
CZ_MUST_CHECK cz_err cz_ntt_inverse(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);
CZ_MUST_CHECK cz_err cz_ntt_coset_forward(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);
CZ_MUST_CHECK cz_err cz_ntt_coset_inverse(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);

/* The definition, for tests: n = 2^log_n values in xs. */
void cz_ntt_ref_forward(cz_fr *xs, unsigned log_n);
void cz_ntt_ref_inverse(cz_fr *xs, unsigned log_n);
void cz_ntt_ref_coset_forward(cz_fr *xs, unsigned log_n);
void cz_ntt_ref_coset_inverse(cz_fr *xs, unsigned log_n);

#endif
