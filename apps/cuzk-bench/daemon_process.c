/* daemon_process.c: see daemon_process.h. */
#define _GNU_SOURCE
#include "daemon_process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_TOP = 40 }; /* of the folder's path, all but its own name */

/* ---- the program ---- */

static bool is_program(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISREG(s.st_mode) && access(path, X_OK) == 0;
}

/* Beside this program where both are installed; in its own folder where both were built. */
static cz_err find_program(char out[PATH_BYTES], const char *given)
{
    static const char *const places[] = {"cuzk", "../cuzk/cuzk"};
    char here[PATH_BYTES];
    ssize_t n;

    if (given != NULL && given[0] != '\0') {
        (void)snprintf(out, PATH_BYTES, "%s", given);
        return is_program(out) ? CZ_OK : cz_fail(CZ_E_NOTFOUND, "%s: no program", given);
    }
    n = readlink("/proc/self/exe", here, sizeof here - 1);
    if (n < 0)
        return cz_fail(CZ_E_IO, "/proc/self/exe: %s", strerror(errno));
    here[n] = '\0';
    *strrchr(here, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(out, PATH_BYTES, "%s/%s", here, places[i]) < PATH_BYTES && is_program(out))
            return CZ_OK;
    return cz_fail(CZ_E_NOTFOUND, "there is no cuzk beside %s; name the daemon's program", here);
}

/* ---- the folder ---- */

static cz_err make_folder(daemon_process *d)
{
    const char *top = getenv("TMPDIR");

    if (top == NULL || strlen(top) > LONGEST_TOP) /* paths of sockets are short */
        top = "/tmp";
    (void)snprintf(d->folder, sizeof d->folder, "%.*s/cuzk-ab-XXXXXX", LONGEST_TOP, top);
    if (mkdtemp(d->folder) == NULL) {
        d->folder[0] = '\0';
        return cz_fail(CZ_E_IO, "a folder in %s: %s", top, strerror(errno));
    }
    (void)snprintf(d->address, sizeof d->address, "unix://%s/cuzk.sock", d->folder);
    return CZ_OK;
}

static int remove_entry(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_folder(daemon_process *d)
{
    if (d->folder[0] != '\0')
        (void)nftw(d->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    d->folder[0] = '\0';
}

/* ---- the process ---- */

static void log_path(char out[PATH_BYTES], const daemon_process *d)
{
    (void)snprintf(out, PATH_BYTES, "%s/log", d->folder);
}

/* In the child: everything that it writes goes into its folder, and it ends with its parent. */
static void become(const daemon_process *d, const daemon_order *o, const char *program)
{
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    char log[PATH_BYTES];
    int fd;

    log_path(log, d);
    fd = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || nothing < 0 || dup2(nothing, STDIN_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0 ||
        dup2(fd, STDOUT_FILENO) < 0)
        _exit(126);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)unsetenv("STATE_DIRECTORY");
    (void)unsetenv("NOTIFY_SOCKET");
    if (setenv("XDG_STATE_HOME", d->folder, 1) != 0)
        _exit(126);
    if (o->params != NULL && setenv("FIL_PROOFS_PARAMETER_CACHE", o->params, 1) != 0)
        _exit(126);
    if (o->config != NULL)
        (void)execl(program, "cuzk", "--config", o->config, "--listen", d->address, (char *)NULL);
    else
        (void)execl(program, "cuzk", "--listen", d->address, (char *)NULL);
    _exit(127);
}

cz_err daemon_process_start(daemon_process *d, const daemon_order *order)
{
    char program[PATH_BYTES];

    *d = (daemon_process){.pid = 0};
    CZ_TRY(find_program(program, order->program));
    CZ_TRY(make_folder(d));
    d->pid = fork();
    if (d->pid == 0)
        become(d, order, program);
    if (d->pid > 0)
        return CZ_OK;
    d->pid = 0;
    remove_folder(d);
    return cz_fail(CZ_E_IO, "fork: %s", strerror(errno));
}

/* The last line of its log, without the end of line. */
static void last_words(const daemon_process *d, char *out, size_t size)
{
    char path[PATH_BYTES], line[512];
    FILE *in;

    out[0] = '\0';
    log_path(path, d);
    in = fopen(path, "r");
    while (in != NULL && fgets(line, sizeof line, in) != NULL)
        (void)snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
    if (in != NULL)
        (void)fclose(in);
}

static cz_err judge_end(daemon_process *d, int status)
{
    char words[512];

    d->pid = 0;
    last_words(d, words, sizeof words);
    remove_folder(d);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CZ_OK;
    return cz_fail(CZ_E_IO, "the daemon ended with %s %d: %s",
                   WIFEXITED(status) ? "status" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), words);
}

cz_err daemon_process_check(daemon_process *d)
{
    int status;

    if (waitpid(d->pid, &status, WNOHANG) == 0)
        return CZ_OK;
    CZ_TRY(judge_end(d, status));
    return cz_fail(CZ_E_IO, "the daemon has ended");
}

cz_err daemon_process_stop(daemon_process *d)
{
    int status;

    if (d->pid <= 0)
        return CZ_OK;
    (void)kill(d->pid, SIGTERM);
    while (waitpid(d->pid, &status, 0) < 0)
        if (errno != EINTR)
            return cz_fail(CZ_E_IO, "waitpid: %s", strerror(errno));
    return judge_end(d, status);
}
