/* setup_lists.h: the five lists of a test setup's parameter file from their scalars. Inside params/
 * only.
 *
 * Points are never all in memory: chunks of scalars become points, on the device where there is
 * one, and go to the file at once. */
#ifndef CZ_PARAMS_SETUP_LISTS_H
#define CZ_PARAMS_SETUP_LISTS_H

#include "params/params.h"
#include "params/setup.h"
#include "params/setup_gpu.h"

/* Those of a vector that are not zero, in order, found from anywhere. */
typedef struct {
    const cz_fr *values;
    size_t n_values;
    uint32_t *before; /* a block of values: how many are in the blocks before it; owned */
    uint32_t n;       /* of all */
} cz_nonzero;

/** The values must stay. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_nonzero_find(cz_nonzero *out, const cz_fr *values, size_t n_values,
                                     cz_pool *pool);
void cz_nonzero_clear(cz_nonzero *z);

/* A list: the generator of a group times
 *   the values of `nonzero`, or where that is NULL
 *   factor, factor base, factor base^2, … */
typedef struct {
    const char *section;
    cz_gpu_group group;
    uint32_t n;
    const cz_nonzero *nonzero;
    cz_fr base, factor;
} cz_setup_list;

/** Count and points of a list. `device`: NULL computes here. */
CZ_MUST_CHECK cz_err cz_setup_list_write(cz_params_writer *w, const cz_setup_list *list,
                                         const cz_setup_options *options, cz_setup_gpu *device);

#endif
