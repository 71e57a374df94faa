/* engine.h: from accepted requests to verified proofs, many at once, within a memory budget.
 *
 *            submit (caller's thread)
 *               |  identity, admission, journal + spool
 *               v
 *     +- COLLECTING -+   PoRep and Snap wait for others of their circuit (batcher.h);
 *     |   batches    |   size, time or an urgent arrival lets them go
 *     +------+-------+
 *            v
 *         QUEUED --open--> ACTIVE        job queue, ordered by (priority, age)
 *                            |
 *            synthesis workers: lowest pending partition of the first job
 *                            |  at most max(lookahead, workers, what devices take at once)
 *                            v  witnesses of its priority wait
 *                 [ SYNTHESIZED partitions ]          keys: COLD -open- WARM -heat- HOT
 *                            |                       (loader thread, then devices' own workers)
 *            proving workers: most urgent partitions whose keys are hot, one set a device, shared
 *                            |  so that devices end together (share.c);
 *                            v  what no device takes goes to the spare backend (serving.c)
 *            finisher: verify; all partitions verified -> journal -> ENDED, waiters told
 *
 * Owners. A job belongs to the engine; callers hold its id. A partition belongs to the worker that
 * runs its stage, between stages to the engine. A witness belongs to its partition. Nothing is
 * shared but `work` and hot keys, which are immutable.
 *
 * Order. More urgent first; within a priority the oldest job, within a job the lowest partition, so
 * that jobs end one after another. A running stage is never interrupted: a more urgent job takes
 * the next free worker, at the latest after one call, which on a device may have as many partitions
 * as it takes at once. Less urgent witnesses that wait do not
 * count against the look-ahead of more urgent ones.
 *
 * Look-ahead. Witnesses that wait for the spare backend and those that wait for the others are
 * counted apart: neither makes the other side wait.
 *
 * Memory. A stage starts only with its reservation (budget.h): opening takes open_bytes, a
 * partition device_bytes, or part_bytes where the host proves it, until its proof is computed, keys
 * hot_bytes while hot. A partition that falls to the host gets the rest at once, or gives its
 * witness up and waits for all of it. The first in order that does not fit waits, and nothing
 * behind it takes the memory it waits for. What the prover keeps idle for its next partitions
 * counts, too; when something does not fit, it is given back first, then unused keys are evicted,
 * least recently used first. A job that could never fit is refused at submit; where only its
 * request or its keys tell, or keys that are kept have come meanwhile, it fails as soon as that is
 * known. A preload does not wait for memory: there is some, or it fails alone. Without a journal
 * accepted requests stay in memory until their jobs have ended: at most a quarter of the budget,
 * beside it, or one request; those of at most 4 KiB are not counted.
 *
 * Keys. The loader opens them and does the host's part of heating. What is to lie on a device its
 * own worker loads (step_load.c); the first device to have them makes them hot. The loader, which
 * all circuits need, thus waits for no device, whatever one is in.
 *
 * Self-check. Every partition is verified against inputs derived from the request before anything
 * leaves the engine, whatever its kind. A failure is counted and the partition made once more, by
 * another backend where there is one; a second one of the same partition fails the job. A backend
 * is told of its good proofs, and of a wrong one when another backend has made it good: a device
 * with two of these and no good one between is given up (device_prover.h).
 *
 * Kept proofs, in memory and in the journal, were verified once, and leave again only as they were
 * then and for the same verifying key (kept.c): that of the keys the engine has open, or else of
 * the parameter file as it is now. Otherwise it is as if there were none: the request is proved
 * anew. A job's partitions are all verified with one key.
 *
 * Identity. A job's id is a digest of request_id and content, so the same request twice is the same
 * job: it joins the one that runs, or gets the finished proof. Same request_id with other content
 * is another job. A failed, cancelled or timed-out one runs again; so it does for who waited for an
 * equal request that was then not accepted. Priority is not content: the highest that was asked for
 * counts, after a restart, too.
 *
 * Cancel. A job that waits ends at once; a running one is reported as cancelled at once and its
 * memory is free when the running stages return. A deadline is a cancel with another name.
 *
 * Errors. An error in a stage fails its job with a message that begins with the partition; other
 * jobs go on. Keys that cannot be loaded fail the jobs that wait for them; the next job tries
 * again. A journal that cannot be written refuses new jobs; finished proofs are still delivered.
 *
 * Drain: nothing new is accepted, what was accepted ends, batches wait for nobody. Stop: workers
 * end after the stage they are in; jobs that have not ended stay in the journal and run at the next
 * start, also when their callers leave meanwhile.
 *
 * Locks. engine.lock guards jobs, partitions, keys' states, budget and counters; no stage, no file
 * and no callback runs under it. journal.lock guards the database connection and is taken without
 * engine.lock. The engine locks nothing else; capacity and holds of a backend are asked under
 * engine.lock and may take a lock of their own for a moment. */
