/* msm_body.h: sums with full scalars, bit sums and fixed-base multiples, one text for every form
 * and both groups.
 *
 * No include guard: msm_cpu_g1.c and its siblings include it once each, having defined
 *   GROUP, AFFINE   the group's Jacobian and affine types   G(name)  its function of that name
 *   COORD           the coordinates' field                  C(name)  its function of that name
 *   KERNEL          the kernel's header
 * The kernel says how points are stored and adds many pairs of them. It must define: stored,
 * stored_set_infinity, stored_is_infinity, stored_copy, load_points, load_selected, store_points,
 * add_scratch, add_scratch_init, add_pairs. See msm_cpu_add.h.
 *
 * Tests define BLOCK_REFS and LOG_CHUNK to reach every path with few points. */

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "msm/msm_forms.h"
#include "msm/msm_memory.h"
#include "msm/msm_shape.h"

/* Refs that a thread reduces together: enough to share an inversion, few enough for its L2 cache.
 */
#ifndef BLOCK_REFS
#define BLOCK_REFS 4096
#endif
/* log2 of the points that are sorted together, at least, when there are so many. */
#ifndef LOG_CHUNK
#define LOG_CHUNK 17
#endif

enum {
    LOAD_GRAIN = 2048,            /* points a task loads */
    PIECE_REFS = BLOCK_REFS / 32, /* a long list is cut into pieces of so many refs */
    MIN_TASK_REFS = 1024,         /* fewer refs are not worth a thread's turn */
    MAX_SIMPLE_POINTS = 2,        /* so few points are multiplied one by one */
    MAX_TABLE_WINDOW = 16,        /* larger tables of a fixed base would not stay near the CPU */
    BUCKET_COST = 2               /* additions that reduce one bucket: a row's and a column's */
};

/* Two refs (see msm_lists.h) to be added. */
typedef struct {
    uint32_t a, b;
} pair;

CZ_INLINE void prefetch_lines(const void *p, size_t n)
{
    for (size_t at = 0; at < n; at += 64)
        __builtin_prefetch((const char *)p + at);
}

#include KERNEL
#include "msm/msm_lists.h"

#include "msm/msm_buckets.h"

#include "msm/msm_bit_sum.h"
#include "msm/msm_fixed_base.h"
