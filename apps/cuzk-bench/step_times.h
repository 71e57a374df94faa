/* step_times.h: the steps of a long command: shown while they run, told with their seconds in the
 * end. */
#ifndef CZ_BENCH_STEP_TIMES_H
#define CZ_BENCH_STEP_TIMES_H

#include "report.h"

enum { MOST_STEPS = 24 };

/* In the order of their beginnings. */
typedef struct {
    progress bar;
    unsigned n;
    struct {
        const char *name; /* not copied */
        uint64_t start_ns, ns;
    } step[MOST_STEPS];
} step_times;

void step_times_begin(step_times *t);

/** A cz_progress_fn; ctx is the step_times. A step begins with done 0. */
void step_times_show(void *ctx, const char *step, uint64_t done, uint64_t total);

/** Clear the terminal's line. */
void step_times_end(step_times *t);

/** One line: " lagrange 0.1 s, columns 2.3 s". */
void step_times_text(const step_times *t);

/** The object "steps_ms". */
void step_times_json(const step_times *t, json_out *j);

#endif
