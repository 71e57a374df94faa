/* request.c: the proto3 JSON mapping of SubmitProofRequest, one row a field. */
#define _POSIX_C_SOURCE 200809L /* strdup */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/json.h"
#include "filecoin/c1.h"
#include "filecoin/job.h"
#include "filecoin/sniff.h"

/* --- scalar types of proto3 JSON --- */

static cz_err decimal_string(cz_json v, uint64_t *out)
{
    const char *text;
    size_t n;

    CZ_TRY(cz_json_string(v, &text, &n));
    *out = 0;
    for (size_t i = 0; i < n; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');

        if (digit > 9 || *out > (UINT64_MAX - digit) / 10)
            return cz_fail(CZ_E_INPUT, "'%.32s' is no whole number below 2^64", text);
        *out = *out * 10 + digit;
    }
    return n > 0 ? CZ_OK : cz_fail(CZ_E_INPUT, "a number expected, found an empty string");
}

static cz_err read_u64(cz_json v, uint64_t *out)
{
    if (cz_json_typeof(v) == CZ_JSON_STRING)
        return decimal_string(v, out);
    return cz_json_u64(v, out);
}

static cz_err read_u32(cz_json v, uint32_t *out)
{
    uint64_t wide = 0;

    CZ_TRY(read_u64(v, &wide));
    if (wide > UINT32_MAX)
        return cz_fail(CZ_E_INPUT, "%" PRIu64 " is above 2^32 - 1", wide);
    *out = (uint32_t)wide;
    return CZ_OK;
}

/* An enum by name (names[i] is number i) or by number. */
static cz_err read_enum(cz_json v, const char *const *names, unsigned n_names, uint32_t *out)
{
    const char *text;
    size_t n;

    if (cz_json_typeof(v) != CZ_JSON_STRING) {
        CZ_TRY(read_u32(v, out));
        if (*out >= n_names)
            return cz_fail(CZ_E_INPUT, "%u is unknown", *out);
        return CZ_OK;
    }
    CZ_TRY(cz_json_string(v, &text, &n));
    for (*out = 0; *out < n_names; ++*out)
        if (strcmp(names[*out], text) == 0)
            return CZ_OK;
    return cz_fail(CZ_E_INPUT, "'%.64s' is unknown", text);
}

