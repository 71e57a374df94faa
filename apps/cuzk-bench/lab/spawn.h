/* spawn.h: the processes of a plan: `cuzk-bench ab-session`, run and listened to.
 *
 * Why a process for every session: the resident and peak memory of a process, its page faults and
 * the state of its allocator are its history's; only a fresh one makes two configurations equal.
 * The first proof of a process is the cold one, the following ones are warm, so both are measured.
 *
 * A session that takes turns (`--turns`) writes LAB_READY_LINE before each run and waits for
 * LAB_GO_LINE, so that several can live side by side while only one works. */
#ifndef CZ_LAB_SPAWN_H
#define CZ_LAB_SPAWN_H

#include <sys/types.h>

#include "base/json.h"
#include "base/text_out.h"
#include "results.h"

#define LAB_READY_LINE "ready\n"
#define LAB_GO_LINE    "go\n"

typedef struct {
    const char *program;
    pid_t pid; /* 0: ended and seen */
    int fd;    /* its standard input and output */
    bool takes_turns, ended;
    uint64_t awake_ns; /* that it was waited for */
    cz_text_out answer;
} lab_child;

/** Start argv[0] with argv (NULL at the end). End what was started with lab_child_end or
 * lab_child_kill. CZ_E_IO. */
CZ_MUST_CHECK cz_err lab_child_start(lab_child *c, char *const argv[], bool takes_turns);

/** Until it is ready for a turn, or has closed its end. `memory` (may be NULL): samples of its
 * resident set, over the time that it was waited for. */
void lab_child_wait(lab_child *c, lab_memory *memory);

/** Its turn. CZ_E_IO when it is gone. */
CZ_MUST_CHECK cz_err lab_child_go(lab_child *c);

/** Its end and its answer, into *out (config, block and place are left alone). CZ_E_IO when it
 * could not be run or failed; CZ_E_INPUT when its answer is not understood. */
CZ_MUST_CHECK cz_err lab_child_end(lab_child *c, lab_session *out);

/** Nothing for one that has ended. */
void lab_child_kill(lab_child *c);

/** All of it, for one that takes no turns. Errors: lab_child_start, lab_child_end. */
CZ_MUST_CHECK cz_err lab_spawn(lab_session *out, lab_memory *memory, char *const argv[]);

/** The answer of a session: {"runs": [{"seconds": …, …}], "proof_sha256": "…"}. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err lab_session_parse(lab_session *out, const char *text, size_t n);

/* Parts of it, which reports hold too. */
CZ_MUST_CHECK cz_err lab_runs_parse(lab_session *out, cz_json object);
CZ_MUST_CHECK cz_err lab_run_parse(lab_run *run, cz_json object);
CZ_MUST_CHECK cz_err lab_phases_parse(double out[CZ_PHASE_COUNT], cz_json object, const char *key);

/** Append; when full, every second one is dropped. */
void lab_memory_add(lab_memory *m, double seconds, double rss);

#endif
