/* server.c: the listening socket, the pollers, and the end. */
#define _GNU_SOURCE
#include "rpc/server.h"

#include <errno.h>
#include <grpc/support/log.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/bytes.h"
#include "base/log.h"
#include "base/trace.h"
#include "rpc/connections.h"
#include "rpc/server_state.h"

enum {
    KEEPALIVE_MS = 60000,         /* a client that vanished is noticed after this … */
    KEEPALIVE_TIMEOUT_MS = 20000, /* … and this */
    STREAMS_A_CONNECTION = 1000,
    IDLE_CONNECTION_MS = 3600000,
    MAX_MESSAGES_IN_MEMORY = 4,
    MAX_MESSAGES_IN_GRPC = 8, /* half of a lane's, should all of them be as large as they may */
    GRPC_BASE_BYTES = 64 << 20,
    ENOUGH_CALLS_WAITING = 4
};

/* --- gRPC's log --- */

static void log_line(gpr_log_func_args *args)
{
    cz_log(args->severity == GPR_LOG_SEVERITY_ERROR ? CZ_LOG_WARN : CZ_LOG_DEBUG, "gRPC: %s",
           args->message);
}

void cz_grpc_begin(void)
{
    gpr_set_log_function(log_line);
    gpr_set_log_verbosity(GPR_LOG_SEVERITY_ERROR);
    grpc_init();
}

/* --- creation --- */

static grpc_arg integer(const char *key, uint64_t value)
{
    return (grpc_arg){.type = GRPC_ARG_INTEGER,
                      .key = (char *)(uintptr_t)key,
                      .value.integer = value > INT32_MAX ? INT32_MAX : (int)value};
}

/* What gRPC may hold of connections, and of messages until they are unpacked. Above that it drops
 * streams, whosever they are: the last resort, which arrivals.h keeps off. */
static grpc_resource_quota *new_quota(uint64_t max_message)
{
    grpc_resource_quota *quota = grpc_resource_quota_create("cuzk");

    grpc_resource_quota_resize(quota,
                               (size_t)(MAX_MESSAGES_IN_GRPC * max_message + GRPC_BASE_BYTES));
    return quota;
}

static grpc_server *new_server(uint64_t max_message)
{
    grpc_resource_quota *quota = new_quota(max_message);
    grpc_server *server;
    grpc_arg args[] = {
        integer(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, max_message),
        integer(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, max_message),
        integer(GRPC_ARG_MAX_CONCURRENT_STREAMS, STREAMS_A_CONNECTION),
        integer(GRPC_ARG_ALLOW_REUSEPORT, 0),
        integer(GRPC_ARG_KEEPALIVE_TIME_MS, KEEPALIVE_MS),
        integer(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, KEEPALIVE_TIMEOUT_MS),
        integer(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 10000),
        integer(GRPC_ARG_MAX_CONNECTION_IDLE_MS, IDLE_CONNECTION_MS),
        {.type = GRPC_ARG_POINTER,
         .key = (char *)(uintptr_t)GRPC_ARG_RESOURCE_QUOTA,
         .value.pointer = {quota, grpc_resource_quota_arg_vtable()}},
    };
    const grpc_channel_args all = {sizeof args / sizeof *args, args};

    server = grpc_server_create(&all, NULL);
    grpc_resource_quota_unref(quota);
    return server;
}

/* gRPC makes the socket file: nobody else may connect before it has its mode. */
static int add_port(cz_rpc_server *s, grpc_server_credentials *credentials, unsigned mode)
{
    char target[CZ_ADDRESS_BYTES];
    mode_t before;
    int port;

    cz_address_target(&s->address, target);
    before = umask(s->address.is_unix ? 0177 : 022);
    port = grpc_server_add_http2_port(s->server, target, credentials);
    (void)umask(before);
    if (port != 0 && s->address.is_unix && chmod(s->address.path, (mode_t)mode) != 0)
        cz_log(CZ_LOG_WARN, "%s: its mode stays 0600: %s", s->address.path, strerror(errno));
    return port;
}

static cz_err bind_address(cz_rpc_server *s, const cz_rpc_server_options *o)
{
    grpc_server_credentials *credentials;
    int port;

    CZ_TRY_IN(cz_address_check_exposure(&s->address, o), "daemon.listen");
    CZ_TRY(cz_server_credentials(&credentials, &s->tls, o, &s->address));
    port = add_port(s, credentials, o->socket_mode != 0 ? o->socket_mode : 0600);
    grpc_server_credentials_release(credentials);
    if (port == 0)
        return cz_fail(CZ_E_IO, "daemon.listen: %s: gRPC cannot listen there", s->address.text);
    if (!s->address.is_unix && s->address.port == 0) {
        s->address.port = (unsigned)port;
        cz_address_target(&s->address, s->address.text);
    }
    cz_connections_bound(o->tls_cert == NULL || o->tls_cert[0] == '\0');
    return CZ_OK;
}

