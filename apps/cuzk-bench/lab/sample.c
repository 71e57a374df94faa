/* sample.c: see sample.h. */
#define _GNU_SOURCE
#include "sample.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KIB = 1024 };

static FILE *open_of(pid_t pid, const char *name)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return fopen(path, "r");
}

/* Field 3 and on of /proc/PID/stat come after the name, which may hold anything but ends with the
 * last ')': 10 and 12 are the faults, 24 the resident pages. */
static bool read_stat(lab_proc *out, pid_t pid)
{
    FILE *in = open_of(pid, "stat");
    char line[2048];
    unsigned long long minor, major;
    long long pages;
    const char *at;

    if (in == NULL)
        return false;
    at = fgets(line, sizeof line, in) != NULL ? strrchr(line, ')') : NULL;
    (void)fclose(in);
    if (at == NULL || sscanf(at + 1,
                             " %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu %*u %*u %*u %*d %*d %*d "
                             "%*d %*d %*d %*u %*u %lld",
                             &minor, &major, &pages) != 3)
        return false;
    out->minor_faults = (double)minor;
    out->major_faults = (double)major;
    out->rss = (double)pages * (double)sysconf(_SC_PAGESIZE);
    return true;
}

/* Lines "Name:  123 kB". */
static void read_kib(pid_t pid, const char *file, const char *name, double *out)
{
    FILE *in = open_of(pid, file);
    char line[256];
    unsigned long long kib;

    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, name, strlen(name)) == 0 &&
            sscanf(line + strlen(name), ": %llu", &kib) == 1)
            *out = (double)kib * KIB;
    if (in != NULL)
        (void)fclose(in);
}

cz_err lab_proc_read(lab_proc *out, pid_t pid, bool with_pss)
{
    *out = (lab_proc){.rss = 0};
    if (!read_stat(out, pid))
        return cz_fail(CZ_E_NOTFOUND, "there is no process %ld", (long)pid);
    read_kib(pid, "status", "VmLck", &out->locked);
    if (with_pss)
        read_kib(pid, "smaps_rollup", "Pss", &out->pss);
    return CZ_OK;
}
