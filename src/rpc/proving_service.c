/* proving_service.c: cuzk.v1.ProvingEngine, method by method. */
#include <string.h>

#include "base/utf8.h"
#include "rpc/messages.h"
#include "rpc/metrics.h"
#include "rpc/server_state.h"
#include "rpc/waiting.h"

static cz_engine *engine_of(const cz_call *call)
{
    return call->server->engine;
}

/* --- jobs --- */

static cz_err submit(cz_call *call, Cuzk__V1__SubmitProofRequest *m,
                     const cz_submit_options *options, cz_submit_reply *out)
{
    cz_request *request;

    CZ_TRY(cz_request_from_message(&request, m));
    return cz_engine_submit(engine_of(call), request, options, out);
}

/* A request without a job has no line in the log but this one. */
static void refuse(cz_call *call, const Cuzk__V1__SubmitProofRequest *m, cz_err err)
{
    cz_refusals_say(&call->server->refusals, m->request_id, (cz_proof_kind)m->proof_kind,
                    cz_code_of(err, CZ_CODE_SUBMIT));
    cz_call_fail(call, err, CZ_CODE_SUBMIT);
}

static void submit_proof(cz_call *call, ProtobufCMessage *request)
{
    Cuzk__V1__SubmitProofResponse message = CUZK__V1__SUBMIT_PROOF_RESPONSE__INIT;
    const cz_submit_options options = {0};
    cz_submit_reply reply;
    const cz_err err = submit(call, (void *)request, &options, &reply);

    if (err != CZ_OK) {
        refuse(call, (const void *)request, err);
        return;
    }
    message.job_id = reply.job_id;
    message.queue_position = reply.n_before;
    message.assigned_gpu = (char *)(uintptr_t)reply.backend;
    cz_call_reply(call, &message.base);
}

static void prove(cz_call *call, ProtobufCMessage *request)
{
    Cuzk__V1__ProveRequest *m = (void *)request;
    cz_submit_options options = {.attached = true, .timeout_ms = cz_call_time_left_ms(call)};
    cz_submit_reply reply;
    cz_err err;

    if (m->submit == NULL) {
        cz_call_end(call, GRPC_STATUS_INVALID_ARGUMENT, "missing submit field");
        return;
    }
    if (cz_call_is_gone(call)) /* while it waited for a thread */
        return;
    err = submit(call, m->submit, &options, &reply);
    if (err != CZ_OK) {
        refuse(call, m->submit, err);
        return;
    }
    (void)memcpy(call->job_id, reply.job_id, sizeof call->job_id);
    cz_call_await_attached(call, reply.run);
}

/* Ids come from outside and go into messages. False: answered. */
static bool take_job_id(cz_call *call, const char *id)
{
    if (strlen(id) + 1 == sizeof call->job_id && cz_utf8_is_valid(id)) {
        (void)memcpy(call->job_id, id, sizeof call->job_id);
        return true;
    }
    (void)cz_fail(CZ_E_NOTFOUND, "job not found: %.100s", id);
    cz_call_fail(call, CZ_E_NOTFOUND, CZ_CODE_JOB);
    return false;
}

static void await_proof(cz_call *call, ProtobufCMessage *request)
{
    const Cuzk__V1__AwaitProofRequest *m = (void *)request;

    if (take_job_id(call, m->job_id))
        cz_call_await(call, m->timeout_ms);
}

static void cancel_proof(cz_call *call, ProtobufCMessage *request)
{
    const Cuzk__V1__CancelProofRequest *m = (void *)request;
    Cuzk__V1__CancelProofResponse message = CUZK__V1__CANCEL_PROOF_RESPONSE__INIT;
    bool was_running = false;
    cz_err err;

    if (!take_job_id(call, m->job_id))
        return;
    err = cz_engine_cancel(engine_of(call), call->job_id, &was_running);
    if (err != CZ_OK) {
        cz_call_fail(call, err, CZ_CODE_JOB);
        return;
    }
    message.was_running = was_running;
    cz_call_reply(call, &message.base);
}

/* --- status --- */

static cz_err make_status(Cuzk__V1__GetStatusResponse **out, cz_engine *engine)
{
    cz_engine_status *status;
    cz_err err;

    CZ_TRY(cz_engine_status_create(&status, engine));
    err = cz_status_message(out, status);
    cz_engine_status_destroy(status);
    return err;
}

