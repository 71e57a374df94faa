/* client.h: calling a daemon: one connection, unary calls that wait for their reply.
 *
 * The connection is made with the first call and made anew when it breaks. A call fails fast when
 * the daemon cannot be reached.
 *
 *   Cuzk__V1__GetStatusRequest request = CUZK__V1__GET_STATUS_REQUEST__INIT;
 *   Cuzk__V1__GetStatusResponse *reply;
 *
 *   CZ_TRY(cz_rpc_call(client, "GetStatus", &request.base, (ProtobufCMessage **)&reply, 5000,
 * NULL));
 *   ...
 *   cuzk__v1__get_status_response__free_unpacked(reply, NULL);
 *
 * Threads: any number may call through one client at once. */
#ifndef CZ_RPC_CLIENT_H
#define CZ_RPC_CLIENT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "rpc/proto/proving.pb-c.h"

typedef struct cz_rpc_client cz_rpc_client;

typedef struct {
    const char *address;  /* "unix:///path" or "host:port"; NULL or "auto": the usual socket */
    bool tls;             /* on TCP; implied by tls_ca */
    const char *tls_ca;   /* PEM file; NULL: the system's authorities */
    const char *tls_cert; /* PEM files for mTLS, both or neither */
    const char *tls_key;
    const char *tls_name;   /* the name in the daemon's certificate, where it is not the host */
    const char *token_file; /* bearer token; NULL: none */
    uint64_t max_message;   /* bytes, both ways; 0: 256 MiB */
} cz_rpc_client_options;

/** Connects to nothing yet. CZ_E_INPUT (address, token), CZ_E_NOTFOUND, CZ_E_IO (files). */
CZ_MUST_CHECK cz_err cz_rpc_client_create(cz_rpc_client **out,
                                          const cz_rpc_client_options *options);

/** No call may be in progress. */
void cz_rpc_client_destroy(cz_rpc_client *client);

/** Where the client calls: as the options said, or the usual socket that was found. */
const char *cz_rpc_client_address(const cz_rpc_client *client);

/** Call a method of cuzk.v1.ProvingEngine and wait.
 *
 * In   method       "Prove", "GetStatus", …
 *      request      a message of the method's input type
 *      timeout_ms   deadline of the call, which the daemon is told; 0: none
 * Out  *reply       a message of the method's output type, to be freed with its free_unpacked
 *      *code        the gRPC status code, also on success (0); may be NULL
 * Errors are the daemon's message under the nearest code:
 *      CZ_E_INPUT        INVALID_ARGUMENT, OUT_OF_RANGE
 *      CZ_E_NOTFOUND     NOT_FOUND, FAILED_PRECONDITION
 *      CZ_E_DECLINED     RESOURCE_EXHAUSTED, UNAUTHENTICATED, PERMISSION_DENIED
 *      CZ_E_CANCELLED    CANCELLED, DEADLINE_EXCEEDED
 *      CZ_E_IO           UNAVAILABLE: no connection, or the daemon is draining
 *      CZ_E_UNSUPPORTED  UNIMPLEMENTED
 *      CZ_E_INTERNAL     everything else */
CZ_MUST_CHECK cz_err cz_rpc_call(cz_rpc_client *client, const char *method,
                                 const ProtobufCMessage *request, ProtobufCMessage **reply,
                                 uint64_t timeout_ms, unsigned *code);

/** "NOT_FOUND"; "UNKNOWN" for a number that gRPC does not define. */
const char *cz_rpc_code_name(unsigned code);

#endif
