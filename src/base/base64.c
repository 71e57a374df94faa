/* base64.c: see base64.h. Groups of four plain characters go through one table look-up each, which
 * runs at about 1 GB/s; everything unusual (blanks, padding, the end) takes the slow step. */
#include "base/base64.h"

#include <stdbool.h>
#include <string.h>

enum { BLANK = 64, PAD = 65, BAD = 255 };

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t cz_base64_max_decoded(size_t n)
{
    return n / 4 * 3 + 3;
}

size_t cz_base64_encoded_len(size_t n)
{
    return (n + 2) / 3 * 4;
}

/* The value of every character: 0 … 63, BLANK, PAD or BAD. */
static void fill_values(uint8_t value[256])
{
    for (int c = 0; c < 256; c++)
        value[c] = BAD;
    for (uint8_t i = 0; i < 64; i++)
        value[(uint8_t)alphabet[i]] = i;
    value['-'] = 62;
    value['_'] = 63;
    value['='] = PAD;
    value[' '] = value['\t'] = value['\r'] = value['\n'] = BLANK;
}

typedef struct {
    uint8_t value[256];
    uint8_t *out;
    size_t n_out;
    uint32_t bits;   /* of the unfinished group */
    unsigned n_bits; /* 0, 6, 12 or 18 */
    unsigned n_pads;
} decoder;

static cz_err refuse(char c, size_t offset)
{
    if (c > ' ' && c <= '~')
        return cz_fail(CZ_E_INPUT, "base64: '%c' at offset %zu does not belong there", c, offset);
    return cz_fail(CZ_E_INPUT, "base64: byte 0x%02x at offset %zu does not belong there",
                   (unsigned)(uint8_t)c, offset);
}

static void put_group(decoder *d, uint32_t bits)
{
    d->out[d->n_out++] = (uint8_t)(bits >> 16);
    d->out[d->n_out++] = (uint8_t)(bits >> 8);
    d->out[d->n_out++] = (uint8_t)bits;
}

/* One character, of whatever kind. */
static cz_err take_one(decoder *d, char c, size_t offset)
{
    uint8_t v = d->value[(uint8_t)c];

    if (v == BLANK)
        return CZ_OK;
    if (v == PAD && d->n_bits >= 12 && d->n_pads < (24 - d->n_bits) / 6) {
        d->n_pads++;
        return CZ_OK;
    }
    if (v > 63 || d->n_pads != 0)
        return refuse(c, offset);
    d->bits = d->bits << 6 | v;
    d->n_bits += 6;
    if (d->n_bits == 24) {
        put_group(d, d->bits);
        d->bits = d->n_bits = 0;
    }
    return CZ_OK;
}

/* As many whole plain groups as there are; gives the characters taken. Which of the two alphabets
 * they use is judged afterwards, by check_alphabet. */
static size_t take_plain_groups(decoder *d, const char *text, size_t n)
{
    size_t i = 0;

    if (d->n_bits != 0 || d->n_pads != 0)
        return 0;
    for (; i + 4 <= n; i += 4) {
        uint32_t a = d->value[(uint8_t)text[i]], b = d->value[(uint8_t)text[i + 1]];
        uint32_t c = d->value[(uint8_t)text[i + 2]], e = d->value[(uint8_t)text[i + 3]];

        if ((a | b | c | e) > 63)
            break;
        put_group(d, a << 18 | b << 12 | c << 6 | e);
    }
    return i;
}

/* The last, incomplete group: its unused bits must be zero, so that every byte string has one text
 * only, and padding must be complete or absent. */
static cz_err take_rest(decoder *d, size_t n)
{
    if (d->n_bits == 6)
        return cz_fail(CZ_E_INPUT, "base64: one character is missing at the end (offset %zu)", n);
    if (d->n_pads != 0 && d->n_pads != (24 - d->n_bits) / 6)
        return cz_fail(CZ_E_INPUT, "base64: padding is incomplete at the end (offset %zu)", n);
    if ((d->n_bits == 12 && (d->bits & 15) != 0) || (d->n_bits == 18 && (d->bits & 3) != 0))
        return cz_fail(CZ_E_INPUT, "base64: unused bits are set at the end (offset %zu)", n);
    if (d->n_bits >= 12)
        d->out[d->n_out++] = (uint8_t)(d->bits >> (d->n_bits - 8));
    if (d->n_bits == 18)
        d->out[d->n_out++] = (uint8_t)(d->bits >> 2);
    return CZ_OK;
}

static cz_err check_alphabet(const char *text, size_t n)
{
    bool standard = memchr(text, '+', n) != NULL || memchr(text, '/', n) != NULL;
    const char *minus = memchr(text, '-', n), *line = memchr(text, '_', n);
    const char *url = minus != NULL ? minus : line;

    if (standard && url != NULL)
        return cz_fail(CZ_E_INPUT, "base64: '%c' at offset %zu mixes the two alphabets", *url,
                       (size_t)(url - text));
    return CZ_OK;
}

cz_err cz_base64_decode(uint8_t *out, size_t *out_len, const char *text, size_t n)
{
    decoder d = {.out = out};
    size_t i = 0;

    fill_values(d.value);
    while (i < n) {
        i += take_plain_groups(&d, text + i, n - i);
        if (i < n) {
            CZ_TRY(take_one(&d, text[i], i));
            i++;
        }
    }
    CZ_TRY(take_rest(&d, n));
    if (n != 0)
        CZ_TRY(check_alphabet(text, n));
    *out_len = d.n_out;
    return CZ_OK;
}

void cz_base64_encode(char *out, const uint8_t *bytes, size_t n)
{
    size_t i = 0;

    for (; i < n; i += 3) {
        size_t left = n - i;
        uint32_t bits = (uint32_t)bytes[i] << 16;

        bits |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        bits |= left > 2 ? (uint32_t)bytes[i + 2] : 0;
        *out++ = alphabet[bits >> 18];
        *out++ = alphabet[bits >> 12 & 63];
        *out++ = (char)(left > 1 ? alphabet[bits >> 6 & 63] : '=');
        *out++ = (char)(left > 2 ? alphabet[bits & 63] : '=');
    }
    *out = '\0';
}
