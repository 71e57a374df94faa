/* arena.c: see arena.h. */
#include "gpu/arena.h"

unsigned cz_arena_add(cz_arena_map *map, const char *name, uint64_t bytes)
{
    const unsigned region = map->n;

    CZ_ASSERT(region < CZ_ARENA_MAX_REGIONS);
    map->region[region].name = name;
    map->region[region].offset = map->bytes;
    map->region[region].bytes = bytes;
    map->bytes += (bytes + CZ_ARENA_ALIGN - 1) / CZ_ARENA_ALIGN * CZ_ARENA_ALIGN;
    map->n++;
    return region;
}

void *cz_arena_at(const cz_arena_map *map, unsigned region, void *base)
{
    CZ_ASSERT(region < map->n);
    return (char *)base + map->region[region].offset;
}

void cz_arena_print(const cz_arena_map *map, FILE *to)
{
    for (unsigned i = 0; i < map->n; i++)
        (void)fprintf(to, "%-22s %14llu bytes at %14llu\n", map->region[i].name,
                      (unsigned long long)map->region[i].bytes,
                      (unsigned long long)map->region[i].offset);
    (void)fprintf(to, "%-22s %14llu bytes\n", "all", (unsigned long long)map->bytes);
}
