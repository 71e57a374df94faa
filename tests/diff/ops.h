/* ops.h: the differential table's rows. */
#ifndef CZ_TESTS_DIFF_OPS_H
#define CZ_TESTS_DIFF_OPS_H

#include "diff.h"

/* One operation; compare() runs one shape with one kind of input on the device and on the CPU. */
typedef struct {
    const char *name;
    void (*compare)(diff_run *run, const char *name, size_t n, diff_input input);
    const size_t *sizes; /* ends with 0 */
    const size_t *large; /* further sizes of the full table, only random input */
} diff_op;

extern const diff_op diff_ntt_ops[];
extern const size_t diff_n_ntt_ops;
extern const diff_op diff_msm_ops[];
extern const size_t diff_n_msm_ops;
extern const diff_op diff_setup_ops[];
extern const size_t diff_n_setup_ops;

#endif
