/* engine_state.h: the engine's inside: jobs, partitions, keys, workers. Inside engine/ and for its
 * tests.
 *
 * Everything here is guarded by engine.lock unless a line says otherwise. While a stage runs, its
 * worker alone touches what the stage works on (part->witness, part->proof); the state says so. */
#ifndef CZ_ENGINE_ENGINE_STATE_H
#define CZ_ENGINE_ENGINE_STATE_H

#include <pthread.h>

#include "engine/budget.h"
#include "engine/engine_status.h"
#include "engine/recent.h"

typedef struct cz_ejob cz_ejob;
typedef struct cz_epart cz_epart;
typedef struct cz_resident cz_resident;
typedef struct cz_watcher cz_watcher;
typedef struct cz_keys_waiter cz_keys_waiter;

typedef enum {
    JOB_ACCEPTING,  /* its submitter writes the journal */
    JOB_COLLECTING, /* in a batch */
    JOB_QUEUED,     /* request not opened */
    JOB_OPENING,    /* a synthesis worker opens it */
    JOB_ACTIVE,     /* opened; partitions run */
    JOB_FINISHING,  /* status known; the finisher writes the journal */
    JOB_ENDED
} cz_ejob_state;

typedef enum {
    PART_PENDING,
    PART_SYNTHESIZING,
    PART_SYNTHESIZED, /* waits for a prover */
    PART_PROVING,
    PART_PROVED, /* waits for the finisher */
    PART_VERIFYING,
    PART_DONE,
    PART_FAILED,
    PART_STATES
} cz_epart_state;

struct cz_epart {
    cz_ejob *job;
    unsigned k;
    unsigned attempt;              /* how often it was made again */
    const cz_backend *lost_by;     /* the device that failed with it, once; NULL: none */
    const cz_backend *returned_by; /* the last that gave it back unproved */
    const cz_backend *proved_by;   /* the last that was given it */
    const cz_backend *refuted_by;  /* whose proof the self-check refused; NULL: none */
    bool excused;                  /* that one was not to blame for it */
    bool on_spare;                 /* for the spare backend alone */
    bool with_values;              /* the witness must have them */
    cz_epart_state state;
    cz_witness *witness;
    uint64_t reserved; /* bytes of the budget */
    uint64_t claimed;  /* of these: idle memory that it will take while it is made */
    bool holds_keys;   /* counted in the resident's refs */
    bool has_synth, has_prove;
    uint64_t synth_ns, prove_ns;
    cz_epart *next_trash; /* witness to drop */
    uint8_t proof[CZ_PART_PROOF_BYTES];
    uint8_t key_tag[CZ_KEY_TAG_BYTES]; /* of the keys it was last verified with */
};

struct cz_ejob {
    cz_ejob *next; /* in engine.live or engine.ended */
    char id[CZ_JOB_ID_BYTES];
    char *request_id;
    uint8_t content[32];
    cz_proof_kind kind;
    unsigned priority;
    uint64_t seq; /* age: smaller is older */
    cz_ejob_state state;

    /* who wants it */
    bool detached;        /* somebody submitted it without waiting */
    unsigned attached;    /* callers that wait */
    unsigned refs;        /* callers inside await; keeps it allocated */
    uint64_t deadline_ns; /* 0: none */
    cz_watcher *watchers;

    /* what it is made of */
    cz_request *request;    /* NULL where the journal has it */
    uint64_t request_bytes; /* of one that is here */
    cz_admission admission;
    cz_resident *keys; /* NULL until the circuit is known */
    cz_work *work;
    uint64_t reserved; /* of the budget, for opening and work */
    cz_trace *trace;
    cz_epart *parts;
    size_t n_parts;
    unsigned n_in[PART_STATES]; /* partitions by state */
    unsigned running;           /* stages that use work just now */
    unsigned batch;             /* in engine.batcher, 0: none */
    unsigned overtaken;         /* partitions that went first by sort_by_type */

    /* how it ends */
    bool end_wanted; /* ended while ACCEPTING; takes effect when that is over */
    bool unkept;     /* the journal could not be written: memory alone has the result */
    cz_result result;

    uint64_t accepted_ns, started_ns, ended_ns;
};

/* HOT: a device that loads keys has them, or has turned out not to take them and no other is left
 * that might. Those that were in a call may lack them still, and load them after it. */
typedef enum {
    KEYS_COLD,
    KEYS_OPENING,
    KEYS_WARM,
    KEYS_HEATING, /* the loader does its part, then devices load them */
    KEYS_HOT,
    KEYS_COOLING
} cz_keys_state;

