/* session.h: one process of the laboratory: what `ab-session` measures and prints. */
#ifndef CZ_BENCH_SESSION_H
#define CZ_BENCH_SESSION_H

#include "base/json_out.h"
#include "base/trace.h"
#include "config/config.h"
#include "filecoin/job.h"

/* The command line. */
typedef struct {
    const char *circuits; /* "porep-2k", or several with commas */
    const char *config, *request, *params, *work;
    const char *daemon, *addr; /* a program to start, or where one runs */
    unsigned threads, warm, jobs, seed, partitions;
    bool turns, no_trace;
    cz_config settings;
    cz_json_out answer; /* its array "runs" is open */
} session_order;

/* A run that goes on, in this process or in one that works for it. */
typedef struct {
    long pid; /* 0: another machine's, which tells nothing */
    uint64_t start_ns;
    double start_cpu, start_minor, start_major;
} session_clock;

/** Peak memory counts from here on. */
session_clock session_start(void);
session_clock session_start_of(long pid);

/** Its member of "runs"; the trace may be NULL. vram_bytes: of a device. */
void session_report(session_order *o, const session_clock *clock, const cz_trace *trace,
                    uint64_t vram_bytes);

/** With --turns: say that the next run can begin, and wait until it may. Before each run. CZ_E_IO
 * when who started this session is gone. */
CZ_MUST_CHECK cz_err session_await_turn(const session_order *o);

/* Requests of several circuits, as "porep-2k,winning-2k" says, for work of many jobs. */
enum { SESSION_MAX_CIRCUITS = 8, SESSION_CIRCUITS_BYTES = 512 };
typedef struct {
    char text[SESSION_CIRCUITS_BYTES];
    const char *circuit[SESSION_MAX_CIRCUITS];
    unsigned n;
    uint64_t seed; /* of the next request */
} session_load;

/** CZ_E_INPUT. */
CZ_MUST_CHECK cz_err session_load_init(session_load *load, const session_order *o);

/** The request of job i of a run; never the same twice, as an engine answers an equal one from
 * memory. cz_request_destroy it. */
CZ_MUST_CHECK cz_err session_load_next(session_load *load, cz_request **out, unsigned i);

/** One proof after the other; the first is cold. Fills "runs", then locked_bytes, proof_sha256. */
CZ_MUST_CHECK cz_err session_prove(session_order *o);

/** `jobs` jobs at once through an engine, several times. */
CZ_MUST_CHECK cz_err session_engine(session_order *o);

/** The same through the socket of a daemon: the one at `addr`, or one that is started. */
CZ_MUST_CHECK cz_err session_daemon(session_order *o);

#endif
