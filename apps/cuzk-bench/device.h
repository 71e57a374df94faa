/* device.h: the CUDA device of a command, where one is wanted and there. */
#ifndef CZ_BENCH_DEVICE_H
#define CZ_BENCH_DEVICE_H

#include "groth16/prove_device.h"

typedef struct {
    cz_gpu *gpu; /* NULL: the CPU */
    cz_device_key *key;
    cz_gpu_info info;
} bench_device;

/** Open the device that `backend` ("auto", "cpu", "cuda") means for a path ("fast", "classic"), if
 * it means one: auto takes device 0 where backend and device are there and the path is fast.
 * vram_mib: the most of its memory to take; 0: nine tenths of what is free. */
CZ_MUST_CHECK cz_err bench_device_open(bench_device *d, const char *backend, const char *path,
                                       unsigned vram_mib);

/** Load the parameters; does nothing on the CPU. With auto, a device that they do not fit is closed
 * and standard error says so. */
CZ_MUST_CHECK cz_err bench_device_load(bench_device *d, const char *backend,
                                       const cz_params *params, const cz_compiled *circuit,
                                       cz_pool *pool, cz_trace *trace);

/** "cuda" or "cpu". */
const char *bench_device_backend(const bench_device *d);

void bench_device_close(bench_device *d);

#endif
