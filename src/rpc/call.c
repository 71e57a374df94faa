/* call.c: see call.h. */
#define _GNU_SOURCE
#include "rpc/call.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/support/alloc.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/trace.h"
#include "base/utf8.h"
#include "rpc/server_state.h"

enum { UNPACK_SLACK_BYTES = 1 << 20, SMALL_MESSAGE_BYTES = 4096, MOST_CALLS = 10000 };

/* --- references --- */

void cz_call_ref(cz_call *call)
{
    (void)pthread_mutex_lock(&call->lock);
    call->refs++;
    (void)pthread_mutex_unlock(&call->lock);
}

/* How many there are then. */
static unsigned count_call(cz_rpc_server *server, int by)
{
    unsigned n;

    (void)pthread_mutex_lock(&server->lock);
    n = server->n_calls += (unsigned)by;
    (void)pthread_cond_broadcast(&server->changed);
    (void)pthread_mutex_unlock(&server->lock);
    return n;
}

static void call_free(cz_call *call)
{
    if (call->incoming != NULL)
        grpc_byte_buffer_destroy(call->incoming);
    if (call->outgoing != NULL)
        grpc_byte_buffer_destroy(call->outgoing);
    grpc_call_details_destroy(&call->details);
    grpc_metadata_array_destroy(&call->metadata);
    if (call->call != NULL)
        grpc_call_unref(call->call);
    (void)pthread_mutex_destroy(&call->lock);
    free(call);
}

void cz_call_unref(cz_call *call)
{
    cz_rpc_server *server = call->server;
    const bool counted = call->call != NULL;
    bool last;

    (void)pthread_mutex_lock(&call->lock);
    last = --call->refs == 0;
    (void)pthread_mutex_unlock(&call->lock);
    if (!last)
        return;
    call_free(call);
    if (counted)
        (void)count_call(server, -1);
}

bool cz_call_is_gone(cz_call *call)
{
    bool gone;

    (void)pthread_mutex_lock(&call->lock);
    gone = call->gone;
    (void)pthread_mutex_unlock(&call->lock);
    return gone;
}

uint64_t cz_call_time_left_ms(const cz_call *call)
{
    const gpr_timespec deadline = call->details.deadline;
    int64_t ms;

    if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) == 0)
        return 0;
    ms = gpr_time_to_millis(gpr_time_sub(deadline, gpr_now(deadline.clock_type)));
    return ms < 1 ? 1 : (uint64_t)ms;
}

/* --- operations; each holds a reference until its tag comes back --- */

/* With call->lock where `sends`. False: gRPC would not take it; nothing will come back. */
static bool start(cz_call *call, const grpc_op *ops, size_t n, cz_call_tag *tag)
{
    grpc_call_error error;

    atomic_store_explicit(&tag->given, true, memory_order_release);
    error = grpc_call_start_batch(call->call, ops, n, tag, NULL);
    if (error != GRPC_CALL_OK)
        cz_log(CZ_LOG_ERROR, "gRPC refuses an operation: %s", grpc_call_error_to_string(error));
    return error == GRPC_CALL_OK;
}

static void start_receiving(cz_call *call, const grpc_op *op, cz_call_tag *tag)
{
    cz_call_ref(call);
    if (!start(call, op, 1, tag))
        cz_call_unref(call);
}

void cz_call_receive(cz_call *call)
{
    cz_arrivals_enter(call);
}

void cz_call_ask(cz_call *call)
{
    const grpc_op op = {.op = GRPC_OP_RECV_MESSAGE,
                        .data.recv_message.recv_message = &call->incoming};

    start_receiving(call, &op, &call->received);
}

static void expect_close(cz_call *call)
{
    const grpc_op op = {.op = GRPC_OP_RECV_CLOSE_ON_SERVER,
                        .data.recv_close_on_server.cancelled = &call->cancelled};

    start_receiving(call, &op, &call->closed);
}

