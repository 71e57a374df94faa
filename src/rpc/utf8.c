/* utf8.c: well-formed byte sequences, as in table 3-7 of the Unicode standard. */
#include "rpc/utf8.h"

#include <stddef.h>

static bool in(unsigned char c, unsigned char low, unsigned char high)
{
    return c >= low && c <= high;
}

/* Bytes of the character that begins here; 0 when none does. Reads no further than a NUL. */
static size_t character(const unsigned char *p)
{
    if (p[0] < 0x80)
        return 1;
    if (in(p[0], 0xC2, 0xDF))
        return in(p[1], 0x80, 0xBF) ? 2 : 0;
    if (in(p[0], 0xE0, 0xEF)) {
        const unsigned char low = p[0] == 0xE0 ? 0xA0 : 0x80, high = p[0] == 0xED ? 0x9F : 0xBF;

        return in(p[1], low, high) && in(p[2], 0x80, 0xBF) ? 3 : 0;
    }
    if (in(p[0], 0xF0, 0xF4)) {
        const unsigned char low = p[0] == 0xF0 ? 0x90 : 0x80, high = p[0] == 0xF4 ? 0x8F : 0xBF;

        return in(p[1], low, high) && in(p[2], 0x80, 0xBF) && in(p[3], 0x80, 0xBF) ? 4 : 0;
    }
    return 0;
}

bool cz_utf8_is_valid(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    while (*p != '\0') {
        const size_t n = character(p);

        if (n == 0)
            return false;
        p += n;
    }
    return true;
}

void cz_utf8_repair(char *text)
{
    unsigned char *p = (unsigned char *)text;

    while (*p != '\0') {
        const size_t n = character(p);

        if (n == 0)
            *p = '?';
        p += n == 0 ? 1 : n;
    }
}
