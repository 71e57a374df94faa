/* client_request.c: from flags and files to a request, with the names of Curio's cuzk-bench. */
#define _GNU_SOURCE
#include "client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/base64.h"
#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "config/units.h"

static const size_t max_file_bytes = (size_t)512 << 20;

cz_err client_kind_parse(cz_proof_kind *out, const char *text)
{
    static const struct {
        const char *name;
        cz_proof_kind kind;
    } names[] = {
        {"porep", CZ_KIND_POREP},          {"porep-c2", CZ_KIND_POREP},
        {"seal-commit", CZ_KIND_POREP},    {"snap", CZ_KIND_SNAP},
        {"snap-deals", CZ_KIND_SNAP},      {"update", CZ_KIND_SNAP},
        {"wpost", CZ_KIND_WINDOW},         {"window-post", CZ_KIND_WINDOW},
        {"windowpost", CZ_KIND_WINDOW},    {"winning", CZ_KIND_WINNING},
        {"winning-post", CZ_KIND_WINNING}, {"winningpost", CZ_KIND_WINNING},
    };

    for (size_t i = 0; i < ARGS_COUNT(names); i++)
        if (strcasecmp(names[i].name, text) == 0) {
            *out = names[i].kind;
            return CZ_OK;
        }
    return args_mistake(
        cz_fail(CZ_E_INPUT, "--type '%s' is none of porep, snap, wpost, winning", text));
}

cz_err client_fresh_id(char out[32])
{
    uint8_t bytes[8];
    char hex[17];

    CZ_TRY(cz_random_bytes(bytes, sizeof bytes));
    cz_hex_encode(hex, bytes, sizeof bytes);
    (void)snprintf(out, 32, "bench-%s", hex);
    return CZ_OK;
}

/* --- single flags ---------------------------------------------------------------------------- */

static cz_err parse_number(uint64_t *out, const char *flag, const char *text, uint64_t max)
{
    char *end;
    unsigned long long v;

    if (text == NULL)
        return CZ_OK;
    errno = 0;
    v = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || v > max)
        return args_mistake(cz_fail(CZ_E_INPUT, "%s takes a whole number, not '%s'", flag, text));
    *out = v;
    return CZ_OK;
}

static cz_err parse_32_bytes(uint8_t out[32], bool *has, const char *flag, const char *text)
{
    if (text == NULL)
        return CZ_OK;
    if (!cz_hex_decode(out, 32, text, strlen(text)))
        return args_mistake(cz_fail(CZ_E_INPUT, "%s takes 64 hex digits", flag));
    *has = true;
    return CZ_OK;
}

static cz_err parse_priority(uint32_t *out, const char *text)
{
    static const char *const names[] = {"low", "normal", "high", "critical"};

    if (text == NULL)
        return CZ_OK;
    for (uint32_t i = 0; i < ARGS_COUNT(names); i++)
        if (strcasecmp(names[i], text) == 0) {
            *out = i + 1;
            return CZ_OK;
        }
    return args_mistake(
        cz_fail(CZ_E_INPUT, "--priority '%s' is none of low, normal, high, critical", text));
}

static cz_err set_text(char **at, const char *text)
{
    char *copy;

    if (text == NULL)
        return CZ_OK;
    copy = strdup(text);
    if (copy == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a request");
    free(*at);
    *at = copy;
    return CZ_OK;
}

/* --- vanilla proofs -------------------------------------------------------------------------- */

/* Takes over `bytes`. */
static cz_err append_proof(cz_request *r, uint8_t *bytes, size_t n)
{
    const size_t count = r->n_vanilla_proofs + 1;
    uint8_t **proofs = realloc(r->vanilla_proofs, count * sizeof *proofs);
    size_t *lens;

    if (proofs != NULL)
        r->vanilla_proofs = proofs;
    lens = realloc(r->vanilla_proof_lens, count * sizeof *lens);
    if (lens != NULL)
        r->vanilla_proof_lens = lens;
    if (proofs == NULL || lens == NULL) {
        free(bytes);
        return cz_fail(CZ_E_NOMEM, "no memory for %zu vanilla proofs", count);
    }
    proofs[count - 1] = bytes;
    lens[count - 1] = n;
    r->n_vanilla_proofs = count;
    return CZ_OK;
}

static cz_err append_base64(cz_request *r, cz_json item)
{
    const char *text;
    uint8_t *bytes;
    size_t n;
    cz_err err;

    CZ_TRY(cz_json_string(item, &text, &n));
    bytes = malloc(cz_base64_max_decoded(n) + 1);
    if (bytes == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a vanilla proof");
    err = cz_base64_decode(bytes, &n, text, n);
    if (err == CZ_OK)
        return append_proof(r, bytes, n);
    free(bytes);
    return err;
}

static cz_err append_array(cz_request *r, cz_json array)
{
    cz_json_iter it;
    cz_json item;

    CZ_TRY(cz_json_iterate(array, &it));
    for (size_t i = 0; cz_json_next(&it, &item, NULL); i++)
        CZ_TRY_IN(append_base64(r, item), "vanilla proof %zu", i);
    return CZ_OK;
}

/* What is no JSON is one proof as it is. */
static cz_err take_vanilla(cz_request *r, uint8_t *bytes, size_t n)
{
    cz_json_doc *doc;
    cz_json root;
    cz_err err;

    if (n == 0 || bytes[0] != '[' || cz_json_parse(&doc, &root, (const char *)bytes, n) != CZ_OK)
        return append_proof(r, bytes, n);
    free(bytes);
    err = append_array(r, root);
    cz_json_destroy(doc);
    return err;
}

static cz_err read_vanilla(cz_request *r, const client_request_flags *f)
{
    const bool porep = r->kind == CZ_KIND_POREP;
    const char *path = porep ? f->c1 : f->vanilla;
    uint8_t *bytes;
    size_t n;

    if (path == NULL)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "--type %s needs %s FILE", f->type, porep ? "--c1" : "--vanilla"));
    CZ_TRY(cz_file_read(path, max_file_bytes, &bytes, &n));
    if (porep) {
        r->vanilla_proof = bytes;
        r->vanilla_proof_len = n;
        return CZ_OK;
    }
    CZ_TRY_IN(take_vanilla(r, bytes, n), "%s", path);
    return CZ_OK;
}

