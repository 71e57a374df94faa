/* setup.h: test parameters from given toxic waste. Never for production: whoever knows the waste
 * can forge proofs. */
#ifndef CZ_PARAMS_SETUP_H
#define CZ_PARAMS_SETUP_H

#include "base/pool.h"
#include "cs/cs.h"
#include "gpu/gpu.h"

/* alpha, beta, gamma, delta, tau: non-zero; tau outside the domain. */
typedef struct {
    cz_fr alpha, beta, gamma, delta, tau;
} cz_toxic_waste;

/** The JSON form: an object of five strings, 32 bytes hex, little-endian, canonical. */
CZ_MUST_CHECK cz_err cz_toxic_waste_read(cz_toxic_waste *out, const char *path);

/** `done` of `total` units of the named step; called from one thread at a time. Steps in order:
 * count, device (where there is one), lagrange, columns, keys (units: steps of their own, 0 and 1),
 * h, l, a, b_g1, b_g2 (units: points), sync (the file system takes the file; 0 and 1); where it is
 * asked for, those of the folded file (setup_folded.h). */
typedef void (*cz_progress_fn)(void *ctx, const char *step, uint64_t done, uint64_t total);

/* All zero will do. */
typedef struct {
    cz_pool *pool;
    cz_gpu *gpu; /* computes the points; NULL: the pool does */
    cz_progress_fn progress;
    void *ctx;
    bool folded; /* write the folded file (folded.h) beside the parameters, too */
} cz_setup_options;

/** Write `<params_path>` and `<vk_path>` (through temporary files, renamed when complete). The
 * generators are the standard ones. Byte-identical to what bellperson's generator makes of the same
 * waste.
 *
 * Memory: about 32 bytes a constraint while the columns are summed, 96 bytes a variable throughout,
 * and 0.3 GiB of chunk buffers; points go to the file as they are computed. Errors: CZ_E_INPUT for
 * waste that makes no key and for circuits with a variable in no constraint; CZ_E_IO; CZ_E_NOMEM;
 * CZ_E_CUDA; whatever the circuit reports. What a device does not allow (setup_gpu.h) is known
 * before the work begins. The folded file comes last: when that fails, the other two are there. */
CZ_MUST_CHECK cz_err cz_params_setup_with(const cz_circuit *circuit, const cz_toxic_waste *waste,
                                          const char *params_path, const char *vk_path,
                                          const cz_setup_options *options);

/** The same without a device. */
CZ_MUST_CHECK cz_err cz_params_setup(const cz_circuit *circuit, const cz_toxic_waste *waste,
                                     const char *params_path, const char *vk_path, cz_pool *pool,
                                     cz_progress_fn progress, void *ctx);

#endif
