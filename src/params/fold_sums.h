/* fold_sums.h: full-width sums over lists of a parameter file, chunk after chunk, by the pool or a
 * device: for the check of folded keys. Inside params/ only. */
#ifndef CZ_PARAMS_FOLD_SUMS_H
#define CZ_PARAMS_FOLD_SUMS_H

#include "params/fold.h"

typedef struct cz_fold_sums cz_fold_sums;

/** For lists of at most `longest` points. With a device: the scratch of a sum of 2^22 points, and 1
 * GiB. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_fold_sums_create(cz_fold_sums **out, const cz_fold_options *options,
                                         size_t longest);

/** NULL is fine. */
void cz_fold_sums_destroy(cz_fold_sums *s);

/** Sums from now on count to this step, of `total` points. */
void cz_fold_sums_step(cz_fold_sums *s, const char *step, uint64_t total);

/** *out = the sum of scalars[i] times point i of a list of `file`, over all of its points. Errors
 * as those of cz_params_load_g1; CZ_E_CUDA. */
CZ_MUST_CHECK cz_err cz_fold_sum(cz_fold_sums *s, cz_g1 *out, const cz_params *file,
                                 const cz_point_list *list, const cz_fr *scalars);

#endif
