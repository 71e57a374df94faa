/* call.h: one call of one client, from its arrival to its status. Inside rpc/.
 *
 *   arrived ──► checked (method, token) ──► its turn (arrivals.h) ──► message received
 *      │                                        ──► task of the method ──► answered
 *      └─ closed: the client is gone, or the answer has reached it ──────────────────────┘
 *
 * A call is counted: one reference for each operation that gRPC has not finished, for its task, for
 * its timer and for its watch of a job; the last one frees it. Answering twice is harmless: the
 * first answer counts.
 *
 * Threads: pollers run accept, receive and close; task threads run the methods; the engine's
 * finisher tells of a job's end. call.lock guards what they share, and gRPC's sending operations.
 */
#ifndef CZ_RPC_CALL_H
#define CZ_RPC_CALL_H

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine.h"
#include "rpc/arrivals.h"
#include "rpc/service.h"
#include "rpc/tasks.h"

typedef struct cz_call cz_call;

/* What gRPC gives back when an operation is over, to another thread. gRPC orders what was written
 * before an operation began and what is read after its end; `given`, stored and loaded on the way,
 * lets ThreadSanitizer see it, too. */
typedef struct {
    void (*done)(cz_call *call, bool ok);
    cz_call *call;
    atomic_bool given;
} cz_call_tag;

struct cz_call {
    cz_rpc_server *server;
    const cz_method *method;
    grpc_call *call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    cz_call_tag arrived, received, closed, sent;
    grpc_byte_buffer *incoming; /* the received operation's, then the task's */
    uint64_t incoming_bytes;    /* of it in server.received_bytes */
    grpc_byte_buffer *outgoing; /* the sent operation's */
    int cancelled;              /* the closed operation's */
    cz_task task;
    uint64_t arrived_ns;

    pthread_mutex_t lock; /* everything below */
    unsigned refs;
    bool gone;     /* no answer can reach the client */
    bool answered; /* status given to gRPC */
    bool begun;    /* initial metadata given to gRPC */
    bool sending;  /* a stream's message is on its way */

    /* a call that waits for a job */
    char job_id[CZ_JOB_ID_BYTES];
    uint64_t run;   /* of the job */
    bool attached;  /* counted in its callers */
    bool job_ended; /* told, or about to be */
    uint64_t watch; /* 0: none */
    bool timed;     /* the timer was started */
    cz_task timer;

    cz_arrival arrival; /* guarded by server.lock, as what follows */

    /* Health.Watch */
    cz_call *next_watcher;
    bool unknown_service;
    unsigned status_sent;
};

/** Ask gRPC for the next call. False: the server is shutting down. */
bool cz_call_request(cz_rpc_server *server);

void cz_call_ref(cz_call *call);
void cz_call_unref(cz_call *call);

/** The only answer of a unary call. Packs the message; it stays the caller's. */
void cz_call_reply(cz_call *call, const ProtobufCMessage *message);

/** End the call with a status; CZ_RPC_OK ends a stream. */
void cz_call_end(cz_call *call, unsigned code, const char *message);

/** The same, with this thread's error message. */
void cz_call_fail(cz_call *call, cz_err err, cz_code_use use);

/** One message of a stream, and method->sent afterwards. False: another is still on its way, or
 * the call is over. */
bool cz_call_send(cz_call *call, const ProtobufCMessage *message);

/** End the call without waiting for what the client still sends; gRPC lets go of what it has. */
void cz_call_drop(cz_call *call, unsigned code, const char *message);

/** Receive the next message when it is its turn: method->run gets it, NULL at the end of a stream.
 */
void cz_call_receive(cz_call *call);

/** Ask gRPC for it: for arrivals.c. */
void cz_call_ask(cz_call *call);

bool cz_call_is_gone(cz_call *call);

/** Milliseconds until the client's deadline, at least 1; 0: it has none. */
uint64_t cz_call_time_left_ms(const cz_call *call);

#endif
