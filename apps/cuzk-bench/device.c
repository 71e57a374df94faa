/* device.c: see device.h. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"

static cz_err open_first(bench_device *d, unsigned vram_mib)
{
    CZ_TRY(cz_gpu_open(&d->gpu, 0, (uint64_t)vram_mib << 20));
    return cz_gpu_describe(d->gpu, &d->info);
}

/* A device that is listed and cannot be had is no reason to do without a proof. */
static cz_err open_if_possible(bench_device *d, unsigned vram_mib)
{
    int n;

    if (cz_gpu_count(&n) != CZ_OK || open_first(d, vram_mib) == CZ_OK)
        return CZ_OK;
    (void)fprintf(stderr, "cuzk-bench: on the CPU, as the device cannot be opened: %s\n",
                  cz_err_message());
    cz_gpu_close(d->gpu);
    d->gpu = NULL;
    return CZ_OK;
}

cz_err bench_device_open(bench_device *d, const char *backend, const char *path, unsigned vram_mib)
{
    const bool fast = strcmp(path, "fast") == 0;

    if (strcmp(backend, "cpu") == 0 || (strcmp(backend, "auto") == 0 && !fast))
        return CZ_OK;
    if (strcmp(backend, "auto") == 0)
        return open_if_possible(d, vram_mib);
    if (strcmp(backend, "cuda") != 0)
        return args_mistake(
            cz_fail(CZ_E_INPUT, "--backend '%s' is none of auto, cpu, cuda", backend));
    if (!fast)
        return args_mistake(cz_fail(CZ_E_INPUT, "--backend cuda goes with --path fast only"));
    CZ_TRY_IN(open_first(d, vram_mib), "--backend cuda");
    return CZ_OK;
}

/* ---- folded files ---- */

cz_err bench_folded_check(const char *folded)
{
    if (strcmp(folded, "auto") == 0 || strcmp(folded, "off") == 0 || strcmp(folded, "require") == 0)
        return CZ_OK;
    return args_mistake(cz_fail(CZ_E_INPUT, "--folded '%s' is none of auto, off, require", folded));
}

static cz_err open_beside(cz_folded *out, const cz_params *params, const cz_compiled *circuit)
{
    char *path = cz_folded_path(params->path);
    cz_err err;

    if (path == NULL)
        return cz_fail(CZ_E_NOMEM, "no memory for a path");
    err = cz_folded_open(out, path, params, cz_compiled_id(circuit));
    free(path);
    return err;
}

static void close_folded(bench_device *d)
{
    cz_folded_close(&d->folded);
    d->folded = (cz_folded){.log_n = 0};
}

static bool has_folded(const bench_device *d)
{
    return d->folded.file.path != NULL;
}

cz_err bench_folded_open(cz_folded *out, const char *mode, const cz_params *params,
                         const cz_compiled *circuit)
{
    cz_err err;

    *out = (cz_folded){.log_n = 0};
    if (strcmp(mode, "off") == 0)
        return CZ_OK;
    err = open_beside(out, params, circuit);
    if (err == CZ_OK || strcmp(mode, "require") == 0)
        return err;
    if (err != CZ_E_NOTFOUND)
        (void)fprintf(stderr, "cuzk-bench: not used: %s\n", cz_err_message());
    return CZ_OK;
}

bool bench_device_folded(const bench_device *d)
{
    return d->key != NULL && cz_device_key_folded(d->key);
}

/* ---- parameters ---- */

static cz_err load_key(bench_device *d, const cz_params *params, const cz_compiled *circuit,
                       cz_pool *pool, cz_trace *trace)
{
    const cz_device_key_options options = {.folded = has_folded(d) ? &d->folded : NULL};

    return cz_device_key_load_with(&d->key, d->gpu, params, circuit, &options, pool, trace);
}

/* Without the folded file, where that may be what is damaged and may be left out. */
static cz_err load_either(bench_device *d, const char *folded, const cz_params *params,
                          const cz_compiled *circuit, cz_pool *pool, cz_trace *trace)
{
    const cz_err err = load_key(d, params, circuit, pool, trace);

    if ((err != CZ_E_INPUT && err != CZ_E_IO) || !has_folded(d) || strcmp(folded, "require") == 0)
        return err;
    (void)fprintf(stderr, "cuzk-bench: %s is not used: %s\n", d->folded.file.path,
                  cz_err_message());
    close_folded(d);
    return load_key(d, params, circuit, pool, trace);
}

cz_err bench_device_load(bench_device *d, const char *backend, const char *folded,
                         const cz_params *params, const cz_compiled *circuit, cz_pool *pool,
                         cz_trace *trace)
{
    cz_err err;

    if (d->gpu == NULL && strcmp(folded, "require") == 0)
        return cz_fail(CZ_E_INPUT, "--folded require: the CPU, which proves, uses no folded file");
    if (d->gpu == NULL)
        return CZ_OK;
    CZ_TRY(bench_folded_open(&d->folded, folded, params, circuit));
    err = load_either(d, folded, params, circuit, pool, trace);
    if ((err != CZ_E_NOMEM && err != CZ_E_DECLINED) || strcmp(backend, "auto") != 0 ||
        strcmp(folded, "require") == 0)
        return err;
    (void)fprintf(stderr, "cuzk-bench: proving on the CPU: %s\n", cz_err_message());
    bench_device_close(d);
    return CZ_OK;
}

uint64_t bench_device_beside(const bench_device *d)
{
    const uint64_t taken = cz_gpu_used_bytes(d->gpu, CZ_GPU_DEVICE_MEMORY);
    cz_gpu_info now;
    uint64_t in_use;

    if (cz_gpu_describe(d->gpu, &now) != CZ_OK)
        return 0;
    in_use = now.total_bytes - now.free_bytes;
    return in_use > taken ? in_use - taken : 0;
}

const char *bench_device_backend(const bench_device *d)
{
    return d->gpu != NULL ? "cuda" : "cpu";
}

void bench_device_close(bench_device *d)
{
    cz_device_key_destroy(d->key);
    cz_folded_close(&d->folded);
    cz_gpu_close(d->gpu);
    *d = (bench_device){.gpu = NULL};
}
