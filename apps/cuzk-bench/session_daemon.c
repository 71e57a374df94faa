/* session_daemon.c: a session that has a daemon do many jobs at once, through its socket: the
 * engine, and all that is between it and a client. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bytes.h"
#include "client.h"
#include "lab/daemon_process.h"
#include "session.h"

enum { PATIENCE_MS = 60000, CALL_MS = 5000 };

typedef struct {
    session_order *order;
    session_load load;
    daemon_process own;
    client *c;
    long pid; /* of the daemon, where it is on this machine; else 0 */
    cz_request **requests;
    char (*ids)[64];
} bench;

/* ---- the daemon ---- */

/* Who listens at a Unix socket: whose time and memory are measured. */
static long owner_of(const char *address)
{
    static const char scheme[] = "unix://";
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct ucred owner = {.pid = 0};
    socklen_t size = sizeof owner;
    int fd;

    if (strncmp(address, scheme, sizeof scheme - 1) != 0 ||
        snprintf(to.sun_path, sizeof to.sun_path, "%s", address + sizeof scheme - 1) >=
            (int)sizeof to.sun_path)
        return 0;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return 0;
    if (connect(fd, (const struct sockaddr *)&to, sizeof to) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &owner, &size) != 0)
        owner.pid = 0;
    (void)close(fd);
    return owner.pid;
}

static cz_err ask_status(const bench *b)
{
    Cuzk__V1__GetStatusRequest request = CUZK__V1__GET_STATUS_REQUEST__INIT;
    Cuzk__V1__GetStatusResponse *reply;

    CZ_TRY(client_call(b->c, "GetStatus", &request.base, &reply, CALL_MS));
    cuzk__v1__get_status_response__free_unpacked(reply, NULL);
    return CZ_OK;
}

static cz_err start_own(bench *b)
{
    const session_order *o = b->order;
    const daemon_order order = {.program = o->daemon, .config = o->config, .params = o->params};

    if (o->threads != 0)
        return cz_fail(CZ_E_INPUT, "a daemon's threads are synthesis.threads and gpus.gpu_threads");
    CZ_TRY(daemon_process_start(&b->own, &order));
    return daemon_process_await(&b->own, PATIENCE_MS);
}

/* One that runs may have seen the requests of an earlier session. */
static cz_err use_new_requests(bench *b)
{
    return cz_random_bytes((uint8_t *)&b->load.seed, sizeof b->load.seed / 2);
}

static cz_err open_all(bench *b)
{
    const session_order *o = b->order;
    client_options options = {.addr = o->addr};

    b->requests = calloc(o->jobs, sizeof *b->requests); // NOLINT: a list of pointers
    b->ids = calloc(o->jobs, sizeof *b->ids);
    if (b->requests == NULL || b->ids == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %u jobs", o->jobs);
    CZ_TRY(session_load_init(&b->load, o));
    if (o->addr == NULL) {
        CZ_TRY(start_own(b));
        options.addr = b->own.address;
    } else
        CZ_TRY(use_new_requests(b));
    CZ_TRY(client_open(&b->c, &options));
    CZ_TRY(ask_status(b)); /* no run pays for the connection */
    b->pid = owner_of(client_addr(b->c));
    return CZ_OK;
}

static cz_err close_all(bench *b)
{
    const unsigned n = b->order->jobs;

    for (unsigned i = 0; b->requests != NULL && i < n; i++)
        cz_request_destroy(b->requests[i]);
    free(b->requests);
    free(b->ids);
    client_close(b->c);
    return daemon_process_stop(&b->own);
}

/* ---- runs ---- */

static cz_err make_requests(bench *b)
{
    for (unsigned i = 0; i < b->order->jobs; i++) {
        cz_request_destroy(b->requests[i]);
        b->requests[i] = NULL;
        CZ_TRY(session_load_next(&b->load, &b->requests[i], i));
    }
    return CZ_OK;
}

static cz_err await(const bench *b, unsigned i)
{
    Cuzk__V1__AwaitProofRequest request = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;
    Cuzk__V1__AwaitProofResponse *reply;
    cz_err err = CZ_OK;

    request.job_id = b->ids[i];
    CZ_TRY(client_call(b->c, "AwaitProof", &request.base, &reply, 0));
    if (reply->status != CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__COMPLETED)
        err = cz_fail(CZ_E_INTERNAL, "job %u: %s", i, reply->error_message);
    cuzk__v1__await_proof_response__free_unpacked(reply, NULL);
    return err;
}

static cz_err run_once(bench *b)
{
    session_clock clock;

    CZ_TRY(make_requests(b));
    CZ_TRY(session_await_turn(b->order));
    clock = session_start_of(b->pid);
    for (unsigned i = 0; i < b->order->jobs; i++)
        CZ_TRY(client_submit(b->c, b->requests[i], b->ids[i]));
    for (unsigned i = 0; i < b->order->jobs; i++)
        CZ_TRY(await(b, i));
    session_report(b->order, &clock, NULL, 0);
    return CZ_OK;
}

cz_err session_daemon(session_order *o)
{
    bench b = {.order = o};
    cz_err err = open_all(&b), end;

    for (unsigned i = 0; err == CZ_OK && i <= o->warm; i++)
        err = run_once(&b);
    if (err != CZ_OK) {
        char message[900];

        (void)snprintf(message, sizeof message, "%s", cz_err_message());
        (void)!close_all(&b);
        return cz_fail(err, "%s", message);
    }
    end = close_all(&b);
    CZ_TRY(end);
    cz_json_out_close(&o->answer);
    cz_json_out_u64(&o->answer, "locked_bytes", 0);
    cz_json_out_string(&o->answer, "proof_sha256", ""); /* r and s are drawn */
    return CZ_OK;
}
