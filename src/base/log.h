/* log.h: one line of text a call, to standard error: "2026-01-02T03:04:05.678Z INFO  message".
 *
 * Threads: any; a line is written by one call, so lines do not mix. */
#ifndef CZ_BASE_LOG_H
#define CZ_BASE_LOG_H

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { CZ_LOG_ERROR, CZ_LOG_WARN, CZ_LOG_INFO, CZ_LOG_DEBUG } cz_log_level;

/** Lines above this level are dropped. The default is CZ_LOG_INFO. */
void cz_log_set_level(cz_log_level level);
cz_log_level cz_log_get_level(void);

/** "error", "warn", "info", "debug" in any case; CZ_E_INPUT names the text and the choices. */
CZ_MUST_CHECK cz_err cz_log_level_parse(cz_log_level *out, const char *text);

/** Never changes errno. Long lines are cut at 2 KiB. */
void cz_log(cz_log_level level, const char *fmt, ...) CZ_PRINTF(2, 3);

#ifdef __cplusplus
}
#endif
#endif
