/* shapes.c: the table of sector sizes; see shapes.h. */
#include "filecoin/shapes.h"

#include <string.h>

#include "filecoin/registry.h"

/* Trees C and R-last: base levels of 8, so that nodes = 8^base * sub * top. Tree D: one level a
 * bit. */
#define TREE_R(base, sub, top)                                                                     \
    {                                                                                              \
        CZ_TREE_POSEIDON, 8, sub, top, base                                                        \
    }
#define TREE_D(log_nodes)                                                                          \
    {                                                                                              \
        CZ_TREE_SHA254, 2, 0, 0, log_nodes                                                         \
    }
#define SIZE(log_nodes) UINT64_C(32) << (log_nodes), UINT64_C(1) << (log_nodes)

/* layers, challenges a partition, partitions, non-interactive partitions */
#define SMALL_POREP 2, 2, 1, 13
#define LARGE_POREP 11, 18, 10, 126

static const cz_sector_shape shapes[] = {
    {"2k", SIZE(6), TREE_R(2, 0, 0), TREE_D(6), SMALL_POREP, 2, 1, 10, 8},
    {"4k", SIZE(7), TREE_R(2, 2, 0), TREE_D(7), SMALL_POREP, 2, 1, 10, 8},
    {"16k", SIZE(9), TREE_R(2, 8, 0), TREE_D(9), SMALL_POREP, 2, 2, 10, 128},
    {"32k", SIZE(10), TREE_R(2, 8, 2), TREE_D(10), SMALL_POREP, 2, 2, 10, 128},
    {"8m", SIZE(18), TREE_R(6, 0, 0), TREE_D(18), SMALL_POREP, 2, 4, 10, 128},
    {"16m", SIZE(19), TREE_R(6, 2, 0), TREE_D(19), SMALL_POREP, 2, 4, 10, 128},
    {"512m", SIZE(24), TREE_R(8, 0, 0), TREE_D(24), SMALL_POREP, 2, 16, 86, 128},
    {"1g", SIZE(25), TREE_R(8, 2, 0), TREE_D(25), SMALL_POREP, 2, 0, 0, 0},
    {"32g", SIZE(30), TREE_R(9, 8, 0), TREE_D(30), LARGE_POREP, 2349, 16, 86, 128},
    {"64g", SIZE(31), TREE_R(9, 8, 2), TREE_D(31), LARGE_POREP, 2300, 16, 86, 128},
};

enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

const cz_sector_shape *cz_sector_shapes(size_t *n)
{
    *n = N_SHAPES;
    return shapes;
}

const cz_sector_shape *cz_sector_shape_find(uint64_t sector_size)
{
    for (size_t i = 0; i < N_SHAPES; i++)
        if (shapes[i].sector_size == sector_size)
            return &shapes[i];
    return NULL;
}

const cz_sector_shape *cz_sector_shape_by_tag(const char *tag)
{
    for (size_t i = 0; i < N_SHAPES; i++)
        if (strcmp(shapes[i].tag, tag) == 0)
            return &shapes[i];
    return NULL;
}

const char *cz_sector_size_tag(uint64_t sector_size)
{
    const cz_sector_shape *s = cz_sector_shape_find(sector_size);

    return s == NULL ? NULL : s->tag;
}

uint64_t cz_sector_size_from_tag(const char *tag)
{
    const cz_sector_shape *s = cz_sector_shape_by_tag(tag);

    return s == NULL ? 0 : s->sector_size;
}