struct cz_resident {
    cz_resident *next;
    char circuit_id[CZ_CIRCUIT_ID_BYTES];
    cz_keys_state state;
    cz_keys *keys; /* set from WARM on */
    cz_keys_cost cost;
    bool keep;               /* never evicted for memory */
    bool reserved;           /* hot_bytes are taken from the budget */
    unsigned refs;           /* partitions in work */
    bool for_devices;        /* the loader's part is done: devices may load them */
    uint64_t tried;          /* by these of the backends that was begun, since they were heated */
    unsigned loads;          /* by so many just now */
    unsigned claims;         /* of these: that are being made, and will take idle memory */
    unsigned preloads;       /* callers that wait for HOT */
    cz_keys_waiter *waiters; /* those of them that are told */
    bool cool_wanted, close_wanted;
    cz_keys_waiter *evicters; /* who is told when they are closed */
    uint64_t used_ns, hot_ns; /* last use; when it became hot */
    uint64_t heated_ns;       /* when heating began */
    uint64_t load_ns;         /* what opening and heating took */
    unsigned failures;        /* loads that failed, for waiters */
    cz_err error;             /* of the last failure */
    char message[512];
};

struct cz_watcher {
    cz_watcher *next;
    uint64_t id;
    cz_end_fn fn;
    void *ctx;
};

/* A worker, for status and watchdog. */
typedef struct {
    cz_engine *engine;
    const cz_backend *backend; /* NULL: synthesis */
    unsigned index;
    const char *stage; /* "" when idle */
    const cz_ejob *job;
    unsigned partition;
    unsigned n_parts;           /* that it proves just now */
    const cz_resident *loads;   /* keys that it loads just now */
    uint64_t since_ns, idle_ns; /* when the stage, when the rest began */
    uint64_t part_ns[CZ_KINDS]; /* what one took in the last call; 0: not known */
    bool stalled;               /* reported */
    pthread_t thread;
    bool started;
} cz_worker;

struct cz_engine {
    cz_engine_options o;
    cz_backend *backends;
    char **keep;

    pthread_mutex_t lock;
    pthread_cond_t work;    /* an engine thread may have something to do */
    pthread_cond_t changed; /* a job's or keys' state changed, for waiting callers */

    cz_ejob *live;  /* not ended, the first to run first */
    cz_ejob *ended; /* the latest first */
    size_t n_live, n_ended;
    uint64_t next_seq, next_watch;
    cz_batcher batcher;
    cz_budget budget;
    uint64_t claimed;       /* by partitions that are being made; not counted as idle */
    uint64_t request_bytes; /* of all jobs; in no reservation */
    cz_resident *residents;
    cz_keys_waiter *told; /* what they wait for has come, or will not; the loader tells them */
    cz_epart *trash;
    bool trim_wanted; /* idle memory is to be given back ... */
    bool trimming;    /* ... and somebody does it */
    unsigned running; /* stages in all threads */
    const char *waits_for;
    uint64_t waits_for_bytes;
    cz_engine_counters counters;
    cz_recent_jobs recent;
    uint64_t started_ns, pruned_ns, probed_ns, roused_ns;
    bool draining, stopping;

    cz_worker *workers; /* synthesis workers first */
    size_t n_workers, n_synthesis;
    pthread_t loader, finisher, clerk;
    bool loader_started, finisher_started, clerk_started;
};

/** Is it in a call of its backend? */
static inline bool cz_worker_is_in_call(const cz_worker *w)
{
    return w->n_parts > 0 || w->loads != NULL;
}

/** … for longer than the watchdog lets pass? */
static inline bool cz_worker_hangs(const cz_worker *w)
{
    return cz_worker_is_in_call(w) && w->stalled;
}

/** So long after now; what is longer than the clock counts is as long as it does. */
static inline uint64_t cz_after_ms(uint64_t ms)
{
    const uint64_t now = cz_clock_ns(), most = (UINT64_MAX - now) / 1000000;

    return now + (ms < most ? ms : most) * 1000000;
}

/* --- transitions.c: every change of a job's or partition's state --- */

