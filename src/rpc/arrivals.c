/* arrivals.c: see arrivals.h. A call that waits is referenced by the list. */
#include "rpc/arrivals.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/trace.h"
#include "rpc/server_state.h"

static const uint64_t patience_ns = (uint64_t)CZ_ARRIVAL_MS * 1000000;

static cz_arrival_lane *lane_of(const cz_call *call)
{
    return &call->server->arrivals.lanes[call->method->speed == CZ_RUN_HEAVY];
}

/* --- lists; all with server.lock --- */

static void append(cz_call **list, cz_call *call)
{
    while (*list != NULL)
        list = &(*list)->arrival.next;
    call->arrival.next = NULL;
    *list = call;
}

static bool take_out(cz_call **list, const cz_call *call)
{
    for (; *list != NULL; list = &(*list)->arrival.next)
        if (*list == call) {
            *list = call->arrival.next;
            return true;
        }
    return false;
}

static void note_asked(cz_arrival_lane *lane, cz_call *call)
{
    call->arrival.waits = false;
    call->arrival.asked_ns = cz_clock_ns();
    append(&lane->asked, call);
    lane->n_asked++;
}

static void note_waiting(cz_arrival_lane *lane, cz_call *call)
{
    call->arrival.waits = true;
    cz_call_ref(call);
    append(&lane->waiting, call);
}

/* The next whose turn it is; NULL: none. Its reference goes to the caller. */
static cz_call *next_in_turn(cz_arrival_lane *lane)
{
    cz_call *call = lane->waiting;

    if (call == NULL || lane->n_asked >= CZ_ARRIVALS)
        return NULL;
    lane->waiting = call->arrival.next;
    note_asked(lane, call);
    return call;
}

/* --- giving up --- */

/* One that has had its time while another waits, taken off the list but still counted until gRPC
 * has let go of it; with a reference. */
static cz_call *next_to_give_up(cz_arrival_lane *lane, uint64_t now_ns)
{
    cz_call *call = lane->asked;

    if (call == NULL || lane->waiting == NULL || now_ns - call->arrival.asked_ns < patience_ns ||
        lane->n_given_up > 0)
        return NULL;
    lane->asked = call->arrival.next;
    lane->n_given_up++;
    cz_call_ref(call);
    return call;
}

static void give_up(cz_call *call)
{
    char message[160];

    (void)snprintf(message, sizeof message,
                   "the request has not come whole in %d s and others wait; try again later",
                   CZ_ARRIVAL_MS / 1000);
    cz_call_drop(call, GRPC_STATUS_RESOURCE_EXHAUSTED, message);
    cz_call_unref(call);
}

static void run_clerk(void *ctx);

/* With server.lock: have the clerk look when the longest on its way has had its time. */
static void call_clerk(cz_rpc_server *server)
{
    cz_arrivals *a = &server->arrivals;
    uint64_t due_ns = UINT64_MAX;

    for (unsigned i = 0; i < CZ_ARRIVAL_LANES; i++) {
        const cz_arrival_lane *lane = &a->lanes[i];

        if (lane->waiting != NULL && lane->asked != NULL && lane->n_given_up == 0 &&
            lane->asked->arrival.asked_ns + patience_ns < due_ns)
            due_ns = lane->asked->arrival.asked_ns + patience_ns;
    }
    if (due_ns == UINT64_MAX || a->clerk_due)
        return;
    a->clerk_due = true;
    a->clerk = (cz_task){.run = run_clerk, .ctx = server, .due_ns = due_ns};
    cz_tasks_post(server->tasks[CZ_RUN_QUICK], &a->clerk);
}

static void run_clerk(void *ctx)
{
    cz_rpc_server *server = ctx;
    cz_call *late[CZ_ARRIVAL_LANES];

    (void)pthread_mutex_lock(&server->lock);
    server->arrivals.clerk_due = false;
    for (unsigned i = 0; i < CZ_ARRIVAL_LANES; i++)
        late[i] = next_to_give_up(&server->arrivals.lanes[i], cz_clock_ns());
    call_clerk(server);
    (void)pthread_mutex_unlock(&server->lock);
    for (unsigned i = 0; i < CZ_ARRIVAL_LANES; i++)
        if (late[i] != NULL)
            give_up(late[i]);
}

/* --- the calls' side --- */

void cz_arrivals_enter(cz_call *call)
{
    cz_rpc_server *server = call->server;
    cz_arrival_lane *lane = lane_of(call);
    bool now;

    (void)pthread_mutex_lock(&server->lock);
    now = lane->n_asked < CZ_ARRIVALS && lane->waiting == NULL;
    if (now) {
        note_asked(lane, call);
    } else {
        note_waiting(lane, call);
        call_clerk(server);
    }
    (void)pthread_mutex_unlock(&server->lock);
    if (now)
        cz_call_ask(call);
}

void cz_arrivals_leave(cz_call *call)
{
    cz_rpc_server *server = call->server;
    cz_arrival_lane *lane = lane_of(call);
    cz_call *next;

    (void)pthread_mutex_lock(&server->lock);
    if (!take_out(&lane->asked, call))
        lane->n_given_up--;
    lane->n_asked--;
    next = next_in_turn(lane);
    call_clerk(server);
    (void)pthread_mutex_unlock(&server->lock);
    if (next != NULL) {
        cz_call_ask(next);
        cz_call_unref(next);
    }
}

void cz_arrivals_forget(cz_call *call)
{
    cz_rpc_server *server = call->server;
    bool waited = false;

    if (call->method == NULL)
        return;
    (void)pthread_mutex_lock(&server->lock);
    if (call->arrival.waits)
        waited = take_out(&lane_of(call)->waiting, call);
    call->arrival.waits = false;
    (void)pthread_mutex_unlock(&server->lock);
    if (waited)
        cz_call_unref(call);
}
