/* engine_status.h: a picture of the engine at one moment, for status displays and metrics.
 *
 * It has what the status JSON and the GetStatus reply need; writing them is the server's part. */
#ifndef CZ_ENGINE_ENGINE_STATUS_H
#define CZ_ENGINE_ENGINE_STATUS_H

#include "engine/batcher.h"
#include "engine/engine.h"

enum { CZ_KINDS = 5 }; /* indices are proof kinds, 0 unused */

/* Seconds: upper bounds of the buckets; a last one takes the rest. */
#define CZ_HISTOGRAM_BOUNDS                                                                        \
    {                                                                                              \
        0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800                     \
    }
enum { CZ_HISTOGRAM_BUCKETS = 16 };

typedef struct {
    uint64_t n[CZ_HISTOGRAM_BUCKETS]; /* not cumulative */
    uint64_t count;
    double sum;
} cz_histogram;

typedef enum {
    CZ_TIMED_QUEUE,     /* accepted to first stage of a partition, a job */
    CZ_TIMED_SYNTHESIS, /* a partition */
    CZ_TIMED_PROVE,     /* a partition */
    CZ_TIMED_VERIFY,    /* a partition */
    CZ_TIMED_TOTAL,     /* accepted to ended, a completed job */
    CZ_TIMED_COUNT
} cz_timed;

/** "queue", "synthesis", "prove", "verify", "total". */
const char *cz_timed_name(cz_timed what);

typedef struct {
    uint64_t accepted[CZ_KINDS], joined[CZ_KINDS], refused;
    uint64_t ended[CZ_KINDS][5]; /* by cz_job_status */
    uint64_t self_check_failures[CZ_KINDS], retries[CZ_KINDS];
    uint64_t keys_loads, keys_load_failures, keys_evictions;
    uint64_t batches[CZ_FLUSH_REASONS];
    uint64_t journal_errors, stalls, reopened;
    double phase_ms[CZ_PHASE_COUNT]; /* of all ended jobs */
    cz_histogram timed[CZ_TIMED_COUNT][CZ_KINDS];
} cz_engine_counters;

/** Jobs of all kinds that ended so. */
uint64_t cz_counters_ended(const cz_engine_counters *c, cz_job_status status);

typedef enum {
    CZ_PART_PENDING,
    CZ_PART_SYNTHESIZING,
    CZ_PART_SYNTH_DONE,
    CZ_PART_GPU, /* proving or verifying */
    CZ_PART_DONE,
    CZ_PART_FAILED
} cz_part_phase;

/** "pending", "synthesizing", "synth_done", "gpu", "done", "failed". */
const char *cz_part_phase_name(cz_part_phase phase);

typedef struct {
    cz_part_phase phase;
    bool has_synth, has_gpu; /* the stage has ended */
    uint64_t synth_ms, gpu_ms;
} cz_part_status;

typedef struct {
    char job_id[CZ_JOB_ID_BYTES];
    char request_id[128]; /* cut */
    cz_proof_kind kind;
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    unsigned priority;
    const char *state; /* "accepting", "collecting", "queued", "opening", "active", … */
    cz_job_status status;
    double age_s;           /* since accepted */
    double started_s_ago;   /* since the first stage; age before that */
    size_t n_parts, n_done; /* 0 parts before it is opened */
    cz_part_status *parts;
} cz_job_view;

typedef struct {
    unsigned worker, device;
    bool proves; /* false: a synthesis worker */
    bool spare;  /* proves what no device takes */
    bool busy, stalled;
    const char *stage; /* "", "open", "synthesize", "prove" */
    char job_id[CZ_JOB_ID_BYTES];
    unsigned partition;
    cz_proof_kind kind;
    double busy_s;
} cz_worker_view;

typedef enum { CZ_TIER_HOT, CZ_TIER_WARM, CZ_TIER_COLD } cz_tier; /* as SRSStatus.Tier */

typedef struct {
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    cz_tier tier;
    bool loading, evictable, keep;
    uint64_t bytes;      /* of the budget */
    uint64_t file_bytes; /* of the parameter file */
    unsigned refs;       /* partitions in work that use it */
    double idle_s;
    uint64_t load_ms;
} cz_keys_view;

typedef struct {
    const char *backend;
    unsigned device;
    bool spare;
    cz_device_info info;
    char job_id[CZ_JOB_ID_BYTES]; /* "" when idle */
    cz_proof_kind kind;
} cz_device_view;

typedef struct {
    double uptime_s;
    bool draining;
    uint64_t memory_total, memory_used, memory_peak; /* used: reserved, or idle with the prover */
    uint64_t pinned_bytes, pinned_limit;             /* of that, page-locked; 0 without devices */
    unsigned synthesis_active, synthesis_workers;
    /* partitions by stage: a witness being made, one that waits, one being proved */
    unsigned synth_in_flight, waiting, proving, verifying;
    unsigned pending[CZ_KINDS], in_progress[CZ_KINDS]; /* jobs */
    unsigned queue_depth;                              /* jobs in no stage yet */
    unsigned jobs;                                     /* accepted, not ended */
    const char *waits_for; /* why nothing starts although work waits: "", "memory", … */
    uint64_t waits_for_bytes;
    char journal_error[CZ_JOURNAL_WHY_BYTES]; /* "": it can be written, or there is none */
    cz_engine_counters counters;
    cz_job_view *job_views; /* not ended, in order; then ended within half a minute */
    size_t n_jobs;
    cz_worker_view *workers;
    size_t n_workers;
    cz_keys_view *keys;
    size_t n_keys;
    cz_device_view *devices;
    size_t n_devices;
} cz_engine_status;

/** Destroy it with cz_engine_status_destroy. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_engine_status_create(cz_engine_status **out, cz_engine *e);
void cz_engine_status_destroy(cz_engine_status *status);

#endif
