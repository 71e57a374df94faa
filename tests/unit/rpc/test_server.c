/* The server with a toy prover behind it, called by our own client over a Unix socket: every
 * method, waiting, leaving, refusing, health, the end. tests/daemon does the same with a foreign
 * client and real proofs. */
#include "../engine/toy_prover.h"

#include <stdatomic.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rpc/client.h"
#include "rpc/messages.h"
#include "rpc/server.h"

typedef struct {
    toy t;
    cz_backend backend;
    cz_engine *e;
    cz_rpc_server *server;
    cz_rpc_client *client;
    char folder[32];
    char address[64];
} bench;

static void start_with(bench *b, cz_rpc_server_options o)
{
    cz_engine_options engine;
    const cz_rpc_client_options client = {.address = b->address, .token_file = o.token_file};

    toy_init(&b->t);
    b->backend = toy_backend(&b->t);
    engine = toy_options(&b->t, &b->backend);
    (void)snprintf(b->folder, sizeof b->folder, "cz-test-rpc-XXXXXX");
    assert_non_null(mkdtemp(b->folder));
    (void)snprintf(b->address, sizeof b->address, "unix:%s/s", b->folder);
    o.listen = b->address;
    if (o.max_message == 0)
        o.max_message = 1 << 20;
    assert_ok(cz_engine_create(&b->e, &engine));
    assert_ok(cz_rpc_server_create(&b->server, &o, b->e));
    assert_ok(cz_engine_start(b->e));
    assert_ok(cz_rpc_server_start(b->server));
    assert_ok(cz_rpc_client_create(&b->client, &client));
}

static void start(bench *b)
{
    start_with(b, (cz_rpc_server_options){0});
}

static void finish(bench *b)
{
    cz_engine_stop(b->e);
    cz_rpc_server_stop(b->server, 1000);
    cz_rpc_server_destroy(b->server);
    cz_rpc_client_destroy(b->client);
    cz_engine_destroy(b->e);
    toy_assert_clean(&b->t);
    toy_clear(&b->t);
    (void)rmdir(b->folder);
}

/* Change how the toy behaves. The engine's lock lets its threads see it. */
static void set(bench *b, bool *what, bool value)
{
    cz_engine_status *status;

    (void)pthread_mutex_lock(&b->t.lock);
    *what = value;
    (void)pthread_mutex_unlock(&b->t.lock);
    assert_ok(cz_engine_status_create(&status, b->e));
    cz_engine_status_destroy(status);
}

static void set_part_bytes(bench *b, uint64_t value)
{
    (void)pthread_mutex_lock(&b->t.lock);
    b->t.part_bytes = value;
    (void)pthread_mutex_unlock(&b->t.lock);
}

/* --- calls --- */

static cz_err submit(const bench *b, const char *id, char tag, char job_id[CZ_JOB_ID_BYTES],
                     unsigned *code)
{
    cz_request *r = toy_request(id, CZ_KIND_POREP, tag, 2, 0);
    Cuzk__V1__SubmitProofResponse *reply;
    cz_submit_message m;
    cz_err err;

    assert_ok(cz_submit_message_init(&m, r));
    err = cz_rpc_call(b->client, "SubmitProof", &m.message.base, (ProtobufCMessage **)&reply, 20000,
                      code);
    if (err == CZ_OK) {
        (void)snprintf(job_id, CZ_JOB_ID_BYTES, "%s", reply->job_id);
        assert_string_equal(reply->assigned_gpu, "toy");
        cuzk__v1__submit_proof_response__free_unpacked(reply, NULL);
    }
    cz_submit_message_clear(&m);
    cz_request_destroy(r);
    return err;
}

