/* fr_matrix.h: square matrices over Fr for the constants of Poseidon; row-major, row i column j at
 * [i * n + j]. Nothing here is hot. Inside hash/ only. */
#ifndef CZ_HASH_FR_MATRIX_H
#define CZ_HASH_FR_MATRIX_H

#include "base/err.h"
#include "field/fr.h"

/** c = a b; c overlaps neither. */
void cz_fr_matrix_mul(cz_fr *c, const cz_fr *a, const cz_fr *b, unsigned n);

/** out = v m (v a row); out does not overlap v. */
void cz_fr_row_times_matrix(cz_fr *out, const cz_fr *v, const cz_fr *m, unsigned n);

/** out = m v (v a column); out does not overlap v. */
void cz_fr_matrix_times_column(cz_fr *out, const cz_fr *m, const cz_fr *v, unsigned n);

/** out = 1/m by Gauss and Jordan; m is destroyed. False: m is singular. */
CZ_MUST_CHECK bool cz_fr_matrix_invert(cz_fr *out, cz_fr *m, unsigned n);

#endif
