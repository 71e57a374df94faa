/* waiting.c: see waiting.h.
 *
 * The end of the job, the time limit and the client's departure may come at the same time, on
 * three threads. call->lock decides who was first: whoever takes call->watch or sets job_ended. */
#include "rpc/waiting.h"

#include "base/trace.h"
#include "rpc/messages.h"
#include "rpc/server_state.h"

static cz_engine *engine_of(const cz_call *call)
{
    return call->server->engine;
}

/* --- the answer --- */

static void reply_result(cz_call *call, const cz_result *result, bool inside_prove)
{
    Cuzk__V1__ProveResponse prove = CUZK__V1__PROVE_RESPONSE__INIT;
    Cuzk__V1__AwaitProofResponse message;

    if (result->status == CZ_JOB_UNKNOWN) {
        cz_call_end(call, GRPC_STATUS_UNAVAILABLE,
                    "the daemon is stopping; the job goes on after its restart");
        return;
    }
    cz_result_message(&message, result);
    prove.result = &message;
    cz_call_reply(call, inside_prove ? &prove.base : &message.base);
}

/* --- the three events --- */

static void cancel_timer(cz_call *call)
{
    bool timed;

    (void)pthread_mutex_lock(&call->lock);
    timed = call->timed;
    (void)pthread_mutex_unlock(&call->lock);
    if (timed && cz_tasks_cancel(call->server->tasks[CZ_RUN_QUICK], &call->timer))
        cz_call_unref(call);
}

/* Take the watch from whoever comes later, and give up its reference. False: the end of the job
 * came first. */
static bool take_watch(cz_call *call)
{
    uint64_t watch;

    (void)pthread_mutex_lock(&call->lock);
    watch = call->watch;
    call->watch = 0;
    (void)pthread_mutex_unlock(&call->lock);
    if (watch == 0 || !cz_engine_unwatch(engine_of(call), watch))
        return false;
    cz_call_unref(call);
    return true;
}

static bool take_attached(cz_call *call)
{
    bool attached;

    (void)pthread_mutex_lock(&call->lock);
    attached = call->attached;
    call->attached = false;
    (void)pthread_mutex_unlock(&call->lock);
    return attached;
}

static void on_job_end(void *ctx, const cz_result *result)
{
    cz_call *call = ctx;
    bool attached;

    (void)pthread_mutex_lock(&call->lock);
    attached = call->attached;
    call->attached = false;
    call->job_ended = true;
    call->watch = 0;
    (void)pthread_mutex_unlock(&call->lock);
    reply_result(call, result, attached);
    cancel_timer(call);
    cz_call_unref(call);
}

static void on_time_limit(void *ctx)
{
    cz_call *call = ctx;

    if (take_watch(call))
        cz_call_end(call, GRPC_STATUS_DEADLINE_EXCEEDED,
                    "the job has not ended within timeout_ms; it goes on");
    cz_call_unref(call);
}

void cz_call_stop_waiting(cz_call *call)
{
    (void)take_watch(call);
    if (take_attached(call))
        cz_engine_leave_run(engine_of(call), call->job_id, call->run);
    cancel_timer(call);
}

/* --- the beginning --- */

static void start_timer(cz_call *call, uint64_t timeout_ms)
{
    bool ended;

    /* An end that comes between here and the post finds no timer; it is looked for afterwards. */
    if (timeout_ms == 0 || timeout_ms > UINT64_MAX / 2000000)
        return;
    call->timer = (cz_task){
        .run = on_time_limit, .ctx = call, .due_ns = cz_clock_ns() + timeout_ms * 1000000};
    cz_call_ref(call);
    cz_tasks_post(call->server->tasks[CZ_RUN_QUICK], &call->timer);
    (void)pthread_mutex_lock(&call->lock);
    call->timed = true;
    ended = call->job_ended;
    (void)pthread_mutex_unlock(&call->lock);
    if (ended)
        cancel_timer(call);
}

/* True: the job has not ended yet. */
static bool keep_watch(cz_call *call, uint64_t watch)
{
    bool waits;

    (void)pthread_mutex_lock(&call->lock);
    waits = !call->job_ended;
    if (waits)
        call->watch = watch;
    (void)pthread_mutex_unlock(&call->lock);
    return waits;
}

static void wait_for_end(cz_call *call, uint64_t timeout_ms)
{
    uint64_t watch;
    cz_err err;

    cz_call_ref(call);
    err = cz_engine_watch(engine_of(call), call->job_id, on_job_end, call, &watch);
    if (err != CZ_OK) {
        cz_call_fail(call, err, CZ_CODE_JOB);
        cz_call_unref(call);
        cz_call_stop_waiting(call);
        return;
    }
    if (keep_watch(call, watch))
        start_timer(call, timeout_ms);
    if (cz_call_is_gone(call))
        cz_call_stop_waiting(call);
}

void cz_call_await(cz_call *call, uint64_t timeout_ms)
{
    wait_for_end(call, timeout_ms);
}

void cz_call_await_attached(cz_call *call, uint64_t run)
{
    (void)pthread_mutex_lock(&call->lock);
    call->attached = true;
    call->run = run;
    (void)pthread_mutex_unlock(&call->lock);
    wait_for_end(call, 0);
}
