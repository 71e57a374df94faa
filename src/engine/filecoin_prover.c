/* filecoin_prover.c: the stages of prover.h on filecoin/ and groth16/. */
#define _GNU_SOURCE
#include "engine/filecoin_prover.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/log.h"
#include "engine/filecoin_state.h"
#include "engine/request_codec.h"

/* --- work --- */

static cz_err open_work(void *ctx, const cz_request *request, cz_work **out, cz_trace *trace)
{
    const cz_filecoin_prover *p = ctx;
    cz_span span = cz_trace_begin(trace, CZ_PHASE_DESERIALIZE, 0);
    cz_job *job;
    const cz_err err = cz_job_create(&job, request, p->opening);

    cz_trace_end(&span);
    if (err == CZ_OK)
        *out = (cz_work *)(void *)job;
    return err;
}

static const char *work_circuit(const cz_work *work)
{
    return cz_job_circuit_id(cz_filecoin_job_of(work));
}

static size_t work_partitions(const cz_work *work)
{
    return cz_job_partitions(cz_filecoin_job_of(work));
}

static void close_work(void *ctx, cz_work *work)
{
    (void)ctx;
    cz_job_destroy((cz_job *)(void *)work);
}

/* --- keys --- */

static void say_progress(void *ctx, uint64_t done, uint64_t total)
{
    unsigned *said = ctx;
    const unsigned tenth = total == 0 ? 10 : (unsigned)(done * 10 / total);

    if (tenth > *said)
        cz_log(CZ_LOG_INFO, "hashing parameters: %u %%", tenth * 10);
    *said = tenth;
}

static cz_err check_owner(const cz_params *params, const char *circuit_id)
{
    const char *owner = cz_params_circuit_id(params);

    if (owner != NULL && strcmp(owner, circuit_id) == 0)
        return CZ_OK;
    return cz_fail(CZ_E_INPUT, "%s: belongs to circuit %s, not to %s", params->path,
                   owner == NULL ? "(unknown)" : owner, circuit_id);
}

static cz_err open_checked(const cz_filecoin_prover *p, cz_keys *keys, const char *path,
                           const char *circuit_id)
{
    unsigned said = 0;
    const cz_params_options options = {.pool = p->opening,
                                       .manifest = p->has_manifest ? &p->manifest : NULL,
                                       .progress = say_progress,
                                       .progress_ctx = &said};

    CZ_TRY(cz_params_open_with(&keys->params, path, &options));
    CZ_TRY(check_owner(&keys->params, circuit_id));
    CZ_TRY(cz_vk_tag(keys->tag, &keys->params.vk));
    return cz_verifier_create(&keys->verifier, &keys->params.vk);
}

static void keys_close(void *ctx, cz_keys *keys)
{
    (void)ctx;
    cz_verifier_destroy(keys->verifier);
    cz_folded_close(&keys->folded.file);
    if (keys->params.path != NULL)
        cz_params_close(&keys->params);
    (void)pthread_mutex_destroy(&keys->host.lock);
    (void)pthread_mutex_destroy(&keys->folded.lock);
    free(keys);
}

static cz_err keys_open(void *ctx, const char *circuit_id, cz_keys **out, cz_keys_cost *cost)
{
    cz_filecoin_prover *p = ctx;
    char path[CZ_FILECOIN_PATH_BYTES];
    cz_keys *keys;
    cz_err err;

    CZ_TRY(cz_filecoin_params_path(p, path, circuit_id));
    CZ_TRY(cz_filecoin_cost_of(p, circuit_id,
                               cost)); /* what submit refuses is refused in the same words */
    keys = calloc(1, sizeof *keys);
    if (keys == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for keys");
    (void)pthread_mutex_init(&keys->host.lock, NULL);
    (void)pthread_mutex_init(&keys->folded.lock, NULL);
    err = open_checked(p, keys, path, circuit_id);
    if (err != CZ_OK) {
        keys_close(p, keys);
        return cz_fail_in(err, "parameters of %s", circuit_id);
    }
    cz_params_cost_of(cost, &keys->params, cz_filecoin_made_of_bits(circuit_id), p->proving);
    cz_filecoin_count_device_bytes(p, circuit_id, cost);
    cz_filecoin_open_folded(p, keys, circuit_id);
    *out = keys;
    return CZ_OK;
}

static cz_err keys_heat(void *ctx, cz_keys *keys)
{
    return cz_filecoin_heat(ctx, keys);
}

static void keys_cool(void *ctx, cz_keys *keys)
{
    cz_filecoin_cool(ctx, keys);
}

static void keys_tag(const cz_keys *keys, uint8_t out[CZ_KEY_TAG_BYTES])
{
    (void)memcpy(out, keys->tag, CZ_KEY_TAG_BYTES);
}

static cz_err params_tag(void *ctx, const char *circuit_id, uint8_t out[CZ_KEY_TAG_BYTES])
{
    char path[CZ_FILECOIN_PATH_BYTES];

    CZ_TRY(cz_filecoin_params_path(ctx, path, circuit_id));
    CZ_TRY_IN(cz_params_tag(out, path), "parameters of %s", circuit_id);
    return CZ_OK;
}

/* --- self-check --- */

static cz_err verify_bytes(const cz_keys *keys, const uint8_t bytes[CZ_PART_PROOF_BYTES],
                           const cz_fr *inputs, size_t n_inputs)
{
    cz_proof proof;

    CZ_TRY(cz_proof_read(&proof, bytes));
    return cz_groth16_verify(keys->verifier, &proof, inputs, n_inputs);
}

/* Whose fault: the folded file's, if it was made with that, else its maker's. */
static cz_err blame(const cz_keys *keys, const uint8_t proof[CZ_PART_PROOF_BYTES])
{
    return cz_filecoin_refute_folded(keys, proof) ? CZ_E_INPUT : CZ_E_VERIFY;
}

/* The bytes that will leave, against inputs that follow from the request. */
static cz_err verify(void *ctx, const cz_work *work, const cz_keys *keys, size_t k,
                     const uint8_t proof[CZ_PART_PROOF_BYTES], cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_VERIFY, (unsigned)k);
    cz_fr *inputs;
    size_t n_inputs;
    cz_err err = cz_job_public_inputs(cz_filecoin_job_of(work), k, &inputs, &n_inputs);

    (void)ctx;
    if (err == CZ_OK) {
        err = verify_bytes(keys, proof, inputs, n_inputs);
        free(inputs);
        if (err != CZ_OK)
            err = blame(keys, proof);
    }
    cz_trace_end(&span);
    return err;
}

