/* sniff.c: which of the accepted files some bytes are; see sniff.h. */
#include "filecoin/sniff.h"

#include <stdbool.h>
#include <string.h>

#include "filecoin/c1.h"

typedef struct {
    const char *p, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\t' || *c->p == '\n' || *c->p == '\r'))
        c->p++;
}

/* Past a string whose opening quote is next. */
static void skip_string(cursor *c)
{
    for (c->p++; c->p < c->end && *c->p != '"'; c->p++)
        if (*c->p == '\\' && c->p + 1 < c->end)
            c->p++;
    if (c->p < c->end)
        c->p++;
}

/* Past a value, whatever it is: to the comma or bracket that ends it. */
static void skip_value(cursor *c)
{
    size_t depth = 0;

    while (c->p < c->end) {
        const char ch = *c->p;

        if (ch == '"') {
            skip_string(c);
            continue;
        }
        if (depth == 0 && (ch == ',' || ch == '}' || ch == ']'))
            return;
        if (ch == '{' || ch == '[')
            depth++;
        if (ch == '}' || ch == ']')
            depth--;
        c->p++;
    }
}

static bool starts_with(const cursor *c, const char *text)
{
    const size_t n = strlen(text);

    return (size_t)(c->end - c->p) >= n && memcmp(c->p, text, n) == 0;
}

/* Fields that a SubmitProofRequest does not have, or has with another type. */
static bool tells_c1(const char *key, size_t key_len, const cursor *value)
{
    static const struct {
        const char *key, *value;
    } signs[] = {
        {"Phase1Out", ""},
        {"SectorNum", ""},
        {"SectorSize", ""},
        {"comm_r", ""},
        {"comm_d", ""},
        {"replica_id", ""},
        {"seed", ""},
        {"ticket", ""},
        {"registered_proof", "\"S"},
        {"vanilla_proofs", "{"},
    };

    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++)
        if (strlen(signs[i].key) == key_len && memcmp(signs[i].key, key, key_len) == 0)
            return starts_with(value, signs[i].value);
    return false;
}

/* One member of the top-level object; false when there is none (any more). */
static bool next_member(cursor *c, const char **key, size_t *key_len)
{
    skip_blanks(c);
    if (c->p >= c->end || *c->p != '"')
        return false;
    *key = c->p + 1;
    skip_string(c);
    if (c->p >= c->end)
        return false;
    *key_len = (size_t)(c->p - *key) - 1; /* the closing quote */
    skip_blanks(c);
    if (c->p >= c->end || *c->p != ':')
        return false;
    c->p++;
    skip_blanks(c);
    return true;
}

cz_sniffed cz_sniff_request(const uint8_t *bytes, size_t n)
{
    const char *text = (const char *)bytes;
    const char *open;
    const char *key;
    size_t key_len;
    cursor c;

    if (!cz_looks_like_json(bytes, n))
        return CZ_SNIFF_BINARY;
    open = memchr(text, '{', n);
    c = (cursor){open + 1, text + n};
    while (next_member(&c, &key, &key_len)) {
        if (tells_c1(key, key_len, &c))
            return CZ_SNIFF_C1_JSON;
        skip_value(&c);
        if (c.p >= c.end || *c.p != ',')
            break;
        c.p++;
    }
    return CZ_SNIFF_PROTO_JSON;
}
