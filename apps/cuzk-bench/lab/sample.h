/* sample.h: the memory of another process, as the kernel counts it. */
#ifndef CZ_LAB_SAMPLE_H
#define CZ_LAB_SAMPLE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

typedef struct {
    double rss, pss, locked; /* bytes; pss (shared pages by their share) only where asked for */
    double minor_faults, major_faults; /* so far */
    double cpu_seconds;                /* likewise */
} lab_proc;

/** CZ_E_NOTFOUND when there is no such process (any more). `with_pss` walks all its mappings,
 * which takes milliseconds for a large one. */
CZ_MUST_CHECK cz_err lab_proc_read(lab_proc *out, pid_t pid, bool with_pss);

#endif