#ifndef CZ_ENGINE_ENGINE_H
#define CZ_ENGINE_ENGINE_H

#include "engine/faults.h"
#include "engine/journal.h"
#include "engine/prover.h"

typedef struct cz_engine cz_engine;

enum { CZ_PRIORITY_LOW = 1, CZ_PRIORITY_NORMAL, CZ_PRIORITY_HIGH, CZ_PRIORITY_CRITICAL };

/** "low", "normal", "high", "critical"; "unspecified" for other numbers. */
const char *cz_priority_name(unsigned priority);

/* What may change while the engine runs. */
typedef struct {
    unsigned max_batch_size; /* jobs; 1 collects nothing */
    uint64_t max_batch_wait_ms;
    bool sort_by_type; /* prefer NORMAL jobs whose keys are hot, within bounds */
    size_t max_queue;  /* jobs that have not ended */
    uint64_t watchdog_ms;
    uint64_t eviction_min_idle_ms;
    uint64_t keep_results_ms;
} cz_engine_tuning;

typedef struct {
    cz_prover prover;
    const cz_backend *backends; /* copied */
    size_t n_backends;
    cz_journal *journal; /* may be NULL: nothing survives a restart. Outlives the engine */
    unsigned synthesis_workers;
    unsigned lookahead; /* witnesses that may wait for a prover */
    bool pipelined;     /* false: a witness is made only when a prover is free for it */
    uint64_t host_bytes;
    const char *const *keep; /* circuits whose keys are never evicted for memory; copied */
    size_t n_keep;
    cz_faults faults; /* tests only; all zero otherwise */
    cz_engine_tuning tuning;
} cz_engine_options;

/** One synthesis worker, look-ahead 1, a budget of 1 GiB, batches of one. */
cz_engine_options cz_engine_defaults(void);

/** Takes up the journal's unfinished jobs. No thread runs yet. CZ_E_ARG, CZ_E_NOMEM, CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_engine_create(cz_engine **out, const cz_engine_options *options);
CZ_MUST_CHECK cz_err cz_engine_start(cz_engine *e);
void cz_engine_tune(cz_engine *e, const cz_engine_tuning *tuning);

/** Accept nothing more. */
void cz_engine_drain(cz_engine *e);

/** Wait until no job is left; false when timeout_ms passed first. */
bool cz_engine_wait_idle(cz_engine *e, uint64_t timeout_ms);

/** Stop the threads. Waiters return CZ_E_CANCELLED. */
void cz_engine_stop(cz_engine *e);

/** Stops first. No call may be in progress. */
void cz_engine_destroy(cz_engine *e);

/* --- jobs --- */

typedef struct {
    bool attached; /* the caller waits; the job is cancelled when all such callers have left */
    uint64_t timeout_ms; /* from now; 0: none. The latest deadline of all who asked counts */
} cz_submit_options;

typedef struct {
    char job_id[CZ_JOB_ID_BYTES];
    bool joined;         /* an equal request was there before */
    unsigned n_before;   /* jobs that go first */
    const char *backend; /* that will serve it, when there is only one; else "" */
    uint64_t run;        /* which run of this id it is, for cz_engine_leave_run */
} cz_submit_reply;