static grpc_byte_buffer *pack(const ProtobufCMessage *message)
{
    const size_t n = protobuf_c_message_get_packed_size(message);
    grpc_slice slice = grpc_slice_malloc_large(n);
    grpc_byte_buffer *buffer;

    (void)protobuf_c_message_pack(message, GRPC_SLICE_START_PTR(slice));
    buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

static size_t add_begin(cz_call *call, grpc_op *ops)
{
    if (call->begun)
        return 0;
    call->begun = true;
    ops[0] = (grpc_op){.op = GRPC_OP_SEND_INITIAL_METADATA};
    return 1;
}

static size_t add_message(cz_call *call, grpc_op *ops, grpc_byte_buffer *buffer)
{
    if (buffer == NULL)
        return 0;
    call->outgoing = buffer;
    ops[0] = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = buffer};
    return 1;
}

/* With call->lock. */
static void send_last(cz_call *call, grpc_byte_buffer *buffer, unsigned code, const char *message)
{
    grpc_slice details = grpc_slice_from_copied_string(message);
    grpc_op ops[3];
    size_t n = add_begin(call, ops);

    n += add_message(call, ops + n, buffer);
    ops[n++] = (grpc_op){.op = GRPC_OP_SEND_STATUS_FROM_SERVER,
                         .data.send_status_from_server = {.status = (grpc_status_code)code,
                                                          .status_details = &details}};
    call->answered = true;
    call->refs++;
    if (!start(call, ops, n, &call->sent))
        call->refs--; /* the caller has one */
    grpc_slice_unref(details);
}

static void log_end(const cz_call *call, unsigned code, const char *message)
{
    cz_log(CZ_LOG_DEBUG, "%s: %s after %.3f s%s%s",
           call->method == NULL ? "unknown method" : call->method->path, cz_code_name(code),
           (double)(cz_clock_ns() - call->arrived_ns) / 1e9, message[0] == '\0' ? "" : ": ",
           message);
}

/* Takes over the buffer. */
static void answer(cz_call *call, grpc_byte_buffer *buffer, unsigned code, const char *message)
{
    bool first;

    (void)pthread_mutex_lock(&call->lock);
    first = !call->answered && !call->sending;
    if (first)
        send_last(call, buffer, code, message);
    (void)pthread_mutex_unlock(&call->lock);
    if (first)
        log_end(call, code, message);
    else if (buffer != NULL)
        grpc_byte_buffer_destroy(buffer);
}

void cz_call_reply(cz_call *call, const ProtobufCMessage *message)
{
    answer(call, pack(message), GRPC_STATUS_OK, "");
}

void cz_call_end(cz_call *call, unsigned code, const char *message)
{
    char text[1200];

    (void)snprintf(text, sizeof text, "%s", message);
    cz_utf8_repair(text);
    answer(call, NULL, code, text);
}

void cz_call_fail(cz_call *call, cz_err err, cz_code_use use)
{
    cz_call_end(call, cz_code_of(err, use), cz_err_message());
}

void cz_call_drop(cz_call *call, unsigned code, const char *message)
{
    bool first;

    (void)pthread_mutex_lock(&call->lock);
    first = !call->answered && !call->sending;
    call->answered = call->answered || first;
    (void)pthread_mutex_unlock(&call->lock);
    if (!first)
        return;
    (void)grpc_call_cancel_with_status(call->call, (grpc_status_code)code, message, NULL);
    log_end(call, code, message);
}

bool cz_call_send(cz_call *call, const ProtobufCMessage *message)
{
    grpc_op ops[2];
    size_t n;
    bool can;

    (void)pthread_mutex_lock(&call->lock);
    can = !call->answered && !call->sending && !call->gone;
    if (can) {
        n = add_begin(call, ops);
        n += add_message(call, ops + n, pack(message));
        call->sending = true;
        call->refs++;
        if (!start(call, ops, n, &call->sent)) {
            call->sending = can = false;
            call->refs--;
        }
    }
    (void)pthread_mutex_unlock(&call->lock);
    return can;
}

/* --- what comes back --- */

