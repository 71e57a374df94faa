/* connections.c: see connections.h. */
#define _GNU_SOURCE
#include "rpc/connections.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/log.h"
#include "base/trace.h"

enum { KEPT_FREE = 64, LEAVING = 4, SAY_EVERY_S = 60 };

/* The name that the linker knows is accept4. */
int cz_accept4(int fd, void *address, socklen_t *n, int flags) __asm__("accept4");

static atomic_bool is_plain;
static _Atomic uint64_t said_ns;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static int leaving[LEAVING];                             /* refused, and not closed yet; 0: none */
static unsigned n_left; /* ever; the next place is n_left % LEAVING */

void cz_connections_bound(bool plain)
{
    atomic_store(&is_plain, plain);
}

int cz_connections_most(void)
{
    struct rlimit files;
    rlim_t most, kept;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return INT32_MAX;
    most = files.rlim_cur < INT32_MAX ? files.rlim_cur : INT32_MAX;
    kept = most / 4 < KEPT_FREE ? most / 4 : KEPT_FREE;
    return (int)(most - kept);
}

/* --- refusing --- */

/* What HTTP/1 has for this. Frames would not do: after SETTINGS a gRPC client is connected, and
 * comes back after every GOAWAY; so it reports 503. */
static void tell(int fd)
{
    static const char text[] = "HTTP/1.1 503 Service Unavailable\r\n"
                               "Content-Type: text/plain\r\n"
                               "Content-Length: 21\r\n"
                               "Connection: close\r\n"
                               "\r\n"
                               "too many connections\n";

    (void)!send(fd, text, sizeof text - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
    (void)shutdown(fd, SHUT_WR);
}

static void say(int fd)
{
    const uint64_t now = cz_clock_ns();
    uint64_t before = atomic_load(&said_ns);

    if (before != 0 && now - before < (uint64_t)SAY_EVERY_S * 1000000000)
        return;
    if (atomic_compare_exchange_strong(&said_ns, &before, now))
        cz_log(CZ_LOG_WARN,
               "a connection is refused, and maybe others: %d descriptors are in use, the rest of "
               "RLIMIT_NOFILE is for the daemon's files",
               fd);
}

/* A client writes before it reads, and a closed connection breaks that off: so it stays open until
 * some others have been refused, or one is taken. */
static void close_later(int fd)
{
    int before;

    (void)pthread_mutex_lock(&lock);
    before = leaving[n_left % LEAVING];
    leaving[n_left++ % LEAVING] = fd;
    (void)pthread_mutex_unlock(&lock);
    if (before > 0)
        (void)close(before);
}

static void close_all(void)
{
    (void)pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < LEAVING; i++) {
        if (leaving[i] > 0)
            (void)close(leaving[i]);
        leaving[i] = 0;
    }
    (void)pthread_mutex_unlock(&lock);
}

static void refuse(int fd)
{
    if (atomic_load(&is_plain)) {
        tell(fd);
        close_later(fd);
    } else {
        (void)close(fd);
    }
    say(fd);
}

/* --- accept4 --- */

/* Descriptors are given out from the lowest on, so that a connection's says how many there are.
 * Who calls this waits for the next edge of an event when there is nothing more: so all that wait
 * must be looked at. Out of descriptors, which the ones kept free should prevent: later. */
int cz_accept4(int fd, void *address, socklen_t *n, int flags)
{
    const socklen_t room = n != NULL ? *n : 0;

    for (;;) {
        int connection;

        if (n != NULL)
            *n = room;
        connection = (int)syscall(SYS_accept4, fd, address, n, flags);
        if (connection < 0) {
            errno = errno == EMFILE || errno == ENFILE ? EAGAIN : errno;
            return -1;
        }
        if (connection < cz_connections_most()) {
            close_all();
            return connection;
        }
        refuse(connection);
    }
}
