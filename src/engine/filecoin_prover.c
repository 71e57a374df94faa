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

enum { PATH_BYTES = 4096, SOURCE_MOST_BYTES = 128 << 20 };

/* cz_work is a cz_job under another name. */
static const cz_job *job_of(const cz_work *work)
{
    return (const cz_job *)(const void *)work;
}

/* --- parameter files --- */

static cz_err params_path(const cz_filecoin_prover *p, char out[PATH_BYTES], const char *circuit_id)
{
    char name[CZ_CACHE_NAME_MAX];

    CZ_TRY(cz_circuit_cache_name(name, sizeof name, circuit_id));
    if (snprintf(out, PATH_BYTES, "%s/%s.params", p->param_cache, name) >= PATH_BYTES)
        return cz_fail(CZ_E_INPUT, "%s: the path is too long", p->param_cache);
    return CZ_OK;
}

/* PoReps and updates compute SHA-256, but for updates' Poseidon variant. */
static bool made_of_bits(const char *circuit_id)
{
    return strncmp(circuit_id, "porep-", 6) == 0 ||
           (strncmp(circuit_id, "snap-", 5) == 0 && strncmp(circuit_id, "snap-poseidon-", 14) != 0);
}

/* Then the host has what the witness follows from, 54 MB at most (post_witness.h), and some of it
 * in another form. */
static bool made_on_devices(const char *circuit_id)
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

static void count_device_bytes(const cz_filecoin_prover *p, const char *circuit_id,
                               cz_keys_cost *out)
{
    if (p->n_used == 0)
        out->device_bytes = 0;
    else if (made_on_devices(circuit_id))
        out->device_bytes = CZ_CIRCUIT_MOST_BYTES + SOURCE_MOST_BYTES;
}

static cz_err cost_of(const cz_filecoin_prover *p, const char *circuit_id, cz_keys_cost *out)
{
    char path[PATH_BYTES];

    CZ_TRY(params_path(p, path, circuit_id));
    CZ_TRY_IN(as_missing(cz_params_cost(out, path, made_of_bits(circuit_id), p->proving)),
              "parameters of %s", circuit_id);
    count_device_bytes(p, circuit_id, out);
    return CZ_OK;
}

/* --- admission --- */

/* Requests that are not decoded yet: JSON of byte arrays takes five bytes a byte beside the text
 * and the decoded proof; bincode is copied once. */
static void set_request_bytes(const cz_request *r, cz_admission *out)
{
    const uint64_t bytes = cz_request_bytes(r);
    const uint64_t base = (uint64_t)1 << 20;

    out->open_bytes = bytes * (r->kind == CZ_KIND_POREP ? 8 : 3) + base;
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

static cz_err admit(void *ctx, const cz_request *request, cz_admission *out)
{
    cz_keys_cost cost;

    *out = (cz_admission){0};
    CZ_TRY(check_inputs(request));
    set_request_bytes(request, out);
    if (is_silent(request))
        return CZ_OK;
    CZ_TRY(find_circuit(request, out->circuit_id));
    CZ_TRY(cost_of(ctx, out->circuit_id, &cost));
    out->keys_bytes = cost.hot_bytes;
    out->part_bytes = cost.device_bytes != 0 ? cost.device_bytes : cost.part_bytes;
    return CZ_OK;
}

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
    return cz_job_circuit_id(job_of(work));
}

static size_t work_partitions(const cz_work *work)
{
    return cz_job_partitions(job_of(work));
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
    char path[PATH_BYTES];
    cz_keys *keys;
    cz_err err;

    CZ_TRY(params_path(p, path, circuit_id));
    CZ_TRY(cost_of(p, circuit_id, cost)); /* what submit refuses is refused in the same words */
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
    cz_params_cost_of(cost, &keys->params, made_of_bits(circuit_id), p->proving);
    count_device_bytes(p, circuit_id, cost);
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
    char path[PATH_BYTES];

    CZ_TRY(params_path(ctx, path, circuit_id));
    CZ_TRY_IN(cz_params_tag(out, path), "parameters of %s", circuit_id);
    return CZ_OK;
}

/* --- partitions --- */

