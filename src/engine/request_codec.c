/* request_codec.c: see request_codec.h. Writing and hashing are one walk into two kinds of sink. */
#define _GNU_SOURCE
#include "engine/request_codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "hash/sha256.h"

static const uint8_t magic[] = "CZREQ1\n";

enum { MAGIC_BYTES = sizeof magic - 1, MAX_PROOFS = 1 << 20 };

/* --- out --- */

typedef struct {
    cz_sha256 *hash;      /* or */
    cz_file_writer *file; /* one of them */
    cz_err err;
} sink;

static void put_raw(sink *s, const void *bytes, size_t n)
{
    if (n == 0 || s->err != CZ_OK)
        return;
    if (s->hash != NULL)
        cz_sha256_update(s->hash, bytes, n);
    else
        s->err = cz_file_write(s->file, bytes, n);
}

static void put_u64(sink *s, uint64_t v)
{
    uint8_t bytes[8];

    cz_store_le64(bytes, v);
    put_raw(s, bytes, sizeof bytes);
}

static void put_bytes(sink *s, const void *bytes, size_t n)
{
    put_u64(s, n);
    put_raw(s, bytes, n);
}

/* A digest that may not be there. */
static void put_optional(sink *s, bool given, const uint8_t bytes[32])
{
    put_bytes(s, bytes, given ? 32 : 0);
}

/* What is asked for. */
static void put_content(sink *s, const cz_request *r)
{
    put_u64(s, (uint64_t)r->kind);
    put_u64(s, r->sector_size);
    put_u64(s, r->has_registered_proof);
    put_u64(s, r->registered_proof);
    put_u64(s, r->has_identity);
    put_u64(s, r->miner_id);
    put_u64(s, r->sector_number);
    put_u64(s, r->partition_index);
    put_optional(s, r->has_randomness, r->randomness);
    put_optional(s, r->has_comm_r_old, r->comm_r_old);
    put_optional(s, r->has_comm_r_new, r->comm_r_new);
    put_optional(s, r->has_comm_d_new, r->comm_d_new);
    put_bytes(s, r->vanilla_proof, r->vanilla_proof_len);
    put_u64(s, r->n_vanilla_proofs);
    for (size_t i = 0; i < r->n_vanilla_proofs; i++)
        put_bytes(s, r->vanilla_proofs[i], r->vanilla_proof_lens[i]);
}

void cz_request_content(uint8_t out[32], const cz_request *request)
{
    cz_sha256 hash;
    sink s = {.hash = &hash};

    cz_sha256_init(&hash);
    put_content(&s, request);
    cz_sha256_final(&hash, out);
}

cz_err cz_request_write(const cz_request *request, cz_file_writer *file)
{
    const char *id = request->request_id == NULL ? "" : request->request_id;
    sink s = {.file = file};

    put_raw(&s, magic, MAGIC_BYTES);
    put_bytes(&s, id, strlen(id));
    put_u64(&s, request->priority);
    put_content(&s, request);
    return s.err;
}

uint64_t cz_request_bytes(const cz_request *request)
{
    uint64_t n = request->vanilla_proof_len;

    for (size_t i = 0; i < request->n_vanilla_proofs; i++)
        n += request->vanilla_proof_lens[i];
    return n;
}

/* --- in --- */

static cz_err get_length(cz_reader *in, uint64_t *n, const char *what)
{
    CZ_TRY(cz_read_le64(in, n, what));
    if (*n > in->left)
        return cz_fail(CZ_E_INPUT, "%s: longer than the file", what);
    return CZ_OK;
}

