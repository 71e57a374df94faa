/* bytes.c: see bytes.h. */
#define _GNU_SOURCE
#include "base/bytes.h"

#include <errno.h>
#include <sys/random.h>

void cz_hex_encode(char *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digits[bytes[i] >> 4];
        out[2 * i + 1] = digits[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool cz_hex_decode(uint8_t *out, size_t n, const char *hex, size_t hex_len)
{
    if (hex_len != 2 * n)
        return false;
    for (size_t i = 0; i < n; i++) {
        int high = hex_digit(hex[2 * i]);
        int low = hex_digit(hex[2 * i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void cz_secure_zero(void *p, size_t n)
{
    explicit_bzero(p, n);
}

cz_err cz_random_bytes(uint8_t *out, size_t n)
{
    while (n > 0) {
        ssize_t got = getrandom(out, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return cz_fail(CZ_E_IO, "the system's random generator failed: %s", strerror(errno));
        out += got;
        n -= (size_t)got;
    }
    return CZ_OK;
}

cz_err cz_read_bytes(cz_reader *r, const uint8_t **view, size_t n, const char *what)
{
    if (r->left < n)
        return cz_fail(CZ_E_INPUT, "%s: %zu bytes wanted at offset %zu, %zu left", what, n,
                       r->offset, r->left);
    *view = r->p;
    r->p += n;
    r->left -= n;
    r->offset += n;
    return CZ_OK;
}

cz_err cz_read_u8(cz_reader *r, uint8_t *out, const char *what)
{
    const uint8_t *p;

    CZ_TRY(cz_read_bytes(r, &p, 1, what));
    *out = p[0];
    return CZ_OK;
}

cz_err cz_read_le32(cz_reader *r, uint32_t *out, const char *what)
{
    const uint8_t *p;

    CZ_TRY(cz_read_bytes(r, &p, 4, what));
    *out = cz_load_le32(p);
    return CZ_OK;
}

cz_err cz_read_le64(cz_reader *r, uint64_t *out, const char *what)
{
    const uint8_t *p;

    CZ_TRY(cz_read_bytes(r, &p, 8, what));
    *out = cz_load_le64(p);
    return CZ_OK;
}

cz_err cz_read_be32(cz_reader *r, uint32_t *out, const char *what)
{
    const uint8_t *p;

    CZ_TRY(cz_read_bytes(r, &p, 4, what));
    *out = cz_load_be32(p);
    return CZ_OK;
}
