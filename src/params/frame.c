/* frame.c: see frame.h. */
#include "params/frame.h"

#include <inttypes.h>
#include <stdio.h>

/* ASCII for so long that no point's coordinate looks like it (the chance is below 2^-80). */
static bool is_text(const uint8_t *bytes, size_t n)
{
    size_t look = n < 64 ? n : 64;

    for (size_t i = 0; i < look; i++) {
        uint8_t c = bytes[i];
        bool blank = c == '\t' || c == '\n' || c == '\r';

        if ((c < 0x20 && !blank) || c >= 0x7f)
            return false;
    }
    return true;
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    size_t look = n < CZ_FRAME_LOOK_BYTES ? n : CZ_FRAME_LOOK_BYTES;

    for (size_t i = 0; i < look; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* The first line, cut to what fits a message. */
static void quote_start(char out[33], const uint8_t *bytes, size_t n)
{
    size_t k = 0;

    while (k < 32 && k < n && bytes[k] >= 0x20 && bytes[k] != 0x7f) {
        out[k] = (char)bytes[k];
        k++;
    }
    out[k] = 0;
}

cz_err cz_frame_refuse_foreign(const char *name, const char *what, const uint8_t *bytes, size_t n,
                               size_t least)
{
    char start[33];

    if (n == 0)
        return cz_fail(CZ_E_INPUT, "%s: empty, not a %s", name, what);
    if (is_text(bytes, n)) {
        quote_start(start, bytes, n);
        return cz_fail(CZ_E_INPUT,
                       "%s: not a %s but text, %zu bytes beginning with '%s' (a download that "
                       "stored an error page?)",
                       name, what, n, start);
    }
    if (is_zero(bytes, n))
        return cz_fail(CZ_E_INPUT,
                       "%s: not a %s: it begins with zero bytes (%zu bytes; a download that was "
                       "never completed?)",
                       name, what, n);
    if (n < least)
        return cz_fail(CZ_E_INPUT, "%s: too short for a %s: %zu bytes, at least %zu needed", name,
                       what, n, least);
    return CZ_OK;
}

cz_err cz_frame_list(cz_reader *r, const char *name, const char *section, size_t point_bytes,
                     cz_point_list *list)
{
    uint32_t n;

    if (r->left < 4)
        return cz_fail(CZ_E_INPUT, "%s: too short: the count of section %s is missing at byte %zu",
                       name, section, r->offset);
    CZ_TRY_IN(cz_read_be32(r, &n, section), "%s", name);
    if (r->left / point_bytes < n)
        return cz_fail(CZ_E_INPUT,
                       "%s: too short: section %s has %" PRIu32 " points (%" PRIu64
                       " bytes) at byte %zu, but only %zu bytes follow",
                       name, section, n, (uint64_t)n * point_bytes, r->offset, r->left);
    list->n = n;
    CZ_TRY_IN(cz_read_bytes(r, &list->bytes, (size_t)n * point_bytes, section), "%s", name);
    return CZ_OK;
}
