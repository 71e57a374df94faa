/* client.c: see client.h. */
#define _GNU_SOURCE
#include "rpc/client.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file.h"
#include "rpc/address.h"
#include "rpc/code.h"
#include "rpc/server_state.h"

enum {
    DEFAULT_MAX_MESSAGE = 256 << 20,
    MAX_PEM_BYTES = 1 << 20,
    CONNECT_MS = 20000,
    RECONNECT_MIN_MS = 100,
    RECONNECT_MAX_MS = 2000
};

struct cz_rpc_client {
    cz_address address;
    grpc_channel *channel;
    char bearer[CZ_TOKEN_BYTES + 8]; /* "Bearer …" or "" */
};

/* --- creation --- */

static cz_err read_optional(char **out, const char *path)
{
    uint8_t *bytes;
    size_t n;

    *out = NULL;
    if (path == NULL)
        return CZ_OK;
    CZ_TRY(cz_file_read(path, MAX_PEM_BYTES, &bytes, &n));
    *out = (char *)bytes;
    return CZ_OK;
}

static cz_err tls_credentials(grpc_channel_credentials **out, const cz_rpc_client_options *o)
{
    grpc_ssl_pem_key_cert_pair pair = {NULL, NULL};
    char *ca = NULL, *key = NULL, *cert = NULL;
    cz_err err;

    CZ_TRY_GOTO(err, read_optional(&ca, o->tls_ca));
    CZ_TRY_GOTO(err, read_optional(&key, o->tls_key));
    CZ_TRY_GOTO(err, read_optional(&cert, o->tls_cert));
    pair.private_key = key;
    pair.cert_chain = cert;
    *out = grpc_ssl_credentials_create(ca, key != NULL && cert != NULL ? &pair : NULL, NULL, NULL);
    if (*out == NULL)
        err = cz_fail(CZ_E_INPUT, "gRPC does not take the TLS files");
done:
    if (key != NULL)
        cz_secure_zero(key, strlen(key));
    free(ca);
    free(key);
    free(cert);
    return err;
}

static cz_err make_credentials(grpc_channel_credentials **out, const cz_rpc_client *client,
                               const cz_rpc_client_options *o)
{
    if ((o->tls_cert == NULL) != (o->tls_key == NULL))
        return cz_fail(CZ_E_INPUT, "a client's certificate needs its key, and the key it");
    if (!client->address.is_unix && (o->tls || o->tls_ca != NULL || o->tls_cert != NULL))
        return tls_credentials(out, o);
    *out = grpc_insecure_credentials_create();
    return CZ_OK;
}

static grpc_arg integer(const char *key, int value)
{
    return (grpc_arg){
        .type = GRPC_ARG_INTEGER, .key = (char *)(uintptr_t)key, .value.integer = value};
}

static cz_err open_channel(cz_rpc_client *client, const cz_rpc_client_options *o)
{
    const uint64_t wanted = o->max_message == 0 ? DEFAULT_MAX_MESSAGE : o->max_message;
    const int max_message = wanted > INT32_MAX ? INT32_MAX : (int)wanted;
    grpc_arg args[] = {
        integer(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, max_message),
        integer(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, max_message),
        integer(GRPC_ARG_ENABLE_HTTP_PROXY, 0),
        integer(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, RECONNECT_MIN_MS),
        /* by its name a wait, in truth the time that one attempt has */
        integer(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, CONNECT_MS),
        integer(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, RECONNECT_MAX_MS),
        {.type = GRPC_ARG_STRING,
         .key = (char *)(uintptr_t)GRPC_SSL_TARGET_NAME_OVERRIDE_ARG,
         .value.string = (char *)(uintptr_t)o->tls_name},
    };
    const grpc_channel_args all = {sizeof args / sizeof *args - (o->tls_name == NULL), args};
    grpc_channel_credentials *credentials;
    char target[CZ_ADDRESS_BYTES];

    CZ_TRY(make_credentials(&credentials, client, o));
    cz_address_target(&client->address, target);
    client->channel = grpc_channel_create(target, credentials, &all);
    grpc_channel_credentials_release(credentials);
    return client->channel != NULL
               ? CZ_OK
               : cz_fail(CZ_E_INTERNAL, "gRPC makes no channel to %s", client->address.text);
}

static cz_err read_bearer(cz_rpc_client *client, const char *path)
{
    char token[CZ_TOKEN_BYTES];

    if (path == NULL)
        return CZ_OK;
    CZ_TRY_IN(cz_token_read(token, path), "token file");
    (void)snprintf(client->bearer, sizeof client->bearer, "Bearer %s", token);
    cz_secure_zero(token, sizeof token);
    return CZ_OK;
}

static cz_err fill(cz_rpc_client *client, const cz_rpc_client_options *o)
{
    CZ_TRY_IN(cz_address_parse(&client->address, o->address == NULL ? "auto" : o->address),
              "address");
    CZ_TRY(read_bearer(client, o->token_file));
    return open_channel(client, o);
}