/* --- creation --- */

static cz_err check_folder(const char *path)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return cz_fail(CZ_E_NOTFOUND, "parameter folder %s does not exist", path);
    if (!S_ISDIR(st.st_mode))
        return cz_fail(CZ_E_INPUT, "parameter folder %s is not a folder", path);
    if (access(path, R_OK | X_OK) != 0)
        return cz_fail(CZ_E_IO, "parameter folder %s: %s", path, strerror(errno));
    return CZ_OK;
}

static cz_err fill(cz_filecoin_prover *p, const cz_filecoin_prover_options *o)
{
    p->param_cache = strdup(o->param_cache);
    if (p->param_cache == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a prover");
    /* A missing folder is no reason not to start: its files may come later. */
    if (check_folder(o->param_cache) != CZ_OK)
        cz_log(CZ_LOG_WARN,
               "srs.param_cache: %s; until it has parameter files, requests are refused",
               cz_err_message());
    if (o->manifest != NULL && o->manifest[0] != '\0') {
        CZ_TRY_IN(cz_manifest_read(&p->manifest, o->manifest), "srs.manifest");
        p->has_manifest = true;
    }
    p->experiment = o->experiment != NULL ? *o->experiment : cz_experiment_defaults();
    if (p->experiment.pin == CZ_PIN_POOLED)
        CZ_TRY(cz_blocks_create(&p->blocks));
    cz_experiment_set_process(&p->experiment);
    CZ_TRY(cz_circuit_cache_create(&p->circuits, o->circuit_cache));
    CZ_TRY(cz_pool_create(&p->opening, o->synthesis_threads));
    return cz_pool_create(&p->proving, o->proving_threads);
}

cz_err cz_filecoin_prover_create(cz_filecoin_prover **out,
                                 const cz_filecoin_prover_options *options)
{
    cz_filecoin_prover *p = calloc(1, sizeof *p);
    cz_err err;

    if (p == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a prover");
    err = fill(p, options);
    if (err != CZ_OK) {
        cz_filecoin_prover_destroy(p);
        return err;
    }
    *out = p;
    return CZ_OK;
}

void cz_filecoin_prover_destroy(cz_filecoin_prover *p)
{
    if (p == NULL)
        return;
    cz_filecoin_close_devices(p);
    cz_circuit_cache_destroy(p->circuits);
    cz_pool_destroy(p->opening);
    cz_pool_destroy(p->proving);
    cz_blocks_destroy(p->blocks);
    if (p->has_manifest)
        cz_manifest_clear(&p->manifest);
    free(p->param_cache);
    free(p);
}

cz_prover cz_filecoin_prover_table(cz_filecoin_prover *p)
{
    static const cz_prover_ops ops = {
        .admit = cz_filecoin_admit,
        .open = open_work,
        .circuit_id = work_circuit,
        .partitions = work_partitions,
        .close = close_work,
        .keys_open = keys_open,
        .keys_heat = keys_heat,
        .keys_cool = keys_cool,
        .keys_close = keys_close,
        .keys_tag = keys_tag,
        .params_tag = params_tag,
        .synthesize = cz_filecoin_synthesize,
        .has_values = cz_filecoin_has_values,
        .witness_drop = cz_filecoin_witness_drop,
        .idle_bytes = cz_filecoin_idle_bytes,
        .trim = cz_filecoin_trim,
        .reuse_bytes = cz_filecoin_reuse_bytes,
        .pinned = cz_filecoin_pinned,
        .verify = verify,
    };

    return (cz_prover){&ops, p};
}