cz_ejob *cz_ejob_find(const cz_engine *e, const char *job_id); /* live first, then ended */
void cz_ejob_insert(cz_engine *e, cz_ejob *job);               /* into live, by order */
void cz_ejob_unlink(cz_engine *e, cz_ejob *job);
void cz_ejob_raise(cz_engine *e, cz_ejob *job, unsigned priority);
void cz_ejob_enqueue(cz_engine *e, cz_ejob *job, uint64_t now_ns); /* to a batch or the queue */
void cz_ejob_release_batch(cz_engine *e, unsigned batch, cz_flush_reason reason);
void cz_ejob_release_batches(cz_engine *e); /* all: nothing will join them */
void cz_epart_set(cz_epart *part, cz_epart_state state);
void cz_epart_log(const cz_epart *part, const char *stage, uint64_t took_ns); /* at level debug */

/** The job ends with this status. `message` is copied. No effect on a job that ends already. */
void cz_ejob_end(cz_engine *e, cz_ejob *job, cz_job_status status, cz_err code,
                 const char *message);
void cz_ejob_complete(cz_engine *e, cz_ejob *job); /* all partitions are verified */
void cz_ejob_free(cz_ejob *job);

/** Call and free them. Without the lock. */
void cz_watchers_tell(cz_watcher *watchers, const cz_result *result);

/** The partition gives back memory and keys. */
void cz_epart_release(cz_engine *e, cz_epart *part);

/* --- serving.c: which backends take what --- */

bool cz_engine_has_spare(const cz_engine *e);

/** The name of the backend that serves everything, if there is just one, spare ones not counted;
 * else "". */
const char *cz_engine_only_backend(const cz_engine *e);

/** Partitions of the job that one call of the backend takes now; 0: none. */
unsigned cz_backend_capacity(const cz_backend *backend, const cz_ejob *job);

/** Is a worker of it in a call for longer than the watchdog lets pass? Waiting for it may be for
 * ever. */
bool cz_backend_hangs(const cz_engine *e, const cz_backend *backend);

/** Does only the spare backend take it? False where there is none. */
bool cz_epart_needs_spare(const cz_engine *e, const cz_epart *part);

/** Is it this backend's to prove, its capacity set aside? */
bool cz_backend_takes(const cz_engine *e, const cz_backend *backend, const cz_epart *part);

/** Has it the job's keys at hand? */
bool cz_backend_has_keys(const cz_backend *backend, const cz_ejob *job);

/** Would the backend load keys that another one has at hand, which takes the partition too? */
bool cz_backend_is_stranger(const cz_engine *e, const cz_backend *backend, const cz_epart *part);

/** Is a device free that has the keys at hand and takes it? */
bool cz_epart_is_taken_at_once(const cz_engine *e, const cz_epart *part);

/** Host memory of the partition, by who will prove it. */
uint64_t cz_epart_bytes(const cz_engine *e, const cz_epart *part);

/** Witnesses of the job that its backends could take at once, spare ones not counted. */
unsigned cz_serving_width(const cz_engine *e, const cz_ejob *job);

/** Of n partitions like this one that wait: how many, at most max, the worker should take, so that
 * all devices that have the keys end together (share.c). At least 1. */
size_t cz_serving_share(const cz_engine *e, const cz_worker *w, const cz_epart *part, size_t n,
                        size_t max, uint64_t now_ns);

/** Does this failure leave the witness whole, for others to prove? */
bool cz_backend_may_return(const cz_engine *e, const cz_backend *backend, const cz_ejob *job,
                           cz_err err);

/** After such a failure: the partition waits again. */
void cz_epart_return(cz_engine *e, cz_epart *part, const cz_backend *backend, cz_err err);

/* --- residents.c --- */

cz_resident *cz_resident_get(cz_engine *e, const char *circuit_id); /* NULL: no memory */

/** They cannot be had: who waits for them to be hot is told, and their jobs fail. With the thread's
 * message. */
void cz_resident_fail(cz_engine *e, cz_resident *r, cz_err code);

/** The same, but jobs go on: they may wait where a preload does not. */
void cz_resident_fail_preloads(cz_engine *e, cz_resident *r, cz_err code);

void cz_resident_become_hot(cz_engine *e, cz_resident *r);

/** Could a partition of so many bytes, its job's among them, ever fit beside what is kept? Open
 * keys. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_resident_check_size(const cz_engine *e, const cz_resident *r,
                                            uint64_t part_bytes);

/** Could a request that takes so much while it is opened? CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_resident_check_opening(const cz_engine *e, uint64_t open_bytes);

/** Of a partition that is proved where it takes least. */
uint64_t cz_resident_least_bytes(const cz_resident *r);

/** Ask the prover what it keeps idle: before the budget is looked at. */
void cz_engine_count_idle(cz_engine *e);

/** Idle memory that the partition would take: it needs so much less of what is free. */
uint64_t cz_epart_reuses(const cz_engine *e, const cz_epart *part);

