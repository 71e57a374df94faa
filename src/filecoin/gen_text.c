/* gen_text.c: bytes or text that grow; see gen_text.h. */
#include "filecoin/gen_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/bytes.h"

void cz_gen_text_clear(cz_gen_text *t)
{
    free(t->bytes);
    *t = (cz_gen_text){0};
}

cz_err cz_gen_text_status(const cz_gen_text *t)
{
    return t->failed ? cz_fail(CZ_E_NOMEM, "no memory beyond %zu bytes of output", t->n) : CZ_OK;
}

/* Room for n more bytes. */
static bool reserve(cz_gen_text *t, size_t n)
{
    size_t cap = t->cap == 0 ? 4096 : t->cap;
    uint8_t *bytes;

    if (t->failed)
        return false;
    if (t->cap - t->n >= n)
        return true;
    while (cap - t->n < n)
        cap *= 2;
    bytes = realloc(t->bytes, cap);
    if (bytes == NULL) {
        t->failed = true;
        return false;
    }
    t->bytes = bytes;
    t->cap = cap;
    return true;
}

void cz_gen_put_bytes(cz_gen_text *t, const void *bytes, size_t n)
{
    if (n == 0 || !reserve(t, n))
        return;
    memcpy(t->bytes + t->n, bytes, n);
    t->n += n;
}

void cz_gen_put_le32(cz_gen_text *t, uint32_t v)
{
    uint8_t bytes[4];

    cz_store_le32(bytes, v);
    cz_gen_put_bytes(t, bytes, sizeof bytes);
}

void cz_gen_put_le64(cz_gen_text *t, uint64_t v)
{
    uint8_t bytes[8];

    cz_store_le64(bytes, v);
    cz_gen_put_bytes(t, bytes, sizeof bytes);
}

void cz_gen_put_string(cz_gen_text *t, const char *s)
{
    cz_gen_put_bytes(t, s, strlen(s));
}

void cz_gen_put_number(cz_gen_text *t, uint64_t v)
{
    char digits[24];

    (void)snprintf(digits, sizeof digits, "%" PRIu64, v);
    cz_gen_put_string(t, digits);
}

void cz_gen_put_base64(cz_gen_text *t, const uint8_t *bytes, size_t n)
{
    const size_t encoded = cz_base64_encoded_len(n);

    if (!reserve(t, encoded + 1))
        return;
    cz_base64_encode((char *)t->bytes + t->n, bytes, n);
    t->n += encoded;
}
