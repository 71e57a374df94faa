/* listen.c: what must hold before gRPC binds an address. gRPC removes an existing socket file
 * without asking and says little when it cannot bind; so both are looked at here first. */
#define _GNU_SOURCE
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "rpc/server_state.h"

/* --- Unix sockets --- */

/* Does somebody answer at this socket file? */
static bool is_served(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool served;

    (void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    served = fd >= 0 && (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0 ||
                         errno == EAGAIN || errno == EACCES);
    if (fd >= 0)
        (void)close(fd);
    return served;
}

static cz_err remove_stale(const char *path)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return CZ_OK;
    if (!S_ISSOCK(st.st_mode))
        return cz_fail(CZ_E_IO, "%s: is there and no socket", path);
    if (is_served(path))
        return cz_fail(CZ_E_DECLINED, "%s: another daemon listens there", path);
    if (unlink(path) != 0)
        return cz_fail(CZ_E_IO, "%s: cannot be removed: %s", path, strerror(errno));
    cz_log(CZ_LOG_INFO, "removed %s, a socket that nobody serves", path);
    return CZ_OK;
}

static cz_err check_writable(const char *folder)
{
    if (access(folder, W_OK | X_OK) == 0)
        return CZ_OK;
    return cz_fail(CZ_E_IO, "no socket can be made in %s: %s", folder, strerror(errno));
}

/* The last folder of the path, for this user alone; its parents must be there. */
static cz_err make_folder(const char *path)
{
    char folder[CZ_ADDRESS_BYTES];
    char *slash;

    (void)snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (slash == NULL || slash == folder)
        return CZ_OK;
    *slash = '\0';
    if (access(folder, F_OK) == 0)
        return check_writable(folder);
    slash = strrchr(folder, '/');
    if (slash != NULL && slash != folder) { /* ~/.cache may be missing, too */
        *slash = '\0';
        (void)mkdir(folder, 0700);
        *slash = '/';
    }
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        return cz_fail(CZ_E_IO, "%s: cannot be made: %s", folder, strerror(errno));
    return CZ_OK;
}

/* --- TCP --- */

static cz_err bind_once(const struct addrinfo *to, const char *text)
{
    const int fd = socket(to->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    int error = 0;

    if (fd < 0)
        return CZ_OK; /* a family that the machine does not have */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, to->ai_addr, to->ai_addrlen) != 0 || listen(fd, 1) != 0)
        error = errno;
    (void)close(fd);
    if (error == EADDRINUSE)
        return cz_fail(CZ_E_DECLINED, "%s: another process listens there", text);
    return error == 0 ? CZ_OK : cz_fail(CZ_E_IO, "%s: %s", text, strerror(error));
}

static cz_err try_to_bind(const cz_address *a)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    struct addrinfo *found;
    char port[16];
    int rc;
    cz_err err;

    (void)snprintf(port, sizeof port, "%u", a->port);
    rc = getaddrinfo(a->host[0] == '\0' ? NULL : a->host, port, &hints, &found);
    if (rc != 0)
        return cz_fail(CZ_E_INPUT, "%s: %s", a->text, gai_strerror(rc));
    err = bind_once(found, a->text);
    freeaddrinfo(found);
    return err;
}

cz_err cz_address_prepare(const cz_address *a)
{
    if (!a->is_unix)
        return try_to_bind(a);
    CZ_TRY(make_folder(a->path));
    return remove_stale(a->path);
}

cz_err cz_address_check_exposure(const cz_address *a, const cz_rpc_server_options *o)
{
    const bool tls = o->tls_cert != NULL && o->tls_cert[0] != '\0';
    bool local;

    CZ_TRY(cz_address_is_local(a, &local));
    if (local || tls)
        return CZ_OK;
    if (!o->insecure)
        return cz_fail(CZ_E_INPUT,
                       "%s: other machines can reach this address; give daemon.tls_cert and "
                       "daemon.tls_key, or allow it with daemon.insecure = true",
                       a->text);
    cz_log(CZ_LOG_WARN, "%s: whoever reaches this address can use the daemon, unencrypted%s",
           a->text,
           o->token_file != NULL && o->token_file[0] != '\0' ? ", if he knows the token" : "");
    return CZ_OK;
}
