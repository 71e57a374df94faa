/* msm_plan.h: how a device cuts a sum into windows and sets of buckets.
 *
 * A half-scalar (glv_device.h) of 127 bits is cut into lower windows, signed, and a top one,
 * unsigned. With `tables` = 2 the device also holds 2^shift P for every point P: a lower window and
 * the one `shift` bits above share a set of buckets; with 4 tables, of 2^(shift t) P, four windows
 * do. The number of point additions is about
 *
 *     2 n windows + buckets of all sets
 *
 * whatever the order in which a bucket's points are added: both halves of a scalar have buckets of
 * their own, merged by one addition a bucket, and row and column sums take two more. Those three
 * take longer than additions in a bucket's tree, so a bucket weighs more in the choice.
 *
 * Sets are sorted and added up one after the other, which takes least memory, or `together`, which
 * takes fewer steps: a small sum's time is that of its steps. Together they look like one set,
 * `all`, whose buckets' numbers are their keys. */
#ifndef CZ_MSM_MSM_PLAN_H
#define CZ_MSM_MSM_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CZ_MSM_PLAN_MAX_SETS = 12,
    CZ_MSM_PLAN_MAX_SHARE = 4,
    CZ_MSM_PLAN_KEY_BITS = 10 /* strides are multiples of 2 to that */
};

typedef struct {
    int position;   /* of its lowest bit in the half-scalar */
    int width;      /* 0: the top window, unsigned, to bit 126 */
    unsigned table; /* t: of 2^(shift t) P */
} cz_msm_plan_window;

typedef struct {
    uint32_t buckets;        /* magnitudes 1 … buckets */
    uint32_t stride;         /* keys of the second halves' buckets begin here */
    uint64_t padded_buckets; /* to whole rows */
    uint64_t first_bucket;   /* among all sets; where sets are together also of its keys */
    int position;            /* weight 2^position */
    unsigned n_windows;
    cz_msm_plan_window window[CZ_MSM_PLAN_MAX_SHARE];
} cz_msm_plan_set;

typedef struct {
    uint64_t n;
    unsigned tables;
    int shift;            /* from table to table */
    unsigned column_bits; /* a row has 2^column_bits buckets */
    unsigned n_sets;
    cz_msm_plan_set set[CZ_MSM_PLAN_MAX_SETS];
    bool together;
    cz_msm_plan_set all;              /* without windows */
    uint64_t offset_low, offset_high; /* what makes all digits plain bit fields */
    uint64_t all_buckets;             /* padded, of all sets */
    uint64_t max_entries;             /* of a set: 2 n windows; together: of all */
    uint64_t max_keys;                /* of a set: 2 strides; together: of all */
    double additions;                 /* their time, in additions of a tree */
} cz_msm_plan;

/** The plan that takes least time for n points, n at least 1; tables 1, 2 or 4. */
void cz_msm_plan_choose(cz_msm_plan *plan, uint64_t n, unsigned tables);

/** The same with sets together, without a table; a set's buckets hold about as many terms as
 * another's. */
void cz_msm_plan_choose_together(cz_msm_plan *plan, uint64_t n);

#ifdef __cplusplus
}
#endif
#endif