static cz_err synthesize_circuit(const cz_filecoin_prover *p, cz_witness **out,
                                 const cz_compiled *compiled, const cz_circuit *circuit)
{
    cz_witness *witness = calloc(1, sizeof *witness);
    cz_err err;

    if (witness == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a witness");
    witness->circuit = compiled;
    err =
        p->experiment.classic
            ? cz_experiment_assign(&witness->classic, &p->experiment, compiled, circuit, p->blocks)
            : cz_bit_witness_synthesize_pool(&witness->w, compiled, circuit, p->opening);
    if (err != CZ_OK) {
        free(witness);
        return err;
    }
    *out = witness;
    return CZ_OK;
}

/* --- witnesses in page-locked memory --- */

static size_t aligned(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Where each of the three lists begins on a boundary of its own. */
static size_t pinned_bytes_of(size_t n_inputs, size_t n_fields, size_t n_aux)
{
    return aligned(n_inputs * sizeof(cz_fr)) + aligned(n_fields * sizeof(cz_fr)) +
           aligned((n_aux / 64 + 2) * sizeof(uint64_t));
}

static void *copy_to(char **at, const void *from, size_t bytes)
{
    void *to = *at;

    if (bytes > 0)
        (void)memcpy(to, from, bytes);
    *at += aligned(bytes);
    return to;
}

/* Off the device's time, by the worker that made it. Where there is no such memory it stays. */
static void pin(const cz_filecoin_prover *p, cz_witness *witness)
{
    cz_bit_witness *w = &witness->w, made = *w;
    const size_t inputs = w->n_inputs * sizeof *w->inputs;
    const size_t fields = w->n_fields * sizeof *w->fields;
    char *at;

    witness->pinned_bytes = pinned_bytes_of(w->n_inputs, w->n_fields, w->n_aux);
    witness->pinned = cz_pinned_take(p->pinned, witness->pinned_bytes);
    at = witness->pinned;
    if (at == NULL)
        return;
    w->inputs = copy_to(&at, made.inputs, inputs);
    w->fields = copy_to(&at, made.fields, fields);
    w->bits = copy_to(&at, made.bits, ((size_t)(w->n_aux + 63) / 64 + 1) * sizeof *w->bits);
    cz_bit_witness_clear(&made);
}

static void unpin(const cz_filecoin_prover *p, cz_witness *witness)
{
    cz_secure_zero(witness->pinned, witness->pinned_bytes);
    cz_pinned_give_back(p->pinned, witness->pinned);
}

/* --- one partition's --- */

static cz_err make_values(const cz_filecoin_prover *p, const cz_job *job, size_t k,
                          const cz_compiled *compiled, cz_witness **out)
{
    cz_circuit *circuit;
    cz_err err;

    CZ_TRY(cz_job_circuit(job, k, &circuit));
    err = synthesize_circuit(p, out, compiled, circuit);
    cz_circuit_destroy(circuit);
    CZ_TRY(err);
    if (p->pinned != NULL)
        pin(p, *out);
    return CZ_OK;
}

/* Where the device makes them sooner, it has what they follow from. */
static cz_err make_for_device(const cz_filecoin_prover *p, const cz_job *job, size_t k,
                              const cz_compiled *compiled, cz_witness **out)
{
    cz_witness_source *source;
    cz_witness *witness;

    CZ_TRY(cz_job_witness_source(job, k, compiled, &source));
    if (source == NULL)
        return make_values(p, job, k, compiled, out);
    witness = calloc(1, sizeof *witness);
    if (witness == NULL) {
        source->destroy(source);
        return cz_fail(CZ_E_NOMEM, "no memory for a witness");
    }
    witness->circuit = compiled;
    cz_bit_witness_from_source(&witness->w, source);
    *out = witness;
    return CZ_OK;
}

static bool has_values(const cz_witness *witness)
{
    return witness->w.source == NULL;
}

static cz_err synthesize(void *ctx, const cz_work *work, size_t k, bool with_values,
                         cz_witness **out, cz_trace *trace)
{
    const cz_filecoin_prover *p = ctx;
    const cz_compiled *compiled;
    cz_span span;
    cz_err err;

    CZ_TRY(cz_circuit_cache_get(p->circuits, work_circuit(work), p->opening, &compiled));
    span = cz_trace_begin(trace, CZ_PHASE_WITNESS, (unsigned)k);
    err = with_values || p->n_used == 0 ? make_values(p, job_of(work), k, compiled, out)
                                        : make_for_device(p, job_of(work), k, compiled, out);
    cz_trace_end(&span);
    return err;
}

static void witness_drop(void *ctx, cz_witness *witness)
{
    if (witness->pinned != NULL)
        unpin(ctx, witness);
    else
        cz_bit_witness_clear(&witness->w);
    cz_assignment_clear(&witness->classic);
    free(witness);
}

static uint64_t idle_bytes(void *ctx)
{
    const cz_filecoin_prover *p = ctx;

    return cz_pinned_idle_bytes(p->pinned);
}

/* What is left to devices is not page-locked. */
static uint64_t reuse_bytes(void *ctx, const cz_keys *keys, unsigned others)
{
    const cz_filecoin_prover *p = ctx;
    const char *id = cz_params_circuit_id(&keys->params);
    const cz_compiled *compiled = NULL;
    cz_circuit_stats stats;

    if (p->pinned != NULL && id != NULL && !made_on_devices(id))
        compiled = cz_circuit_cache_peek(p->circuits, id);
    if (compiled == NULL)
        return 0;
    stats = cz_compiled_stats(compiled);
    return cz_pinned_reusable(
        p->pinned, pinned_bytes_of(stats.inputs, cz_compiled_measure(compiled).n_fields, stats.aux),
        others);
}

static void trim(void *ctx)
{
    const cz_filecoin_prover *p = ctx;

    cz_pinned_trim(p->pinned);
}

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
    cz_err err = cz_job_public_inputs(job_of(work), k, &inputs, &n_inputs);

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
        .admit = admit,
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
        .synthesize = synthesize,
        .has_values = has_values,
        .witness_drop = witness_drop,
        .idle_bytes = idle_bytes,
        .trim = trim,
        .reuse_bytes = reuse_bytes,
        .verify = verify,
    };

    return (cz_prover){&ops, p};
}
