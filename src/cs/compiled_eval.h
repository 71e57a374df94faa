/* compiled_eval.h: a = A w, b = B w, c = C w from the compiled form and a witness by classes.
 *
 * Method: an instance spreads its columns into an array of bytes, one a bit; a combination of bits
 * with small coefficients is then a sum of a few small integers, and the row's value a look-up. A
 * sum of weighted bits, as of a packed addition, is added up in 32-bit digits without carries and
 * becomes a field element once. Everything else is field arithmetic. What a combination is, was
 * decided when it was compiled (cz_lc_kind). The reference is cs/assignment.h, which this equals
 * bit for bit.
 *
 * Rows are numbered as in cs/assignment.h: the constraints, then a row x_i * 0 = 0 an input. */
#ifndef CZ_CS_COMPILED_EVAL_H
#define CZ_CS_COMPILED_EVAL_H

#include "base/pool.h"
#include "cs/bit_witness.h"

/** Constraints and inputs. */
uint64_t cz_compiled_rows(const cz_compiled *c);

/** Rows [first, first + n), which must exist, into a, b, c (n elements each; NULL: not wanted).
 * Threads: those of the pool, each with nine bytes a column of the largest
 * template. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_compiled_eval(const cz_compiled *c, const cz_bit_witness *w, cz_pool *pool,
                                      uint64_t first, uint64_t n, cz_fr *a, cz_fr *b, cz_fr *c_out);

/** Bytes of scratch that cz_compiled_eval takes. */
size_t cz_compiled_eval_bytes(const cz_compiled *c, const cz_pool *pool);

/** Does a b = c hold in every row? *first_failing is the first where it does not, else the number
 * of constraints. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_compiled_satisfied(const cz_compiled *c, const cz_bit_witness *w,
                                           cz_pool *pool, uint64_t *first_failing);

#endif
