/* session_prove.c: a session that proves one request again and again, stage after stage: on the
 * CPU, or with gpus.backend = "cuda" on a device. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "commands.h"
#include "config/engine_config.h"
#include "device.h"
#include "filecoin/gen_vanilla.h"
#include "groth16/experiment_device.h"
#include "hash/sha256.h"
#include "session.h"

typedef struct {
    session_order *order;
    cz_pool *pool;
    cz_job *job;
    cz_params params;
    bool params_open;
    cz_prover_key *key;
    cz_verifier *verifier;
    cz_compiled *compiled;
    cz_experiment_prover prover;
    bool prover_open;
    cz_experiment_device device; /* its gpu is NULL: the CPU */
    cz_folded folded;            /* that the device uses, if it has one */
    double load_seconds;         /* of the parameters, to where they are used */
    uint8_t *proof;              /* all partitions */
} bench;

static cz_err open_job(bench *b)
{
    const session_order *o = b->order;
    cz_request *request;
    cz_err err;

    if (o->request != NULL)
        return load_job(&b->job, o->request, b->pool, NULL);
    CZ_TRY(cz_gen_circuit_request(&request, o->circuits, o->seed, b->pool));
    err = cz_job_create(&b->job, request, b->pool);
    cz_request_destroy(request);
    return err;
}

static cz_err open_host(bench *b, const cz_experiment *switches)
{
    CZ_TRY(cz_prover_key_load(&b->key, &b->params, b->pool, NULL));
    CZ_TRY(cz_experiment_open(&b->prover, switches, b->key, b->compiled, b->pool));
    b->prover_open = true;
    return CZ_OK;
}

static cz_err open_device(bench *b, const cz_experiment *switches)
{
    const cz_config *settings = &b->order->settings;
    const bool is_auto = settings->gpus.vram_budget == CZ_SIZE_AUTO;
    const cz_experiment_device_options options = {
        .number = settings->gpus.devices.n > 0 ? settings->gpus.devices.items[0] : 0,
        .vram_budget = is_auto ? 0 : settings->gpus.vram_budget,
        .folded = b->folded.file.path != NULL ? &b->folded : NULL};

    CZ_TRY(cz_experiment_device_open(&b->device, switches, &options, &b->params, b->compiled,
                                     b->pool));
    return CZ_OK;
}

static cz_err open_prover(bench *b)
{
    const cz_config *settings = &b->order->settings;
    const cz_experiment switches = cz_config_experiment(settings);
    const uint64_t start = cz_clock_ns();

    if (strcmp(settings->gpus.backend, "cuda") != 0) {
        CZ_TRY(open_host(b, &switches));
    } else {
        CZ_TRY(bench_folded_open(&b->folded, settings->gpus.folded, &b->params, b->compiled));
        CZ_TRY(open_device(b, &switches));
    }
    b->load_seconds = (double)(cz_clock_ns() - start) / 1e9;
    return CZ_OK;
}

static cz_err open_all(bench *b)
{
    const char *id;
    bool was_cached;

    CZ_TRY(cz_pool_create(&b->pool, b->order->threads));
    CZ_TRY(open_job(b));
    id = cz_job_circuit_id(b->job);
    if (strcmp(id, b->order->circuits) != 0)
        return cz_fail(CZ_E_INPUT, "%s: is a request for %s, not %s", b->order->request, id,
                       b->order->circuits);
    CZ_TRY(load_params(&b->params, b->order->params, id, b->pool));
    b->params_open = true;
    CZ_TRY(cz_verifier_create(&b->verifier, &b->params.vk));
    CZ_TRY(open_compiled_circuit(&b->compiled, &was_cached, id, NULL));
    CZ_TRY(open_prover(b));
    b->proof = calloc(cz_job_partitions(b->job), CZ_PROOF_BYTES);
    return b->proof != NULL ? CZ_OK : cz_fail(CZ_E_NOMEM, "no memory for proofs");
}

