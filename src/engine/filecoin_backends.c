/* filecoin_backends.c: the `prove` stage on CUDA devices and on the CPU.
 *
 * A device's backend ends on the CPU what the device cannot take: circuits that do not fit it, and
 * everything once it is given up. A failure on the way is the engine's to repeat (prover.h), but a
 * WinningPoSt has no time for that: it goes to the CPU at once. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

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

static cz_err prove_item(const cz_filecoin_prover *p, const cz_keys *keys,
                         const cz_prove_item *item)
{
    const cz_prove_options options = {
        .pin = p->experiment.pin, .blocks = p->blocks, .b2_serial = p->experiment.b2_serial};
    const uint64_t start = cz_clock_ns();
    cz_fr r, s;
    cz_proof proof;
    cz_err err;

    CZ_TRY(ensure_host_key(keys, p->proving, item->trace));
    CZ_TRY(cz_fr_random(&r));
    CZ_TRY(cz_fr_random(&s));
    if (p->experiment.classic)
        err = cz_groth16_prove_with(&proof, keys->host.key, &item->witness->classic, &r, &s,
                                    p->proving, item->trace, &options);
    else
        err = cz_groth16_prove_compiled_with(&proof, keys->host.key, item->witness->circuit,
                                             &item->witness->w, &r, &s, p->proving, item->trace,
                                             &options);
    cz_secure_zero(&r, sizeof r);
    cz_secure_zero(&s, sizeof s);
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

static bool goes_to_the_cpu(cz_err err, const cz_keys *keys)
{
    if (err == CZ_E_CUDA)
        return strncmp(cz_params_circuit_id(&keys->params), "winning-", 8) == 0;
    return err == CZ_E_NOMEM || err == CZ_E_DECLINED || err == CZ_E_NODEV;
}

static cz_err prove_item_on_device(const cz_filecoin_device *d, const cz_keys *keys,
                                   const cz_prove_item *item)
{
    const cz_device_circuit circuit = {&keys->params, item->witness->circuit, d->prover->proving};
    cz_proof proof;
    const cz_err err = cz_device_prover_prove(d->device, &circuit, &item->witness->w,
                                              item->partition, item->trace, &proof);

    if (err == CZ_OK) {
        cz_proof_write(item->proof, &proof);
        return CZ_OK;
    }
    if (!goes_to_the_cpu(err, keys))
        return err;
    cz_log(CZ_LOG_WARN, "%s, partition %u: proved on the CPU: %s",
           cz_params_circuit_id(&keys->params), item->partition, cz_err_message());
    return prove_item(d->prover, keys, item);
}

static cz_err prove_on_device(void *ctx, const cz_keys *keys, cz_prove_item *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        CZ_TRY(prove_item_on_device(ctx, keys, &items[i]));
    return CZ_OK;
}

static void describe_device(void *ctx, cz_device_info *out)
{
    const cz_filecoin_device *d = ctx;

    cz_device_prover_describe(d->device, out);
}

static cz_err open_device(cz_filecoin_prover *p, unsigned number, uint64_t budget)
{
    cz_filecoin_device *d = &p->devices[p->n_devices];

    if (p->n_devices == CZ_MOST_BACKENDS)
        return cz_fail(CZ_E_UNSUPPORTED, "more than %d devices", CZ_MOST_BACKENDS);
    CZ_TRY_IN(cz_device_prover_open(&d->device, number, budget), "GPU %u", number);
    d->prover = p;
    d->number = number;
    p->n_devices++;
    return CZ_OK;
}

static cz_err open_devices(cz_filecoin_prover *p, const cz_device_options *o)
{
    int found;

    if (p->experiment.classic)
        return cz_fail(CZ_E_INPUT, "experiment.synthesis = \"classic\" is for the CPU");
    CZ_TRY(cz_gpu_count(&found));
    for (size_t i = 0; i < (o->n_numbers != 0 ? o->n_numbers : (size_t)found); i++) {
        const unsigned number = o->n_numbers != 0 ? o->numbers[i] : (unsigned)i;
        const cz_err err = open_device(p, number, o->vram_budget);

        if (err != CZ_OK && o->required && o->n_numbers != 0)
            return err;
        if (err != CZ_OK)
            cz_log(CZ_LOG_WARN, "not used: %s", cz_err_message());
    }
    return p->n_devices > 0 ? CZ_OK : cz_fail(CZ_E_NODEV, "no device can be used");
}

cz_err cz_filecoin_prover_open_devices(cz_filecoin_prover *p, const cz_device_options *options)
{
    const cz_err err = open_devices(p, options);

    p->device_workers = options->workers;
    if (err == CZ_OK || options->required)
        return err;
    cz_log(CZ_LOG_INFO, "proving on the CPU: %s", cz_err_message());
    return CZ_OK;
}

void cz_filecoin_close_devices(cz_filecoin_prover *p)
{
    for (size_t i = 0; i < p->n_devices; i++)
        cz_device_prover_close(p->devices[i].device);
    p->n_devices = 0;
}

size_t cz_filecoin_backends(cz_filecoin_prover *p, cz_backend out[CZ_MOST_BACKENDS])
{
    for (size_t i = 0; i < p->n_devices; i++)
        out[i] = (cz_backend){.name = "cuda",
                              .device = p->devices[i].number,
                              .workers = p->device_workers,
                              .batch = 1,
                              .ctx = &p->devices[i],
                              .prove = prove_on_device,
                              .describe = describe_device};
    if (p->n_devices == 0)
        out[0] = cz_cpu_backend(p);
    return p->n_devices != 0 ? p->n_devices : 1;
}

/* --- keys --- */

/* What is wrong with the file is wrong everywhere; what a device cannot take the CPU can. */
static cz_err heat_device(const cz_filecoin_device *d, const cz_device_circuit *circuit,
                          const char *circuit_id)
{
    const cz_err err = cz_device_prover_load(d->device, circuit);

    if (err == CZ_E_INPUT || err == CZ_E_IO)
        return err;
    if (err != CZ_OK)
        cz_log(CZ_LOG_WARN, "parameters of %s are not on GPU %u: %s", circuit_id, d->number,
               cz_err_message());
    return CZ_OK;
}

static cz_err heat_devices(const cz_filecoin_prover *p, const cz_keys *keys)
{
    const char *circuit_id = cz_params_circuit_id(&keys->params);
    cz_device_circuit circuit = {.params = &keys->params, .pool = p->opening};

    CZ_TRY(cz_circuit_cache_get(p->circuits, circuit_id, p->opening, &circuit.circuit));
    for (size_t i = 0; i < p->n_devices; i++)
        CZ_TRY(heat_device(&p->devices[i], &circuit, circuit_id));
    return CZ_OK;
}

cz_err cz_filecoin_heat(cz_filecoin_prover *p, cz_keys *keys)
{
    cz_err err;

    if (p->n_devices == 0)
        return ensure_host_key(keys, p->opening, NULL);
    err = heat_devices(p, keys);
    if (err != CZ_OK)
        cz_filecoin_cool(p, keys);
    return err;
}

void cz_filecoin_cool(cz_filecoin_prover *p, cz_keys *keys)
{
    for (size_t i = 0; i < p->n_devices; i++)
        cz_device_prover_forget(p->devices[i].device, &keys->params);
    cz_prover_key_destroy(keys->host.key);
    keys->host.key = NULL;
}
