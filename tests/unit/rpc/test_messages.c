/* Messages to engine types and back; status codes; texts. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "rpc/code.h"
#include "rpc/messages.h"

/* A message as it comes from the wire: packed and unpacked, so that its parts are owned. */
static Cuzk__V1__SubmitProofRequest *wire(const Cuzk__V1__SubmitProofRequest *m)
{
    const size_t n = cuzk__v1__submit_proof_request__get_packed_size(m);
    uint8_t *bytes = malloc(n + 1);
    Cuzk__V1__SubmitProofRequest *out;

    assert_non_null(bytes);
    (void)cuzk__v1__submit_proof_request__pack(m, bytes);
    out = cuzk__v1__submit_proof_request__unpack(NULL, n, bytes);
    assert_non_null(out);
    free(bytes);
    return out;
}

static cz_request *request_of(const Cuzk__V1__SubmitProofRequest *m)
{
    Cuzk__V1__SubmitProofRequest *w = wire(m);
    cz_request *r;

    assert_ok(cz_request_from_message(&r, w));
    cuzk__v1__submit_proof_request__free_unpacked(w, NULL);
    return r;
}

static void refuse(const Cuzk__V1__SubmitProofRequest *m, const char *why)
{
    Cuzk__V1__SubmitProofRequest *w = wire(m);
    cz_request *r;

    assert_fails(cz_request_from_message(&r, w), CZ_E_INPUT, why);
    cuzk__v1__submit_proof_request__free_unpacked(w, NULL);
}

static uint8_t hash[32] = {1, 2, 3};

static void fill(Cuzk__V1__SubmitProofRequest *m, ProtobufCBinaryData *proofs)
{
    cuzk__v1__submit_proof_request__init(m);
    m->request_id = (char *)(uintptr_t) "wdpost-1000-0-[1 2 3]";
    m->proof_kind = CUZK__V1__PROOF_KIND__WINDOW_POST_PARTITION;
    m->sector_size = 2048;
    m->registered_proof = 10;
    m->priority = CUZK__V1__PRIORITY__HIGH;
    m->vanilla_proof = (ProtobufCBinaryData){5, (uint8_t *)(uintptr_t) "proof"};
    m->vanilla_proofs = proofs;
    m->n_vanilla_proofs = 2;
    m->sector_number = 7;
    m->miner_id = 1000;
    m->randomness = (ProtobufCBinaryData){32, hash};
    m->partition_index = 3;
    m->comm_r_old = m->comm_r_new = m->comm_d_new = m->randomness;
}

static void every_field_arrives(void **state)
{
    ProtobufCBinaryData proofs[] = {{4, (uint8_t *)(uintptr_t) "one!"}, {0, NULL}};
    Cuzk__V1__SubmitProofRequest m;
    cz_request *r;

    (void)state;
    fill(&m, proofs);
    r = request_of(&m);
    assert_string_equal(r->request_id, "wdpost-1000-0-[1 2 3]");
    assert_int_equal(r->kind, CZ_KIND_WINDOW);
    assert_int_equal(r->sector_size, 2048);
    assert_int_equal(r->registered_proof, 10);
    assert_true(r->has_registered_proof);
    assert_int_equal(r->priority, 3);
    assert_int_equal(r->vanilla_proof_len, 5);
    assert_memory_equal(r->vanilla_proof, "proof", 5);
    assert_int_equal(r->n_vanilla_proofs, 2);
    assert_int_equal(r->vanilla_proof_lens[0], 4);
    assert_memory_equal(r->vanilla_proofs[0], "one!", 4);
    assert_int_equal(r->vanilla_proof_lens[1], 0);
    assert_int_equal(r->sector_number, 7);
    assert_int_equal(r->miner_id, 1000);
    assert_true(r->has_identity);
    assert_int_equal(r->partition_index, 3);
    assert_true(r->has_randomness);
    assert_true(r->has_comm_r_old && r->has_comm_r_new && r->has_comm_d_new);
    assert_memory_equal(r->randomness, hash, 32);
    assert_memory_equal(r->comm_d_new, hash, 32);
    cz_request_destroy(r);
}

static void more_vanilla_proofs_than_any_proof_has_are_refused(void **state)
{
    const size_t n = CZ_REQUEST_MAX_PROOFS;
    ProtobufCBinaryData *proofs = calloc(n + 1, sizeof *proofs);
    Cuzk__V1__SubmitProofRequest m;
    cz_request *r;

    (void)state;
    assert_non_null(proofs);
    fill(&m, proofs);
    m.n_vanilla_proofs = n;
    r = request_of(&m);
    assert_int_equal(r->n_vanilla_proofs, n);
    cz_request_destroy(r);
    m.n_vanilla_proofs = n + 1;
    refuse(&m, "vanilla_proofs: 16385 of them, at most 16384");
    free(proofs);
}

static void a_request_makes_the_message_it_came_from(void **state)
{
    ProtobufCBinaryData proofs[] = {{4, (uint8_t *)(uintptr_t) "one!"}, {3, hash}};
    Cuzk__V1__SubmitProofRequest m;
    cz_submit_message again;
    uint8_t before[512], after[512];
    cz_request *r;
    size_t n;

    (void)state;
    fill(&m, proofs);
    r = request_of(&m);
    assert_ok(cz_submit_message_init(&again, r));
    n = cuzk__v1__submit_proof_request__pack(&m, before);
    assert_true(n < sizeof before);
    assert_int_equal(cuzk__v1__submit_proof_request__pack(&again.message, after), n);
    assert_memory_equal(before, after, n);
    cz_submit_message_clear(&again);
    cz_request_destroy(r);
}

