/* file_digest.c: the digest that the network's list has of a file: 16 bytes of BLAKE2b-512. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "base/file.h"
#include "hash/blake2b.h"
#include "params/manifest.h"

enum { BYTES_A_STEP = 1 << 24 };

static cz_err hash_all(cz_blake2b *state, const uint8_t *bytes, size_t n,
                       cz_digest_progress_fn progress, void *ctx)
{
    for (size_t i = 0; i < n;) {
        size_t k = n - i < BYTES_A_STEP ? n - i : BYTES_A_STEP;

        CZ_TRY(cz_blake2b_update(state, bytes + i, k));
        /* Hashed pages need not stay resident: the file may be larger than our memory. */
        (void)madvise((void *)(uintptr_t)(bytes + i), k, MADV_DONTNEED);
        i += k;
        if (progress != NULL)
            progress(ctx, i, n);
    }
    return CZ_OK;
}

cz_err cz_params_digest_map(uint8_t out[CZ_PARAM_DIGEST_BYTES], const uint8_t *map, size_t n,
                            cz_digest_progress_fn progress, void *ctx)
{
    cz_blake2b *state = NULL;
    uint8_t full[64];
    cz_err err;

    CZ_TRY(cz_blake2b_create(&state));
    if (n > 0)
        (void)madvise((void *)(uintptr_t)map, n, MADV_SEQUENTIAL);
    err = hash_all(state, map, n, progress, ctx);
    if (err == CZ_OK)
        err = cz_blake2b_final(state, full);
    if (err == CZ_OK)
        memcpy(out, full, CZ_PARAM_DIGEST_BYTES);
    if (n > 0)
        (void)madvise((void *)(uintptr_t)map, n, MADV_NORMAL);
    cz_blake2b_destroy(state);
    return err;
}

cz_err cz_params_digest(uint8_t out[CZ_PARAM_DIGEST_BYTES], const char *path,
                        cz_digest_progress_fn progress, void *ctx)
{
    const uint8_t *map;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_map(path, &map, &n));
    err = cz_params_digest_map(out, map, n, progress, ctx);
    cz_file_unmap(map, n);
    return err;
}
