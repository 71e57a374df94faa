/* fold.h: making and checking folded keys (folded.h): a proof's C without the values c, by lists of
 * points that are made once from a circuit's parameters.
 *
 * With n = 2^log_n the domain, w its root, g the coset's shift, z = g^n - 1, and H_(n-1) taken as
 * infinity (docs/decisions/050-c-fold.md):
 *
 *   H'_j = 1/(z n) sum over i of g^-i w^-ij H_i                              j < n
 *   L'_k = L_k - sum over rows of C_row,k 1/(z n) sum over i of w^-(i row) H_i
 *
 * where an input has no L_k, and no L'_k unless it occurs in C. Two transforms whose elements are
 * points and a sum a variable.
 *
 * Cost: on one H200 minutes for a 32 GiB circuit; on CPUs 80 us of a core for each of the n log2(n)
 * products of a point, 1 core-minute at 2^15, and declined above 2^20. */
#ifndef CZ_PARAMS_FOLD_H
#define CZ_PARAMS_FOLD_H

#include "cs/compiled.h"
#include "gpu/gpu.h"
#include "params/folded.h"
#include "params/setup.h"

/* All zero will do. Progress is called from one thread at a time. Steps in order, units in
 * brackets: columns (1), h transform (layers and what goes before them), h (points), l transform
 * (the same), l (points), check h (points), check l (points), sync (1). */
typedef struct {
    cz_pool *pool;
    cz_gpu *gpu; /* NULL: the pool computes */
    cz_progress_fn progress;
    void *ctx;
} cz_fold_options;

/** The largest domain that is folded without a device. */
enum { CZ_FOLD_MAX_LOG_N = 20 };

/** Write the folded file of `params`, which must be the circuit's, to out_path; it appears there
 * when it is complete and cz_folded_check has passed it. CZ_E_DECLINED: too large without a device,
 * or a point of a list would be infinity (its number is told); CZ_E_INPUT: parameters of another
 * circuit, or a damaged point; CZ_E_CUDA: also when what the device made is wrong (CZ_E_INTERNAL
 * without one), or `params` has points outside the subgroup, which is not looked for; CZ_E_IO;
 * CZ_E_NOMEM.
 *
 * Memory of the host: the columns of C (8 bytes an entry and 4 a variable) while they are needed,
 * then that of the check. */
CZ_MUST_CHECK cz_err cz_params_fold(const cz_params *params, const cz_compiled *circuit,
                                    const char *out_path, const cz_fold_options *options);

/** Do the lists of `folded` follow from those of `params`? Found out without the transforms above:
 * with x and y from the system's generator, for the vectors u_j = x^j and v_k = y^k,
 *
 *   sum of u_j H'_j = sum over i of g^-i / z L_i(x) H_i             L_i: Lagrange's on the domain
 *   sum of v_k L'_k = sum of v_k L_k - 1/z sum of c_i H_i           c: the polynomial through C v
 *
 * Both sides of each are polynomials in x or y below the degree 2^28: lists of points of the
 * subgroup that differ pass with a chance below 2^-226. Whether all points of both files are in it
 * is for cz_params_check_points to say, of `params` and of &folded->file: one with a part of order
 * 3 passes here one time in three. CZ_E_INPUT says which list is wrong; CZ_E_CUDA, CZ_E_NOMEM,
 * CZ_E_IO.
 *
 * Five full-width sums. Memory of the host: 64 bytes a row of the domain. */
CZ_MUST_CHECK cz_err cz_folded_check(const cz_params *params, const cz_folded *folded,
                                     const cz_compiled *circuit, const cz_fold_options *options);

#endif
