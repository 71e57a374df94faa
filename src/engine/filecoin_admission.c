/* filecoin_admission.c: can a request be proved here, and what will it take? From its fields and
 * the sizes of its parameter file; nothing is opened. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "engine/filecoin_state.h"
#include "engine/request_codec.h"
#include "filecoin/c1.h"

enum { SOURCE_MOST_BYTES = 128 << 20 };

/* --- parameter files --- */

cz_err cz_filecoin_params_path(const cz_filecoin_prover *p, char out[CZ_FILECOIN_PATH_BYTES],
                               const char *circuit_id)
{
    char name[CZ_CACHE_NAME_MAX];

    CZ_TRY(cz_circuit_cache_name(name, sizeof name, circuit_id));
    if (snprintf(out, CZ_FILECOIN_PATH_BYTES, "%s/%s.params", p->param_cache, name) >=
        CZ_FILECOIN_PATH_BYTES)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", p->param_cache);
    return CZ_OK;
}

/* PoReps and updates compute SHA-256, but for updates' Poseidon variant. */
bool cz_filecoin_made_of_bits(const char *circuit_id)
{
    return strncmp(circuit_id, "porep-", 6) == 0 ||
           (strncmp(circuit_id, "snap-", 5) == 0 && strncmp(circuit_id, "snap-poseidon-", 14) != 0);
}

/* Then the host has what the witness follows from, 54 MB at most (post_witness.h), and some of it
 * in another form. */
bool cz_filecoin_made_on_devices(const char *circuit_id)
{
    return strncmp(circuit_id, "wpost-", 6) == 0;
}

/* The newcomer's first failure. */
static cz_err explain_missing(cz_err err)
{
    char message[1024];

    if (err != CZ_E_NOTFOUND)
        return err;
    (void)snprintf(message, sizeof message, "%s", cz_err_message());
    return cz_fail(
        err,
        "%s; a daemon's folder is srs.param_cache, or FIL_PROOFS_PARAMETER_CACHE where that is set",
        message);
}

/* A file that is damaged or may not be read is as good as none: no request is wrong because of it.
 */
static cz_err as_missing(cz_err err)
{
    return err == CZ_E_INPUT || err == CZ_E_IO ? CZ_E_NOTFOUND : explain_missing(err);
}

void cz_filecoin_count_device_bytes(const cz_filecoin_prover *p, const char *circuit_id,
                                    cz_keys_cost *out)
{
    if (p->n_used == 0)
        out->device_bytes = 0;
    else if (cz_filecoin_made_on_devices(circuit_id))
        out->device_bytes = CZ_COMPILED_MOST_BYTES + SOURCE_MOST_BYTES;
}

cz_err cz_filecoin_cost_of(const cz_filecoin_prover *p, const char *circuit_id, cz_keys_cost *out)
{
    char path[CZ_FILECOIN_PATH_BYTES];

    CZ_TRY(cz_filecoin_params_path(p, path, circuit_id));
    CZ_TRY_IN(
        as_missing(cz_params_cost(out, path, cz_filecoin_made_of_bits(circuit_id), p->proving)),
        "parameters of %s", circuit_id);
    cz_filecoin_count_device_bytes(p, circuit_id, out);
    return CZ_OK;
}

/* --- admission --- */

/* Beside the request: bincode is copied once. Of a request that the journal has, the vanilla proof
 * is not here (cz_request_read_shape). */
static uint64_t decode_bytes(const cz_request *r)
{
    if (r->kind == CZ_KIND_POREP)
        return cz_c1_decode_bytes(r->vanilla_proof, r->vanilla_proof_len);
    return cz_request_bytes(r) * 2;
}

static void set_request_bytes(const cz_request *r, cz_admission *out)
{
    const uint64_t bytes = cz_request_bytes(r);
    const uint64_t base = (uint64_t)1 << 20;

    out->open_bytes = bytes + decode_bytes(r) + base;
    out->work_bytes = bytes * 2 + base;
}

/* A bare C1 says only inside which proof it is. */
static bool is_silent(const cz_request *r)
{
    return r->kind == CZ_KIND_POREP && !r->has_registered_proof && r->sector_size == 0;
}

static cz_err find_size(const cz_request *r, uint64_t *out)
{
    const cz_proof_spec *spec;

    *out = r->sector_size;
    if (r->kind == CZ_KIND_POREP && !r->has_registered_proof) /* the C1 says the rest */
        return CZ_OK;
    CZ_TRY(cz_proof_spec_find(&spec, r->kind, r->registered_proof, r->sector_size));
    *out = spec->sector_size;
    return CZ_OK;
}

static cz_err find_circuit(const cz_request *r, char out[CZ_CIRCUIT_ID_BYTES])
{
    uint64_t size;

    CZ_TRY(find_size(r, &size));
    if (cz_sector_size_tag(size) == NULL)
        return cz_fail(CZ_E_INPUT, "sector_size: there are no sectors of %" PRIu64 " bytes", size);
    (void)snprintf(out, CZ_CIRCUIT_ID_BYTES, "%s-%s", cz_proof_kind_name(r->kind),
                   cz_sector_size_tag(size));
    return CZ_OK;
}

static cz_err want(bool given, const char *field)
{
    return given ? CZ_OK : cz_fail(CZ_E_INPUT, "%s is not given", field);
}

/* What a kind cannot do without, beside its vanilla proofs. */
static cz_err check_given(const cz_request *r)
{
    if (r->kind == CZ_KIND_WINDOW || r->kind == CZ_KIND_WINNING)
        return want(r->has_randomness, "randomness");
    if (r->kind != CZ_KIND_SNAP)
        return CZ_OK;
    CZ_TRY(want(r->has_comm_r_old, "comm_r_old"));
    CZ_TRY(want(r->has_comm_r_new, "comm_r_new"));
    return want(r->has_comm_d_new, "comm_d_new");
}

static cz_err check_inputs(const cz_request *r)
{
    if (r->kind == CZ_KIND_UNSPECIFIED || r->kind > CZ_KIND_WINNING)
        return cz_fail(CZ_E_INPUT, "invalid proof_kind: %u", (unsigned)r->kind);
    if (r->kind == CZ_KIND_POREP && r->vanilla_proof_len == 0)
        return cz_fail(CZ_E_INPUT, "vanilla_proof is empty");
    if (r->kind != CZ_KIND_POREP && r->n_vanilla_proofs == 0)
        return cz_fail(CZ_E_INPUT, "vanilla_proofs is empty");
    return check_given(r);
}

cz_err cz_filecoin_admit(void *ctx, const cz_request *request, cz_admission *out)
{
    cz_keys_cost cost;

    *out = (cz_admission){0};
    CZ_TRY(check_inputs(request));
    set_request_bytes(request, out);
    if (is_silent(request))
        return CZ_OK;
    CZ_TRY(find_circuit(request, out->circuit_id));
    CZ_TRY(cz_filecoin_cost_of(ctx, out->circuit_id, &cost));
    out->keys_bytes = cost.hot_bytes;
    out->part_bytes = cost.device_bytes != 0 ? cost.device_bytes : cost.part_bytes;
    return CZ_OK;
}
