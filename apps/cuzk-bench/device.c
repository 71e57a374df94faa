/* device.c: see device.h. */
#include "device.h"

#include <stdio.h>
#include <string.h>

static cz_err open_first(bench_device *d, unsigned vram_mib)
{
    CZ_TRY(cz_gpu_open(&d->gpu, 0, (uint64_t)vram_mib << 20));
    return cz_gpu_describe(d->gpu, &d->info);
}

cz_err bench_device_open(bench_device *d, const char *backend, const char *path, unsigned vram_mib)
{
    const bool fast = strcmp(path, "fast") == 0;
    int n;

    if (strcmp(backend, "cpu") == 0 || (strcmp(backend, "auto") == 0 && !fast))
        return CZ_OK;
    if (strcmp(backend, "auto") == 0)
        return cz_gpu_count(&n) == CZ_OK ? open_first(d, vram_mib) : CZ_OK;
    if (strcmp(backend, "cuda") != 0)
        return cz_fail(CZ_E_INPUT, "--backend '%s' is none of auto, cpu, cuda", backend);
    if (!fast)
        return cz_fail(CZ_E_INPUT, "--backend cuda goes with --path fast only");
    CZ_TRY_IN(open_first(d, vram_mib), "--backend cuda");
    return CZ_OK;
}

cz_err bench_device_load(bench_device *d, const char *backend, const cz_params *params,
                         const cz_compiled *circuit, cz_pool *pool, cz_trace *trace)
{
    cz_err err;

    if (d->gpu == NULL)
        return CZ_OK;
    err = cz_device_key_load(&d->key, d->gpu, params, circuit, pool, trace);
    if (strcmp(backend, "auto") != 0 || (err != CZ_E_NOMEM && err != CZ_E_DECLINED))
        return err;
    (void)fprintf(stderr, "cuzk-bench: proving on the CPU: %s\n", cz_err_message());
    bench_device_close(d);
    return CZ_OK;
}

const char *bench_device_backend(const bench_device *d)
{
    return d->gpu != NULL ? "cuda" : "cpu";
}

void bench_device_close(bench_device *d)
{
    cz_device_key_destroy(d->key);
    cz_gpu_close(d->gpu);
    *d = (bench_device){.gpu = NULL};
}
