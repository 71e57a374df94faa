#define _GNU_SOURCE
#include "base/core_dump.h"

#include <sys/resource.h>

void cz_core_dump_forbid(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_CORE, &limit) != 0)
        return;
    limit.rlim_cur = 0;
    (void)setrlimit(RLIMIT_CORE, &limit); /* lowering a soft limit is always allowed */
}
