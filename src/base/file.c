/* file.c: see file.h. */
#define _GNU_SOURCE
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"

static cz_err fail_errno(const char *path, const char *what)
{
    int e = errno;

    return cz_fail(e == ENOENT   ? CZ_E_NOTFOUND
                   : e == ENOMEM ? CZ_E_NOMEM
                                 : CZ_E_IO,
                   "%s: %s: %s", path, what, strerror(e));
}

/* Open for reading; only regular files when `regular_only`. */
static cz_err open_input(int *fd, struct stat *st, const char *path, bool regular_only)
{
    *fd = open(path, O_RDONLY | O_CLOEXEC);
    if (*fd < 0)
        return fail_errno(path, "cannot open");
    if (fstat(*fd, st) != 0) {
        cz_err err = fail_errno(path, "cannot examine");

        (void)close(*fd);
        return err;
    }
    if (S_ISDIR(st->st_mode) || (regular_only && !S_ISREG(st->st_mode))) {
        (void)close(*fd);
        return cz_fail(CZ_E_INPUT, "%s: %s, not a regular file", path,
                       S_ISDIR(st->st_mode) ? "a folder" : "a special file");
    }
    return CZ_OK;
}

cz_err cz_file_map_open(const char *path, const uint8_t **bytes, size_t *n, int *fd)
{
    struct stat st = {0};
    void *map = NULL;

    CZ_TRY(open_input(fd, &st, path, true));
    if (st.st_size > 0)
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, *fd, 0);
    if (map == MAP_FAILED) {
        cz_err err = fail_errno(path, "cannot map");

        (void)close(*fd);
        return err;
    }
    *bytes = map;
    *n = (size_t)st.st_size;
    return CZ_OK;
}

cz_err cz_file_map(const char *path, const uint8_t **bytes, size_t *n)
{
    int fd;

    CZ_TRY(cz_file_map_open(path, bytes, n, &fd));
    (void)close(fd);
    return CZ_OK;
}

void cz_file_unmap(const uint8_t *bytes, size_t n)
{
    if (bytes != NULL)
        (void)munmap((void *)(uintptr_t)bytes, n);
}

/* A growing buffer for input of unknown length. */
typedef struct {
    uint8_t *bytes;
    size_t n, cap;
} buffer;

static cz_err make_room(buffer *b, size_t cap, const char *path)
{
    uint8_t *bigger;

    if (b->cap >= cap)
        return CZ_OK;
    bigger = realloc(b->bytes, cap);
    if (bigger == NULL)
        return cz_fail(CZ_E_NOMEM, "%s: no memory for %zu bytes", path, cap);
    b->bytes = bigger;
    b->cap = cap;
    return CZ_OK;
}

/* Read up to the end, at most max_bytes; room for one byte more tells "longer" from "exactly". */
static cz_err read_rest(buffer *b, int fd, const char *path, size_t max_bytes)
{
    for (;;) {
        ssize_t got;

        if (b->n > max_bytes)
            return cz_fail(CZ_E_INPUT, "%s: longer than the limit of %zu bytes", path, max_bytes);
        if (b->cap - b->n < 2)
            CZ_TRY(make_room(b, b->cap * 2, path));
        got = read(fd, b->bytes + b->n, b->cap - b->n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(path, "cannot read");
        if (got == 0)
            break;
        b->n += (size_t)got;
    }
    b->bytes[b->n] = 0;
    return CZ_OK;
}

cz_err cz_file_read(const char *path, size_t max_bytes, uint8_t **bytes, size_t *n)
{
    bool from_stdin = strcmp(path, "-") == 0;
    const char *name = from_stdin ? "standard input" : path;
    struct stat st = {0};
    buffer b = {0};
    cz_err err;
    int fd = STDIN_FILENO;

    if (!from_stdin)
        CZ_TRY(open_input(&fd, &st, path, false));
    if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > max_bytes)
        err = cz_fail(CZ_E_INPUT, "%s: %lld bytes, longer than the limit of %zu bytes", name,
                      (long long)st.st_size, max_bytes);
    else
        err = make_room(&b, S_ISREG(st.st_mode) ? (size_t)st.st_size + 2 : 65536, name);
    if (err == CZ_OK)
        err = read_rest(&b, fd, name, max_bytes);
    if (!from_stdin)
        (void)close(fd);
    if (err != CZ_OK) {
        free(b.bytes);
        return err;
    }
    *bytes = b.bytes;
    *n = b.n;
    return CZ_OK;
}

#define TMP_SUFFIX ".tmp-"

static void forget(cz_file_writer *w)
{
    free(w->path);
    free(w->tmp_path);
    *w = (cz_file_writer){0};
}

/* Renaming over /dev/null, a socket or a folder would end it for everybody. Links are replaced, as
 * files are, but for /dev/stdout and its like. */
static cz_err spare_what_is_no_file(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0 || S_ISREG(st.st_mode))
        return CZ_OK;
    if (S_ISLNK(st.st_mode) && strncmp(path, "/dev/", 5) != 0)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT, "%s: is there and no regular file", path);
}

