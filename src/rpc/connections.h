/* connections.h: a bound on connections that gRPC does not have.
 *
 * gRPC's core takes every connection that comes, until the process has no descriptor left; then it
 * gives its listening socket up for good ("Failed accept4"), and the daemon serves nobody any more.
 * The one place where it meets the system is accept4: connections.c defines that function for the
 * whole program, so that libgrpc calls it in place of the C library's. It takes a connection only
 * while enough descriptors stay free for the daemon's own files (its journal, parameters, spool):
 * of RLIMIT_NOFILE all but 64, or but a quarter where that is less. Others get a 503 where the
 * server is plain, which a gRPC client reports as UNAVAILABLE, and are closed; the log says so once
 * a minute.
 *
 * The status server's connections go the same way; it has a smaller bound of its own
 * (http_guard.h). Threads: any. */
#ifndef CZ_RPC_CONNECTIONS_H
#define CZ_RPC_CONNECTIONS_H

#include <stdbool.h>

/** There is a server now. plain: it is without TLS, and clients that are refused are told why. */
void cz_connections_bound(bool plain);

/** Connections with descriptors below this are taken. */
int cz_connections_most(void);

#endif
