/* machine.c: see machine.h. */
#define _GNU_SOURCE
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpu.h"
#include "base/pool.h"
#include "base/version.h"
#include "gpu/gpu.h"
#include "groth16/forms.h"

static void copy(char *out, size_t size, const char *text)
{
    size_t n = strcspn(text, "\n");

    if (n >= size)
        n = size - 1;
    memcpy(out, text, n);
    out[n] = '\0';
}

/* The value of a line "name : value"; NULL: another line. */
static const char *value_of(const char *line, const char *name)
{
    const char *colon = strchr(line, ':');

    if (strncmp(line, name, strlen(name)) != 0 || colon == NULL)
        return NULL;
    return colon + 1 + strspn(colon + 1, " \t");
}

static void read_cpuinfo(lab_machine *m)
{
    FILE *in = fopen("/proc/cpuinfo", "r");
    char line[4096];

    while (in != NULL && fgets(line, sizeof line, in) != NULL) {
        const char *name = value_of(line, "model name"), *mhz = value_of(line, "cpu MHz");
        const double now = mhz != NULL ? strtod(mhz, NULL) : 0;

        if (name != NULL)
            copy(m->cpu, sizeof m->cpu, name);
        if (now > m->mhz_high)
            m->mhz_high = now;
        if (now > 0 && (m->mhz_low <= 0 || now < m->mhz_low))
            m->mhz_low = now;
    }
    if (in != NULL)
        (void)fclose(in);
}

/* "always [madvise] never" */
static void read_thp(lab_machine *m)
{
    FILE *in = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
    char line[256] = "";
    char *from;

    copy(m->thp, sizeof m->thp, "unknown");
    if (in == NULL)
        return;
    from = fgets(line, sizeof line, in) != NULL ? strchr(line, '[') : NULL;
    (void)fclose(in);
    if (from == NULL)
        return;
    from[strcspn(from, "]")] = '\0';
    copy(m->thp, sizeof m->thp, from + 1);
}

static void list_features(lab_machine *m)
{
    size_t n = 0;

    for (int i = 0; i < CZ_CPU_FEATURE_COUNT; i++)
        if (cz_cpu_has((cz_cpu_feature)i) && n < sizeof m->features)
            n += (size_t)snprintf(m->features + n, sizeof m->features - n, "%s%s",
                                  n == 0 ? "" : " ", cz_cpu_feature_name((cz_cpu_feature)i));
}

/* "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.65.06  Release Build …": the word
 * that begins with a digit and has a dot. */
static void read_driver(lab_machine *m)
{
    FILE *in = fopen("/proc/driver/nvidia/version", "r");
    char line[512] = "", *rest = line, *word;

    if (in == NULL)
        return;
    if (fgets(line, sizeof line, in) != NULL)
        while ((word = strsep(&rest, " ")) != NULL)
            if (word[0] >= '0' && word[0] <= '9' && strchr(word, '.') != NULL) {
                copy(m->driver, sizeof m->driver, word);
                break;
            }
    (void)fclose(in);
}

static void describe_gpu(lab_machine *m)
{
    cz_gpu_info info = {0};
    cz_gpu *gpu;
    int n = 0;

    if (cz_gpu_count(&n) != CZ_OK || n == 0 || cz_gpu_open(&gpu, 0, 0) != CZ_OK)
        return;
    if (cz_gpu_describe(gpu, &info) == CZ_OK)
        copy(m->gpu, sizeof m->gpu, info.name);
    cz_gpu_close(gpu);
    read_driver(m);
}

void lab_machine_describe(lab_machine *m, const char *commit)
{
    struct utsname system;

    *m = (lab_machine){.cpus = cz_cpu_count()};
    read_cpuinfo(m);
    read_thp(m);
    list_features(m);
    describe_gpu(m);
    m->memory_bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (uname(&system) == 0)
        (void)snprintf(m->kernel, sizeof m->kernel, "%.40s %.*s %.20s", system.sysname,
                       (int)strcspn(system.release, "-"), system.release, system.machine);
    (void)snprintf(m->compiler, sizeof m->compiler, "%s %.50s",
#ifdef __clang__
                   "clang", __clang_version__
#else
                   "gcc", __VERSION__
#endif
    );
    copy(m->program, sizeof m->program, cz_version());
    copy(m->commit, sizeof m->commit, commit);
    copy(m->forms, sizeof m->forms, cz_forms_text());
    if (getloadavg(&m->load_before, 1) != 1)
        m->load_before = 0;
}
