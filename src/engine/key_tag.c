/* key_tag.c: by what a verifying key is known again: SHA-256 of its bytes as files have them,
 * points of the inputs included, so of all that a verification depends on. A parameter file begins
 * with these bytes: at most 2.5 MB, of the window PoSt's 25,840 points. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "engine/filecoin_state.h"
#include "hash/sha256.h"

enum { CHUNK_BYTES = 1 << 16 };

cz_err cz_vk_tag(uint8_t out[CZ_KEY_TAG_BYTES], const cz_vk *vk)
{
    const size_t n = cz_vk_bytes(vk);
    uint8_t *bytes = malloc(n);

    if (bytes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a verifying key");
    cz_vk_serialize(bytes, vk);
    cz_sha256_of(out, bytes, n);
    free(bytes);
    return CZ_OK;
}

static cz_err read_at(int fd, const char *path, uint8_t *bytes, size_t n, uint64_t at)
{
    const ssize_t got = pread(fd, bytes, n, (off_t)at);

    if (got < 0)
        return cz_fail(CZ_E_IO, "%s: cannot read: %s", path, strerror(errno));
    if ((size_t)got != n)
        return cz_fail(CZ_E_INPUT, "%s: too short: the verifying key ends at byte %" PRIu64, path,
                       at + (uint64_t)got);
    return CZ_OK;
}

/* The count says how much there is: it must be what the file can have. */
static cz_err find_end(int fd, const char *path, uint64_t *end)
{
    uint8_t count[4];
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cz_fail(CZ_E_IO, "%s: %s", path, strerror(errno));
    CZ_TRY(read_at(fd, path, count, sizeof count, CZ_VK_HEAD_BYTES - sizeof count));
    *end = CZ_VK_HEAD_BYTES + (uint64_t)cz_load_be32(count) * CZ_G1_UNCOMPRESSED_BYTES;
    if (*end > (uint64_t)st.st_size)
        return cz_fail(CZ_E_INPUT, "%s: too short for its verifying key", path);
    return CZ_OK;
}

static cz_err hash_up_to(uint8_t out[CZ_KEY_TAG_BYTES], int fd, const char *path, uint64_t end)
{
    uint8_t chunk[CHUNK_BYTES];
    cz_sha256 hash;

    cz_sha256_init(&hash);
    for (uint64_t at = 0; at < end;) {
        const size_t n = end - at < sizeof chunk ? (size_t)(end - at) : sizeof chunk;

        CZ_TRY(read_at(fd, path, chunk, n, at));
        cz_sha256_update(&hash, chunk, n);
        at += n;
    }
    cz_sha256_final(&hash, out);
    return CZ_OK;
}

cz_err cz_params_tag(uint8_t out[CZ_KEY_TAG_BYTES], const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t end = 0;
    cz_err err;

    if (fd < 0)
        return cz_fail(errno == ENOENT ? CZ_E_NOTFOUND : CZ_E_IO, "%s: %s", path, strerror(errno));
    err = find_end(fd, path, &end);
    if (err == CZ_OK)
        err = hash_up_to(out, fd, path, end);
    (void)close(fd);
    return err;
}
