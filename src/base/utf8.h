/* utf8.h: texts on the wire and in logs must be UTF-8: well-formed byte sequences, as in table 3-7
 * of the Unicode standard. Threads: any. */
#ifndef CZ_BASE_UTF8_H
#define CZ_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/** Bytes of the character that a NUL-terminated text begins with; 0 when none does. */
size_t cz_utf8_length(const char *text);

bool cz_utf8_is_valid(const char *text);

/** Put '?' in place of every byte that is no part of valid UTF-8. */
void cz_utf8_repair(char *text);

#endif
