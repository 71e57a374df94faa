/* device.h: the CUDA device of a command, where one is wanted and there. */
#ifndef CZ_BENCH_DEVICE_H
#define CZ_BENCH_DEVICE_H

#include "groth16/prove_device.h"

typedef struct {
    cz_gpu *gpu; /* NULL: the CPU */
    cz_device_key *key;
    cz_folded folded; /* that the key uses, if it is folded */
    cz_gpu_info info;
} bench_device;

/** Open the device that `backend` ("auto", "cpu", "cuda") means for a path ("fast", "classic"), if
 * it means one: auto takes device 0 where backend and device are there and the path is fast.
 * vram_mib: the most of its memory to take; 0: what is free less 1.5 GiB, or a tenth. */
CZ_MUST_CHECK cz_err bench_device_open(bench_device *d, const char *backend, const char *path,
                                       unsigned vram_mib);

/** Is `folded` ("auto", "off", "require") one of them? CZ_E_INPUT. */
CZ_MUST_CHECK cz_err bench_folded_check(const char *folded);

/** Open the folded file beside the parameters, if `mode` wants one; with auto, one that is damaged
 * or of other parameters is only named on standard error. All of *out is zero where none is used.
 */
CZ_MUST_CHECK cz_err bench_folded_open(cz_folded *out, const char *mode, const cz_params *params,
                                       const cz_compiled *circuit);

/** Load the parameters, with the folded file beside them as above, also where the damage is seen
 * only now; does nothing on the CPU, where to require a folded file is CZ_E_INPUT. With backend
 * auto, a device that they do not fit is closed and standard error says so, unless a folded file is
 * required: CZ_E_NOMEM, CZ_E_DECLINED. */
CZ_MUST_CHECK cz_err bench_device_load(bench_device *d, const char *backend, const char *folded,
                                       const cz_params *params, const cz_compiled *circuit,
                                       cz_pool *pool, cz_trace *trace);

/** Is the key folded? */
bool bench_device_folded(const bench_device *d);

/** Bytes of the device that are in use now and are none of the key's: others', the context, the
 * kernels' code and stacks. 0: not known. */
uint64_t bench_device_beside(const bench_device *d);

/** "cuda" or "cpu". */
const char *bench_device_backend(const bench_device *d);

void bench_device_close(bench_device *d);

#endif
