/* monitor.h: a process's memory over time, as a plot for a terminal and as SVG. */
#ifndef CZ_LAB_MONITOR_H
#define CZ_LAB_MONITOR_H

#include "base/text_out.h"
#include "sample.h"

typedef struct {
    double seconds;
    lab_proc proc;
    double vram; /* bytes on the machine's devices, of all processes; 0: not told */
} lab_moment;

/* All zero: empty. */
typedef struct {
    lab_moment *moments; /* owned */
    size_t n, cap;
} lab_monitor;

/** CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err lab_monitor_add(lab_monitor *m, double seconds, const lab_proc *proc,
                                     double vram);
void lab_monitor_clear(lab_monitor *m);

/** Rows of '#' for the resident set over time, with its scale. */
void lab_monitor_text(cz_text_out *out, const lab_monitor *m);

/** RSS, PSS, locked memory, that of devices where there are some, and faults a second below. */
void lab_monitor_svg(cz_text_out *out, const lab_monitor *m);

#endif
