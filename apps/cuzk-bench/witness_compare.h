/* witness_compare.h: one partition's assignment by both paths, as digests. */
#ifndef CZ_BENCH_WITNESS_COMPARE_H
#define CZ_BENCH_WITNESS_COMPARE_H

#include "cs/assignment_digest.h"
#include "filecoin/job.h"
#include "report.h"

typedef struct {
    cz_assignment_digest classic, compiled;
    const char *differs;    /* NULL: nothing does */
    uint64_t first_failing; /* constraint, by the compiled form; their number: none */
    uint64_t constraints;
    double witness_seconds, classic_seconds, compiled_seconds;
} witness_comparison;

/** Partition k of a job, whose compiled circuit is `c`. */
CZ_MUST_CHECK cz_err witness_compare(witness_comparison *out, const cz_job *job, size_t k,
                                     const cz_compiled *c, cz_pool *pool);

void witness_comparison_print(size_t k, const witness_comparison *w);

/** One object of an array. */
void witness_comparison_json(json_out *j, size_t k, const witness_comparison *w);

#endif
