/* health_service.c: grpc.health.v1.Health. */
#include <string.h>

#include "rpc/proto/health.pb-c.h"
#include "rpc/server_state.h"

enum {
    SERVING = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVING,
    NOT_SERVING = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__NOT_SERVING,
    SERVICE_UNKNOWN = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__SERVING_STATUS__SERVICE_UNKNOWN
};

static bool is_ours(const char *service)
{
    return service[0] == '\0' || strcmp(service, "cuzk.v1.ProvingEngine") == 0;
}

static Grpc__Health__V1__HealthCheckResponse response(unsigned status)
{
    Grpc__Health__V1__HealthCheckResponse m = GRPC__HEALTH__V1__HEALTH_CHECK_RESPONSE__INIT;

    m.status = (Grpc__Health__V1__HealthCheckResponse__ServingStatus)status;
    return m;
}

/* With server.lock. */
static unsigned status_of(const cz_rpc_server *s)
{
    return s->draining ? NOT_SERVING : SERVING;
}

static void check(cz_call *call, ProtobufCMessage *request)
{
    const Grpc__Health__V1__HealthCheckRequest *m = (void *)request;
    Grpc__Health__V1__HealthCheckResponse reply;

    if (!is_ours(m->service)) {
        cz_call_end(call, GRPC_STATUS_NOT_FOUND, "unknown service");
        return;
    }
    (void)pthread_mutex_lock(&call->server->lock);
    reply = response(status_of(call->server));
    (void)pthread_mutex_unlock(&call->server->lock);
    cz_call_reply(call, &reply.base);
}

/* --- watching: a list in the server, which holds a reference to each call in it --- */

/* With server.lock: send what the client does not know yet; end when the daemon does. While a
 * message is on its way nothing happens; its end comes here again. */
static void update_locked(cz_call *call)
{
    const cz_rpc_server *s = call->server;
    const unsigned status = call->unknown_service ? SERVICE_UNKNOWN : status_of(s);
    const Grpc__Health__V1__HealthCheckResponse reply = response(status);

    if (call->status_sent != status) {
        if (cz_call_send(call, &reply.base))
            call->status_sent = status;
    } else if (s->stopping) {
        cz_call_end(call, GRPC_STATUS_UNAVAILABLE, "the daemon is stopping");
    }
}

static void update(cz_call *call)
{
    (void)pthread_mutex_lock(&call->server->lock);
    update_locked(call);
    (void)pthread_mutex_unlock(&call->server->lock);
}

static void remove_watcher(cz_call *call)
{
    cz_rpc_server *s = call->server;
    bool found = false;

    (void)pthread_mutex_lock(&s->lock);
    for (cz_call **at = &s->health_watchers; *at != NULL; at = &(*at)->next_watcher)
        if (*at == call) {
            *at = call->next_watcher;
            found = true;
            break;
        }
    (void)pthread_mutex_unlock(&s->lock);
    if (found)
        cz_call_unref(call);
}

static void watch(cz_call *call, ProtobufCMessage *request)
{
    const Grpc__Health__V1__HealthCheckRequest *m = (void *)request;
    cz_rpc_server *s = call->server;

    cz_call_ref(call);
    (void)pthread_mutex_lock(&s->lock);
    call->unknown_service = !is_ours(m->service);
    call->next_watcher = s->health_watchers;
    s->health_watchers = call;
    update_locked(call);
    (void)pthread_mutex_unlock(&s->lock);
    if (cz_call_is_gone(call))
        remove_watcher(call);
}

void cz_health_announce(cz_rpc_server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    for (cz_call *call = s->health_watchers; call != NULL; call = call->next_watcher)
        update_locked(call);
    (void)pthread_mutex_unlock(&s->lock);
}

const cz_method cz_health_methods[] = {
    {.path = "/grpc.health.v1.Health/Check",
     .input = &grpc__health__v1__health_check_request__descriptor,
     .open = true,
     .run = check},
    {.path = "/grpc.health.v1.Health/Watch",
     .input = &grpc__health__v1__health_check_request__descriptor,
     .open = true,
     .run = watch,
     .sent = update,
     .gone = remove_watcher},
};
const size_t cz_n_health_methods = sizeof cz_health_methods / sizeof *cz_health_methods;
