/* file.h: whole files: map for reading, read into memory with a limit, write atomically. Messages
 * name the path. Errors, besides those named: CZ_E_NOTFOUND, CZ_E_IO, CZ_E_NOMEM.
 *
 * Threads: any. A path has one writer at a time within a process, whose temporary file is one; a
 * second one is refused. Other processes do not matter. */
#ifndef CZ_BASE_FILE_H
#define CZ_BASE_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"

/** Map a regular file read-only. An empty file gives *bytes = NULL, *n = 0. CZ_E_INPUT: a folder,
 * a special file. */
CZ_MUST_CHECK cz_err cz_file_map(const char *path, const uint8_t **bytes, size_t *n);

/** The same, and *fd to read the same file by, whatever takes its name; close() it. */
CZ_MUST_CHECK cz_err cz_file_map_open(const char *path, const uint8_t **bytes, size_t *n, int *fd);
void cz_file_unmap(const uint8_t *bytes, size_t n);

/** Read a whole file (or "-": standard input) into fresh memory, NUL-terminated (the NUL not
 * counted); free() it. CZ_E_INPUT: a folder, or longer than max_bytes. */
CZ_MUST_CHECK cz_err cz_file_read(const char *path, size_t max_bytes, uint8_t **bytes, size_t *n);

/* A file that appears under its name only when complete: written as "<path>.tmp-<pid>", which is
 * locked (flock) meanwhile, synced and renamed by commit. */
typedef struct {
    FILE *stream;
    char *path;
    char *tmp_path;
} cz_file_writer;

/** End it by commit or abort; after a failure here there is nothing to end. CZ_E_INPUT: a device,
 * a folder or a socket has this name. CZ_E_IO: it is being written already. */
CZ_MUST_CHECK cz_err cz_file_writer_open(cz_file_writer *w, const char *path);

/** Append n bytes. After a failure: abort. */
CZ_MUST_CHECK cz_err cz_file_write(cz_file_writer *w, const void *bytes, size_t n);

/** Sync and rename into place; w is released, also on failure, when the temporary file is gone. */
CZ_MUST_CHECK cz_err cz_file_writer_commit(cz_file_writer *w);

/** Remove what was written so far; harmless after commit. */
void cz_file_writer_abort(cz_file_writer *w);

/** Remove what writers of this path have left that were killed, and say so in the log. For large
 * files, before the free space is looked at. */
void cz_file_drop_leftovers(const char *path);

/** Write n bytes atomically: the path's old contents stay on failure. */
CZ_MUST_CHECK cz_err cz_file_write_all(const char *path, const void *bytes, size_t n);

#endif