static cz_err prove(const bench *b, const char *id, char tag, uint64_t timeout_ms,
                    Cuzk__V1__ProveResponse **reply, unsigned *code)
{
    cz_request *r = toy_request(id, CZ_KIND_POREP, tag, 2, 0);
    Cuzk__V1__ProveRequest call = CUZK__V1__PROVE_REQUEST__INIT;
    cz_submit_message m;
    cz_err err;

    assert_ok(cz_submit_message_init(&m, r));
    call.submit = &m.message;
    err = cz_rpc_call(b->client, "Prove", &call.base, (ProtobufCMessage **)reply, timeout_ms, code);
    cz_submit_message_clear(&m);
    cz_request_destroy(r);
    return err;
}

static cz_err await_job(const bench *b, const char *job_id, uint64_t timeout_ms,
                        Cuzk__V1__AwaitProofResponse **reply, unsigned *code)
{
    Cuzk__V1__AwaitProofRequest m = CUZK__V1__AWAIT_PROOF_REQUEST__INIT;

    m.job_id = (char *)(uintptr_t)job_id;
    m.timeout_ms = timeout_ms;
    return cz_rpc_call(b->client, "AwaitProof", &m.base, (ProtobufCMessage **)reply, 0, code);
}

static bool cancel(const bench *b, const char *job_id)
{
    Cuzk__V1__CancelProofRequest m = CUZK__V1__CANCEL_PROOF_REQUEST__INIT;
    Cuzk__V1__CancelProofResponse *reply;
    bool was_running;

    m.job_id = (char *)(uintptr_t)job_id;
    assert_ok(cz_rpc_call(b->client, "CancelProof", &m.base, (ProtobufCMessage **)&reply, 0, NULL));
    was_running = reply->was_running;
    cuzk__v1__cancel_proof_response__free_unpacked(reply, NULL);
    return was_running;
}

static Cuzk__V1__GetStatusResponse *status_of(const bench *b)
{
    const Cuzk__V1__GetStatusRequest m = CUZK__V1__GET_STATUS_REQUEST__INIT;
    Cuzk__V1__GetStatusResponse *reply;

    assert_ok(cz_rpc_call(b->client, "GetStatus", &m.base, (ProtobufCMessage **)&reply, 0, NULL));
    return reply;
}

static void expect_proof(const Cuzk__V1__AwaitProofResponse *r, char tag)
{
    const cz_result result = {
        .status = (cz_job_status)r->status, .proof = r->proof.data, .proof_len = r->proof.len};

    toy_assert_proof(&result, tag, 2);
}

/* --- proofs --- */

static void submit_and_await(void **state)
{
    char first[CZ_JOB_ID_BYTES], again[CZ_JOB_ID_BYTES];
    Cuzk__V1__AwaitProofResponse *reply;
    unsigned code;
    bench b;

    (void)state;
    start(&b);
    assert_ok(submit(&b, "r", 'A', first, &code));
    assert_int_equal(code, 0);
    assert_ok(await_job(&b, first, 0, &reply, NULL));
    assert_string_equal(reply->job_id, first);
    expect_proof(reply, 'A');
    cuzk__v1__await_proof_response__free_unpacked(reply, NULL);
    assert_ok(submit(&b, "r", 'A', again, NULL));
    assert_string_equal(first, again);
    assert_ok(submit(&b, "r", 'B', again, NULL));
    assert_string_not_equal(first, again);
    assert_false(cancel(&b, first));
    finish(&b);
}

static void *prove_many(void *arg)
{
    const bench *b = arg;

    for (unsigned i = 0; i < 20; i++) {
        Cuzk__V1__ProveResponse *reply;
        char id[32];

        (void)snprintf(id, sizeof id, "%lx-%u", (unsigned long)pthread_self(), i);
        assert_ok(prove(b, id, (char)('a' + i), 60000, &reply, NULL));
        expect_proof(reply->result, (char)('a' + i));
        cuzk__v1__prove_response__free_unpacked(reply, NULL);
    }
    return NULL;
}

static void many_clients_prove_at_once(void **state)
{
    pthread_t threads[8];
    Cuzk__V1__GetStatusResponse *s;
    bench b;

    (void)state;
    start(&b);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, prove_many, &b), 0);
    for (unsigned i = 0; i < 8; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    s = status_of(&b);
    assert_int_equal(s->total_proofs_completed, 160);
    assert_int_equal(s->n_queues, 0);
    cuzk__v1__get_status_response__free_unpacked(s, NULL);
    finish(&b);
}