static void on_sent(cz_call *call, bool ok)
{
    bool more;

    (void)ok; /* a client that is gone shows in `closed` */
    (void)pthread_mutex_lock(&call->lock);
    if (call->outgoing != NULL)
        grpc_byte_buffer_destroy(call->outgoing);
    call->outgoing = NULL;
    call->sending = false;
    more = !call->answered;
    (void)pthread_mutex_unlock(&call->lock);
    if (more && call->method->sent != NULL)
        call->method->sent(call);
    cz_call_unref(call);
}

static void on_closed(cz_call *call, bool ok)
{
    (void)ok;
    (void)pthread_mutex_lock(&call->lock);
    call->gone = true;
    (void)pthread_mutex_unlock(&call->lock);
    cz_arrivals_forget(call);
    if (call->cancelled)
        log_end(call, GRPC_STATUS_CANCELLED, "the client is gone");
    if (call->method != NULL && call->method->gone != NULL)
        call->method->gone(call);
    cz_call_unref(call);
}

/* Contiguous, as protobuf-c wants it. */
static grpc_slice take_incoming(cz_call *call)
{
    grpc_byte_buffer_reader reader;
    grpc_slice all = grpc_empty_slice();

    if (grpc_byte_buffer_reader_init(&reader, call->incoming)) {
        all = grpc_byte_buffer_reader_readall(&reader);
        grpc_byte_buffer_reader_destroy(&reader);
    }
    grpc_byte_buffer_destroy(call->incoming);
    call->incoming = NULL;
    return all;
}

/* Unpacked, a field of two bytes takes a hundred: a message made of such would take many times its
 * size. An honest one takes little more than its size. */
static void *alloc_bounded(void *ctx, size_t n)
{
    size_t *left = ctx;

    if (n > *left)
        return NULL;
    *left -= n;
    return malloc(n);
}

static void free_bounded(void *ctx, void *p)
{
    (void)ctx;
    free(p);
}

static ProtobufCMessage *unpack(const cz_method *method, grpc_slice bytes)
{
    const size_t n = GRPC_SLICE_LENGTH(bytes);
    size_t left = 2 * n + UNPACK_SLACK_BYTES;
    ProtobufCAllocator bounded = {alloc_bounded, free_bounded, &left};

    return protobuf_c_message_unpack(method->input, &bounded, n, GRPC_SLICE_START_PTR(bytes));
}

/* --- memory of requests --- */

static bool take_room(cz_rpc_server *server, uint64_t n)
{
    bool fits;

    (void)pthread_mutex_lock(&server->lock);
    fits = n <= server->max_received - server->received_bytes;
    if (fits)
        server->received_bytes += n;
    (void)pthread_mutex_unlock(&server->lock);
    return fits;
}

static void give_room(cz_rpc_server *server, uint64_t n)
{
    (void)pthread_mutex_lock(&server->lock);
    server->received_bytes -= n;
    (void)pthread_mutex_unlock(&server->lock);
}

/* Clients may send faster than requests are hashed and written down. */
static bool may_keep(cz_call *call)
{
    const uint64_t n = grpc_byte_buffer_length(call->incoming);

    call->incoming_bytes = n > SMALL_MESSAGE_BYTES ? n : 0;
    return take_room(call->server, call->incoming_bytes);
}

static void refuse_incoming(cz_call *call)
{
    char message[160];

    grpc_byte_buffer_destroy(call->incoming);
    call->incoming = NULL;
    (void)snprintf(message, sizeof message,
                   "%" PRIu64 " request bytes more do not fit into the %" PRIu64
                   " for requests on their way to the queue; try again later",
                   call->incoming_bytes, call->server->max_received);
    cz_call_end(call, GRPC_STATUS_RESOURCE_EXHAUSTED, message);
}

static void run_method(void *ctx)
{
    cz_call *call = ctx;
    const uint64_t room = call->incoming_bytes; /* a stream's next message may come meanwhile */
    grpc_slice bytes = take_incoming(call);
    ProtobufCMessage *request = unpack(call->method, bytes);

    grpc_slice_unref(bytes);
    cz_err_reset();
    if (request == NULL) {
        cz_call_end(call, GRPC_STATUS_INVALID_ARGUMENT, "the message cannot be decoded");
    } else {
        call->method->run(call, request);
        protobuf_c_message_free_unpacked(request, NULL);
    }
    give_room(call->server, room);
    cz_call_unref(call);
}

