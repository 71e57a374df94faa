/* results.h: what a plan's processes measured, and what follows from it. */
#ifndef CZ_LAB_RESULTS_H
#define CZ_LAB_RESULTS_H

#include "base/trace.h"
#include "machine.h"
#include "plan.h"
#include "stats.h"

/* One proof, or one load of the engine. */
typedef struct {
    double seconds, cpu_seconds;
    double phase_ms[CZ_PHASE_COUNT];
    double phase_faults[CZ_PHASE_COUNT]; /* of the process while the phase ran */
    double minor_faults, major_faults;
    double peak_rss;     /* bytes, of this run */
    double vram;         /* device memory in use at its end; 0: no device */
    double covered;      /* share of the time that some phase covers */
    double recorded;     /* phases; 0: none were, or it is not told */
    double recording_ms; /* that this took */
} lab_run;

enum { LAB_MAX_RUNS = 65 };

/* One process: the first run is cold, the others warm. */
typedef struct {
    unsigned config, block, place; /* place in its block */
    unsigned n_runs;
    lab_run runs[LAB_MAX_RUNS];
    double locked_bytes; /* of pooled vectors */
    double load_seconds; /* opening the parameters, before the first run; 0: not told */
    char proof_sha256[65];
} lab_session;

typedef struct {
    double seconds;
    double rss; /* bytes */
} lab_sample;

enum { LAB_MAX_SAMPLES = 600 };

/* Memory over the time of a configuration's first process. */
typedef struct {
    unsigned n;
    lab_sample samples[LAB_MAX_SAMPLES];
} lab_memory;

/* Why a run ended. */
#define LAB_STOP_REASONS                                                                           \
    {                                                                                              \
        "max_blocks", "minutes", "every interval is narrow enough"                                 \
    }

typedef struct {
    const lab_plan *plan;
    lab_machine machine;
    lab_session *sessions;
    unsigned n_sessions, cap_sessions;
    lab_memory *memory;                 /* one a configuration */
    double (*phase_ms)[CZ_PHASE_COUNT]; /* medians, one a configuration, where they were read from
                                           a report; else NULL */
    double minutes;                     /* it took */
    unsigned blocks;                    /* complete ones */
    const char *stopped;                /* why it ended */
} lab_results;

/** Plan and machine stay the caller's. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err lab_results_init(lab_results *out, const lab_plan *plan);
void lab_results_clear(lab_results *r);

/** Room for one more, all zero. NULL: no memory. */
lab_session *lab_results_add(lab_results *r);

/** Do all proofs have the same bytes? CZ_E_VERIFY names two configurations that differ. */
CZ_MUST_CHECK cz_err lab_results_same_proofs(const lab_results *r);

/* What is compared. */
typedef enum {
    LAB_WARM_WALL, /* median of a process's warm runs; of its only run where it has one */
    LAB_WARM_CPU,
    LAB_COLD_WALL, /* the first run */
    LAB_COLD_CPU,
    LAB_PEAK_RSS,
    LAB_FAULTS, /* of a warm run */
    LAB_COLD_FAULTS,
    LAB_LOAD, /* opening the parameters */
    LAB_VRAM,
    LAB_METRICS
} lab_metric;

const char *lab_metric_name(lab_metric metric);

/** The metric that the plan judges by. */
lab_metric lab_judged(const lab_plan *plan);

/** A metric of one process. */
double lab_session_value(const lab_session *s, lab_metric metric);

/** Medians of a phase over the warm runs of a configuration: ms, and page faults. */
double lab_phase_ms(const lab_results *r, unsigned config, cz_phase phase);
double lab_phase_faults(const lab_results *r, unsigned config, cz_phase phase);

/** Median over the warm runs of what some phase covers. */
double lab_covered(const lab_results *r, unsigned config);

/** Medians of what recording the phases of a warm run cost: how many, ms, and the share of the
 * run's time. */
typedef struct {
    double phases, ms, share;
} lab_recording;
lab_recording lab_recording_of(const lab_results *r, unsigned config);

/** Jobs that are done in a minute, of a plan whose runs have many. */
double lab_jobs_a_minute(const lab_results *r, double seconds);

/** Is a metric above zero anywhere? */
bool lab_has(const lab_results *r, lab_metric metric);

/** Median and quartiles of a metric over the processes of a configuration, and the median's own
 * interval (stats.h). */
typedef struct {
    double low, median, high;
    double ci_low, ci_high;
    unsigned n;
} lab_quartiles;
lab_quartiles lab_spread(const lab_results *r, unsigned config, lab_metric metric);

/** Ratio of two configurations over the blocks that have both. Where processes take turns, a
 * block's ratio of warm times is the median of those of its rounds. */
lab_ratio lab_compare(const lab_results *r, unsigned base, unsigned other, lab_metric metric);

/** The same of one phase of warm runs; n is 0 where runs do not tell their phases. */
lab_ratio lab_compare_phase(const lab_results *r, unsigned base, unsigned other, cz_phase phase);

/** The verdict of a phase, of those that make a thousandth of the whole run's time or more. */
lab_verdict lab_judge_phase(const lab_results *r, unsigned config, cz_phase phase);

/** The stop rule for all configurations. */
bool lab_all_precise(const lab_results *r);

/** A configuration's ratio over the product of those of its parts alone, block by block: 1 when the
 * sum of the parts is the whole. n is 0 when the plan has not all of them. */
lab_ratio lab_interaction(const lab_results *r, unsigned config, lab_metric metric);

/** Product of the ratios of a configuration's parts alone; 0 when the plan has not all of them. */
double lab_product_of_parts(const lab_results *r, unsigned config, lab_metric metric);

#endif
