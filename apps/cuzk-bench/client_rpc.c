/* client_rpc.c: calls to a daemon, their failures explained. */
#define _GNU_SOURCE
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rpc/address.h"
#include "rpc/messages.h"

struct client {
    cz_rpc_client *rpc;
};

/* "https://host:port" is the address with TLS. */
static const char *strip_https(const char *addr, bool *tls)
{
    static const char scheme[] = "https://";

    *tls = addr != NULL && strncmp(addr, scheme, sizeof scheme - 1) == 0;
    return *tls ? addr + sizeof scheme - 1 : addr;
}

/* Who names no daemon means his own, or else the machine's service. */
static const char *choose_address(const char *given)
{
    cz_address own;

    if (given != NULL || cz_address_usual(&own) != CZ_OK || access(own.path, F_OK) == 0 ||
        access(CLIENT_SERVICE_SOCKET, F_OK) != 0)
        return given;
    return "unix://" CLIENT_SERVICE_SOCKET;
}

/* Of the command line. */
static cz_err check_address(const char *text)
{
    cz_address address;

    CZ_TRY_IN(args_mistake(cz_address_parse(&address, text)), "address");
    return CZ_OK;
}

cz_err client_open(client **out, const client_options *options)
{
    cz_rpc_client_options o = {
        .tls_ca = options->ca,
        .tls_cert = options->cert,
        .tls_key = options->key,
        .token_file = options->token_file,
    };
    client *c = calloc(1, sizeof *c);
    cz_err err;

    if (c == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a client");
    o.address = strip_https(choose_address(options->addr), &o.tls);
    if (options->addr != NULL && (err = check_address(o.address)) != CZ_OK) {
        free(c);
        return err;
    }
    err = cz_rpc_client_create(&c->rpc, &o);
    if (err != CZ_OK) {
        free(c);
        return err;
    }
    *out = c;
    return CZ_OK;
}

void client_close(client *c)
{
    if (c == NULL)
        return;
    cz_rpc_client_destroy(c->rpc);
    free(c);
}

const char *client_addr(const client *c)
{
    return cz_rpc_client_address(c->rpc);
}

/* --- failures --------------------------------------------------------------------------------- */

enum { CODE_RESOURCE_EXHAUSTED = 8, CODE_UNAVAILABLE = 14 }; /* of gRPC */

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The transport's words when nobody is there; a daemon that drains has words of its own. */
static bool nobody_answers(const char *message)
{
    return strstr(message, "failed to connect") != NULL || strstr(message, "esolution") != NULL;
}

/* Words of gRPC's account of its attempts, the cause that they tell, and what then helps; "": start
 * a daemon. */
static const struct {
    const char *words, *cause, *advice;
} causes[] = {
    {"No such file or directory", "No such file or directory", ""},
    {"Connection refused", "Connection refused", ""},
    {"Permission denied", "Permission denied", "Its socket is for a group: see daemon.socket_mode"},
    {"Socket closed", "it hangs up", "If it wants TLS: https://, or --tls-ca FILE"},
    {"certificate verify failed", "its certificate is not vouched for",
     "Name its authority: --tls-ca FILE"},
    {"is not in peer certificate", "its certificate has other names", "Call it by one of those"},
    {"wrong version number", "it does not speak TLS", "Leave https:// and --tls-ca out"},
};

/* Say where nobody answered and why, and what to do about it. */
static cz_err advise(const client *c, cz_err err)
{
    const char *advice = "";
    char cause[900];

    (void)snprintf(cause, sizeof cause, "%s", cz_err_message());
    for (size_t i = 0; i < sizeof causes / sizeof *causes; i++)
        if (strstr(cause, causes[i].words) != NULL) {
            (void)snprintf(cause, sizeof cause, "%s", causes[i].cause);
            advice = causes[i].advice;
            break;
        }
    if (advice[0] != '\0')
        return cz_fail(err, "UNAVAILABLE: no daemon answers at %s: %s\n%s", client_addr(c), cause,
                       advice);
    return cz_fail(err,
                   "UNAVAILABLE: no daemon answers at %s: %s\nStart one with: cuzk --listen %s   "
                   "(or say with --addr where it listens)",
                   client_addr(c), cause, client_addr(c));
}

/* gRPC's own words name no setting. */
static cz_err explain_too_large(cz_err err)
{
    char said[900];

    (void)snprintf(said, sizeof said, "%s", cz_err_message());
    return cz_fail(err,
                   "RESOURCE_EXHAUSTED: %s\nThe daemon takes no request as large as this one: see "
                   "daemon.max_message in its settings",
                   said);
}

/* The status code's name goes before the daemon's sentence, once. */
static cz_err explain(const client *c, cz_err err, unsigned code)
{
    const char *name = cz_rpc_code_name(code);

    if (code == CODE_UNAVAILABLE && nobody_answers(cz_err_message()))
        return advise(c, err);
    if (code == CODE_RESOURCE_EXHAUSTED && strstr(cz_err_message(), "larger than max") != NULL)
        return explain_too_large(err);
    return code == 0 || starts_with(cz_err_message(), name) ? err : cz_fail_in(err, "%s", name);
}

cz_err client_call(client *c, const char *method, const ProtobufCMessage *request, void *reply,
                   uint64_t timeout_ms)
{
    ProtobufCMessage *message;
    unsigned code = 0;
    cz_err err = cz_rpc_call(c->rpc, method, request, &message, timeout_ms, &code);

    if (err != CZ_OK)
        return explain(c, err, code);
    *(ProtobufCMessage **)reply = message;
    return CZ_OK;
}

/* --- proofs ----------------------------------------------------------------------------------- */

static void note_failure(client_outcome *out, const char *text)
{
    free(out->error);
    out->error = strdup(text);
}

static void take_times(client_outcome *out, const Cuzk__V1__AwaitProofResponse *r)
{
    out->queue_wait_ms = r->queue_wait_ms;
    out->srs_load_ms = r->srs_load_ms;
    out->synthesis_ms = r->synthesis_ms;
    out->gpu_compute_ms = r->gpu_compute_ms;
    out->total_ms = r->total_ms;
}

/* Takes the proof's bytes out of the reply. */
static void take_result(client_outcome *out, Cuzk__V1__AwaitProofResponse *r)
{
    out->status = (cz_job_status)r->status;
    (void)snprintf(out->job_id, sizeof out->job_id, "%s", r->job_id);
    take_times(out, r);
    out->proof = r->proof.data;
    out->proof_len = r->proof.len;
    r->proof = (ProtobufCBinaryData){0};
    if (out->status != CZ_JOB_COMPLETED)
        note_failure(out, r->error_message);
    else if (out->proof_len == 0)
        note_failure(out, "completed without a proof");
}

static cz_err prove(client *c, const cz_request *r, const char *request_id, uint64_t timeout_ms,
                    client_outcome *out)
{
    Cuzk__V1__ProveRequest request = CUZK__V1__PROVE_REQUEST__INIT;
    Cuzk__V1__ProveResponse *reply;
    cz_submit_message submit;
    cz_err err;

    CZ_TRY(cz_submit_message_init(&submit, r));
    submit.message.request_id = (char *)(uintptr_t)request_id;
    request.submit = &submit.message;
    err = client_call(c, "Prove", &request.base, &reply, timeout_ms);
    cz_submit_message_clear(&submit);
    CZ_TRY(err);
    if (reply->result == NULL)
        err = cz_fail(CZ_E_INTERNAL, "the reply holds no result");
    else
        take_result(out, reply->result);
    cuzk__v1__prove_response__free_unpacked(reply, NULL);
    return err;
}

void client_prove(client *c, const cz_request *r, const char *request_id, uint64_t timeout_ms,
                  client_outcome *out)
{
    const uint64_t start = cz_clock_ns();

    (void)snprintf(out->request_id, sizeof out->request_id, "%s", request_id);
    if (prove(c, r, request_id, timeout_ms, out) != CZ_OK)
        note_failure(out, cz_err_message());
    out->wall_s = (double)(cz_clock_ns() - start) / 1e9;
}

cz_err client_submit(client *c, const cz_request *r, char job_id[64])
{
    Cuzk__V1__SubmitProofResponse *reply;
    cz_submit_message submit;
    cz_err err;

    CZ_TRY(cz_submit_message_init(&submit, r));
    err = client_call(c, "SubmitProof", &submit.message.base, &reply, 0);
    cz_submit_message_clear(&submit);
    CZ_TRY(err);
    (void)snprintf(job_id, 64, "%s", reply->job_id);
    cuzk__v1__submit_proof_response__free_unpacked(reply, NULL);
    return CZ_OK;
}
