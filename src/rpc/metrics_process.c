/* metrics_process.c: /proc/self [proc(5)]. */
#define _GNU_SOURCE
#include "rpc/metrics_process.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/trace.h"

/* Fields of /proc/self/stat behind the command's name, which may hold anything: 3 is the first. */
enum { STAT_THREADS = 20, STAT_START = 22, STAT_VSIZE = 23, STAT_RSS = 24, STAT_FIELDS = 25 };

static void read_stat(unsigned long long fields[STAT_FIELDS])
{
    FILE *file = fopen("/proc/self/stat", "re");
    char line[1024] = "";
    char *rest = NULL, *at;

    if (file == NULL)
        return;
    if (fgets(line, sizeof line, file) != NULL && (at = strrchr(line, ')')) != NULL) {
        (void)strtok_r(at + 1, " ", &rest); /* field 3, the state */
        for (int i = 4; i < STAT_FIELDS && (at = strtok_r(NULL, " ", &rest)) != NULL; i++)
            fields[i] = strtoull(at, NULL, 10);
    }
    (void)fclose(file);
}

static uint64_t count_fds(void)
{
    DIR *dir = opendir("/proc/self/fd");
    uint64_t n = 0;

    if (dir == NULL)
        return 0;
    while (readdir(dir) != NULL)
        n++;
    (void)closedir(dir);
    return n > 3 ? n - 3 : 0; /* not ".", "..", nor the one that reads the folder */
}

/* Start times are ticks since boot; the wall clock's time of boot is now less the uptime. */
static double start_time(unsigned long long ticks)
{
    struct timespec wall, up;

    (void)clock_gettime(CLOCK_REALTIME, &wall);
    (void)clock_gettime(CLOCK_BOOTTIME, &up);
    return (double)(wall.tv_sec - up.tv_sec) + (double)(wall.tv_nsec - up.tv_nsec) / 1e9 +
           (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static double cpu_seconds(void)
{
    struct rusage u;

    (void)getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static uint64_t max_fds(void)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? (uint64_t)limit.rlim_cur : 0;
}

void cz_process_read(cz_process_numbers *out)
{
    unsigned long long fields[STAT_FIELDS] = {0};

    read_stat(fields);
    *out = (cz_process_numbers){
        .cpu_seconds = cpu_seconds(),
        .start_time_seconds = start_time(fields[STAT_START]),
        .resident_bytes = fields[STAT_RSS] * (uint64_t)sysconf(_SC_PAGESIZE),
        .peak_resident_bytes = cz_peak_rss_bytes(),
        .virtual_bytes = fields[STAT_VSIZE],
        .threads = fields[STAT_THREADS],
        .open_fds = count_fds(),
        .max_fds = max_fds(),
    };
}