/* The end of a stream; or the client is gone; or its message was too large, which gRPC has told it.
 */
static void no_message(cz_call *call)
{
    if (call->method->streams)
        call->method->run(call, NULL);
    else
        cz_call_end(call, GRPC_STATUS_INVALID_ARGUMENT, "a call without a message");
}

/* The operation's reference becomes the task's. */
static void on_received(cz_call *call, bool ok)
{
    (void)ok;
    cz_arrivals_leave(call);
    if (call->incoming == NULL) {
        no_message(call);
        cz_call_unref(call);
        return;
    }
    if (!may_keep(call)) {
        refuse_incoming(call);
        cz_call_unref(call);
        return;
    }
    call->task = (cz_task){.run = run_method, .ctx = call};
    cz_tasks_post(call->server->tasks[call->method->speed], &call->task);
}

/* --- arrival --- */

static const cz_method *method_of(const cz_call *call)
{
    return cz_method_find((const char *)GRPC_SLICE_START_PTR(call->details.method),
                          GRPC_SLICE_LENGTH(call->details.method));
}

static bool may_call(const cz_call *call)
{
    cz_rpc_server *server = call->server;
    bool matches;

    if (call->method->open)
        return true;
    (void)pthread_mutex_lock(&server->lock); /* it may be changed meanwhile */
    matches = cz_token_matches(server->token, &call->metadata);
    (void)pthread_mutex_unlock(&server->lock);
    return matches;
}

static void refuse_stranger(cz_call *call)
{
    char *peer = grpc_call_get_peer(call->call);

    cz_refusals_say_stranger(&call->server->strangers, call->method->path, peer);
    gpr_free(peer);
    cz_call_end(call, GRPC_STATUS_UNAUTHENTICATED,
                "send \"authorization: Bearer\" and the token of daemon.token_file");
}

static void begin(cz_call *call, unsigned n_calls)
{
    call->arrived_ns = cz_clock_ns();
    call->method = method_of(call);
    expect_close(call);
    if (n_calls > MOST_CALLS)
        cz_call_end(call, GRPC_STATUS_RESOURCE_EXHAUSTED, "too many calls; try again later");
    else if (call->method == NULL)
        cz_call_end(call, GRPC_STATUS_UNIMPLEMENTED, "this daemon has no such method");
    else if (!may_call(call))
        refuse_stranger(call);
    else
        cz_call_receive(call);
}

static void on_arrived(cz_call *call, bool ok)
{
    if (ok) {
        const unsigned n_calls = count_call(call->server, 1);

        (void)cz_call_request(call->server);
        begin(call, n_calls);
    }
    cz_call_unref(call);
}

static cz_call *call_new(cz_rpc_server *server)
{
    cz_call *call = calloc(1, sizeof *call);

    if (call == NULL)
        return NULL;
    call->server = server;
    call->refs = 1;
    call->arrived = (cz_call_tag){.done = on_arrived, .call = call};
    call->received = (cz_call_tag){.done = on_received, .call = call};
    call->closed = (cz_call_tag){.done = on_closed, .call = call};
    call->sent = (cz_call_tag){.done = on_sent, .call = call};
    (void)pthread_mutex_init(&call->lock, NULL);
    grpc_call_details_init(&call->details);
    grpc_metadata_array_init(&call->metadata);
    return call;
}

bool cz_call_request(cz_rpc_server *server)
{
    cz_call *call = call_new(server);

    if (call == NULL)
        return false;
    atomic_store_explicit(&call->arrived.given, true, memory_order_release);
    if (grpc_server_request_call(server->server, &call->call, &call->details, &call->metadata,
                                 server->queue, server->queue, &call->arrived) == GRPC_CALL_OK)
        return true;
    call_free(call);
    return false;
}
