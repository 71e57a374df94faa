/* messages.c: see messages.h. */
#define _GNU_SOURCE
#include "rpc/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

enum { MAX_REQUEST_ID_BYTES = 4096 };

/* --- a request from its message --- */

/* Take over a byte string that protobuf-c allocated; none becomes an empty one. */
static cz_err take_bytes(uint8_t **out, size_t *n, ProtobufCBinaryData *from)
{
    *n = from->len;
    *out = from->data != NULL ? from->data : malloc(1);
    *from = (ProtobufCBinaryData){0, NULL};
    return *out != NULL ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for a request");
}

static cz_err take_proofs(cz_request *r, Cuzk__V1__SubmitProofRequest *m)
{
    if (m->n_vanilla_proofs > CZ_REQUEST_MAX_PROOFS)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: %zu of them, at most %d", m->n_vanilla_proofs,
                       CZ_REQUEST_MAX_PROOFS);
    r->vanilla_proofs = calloc(m->n_vanilla_proofs + 1, sizeof *r->vanilla_proofs);
    r->vanilla_proof_lens = calloc(m->n_vanilla_proofs + 1, sizeof *r->vanilla_proof_lens);
    if (r->vanilla_proofs == NULL || r->vanilla_proof_lens == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu vanilla proofs", m->n_vanilla_proofs);
    for (size_t i = 0; i < m->n_vanilla_proofs; i++) {
        CZ_TRY(take_bytes(&r->vanilla_proofs[i], &r->vanilla_proof_lens[i], &m->vanilla_proofs[i]));
        r->n_vanilla_proofs++;
    }
    return CZ_OK;
}

static cz_err read_32(uint8_t out[32], bool *given, const ProtobufCBinaryData *from,
                      const char *field)
{
    *given = from->len != 0;
    if (from->len != 0 && from->len != 32)
        return cz_fail(CZ_E_INPUT, "%s: %zu bytes, expected 32", field, from->len);
    if (*given)
        (void)memcpy(out, from->data, 32);
    return CZ_OK;
}

static cz_err read_hashes(cz_request *r, const Cuzk__V1__SubmitProofRequest *m)
{
    CZ_TRY(read_32(r->randomness, &r->has_randomness, &m->randomness, "randomness"));
    CZ_TRY(read_32(r->comm_r_old, &r->has_comm_r_old, &m->comm_r_old, "comm_r_old"));
    CZ_TRY(read_32(r->comm_r_new, &r->has_comm_r_new, &m->comm_r_new, "comm_r_new"));
    CZ_TRY(read_32(r->comm_d_new, &r->has_comm_d_new, &m->comm_d_new, "comm_d_new"));
    return CZ_OK;
}

static void read_numbers(cz_request *r, const Cuzk__V1__SubmitProofRequest *m)
{
    r->kind = (cz_proof_kind)m->proof_kind;
    r->sector_size = m->sector_size;
    r->registered_proof = m->registered_proof;
    r->has_registered_proof =
        m->registered_proof != 0 || r->kind != CZ_KIND_POREP || m->sector_size == 2048;
    r->priority = (uint32_t)m->priority;
    r->miner_id = m->miner_id;
    r->sector_number = m->sector_number;
    r->has_identity = m->miner_id != 0 || m->sector_number != 0;
    r->partition_index = m->partition_index;
}

/* It is kept with the job, and in every line about it. */
static cz_err read_id(cz_request *r, const Cuzk__V1__SubmitProofRequest *m)
{
    const size_t n = strlen(m->request_id);

    if (n > MAX_REQUEST_ID_BYTES)
        return cz_fail(CZ_E_INPUT, "request_id: %zu bytes, at most %d", n, MAX_REQUEST_ID_BYTES);
    if (!cz_utf8_is_valid(m->request_id))
        return cz_fail(CZ_E_INPUT, "request_id: no UTF-8");
    r->request_id = strdup(m->request_id);
    return r->request_id != NULL ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for a request");
}

