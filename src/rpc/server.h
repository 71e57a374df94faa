/* server.h: the gRPC service cuzk.v1.ProvingEngine on an engine, with health and reflection.
 *
 *   client ──HTTP/2──► gRPC core ──completion queue──► pollers (2 threads, never block)
 *                                                        │ one call object a request (call.h)
 *                                       ┌────────────────┴────────────────┐
 *                            quick tasks (2 threads)             heavy tasks (3: submit)
 *                                       └───────────► engine ◄────────────┘
 *                                                        │ cz_end_fn, cz_preload_fn, cz_evict_fn:
 *                                                        ▼ Prove, AwaitProof, PreloadSRS and
 *                                                      reply  EvictSRS wait without a thread
 *
 * Server: create binds the address, so that a wrong one shows before anything else starts; start
 * answers. Unix sockets get their mode before the first client can connect; a socket file that
 * nobody serves is removed, one that somebody serves is an error.
 *
 * Clients that go away: gRPC reports a dropped stream, an expired deadline or a lost connection as
 * one event; a Prove then leaves its job (cz_engine_leave), an AwaitProof stops waiting.
 *
 * Memory: requests that are received and not submitted yet, waiting for a task thread or on one,
 * take at most 4 × max_message together; what comes above that is freed at once and answered with
 * RESOURCE_EXHAUSTED. Messages of at most 4 KiB are not counted, so that status and cancelling work
 * meanwhile. Of messages that are not whole yet only so many are asked for at a time (arrivals.h),
 * and gRPC as a whole may hold 8 × max_message + 64 MiB: above that it drops streams. A connection
 * may have 1000 calls, the daemon 10,000; one without calls is closed after an hour. There may be
 * as many as RLIMIT_NOFILE leaves room for, and those above that are told so (connections.h).
 *
 * Threads: create, start, drain and stop from one thread. */
#ifndef CZ_RPC_SERVER_H
#define CZ_RPC_SERVER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/engine.h"

typedef struct cz_rpc_server cz_rpc_server;

/* Texts are used during create only. NULL and "" mean the same. */
typedef struct {
    const char *listen;   /* "auto", "unix:///path", "host:port" */
    unsigned socket_mode; /* of a Unix socket: 0600, 0660, … */
    const char *tls_cert; /* PEM files; both or neither; TCP only */
    const char *tls_key;
    const char *tls_client_ca; /* clients must show a certificate signed by one of these */
    const char *token_file;    /* clients must send "authorization: Bearer <its content>" */
    bool insecure;             /* allow an address that other machines reach without TLS */
    uint64_t max_message;      /* bytes of a request */
} cz_rpc_server_options;

/** Bind. The engine outlives the server; it may be created but not started yet.
 * CZ_E_INPUT: the address, or it needs TLS; CZ_E_DECLINED: another process listens there;
 * CZ_E_IO, CZ_E_NOTFOUND: files, sockets. */
CZ_MUST_CHECK cz_err cz_rpc_server_create(cz_rpc_server **out, const cz_rpc_server_options *options,
                                          cz_engine *engine);

/** Read the TLS files and the token again, at the options' paths; connections made from then on see
 * the new certificate, calls the new token. When something is wrong with them nothing changes.
 * Options that were without TLS or a token stay so, and the reverse. Errors as create. */
CZ_MUST_CHECK cz_err cz_rpc_server_reread(cz_rpc_server *server,
                                          const cz_rpc_server_options *options);

/** Are the options good? Reads files, resolves names, binds nothing. Errors as create, but for what
 * binding shows. */
CZ_MUST_CHECK cz_err cz_rpc_server_check(const cz_rpc_server_options *options);

/** Where clients connect, as they would write it: "unix:///run/user/1000/cuzk.sock",
 * "127.0.0.1:9820" (with the port that was taken when 0 was asked for). */
const char *cz_rpc_server_address(const cz_rpc_server *server);

/** Begin to answer. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_rpc_server_start(cz_rpc_server *server);

/** Health turns to NOT_SERVING; calls are still answered (the engine refuses new jobs itself). */
void cz_rpc_server_drain(cz_rpc_server *server);

/** Stop answering: calls in progress get `grace_ms` to end, then UNAVAILABLE. Stop the engine
 * first: it ends the calls that wait for jobs. */
void cz_rpc_server_stop(cz_rpc_server *server, uint64_t grace_ms);

/** Stops first. Before the engine's destruction. */
void cz_rpc_server_destroy(cz_rpc_server *server);

#endif
