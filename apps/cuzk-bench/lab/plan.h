/* plan.h: an experiment as a file: which configurations, of what work, how often.
 *
 * A plan is TOML. [plan] says what is run; each [config.NAME] is a configuration: settings of the
 * daemon's own table (config/settings.c), such as experiment.pin = "pooled" or
 * pipeline.enabled = false, on top of the defaults, or of an earlier configuration that `like`
 * names. The first configuration is the baseline. Every mistake is CZ_E_INPUT "file:line: …".
 *
 * With work = "daemon" a process starts a daemon with its settings, or talks to the one that runs
 * at the configuration's `address`, whose settings are its own. `expect` is the verdict that a
 * series of runs counts. */
#ifndef CZ_LAB_PLAN_H
#define CZ_LAB_PLAN_H

#include "config/config.h"

enum { LAB_MAX_CONFIGS = 24, LAB_NAME_BYTES = 48, LAB_MAX_CHANGES = 64, LAB_CHANGE_BYTES = 96 };

typedef enum {
    LAB_PROVE,  /* one proof after the other, all stages in turn, in a process of its own */
    LAB_ENGINE, /* many jobs through the engine: queues, overlap, batches, memory budget */
    LAB_DAEMON, /* the same through a daemon's socket */
    LAB_WORKS
} lab_work;

/** "prove", … */
const char *lab_work_name(lab_work work);

typedef struct {
    char name[LAB_NAME_BYTES];
    char about[256];
    cz_config settings;
    bool has_settings; /* some are its own */
    /* What differs from the first configuration, as "experiment.pin = \"pooled\"". */
    char changes[LAB_MAX_CHANGES][LAB_CHANGE_BYTES];
    unsigned n_changes;
    bool is_noise_run; /* a copy of the baseline, added by the reader: A/A */
    bool no_trace;     /* phases are not recorded: what recording costs */
    char address[128]; /* of a running daemon; "": one is started */
    char expect[16];   /* "hurts"; "": nothing is expected */
} lab_config;

typedef struct {
    char *file;
    char *name, *about;
    char *circuit; /* "porep-2k"; or several with commas for the engine: a mixed load */
    char *request; /* a file, or "": synthetic ones */
    char *params;  /* folder, or "": the usual one */
    char *metric;  /* "wall" or "cpu": what is judged */
    char *daemon;  /* program, or "": the cuzk beside this one */
    lab_work work;
    uint64_t seed;
    uint64_t threads;    /* 0: all CPUs */
    uint64_t blocks;     /* at least so many … */
    uint64_t max_blocks; /* … and at most */
    uint64_t warm;       /* proofs after the first one of a process */
    uint64_t jobs;       /* of an engine run */
    uint64_t partitions; /* of a request, that a proof has; 0: all */
    uint64_t minutes;    /* no new block after these */
    double precision;    /* stop when every interval is this narrow */
    double least;        /* effects below it are not called */
    bool noise_run;      /* add the A/A configuration */
    bool turns; /* the processes of a block live side by side and run in turns, one at a time */
    lab_config *configs;
    unsigned n_configs;
} lab_plan;

CZ_MUST_CHECK cz_err lab_plan_read(lab_plan *out, const char *path);
CZ_MUST_CHECK cz_err lab_plan_parse(lab_plan *out, const char *text, size_t n, const char *file);
void lab_plan_clear(lab_plan *plan);

/** An empty plan with the defaults, for readers of reports; add configurations with
 * lab_plan_add. CZ_E_NOMEM; CZ_E_INPUT when there are too many. */
CZ_MUST_CHECK cz_err lab_plan_init(lab_plan *out, const char *file);
CZ_MUST_CHECK cz_err lab_plan_add(lab_plan *plan, const char *name);
CZ_MUST_CHECK cz_err lab_plan_set_text(char **field, const char *text);

/** Configurations that each make one of those changes of k's that k makes together: their numbers
 * into `alone`; 0 when k makes fewer than two, or one of them is nowhere alone. */
unsigned lab_plan_parts(const lab_plan *plan, unsigned k, unsigned alone[LAB_MAX_CHANGES]);

#endif
