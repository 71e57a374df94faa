/* sums_answer.h: the last step of a device's sum, on the host: from bit sums to one point.
 *
 * A set's bucket b = column + row 2^k weighs b + 1. With R the row sums and C the column sums,
 *     sum of (b + 1) B_b = 2^k sum of row R_row + sum of column C_column + sum of C_column
 * and a weighted sum is a Horner scheme over bit sums: S_j = the sum of those points whose number
 * has bit j. That is a hundred doublings one after the other, which take a device's thread a
 * millisecond or three and the host a tenth of one.
 *
 * Points come as the device leaves them: lane by lane (x, y, zz, zzz), each of 48 bytes, Montgomery
 * form; a point of G1 is one lane, a point of G2 two, one a component. Plain C: tested without a
 * device. Timing depends on the points. */
#ifndef CZ_MSM_SUMS_ANSWER_H
#define CZ_MSM_SUMS_ANSWER_H

#include "msm/msm_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A set's bit sums, in this order from `first` on: rows' bits, columns' bits, all columns. */
typedef struct {
    unsigned first, row_bits;
    int position; /* the set's weight is 2^position; later sets have larger ones */
} cz_sum_set;

typedef struct {
    unsigned n_sets, column_bits;
    cz_sum_set set[CZ_MSM_PLAN_MAX_SETS];
} cz_sum_sets;

/* A point of either group under way: Jacobian. */
typedef struct {
    uint64_t limb[36];
} cz_sum_point;

/* What both groups offer; by pointers, for the CUDA backend has no arithmetic of the host. */
typedef struct cz_sum_host {
    void (*start)(cz_sum_point *sum); /* at infinity */
    void (*add_one)(cz_sum_point *sum, const void *bit_sums, unsigned i);
    void (*add_sets)(cz_sum_point *sum, const void *bit_sums, const cz_sum_sets *sets);
    void (*to_affine)(void *affine, const cz_sum_point *sum);
} cz_sum_host;

extern const cz_sum_host cz_sum_host_g1, cz_sum_host_g2;

#ifdef __cplusplus
}
#endif
#endif
