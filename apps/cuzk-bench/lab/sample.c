/* sample.c: see sample.h. */
#define _GNU_SOURCE
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KIB = 1024 };

static FILE *open_of(pid_t pid, const char *name)
{
    char path[64];

    (void)snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
    return fopen(path, "r");
}

/* The word number n of a line of words. */
static double number_at(const char *words, int n)
{
    for (; n > 0; n--) {
        words += strcspn(words, " ");
        words += strspn(words, " ");
    }
    return (double)strtoull(words, NULL, 10);
}

/* Field 3 and on of /proc/PID/stat come after the name, which may hold anything but ends with the
 * last ')': 10 and 12 are the faults, 14 and 15 the clock ticks in user and kernel, 24 the
 * resident pages. */
static bool read_stat(lab_proc *out, pid_t pid)
{
    enum { FIRST = 3, MINOR = 10, MAJOR = 12, USER = 14, SYSTEM = 15, PAGES = 24 };
    FILE *in = open_of(pid, "stat");
    char line[2048];
    const char *at;

    if (in == NULL)
        return false;
    at = fgets(line, sizeof line, in) != NULL ? strrchr(line, ')') : NULL;
    (void)fclose(in);
    if (at == NULL || at[1] != ' ')
        return false;
    out->minor_faults = number_at(at + 2, MINOR - FIRST);
    out->major_faults = number_at(at + 2, MAJOR - FIRST);
    out->cpu_seconds = (number_at(at + 2, USER - FIRST) + number_at(at + 2, SYSTEM - FIRST)) /
                       (double)sysconf(_SC_CLK_TCK);
    out->rss = number_at(at + 2, PAGES - FIRST) * (double)sysconf(_SC_PAGESIZE);
    return true;
}

/* Lines "Name:  123 kB". */
static void read_kib(pid_t pid, const char *file, const char *name, double *out)
{
    FILE *in = open_of(pid, file);
    const size_t n = strlen(name);
    char line[256];

    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        if (strncmp(line, name, n) == 0 && line[n] == ':')
            *out = (double)strtoull(line + n + 1, NULL, 10) * KIB;
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
