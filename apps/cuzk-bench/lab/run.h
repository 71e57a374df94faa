/* run.h: a plan carried out: blocks in a random order, until the intervals are narrow. */
#ifndef CZ_LAB_RUN_H
#define CZ_LAB_RUN_H

#include "results.h"

typedef struct {
    const char *program; /* this one: /proc/self/exe */
    const char *folder;  /* where settings files and reports go; exists */
    const char *commit;  /* of this program */
    bool quiet;          /* no line a session on standard error */
    double minutes;      /* no block that would pass them; 0: as the plan says */
} lab_run_options;

/** Every configuration once a block, in an order of its own from the plan's seed. Stops when the
 * plan's stop rule says so. *out is filled as far as it came, also on an error; clear it. */
CZ_MUST_CHECK cz_err lab_run_plan(lab_results *out, const lab_plan *plan,
                                  const lab_run_options *options);

#endif