static void a_job_that_fails_is_an_answer(void **state)
{
    Cuzk__V1__ProveResponse *reply;
    bench b;

    (void)state;
    start(&b);
    set(&b, &b.t.fail_open, true);
    assert_ok(prove(&b, "r", 'A', 0, &reply, NULL));
    assert_int_equal(reply->result->status, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__FAILED);
    assert_non_null(strstr(reply->result->error_message, "challenge 3: wrong"));
    assert_int_equal(reply->result->proof.len, 0);
    cuzk__v1__prove_response__free_unpacked(reply, NULL);
    finish(&b);
}

/* --- waiting and leaving --- */

static void await_has_a_time_limit(void **state)
{
    char id[CZ_JOB_ID_BYTES];
    Cuzk__V1__AwaitProofResponse *reply;
    unsigned code;
    bench b;

    (void)state;
    start(&b);
    set(&b, &b.t.hold_prove, true);
    assert_ok(submit(&b, "r", 'A', id, NULL));
    assert_fails(await_job(&b, id, 50, &reply, &code), CZ_E_CANCELLED, "it goes on");
    assert_string_equal(cz_rpc_code_name(code), "DEADLINE_EXCEEDED");
    toy_open_gate(&b.t, &b.t.hold_prove);
    assert_ok(await_job(&b, id, 60000, &reply, NULL));
    expect_proof(reply, 'A');
    cuzk__v1__await_proof_response__free_unpacked(reply, NULL);
    finish(&b);
}

/* The call's deadline is the job's, too: client and engine look at their own clocks, and either may
 * be first to say that it has passed. */
static void expect_out_of_time(const bench *b, uint64_t timeout_ms)
{
    Cuzk__V1__ProveResponse *reply;
    unsigned code;

    if (prove(b, "r", 'A', timeout_ms, &reply, &code) == CZ_OK) {
        assert_int_equal(reply->result->status, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__TIMEOUT);
        assert_int_equal(reply->result->proof.len, 0);
        cuzk__v1__prove_response__free_unpacked(reply, NULL);
        return;
    }
    assert_string_equal(cz_rpc_code_name(code), "DEADLINE_EXCEEDED");
}

static void a_prove_whose_client_is_gone_is_cancelled(void **state)
{
    Cuzk__V1__GetStatusResponse *s;
    unsigned left = 1;
    bench b;

    (void)state;
    start(&b);
    set(&b, &b.t.hold_prove, true);
    expect_out_of_time(&b, 200);
    for (unsigned i = 0; left != 0; i++) {
        assert_true(i < 1000);
        toy_sleep_us(10000);
        s = status_of(&b);
        left = (unsigned)s->n_queues;
        cuzk__v1__get_status_response__free_unpacked(s, NULL);
    }
    toy_open_gate(&b.t, &b.t.hold_prove);
    finish(&b);
}

typedef struct {
    const bench *b;
    Cuzk__V1__ProveResponse *reply;
} other_client;

static void *prove_once(void *arg)
{
    other_client *c = arg;

    assert_ok(prove(c->b, "shared", 'A', 60000, &c->reply, NULL));
    return NULL;
}

static void a_shared_job_goes_on(void **state)
{
    other_client other;
    Cuzk__V1__ProveResponse *reply;
    pthread_t thread;
    bench b;

    (void)state;
    start(&b);
    set(&b, &b.t.hold_prove, true);
    other.b = &b;
    assert_int_equal(pthread_create(&thread, NULL, prove_once, &other), 0);
    toy_wait_held(&b.t, 1);
    assert_fails(prove(&b, "shared", 'A', 200, &reply, NULL), CZ_E_CANCELLED, "");
    toy_sleep_us(100000);
    toy_open_gate(&b.t, &b.t.hold_prove);
    assert_int_equal(pthread_join(thread, NULL), 0);
    expect_proof(other.reply->result, 'A');
    cuzk__v1__prove_response__free_unpacked(other.reply, NULL);
    finish(&b);
}