cz_err cz_rpc_client_create(cz_rpc_client **out, const cz_rpc_client_options *options)
{
    cz_rpc_client *client = calloc(1, sizeof *client);
    cz_err err;

    if (client == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a client");
    cz_grpc_begin();
    err = fill(client, options);
    if (err != CZ_OK) {
        cz_rpc_client_destroy(client);
        return err;
    }
    *out = client;
    return CZ_OK;
}

void cz_rpc_client_destroy(cz_rpc_client *client)
{
    if (client == NULL)
        return;
    if (client->channel != NULL)
        grpc_channel_destroy(client->channel);
    grpc_shutdown();
    cz_secure_zero(client->bearer, sizeof client->bearer);
    free(client);
}

const char *cz_rpc_client_address(const cz_rpc_client *client)
{
    return client->address.text;
}

/* --- a call --- */

typedef struct {
    grpc_completion_queue *queue;
    grpc_call *call;
    grpc_byte_buffer *sent, *received;
    grpc_metadata_array head, tail;
    grpc_status_code code;
    grpc_slice details;
} exchange;

static const char service[] = "/cuzk.v1.ProvingEngine/";

static gpr_timespec deadline_of(uint64_t timeout_ms)
{
    if (timeout_ms == 0 || timeout_ms > INT64_MAX / 2)
        return gpr_inf_future(GPR_CLOCK_REALTIME);
    return gpr_time_add(gpr_now(GPR_CLOCK_REALTIME),
                        gpr_time_from_millis((int64_t)timeout_ms, GPR_TIMESPAN));
}

static void exchange_init(exchange *x, const cz_rpc_client *client, const char *method,
                          const ProtobufCMessage *request, uint64_t timeout_ms)
{
    const size_t n = protobuf_c_message_get_packed_size(request);
    grpc_slice bytes = grpc_slice_malloc_large(n), path;
    char name[96];

    (void)snprintf(name, sizeof name, "%s%s", service, method);
    path = grpc_slice_from_copied_string(name);
    (void)protobuf_c_message_pack(request, GRPC_SLICE_START_PTR(bytes));
    *x = (exchange){.queue = grpc_completion_queue_create_for_pluck(NULL),
                    .sent = grpc_raw_byte_buffer_create(&bytes, 1)};
    x->call = grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS, x->queue,
                                       path, NULL, deadline_of(timeout_ms), NULL);
    grpc_metadata_array_init(&x->head);
    grpc_metadata_array_init(&x->tail);
    grpc_slice_unref(bytes);
    grpc_slice_unref(path);
}

/* Everything in one batch, which is over when the status is there. */
static void exchange_run(exchange *x, const char *bearer)
{
    grpc_metadata token = {.key = grpc_slice_from_static_string("authorization"),
                           .value = grpc_slice_from_static_string(bearer)};
    const grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .data.send_initial_metadata = {.count = bearer[0] != '\0', .metadata = &token}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = x->sent},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA,
         .data.recv_initial_metadata.recv_initial_metadata = &x->head},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &x->received},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &x->tail,
                                        .status = &x->code,
                                        .status_details = &x->details}},
    };

    x->details = grpc_empty_slice();
    if (grpc_call_start_batch(x->call, ops, sizeof ops / sizeof *ops, x, NULL) != GRPC_CALL_OK) {
        x->code = GRPC_STATUS_INTERNAL;
        return;
    }
    (void)grpc_completion_queue_pluck(x->queue, x, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
}

static void exchange_clear(exchange *x)
{
    grpc_call_unref(x->call);
    grpc_byte_buffer_destroy(x->sent);
    if (x->received != NULL)
        grpc_byte_buffer_destroy(x->received);
    grpc_metadata_array_destroy(&x->head);
    grpc_metadata_array_destroy(&x->tail);
    grpc_slice_unref(x->details);
    grpc_completion_queue_shutdown(x->queue);
    grpc_completion_queue_destroy(x->queue);
}

static cz_err unpack(ProtobufCMessage **reply, grpc_byte_buffer *buffer,
                     const ProtobufCMessageDescriptor *type)
{
    grpc_byte_buffer_reader reader;
    grpc_slice bytes;

    if (buffer == NULL || !grpc_byte_buffer_reader_init(&reader, buffer))
        return cz_fail(CZ_E_INTERNAL, "the daemon's reply has no message");
    bytes = grpc_byte_buffer_reader_readall(&reader);
    grpc_byte_buffer_reader_destroy(&reader);
    *reply = protobuf_c_message_unpack(type, NULL, GRPC_SLICE_LENGTH(bytes),
                                       GRPC_SLICE_START_PTR(bytes));
    grpc_slice_unref(bytes);
    return *reply != NULL ? CZ_OK : cz_fail(CZ_E_INTERNAL, "the daemon's reply cannot be decoded");
}

static cz_err take_reply(const exchange *x, const cz_rpc_client *client, ProtobufCMessage **reply,
                         const ProtobufCMessageDescriptor *type)
{
    if (x->code == GRPC_STATUS_OK)
        return unpack(reply, x->received, type);
    if (x->code == GRPC_STATUS_UNAVAILABLE)
        return cz_fail(CZ_E_IO, "%s: %.*s", client->address.text,
                       (int)GRPC_SLICE_LENGTH(x->details), GRPC_SLICE_START_PTR(x->details));
    return cz_fail(cz_code_to_err((unsigned)x->code), "%s: %.*s", cz_code_name((unsigned)x->code),
                   (int)GRPC_SLICE_LENGTH(x->details), GRPC_SLICE_START_PTR(x->details));
}

cz_err cz_rpc_call(cz_rpc_client *client, const char *method, const ProtobufCMessage *request,
                   ProtobufCMessage **reply, uint64_t timeout_ms, unsigned *code)
{
    const ProtobufCMethodDescriptor *found = protobuf_c_service_descriptor_get_method_by_name(
        &cuzk__v1__proving_engine__descriptor, method);
    exchange x;
    cz_err err;

    if (found == NULL || request->descriptor != found->input)
        return cz_fail(CZ_E_ARG, "%s: no such method, or not its message", method);
    *reply = NULL;
    exchange_init(&x, client, method, request, timeout_ms);
    exchange_run(&x, client->bearer);
    err = take_reply(&x, client, reply, found->output);
    if (code != NULL)
        *code = (unsigned)x.code;
    exchange_clear(&x);
    return err;
}

const char *cz_rpc_code_name(unsigned code)
{
    return cz_code_name(code);
}
