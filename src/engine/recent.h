/* recent.h: the jobs that ended last, with where their time went, for displays.
 *
 * A ring inside the engine, written once a job by the finisher under engine.lock. It lives in
 * memory alone: the journal keeps proofs, not times. */
#ifndef CZ_ENGINE_RECENT_H
#define CZ_ENGINE_RECENT_H

#include "engine/engine.h"

enum { CZ_RECENT_JOBS = 50, CZ_RECENT_TEXT_BYTES = 256 };

typedef struct {
    char job_id[CZ_JOB_ID_BYTES];
    char request_id[128];             /* cut */
    char error[CZ_RECENT_TEXT_BYTES]; /* cut; "" when completed */
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    cz_proof_kind kind;
    unsigned priority;
    cz_job_status status;
    size_t partitions; /* 0: never opened */
    unsigned retried;  /* partitions that were made twice */
    uint64_t ended_ms; /* since 1970 */
    uint64_t queue_wait_ms, srs_load_ms, total_ms;
    /* sums over the partitions, which overlap: together they may be longer than total_ms */
    double phase_ms[CZ_PHASE_COUNT];
} cz_recent_job;

typedef struct {
    cz_recent_job jobs[CZ_RECENT_JOBS];
    uint64_t n; /* ever noted; the latest is jobs[(n - 1) % CZ_RECENT_JOBS] */
} cz_recent_jobs;

/** Copy the latest jobs, newest first, into out; how many (at most max). */
size_t cz_engine_recent(cz_engine *e, cz_recent_job *out, size_t max);

#endif