/* What is wrong with it is said with the setting's name. */
static cz_err parse_address(cz_address *out, const cz_rpc_server_options *o)
{
    CZ_TRY_IN(cz_address_parse(out, o->listen == NULL ? "auto" : o->listen), "daemon.listen");
    return CZ_OK;
}

static cz_err fill(cz_rpc_server *s, const cz_rpc_server_options *o)
{
    CZ_TRY(parse_address(&s->address, o));
    if (o->token_file != NULL && o->token_file[0] != '\0')
        CZ_TRY_IN(cz_token_read(s->token, o->token_file), "daemon.token_file");
    CZ_TRY_IN(cz_address_prepare(&s->address), "daemon.listen");
    s->max_received = MAX_MESSAGES_IN_MEMORY * o->max_message;
    s->server = new_server(o->max_message);
    s->queue = grpc_completion_queue_create_for_next(NULL);
    grpc_server_register_completion_queue(s->server, s->queue, NULL);
    return bind_address(s, o);
}

cz_err cz_rpc_server_create(cz_rpc_server **out, const cz_rpc_server_options *options,
                            cz_engine *engine)
{
    cz_rpc_server *s = calloc(1, sizeof *s);
    cz_err err;

    if (s == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a server");
    cz_grpc_begin();
    s->engine = engine;
    cz_tls_init(&s->tls);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    cz_refusals_init(&s->refusals, cz_clock_ns());
    cz_refusals_init(&s->strangers, cz_clock_ns());
    err = fill(s, options);
    if (err != CZ_OK) {
        cz_rpc_server_destroy(s);
        return err;
    }
    *out = s;
    return CZ_OK;
}

static void change_token(cz_rpc_server *s, const char *token)
{
    (void)pthread_mutex_lock(&s->lock);
    (void)memcpy(s->token, token, sizeof s->token);
    (void)pthread_mutex_unlock(&s->lock);
}

/* `token` is room for it, which the caller erases. */
static cz_err reread(cz_rpc_server *s, const cz_rpc_server_options *o, char token[CZ_TOKEN_BYTES])
{
    const bool has_token = s->token[0] != '\0'; /* only this thread changes it */

    if (has_token)
        CZ_TRY_IN(cz_token_read(token, o->token_file), "daemon.token_file");
    CZ_TRY(cz_tls_reread(&s->tls, o));
    if (has_token)
        change_token(s, token);
    return CZ_OK;
}

cz_err cz_rpc_server_reread(cz_rpc_server *s, const cz_rpc_server_options *o)
{
    char token[CZ_TOKEN_BYTES] = {0};
    const cz_err err = reread(s, o, token);

    cz_secure_zero(token, sizeof token);
    return err;
}

static cz_err check_token_file(const cz_rpc_server_options *o)
{
    char token[CZ_TOKEN_BYTES];
    cz_err err;

    if (o->token_file == NULL || o->token_file[0] == '\0')
        return CZ_OK;
    err = cz_token_read(token, o->token_file);
    cz_secure_zero(token, sizeof token);
    CZ_TRY_IN(err, "daemon.token_file");
    return CZ_OK;
}

cz_err cz_rpc_server_check(const cz_rpc_server_options *o)
{
    grpc_server_credentials *credentials;
    cz_address address;
    cz_tls_files tls;
    cz_err err;

    CZ_TRY(parse_address(&address, o));
    CZ_TRY(check_token_file(o));
    CZ_TRY_IN(cz_address_check_exposure(&address, o), "daemon.listen");
    cz_grpc_begin();
    cz_tls_init(&tls);
    err = cz_server_credentials(&credentials, &tls, o, &address);
    if (err == CZ_OK)
        grpc_server_credentials_release(credentials);
    cz_tls_clear(&tls);
    grpc_shutdown();
    return err;
}

const char *cz_rpc_server_address(const cz_rpc_server *s)
{
    return s->address.text;
}

/* --- pollers --- */

static void note_down(cz_rpc_server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->down = true;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

/* False: the queue is shut down and empty. */
static bool handle_next(cz_rpc_server *s)
{
    const grpc_event event =
        grpc_completion_queue_next(s->queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
    cz_call_tag *tag = event.tag;

    if (event.type != GRPC_OP_COMPLETE)
        return event.type != GRPC_QUEUE_SHUTDOWN;
    if (tag == &s->stopped)
        note_down(s);
    else if (atomic_load_explicit(&tag->given, memory_order_acquire))
        tag->done(tag->call, event.success != 0);
    return true;
}

static void *poll_queue(void *arg)
{
    while (handle_next(arg))
        ;
    return NULL;
}

static cz_err start_threads(cz_rpc_server *s)
{
    static const unsigned n_threads[] = {[CZ_RUN_QUICK] = 2, [CZ_RUN_HEAVY] = 3};

    for (unsigned i = 0; i < CZ_RUN_SPEEDS; i++)
        CZ_TRY(cz_tasks_create(&s->tasks[i], n_threads[i]));
    while (s->n_pollers < CZ_RPC_POLLERS) {
        const int rc = pthread_create(&s->pollers[s->n_pollers], NULL, poll_queue, s);

        if (rc != 0)
            return cz_fail(CZ_E_NOMEM, "cannot start a thread: %s", strerror(rc));
        s->n_pollers++;
    }
    return CZ_OK;
}

cz_err cz_rpc_server_start(cz_rpc_server *s)
{
    CZ_TRY(start_threads(s));
    grpc_server_start(s->server);
    s->started = true;
    for (unsigned i = 0; i < ENOUGH_CALLS_WAITING; i++)
        if (!cz_call_request(s))
            return cz_fail(CZ_E_NOMEM, "no memory for a call");
    return CZ_OK;
}

/* --- the end --- */

void cz_rpc_server_drain(cz_rpc_server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->draining = true;
    (void)pthread_mutex_unlock(&s->lock);
    cz_health_announce(s);
}

/* With s->lock. */
static void wait_for_calls(cz_rpc_server *s, uint64_t ms)
{
    struct timespec until;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(ms / 1000);
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    while (s->n_calls > 0 && pthread_cond_timedwait(&s->changed, &s->lock, &until) != ETIMEDOUT)
        ;
}

static void end_calls(cz_rpc_server *s, uint64_t grace_ms)
{
    (void)pthread_mutex_lock(&s->lock);
    wait_for_calls(s, grace_ms);
    (void)pthread_mutex_unlock(&s->lock);
    grpc_server_cancel_all_calls(s->server);
    (void)pthread_mutex_lock(&s->lock);
    while (s->n_calls > 0 || !s->down)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}

static void end_threads(cz_rpc_server *s)
{
    for (unsigned i = 0; i < CZ_RUN_SPEEDS; i++) {
        cz_tasks_destroy(s->tasks[i]);
        s->tasks[i] = NULL;
    }
    grpc_completion_queue_shutdown(s->queue);
    for (unsigned i = 0; i < s->n_pollers; i++)
        (void)pthread_join(s->pollers[i], NULL);
    if (s->n_pollers == 0)
        (void)poll_queue(s);
    s->n_pollers = 0;
}

void cz_rpc_server_stop(cz_rpc_server *s, uint64_t grace_ms)
{
    if (!s->started)
        return;
    s->started = false;
    (void)pthread_mutex_lock(&s->lock);
    s->draining = s->stopping = true;
    (void)pthread_mutex_unlock(&s->lock);
    cz_health_announce(s);
    grpc_server_shutdown_and_notify(s->server, s->queue, &s->stopped);
    end_calls(s, grace_ms);
}

/* A server that was bound and never started. */
static void end_listening(cz_rpc_server *s)
{
    grpc_server_shutdown_and_notify(s->server, s->queue, &s->stopped);
    (void)pthread_mutex_lock(&s->lock);
    while (!s->down && s->n_pollers > 0)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
    while (!s->down)
        (void)handle_next(s);
}

static void destroy_server(cz_rpc_server *s)
{
    if (!s->down)
        end_listening(s);
    grpc_server_destroy(s->server);
    end_threads(s);
    grpc_completion_queue_destroy(s->queue);
}

void cz_rpc_server_destroy(cz_rpc_server *s)
{
    if (s == NULL)
        return;
    cz_rpc_server_stop(s, 0);
    if (s->server != NULL)
        destroy_server(s);
    cz_refusals_clear(&s->refusals);
    cz_refusals_clear(&s->strangers);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    cz_tls_clear(&s->tls);
    grpc_shutdown();
    cz_secure_zero(s->token, sizeof s->token);
    free(s);
}
