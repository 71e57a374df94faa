/* messages.h: between the wire's messages and the engine's types. */
#ifndef CZ_RPC_MESSAGES_H
#define CZ_RPC_MESSAGES_H

#include "engine/engine_status.h"
#include "rpc/proto/proving.pb-c.h"

/** A request from its message, whose byte strings move into the request: `m` keeps empty ones.
 * What a proto3 message cannot say is decided here: registered_proof is given unless it is 0 in a
 * PoRep request of another size than 2 KiB; the identity is given unless miner and sector are both
 * 0. CZ_E_INPUT names the field; CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_request_from_message(cz_request **out, Cuzk__V1__SubmitProofRequest *m);

/** The message of a request, for sending; its byte strings stay the request's. */
typedef struct {
    Cuzk__V1__SubmitProofRequest message;
    ProtobufCBinaryData *vanilla_proofs;
} cz_submit_message;
CZ_MUST_CHECK cz_err cz_submit_message_init(cz_submit_message *out, const cz_request *request);
void cz_submit_message_clear(cz_submit_message *m);

/** Views: the texts and bytes stay the result's. */
void cz_result_message(Cuzk__V1__AwaitProofResponse *out, const cz_result *result);

/** The status reply; free it with cuzk__v1__get_status_response__free_unpacked. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_status_message(Cuzk__V1__GetStatusResponse **out,
                                       const cz_engine_status *status);

/** "porep-c2", "snap-update", "window-post", "winning-post"; "unspecified" otherwise. */
const char *cz_wire_kind_name(cz_proof_kind kind);

#endif