static void cancel_ends_who_waits(void **state)
{
    char id[CZ_JOB_ID_BYTES];
    Cuzk__V1__AwaitProofResponse *reply;
    bench b;

    (void)state;
    start(&b);
    set(&b, &b.t.hold_prove, true);
    assert_ok(submit(&b, "r", 'A', id, NULL));
    toy_wait_held(&b.t, 1);
    assert_true(cancel(&b, id));
    assert_ok(await_job(&b, id, 0, &reply, NULL));
    assert_int_equal(reply->status, CUZK__V1__AWAIT_PROOF_RESPONSE__STATUS__CANCELLED);
    cuzk__v1__await_proof_response__free_unpacked(reply, NULL);
    assert_false(cancel(&b, id));
    toy_open_gate(&b.t, &b.t.hold_prove);
    finish(&b);
}

static void *await_forever(void *arg)
{
    Cuzk__V1__AwaitProofResponse *reply;
    char id[CZ_JOB_ID_BYTES];
    const bench *b = arg;
    unsigned code;

    assert_ok(submit(b, "r", 'A', id, NULL));
    assert_fails(await_job(b, id, 3600000, &reply, &code), CZ_E_IO, "goes on after its restart");
    assert_string_equal(cz_rpc_code_name(code), "UNAVAILABLE");
    return NULL;
}

static void *stop_engine(void *engine)
{
    cz_engine_stop(engine);
    return NULL;
}

static void the_end_of_the_daemon_ends_who_waits(void **state)
{
    pthread_t client, stopper;
    bench b;

    (void)state;
    start(&b);
    set(&b, &b.t.hold_prove, true);
    assert_int_equal(pthread_create(&client, NULL, await_forever, &b), 0);
    toy_wait_held(&b.t, 1);
    toy_sleep_us(100000); /* for the await to arrive */
    assert_int_equal(pthread_create(&stopper, NULL, stop_engine, b.e), 0);
    toy_sleep_us(100000); /* for the engine to know that it stops */
    toy_open_gate(&b.t, &b.t.hold_prove);
    assert_int_equal(pthread_join(stopper, NULL), 0);
    assert_int_equal(pthread_join(client, NULL), 0);
    finish(&b);
}

/* --- refusing --- */

static void refusals_have_their_codes(void **state)
{
    char id[CZ_JOB_ID_BYTES];
    Cuzk__V1__AwaitProofResponse *await_reply;
    Cuzk__V1__ProveResponse *reply;
    const Cuzk__V1__ProveRequest empty = CUZK__V1__PROVE_REQUEST__INIT;
    cz_engine_tuning tuning = cz_engine_defaults().tuning;
    unsigned code;
    bench b;

    (void)state;
    start(&b);
    assert_fails(await_job(&b, "nobody", 0, &await_reply, &code), CZ_E_NOTFOUND,
                 "job not found: nobody");
    assert_string_equal(cz_rpc_code_name(code), "NOT_FOUND");
    assert_fails(cz_rpc_call(b.client, "Prove", &empty.base, (ProtobufCMessage **)&reply, 0, &code),
                 CZ_E_INPUT, "missing submit field");
    set(&b, &b.t.no_params, true);
    assert_fails(submit(&b, "r", 'A', id, &code), CZ_E_NOTFOUND, "no parameters");
    assert_string_equal(cz_rpc_code_name(code), "FAILED_PRECONDITION");
    set_part_bytes(&b, 2000000);
    set(&b, &b.t.no_params, false);
    assert_fails(submit(&b, "r", 'A', id, &code), CZ_E_DECLINED, "the budget is");
    assert_string_equal(cz_rpc_code_name(code), "RESOURCE_EXHAUSTED");
    set_part_bytes(&b, 20);
    set(&b, &b.t.hold_open, true);
    tuning.max_queue = 1;
    cz_engine_tune(b.e, &tuning);
    assert_ok(submit(&b, "r", 'A', id, &code));
    assert_fails(submit(&b, "r", 'B', id, &code), CZ_E_DECLINED, "the queue is full");
    assert_string_equal(cz_rpc_code_name(code), "RESOURCE_EXHAUSTED");
    cz_engine_drain(b.e);
    assert_fails(submit(&b, "r", 'C', id, &code), CZ_E_IO, "draining");
    assert_string_equal(cz_rpc_code_name(code), "UNAVAILABLE");
    toy_open_gate(&b.t, &b.t.hold_open);
    finish(&b);
}

