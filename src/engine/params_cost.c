/* params_cost.c: what a circuit costs, from the counts in its parameter file.
 *
 * The file is a chain of lists, each a count and its points (params.h), so six small reads find all
 * counts. Memory of the classic path, with D the domain, V the variables:
 *   synthesis  3 D + V field elements of 32 bytes, three bit planes of V
 *   proving    the same until the quotient is done; then D + V elements, 140 bytes a point for at
 *              most 2^22 points of H, and 16 bytes a variable to split the assignment */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "engine/filecoin_prover.h"
#include "params/params.h"

enum {
    FIELD_BYTES = 32,
    G1_BYTES = 96,
    H_CHUNK = 1 << 22,
    CHUNK_POINT_BYTES = 140,
    SPLIT_BYTES = 16,
    KEY_POINT_BYTES = 144, /* of the vk and the verifier */
    BASE_BYTES = 1 << 20
};

static cz_err read_count(int fd, const char *path, uint64_t at, uint64_t *count)
{
    uint8_t bytes[4];

    if (pread(fd, bytes, sizeof bytes, (off_t)at) != (ssize_t)sizeof bytes)
        return cz_fail(CZ_E_INPUT, "%s: too short: no count at byte %" PRIu64, path, at);
    *count = cz_load_be32(bytes);
    return CZ_OK;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t part_bytes(uint64_t domain, uint64_t variables)
{
    const uint64_t chunk = domain < H_CHUNK ? domain : H_CHUNK;
    const uint64_t before = 3 * domain * FIELD_BYTES;
    const uint64_t after =
        domain * FIELD_BYTES + chunk * CHUNK_POINT_BYTES + variables * SPLIT_BYTES;

    return larger(before, after) + variables * FIELD_BYTES + 3 * (variables / 8) + BASE_BYTES;
}

static cz_err from_counts(cz_keys_cost *out, int fd, const char *path)
{
    uint64_t at = CZ_VK_HEAD_BYTES - 4, ic, h, l;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cz_fail(CZ_E_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return cz_fail(CZ_E_INPUT, "%s: not a regular file", path);
    CZ_TRY(read_count(fd, path, at, &ic));
    at += 4 + ic * G1_BYTES;
    CZ_TRY(read_count(fd, path, at, &h));
    at += 4 + h * G1_BYTES;
    CZ_TRY(read_count(fd, path, at, &l));
    out->file_bytes = (uint64_t)st.st_size;
    out->hot_bytes = (h + 1) * FIELD_BYTES + ic * KEY_POINT_BYTES + BASE_BYTES;
    out->part_bytes = part_bytes(h + 1, ic + l);
    return CZ_OK;
}

cz_err cz_params_cost(cz_keys_cost *out, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    cz_err err;

    if (fd < 0)
        return cz_fail(errno == ENOENT ? CZ_E_NOTFOUND : CZ_E_IO, "%s: %s", path, strerror(errno));
    err = from_counts(out, fd, path);
    (void)close(fd);
    return err;
}