/* Is it still the file of that name? */
static bool has_name(int fd, const char *path)
{
    struct stat here, there;

    return fstat(fd, &here) == 0 && lstat(path, &there) == 0 && here.st_dev == there.st_dev &&
           here.st_ino == there.st_ino;
}

/* A writer holds a lock on its temporary file until that has its final name, so that nobody takes
 * it for a leftover, or writes it too: another container's process can have the same number. Where
 * the file system has no locks, it does without. */
static bool lock_file(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static cz_err create_locked(cz_file_writer *w)
{
    const int fd = open(w->tmp_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    cz_err err;

    if (fd < 0)
        return fail_errno(w->tmp_path, "cannot create");
    if (!lock_file(fd) || !has_name(fd, w->tmp_path)) {
        err = cz_fail(CZ_E_IO, "%s: is being written already", w->tmp_path);
    } else if (ftruncate(fd, 0) != 0 || (w->stream = fdopen(fd, "wb")) == NULL) {
        err = fail_errno(w->tmp_path, "cannot create");
        (void)unlink(w->tmp_path);
    } else {
        return CZ_OK;
    }
    (void)close(fd);
    return err;
}

cz_err cz_file_writer_open(cz_file_writer *w, const char *path)
{
    cz_err err;

    *w = (cz_file_writer){0};
    CZ_TRY(spare_what_is_no_file(path));
    *w = (cz_file_writer){.path = strdup(path)};
    if (w->path == NULL ||
        asprintf(&w->tmp_path, "%s" TMP_SUFFIX "%ld", path, (long)getpid()) < 0) {
        w->tmp_path = NULL;
        forget(w);
        return cz_fail(CZ_E_NOMEM, "%s: no memory", path);
    }
    err = create_locked(w);
    if (err != CZ_OK)
        forget(w);
    return err;
}

cz_err cz_file_write(cz_file_writer *w, const void *bytes, size_t n)
{
    if (n != 0 && fwrite(bytes, 1, n, w->stream) != n)
        return fail_errno(w->tmp_path, "cannot write");
    return CZ_OK;
}

/* A descriptor; -1: it cannot be had. */
static int open_folder_of(const char *path)
{
    char *folder = strdup(path);
    char *slash = folder == NULL ? NULL : strrchr(folder, '/');
    int fd;

    if (folder == NULL)
        return -1;
    if (slash != NULL)
        slash[slash == folder ? 1 : 0] = '\0';
    fd = open(slash != NULL ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(folder);
    return fd;
}

/* Make the renamed entry itself durable; best effort, the file is complete either way. */
static void sync_folder_of(const char *path)
{
    const int fd = open_folder_of(path);

    if (fd < 0)
        return;
    (void)fsync(fd);
    (void)close(fd);
}

cz_err cz_file_writer_commit(cz_file_writer *w)
{
    cz_err err = CZ_OK;

    if (fflush(w->stream) != 0 || fsync(fileno(w->stream)) != 0)
        err = fail_errno(w->tmp_path, "cannot write");
    else if (rename(w->tmp_path, w->path) != 0)
        err = fail_errno(w->path, "cannot rename into place");
    if (err != CZ_OK)
        (void)unlink(w->tmp_path);
    (void)fclose(w->stream); /* all of it is written; the lock goes last, with it */
    if (err == CZ_OK)
        sync_folder_of(w->path);
    forget(w);
    return err;
}

void cz_file_writer_abort(cz_file_writer *w)
{
    if (w->stream != NULL) {
        (void)unlink(w->tmp_path);
        (void)fclose(w->stream);
    }
    forget(w);
}

static cz_err write_to(cz_file_writer *w, const void *bytes, size_t n)
{
    cz_err err = cz_file_write(w, bytes, n);

    if (err == CZ_OK)
        return cz_file_writer_commit(w);
    cz_file_writer_abort(w);
    return err;
}

cz_err cz_file_write_all(const char *path, const void *bytes, size_t n)
{
    cz_file_writer w;

    CZ_TRY(cz_file_writer_open(&w, path));
    return write_to(&w, bytes, n);
}

/* --- leftovers --- */

static bool is_leftover_name(const char *entry, const char *name)
{
    const size_t n = strlen(name), suffix = strlen(TMP_SUFFIX);

    return strncmp(entry, name, n) == 0 && strncmp(entry + n, TMP_SUFFIX, suffix) == 0 &&
           entry[n + suffix] != '\0' &&
           strspn(entry + n + suffix, "0123456789") == strlen(entry + n + suffix);
}

/* What a living writer has cannot be locked. `suffix` is the entry's, behind the path. */
static void drop_if_left(int folder, const char *entry, const char *path, const char *suffix)
{
    const int fd = openat(folder, entry, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        unlinkat(folder, entry, 0) == 0)
        cz_log(CZ_LOG_WARN, "%s%s: removed; an interrupted run has left it, %.2f GB", path, suffix,
               (double)st.st_size / 1e9);
    (void)close(fd);
}

void cz_file_drop_leftovers(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const int fd = open_folder_of(path);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    if (folder == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return;
    }
    while ((entry = readdir(folder)) != NULL)
        if (is_leftover_name(entry->d_name, name))
            drop_if_left(fd, entry->d_name, path, entry->d_name + strlen(name));
    (void)closedir(folder);
}
