/* gen_text.h: bytes or text that grow while they are written. A lack of memory is remembered and
 * reported once, at the end. */
#ifndef CZ_FILECOIN_GEN_TEXT_H
#define CZ_FILECOIN_GEN_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

typedef struct {
    uint8_t *bytes; /* owned; free with cz_gen_text_clear */
    size_t n, cap;
    bool failed;
} cz_gen_text; /* all zero: empty */

void cz_gen_text_clear(cz_gen_text *t);
CZ_MUST_CHECK cz_err cz_gen_text_status(const cz_gen_text *t);

void cz_gen_put_bytes(cz_gen_text *t, const void *bytes, size_t n);
void cz_gen_put_le32(cz_gen_text *t, uint32_t v);
void cz_gen_put_le64(cz_gen_text *t, uint64_t v);

void cz_gen_put_string(cz_gen_text *t, const char *s);
void cz_gen_put_number(cz_gen_text *t, uint64_t v);
void cz_gen_put_base64(cz_gen_text *t, const uint8_t *bytes, size_t n);

#endif
