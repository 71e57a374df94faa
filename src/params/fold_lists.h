/* fold_lists.h: the two lists of a folded file, computed and written. Inside params/ only.
 *
 * Two ways to the same bytes: fold_lists_plain.c is the definition, for small circuits;
 * fold_lists_gpu.c takes a device. */
#ifndef CZ_PARAMS_FOLD_LISTS_H
#define CZ_PARAMS_FOLD_LISTS_H

#include "cs/compiled_columns.h"
#include "params/fold.h"

typedef struct {
    const cz_params *params;
    const cz_c_columns *columns;
    cz_folded_shape shape;
    cz_fold_options options;
    cz_params_writer *writer; /* begins with h */
} cz_fold_lists;

/** Both lists, computed by the pool, and by the device. Errors as cz_params_fold's. */
CZ_MUST_CHECK cz_err cz_fold_lists_plain(const cz_fold_lists *f);
CZ_MUST_CHECK cz_err cz_fold_lists_gpu(const cz_fold_lists *f);

/* A transform of h's points, T_j = factor sum over i of base^i w^-ij H_i. */
typedef struct {
    const char *step; /* its name */
    cz_fr factor, base;
} cz_fold_transform;

/** Those that H' and the columns of C take. */
cz_fold_transform cz_fold_transform_h(unsigned log_n);
cz_fold_transform cz_fold_transform_l(unsigned log_n);

/** Points of a chunk, as they are computed and written. */
enum { CZ_FOLD_CHUNK = 1 << 20 };

/** The list's first point comes next. */
CZ_MUST_CHECK cz_err cz_fold_begin_list(const cz_fold_lists *f, const char *section);

/** Write n points, uncompressed; `done` of the list will be there then. */
CZ_MUST_CHECK cz_err cz_fold_write(const cz_fold_lists *f, const char *section,
                                   const uint8_t *encoded, size_t n, size_t done);

/** Does input k occur in C? */
bool cz_fold_input_occurs(const cz_fold_lists *f, uint32_t k);

/** A point that cannot be written: h[number], or a variable's of l. CZ_E_DECLINED. */
cz_err cz_fold_decline_h(const cz_fold_lists *f, size_t number);
cz_err cz_fold_decline_l(const cz_fold_lists *f, size_t variable);

void cz_fold_report(const cz_fold_options *options, const char *step, uint64_t done,
                    uint64_t total);

#endif
