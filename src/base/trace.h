/* trace.h: phase timing, always on. A phase is one named stretch of work of one partition; a trace
 * collects them.
 *
 * The names are fixed (docs/architecture.md lists what each covers): deserialize, witness,
 * evaluate, pin, prep_msm, ntt_msm_h, batch_add, tail_msm, b_g2_msm, assemble, unpin, verify,
 * srs_load, queue_wait. Threads: phases may begin and end on any thread; a trace locks internally.
 * NULL traces are allowed everywhere. */
#ifndef CZ_BASE_TRACE_H
#define CZ_BASE_TRACE_H

#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

#define CZ_PHASE_MAP(X)                                                                            \
    X(DESERIALIZE, "deserialize")                                                                  \
    X(WITNESS, "witness")                                                                          \
    X(EVALUATE, "evaluate")                                                                        \
    X(PIN, "pin")                                                                                  \
    X(PREP_MSM, "prep_msm")                                                                        \
    X(NTT_MSM_H, "ntt_msm_h")                                                                      \
    X(BATCH_ADD, "batch_add")                                                                      \
    X(TAIL_MSM, "tail_msm")                                                                        \
    X(B_G2_MSM, "b_g2_msm")                                                                        \
    X(ASSEMBLE, "assemble")                                                                        \
    X(UNPIN, "unpin")                                                                              \
    X(VERIFY, "verify")                                                                            \
    X(SRS_LOAD, "srs_load")                                                                        \
    X(QUEUE_WAIT, "queue_wait")

typedef enum {
#define CZ_PHASE_ENUM(id, text) CZ_PHASE_##id,
    CZ_PHASE_MAP(CZ_PHASE_ENUM)
#undef CZ_PHASE_ENUM
        CZ_PHASE_COUNT
} cz_phase;

const char *cz_phase_name(cz_phase phase);

typedef struct cz_trace cz_trace;

/* A running phase, filled by begin, consumed by end. */
typedef struct {
    cz_trace *trace;
    cz_phase phase;
    unsigned partition;
    uint64_t start_ns;
    uint64_t begin_ns;     /* that beginning took */
    uint64_t start_faults; /* minor + major page faults of the process */
    uint64_t bytes;        /* moved; set by who knows, before the end */
} cz_span;

CZ_MUST_CHECK cz_err cz_trace_create(cz_trace **out);
void cz_trace_destroy(cz_trace *trace);

cz_span cz_trace_begin(cz_trace *trace, cz_phase phase, unsigned partition);
void cz_trace_end(cz_span *span);

/** A phase that was timed elsewhere, as by a device's events: began at start_ns (cz_clock_ns), took
 * duration_ns. */
void cz_trace_add(cz_trace *trace, cz_phase phase, unsigned partition, uint64_t start_ns,
                  uint64_t duration_ns);

/** Device memory in use from now on; records keep the most of it up to their end. */
void cz_trace_note_vram(cz_trace *trace, uint64_t bytes);

/** Sum of a phase over all partitions, milliseconds. */
double cz_trace_total_ms(const cz_trace *trace, cz_phase phase);

/** Page faults of the process while a phase ran, over all partitions; overlapping phases share
 * them. */
uint64_t cz_trace_faults(const cz_trace *trace, cz_phase phase);

/** Bytes that a phase moved, where it says so. */
uint64_t cz_trace_bytes(const cz_trace *trace, cz_phase phase);

/** What recording has cost: how many phases, and the milliseconds spent in begin, end and add, each
 * thread's own, so that of two threads at once both count. What it makes slower later, by what it
 * puts into caches, is not in them. */
void cz_trace_cost(const cz_trace *trace, size_t *records, double *ms);

/** Milliseconds from the first phase's begin to the last one's end, and how many of them some phase
 * covers. */
void cz_trace_cover(const cz_trace *trace, double *wall_ms, double *covered_ms);

/** A table for people: phase, ms, share of the wall time since the trace was made; phases that
 * never ran are left out. */
void cz_trace_print(const cz_trace *trace, FILE *out);

/** Chrome/Perfetto trace-event JSON. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_trace_write_chrome(const cz_trace *trace, const char *path);

/** Every record as JSON: phase, partition, thread, start and length in ms, page faults, bytes
 * moved, resident and peak resident bytes at its end, most device memory so far. CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_trace_write_json(const cz_trace *trace, const char *path);

/** A line "CUZK_TIMING phase=… ms=… page_faults=… bytes=… peak_rss_bytes=…" for each phase that
 * ran, to the log; `label` (may be NULL) goes before the phase, as in "job=… ". */
void cz_trace_log(const cz_trace *trace, const char *label);

/** Monotonic nanoseconds. */
uint64_t cz_clock_ns(void);

/** Resident set of this process now, in bytes; 0 when the system does not say. */
uint64_t cz_rss_bytes(void);

/** Peak resident set of this process in bytes. */
uint64_t cz_peak_rss_bytes(void);

#endif