/* --- the two ways to a request ---------------------------------------------------------------- */

static cz_err read_request(cz_request **out, const char *path)
{
    uint8_t *bytes;
    size_t n;
    cz_err err;

    CZ_TRY(cz_file_read(path, max_file_bytes, &bytes, &n));
    err = cz_request_parse(out, bytes, n);
    free(bytes);
    return err == CZ_OK ? CZ_OK : cz_fail_in(err, "%s", path);
}

/* As Curio's client starts: miner 1000, sector 1, randomness of zeros. */
static cz_err make_request(cz_request **out, const client_request_flags *f)
{
    cz_proof_kind kind;
    cz_request *r;

    if (f->type == NULL)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "give a REQUEST.json, or --type with --c1 or --vanilla"));
    CZ_TRY(client_kind_parse(&kind, f->type));
    r = calloc(1, sizeof *r);
    if (r == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a request");
    *out = r;
    r->kind = kind;
    r->miner_id = 1000;
    r->sector_number = 1;
    r->has_identity = true;
    r->has_randomness = kind == CZ_KIND_WINDOW || kind == CZ_KIND_WINNING;
    return read_vanilla(r, f);
}

static cz_err set_numbers(cz_request *r, const client_request_flags *f)
{
    uint64_t partition = r->partition_index;

    CZ_TRY(
        parse_number(&r->registered_proof, "--registered-proof", f->registered_proof, UINT64_MAX));
    CZ_TRY(parse_number(&r->sector_number, "--sector-num", f->sector, UINT64_MAX));
    CZ_TRY(parse_number(&r->miner_id, "--miner-id", f->miner, UINT64_MAX));
    CZ_TRY(parse_number(&partition, "--partition", f->partition, UINT32_MAX));
    r->partition_index = (uint32_t)partition;
    r->has_registered_proof = r->has_registered_proof || f->registered_proof != NULL;
    r->has_identity = r->has_identity || f->miner != NULL;
    if (f->sector_size != NULL)
        CZ_TRY_IN(args_mistake(cz_size_parse(&r->sector_size, f->sector_size)), "--sector-size");
    return CZ_OK;
}

static cz_err override(cz_request *r, const client_request_flags *f)
{
    CZ_TRY(set_numbers(r, f));
    CZ_TRY(parse_32_bytes(r->randomness, &r->has_randomness, "--randomness", f->randomness));
    CZ_TRY(parse_32_bytes(r->comm_r_old, &r->has_comm_r_old, "--comm-r-old", f->comm_r_old));
    CZ_TRY(parse_32_bytes(r->comm_r_new, &r->has_comm_r_new, "--comm-r-new", f->comm_r_new));
    CZ_TRY(parse_32_bytes(r->comm_d_new, &r->has_comm_d_new, "--comm-d-new", f->comm_d_new));
    CZ_TRY(parse_priority(&r->priority, f->priority));
    return set_text(&r->request_id, f->request_id);
}

cz_err client_request_load(cz_request **out, const client_request_flags *flags)
{
    cz_request *r = NULL;
    cz_err err;

    if (flags->request != NULL)
        err = flags->type == NULL && flags->c1 == NULL && flags->vanilla == NULL
                  ? read_request(&r, flags->request)
                  : args_mistake(cz_fail(CZ_E_INPUT,
                                         "give either %s or --type with its file, not both",
                                         flags->request));
    else
        err = make_request(&r, flags);
    if (err == CZ_OK)
        err = override(r, flags);
    if (err != CZ_OK) {
        cz_request_destroy(r);
        return err;
    }
    *out = r;
    return CZ_OK;
}
