/* witness_ahead.h: the next partitions' witnesses, made while a device proves the ones before. */
#ifndef CZ_BENCH_WITNESS_AHEAD_H
#define CZ_BENCH_WITNESS_AHEAD_H

#include <pthread.h>

#include "cs/bit_witness.h"

/* Makes the witness of partition k; the caller owns it. */
typedef cz_err (*witness_maker)(void *ctx, size_t k, cz_bit_witness *w);

typedef struct {
    witness_maker make;
    void *ctx;
    size_t first, n; /* partitions */
    bool is_begun, has_thread;
    pthread_t thread;
    cz_bit_witness *w; /* n of them, all zero where they are not made */
    cz_err err;
    char message[1024];
} witness_ahead;

/** Begin with partitions [first, first + n); nothing is under way. Where no thread can be had, the
 * work is done when it is waited for. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err witness_ahead_start(witness_ahead *a, witness_maker make, void *ctx,
                                         size_t first, size_t n);

/** Are the partitions from `first` on under way? */
bool witness_ahead_has(const witness_ahead *a, size_t first);

/** Wait for them. The caller owns the n witnesses: witness_ahead_free. */
CZ_MUST_CHECK cz_err witness_ahead_take(witness_ahead *a, cz_bit_witness **out);
void witness_ahead_free(cz_bit_witness *w, size_t n);

/** Wait for what is under way, if anything, and forget it. */
void witness_ahead_stop(witness_ahead *a);

#endif
