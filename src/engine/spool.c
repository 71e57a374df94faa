/* spool.c: see spool.h. */
#define _GNU_SOURCE
#include "engine/spool.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "engine/journal.h"
#include "engine/request_codec.h"

enum { PATH_BYTES = 4096 };

static cz_err folder_path(char out[PATH_BYTES], const char *dir)
{
    if (snprintf(out, PATH_BYTES, "%s/spool", dir) >= PATH_BYTES - 64)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", dir);
    return CZ_OK;
}

static void file_path(char out[PATH_BYTES], const char *dir, const char *name)
{
    (void)snprintf(out, PATH_BYTES, "%s/spool/%s", dir, name);
}

cz_err cz_spool_open(const char *dir)
{
    char path[PATH_BYTES];

    CZ_TRY(folder_path(path, dir));
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return cz_fail(CZ_E_IO, "%s: %s", path, strerror(errno));
    return CZ_OK;
}

static cz_err write_file(const char *path, const cz_request *request)
{
    cz_file_writer file;
    cz_err err;

    CZ_TRY(cz_file_writer_open(&file, path));
    err = cz_request_write(request, &file);
    if (err == CZ_OK)
        return cz_file_writer_commit(&file);
    cz_file_writer_abort(&file);
    return err;
}

/* Whatever the reason, a caller hears that a file failed: "not found" would mean something else. */
cz_err cz_spool_write(const char *dir, const char *job_id, const cz_request *request)
{
    char path[PATH_BYTES];
    cz_err err;

    file_path(path, dir, job_id);
    err = write_file(path, request);
    if (err == CZ_OK)
        return CZ_OK;
    (void)cz_fail_in(err, "spool");
    return CZ_E_IO;
}

static cz_err check_content(const cz_request *request, const uint8_t content[32])
{
    uint8_t found[32];

    cz_request_content(found, request);
    if (memcmp(found, content, sizeof found) != 0)
        return cz_fail(CZ_E_INPUT, "damaged: its content is not what was accepted");
    return CZ_OK;
}

static cz_err read_and_check(const uint8_t *bytes, size_t n, const uint8_t content[32],
                             cz_request **out)
{
    cz_request *request;
    cz_err err;

    CZ_TRY(cz_request_read(&request, bytes, n));
    err = check_content(request, content);
    if (err != CZ_OK) {
        cz_request_destroy(request);
        return err;
    }
    *out = request;
    return CZ_OK;
}

cz_err cz_spool_read(const char *dir, const char *job_id, const uint8_t content[32],
                     cz_request **out)
{
    char path[PATH_BYTES];
    const uint8_t *bytes;
    size_t n;
    cz_err err;

    file_path(path, dir, job_id);
    CZ_TRY_IN(cz_file_map(path, &bytes, &n), "spool");
    err = read_and_check(bytes, n, content, out);
    cz_file_unmap(bytes, n);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "spool: %s", path);
}

cz_err cz_spool_shape(const char *dir, const char *job_id, cz_request **out)
{
    char path[PATH_BYTES];
    const uint8_t *bytes;
    size_t n;
    cz_err err;

    file_path(path, dir, job_id);
    CZ_TRY_IN(cz_file_map(path, &bytes, &n), "spool");
    err = cz_request_read_shape(out, bytes, n);
    cz_file_unmap(bytes, n);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "spool: %s", path);
}

void cz_spool_remove(const char *dir, const char *job_id)
{
    char path[PATH_BYTES];

    file_path(path, dir, job_id);
    if (unlink(path) != 0 && errno != ENOENT)
        cz_log(CZ_LOG_WARN, "%s: cannot remove: %s", path, strerror(errno));
}

/* Room for all of it, where the file system can say so without writing it. */
static bool fill_probe(int fd, uint64_t bytes)
{
    if (write(fd, "", 1) != 1)
        return false;
    if (bytes > 1 && fallocate(fd, 0, 0, (off_t)bytes) != 0 && errno != EOPNOTSUPP)
        return false;
    return fsync(fd) == 0;
}

/* The name is one that a sweep removes, should the process end here. */
cz_err cz_spool_probe(const char *dir, uint64_t bytes)
{
    char path[PATH_BYTES];
    cz_err err = CZ_OK;
    int fd;

    file_path(path, dir, "00000000000000000000000000000000.tmp-probe");
    fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return cz_fail(CZ_E_IO, "spool: %s: %s", path, strerror(errno));
    if (!fill_probe(fd, bytes))
        err = cz_fail(CZ_E_IO, "spool: %s: %s", path, strerror(errno));
    (void)close(fd);
    (void)unlink(path);
    return err;
}

/* Only what this module names: a job id, or one with the ending of a file being written. A folder
 * "spool" may have been there before, with files of somebody else. */
static bool is_ours(const char *name)
{
    const size_t n = strspn(name, "0123456789abcdef");

    return n == CZ_JOB_ID_BYTES - 1 &&
           (name[n] == '\0' || strncmp(name + n, ".tmp-", strlen(".tmp-")) == 0);
}

void cz_spool_sweep(const char *dir, bool (*wanted)(void *ctx, const char *job_id), void *ctx)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    DIR *folder;

    if (folder_path(path, dir) != CZ_OK)
        return;
    folder = opendir(path);
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL)
        if (is_ours(entry->d_name) && !wanted(ctx, entry->d_name))
            cz_spool_remove(dir, entry->d_name);
    (void)closedir(folder);
}
