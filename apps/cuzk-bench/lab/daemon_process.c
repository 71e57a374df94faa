/* daemon_process.c: see daemon_process.h. */
#define _GNU_SOURCE
#include "daemon_process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/trace.h"

enum { PATH_BYTES = 4096, LONGEST_TOP = 40 }; /* of the folder's path, all but its own name */

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

    /* paths of sockets are short, and that of NOTIFY_SOCKET is a whole one */
    if (top == NULL || top[0] != '/' || strlen(top) > LONGEST_TOP)
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

/* ---- the socket on which it says that it is ready ---- */

static struct sockaddr_un notify_address(const daemon_process *d)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    (void)snprintf(at.sun_path, sizeof at.sun_path, "%s/notify", d->folder);
    return at;
}

static cz_err open_notify(daemon_process *d)
{
    const struct sockaddr_un at = notify_address(d);

    d->notify = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (d->notify >= 0 && bind(d->notify, (const struct sockaddr *)&at, sizeof at) == 0)
        return CZ_OK;
    return cz_fail(CZ_E_IO, "%s: %s", at.sun_path, strerror(errno));
}

static void close_notify(daemon_process *d)
{
    if (d->notify >= 0)
        (void)close(d->notify);
    d->notify = -1;
}

/* Is one of the lines of a message the one that says it? */
static bool has_ready(char *message)
{
    char *rest = message, *line;

    while ((line = strsep(&rest, "\n")) != NULL)
        if (strcmp(line, "READY=1") == 0)
            return true;
    return false;
}

/* Every message that has come; true: it is ready. */
static bool hears_ready(const daemon_process *d)
{
    char message[1024];
    bool ready = false;
    ssize_t n;

    while ((n = recv(d->notify, message, sizeof message - 1, 0)) >= 0) {
        message[n] = '\0';
        ready = has_ready(message) || ready;
    }
    return ready;
}

/* ---- the process ---- */

static void log_path(char out[PATH_BYTES], const daemon_process *d)
{
    (void)snprintf(out, PATH_BYTES, "%s/log", d->folder);
}

/* In the child: everything that it writes goes into its folder, and it ends with its parent. */
static void become(const daemon_process *d, const daemon_order *o, const char *program)
{
    const struct sockaddr_un notify = notify_address(d);
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
    (void)unsetenv("WATCHDOG_USEC");
    if (setenv("NOTIFY_SOCKET", notify.sun_path, 1) != 0 ||
        setenv("XDG_STATE_HOME", d->folder, 1) != 0)
        _exit(126);
    if (o->params != NULL && setenv("FIL_PROOFS_PARAMETER_CACHE", o->params, 1) != 0)
        _exit(126);
    if (o->config != NULL)
        (void)execl(program, "cuzk", "--config", o->config, "--listen", d->address, (char *)NULL);
    else
        (void)execl(program, "cuzk", "--listen", d->address, (char *)NULL);
    _exit(127);
}

static cz_err start(daemon_process *d, const daemon_order *order, const char *program)
{
    CZ_TRY(open_notify(d));
    d->pid = fork();
    if (d->pid == 0)
        become(d, order, program);
    return d->pid > 0 ? CZ_OK : cz_fail(CZ_E_IO, "fork: %s", strerror(errno));
}

static void forget(daemon_process *d)
{
    d->pid = 0;
    close_notify(d);
    remove_folder(d);
}

cz_err daemon_process_start(daemon_process *d, const daemon_order *order)
{
    char program[PATH_BYTES];
    cz_err err;

    *d = (daemon_process){.notify = -1};
    CZ_TRY(find_program(program, order->program));
    CZ_TRY(make_folder(d));
    err = start(d, order, program);
    if (err != CZ_OK)
        forget(d);
    return err;
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

    last_words(d, words, sizeof words);
    forget(d);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return CZ_OK;
    return cz_fail(CZ_E_IO, "the daemon ended with %s %d: %s",
                   WIFEXITED(status) ? "status" : "signal",
                   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), words);
}

static cz_err reap(daemon_process *d)
{
    int status;

    while (waitpid(d->pid, &status, 0) < 0)
        if (errno != EINTR)
            return cz_fail(CZ_E_IO, "waitpid: %s", strerror(errno));
    return judge_end(d, status);
}

/* A word from it or its end, whichever is first. */
static cz_err await(daemon_process *d, int pidfd, unsigned patience_ms)
{
    const uint64_t until = cz_clock_ns() + patience_ms * (uint64_t)1000000;
    struct pollfd both[] = {{.fd = d->notify, .events = POLLIN}, {.fd = pidfd, .events = POLLIN}};

    for (uint64_t now = cz_clock_ns(); now < until; now = cz_clock_ns()) {
        (void)poll(both, 2, (int)((until - now) / 1000000) + 1);
        if (hears_ready(d))
            return CZ_OK;
        if (both[1].revents != 0) {
            CZ_TRY(reap(d));
            return cz_fail(CZ_E_IO, "the daemon has ended");
        }
    }
    return cz_fail(CZ_E_IO, "the daemon does not say that it is ready");
}

cz_err daemon_process_await(daemon_process *d, unsigned patience_ms)
{
    const int pidfd = pidfd_open(d->pid, 0);
    cz_err err;

    if (pidfd < 0)
        return cz_fail(CZ_E_IO, "pidfd_open: %s", strerror(errno));
    err = await(d, pidfd, patience_ms);
    (void)close(pidfd);
    return err;
}

cz_err daemon_process_stop(daemon_process *d)
{
    if (d->pid <= 0)
        return CZ_OK;
    (void)kill(d->pid, SIGTERM);
    return reap(d);
}
