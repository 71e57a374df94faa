/* bytes.h: byte order, hexadecimal, bounded reading, and erasing secrets. No allocation. */
#ifndef CZ_BASE_BYTES_H
#define CZ_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline uint32_t cz_load_le32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t cz_load_le64(const uint8_t *p)
{
    return (uint64_t)cz_load_le32(p) | (uint64_t)cz_load_le32(p + 4) << 32;
}

static inline uint32_t cz_load_be32(const uint8_t *p)
{
    return (uint32_t)p[3] | (uint32_t)p[2] << 8 | (uint32_t)p[1] << 16 | (uint32_t)p[0] << 24;
}

static inline uint64_t cz_load_be64(const uint8_t *p)
{
    return (uint64_t)cz_load_be32(p) << 32 | (uint64_t)cz_load_be32(p + 4);
}

static inline void cz_store_le32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static inline void cz_store_le64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (8 * i));
}

static inline void cz_store_be32(uint8_t *p, uint32_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static inline void cz_store_be64(uint8_t *p, uint64_t v)
{
    for (int i = 0; i < 8; i++)
        p[i] = (uint8_t)(v >> (56 - 8 * i));
}

/** Lower-case hex of n bytes; `out` takes 2 n characters and a final NUL. */
void cz_hex_encode(char *out, const uint8_t *bytes, size_t n);

/** Exactly 2 n hex digits (either case) into n bytes; false, `out` undefined, when malformed or of
 * another length. */
bool cz_hex_decode(uint8_t *out, size_t n, const char *hex, size_t hex_len);

/** Overwrite a secret so that the compiler cannot leave the stores out. */
void cz_secure_zero(void *p, size_t n);

/** n bytes from the operating system's generator. Fails with CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_random_bytes(uint8_t *out, size_t n);

/* A cursor over bytes from outside: every read is bounds-checked, nothing is copied by `take`. */
typedef struct {
    const uint8_t *p; /* next byte */
    size_t left;      /* bytes not yet read */
    size_t offset;    /* bytes read so far, for messages */
} cz_reader;

static inline cz_reader cz_reader_init(const uint8_t *bytes, size_t n)
{
    cz_reader r = {bytes, n, 0};
    return r;
}

/** The next n bytes, viewed in place. Fails with CZ_E_INPUT "…: n bytes wanted at offset o, m
 * left". */
CZ_MUST_CHECK cz_err cz_read_bytes(cz_reader *r, const uint8_t **view, size_t n, const char *what);
CZ_MUST_CHECK cz_err cz_read_u8(cz_reader *r, uint8_t *out, const char *what);
CZ_MUST_CHECK cz_err cz_read_le32(cz_reader *r, uint32_t *out, const char *what);
CZ_MUST_CHECK cz_err cz_read_le64(cz_reader *r, uint64_t *out, const char *what);
CZ_MUST_CHECK cz_err cz_read_be32(cz_reader *r, uint32_t *out, const char *what);

#ifdef __cplusplus
}
#endif
#endif
