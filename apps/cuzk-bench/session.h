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
    unsigned threads, warm, jobs, seed;
    cz_config settings;
    cz_json_out answer; /* its array "runs" is open */
} session_order;

/* A run that goes on. */
typedef struct {
    uint64_t start_ns;
    double start_cpu, start_minor, start_major;
} session_clock;

/** Peak memory counts from here on. */
session_clock session_start(void);

/** Its member of "runs"; the trace may be NULL. */
void session_report(session_order *o, const session_clock *clock, const cz_trace *trace);

/** One proof after the other; the first is cold. Fills "runs", then locked_bytes, proof_sha256. */
CZ_MUST_CHECK cz_err session_prove(session_order *o);

/** `jobs` jobs at once through an engine, several times. */
CZ_MUST_CHECK cz_err session_engine(session_order *o);

#endif
