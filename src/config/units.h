/* units.h: sizes ("256GiB") and durations ("5m"), read strictly and written back. */
#ifndef CZ_CONFIG_UNITS_H
#define CZ_CONFIG_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { CZ_UNIT_TEXT_BYTES = 32 };

/** "256GiB", "12.5 GiB", "64MB", "4096B" into bytes. KiB MiB GiB TiB count in 1024s, KB MB GB TB in
 * 1000s; a bare "G" is refused, because programs disagree on it. CZ_E_INPUT says what was wrong. */
CZ_MUST_CHECK cz_err cz_size_parse(uint64_t *bytes, const char *text);

/** "5m", "1h30m", "250ms" into milliseconds. Units ms s m h d. */
CZ_MUST_CHECK cz_err cz_duration_parse(uint64_t *ms, const char *text);

/** The shortest exact text that reads back to the same value. */
void cz_size_text(char out[CZ_UNIT_TEXT_BYTES], uint64_t bytes);
void cz_duration_text(char out[CZ_UNIT_TEXT_BYTES], uint64_t ms);

#endif
