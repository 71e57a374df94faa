/* address.h: where a daemon listens and where clients find it. */
#ifndef CZ_RPC_ADDRESS_H
#define CZ_RPC_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { CZ_ADDRESS_BYTES = 512, CZ_SOCKET_PATH_BYTES = 108 }; /* the latter: of sockaddr_un */

typedef struct {
    bool is_unix;
    char path[CZ_SOCKET_PATH_BYTES]; /* of a Unix socket */
    char host[256];                  /* "" : all interfaces; IPv6 without brackets */
    unsigned port;
    char text[CZ_ADDRESS_BYTES]; /* as people write it: "unix:///path", "host:port" */
} cz_address;

/** "unix:///path", "unix:/path", "unix:relative", "host:port", "[::1]:port", ":port",
 * "http://host:port"; "auto" is cz_address_usual. CZ_E_INPUT says what is wrong. */
CZ_MUST_CHECK cz_err cz_address_parse(cz_address *out, const char *text);

/** The socket of this user's daemon: cuzk.sock in $RUNTIME_DIRECTORY (set by systemd for
 * services), else in $XDG_RUNTIME_DIR, else in ~/.cache/cuzk. CZ_E_INPUT when none of them is
 * set. */
CZ_MUST_CHECK cz_err cz_address_usual(cz_address *out);

/** As gRPC takes it: "unix:/path", "host:port". */
void cz_address_target(const cz_address *a, char out[CZ_ADDRESS_BYTES]);

/** True when only this machine can reach it: a Unix socket, or a host whose every address is a
 * loopback one. CZ_E_INPUT when the host has no address. */
CZ_MUST_CHECK cz_err cz_address_is_local(const cz_address *a, bool *local);

#endif