static void a_large_message_is_refused(void **state)
{
    Cuzk__V1__ProveRequest m = CUZK__V1__PROVE_REQUEST__INIT;
    Cuzk__V1__SubmitProofRequest inner = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    Cuzk__V1__ProveResponse *reply;
    uint8_t *bytes = calloc(2, 1 << 20);
    unsigned code;
    bench b;

    (void)state;
    start(&b);
    m.submit = &inner;
    inner.vanilla_proof = (ProtobufCBinaryData){2 << 20, bytes};
    assert_fails(cz_rpc_call(b.client, "Prove", &m.base, (ProtobufCMessage **)&reply, 0, &code),
                 CZ_E_DECLINED, "larger");
    assert_string_equal(cz_rpc_code_name(code), "RESOURCE_EXHAUSTED");
    free(bytes);
    finish(&b);
}

/* --- a limit on what is received and not submitted yet --- */

enum { LARGE_MESSAGE = 64 << 10, LARGE_BYTES = 60000, ROOM_FOR = 4, SENDERS = 7 };

typedef struct {
    const bench *b;
    atomic_uint *n_refused;
    unsigned code;
} sender;

static cz_err send_large(const bench *b, unsigned *code)
{
    Cuzk__V1__SubmitProofRequest m = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    Cuzk__V1__SubmitProofResponse *reply;
    uint8_t *bytes = calloc(1, LARGE_BYTES);
    cz_err err;

    assert_non_null(bytes);
    m.proof_kind = CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT;
    m.vanilla_proof = (ProtobufCBinaryData){LARGE_BYTES, bytes};
    err = cz_rpc_call(b->client, "SubmitProof", &m.base, (ProtobufCMessage **)&reply, 20000, code);
    free(bytes);
    return err;
}

static void *send_one(void *arg)
{
    sender *s = arg;

    if (send_large(s->b, &s->code) == CZ_E_DECLINED) {
        assert_non_null(strstr(cz_err_message(), "try again later"));
        ++*s->n_refused;
    }
    return NULL;
}

/* As many as there is room for are held in admission or wait for a thread; the others are refused
 * at once, while small calls are still answered. What was held leaves its room. */
static void requests_beyond_the_memory_for_them_are_refused(void **state)
{
    pthread_t threads[SENDERS];
    sender senders[SENDERS];
    atomic_uint n_refused = 0;
    unsigned code, n_taken = 0;
    bench b;

    (void)state;
    start_with(&b, (cz_rpc_server_options){.max_message = LARGE_MESSAGE});
    set(&b, &b.t.hold_admit, true);
    for (unsigned i = 0; i < SENDERS; i++) {
        senders[i] = (sender){.b = &b, .n_refused = &n_refused};
        assert_int_equal(pthread_create(&threads[i], NULL, send_one, &senders[i]), 0);
    }
    for (unsigned i = 0; n_refused < SENDERS - ROOM_FOR; i++) {
        assert_true(i < 1000);
        toy_sleep_us(10000);
    }
    assert_fails(send_large(&b, &code), CZ_E_DECLINED, "request bytes");
    assert_string_equal(cz_rpc_code_name(code), "RESOURCE_EXHAUSTED");
    cuzk__v1__get_status_response__free_unpacked(status_of(&b), NULL);
    toy_open_gate(&b.t, &b.t.hold_admit);
    for (unsigned i = 0; i < SENDERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        n_taken += strcmp(cz_rpc_code_name(senders[i].code), "INVALID_ARGUMENT") == 0;
    }
    assert_int_equal(n_refused, SENDERS - ROOM_FOR);
    assert_int_equal(n_taken, ROOM_FOR);
    for (unsigned i = 0; i < 2 * ROOM_FOR; i++)
        assert_fails(send_large(&b, &code), CZ_E_INPUT, "not a toy");
    finish(&b);
}

