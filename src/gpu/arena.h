/* arena.h: one block of memory with a stated map.
 *
 * What works on a device plans all its memory first: every region gets a name and a size, the map
 * adds up to one number that is asked of the budget once, and can be printed. Pure arithmetic, so
 * it is tested without a device. */
#ifndef CZ_GPU_ARENA_H
#define CZ_GPU_ARENA_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CZ_ARENA_MAX_REGIONS = 32, CZ_ARENA_ALIGN = 256 };

/* Starts as all zero. */
typedef struct {
    uint64_t bytes; /* of all */
    unsigned n;
    struct {
        const char *name; /* must outlive the map */
        uint64_t offset, bytes;
    } region[CZ_ARENA_MAX_REGIONS];
} cz_arena_map;

/** Add a region; its number. Aligned to CZ_ARENA_ALIGN. */
unsigned cz_arena_add(cz_arena_map *map, const char *name, uint64_t bytes);

/** Where a region lies in a block at `base`. */
void *cz_arena_at(const cz_arena_map *map, unsigned region, void *base);

/** A line a region. */
void cz_arena_print(const cz_arena_map *map, FILE *to);

#ifdef __cplusplus
}
#endif
#endif
