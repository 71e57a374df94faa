/* log.h: what the program says while it runs: one line a call, to standard error.
 *
 *   text     2026-01-02T03:04:05.678Z INFO  job 0f3c… (porep-1000-7, porep): completed in 2.310 s
 *   json     {"time":"2026-01-02T03:04:05.678Z","level":"info","job_id":"0f3c…",
 *            "request_id":"porep-1000-7","proof_kind":"porep","message":"completed in 2.310 s"}
 *   journal  <6>job 0f3c… (…): completed in 2.310 s
 *
 * The last form is the text form where standard error is systemd's journal, which has the time
 * itself and reads the level from the prefix. Whatever a message holds, it stays one line: control
 * characters are escaped, and bytes that are no UTF-8. Nothing secret may be logged: no token, no r
 * and s, no vanilla proof.
 *
 * A server calls cz_log_configure once with its settings, and again when they change.
 * Threads: any; a line is written by one call, so lines do not mix. */
#ifndef CZ_BASE_LOG_H
#define CZ_BASE_LOG_H

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CZ_LOG_ERROR, CZ_LOG_WARN, CZ_LOG_INFO, CZ_LOG_DEBUG } cz_log_level;
typedef enum { CZ_LOG_TEXT, CZ_LOG_JSON, CZ_LOG_JOURNAL } cz_log_form;

/** The settings logging.level and logging.format: "text" is the journal's form where standard
 * error is the journal. CZ_E_INPUT, and nothing is changed. */
CZ_MUST_CHECK cz_err cz_log_configure(const char *level, const char *format);

/** Lines above this level are dropped. The default is CZ_LOG_INFO. */
void cz_log_set_level(cz_log_level level);
cz_log_level cz_log_get_level(void);

/** The default is CZ_LOG_TEXT. */
void cz_log_set_form(cz_log_form form);

/** "error", "warn", "info", "debug" in any case, "trace" for "debug"; CZ_E_INPUT names the text and
 * the choices. */
CZ_MUST_CHECK cz_err cz_log_level_parse(cz_log_level *out, const char *text);

/** Never changes errno. Long lines are cut at 2 KiB. */
void cz_log(cz_log_level level, const char *fmt, ...) CZ_PRINTF(2, 3);

/** About one job: its id, the id that its client gave it, its kind ("porep"); each may be NULL. */
void cz_log_job(cz_log_level level, const char *job_id, const char *request_id, const char *kind,
                const char *fmt, ...) CZ_PRINTF(5, 6);

#ifdef __cplusplus
}
#endif
#endif
