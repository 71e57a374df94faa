/* core_dump.c: see core_dump.h. */
#define _GNU_SOURCE
#include "base/core_dump.h"

#include <sys/resource.h>

/* The kernel keeps to a limit of 0 where it writes a file, but hands the dump to a program
 * (kernel.core_pattern = "|...") in spite of it. 1 forbids both [Linux, fs/coredump.c]. */
enum { NOWHERE = 1 };

void cz_core_dump_forbid(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max < NOWHERE ? limit.rlim_max : NOWHERE;
    (void)setrlimit(RLIMIT_CORE, &limit); /* a soft limit up to the hard one is always allowed */
}
