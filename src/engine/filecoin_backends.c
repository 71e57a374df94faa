/* filecoin_backends.c: the `prove` stage on CUDA devices and on the CPU.
 *
 * Where there are devices, the CPU is spare: the engine gives it what no device takes, circuits
 * that fit none and everything once all are given up. */
#define _GNU_SOURCE
#include <stdio.h>

#include "base/bytes.h"
#include "base/log.h"
#include "engine/filecoin_state.h"
#include "groth16/prove_compiled.h"

/* --- the CPU --- */

/* Keys are shared and constant but for this. */
static cz_host_key *host_key_of(const cz_keys *keys)
{
    return (cz_host_key *)(uintptr_t)&keys->host;
}

static cz_err ensure_host_key(const cz_keys *keys, cz_pool *pool, cz_trace *trace)
{
    cz_host_key *host = host_key_of(keys);
    cz_err err = CZ_OK;

    (void)pthread_mutex_lock(&host->lock);
    if (host->key == NULL)
        err = cz_prover_key_load(&host->key, &keys->params, pool, trace);
    if (err != CZ_OK)
        host->key = NULL;
    (void)pthread_mutex_unlock(&host->lock);
    return err;
}

/* r and s; what was drawn is to be erased, also after a failure. */
static cz_err draw(cz_fr rs[2])
{
    rs[0] = rs[1] = (cz_fr){{0}};
    CZ_TRY(cz_fr_random(&rs[0]));
    return cz_fr_random(&rs[1]);
}

static cz_err prove_item(const cz_filecoin_prover *p, const cz_keys *keys,
                         const cz_prove_item *item)
{
    const cz_prove_options options = {.pin = p->experiment.pin,
                                      .blocks = p->blocks,
                                      .b2_serial = p->experiment.b2_serial,
                                      .flip = (cz_proof_sum)item->flip,
                                      .partition = item->partition};
    const uint64_t start = cz_clock_ns();
    cz_fr rs[2];
    cz_proof proof;
    cz_err err;

    CZ_TRY(ensure_host_key(keys, p->proving, item->trace));
    err = draw(rs);
    if (err == CZ_OK && p->experiment.classic)
        err = cz_groth16_prove_with(&proof, keys->host.key, &item->witness->classic, &rs[0], &rs[1],
                                    p->proving, item->trace, &options);
    else if (err == CZ_OK)
        err = cz_groth16_prove_compiled_with(&proof, keys->host.key, item->witness->circuit,
                                             &item->witness->w, &rs[0], &rs[1], p->proving,
                                             item->trace, &options);
    cz_secure_zero(rs, sizeof rs);
    CZ_TRY(err);
    cz_experiment_waste(&p->experiment, start, item->trace);
    cz_proof_write(item->proof, &proof);
    return CZ_OK;
}

static cz_err prove(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CZ_TRY(prove_item(ctx, keys, &items[i]));
    return CZ_OK;
}

static void describe(void *ctx, cz_device_info *out)
{
    const cz_filecoin_prover *p = ctx;

    *out = (cz_device_info){0};
    (void)snprintf(out->name, sizeof out->name, "CPU, %u threads", cz_pool_threads(p->proving));
}

cz_backend cz_cpu_backend(cz_filecoin_prover *p)
{
    return (cz_backend){
        .name = "cpu", .workers = 1, .batch = 1, .ctx = p, .prove = prove, .describe = describe};
}

/* --- devices --- */

/* What is wrong with the file is wrong everywhere; what a device cannot take the CPU can. */
static cz_err load_on_device(void *ctx, const cz_keys *keys)
{
    const cz_filecoin_device *d = ctx;
    const char *circuit_id = cz_params_circuit_id(&keys->params);
    cz_device_circuit circuit = {
        .params = &keys->params, .folded = cz_filecoin_folded(keys), .pool = d->prover->opening};
    cz_err err =
        cz_circuit_cache_get(d->prover->circuits, circuit_id, d->prover->opening, &circuit.circuit);

    if (err == CZ_OK)
        err = cz_device_prover_load(d->device, &circuit);
    if (err != CZ_OK)
        cz_log(CZ_LOG_WARN, "parameters of %s are not on GPU %u: %s", circuit_id, d->number,
               cz_err_message());
    return err;
}