static void close_all(bench *b)
{
    free(b->proof);
    if (b->prover_open)
        cz_experiment_close(&b->prover);
    cz_experiment_device_close(&b->device);
    cz_folded_close(&b->folded);
    cz_compiled_destroy(b->compiled);
    cz_verifier_destroy(b->verifier);
    cz_prover_key_destroy(b->key);
    if (b->params_open)
        cz_params_close(&b->params);
    cz_job_destroy(b->job);
    cz_pool_destroy(b->pool);
}

static size_t partitions_of(const bench *b)
{
    const size_t all = cz_job_partitions(b->job), wanted = b->order->partitions;

    return wanted != 0 && wanted < all ? wanted : all;
}

static cz_err verify(const bench *b, size_t k, const cz_proof *proof, cz_trace *trace)
{
    cz_span span = cz_trace_begin(trace, CZ_PHASE_VERIFY, (unsigned)k);
    cz_fr *inputs;
    size_t n;
    cz_err err = cz_job_public_inputs(b->job, k, &inputs, &n);

    if (err == CZ_OK) {
        err = cz_groth16_verify(b->verifier, proof, inputs, n);
        free(inputs);
    }
    cz_trace_end(&span);
    return err;
}

/* r and s are the same in every session, so that all must give the same bytes. */
static cz_err prove_partition(bench *b, size_t k, cz_trace *trace)
{
    cz_circuit *circuit;
    cz_proof proof;
    cz_span span;
    cz_fr r, s;
    cz_err err;

    cz_fr_from_u64(&r, 2 * k + 0x5eed);
    cz_fr_from_u64(&s, 2 * k + 0x5eee);
    span = cz_trace_begin(trace, CZ_PHASE_DESERIALIZE, (unsigned)k);
    err = cz_job_circuit(b->job, k, &circuit);
    cz_trace_end(&span);
    CZ_TRY(err);
    if (b->device.gpu != NULL)
        err = cz_experiment_device_prove(&proof, &b->device, circuit, &r, &s, (unsigned)k, trace);
    else
        err = cz_experiment_prove(&proof, &b->prover, circuit, &r, &s, (unsigned)k, trace);
    cz_circuit_destroy(circuit);
    CZ_TRY(err);
    cz_proof_write(b->proof + k * CZ_PROOF_BYTES, &proof);
    return verify(b, k, &proof, trace);
}

static uint64_t vram_of(const bench *b)
{
    return b->device.gpu != NULL ? cz_gpu_used_bytes(b->device.gpu, CZ_GPU_DEVICE_MEMORY) : 0;
}

static uint64_t locked_of(const bench *b)
{
    return b->device.gpu != NULL ? cz_gpu_used_bytes(b->device.gpu, CZ_GPU_PINNED_MEMORY)
                                 : cz_blocks_count(b->prover.blocks).locked;
}

static cz_err prove_once(bench *b)
{
    session_clock clock;
    cz_trace *trace = NULL;
    cz_err err = CZ_OK;

    CZ_TRY(session_await_turn(b->order));
    if (!b->order->no_trace)
        CZ_TRY(cz_trace_create(&trace));
    clock = session_start();
    for (size_t k = 0; err == CZ_OK && k < partitions_of(b); k++)
        err = prove_partition(b, k, trace);
    if (err == CZ_OK)
        session_report(b->order, &clock, trace, vram_of(b));
    cz_trace_destroy(trace);
    return err;
}

static void report_end(bench *b)
{
    cz_json_out *j = &b->order->answer;
    uint8_t hash[32];
    char hex[65];

    cz_sha256_of(hash, b->proof, partitions_of(b) * CZ_PROOF_BYTES);
    for (int i = 0; i < 32; i++)
        (void)snprintf(hex + 2 * (size_t)i, 3, "%02x", hash[i]);
    cz_json_out_close(j);
    cz_json_out_u64(j, "locked_bytes", locked_of(b));
    cz_json_out_double(j, "load_seconds", b->load_seconds);
    cz_json_out_string(j, "proof_sha256", hex);
}

cz_err session_prove(session_order *o)
{
    bench b = {.order = o};
    cz_err err = open_all(&b);

    for (unsigned i = 0; err == CZ_OK && i <= o->warm; i++)
        err = prove_once(&b);
    if (err == CZ_OK)
        report_end(&b);
    close_all(&b);
    return err;
}