/* Half a megabyte of the smallest field there is, which would take twenty when unpacked. */
static void a_message_of_nothing_but_fields_is_refused(void **state)
{
    enum { FIELDS = 1 << 18 };
    ProtobufCBinaryData *proofs = calloc(FIELDS, sizeof *proofs);
    Cuzk__V1__SubmitProofRequest m = CUZK__V1__SUBMIT_PROOF_REQUEST__INIT;
    Cuzk__V1__SubmitProofResponse *reply;
    char job_id[CZ_JOB_ID_BYTES];
    unsigned code;
    bench b;

    (void)state;
    assert_non_null(proofs);
    start(&b);
    m.proof_kind = CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION;
    m.vanilla_proofs = proofs;
    m.n_vanilla_proofs = FIELDS;
    assert_fails(
        cz_rpc_call(b.client, "SubmitProof", &m.base, (ProtobufCMessage **)&reply, 20000, &code),
        CZ_E_INPUT, "cannot be decoded");
    assert_string_equal(cz_rpc_code_name(code), "INVALID_ARGUMENT");
    assert_ok(submit(&b, "r", 'A', job_id, &code));
    finish(&b);
    free(proofs);
}

static void a_token_is_asked_for(void **state)
{
    char folder[] = "cz-test-token-XXXXXX", path[64], id[CZ_JOB_ID_BYTES];
    cz_rpc_client *with;
    unsigned code;
    FILE *file;
    bench b;

    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/token", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("s3cret\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    start_with(&b, (cz_rpc_server_options){.token_file = path});
    assert_ok(submit(&b, "r", 'A', id, NULL));
    with = b.client;
    assert_ok(cz_rpc_client_create(&b.client, &(cz_rpc_client_options){.address = b.address}));
    assert_fails(submit(&b, "r", 'A', id, &code), CZ_E_DECLINED, "authorization: Bearer");
    assert_string_equal(cz_rpc_code_name(code), "UNAUTHENTICATED");
    cz_rpc_client_destroy(b.client);
    b.client = with;
    finish(&b);
    (void)unlink(path);
    (void)rmdir(folder);
}

/* --- parameters --- */

static bool preload(const bench *b, const char *circuit, unsigned *code)
{
    Cuzk__V1__PreloadSrsRequest m = CUZK__V1__PRELOAD_SRS_REQUEST__INIT;
    Cuzk__V1__PreloadSrsResponse *reply;
    bool already = false;

    m.circuit_id = (char *)(uintptr_t)circuit;
    if (cz_rpc_call(b->client, "PreloadSRS", &m.base, (ProtobufCMessage **)&reply, 0, code) ==
        CZ_OK) {
        already = reply->already_loaded;
        cuzk__v1__preload_srs_response__free_unpacked(reply, NULL);
    }
    return already;
}

static uint64_t evict(const bench *b, const char *circuit, bool *was_loaded)
{
    Cuzk__V1__EvictSrsRequest m = CUZK__V1__EVICT_SRS_REQUEST__INIT;
    Cuzk__V1__EvictSrsResponse *reply;
    uint64_t freed;

    m.circuit_id = (char *)(uintptr_t)circuit;
    assert_ok(cz_rpc_call(b->client, "EvictSRS", &m.base, (ProtobufCMessage **)&reply, 0, NULL));
    freed = reply->freed_bytes;
    *was_loaded = reply->was_loaded;
    cuzk__v1__evict_srs_response__free_unpacked(reply, NULL);
    return freed;
}