/* Loading goes to the job of the first partition. */
static cz_err prove_on_device(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n)
{
    const cz_filecoin_device *d = ctx;
    const cz_device_circuit circuit = {.params = &keys->params,
                                       .folded = cz_filecoin_folded(keys),
                                       .circuit = items[0].witness->circuit,
                                       .pool = d->prover->proving};
    cz_device_partition parts[CZ_MOST_BATCH];
    cz_proof proofs[CZ_MOST_BATCH];
    bool is_folded;

    for (size_t i = 0; i < n; i++)
        parts[i] = (cz_device_partition){
            .w = &items[i].witness->w, .partition = items[i].partition, .trace = items[i].trace};
    CZ_TRY(cz_device_prover_prove(d->device, &circuit, parts, (unsigned)n, items[0].trace, proofs,
                                  &is_folded));
    for (size_t i = 0; i < n; i++) {
        cz_proof_write(items[i].proof, &proofs[i]);
        if (is_folded)
            cz_filecoin_note_folded(keys, items[i].proof);
    }
    return CZ_OK;
}

static unsigned capacity_of_device(void *ctx, const cz_keys *keys)
{
    const cz_filecoin_device *d = ctx;

    return cz_device_prover_capacity(d->device, keys == NULL ? NULL : &keys->params);
}

static bool device_holds(void *ctx, const cz_keys *keys)
{
    const cz_filecoin_device *d = ctx;

    return cz_device_prover_holds(d->device, &keys->params);
}

static void judge_device(void *ctx, bool good)
{
    const cz_filecoin_device *d = ctx;

    cz_device_prover_judge(d->device, good);
}

static void describe_device(void *ctx, cz_device_info *out)
{
    const cz_filecoin_device *d = ctx;

    if (d->device != NULL) {
        cz_device_prover_describe(d->device, out);
        return;
    }
    *out = (cz_device_info){0};
    (void)snprintf(out->problem, sizeof out->problem, "%s", d->problem);
}

static cz_err open_device(cz_filecoin_prover *p, unsigned number, uint64_t budget)
{
    cz_filecoin_device *d = &p->devices[p->n_devices];
    cz_err err;

    if (p->n_devices == sizeof p->devices / sizeof *p->devices)
        return cz_fail(CZ_E_UNSUPPORTED, "GPU %u: more than %zu devices", number, p->n_devices);
    *d = (cz_filecoin_device){.prover = p, .number = number};
    err = cz_device_prover_open(&d->device, number, budget, p->self_test);
    p->n_devices++;
    p->n_used += err == CZ_OK;
    if (err == CZ_OK)
        return CZ_OK;
    d->device = NULL;
    (void)snprintf(d->problem, sizeof d->problem, "%.250s", cz_err_message());
    return cz_fail_in(err, "GPU %u", number);
}

/* What keeps the test from being made says nothing of devices. */
static void make_self_test(cz_filecoin_prover *p)
{
    if (cz_self_test_create(&p->self_test, p->opening) == CZ_OK)
        return;
    p->self_test = NULL;
    cz_log(CZ_LOG_WARN, "devices are used untested: %s", cz_err_message());
}

/* The same memory for all devices. Without it uploads take longer, and no more. */
static void make_pinned(cz_filecoin_prover *p, uint64_t limit)
{
    size_t i = 0;

    while (i < p->n_devices && p->devices[i].device == NULL)
        i++;
    if (i == p->n_devices || limit == 0)
        return;
    if (cz_pinned_create(&p->pinned, p->devices[i].number, limit) == CZ_OK)
        return;
    p->pinned = NULL;
    cz_log(CZ_LOG_WARN, "witnesses are not page-locked: %s", cz_err_message());
}