static cz_err read_message(cz_request *r, Cuzk__V1__SubmitProofRequest *m)
{
    if ((int)m->proof_kind < CZ_KIND_POREP || (int)m->proof_kind > CZ_KIND_WINNING)
        return cz_fail(CZ_E_INPUT, "invalid proof_kind: %d", (int)m->proof_kind);
    CZ_TRY(read_id(r, m));
    read_numbers(r, m);
    CZ_TRY(read_hashes(r, m));
    CZ_TRY(take_bytes(&r->vanilla_proof, &r->vanilla_proof_len, &m->vanilla_proof));
    return take_proofs(r, m);
}

cz_err cz_request_from_message(cz_request **out, Cuzk__V1__SubmitProofRequest *m)
{
    cz_request *r = calloc(1, sizeof *r);
    cz_err err;

    if (r == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a request");
    err = read_message(r, m);
    if (err != CZ_OK) {
        cz_request_destroy(r);
        return err;
    }
    *out = r;
    return CZ_OK;
}

/* --- a message from its request --- */

static ProtobufCBinaryData view(const uint8_t *bytes, size_t n)
{
    return (ProtobufCBinaryData){n, (uint8_t *)(uintptr_t)bytes};
}

static ProtobufCBinaryData view_32(const uint8_t bytes[32], bool given)
{
    return view(bytes, given ? 32 : 0);
}

cz_err cz_submit_message_init(cz_submit_message *out, const cz_request *r)
{
    Cuzk__V1__SubmitProofRequest *m = &out->message;

    cuzk__v1__submit_proof_request__init(m);
    out->vanilla_proofs = calloc(r->n_vanilla_proofs + 1, sizeof *out->vanilla_proofs);
    if (out->vanilla_proofs == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a message");
    for (size_t i = 0; i < r->n_vanilla_proofs; i++)
        out->vanilla_proofs[i] = view(r->vanilla_proofs[i], r->vanilla_proof_lens[i]);
    if (r->request_id != NULL)
        m->request_id = r->request_id;
    m->proof_kind = (Cuzk__V1__ProofKind)r->kind;
    m->sector_size = r->sector_size;
    m->registered_proof = r->registered_proof;
    m->priority = (Cuzk__V1__Priority)r->priority;
    m->vanilla_proof = view(r->vanilla_proof, r->vanilla_proof_len);
    m->vanilla_proofs = out->vanilla_proofs;
    m->n_vanilla_proofs = r->n_vanilla_proofs;
    m->sector_number = r->sector_number;
    m->miner_id = r->miner_id;
    m->randomness = view_32(r->randomness, r->has_randomness);
    m->partition_index = r->partition_index;
    m->comm_r_old = view_32(r->comm_r_old, r->has_comm_r_old);
    m->comm_r_new = view_32(r->comm_r_new, r->has_comm_r_new);
    m->comm_d_new = view_32(r->comm_d_new, r->has_comm_d_new);
    return CZ_OK;
}

void cz_submit_message_clear(cz_submit_message *m)
{
    free(m->vanilla_proofs);
    m->vanilla_proofs = NULL;
}

/* --- results --- */

void cz_result_message(Cuzk__V1__AwaitProofResponse *out, const cz_result *result)
{
    cuzk__v1__await_proof_response__init(out);
    out->job_id = (char *)(uintptr_t)result->job_id;
    out->status = (Cuzk__V1__AwaitProofResponse__Status)result->status;
    out->proof = view(result->proof, result->proof == NULL ? 0 : result->proof_len);
    if (result->error != NULL)
        out->error_message = result->error;
    out->queue_wait_ms = result->queue_wait_ms;
    out->srs_load_ms = result->srs_load_ms;
    out->synthesis_ms = result->synthesis_ms;
    out->gpu_compute_ms = result->gpu_compute_ms;
    out->total_ms = result->total_ms;
}

/* --- status --- */

const char *cz_wire_kind_name(cz_proof_kind kind)
{
    static const char *const names[] = {"unspecified", "porep-c2", "snap-update", "window-post",
                                        "winning-post"};

    return names[(unsigned)kind <= CZ_KIND_WINNING ? kind : CZ_KIND_UNSPECIFIED];
}

/* Arrays of pointers to messages; the message's free_unpacked frees a half-filled one as well. */
static void *add(void ***array, size_t *n, size_t capacity, size_t size)
{
    if (*array == NULL)
        *array = calloc(capacity, sizeof **array);
    if (*array == NULL || ((*array)[*n] = calloc(1, size)) == NULL)
        return NULL;
    return (*array)[(*n)++];
}

static bool add_gpu(Cuzk__V1__GetStatusResponse *m, const cz_device_view *d, size_t capacity)
{
    Cuzk__V1__GPUStatus *g = add((void ***)&m->gpus, &m->n_gpus, capacity, sizeof *g);

    if (g == NULL)
        return false;
    cuzk__v1__gpustatus__init(g);
    g->ordinal = d->device;
    g->vram_total_bytes = d->info.vram_total_bytes;
    g->vram_free_bytes = d->info.vram_free_bytes;
    g->name = strdup(d->info.name);
    g->current_job_id = strdup(d->job_id);
    g->current_proof_kind = strdup(d->job_id[0] == '\0' ? "" : cz_wire_kind_name(d->kind));
    return g->name != NULL && g->current_job_id != NULL && g->current_proof_kind != NULL;
}

/* The CPU is no GPU: a client that counts them must not count it. */
static bool add_gpus(Cuzk__V1__GetStatusResponse *m, const cz_engine_status *s)
{
    for (size_t i = 0; i < s->n_devices; i++)
        if (strcmp(s->devices[i].backend, "cpu") != 0 && !add_gpu(m, &s->devices[i], s->n_devices))
            return false;
    return true;
}

static bool add_keys(Cuzk__V1__GetStatusResponse *m, const cz_engine_status *s)
{
    for (size_t i = 0; i < s->n_keys; i++) {
        const cz_keys_view *k = &s->keys[i];
        Cuzk__V1__SRSStatus *r =
            add((void ***)&m->loaded_srs, &m->n_loaded_srs, s->n_keys, sizeof *r);

        if (r == NULL)
            return false;
        cuzk__v1__srsstatus__init(r);
        r->tier = (Cuzk__V1__SRSStatus__Tier)k->tier;
        r->size_bytes = k->tier == CZ_TIER_HOT ? k->bytes : k->file_bytes;
        r->ref_count = k->refs;
        if ((r->circuit_id = strdup(k->circuit_id)) == NULL)
            return false;
    }
    return true;
}

static bool add_queues(Cuzk__V1__GetStatusResponse *m, const cz_engine_status *s)
{
    for (unsigned kind = CZ_KIND_POREP; kind < CZ_KINDS; kind++) {
        Cuzk__V1__QueueStatus *q;

        if (s->pending[kind] + s->in_progress[kind] == 0)
            continue;
        q = add((void ***)&m->queues, &m->n_queues, CZ_KINDS, sizeof *q);
        if (q == NULL)
            return false;
        cuzk__v1__queue_status__init(q);
        q->pending = s->pending[kind];
        q->in_progress = s->in_progress[kind];
        if ((q->proof_kind = strdup(cz_wire_kind_name((cz_proof_kind)kind))) == NULL)
            return false;
    }
    return true;
}

cz_err cz_status_message(Cuzk__V1__GetStatusResponse **out, const cz_engine_status *s)
{
    Cuzk__V1__GetStatusResponse *m = malloc(sizeof *m);

    if (m == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    cuzk__v1__get_status_response__init(m);
    for (unsigned kind = CZ_KIND_POREP; kind < CZ_KINDS; kind++) {
        m->total_proofs_completed += s->counters.ended[kind][CZ_JOB_COMPLETED];
        m->total_proofs_failed += s->counters.ended[kind][CZ_JOB_FAILED];
    }
    m->uptime_seconds = (uint64_t)s->uptime_s;
    m->pinned_memory_bytes = s->pinned_bytes;
    m->pinned_memory_limit_bytes = s->pinned_limit;
    if (!add_gpus(m, s) || !add_keys(m, s) || !add_queues(m, s)) {
        cuzk__v1__get_status_response__free_unpacked(m, NULL);
        return cz_fail(CZ_E_NOMEM, "no memory for a status");
    }
    *out = m;
    return CZ_OK;
}