static cz_err read_bytes(cz_json v, uint8_t **out, size_t *out_len)
{
    const char *text;
    uint8_t *bytes;
    cz_err err;
    size_t n;

    CZ_TRY(cz_json_string(v, &text, &n));
    bytes = malloc(cz_base64_max_decoded(n) + 1);
    if (bytes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory to decode base64");
    err = cz_base64_decode(bytes, out_len, text, n);
    if (err != CZ_OK) {
        free(bytes);
        return err;
    }
    *out = bytes;
    return CZ_OK;
}

/* 32 bytes, or none: proto3's "not given". */
static cz_err read_bytes32(cz_json v, uint8_t out[32], bool *given)
{
    uint8_t *bytes;
    cz_err err;
    size_t n;

    CZ_TRY(read_bytes(v, &bytes, &n));
    err = n == 0 ? CZ_OK : cz_expect_count(n, 32, "bytes");
    if (err == CZ_OK && n != 0)
        memcpy(out, bytes, 32);
    *given = err == CZ_OK && n != 0;
    free(bytes);
    return err;
}

/* --- fields --- */

static cz_err read_request_id(cz_request *r, cz_json v)
{
    const char *text;
    size_t n;

    CZ_TRY(cz_json_string(v, &text, &n));
    if (strlen(text) != n)
        return cz_fail(CZ_E_INPUT, "a NUL character");
    r->request_id = strdup(text);
    return r->request_id != NULL ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for a request id");
}

static cz_err read_proof_kind(cz_request *r, cz_json v)
{
    static const char *const names[] = {"PROOF_KIND_UNSPECIFIED", "POREP_SEAL_COMMIT",
                                        "SNAP_DEALS_UPDATE", "WINDOW_POST_PARTITION",
                                        "WINNING_POST"};
    uint32_t kind = 0;

    CZ_TRY(read_enum(v, names, 5, &kind));
    r->kind = (cz_proof_kind)kind;
    return CZ_OK;
}

static cz_err read_priority(cz_request *r, cz_json v)
{
    static const char *const names[] = {"PRIORITY_UNSPECIFIED", "LOW", "NORMAL", "HIGH",
                                        "CRITICAL"};

    return read_enum(v, names, 5, &r->priority);
}

static cz_err read_sector_size(cz_request *r, cz_json v)
{
    return read_u64(v, &r->sector_size);
}

static cz_err read_registered_proof(cz_request *r, cz_json v)
{
    r->has_registered_proof = true;
    return read_u64(v, &r->registered_proof);
}

static cz_err read_vanilla_proof(cz_request *r, cz_json v)
{
    return read_bytes(v, &r->vanilla_proof, &r->vanilla_proof_len);
}

static cz_err read_vanilla_proofs(cz_request *r, cz_json v)
{
    cz_json_iter it;
    cz_json element;
    size_t n;

    if (cz_json_typeof(v) != CZ_JSON_ARRAY)
        return cz_fail(CZ_E_INPUT, "an array expected");
    CZ_TRY(cz_json_iterate(v, &it));
    CZ_TRY(cz_json_size(v, &n));
    if (n > CZ_REQUEST_MAX_PROOFS)
        return cz_fail(CZ_E_INPUT, "%zu of them, at most %d", n, CZ_REQUEST_MAX_PROOFS);
    r->vanilla_proofs = calloc(n + 1, sizeof *r->vanilla_proofs);
    r->vanilla_proof_lens = calloc(n + 1, sizeof *r->vanilla_proof_lens);
    if (r->vanilla_proofs == NULL || r->vanilla_proof_lens == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %zu vanilla proofs", n);
    r->n_vanilla_proofs = n;
    for (size_t i = 0; cz_json_next(&it, &element, NULL); i++)
        CZ_TRY_IN(read_bytes(element, &r->vanilla_proofs[i], &r->vanilla_proof_lens[i]), "[%zu]",
                  i);
    return CZ_OK;
}

static cz_err read_sector_number(cz_request *r, cz_json v)
{
    return read_u64(v, &r->sector_number);
}

static cz_err read_miner_id(cz_request *r, cz_json v)
{
    r->has_identity = true;
    return read_u64(v, &r->miner_id);
}

static cz_err read_randomness(cz_request *r, cz_json v)
{
    return read_bytes32(v, r->randomness, &r->has_randomness);
}

static cz_err read_partition_index(cz_request *r, cz_json v)
{
    return read_u32(v, &r->partition_index);
}

static cz_err read_comm_r_old(cz_request *r, cz_json v)
{
    return read_bytes32(v, r->comm_r_old, &r->has_comm_r_old);
}

static cz_err read_comm_r_new(cz_request *r, cz_json v)
{
    return read_bytes32(v, r->comm_r_new, &r->has_comm_r_new);
}

static cz_err read_comm_d_new(cz_request *r, cz_json v)
{
    return read_bytes32(v, r->comm_d_new, &r->has_comm_d_new);
}

static const struct field {
    const char *name, *proto_name;
    cz_err (*read)(cz_request *r, cz_json v);
} fields[] = {
    {"requestId", "request_id", read_request_id},
    {"proofKind", "proof_kind", read_proof_kind},
    {"sectorSize", "sector_size", read_sector_size},
    {"registeredProof", "registered_proof", read_registered_proof},
    {"priority", "priority", read_priority},
    {"vanillaProof", "vanilla_proof", read_vanilla_proof},
    {"vanillaProofs", "vanilla_proofs", read_vanilla_proofs},
    {"sectorNumber", "sector_number", read_sector_number},
    {"minerId", "miner_id", read_miner_id},
    {"randomness", "randomness", read_randomness},
    {"partitionIndex", "partition_index", read_partition_index},
    {"commROld", "comm_r_old", read_comm_r_old},
    {"commRNew", "comm_r_new", read_comm_r_new},
    {"commDNew", "comm_d_new", read_comm_d_new},
};

enum { N_FIELDS = sizeof fields / sizeof fields[0] };

static const struct field *find_field(const char *key)
{
    for (size_t i = 0; i < N_FIELDS; i++)
        if (strcmp(fields[i].name, key) == 0 || strcmp(fields[i].proto_name, key) == 0)
            return &fields[i];
    return NULL;
}

static cz_err read_members(cz_request *r, cz_json root)
{
    bool seen[N_FIELDS] = {false};
    cz_json_iter it;
    cz_json v;
    const char *key;

    CZ_TRY(cz_json_iterate(root, &it));
    while (cz_json_next(&it, &v, &key)) {
        const struct field *f = find_field(key);

        if (f == NULL)
            return cz_fail(CZ_E_INPUT, "unknown field '%.64s'", key);
        if (seen[f - fields])
            return cz_fail(CZ_E_INPUT, "field '%s' is given twice", f->name);
        seen[f - fields] = true;
        if (cz_json_typeof(v) != CZ_JSON_NULL)
            CZ_TRY_IN(f->read(r, v), "%s", key);
    }
    return CZ_OK;
}

/* What absent fields mean. */
static cz_err complete(cz_request *r)
{
    if (r->kind == CZ_KIND_UNSPECIFIED)
        return cz_fail(CZ_E_INPUT, "proofKind is not given");
    if (r->kind != CZ_KIND_POREP)
        r->has_registered_proof = true; /* proto3 leaves a 0 out */
    return CZ_OK;
}

static cz_err read_proto_json(cz_request *r, const uint8_t *bytes, size_t n)
{
    cz_json_doc *doc;
    cz_json root;
    cz_err err;

    CZ_TRY(cz_json_parse(&doc, &root, (const char *)bytes, n));
    err = read_members(r, root);
    cz_json_destroy(doc);
    if (err != CZ_OK)
        return err;
    return complete(r);
}

/* The whole file is the vanilla proof of a PoRep; nothing else is known. */
static cz_err take_c1(cz_request *r, const uint8_t *bytes, size_t n)
{
    r->kind = CZ_KIND_POREP;
    r->vanilla_proof = malloc(n + 1);
    if (r->vanilla_proof == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a C1 of %zu bytes", n);
    memcpy(r->vanilla_proof, bytes, n);
    r->vanilla_proof_len = n;
    return CZ_OK;
}

static cz_err fill(cz_request *r, const uint8_t *bytes, size_t n)
{
    if (n == 0)
        return cz_fail(CZ_E_INPUT, "the request is empty");
    if (cz_sniff_request(bytes, n) == CZ_SNIFF_PROTO_JSON)
        return read_proto_json(r, bytes, n);
    return take_c1(r, bytes, n);
}

cz_err cz_request_parse(cz_request **out, const uint8_t *bytes, size_t n)
{
    cz_request *r = calloc(1, sizeof *r);
    cz_err err;

    if (r == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a request");
    err = fill(r, bytes, n);
    if (err == CZ_OK && r->request_id == NULL && (r->request_id = strdup("")) == NULL)
        err = cz_fail(CZ_E_NOMEM, "no memory for a request id");
    if (err != CZ_OK) {
        cz_request_destroy(r);
        return err;
    }
    *out = r;
    return CZ_OK;
}

void cz_request_destroy(cz_request *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->n_vanilla_proofs; i++)
        free(r->vanilla_proofs[i]);
    free(r->vanilla_proofs);
    free(r->vanilla_proof_lens);
    free(r->vanilla_proof);
    free(r->request_id);
    free(r);
}
