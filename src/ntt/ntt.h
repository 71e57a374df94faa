/* ntt.h: number-theoretic transforms over Fr, on the domain of the n = 2^log_n-th roots of unity
 * w^i and on its coset 7 w^i.
 *
 * Natural order in and out:
 *   forward        coefficients -> evaluations at w^i
 *   inverse        evaluations at w^i -> coefficients (includes 1/n)
 *   coset_forward  coefficients -> evaluations at 7 w^i
 *   coset_inverse  evaluations at 7 w^i -> coefficients
 * A permutation costs a pass over memory. The pair below does without, for a vector that goes to
 * coefficients and straight on to the coset; between the two, place p holds coefficient rev(p), rev
 * reversing the log_n bits of p:
 *   inverse_to_rev          evaluations at w^i -> coefficients, bit-reversed
 *   coset_forward_from_rev  coefficients, bit-reversed -> evaluations at 7 w^i
 * quotient.h is made of these.
 *
 * All work in place, on canonical values. n log2(n) / 2 multiplications and about n more, two
 * passes over memory up to 2^22, three above (and one for the permutation).
 *
 * Variants: ntt_ref.c is the definition (radix 2, one loop). ntt_passes.c cuts a transform into
 * tiles that fit the cache, for one of two forms: "scalar" (ntt_cpu.c) and "ifma" (ntt_ifma.c, the
 * eight transforms of a tile at once on AVX-512 IFMA). All give the same bits;
 * docs/decisions/010-ntt.md tells what was tried.
 *
 * Threads: one plan may serve several calls at once. A call uses the pool's threads and for each a
 * scratch of at most 1.5 MiB. Errors of the transforms: CZ_E_NOMEM, with xs untouched. */
#ifndef CZ_NTT_NTT_H
#define CZ_NTT_NTT_H

#include "base/pool.h"
#include "field/fr.h"

enum { CZ_NTT_MAX_LOG_N = 28 };

/** log_n of the least domain that has at least n elements. */
static inline unsigned cz_ntt_log_n(uint64_t n)
{
    unsigned log_n = 0;

    while ((uint64_t)1 << log_n < n)
        log_n++;
    return log_n;
}

typedef struct cz_ntt_plan cz_ntt_plan;

/** What every transform of size 2^log_n shares: the powers of w in two levels (w^e is a product of
 * two table entries) and the twiddles of one tile. At most 2 MiB at any size. CZ_E_ARG above 28,
 * CZ_E_NOMEM. The pool may be NULL. */
CZ_MUST_CHECK cz_err cz_ntt_plan_create(cz_ntt_plan **out, unsigned log_n, cz_pool *pool);
void cz_ntt_plan_destroy(cz_ntt_plan *plan);
unsigned cz_ntt_plan_log_n(const cz_ntt_plan *plan);

/** Bytes of a plan, and of the scratch of a running transform; for budgets. */
size_t cz_ntt_plan_bytes(unsigned log_n);
size_t cz_ntt_scratch_bytes(unsigned log_n, const cz_pool *pool);

CZ_MUST_CHECK cz_err cz_ntt_forward(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);
CZ_MUST_CHECK cz_err cz_ntt_inverse(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);
CZ_MUST_CHECK cz_err cz_ntt_coset_forward(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);
CZ_MUST_CHECK cz_err cz_ntt_coset_inverse(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);

CZ_MUST_CHECK cz_err cz_ntt_inverse_to_rev(const cz_ntt_plan *plan, cz_pool *pool, cz_fr *xs);
CZ_MUST_CHECK cz_err cz_ntt_coset_forward_from_rev(const cz_ntt_plan *plan, cz_pool *pool,
                                                   cz_fr *xs);

/** xs[i] and xs[rev(i)] change places, for all i. */
CZ_MUST_CHECK cz_err cz_ntt_bit_reverse(cz_pool *pool, cz_fr *xs, unsigned log_n);

/** The form in use: "ifma" where the CPU has it, else "scalar". Sizes below 2^8 are always scalar.
 */
const char *cz_ntt_form(void);

/** Use this form from now on, in all threads. CZ_E_NOTFOUND: no such form; CZ_E_NODEV: this CPU
 * cannot run it. */
CZ_MUST_CHECK cz_err cz_ntt_select(const char *form);

/* The definition, for tests: n = 2^log_n values in xs. */
void cz_ntt_ref_forward(cz_fr *xs, unsigned log_n);
void cz_ntt_ref_inverse(cz_fr *xs, unsigned log_n);
void cz_ntt_ref_coset_forward(cz_fr *xs, unsigned log_n);
void cz_ntt_ref_coset_inverse(cz_fr *xs, unsigned log_n);

#endif
