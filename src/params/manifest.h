/* manifest.h: the network's list of parameter files ("parameters.json") and the digests in it.
 *
 * The list is an object {"<file name>": {"cid": …, "digest": "<32 hex digits>", "sector_size": n}};
 * a digest is the first 16 bytes of the file's BLAKE2b-512. It comes from the user (an option, or
 * beside the parameters), never from us. Hashing runs on one thread at about 1 GB/s: 45 GiB take
 * most of a minute, so it reports progress. */
#ifndef CZ_PARAMS_MANIFEST_H
#define CZ_PARAMS_MANIFEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { CZ_PARAM_DIGEST_BYTES = 16 };

typedef struct {
    char *name; /* file name with extension, owned */
    uint64_t sector_size;
    uint8_t digest[CZ_PARAM_DIGEST_BYTES];
} cz_manifest_entry;

typedef struct {
    char *path; /* where it was read, for messages */
    cz_manifest_entry *entries;
    size_t n;
} cz_manifest;

/** CZ_E_NOTFOUND, CZ_E_INPUT "path: <file name>: …". */
CZ_MUST_CHECK cz_err cz_manifest_read(cz_manifest *out, const char *path);
void cz_manifest_clear(cz_manifest *m);

/** The entry of a file (its last path component counts), or NULL. */
const cz_manifest_entry *cz_manifest_find(const cz_manifest *m, const char *path);

/** Bytes hashed so far and in all. */
typedef void (*cz_digest_progress_fn)(void *ctx, uint64_t done, uint64_t total);

/** The digest of a file as the list has it. */
CZ_MUST_CHECK cz_err cz_params_digest(uint8_t out[CZ_PARAM_DIGEST_BYTES], const char *path,
                                      cz_digest_progress_fn progress, void *ctx);

/** The same of the n bytes that a file was mapped to (cz_file_map). */
CZ_MUST_CHECK cz_err cz_params_digest_map(uint8_t out[CZ_PARAM_DIGEST_BYTES], const uint8_t *map,
                                          size_t n, cz_digest_progress_fn progress, void *ctx);

/** Hash the file and compare. CZ_E_NOTFOUND: the list does not name this file, or there is no such
 * file; CZ_E_INPUT: the digests differ (both are in the message). */
CZ_MUST_CHECK cz_err cz_manifest_check(const cz_manifest *m, const char *path,
                                       cz_digest_progress_fn progress, void *ctx);

/** The same of the n bytes that the file was mapped to (cz_file_map). */
CZ_MUST_CHECK cz_err cz_manifest_check_map(const cz_manifest *m, const char *path,
                                           const uint8_t *map, size_t n,
                                           cz_digest_progress_fn progress, void *ctx);

#endif
