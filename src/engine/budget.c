/* budget.c: reservations, and what the machine leaves to us. */
#define _GNU_SOURCE
#include "engine/budget.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum { PATH_BYTES = 4096 };

bool cz_budget_reserve(cz_budget *b, uint64_t bytes)
{
    if (bytes > cz_budget_free(b))
        return false;
    b->used += bytes;
    if (b->used + b->idle > b->peak)
        b->peak = b->used + b->idle;
    return true;
}

void cz_budget_release(cz_budget *b, uint64_t bytes)
{
    CZ_ASSERT(bytes <= b->used);
    b->used -= bytes;
}

/* --- reading --- */

/* The number after `key` at the start of a line of a file; UINT64_MAX when there is none, or
 * "max". An empty key takes the file's first number. */
static uint64_t read_number(const char *path, const char *key)
{
    FILE *f = fopen(path, "re");
    char line[512];
    const size_t key_len = strlen(key);
    uint64_t value = UINT64_MAX;

    if (f == NULL)
        return value;
    while (value == UINT64_MAX && fgets(line, sizeof line, f) != NULL) {
        char *end;

        if (strncmp(line, key, key_len) != 0)
            continue;
        value = strtoull(line + key_len, &end, 10);
        if (end == line + key_len)
            value = UINT64_MAX;
    }
    (void)fclose(f);
    return value;
}

static uint64_t number_in(const char *folder, const char *file, const char *key)
{
    char path[PATH_BYTES + 64];

    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    return read_number(path, key);
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- control groups --- */

/* What one group leaves: its limit less its usage, where page cache that nobody used lately does
 * not count. */
static uint64_t group_leaves(const char *folder, const char *limit_file, const char *usage_file,
                             const char *idle_cache_key)
{
    const uint64_t limit = number_in(folder, limit_file, "");
    uint64_t usage = number_in(folder, usage_file, "");
    const uint64_t cache = number_in(folder, "memory.stat", idle_cache_key);

    /* Version 1 says "no limit" as a number near 2^63. */
    if (limit >= (uint64_t)1 << 62)
        return UINT64_MAX;
    if (usage == UINT64_MAX)
        usage = 0;
    if (cache != UINT64_MAX)
        usage -= less(cache, usage);
    return limit > usage ? limit - usage : 0;
}

/* A group and all groups above it, down to the mount point. */
static uint64_t groups_leave(const char *mount, const char *group, const char *limit_file,
                             const char *usage_file, const char *idle_cache_key)
{
    char folder[PATH_BYTES];
    const size_t mount_len = strlen(mount);
    uint64_t leaves = UINT64_MAX;

    if (snprintf(folder, sizeof folder, "%s%s", mount, group) >= (int)sizeof folder)
        return leaves;
    while (strlen(folder) >= mount_len) {
        char *slash;

        leaves = less(leaves, group_leaves(folder, limit_file, usage_file, idle_cache_key));
        slash = strrchr(folder, '/');
        if (slash == NULL)
            break;
        *slash = '\0';
    }
    return leaves;
}

/* One line of /proc/self/cgroup: "0::/group" (version 2) or "4:memory:/group" (version 1). */
static uint64_t line_leaves(const char *root, char *line)
{
    char mount[PATH_BYTES];
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');

    if (group == NULL)
        return UINT64_MAX;
    *controllers++ = '\0';
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (strcmp(line, "0") == 0) {
        (void)snprintf(mount, sizeof mount, "%s/sys/fs/cgroup", root);
        return groups_leave(mount, group, "memory.max", "memory.current", "inactive_file ");
    }
    if (strcmp(controllers, "memory") != 0)
        return UINT64_MAX;
    (void)snprintf(mount, sizeof mount, "%s/sys/fs/cgroup/memory", root);
    return groups_leave(mount, group, "memory.limit_in_bytes", "memory.usage_in_bytes",
                        "total_inactive_file ");
}

static uint64_t all_groups_leave(const char *root)
{
    char path[PATH_BYTES], line[PATH_BYTES];
    uint64_t leaves = UINT64_MAX;
    FILE *f;

    (void)snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    f = fopen(path, "re");
    if (f == NULL)
        return leaves;
    while (fgets(line, sizeof line, f) != NULL)
        leaves = less(leaves, line_leaves(root, line));
    (void)fclose(f);
    return leaves;
}

uint64_t cz_memory_available(const char *root)
{
    char path[PATH_BYTES];
    uint64_t kib, leaves;

    (void)snprintf(path, sizeof path, "%s/proc/meminfo", root);
    kib = read_number(path, "MemAvailable:");
    leaves = all_groups_leave(root);
    if (kib != UINT64_MAX)
        leaves = less(leaves, kib * 1024);
    return leaves == UINT64_MAX ? 0 : leaves;
}

uint64_t cz_memory_auto_budget(uint64_t available, uint64_t margin)
{
    return available - less(margin, available / 4);
}
