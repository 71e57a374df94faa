/* waiting.h: calls that wait for the end of a job, without a thread. Inside rpc/. */
#ifndef CZ_RPC_WAITING_H
#define CZ_RPC_WAITING_H

#include "rpc/call.h"

/** Answer the call when the job ends, with an AwaitProofResponse, inside a ProveResponse when the
 * call is `attached` to the job (it then leaves the job when its client goes). timeout_ms 0: no
 * time limit. call->job_id must be set. */
void cz_call_wait(cz_call *call, bool attached, uint64_t timeout_ms);

/** The client is gone: wait no longer. Harmless when the call waits for nothing. */
void cz_call_stop_waiting(cz_call *call);

#endif