/** Does a partition use them, or a device load them? Then they stay. */
static inline bool cz_resident_is_used(const cz_resident *r)
{
    return r->refs > 0 || r->loads > 0;
}

/** Mark for eviction what is needed to free `bytes`, idle memory first; false when even that is not
 * enough now. */
bool cz_resident_make_room(cz_engine *e, uint64_t bytes, unsigned priority, uint64_t now_ns);

/* --- kept.c: results that were there before: may they leave? Without the lock. --- */

/** Was the proof verified with the parameters that count now: those that are open, or else the
 * file's? CZ_E_VERIFY. What is no proof may leave. */
CZ_MUST_CHECK cz_err cz_kept_check(cz_engine *e, const cz_result *result);

/** The journal's result of a job, checked. CZ_E_NOTFOUND, CZ_E_VERIFY, CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_kept_find(cz_engine *e, const char *job_id, cz_result *out);

/* --- preloads.c: who waits for keys to come or to go, without a thread --- */

/** It is known what the preloads of these keys came to; with the thread's message. */
void cz_preloads_settle(cz_engine *e, cz_resident *r, cz_err err);

/** The same of their evictions: they are closed, or there is an error. */
void cz_evictions_settle(cz_engine *e, cz_resident *r, cz_err err);

/** Tell one of those; the lock is given up meanwhile. False: there is none. */
bool cz_preloads_tell(cz_engine *e);

/** Nothing will be loaded any more. */
void cz_preloads_end(cz_engine *e);

/* --- schedule.c: choices only, nothing changes but waits_for and overtaken --- */

/* ACT_CLOSE: give up an opened job's work, to be opened again later: the last way to memory.
 * ACT_REFUSE: the partition can never fit where it must be proved; without one, its job cannot be
 * opened. */
typedef enum { ACT_NONE, ACT_OPEN, ACT_SYNTHESIZE, ACT_CLOSE, ACT_REFUSE } cz_action_what;

typedef struct {
    cz_action_what what;
    cz_ejob *job;
    cz_epart *part;
} cz_action;

cz_action cz_schedule_synthesis(cz_engine *e, uint64_t now_ns);

/** Partitions of one circuit for a worker's backend, most urgent first; how many (at most max). */
size_t cz_schedule_proving(cz_engine *e, const cz_worker *w, cz_epart **parts, size_t max,
                           uint64_t now_ns);

/* --- steps.c: around every step --- */

/** The lock is given up for what has no worker, and taken again; everyone looks anew then. */
void cz_engine_begin(cz_engine *e);
void cz_engine_end(cz_engine *e);

/** The same for a worker's stage, which status and watchdog see; leaving tells how long it took. */
void cz_worker_enter(cz_engine *e, cz_worker *w, cz_ejob *job, unsigned partition,
                     const char *stage);
uint64_t cz_worker_leave(cz_engine *e, cz_worker *w, cz_ejob *job);

/** The partition has failed and its job with it; with the thread's message. */
void cz_epart_fail(cz_engine *e, cz_epart *part, cz_err code);

/* --- step_….c: one thing done, if there is one. Called with the lock, which is given up meanwhile.
 * True: something was done. --- */

bool cz_step_synthesis(cz_engine *e, cz_worker *w);
bool cz_step_proving(cz_engine *e, cz_worker *w);
bool cz_step_loader(cz_engine *e);
bool cz_step_finisher(cz_engine *e);

/** The worker's device loads heated keys, unless another of its workers is in a call. */
bool cz_step_load(cz_engine *e, cz_worker *w);

/** Are there any that it has not tried yet? */
bool cz_keys_wait_for(const cz_engine *e, const cz_worker *w);

/** Is a device at loading them, or one left that may yet? Not waited for is one that hangs. */
bool cz_keys_may_be_loaded(const cz_engine *e, const cz_resident *r);

/** Idle memory is given back, if something else needs it. By whoever needs it, or the loader: that
 * may be busy with keys for long. */
bool cz_step_trim(cz_engine *e);

/** An ended job whose stages have all returned keeps its result and nothing else: has it more? */
bool cz_ejob_has_remains(const cz_ejob *job);

/** What is due by time; the time of the next thing. */
uint64_t cz_step_clerk(cz_engine *e, uint64_t now_ns);

void cz_histogram_add(cz_histogram *h, double seconds);
void cz_recent_note(cz_recent_jobs *recent, const cz_ejob *job); /* it has just ended */

#endif
