/* server_state.h: the server's inside. Inside rpc/. */
#ifndef CZ_RPC_SERVER_STATE_H
#define CZ_RPC_SERVER_STATE_H

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <pthread.h>

#include "rpc/address.h"
#include "rpc/call.h"
#include "rpc/refusals.h"
#include "rpc/server.h"
#include "rpc/tasks.h"

enum { CZ_RPC_POLLERS = 2, CZ_TOKEN_BYTES = 512 };

/* The TLS files as gRPC wants them, until a handshake takes them. Outlives the gRPC server. */
typedef struct {
    pthread_mutex_t lock;
    grpc_ssl_server_certificate_config *fresh; /* NULL: what gRPC has is the latest */
    bool in_use;
} cz_tls_files;

struct cz_rpc_server {
    cz_engine *engine;
    cz_address address;
    cz_tls_files tls;
    grpc_server *server;
    grpc_completion_queue *queue;
    cz_call_tag stopped;
    bool started;
    pthread_t pollers[CZ_RPC_POLLERS];
    unsigned n_pollers;
    cz_tasks *tasks[CZ_RUN_SPEEDS];
    cz_refusals refusals, strangers; /* requests, and calls without the token */

    pthread_mutex_t lock; /* everything below; taken before call.lock */
    pthread_cond_t changed;
    unsigned n_calls;                      /* that arrived and are not freed */
    uint64_t received_bytes, max_received; /* of requests whose method has not returned */
    cz_arrivals arrivals;
    char token[CZ_TOKEN_BYTES]; /* "": none */
    bool draining, stopping, down;
    cz_call *health_watchers;
};

/** grpc_init, with gRPC's messages in our log. Once a grpc_shutdown. */
void cz_grpc_begin(void);

/** Server credentials of the options: TLS, or none. `tls` belongs to the server. CZ_E_INPUT,
 * CZ_E_NOTFOUND, CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_server_credentials(grpc_server_credentials **out, cz_tls_files *tls,
                                           const cz_rpc_server_options *options,
                                           const cz_address *address);

/** Read the TLS files again, if there are any. Errors: the same; then the old ones stay. */
CZ_MUST_CHECK cz_err cz_tls_reread(cz_tls_files *tls, const cz_rpc_server_options *options);

void cz_tls_init(cz_tls_files *tls);
void cz_tls_clear(cz_tls_files *tls);

/** The first line of a file; a warning where every user may read it. CZ_E_INPUT when it is empty or
 * has characters that a header may not have. */
CZ_MUST_CHECK cz_err cz_token_read(char out[CZ_TOKEN_BYTES], const char *path);

/** Does the call carry the token? In a time that does not depend on it. */
bool cz_token_matches(const char *token, const grpc_metadata_array *metadata);

/** Make the place ready: the socket's folder, no stale socket, nobody there. CZ_E_DECLINED,
 * CZ_E_IO. */
CZ_MUST_CHECK cz_err cz_address_prepare(const cz_address *a);

/** CZ_E_INPUT when others could reach the daemon without TLS and nobody said that they may. */
CZ_MUST_CHECK cz_err cz_address_check_exposure(const cz_address *a,
                                               const cz_rpc_server_options *options);

#endif