static void get_status(cz_call *call, ProtobufCMessage *request)
{
    Cuzk__V1__GetStatusResponse *message;
    const cz_err err = make_status(&message, engine_of(call));

    (void)request;
    if (err != CZ_OK) {
        cz_call_fail(call, err, CZ_CODE_JOB);
        return;
    }
    cz_call_reply(call, &message->base);
    cuzk__v1__get_status_response__free_unpacked(message, NULL);
}

static void get_metrics(cz_call *call, ProtobufCMessage *request)
{
    Cuzk__V1__GetMetricsResponse message = CUZK__V1__GET_METRICS_RESPONSE__INIT;
    char *text;
    const cz_err err = cz_metrics_text(engine_of(call), &text, NULL);

    (void)request;
    if (err != CZ_OK) {
        cz_call_fail(call, err, CZ_CODE_JOB);
        return;
    }
    message.prometheus_text = text;
    cz_call_reply(call, &message.base);
    free(text);
}

/* --- parameters --- */

/* False: answered. */
static bool check_circuit(cz_call *call, const char *id)
{
    char name[CZ_CACHE_NAME_MAX], message[128];

    if (cz_circuit_cache_name(name, sizeof name, id) == CZ_OK)
        return true;
    (void)snprintf(message, sizeof message, "unknown circuit ID: %.64s", id);
    cz_call_end(call, GRPC_STATUS_NOT_FOUND, message);
    return false;
}

static void on_preloaded(void *ctx, cz_err err, bool already, uint64_t load_ms)
{
    Cuzk__V1__PreloadSrsResponse message = CUZK__V1__PRELOAD_SRS_RESPONSE__INIT;
    cz_call *call = ctx;

    message.already_loaded = already;
    message.load_time_ms = load_ms;
    if (err == CZ_OK)
        cz_call_reply(call, &message.base);
    else
        cz_call_fail(call, err, CZ_CODE_KEYS);
    cz_call_unref(call);
}

/* Loading goes on when the client leaves. */
static void preload_srs(cz_call *call, ProtobufCMessage *request)
{
    const Cuzk__V1__PreloadSrsRequest *m = (void *)request;

    if (!check_circuit(call, m->circuit_id))
        return;
    cz_call_ref(call);
    cz_engine_preload_then(engine_of(call), m->circuit_id, on_preloaded, call);
}

static void on_evicted(void *ctx, cz_err err, bool was_loaded, uint64_t freed_bytes)
{
    Cuzk__V1__EvictSrsResponse message = CUZK__V1__EVICT_SRS_RESPONSE__INIT;
    cz_call *call = ctx;

    message.was_loaded = was_loaded;
    message.freed_bytes = freed_bytes;
    if (err == CZ_OK)
        cz_call_reply(call, &message.base);
    else
        cz_call_fail(call, err, CZ_CODE_KEYS);
    cz_call_unref(call);
}

static void evict_srs(cz_call *call, ProtobufCMessage *request)
{
    const Cuzk__V1__EvictSrsRequest *m = (void *)request;

    if (!check_circuit(call, m->circuit_id))
        return;
    cz_call_ref(call);
    cz_engine_evict_then(engine_of(call), m->circuit_id, on_evicted, call);
}

/* --- the table --- */

#define METHOD(name) "/cuzk.v1.ProvingEngine/" name

const cz_method cz_proving_methods[] = {
    {.path = METHOD("SubmitProof"),
     .input = &cuzk__v1__submit_proof_request__descriptor,
     .speed = CZ_RUN_HEAVY,
     .run = submit_proof},
    {.path = METHOD("AwaitProof"),
     .input = &cuzk__v1__await_proof_request__descriptor,
     .run = await_proof,
     .gone = cz_call_stop_waiting},
    {.path = METHOD("Prove"),
     .input = &cuzk__v1__prove_request__descriptor,
     .speed = CZ_RUN_HEAVY,
     .run = prove,
     .gone = cz_call_stop_waiting},
    {.path = METHOD("CancelProof"),
     .input = &cuzk__v1__cancel_proof_request__descriptor,
     .run = cancel_proof},
    {.path = METHOD("GetStatus"),
     .input = &cuzk__v1__get_status_request__descriptor,
     .run = get_status},
    {.path = METHOD("GetMetrics"),
     .input = &cuzk__v1__get_metrics_request__descriptor,
     .run = get_metrics},
    {.path = METHOD("PreloadSRS"),
     .input = &cuzk__v1__preload_srs_request__descriptor,
     .run = preload_srs},
    {.path = METHOD("EvictSRS"),
     .input = &cuzk__v1__evict_srs_request__descriptor,
     .run = evict_srs},
};
const size_t cz_n_proving_methods = sizeof cz_proving_methods / sizeof *cz_proving_methods;