static cz_err open_devices(cz_filecoin_prover *p, const cz_device_options *o)
{
    int found;

    if (p->experiment.classic)
        return cz_fail(CZ_E_INPUT, "experiment.synthesis = \"classic\" is for the CPU");
    CZ_TRY(cz_gpu_count(&found));
    if (o->self_test)
        make_self_test(p);
    for (size_t i = 0; i < (o->n_numbers != 0 ? o->n_numbers : (size_t)found); i++) {
        const unsigned number = o->n_numbers != 0 ? o->numbers[i] : (unsigned)i;
        const cz_err err = open_device(p, number, o->vram_budget);

        if (err == CZ_E_NODEV && o->required && o->n_numbers != 0)
            return err;
        if (err != CZ_OK)
            cz_log(CZ_LOG_ERROR, "not used: %s", cz_err_message());
    }
    make_pinned(p, o->pinned_limit);
    return p->n_used > 0 ? CZ_OK : cz_fail(CZ_E_NODEV, "no device can be used");
}

cz_err cz_filecoin_prover_open_devices(cz_filecoin_prover *p, const cz_device_options *options)
{
    const cz_err err = open_devices(p, options);

    p->device_workers = options->workers;
    p->use_folded = options->folded;
    if (err == CZ_OK || options->required)
        return err;
    cz_log(CZ_LOG_INFO, "proving on the CPU: %s", cz_err_message());
    return CZ_OK;
}

void cz_filecoin_close_devices(cz_filecoin_prover *p)
{
    for (size_t i = 0; i < p->n_devices; i++)
        cz_device_prover_close(p->devices[i].device);
    p->n_devices = p->n_used = 0;
    cz_self_test_destroy(p->self_test);
    cz_pinned_destroy(p->pinned);
    p->self_test = NULL;
    p->pinned = NULL;
}

static cz_backend device_backend(const cz_filecoin_prover *p, cz_filecoin_device *d)
{
    return (cz_backend){.name = "cuda",
                        .device = d->number,
                        .workers = d->device != NULL ? p->device_workers : 0,
                        .batch = CZ_MOST_BATCH, /* capacity says how many it likes */
                        .ctx = d,
                        .capacity = capacity_of_device,
                        .holds = device_holds,
                        .load = load_on_device,
                        .prove = prove_on_device,
                        .judge = judge_device,
                        .describe = describe_device};
}

size_t cz_filecoin_backends(cz_filecoin_prover *p, cz_backend out[CZ_MOST_BACKENDS])
{
    for (size_t i = 0; i < p->n_devices; i++)
        out[i] = device_backend(p, &p->devices[i]);
    out[p->n_devices] = cz_cpu_backend(p);
    out[p->n_devices].spare = p->n_used > 0;
    return p->n_devices + 1;
}

/* --- keys --- */

/* Devices then load them, each by a worker of its own (load_on_device). */
cz_err cz_filecoin_heat(cz_filecoin_prover *p, cz_keys *keys)
{
    const cz_compiled *circuit;

    if (p->n_used == 0)
        return ensure_host_key(keys, p->opening, NULL);
    return cz_circuit_cache_get(p->circuits, cz_params_circuit_id(&keys->params), p->opening,
                                &circuit);
}

void cz_filecoin_cool(cz_filecoin_prover *p, cz_keys *keys)
{
    bool all_free = true;

    for (size_t i = 0; i < p->n_devices; i++)
        if (p->devices[i].device != NULL)
            all_free = cz_device_prover_forget(p->devices[i].device, &keys->params) && all_free;
    if (all_free) /* or unlocking pages may wait for a call */
        cz_pinned_trim(p->pinned);
    cz_prover_key_destroy(keys->host.key);
    keys->host.key = NULL;
}
