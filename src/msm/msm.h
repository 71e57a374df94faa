/* msm.h: multi-scalar multiplication, the sum of scalars[i] * points[i], over G1 and G2, and sums
 * of points selected by bits.
 *
 * Method: buckets [BDLO12, section 4] with signed digits; affine additions in batches that share an
 * inversion. Contract: points affine, Montgomery form, on the curve, (0, 0) = infinity, any
 * repetitions or opposites allowed, in the subgroup or not; scalars plain integers below 2^255; n
 * from 0 (gives infinity) to 2^28. *out is Jacobian, not normalised, untouched on error. Timing
 * depends on the scalars. Errors: CZ_E_NOMEM, CZ_E_ARG (n). Variants: msm_ref.c is the definition;
 * these names choose the fastest form that the CPU runs (see msm_forms.h).
 * What tells digits of the scalars is erased from the scratch.
 *
 * Cost: about 255 / c (n + 2^c) additions for windows of c bits, chosen from n: 22.4 a point at
 * 2^16, 19.2 at 2^18, 13.1 at 2^27. Memory: scratch is allocated by the call, about 1.5 MiB a
 * thread (3 over G2), and with full scalars 29 MiB at 2^16, 145 MiB at 2^20, 1.9 GiB at 2^27 over
 * G1, up to twice that over G2; up to 128 MiB of it stay with the process for the next sum
 * (msm_spare.h). */
#ifndef CZ_MSM_MSM_H
#define CZ_MSM_MSM_H

#include "base/pool.h"
#include "curve/curve.h"

CZ_MUST_CHECK cz_err cz_msm_g1(cz_pool *pool, cz_g1 *out, const cz_g1_affine *points,
                               const cz_u256 *scalars, size_t n);
CZ_MUST_CHECK cz_err cz_msm_g2(cz_pool *pool, cz_g2 *out, const cz_g2_affine *points,
                               const cz_u256 *scalars, size_t n);

/** Sum of the points whose bit is set: bit i of the plane is bits[i / 64] >> (i % 64) & 1. */
CZ_MUST_CHECK cz_err cz_bit_sum_g1(cz_pool *pool, cz_g1 *out, const cz_g1_affine *points,
                                   const uint64_t *bits, size_t n);
CZ_MUST_CHECK cz_err cz_bit_sum_g2(cz_pool *pool, cz_g2 *out, const cz_g2_affine *points,
                                   const uint64_t *bits, size_t n);

/** Bytes of scratch that a sum of n points takes, or any bit sum: exactly, for budgets. What stays
 * with the process between sums (msm_spare.h) is not in them: at most 128 MiB, whatever the number
 * of sums, which a budget leaves room for beside itself. */
size_t cz_msm_bytes_g1(cz_pool *pool, size_t n);
size_t cz_msm_bytes_g2(cz_pool *pool, size_t n);
size_t cz_bit_sum_bytes_g1(cz_pool *pool);
size_t cz_bit_sum_bytes_g2(cz_pool *pool);

/** The form in use, over both groups: "ifma" where the CPU has it, else "cpu". */
const char *cz_msm_form(void);

/* How a sum with full scalars on the CPU chooses its windows' bits. */
typedef enum {
    CZ_MSM_WINDOW_BY_SIZE, /* the fewest additions, buckets counted: what is used */
    CZ_MSM_WINDOW_FIXED,   /* the same for every size */
    CZ_MSM_WINDOW_TABLE    /* the natural logarithm of n, rounded up, as other provers do */
} cz_msm_window;

/** For the whole process, to measure what the choice is worth; sums do not depend on it. `bits` (2
 * … 20) is for CZ_MSM_WINDOW_FIXED. Only while no sum runs. */
void cz_msm_set_window(cz_msm_window rule, unsigned bits);

/* The definitions, for tests. */
void cz_msm_ref_g1(cz_g1 *out, const cz_g1_affine *points, const cz_u256 *scalars, size_t n);
void cz_msm_ref_g2(cz_g2 *out, const cz_g2_affine *points, const cz_u256 *scalars, size_t n);
void cz_bit_sum_ref_g1(cz_g1 *out, const cz_g1_affine *points, const uint64_t *bits, size_t n);
void cz_bit_sum_ref_g2(cz_g2 *out, const cz_g2_affine *points, const uint64_t *bits, size_t n);

/* Many multiples of one fixed base, as a parameter setup needs them: points[i] = scalars[i] * base.
 * Method: a table of base multiples by windows, one affine addition a window, batched. */
CZ_MUST_CHECK cz_err cz_fixed_base_g1(cz_pool *pool, cz_g1_affine *points, const cz_g1_affine *base,
                                      const cz_u256 *scalars, size_t n);
CZ_MUST_CHECK cz_err cz_fixed_base_g2(cz_pool *pool, cz_g2_affine *points, const cz_g2_affine *base,
                                      const cz_u256 *scalars, size_t n);

#endif
