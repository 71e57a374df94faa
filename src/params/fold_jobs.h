/* fold_jobs.h: columns of points cut into parts that fit a device's buffers, and these into sums
 * for its threads.
 *
 * A thread adds up CZ_FOLD_SEGMENT terms at most. A longer column is the sum of several sums, which
 * further rounds make, as many at a time. A column that has more entries than a part takes goes
 * through several parts: its sum so far is handed on as one more. */
#ifndef CZ_PARAMS_FOLD_JOBS_H
#define CZ_PARAMS_FOLD_JOBS_H

#include <stdbool.h>

#include "params/fold_device.h"

typedef struct {
    const uint32_t *start; /* as in cz_fold_columns */
    size_t n;              /* columns */
    bool with_list;
    size_t most_columns, most_entries; /* of a part */
    cz_fold_job *jobs;                 /* of the present part; cz_fold_jobs_bound() of them */
    cz_fold_job *pending;              /* scratch, as many */

    /* what comes next, 0 at first */
    size_t column;
    uint32_t done; /* entries of that column */
} cz_fold_cutter;

typedef struct {
    size_t first_column, n_columns;
    uint32_t first_entry, n_entries; /* jobs count terms from the first */
    bool continues;                  /* the first column was begun before … */
    size_t carry_to;                 /* … and this sum must be what came of it */
    bool unfinished;                 /* the last column goes on */
    unsigned n_rounds;
    size_t round_first[CZ_FOLD_MAX_ROUNDS + 1]; /* jobs */
} cz_fold_cut;

/** Sums of a part at most, those of the columns being the first; and jobs. */
size_t cz_fold_jobs_bound(size_t most_columns, size_t most_entries);

/** The next part and its jobs; false: there is none. */
bool cz_fold_jobs_next(cz_fold_cutter *cutter, cz_fold_cut *cut);

#endif
