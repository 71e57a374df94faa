/* params_cost.c: what a circuit costs, from the counts in its parameter file.
 *
 * The file is a chain of lists, each a count and its points (params.h), so a few small reads find
 * all counts. From those groth16/prove_memory.h bounds a partition: its account wants the circuit's
 * numbers of variables of each class, which the file does not tell. Where the witness is mostly
 * bits (SHA-256), at most a sixteenth of the variables are field elements: the network's circuits
 * have 1.3 to 2.9 %. Elsewhere all may be. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "engine/circuit_cache.h"
#include "engine/filecoin_prover.h"
#include "groth16/prove_memory.h"
#include "ntt/ntt.h"
#include "params/frame.h"
#include "params/params.h"

enum {
    G1_BYTES = 96,
    KEY_POINT_BYTES = 144, /* of the vk and the verifier */
    FIELDS_AMONG_BITS = 16,
    MOST_COLUMNS = 65536, /* of a template: nine bytes each */
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

/* A page of an error, an empty file: they have no counts. */
static cz_err check_head(int fd, const char *path, uint64_t bytes)
{
    uint8_t head[CZ_FRAME_LOOK_BYTES] = {0};

    if (pread(fd, head, sizeof head, 0) < 0)
        return cz_fail(CZ_E_IO, "%s: cannot read: %s", path, strerror(errno));
    return cz_frame_refuse_foreign(path, "parameter file", head, (size_t)bytes, CZ_VK_HEAD_BYTES);
}

/* What a device is given; it holds the rest. Twice: it is made, then copied to where the device
 * reads it. */
static uint64_t witness_bytes(const cz_prove_sizes *sizes)
{
    return (sizes->inputs + sizes->fields + 1) * sizeof(cz_fr) + sizes->aux / 8 + 16;
}

static void count_part(cz_keys_cost *out, uint64_t domain, uint64_t inputs, uint64_t aux, bool bits,
                       cz_pool *pool)
{
    const cz_prove_sizes sizes = {
        .log_n = cz_ntt_log_n(domain),
        .inputs = inputs,
        .aux = aux,
        .fields = bits ? aux / FIELDS_AMONG_BITS : aux,
        .b_points = inputs + aux,
        .circuit_bytes = CZ_COMPILED_MOST_BYTES,
        .row_scratch = (size_t)9 * MOST_COLUMNS * cz_pool_threads(pool),
    };
    cz_prove_memory memory;

    cz_prove_memory_bound(&memory, &sizes, pool);
    out->part_bytes = memory.peak + BASE_BYTES;
    out->device_bytes = CZ_COMPILED_MOST_BYTES + 2 * witness_bytes(&sizes) + BASE_BYTES;
}

static void from_counts(cz_keys_cost *out, uint64_t ic, uint64_t h, uint64_t l, bool bits,
                        cz_pool *pool)
{
    out->hot_bytes = cz_ntt_plan_bytes(cz_ntt_log_n(h + 1)) + ic * KEY_POINT_BYTES + BASE_BYTES;
    count_part(out, h + 1, ic, l, bits, pool);
}

static cz_err from_file(cz_keys_cost *out, int fd, const char *path, bool bits, cz_pool *pool)
{
    uint64_t at = CZ_VK_HEAD_BYTES - 4, ic, h, l;
    struct stat st;

    if (fstat(fd, &st) != 0)
        return cz_fail(CZ_E_IO, "%s: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return cz_fail(CZ_E_INPUT, "%s: not a regular file", path);
    CZ_TRY(check_head(fd, path, (uint64_t)st.st_size));
    CZ_TRY(read_count(fd, path, at, &ic));
    at += 4 + ic * G1_BYTES;
    CZ_TRY(read_count(fd, path, at, &h));
    at += 4 + h * G1_BYTES;
    CZ_TRY(read_count(fd, path, at, &l));
    out->file_bytes = (uint64_t)st.st_size;
    if (h >= (uint64_t)1 << CZ_NTT_MAX_LOG_N)
        return cz_fail(CZ_E_INPUT, "%s: h: %" PRIu64 " points, more than any circuit has", path, h);
    from_counts(out, ic, h, l, bits, pool);
    return CZ_OK;
}

void cz_params_cost_of(cz_keys_cost *out, const cz_params *params, bool bits, cz_pool *pool)
{
    out->file_bytes = params->map_bytes;
    from_counts(out, params->vk.n_ic, params->h.n, params->l.n, bits, pool);
}

cz_err cz_params_cost(cz_keys_cost *out, const char *path, bool bits, cz_pool *pool)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    cz_err err;

    if (fd < 0)
        return cz_fail(errno == ENOENT ? CZ_E_NOTFOUND : CZ_E_IO, "%s: %s", path, strerror(errno));
    err = from_file(out, fd, path, bits, pool);
    (void)close(fd);
    return err;
}