static void parameters_come_and_go(void **state)
{
    Cuzk__V1__GetStatusResponse *s;
    bool was_loaded;
    unsigned code;
    bench b;

    (void)state;
    start(&b);
    assert_false(preload(&b, "winning-2k", &code));
    assert_int_equal(code, 0);
    assert_true(preload(&b, "winning-2k", &code));
    s = status_of(&b);
    assert_int_equal(s->n_loaded_srs, 1);
    assert_string_equal(s->loaded_srs[0]->circuit_id, "winning-2k");
    assert_int_equal(s->loaded_srs[0]->tier, CUZK__V1__SRSSTATUS__TIER__HOT);
    assert_int_equal(s->loaded_srs[0]->size_bytes, 100);
    cuzk__v1__get_status_response__free_unpacked(s, NULL);
    assert_int_equal(evict(&b, "winning-2k", &was_loaded), 100);
    assert_true(was_loaded);
    assert_int_equal(evict(&b, "porep-32g", &was_loaded), 0);
    assert_false(was_loaded);
    (void)preload(&b, "porep-31g", &code);
    assert_string_equal(cz_rpc_code_name(code), "NOT_FOUND");
    set(&b, &b.t.bad_params, true);
    (void)preload(&b, "porep-32g", &code);
    assert_string_equal(cz_rpc_code_name(code), "FAILED_PRECONDITION");
    finish(&b);
}

typedef struct {
    const bench *b;
    const char *circuit;
    unsigned code;
    bool already;
} preload_call;

static void *run_preload(void *arg)
{
    preload_call *p = arg;

    p->already = preload(p->b, p->circuit, &p->code);
    return NULL;
}

/* More of them than the daemon has threads for slow methods. */
static void loading_keeps_nobody_waiting(void **state)
{
    enum { N = 6 };
    static const char *const circuits[] = {"porep-32g", "porep-32g", "wpost-32g",
                                           "snap-32g",  "porep-64g", "winning-32g"};
    preload_call calls[N];
    pthread_t threads[N];
    bool was_loaded;
    bench b;

    (void)state;
    start(&b);
    set(&b, &b.t.hold_heat, true);
    for (int i = 0; i < N; i++) {
        calls[i] = (preload_call){&b, circuits[i], 99, false};
        assert_int_equal(pthread_create(&threads[i], NULL, run_preload, &calls[i]), 0);
    }
    toy_wait_held(&b.t, 1);
    assert_int_equal(evict(&b, "winning-2k", &was_loaded), 0);
    cuzk__v1__get_status_response__free_unpacked(status_of(&b), NULL);
    toy_open_gate(&b.t, &b.t.hold_heat);
    for (int i = 0; i < N; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(calls[i].code, 0);
        assert_false(calls[i].already);
    }
    assert_true(preload(&b, "porep-32g", &calls[0].code));
    finish(&b);
}

static void *run_stop(void *engine)
{
    cz_engine_stop(engine);
    return NULL;
}

/* The end of the daemon ends who waits for parameters. */
static void the_end_of_the_daemon_ends_a_preload(void **state)
{
    pthread_t thread, end;
    preload_call call;
    bench b;

    (void)state;
    start(&b);
    call = (preload_call){&b, "porep-32g", 99, false};
    set(&b, &b.t.hold_heat, true);
    assert_int_equal(pthread_create(&thread, NULL, run_preload, &call), 0);
    toy_wait_held(&b.t, 1);
    assert_int_equal(pthread_create(&end, NULL, run_stop, b.e), 0);
    toy_sleep_us(20000);
    toy_open_gate(&b.t, &b.t.hold_heat);
    (void)pthread_join(thread, NULL);
    (void)pthread_join(end, NULL);
    assert_true(call.code == 0 || strcmp(cz_rpc_code_name(call.code), "UNAVAILABLE") == 0);
    finish(&b);
}

