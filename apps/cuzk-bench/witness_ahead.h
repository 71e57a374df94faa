/* witness_ahead.h: the next partition's witness, made while a device proves the one before. */
#ifndef CZ_BENCH_WITNESS_AHEAD_H
#define CZ_BENCH_WITNESS_AHEAD_H

#include <pthread.h>

#include "base/trace.h"
#include "cs/bit_witness.h"
#include "filecoin/job.h"

typedef struct {
    const cz_job *job;
    const cz_compiled *compiled;
    cz_pool *pool;
    cz_trace *trace;
    size_t k; /* of the partition */
    bool running;
    pthread_t thread;
    cz_bit_witness w;
    cz_err err;
    char message[1024];
} witness_ahead;

/** Begin with partition k; nothing is under way. Where no thread can be had, nothing begins. */
void witness_ahead_start(witness_ahead *a, const cz_job *job, const cz_compiled *compiled,
                         cz_pool *pool, cz_trace *trace, size_t k);

/** Is partition k under way? */
bool witness_ahead_has(const witness_ahead *a, size_t k);

/** Wait for it; the caller owns the witness. */
CZ_MUST_CHECK cz_err witness_ahead_take(witness_ahead *a, cz_bit_witness *out);

/** Wait for what is under way, if anything, and forget it. */
void witness_ahead_stop(witness_ahead *a);

#endif
