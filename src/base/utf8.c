/* utf8.c: see utf8.h. */
#include "base/utf8.h"

static bool in(unsigned char c, unsigned char low, unsigned char high)
{
    return c >= low && c <= high;
}

/* No byte behind a NUL is read: it is in no range. */
size_t cz_utf8_length(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;

    if (p[0] < 0x80)
        return p[0] != '\0';
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
    while (*text != '\0') {
        const size_t n = cz_utf8_length(text);

        if (n == 0)
            return false;
        text += n;
    }
    return true;
}

void cz_utf8_repair(char *text)
{
    while (*text != '\0') {
        const size_t n = cz_utf8_length(text);

        if (n == 0)
            *text = '?';
        text += n == 0 ? 1 : n;
    }
}