static void what_was_not_said_is_told_apart(void **state)
{
    Cuzk__V1__SubmitProofRequest m;
    cz_request *r;

    (void)state;
    cuzk__v1__submit_proof_request__init(&m);
    m.proof_kind = CUZK__V1__PROOF_KIND__POREP_SEAL_COMMIT;
    m.sector_size = (uint64_t)32 << 30;
    r = request_of(&m);
    assert_string_equal(r->request_id, "");
    assert_false(r->has_registered_proof);
    assert_false(r->has_identity);
    assert_false(r->has_randomness);
    assert_false(r->has_comm_r_old || r->has_comm_r_new || r->has_comm_d_new);
    cz_request_destroy(r);

    m.sector_size = 2048; /* proof type 0 is StackedDrg2KiBV1 */
    m.sector_number = 1;
    r = request_of(&m);
    assert_true(r->has_registered_proof);
    assert_true(r->has_identity);
    cz_request_destroy(r);

    m.proof_kind = CUZK__V1__PROOF_KIND__WINNING_POST;
    m.sector_size = (uint64_t)32 << 30;
    r = request_of(&m);
    assert_true(r->has_registered_proof);
    cz_request_destroy(r);
}

static void malformed_fields_are_named(void **state)
{
    char long_id[4098] = "";
    Cuzk__V1__SubmitProofRequest m;

    (void)state;
    cuzk__v1__submit_proof_request__init(&m);
    refuse(&m, "invalid proof_kind: 0");
    m.proof_kind = (Cuzk__V1__ProofKind)5;
    refuse(&m, "invalid proof_kind: 5");
    m.proof_kind = (Cuzk__V1__ProofKind)-1;
    refuse(&m, "invalid proof_kind: -1");
    m.proof_kind = CUZK__V1__PROOF_KIND__SNAP_DEALS_UPDATE;
    m.comm_r_new = (ProtobufCBinaryData){31, hash};
    refuse(&m, "comm_r_new: 31 bytes, expected 32");
    m.comm_r_new = (ProtobufCBinaryData){0, NULL};
    m.randomness = (ProtobufCBinaryData){1, hash};
    refuse(&m, "randomness: 1 bytes");
    m.randomness = (ProtobufCBinaryData){0, NULL};
    m.request_id = (char *)(uintptr_t) "\xff";
    refuse(&m, "request_id: no UTF-8");
    (void)memset(long_id, 'x', sizeof long_id - 1);
    m.request_id = long_id;
    refuse(&m, "request_id: 4097 bytes, at most 4096");
}

static void a_status_has_its_totals(void **state)
{
    cz_engine_status s = {.uptime_s = 7.5, .pinned_bytes = 70, .pinned_limit = 300};
    Cuzk__V1__GetStatusResponse *m;

    (void)state;
    s.counters.ended[CZ_KIND_SNAP][CZ_JOB_COMPLETED] = 3;
    s.counters.ended[CZ_KIND_POREP][CZ_JOB_COMPLETED] = 2;
    s.counters.ended[CZ_KIND_POREP][CZ_JOB_FAILED] = 1;
    assert_ok(cz_status_message(&m, &s));
    assert_int_equal(m->total_proofs_completed, 5);
    assert_int_equal(m->total_proofs_failed, 1);
    assert_int_equal(m->uptime_seconds, 7);
    assert_int_equal(m->pinned_memory_bytes, 70);
    assert_int_equal(m->pinned_memory_limit_bytes, 300);
    cuzk__v1__get_status_response__free_unpacked(m, NULL);
}

static void codes(void **state)
{
    (void)state;
    assert_string_equal(cz_code_name(cz_code_of(CZ_OK, CZ_CODE_JOB)), "OK");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_INPUT, CZ_CODE_SUBMIT)), "INVALID_ARGUMENT");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_UNSUPPORTED, CZ_CODE_SUBMIT)),
                        "INVALID_ARGUMENT");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_NOTFOUND, CZ_CODE_SUBMIT)),
                        "FAILED_PRECONDITION");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_NOTFOUND, CZ_CODE_JOB)), "NOT_FOUND");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_NOMEM, CZ_CODE_SUBMIT)), "RESOURCE_EXHAUSTED");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_DECLINED, CZ_CODE_SUBMIT)),
                        "RESOURCE_EXHAUSTED");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_DECLINED, CZ_CODE_JOB)), "DEADLINE_EXCEEDED");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_DECLINED, CZ_CODE_KEYS)),
                        "FAILED_PRECONDITION");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_CANCELLED, CZ_CODE_SUBMIT)), "UNAVAILABLE");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_IO, CZ_CODE_SUBMIT)), "INTERNAL");
    assert_string_equal(cz_code_name(cz_code_of(CZ_E_INTERNAL, CZ_CODE_KEYS)), "INTERNAL");
    assert_string_equal(cz_code_name(99), "UNKNOWN");
    assert_int_equal(cz_code_to_err(14), CZ_E_IO);
    assert_int_equal(cz_code_to_err(99), CZ_E_INTERNAL);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(every_field_arrives),
    cmocka_unit_test(more_vanilla_proofs_than_any_proof_has_are_refused),
    cmocka_unit_test(a_request_makes_the_message_it_came_from),
    cmocka_unit_test(what_was_not_said_is_told_apart),
    cmocka_unit_test(malformed_fields_are_named),
    cmocka_unit_test(a_status_has_its_totals),
    cmocka_unit_test(codes),
};
CZ_TEST_MAIN(cases)
