/* compiled_columns.h: the matrix C of a compiled circuit, by columns: what folding it into a key
 * needs (params/fold.h).
 *
 * A variable's column is a stretch of entries, ascending by row: the row and the number of the
 * coefficient. 8 bytes an entry and 4 a variable: 2.8 GB for a 32 GiB PoRep partition, whose C has
 * 283 million entries. Cost: two passes over all instances, in order of rows and so by one thread;
 * some seconds for that many. */
#ifndef CZ_CS_COMPILED_COLUMNS_H
#define CZ_CS_COMPILED_COLUMNS_H

#include "base/pool.h"
#include "cs/compiled.h"

/* Numbers of coefficients. */
enum { CZ_C_ONE, CZ_C_MINUS_ONE, CZ_C_OTHERS };

typedef struct {
    uint32_t n_vars;    /* inputs, then aux */
    uint32_t n_entries; /* of all columns */
    uint32_t n_coeffs;
    uint32_t *start; /* variable k has entries [start[k], start[k + 1]); n_vars + 1 of them */
    uint32_t *row;   /* as cs/compiled_eval.h numbers them */
    uint32_t *coeff; /* number in the next */
    cz_fr *coeffs;   /* different ones; the first two are 1 and -1, whether they occur or not */
} cz_c_columns;

/** The caller owns *out (cz_c_columns_clear). CZ_E_NOMEM; CZ_E_DECLINED: 2^32 entries or more. */
CZ_MUST_CHECK cz_err cz_c_columns_make(cz_c_columns *out, const cz_compiled *c);

/** Fine on a zeroed structure. */
void cz_c_columns_clear(cz_c_columns *columns);

/** out = C v for any values v of all variables, inputs first, whatever their classes: all rows,
 * those of the inputs, which are zero, too. By rows and the pool's threads, not by the columns
 * above. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_compiled_c_times(cz_fr *out, const cz_compiled *c, const cz_fr *v,
                                         cz_pool *pool);

#endif
