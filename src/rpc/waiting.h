/* waiting.h: calls that wait for the end of a job, without a thread. Inside rpc/. */
#ifndef CZ_RPC_WAITING_H
#define CZ_RPC_WAITING_H

#include "rpc/call.h"

/** Answer the call when the job ends, with an AwaitProofResponse. timeout_ms 0: no time limit.
 * call->job_id must be set. */
void cz_call_await(cz_call *call, uint64_t timeout_ms);

/** Answer the call, which is attached to this run of the job, with a ProveResponse; leave the job
 * when the client goes. call->job_id must be set. */
void cz_call_await_attached(cz_call *call, uint64_t run);

/** The client is gone: wait no longer. Harmless when the call waits for nothing. */
void cz_call_stop_waiting(cz_call *call);

#endif