/* --- sockets --- */

static void the_socket_is_made_and_removed(void **state)
{
    cz_rpc_server_options o;
    cz_rpc_server *second;
    struct stat st;
    char path[64];
    bench b;

    (void)state;
    start_with(&b, (cz_rpc_server_options){.socket_mode = 0600});
    o = (cz_rpc_server_options){.listen = b.address};
    (void)snprintf(path, sizeof path, "%s/s", b.folder);
    assert_int_equal(stat(path, &st), 0);
    assert_true(S_ISSOCK(st.st_mode));
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_string_equal(cz_rpc_server_address(b.server), b.address);
    assert_fails(cz_rpc_server_create(&second, &o, b.e), CZ_E_DECLINED, "another daemon");
    finish(&b);
    assert_int_not_equal(stat(path, &st), 0);
}

static void an_exposed_address_needs_tls(void **state)
{
    cz_rpc_server_options o = {.listen = "0.0.0.0:0"};

    (void)state;
    assert_fails(cz_rpc_server_check(&o), CZ_E_INPUT, "daemon.insecure");
    o.insecure = true;
    assert_ok(cz_rpc_server_check(&o));
    o = (cz_rpc_server_options){.listen = "127.0.0.1:0", .tls_cert = "/nowhere/cert.pem"};
    assert_fails(cz_rpc_server_check(&o), CZ_E_INPUT, "one needs the other");
    o.tls_key = "/nowhere/key.pem";
    assert_fails(cz_rpc_server_check(&o), CZ_E_NOTFOUND, "daemon.tls_cert");
    o = (cz_rpc_server_options){.listen = "127.0.0.1:0", .token_file = "/dev/null"};
    assert_fails(cz_rpc_server_check(&o), CZ_E_INPUT, "no token");
}

static void a_client_without_daemon_fails_at_once(void **state)
{
    const Cuzk__V1__GetStatusRequest m = CUZK__V1__GET_STATUS_REQUEST__INIT;
    const cz_rpc_client_options o = {.address = "unix:cz-no-such.sock"};
    ProtobufCMessage *reply;
    cz_rpc_client *client;
    unsigned code;

    (void)state;
    assert_ok(cz_rpc_client_create(&client, &o));
    assert_fails(cz_rpc_call(client, "GetStatus", &m.base, &reply, 60000, &code), CZ_E_IO,
                 "unix:cz-no-such.sock: ");
    assert_string_equal(cz_rpc_code_name(code), "UNAVAILABLE");
    assert_fails(cz_rpc_call(client, "GetStatuses", &m.base, &reply, 0, NULL), CZ_E_ARG, "");
    cz_rpc_client_destroy(client);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(submit_and_await),
    cmocka_unit_test(many_clients_prove_at_once),
    cmocka_unit_test(a_job_that_fails_is_an_answer),
    cmocka_unit_test(await_has_a_time_limit),
    cmocka_unit_test(a_prove_whose_client_is_gone_is_cancelled),
    cmocka_unit_test(a_shared_job_goes_on),
    cmocka_unit_test(cancel_ends_who_waits),
    cmocka_unit_test(the_end_of_the_daemon_ends_who_waits),
    cmocka_unit_test(refusals_have_their_codes),
    cmocka_unit_test(a_large_message_is_refused),
    cmocka_unit_test(requests_beyond_the_memory_for_them_are_refused),
    cmocka_unit_test(a_message_of_nothing_but_fields_is_refused),
    cmocka_unit_test(a_token_is_asked_for),
    cmocka_unit_test(parameters_come_and_go),
    cmocka_unit_test(loading_keeps_nobody_waiting),
    cmocka_unit_test(the_end_of_the_daemon_ends_a_preload),
    cmocka_unit_test(the_socket_is_made_and_removed),
    cmocka_unit_test(an_exposed_address_needs_tls),
    cmocka_unit_test(a_client_without_daemon_fails_at_once),
};
CZ_TEST_MAIN(cases)
