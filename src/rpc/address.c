/* address.c: see address.h. */
#define _GNU_SOURCE
#include "rpc/address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

static const char socket_name[] = "cuzk.sock";

/* --- Unix sockets --- */

static cz_err set_path(cz_address *out, const char *path)
{
    if (path[0] == '\0')
        return cz_fail(CZ_E_INPUT, "the socket's path is missing");
    if (strlen(path) >= CZ_SOCKET_PATH_BYTES)
        return cz_fail(CZ_E_INPUT, "'%s': a socket's path may have %d characters", path,
                       CZ_SOCKET_PATH_BYTES - 1);
    out->is_unix = true;
    (void)snprintf(out->path, sizeof out->path, "%s", path);
    (void)snprintf(out->text, sizeof out->text, "%s%s", path[0] == '/' ? "unix://" : "unix:", path);
    return CZ_OK;
}

static cz_err parse_unix(cz_address *out, const char *rest)
{
    if (strncmp(rest, "//", 2) == 0) {
        rest += 2;
        if (rest[0] != '/')
            return cz_fail(CZ_E_INPUT, "'unix://%s': write unix:///absolute/path or unix:relative",
                           rest);
    }
    return set_path(out, rest);
}

/* --- host and port --- */

static cz_err parse_port(cz_address *out, const char *text)
{
    char *end;
    const unsigned long port = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || port > 65535)
        return cz_fail(CZ_E_INPUT, "'%s' is no port (0 to 65535)", text);
    out->port = (unsigned)port;
    return CZ_OK;
}

static cz_err set_host(cz_address *out, const char *host, size_t n)
{
    if (n >= sizeof out->host)
        return cz_fail(CZ_E_INPUT, "the host's name is too long");
    (void)snprintf(out->host, sizeof out->host, "%.*s", (int)n, host);
    if (strspn(out->host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:%") !=
        n)
        return cz_fail(CZ_E_INPUT, "'%s' is no host", out->host);
    return CZ_OK;
}

static cz_err parse_tcp(cz_address *out, const char *text)
{
    const char *colon = strrchr(text, ':');
    const char *host = text;
    size_t n;

    if (colon == NULL || (text[0] == '[' && (colon == text || colon[-1] != ']')))
        return cz_fail(CZ_E_INPUT, "'%s' has no port; write host:port or unix:///path", text);
    n = (size_t)(colon - text);
    if (text[0] == '[') {
        host++;
        n -= 2;
    } else if (memchr(text, ':', n) != NULL) {
        return cz_fail(CZ_E_INPUT, "'%s': write an IPv6 address in brackets, [::1]:9820", text);
    }
    CZ_TRY(parse_port(out, colon + 1));
    CZ_TRY(set_host(out, host, n));
    (void)snprintf(out->text, sizeof out->text,
                   strchr(out->host, ':') != NULL ? "[%s]:%u" : "%s:%u", out->host, out->port);
    return CZ_OK;
}

cz_err cz_address_parse(cz_address *out, const char *text)
{
    *out = (cz_address){0};
    if (text[0] == '\0' || strcmp(text, "auto") == 0)
        return cz_address_usual(out);
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(out, text + 5);
    if (strncmp(text, "http://", 7) == 0 || strncmp(text, "dns:///", 7) == 0)
        text += 7;
    if (text[0] == '/' || strstr(text, "://") != NULL)
        return cz_fail(CZ_E_INPUT, "'%s': write host:port or unix:///path", text);
    return parse_tcp(out, text);
}

/* --- the usual socket --- */

/* The first folder of a variable that may list several, as systemd does. */
static bool folder_of(const char *variable, const char *rest, char *out, size_t out_size)
{
    const char *value = getenv(variable);

    if (value == NULL || value[0] != '/')
        return false;
    (void)snprintf(out, out_size, "%.*s%s/%s", (int)strcspn(value, ":"), value, rest, socket_name);
    return true;
}

cz_err cz_address_usual(cz_address *out)
{
    char path[CZ_ADDRESS_BYTES];

    *out = (cz_address){0};
    if (!folder_of("RUNTIME_DIRECTORY", "", path, sizeof path) &&
        !folder_of("XDG_RUNTIME_DIR", "", path, sizeof path) &&
        !folder_of("HOME", "/.cache/cuzk", path, sizeof path))
        return cz_fail(CZ_E_INPUT, "neither RUNTIME_DIRECTORY nor XDG_RUNTIME_DIR nor HOME says "
                                   "where the socket goes; give an address");
    return set_path(out, path);
}

/* --- for others --- */

void cz_address_target(const cz_address *a, char out[CZ_ADDRESS_BYTES])
{
    const char *host = a->host[0] == '\0' ? "::" : a->host;

    if (a->is_unix)
        (void)snprintf(out, CZ_ADDRESS_BYTES, "unix:%s", a->path);
    else
        (void)snprintf(out, CZ_ADDRESS_BYTES, strchr(host, ':') != NULL ? "[%s]:%u" : "%s:%u", host,
                       a->port);
}

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *in = (const void *)address;

        return ntohl(in->sin_addr.s_addr) >> 24 == 127;
    }
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *in = (const void *)address;

        return IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
    }
    return false;
}

cz_err cz_address_is_local(const cz_address *a, bool *local)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    int rc;

    *local = a->is_unix;
    if (a->is_unix || a->host[0] == '\0')
        return CZ_OK;
    rc = getaddrinfo(a->host, NULL, &hints, &found);
    if (rc != 0)
        return cz_fail(CZ_E_INPUT, "%s: %s", a->host, gai_strerror(rc));
    *local = true;
    for (const struct addrinfo *i = found; i != NULL; i = i->ai_next)
        *local = *local && is_loopback(i->ai_addr);
    freeaddrinfo(found);
    return CZ_OK;
}