/** Accept a request, which belongs to the engine from here on, also when it is refused.
 *
 * CZ_E_INPUT, CZ_E_UNSUPPORTED  the request is wrong
 * CZ_E_NOTFOUND                 the circuit's parameters are missing
 * CZ_E_NOMEM                    it can never fit the memory budget
 * CZ_E_DECLINED                 the queue is full, by jobs or by bytes; try later
 * CZ_E_IO                       the journal cannot be written
 * CZ_E_CANCELLED                the engine is draining or stopping */
CZ_MUST_CHECK cz_err cz_engine_submit(cz_engine *e, cz_request *request,
                                      const cz_submit_options *options, cz_submit_reply *out);

/** One attached caller leaves. The job is cancelled when none is left and nobody submitted it
 * without attaching, unless the engine stops. Unknown ids are ignored. */
void cz_engine_leave(cz_engine *e, const char *job_id);

/** The same, but only of the run that was submitted or joined: an id whose job failed may already
 * run again for others. */
void cz_engine_leave_run(cz_engine *e, const char *job_id, uint64_t run);

/** Wait for the end of a job; 0 waits for ever. *out is filled on CZ_OK; cz_result_clear it.
 * CZ_E_NOTFOUND: no such job, or its kept proof may not leave, as the message says: its request
 * must be submitted again; CZ_E_DECLINED: not ended after timeout_ms; CZ_E_CANCELLED: the engine
 * stops. */
CZ_MUST_CHECK cz_err cz_engine_await(cz_engine *e, const char *job_id, uint64_t timeout_ms,
                                     cz_result *out);

/* Called once, from an engine thread or from cz_engine_watch itself, without a lock held; `result`
 * is valid during the call. CZ_JOB_UNKNOWN: the engine stopped first. */
typedef void (*cz_end_fn)(void *ctx, const cz_result *result);

/** Be told of the end. CZ_E_NOTFOUND. *watch is for cz_engine_unwatch. */
CZ_MUST_CHECK cz_err cz_engine_watch(cz_engine *e, const char *job_id, cz_end_fn fn, void *ctx,
                                     uint64_t *watch);

/** True: fn was not called and will not be. False: it was, or is about to be. */
bool cz_engine_unwatch(cz_engine *e, uint64_t watch);

/** *was_running: the job had not ended. CZ_E_NOTFOUND. */
CZ_MUST_CHECK cz_err cz_engine_cancel(cz_engine *e, const char *job_id, bool *was_running);

/* --- parameters --- */

/** Make a circuit's keys hot and wait for it. CZ_E_NOTFOUND, CZ_E_INPUT, CZ_E_NOMEM,
 * CZ_E_CANCELLED. */
CZ_MUST_CHECK cz_err cz_engine_preload(cz_engine *e, const char *circuit_id, bool *already,
                                       uint64_t *load_ms);

/* Called once, from an engine thread or from cz_engine_preload_then itself, without a lock held.
 * After a failure this thread's message says why. */
typedef void (*cz_preload_fn)(void *ctx, cz_err err, bool already, uint64_t load_ms);

/** The same without waiting: fn is told what came of it. Errors as above. */
void cz_engine_preload_then(cz_engine *e, const char *circuit_id, cz_preload_fn fn, void *ctx);

/* Called once, from an engine thread or from cz_engine_evict_then itself, without a lock held.
 * *was_loaded: they were hot. After a failure this thread's message says why. */
typedef void (*cz_evict_fn)(void *ctx, cz_err err, bool was_loaded, uint64_t freed_bytes);

/** Close a circuit's keys; fn is told when that is done. CZ_E_DECLINED while a proof uses them,
 * CZ_E_NOMEM, CZ_E_CANCELLED. */
void cz_engine_evict_then(cz_engine *e, const char *circuit_id, cz_evict_fn fn, void *ctx);

#endif
