/* spawn.h: one process of a plan: `cuzk-bench ab-session`, run and listened to.
 *
 * Why a process for every session: the resident and peak memory of a process, its page faults and
 * the state of its allocator are its history's; only a fresh one makes two configurations equal.
 * The first proof of a process is the cold one, the following ones are warm, so both are measured.
 */
#ifndef CZ_LAB_SPAWN_H
#define CZ_LAB_SPAWN_H

#include "results.h"

/** Run argv[0] with argv (NULL at the end), its standard output parsed into *out (config, block and
 * place are left alone). `memory` (may be NULL): samples of its resident set. CZ_E_IO when it
 * cannot be run or fails; CZ_E_INPUT when its answer is not understood. */
CZ_MUST_CHECK cz_err lab_spawn(lab_session *out, lab_memory *memory, char *const argv[]);

/** The answer of a session: {"runs": [{"seconds": …, …}], "proof_sha256": "…"}. CZ_E_INPUT. */
CZ_MUST_CHECK cz_err lab_session_parse(lab_session *out, const char *text, size_t n);

/** Append; when full, every second one is dropped. */
void lab_memory_add(lab_memory *m, double seconds, double rss);

#endif