static cz_err get_bytes(cz_reader *in, uint8_t **out, size_t *out_len, const char *what)
{
    const uint8_t *view;
    uint64_t n;

    CZ_TRY(get_length(in, &n, what));
    CZ_TRY(cz_read_bytes(in, &view, n, what));
    *out = malloc(n + 1);
    if (*out == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for %s", what);
    (void)memcpy(*out, view, n);
    (*out)[n] = 0;
    *out_len = n;
    return CZ_OK;
}

static cz_err get_optional(cz_reader *in, bool *given, uint8_t out[32], const char *what)
{
    const uint8_t *view;
    uint64_t n;

    CZ_TRY(get_length(in, &n, what));
    if (n != 0 && n != 32)
        return cz_fail(CZ_E_INPUT, "%s: a length of neither 0 nor 32", what);
    CZ_TRY(cz_read_bytes(in, &view, n, what));
    *given = n == 32;
    if (*given)
        (void)memcpy(out, view, 32);
    return CZ_OK;
}

static cz_err get_flag(cz_reader *in, bool *out, const char *what)
{
    uint64_t v;

    CZ_TRY(cz_read_le64(in, &v, what));
    *out = v != 0;
    return CZ_OK;
}

static cz_err get_u32(cz_reader *in, uint32_t *out, const char *what)
{
    uint64_t v;

    CZ_TRY(cz_read_le64(in, &v, what));
    *out = (uint32_t)v;
    return CZ_OK;
}

static cz_err get_proofs(cz_reader *in, cz_request *r)
{
    uint64_t n;

    CZ_TRY(cz_read_le64(in, &n, "vanilla_proofs"));
    if (n > MAX_PROOFS)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: too many");
    r->vanilla_proofs = calloc(n + 1, sizeof *r->vanilla_proofs);
    r->vanilla_proof_lens = calloc(n + 1, sizeof *r->vanilla_proof_lens);
    if (r->vanilla_proofs == NULL || r->vanilla_proof_lens == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for vanilla proofs");
    for (; r->n_vanilla_proofs < n; r->n_vanilla_proofs++)
        CZ_TRY(get_bytes(in, &r->vanilla_proofs[r->n_vanilla_proofs],
                         &r->vanilla_proof_lens[r->n_vanilla_proofs], "vanilla_proofs"));
    return CZ_OK;
}

/* All that comes before the vanilla proofs. */
static cz_err get_fields(cz_reader *in, cz_request *r)
{
    uint32_t kind;

    CZ_TRY(get_u32(in, &kind, "proof_kind"));
    r->kind = (cz_proof_kind)kind;
    CZ_TRY(cz_read_le64(in, &r->sector_size, "sector_size"));
    CZ_TRY(get_flag(in, &r->has_registered_proof, "registered_proof"));
    CZ_TRY(cz_read_le64(in, &r->registered_proof, "registered_proof"));
    CZ_TRY(get_flag(in, &r->has_identity, "miner_id"));
    CZ_TRY(cz_read_le64(in, &r->miner_id, "miner_id"));
    CZ_TRY(cz_read_le64(in, &r->sector_number, "sector_number"));
    CZ_TRY(get_u32(in, &r->partition_index, "partition_index"));
    CZ_TRY(get_optional(in, &r->has_randomness, r->randomness, "randomness"));
    CZ_TRY(get_optional(in, &r->has_comm_r_old, r->comm_r_old, "comm_r_old"));
    CZ_TRY(get_optional(in, &r->has_comm_r_new, r->comm_r_new, "comm_r_new"));
    CZ_TRY(get_optional(in, &r->has_comm_d_new, r->comm_d_new, "comm_d_new"));
    return CZ_OK;
}

static cz_err get_head(cz_reader *in, cz_request *r)
{
    const uint8_t *view;
    uint8_t *id;
    size_t id_len;

    CZ_TRY(cz_read_bytes(in, &view, MAGIC_BYTES, "magic"));
    if (memcmp(view, magic, MAGIC_BYTES) != 0)
        return cz_fail(CZ_E_INPUT, "not a spooled request");
    CZ_TRY(get_bytes(in, &id, &id_len, "request_id"));
    r->request_id = (char *)id;
    CZ_TRY(get_u32(in, &r->priority, "priority"));
    return get_fields(in, r);
}

static cz_err get_all(cz_reader *in, cz_request *r)
{
    CZ_TRY(get_head(in, r));
    CZ_TRY(get_bytes(in, &r->vanilla_proof, &r->vanilla_proof_len, "vanilla_proof"));
    CZ_TRY(get_proofs(in, r));
    return in->left == 0 ? CZ_OK : cz_fail(CZ_E_INPUT, "%zu bytes too many", in->left);
}

/* Several vanilla proofs count as one of all their bytes. */
static cz_err get_size_of_proofs(cz_reader *in, cz_request *r)
{
    uint64_t n;

    CZ_TRY(cz_read_le64(in, &n, "vanilla_proofs"));
    if (n > MAX_PROOFS || n * 8 > in->left)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs: more than the file has");
    if (n == 0)
        return CZ_OK;
    r->vanilla_proofs = calloc(1, sizeof *r->vanilla_proofs);
    r->vanilla_proof_lens = calloc(1, sizeof *r->vanilla_proof_lens);
    if (r->vanilla_proofs == NULL || r->vanilla_proof_lens == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for vanilla proofs");
    r->n_vanilla_proofs = 1;
    r->vanilla_proof_lens[0] = in->left - n * 8;
    return CZ_OK;
}

static cz_err get_shape(cz_reader *in, cz_request *r)
{
    const uint8_t *view;
    uint64_t n;

    CZ_TRY(get_head(in, r));
    CZ_TRY(get_length(in, &n, "vanilla_proof"));
    CZ_TRY(cz_read_bytes(in, &view, n, "vanilla_proof"));
    r->vanilla_proof_len = n;
    return get_size_of_proofs(in, r);
}

static cz_err read_by(cz_err (*get)(cz_reader *in, cz_request *r), cz_request **out,
                      const uint8_t *bytes, size_t n)
{
    cz_reader in = cz_reader_init(bytes, n);
    cz_request *r = calloc(1, sizeof *r);
    cz_err err;

    if (r == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a request");
    err = get(&in, r);
    if (err != CZ_OK) {
        cz_request_destroy(r);
        return err;
    }
    *out = r;
    return CZ_OK;
}

cz_err cz_request_read(cz_request **out, const uint8_t *bytes, size_t n)
{
    return read_by(get_all, out, bytes, n);
}

cz_err cz_request_read_shape(cz_request **out, const uint8_t *bytes, size_t n)
{
    return read_by(get_shape, out, bytes, n);
}
