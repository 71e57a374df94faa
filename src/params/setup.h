/* setup.h: test parameters from given toxic waste. Never for production: whoever knows the waste
 * can forge proofs. */
#ifndef CZ_PARAMS_SETUP_H
#define CZ_PARAMS_SETUP_H

#include "base/pool.h"
#include "cs/cs.h"

/* alpha, beta, gamma, delta, tau: non-zero; tau outside the domain. */
typedef struct {
    cz_fr alpha, beta, gamma, delta, tau;
} cz_toxic_waste;

/** The JSON form: an object of five strings, 32 bytes hex, little-endian, canonical. */
CZ_MUST_CHECK cz_err cz_toxic_waste_read(cz_toxic_waste *out, const char *path);

/** `done` of `total` units of the named step; called from one thread at a time. */
typedef void (*cz_progress_fn)(void *ctx, const char *step, uint64_t done, uint64_t total);

/** Write `<params_path>` and `<vk_path>` (through temporary files, renamed when complete). The
 * generators are the standard ones. Byte-identical to what bellperson's generator makes of the same
 * waste. */
CZ_MUST_CHECK cz_err cz_params_setup(const cz_circuit *circuit, const cz_toxic_waste *waste,
                                     const char *params_path, const char *vk_path, cz_pool *pool,
                                     cz_progress_fn progress, void *ctx);

#endif
