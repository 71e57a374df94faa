/* machine.h: on what it was measured: enough to compare with, nothing that names the host. */
#ifndef CZ_LAB_MACHINE_H
#define CZ_LAB_MACHINE_H

#include "base/err.h"

typedef struct {
    char cpu[128];            /* "AMD EPYC …" */
    char features[128];       /* of those that the engine uses */
    unsigned cpus;            /* that this process may use */
    double mhz_low, mhz_high; /* of the cores, now; 0: the system does not say */
    double memory_bytes;
    char thp[64];     /* transparent huge pages: "madvise" */
    char kernel[128]; /* system and release */
    char compiler[64];
    char program[64];   /* version */
    char commit[64];    /* of the source; "" where the build did not know it */
    char forms[256];    /* the form of each operation */
    double load_before; /* load average of a minute when it began */
    char gpu[128];      /* "" without one */
    char driver[64];    /* of it */
} lab_machine;

/** `commit`: of this program's source, or "". */
void lab_machine_describe(lab_machine *m, const char *commit);

#endif
