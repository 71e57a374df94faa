/* arrivals.h: how many messages may be on their way at once. Inside rpc/.
 *
 * gRPC keeps what has come of a message until it is whole, up to max_message of each, and asks
 * nobody. So it is asked for at most CZ_ARRIVALS messages at a time; other calls wait for their
 * turn, and of what they send gRPC takes no more than a flow-control window. A message that has
 * been on its way for CZ_ARRIVAL_MS is given up when others wait: its call ends with
 * RESOURCE_EXHAUSTED. Clients that send a part and no more thus hold up others for so long, and
 * hold so much.
 *
 * Two lanes: methods that bring vanilla proofs, and all others, so that status and cancelling never
 * wait behind uploads.
 *
 * Threads: any. server.lock guards the lanes and the calls' places in them. */
#ifndef CZ_RPC_ARRIVALS_H
#define CZ_RPC_ARRIVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "rpc/tasks.h"

enum { CZ_ARRIVALS = 16, CZ_ARRIVAL_MS = 10000, CZ_ARRIVAL_LANES = 2 };

struct cz_call;
struct cz_rpc_server;

/* A call's place. */
typedef struct {
    struct cz_call *next; /* in `asked` or `waiting` of its lane */
    uint64_t asked_ns;
    bool waits;
} cz_arrival;

typedef struct {
    struct cz_call *asked; /* the longest on its way first */
    struct cz_call *waiting;
    unsigned n_asked, n_given_up; /* of those asked */
} cz_arrival_lane;

typedef struct {
    cz_arrival_lane lanes[CZ_ARRIVAL_LANES];
    cz_task clerk; /* when the next message may be given up */
    bool clerk_due;
} cz_arrivals;

/** The call wants its next message: gRPC is asked for it, now or when there is room. */
void cz_arrivals_enter(struct cz_call *call);

/** It has come, or nothing will come. */
void cz_arrivals_leave(struct cz_call *call);

/** The call is over: it no longer waits. */
void cz_arrivals_forget(struct cz_call *call);

#endif
