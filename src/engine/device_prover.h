/* device_prover.h: one CUDA device that proves for many circuits.
 *
 * A circuit's parameters are converted and checked onto the device once (groth16/prove_device.h)
 * and stay until they are forgotten, or until another circuit needs their room: then those that
 * were used longest ago go first, unless they were used in the last minute and the other can be
 * streamed from its file beside them. What does not fit the budget even alone is remembered and
 * declined at once; where the device or the host had no memory, for a while, which grows from a
 * quarter of a second to a minute. The attempts after that leave alone what was used in the last
 * minute.
 *
 * A folded file beside the parameters is used, unless it turns out to be damaged. Where a circuit
 * comes with another one than before, or without, its parameters are loaded anew.
 *
 * A failing device (CZ_E_CUDA) is closed, with all that was on it, and opened anew by the next
 * call. A second failure without a proof between, or a device that cannot be opened again or then
 * fails its self-test, ends it: from then on every call gives CZ_E_NODEV. So do two proofs, without
 * a good one between, that the engine found wrong (cz_device_prover_judge).
 *
 * Threads: any. Loading and proving take turns, so that nothing in use is ever evicted. All else
 * waits for nobody: a call may take seconds, and on a device that hangs it never ends. */
#ifndef CZ_ENGINE_DEVICE_PROVER_H
#define CZ_ENGINE_DEVICE_PROVER_H

#include "engine/device_self_test.h"
#include "engine/prover.h"
#include "groth16/prove_device.h"

typedef struct cz_device_prover cz_device_prover;

/* A circuit's fixed parts. `params` tells circuits apart: the same address each time, open until
 * the circuit is forgotten. */
typedef struct {
    const cz_params *params;
    const cz_compiled *circuit;
    cz_pool *pool;           /* that reads the files */
    const cz_folded *folded; /* made from params, or NULL; open as long */
} cz_device_circuit;

/** At most budget_bytes of the device's memory are taken; 0: most of what is free now, as
 * cz_gpu_open says.
 * `test` is run at every opening and outlives the device; NULL: none. CZ_E_NODEV, CZ_E_CUDA,
 * CZ_E_NOMEM; CZ_E_VERIFY: the device computes something else. */
CZ_MUST_CHECK cz_err cz_device_prover_open(cz_device_prover **out, unsigned number,
                                           uint64_t budget_bytes, const cz_self_test *test);

/** NULL is fine. */
void cz_device_prover_close(cz_device_prover *d);

/** Have the circuit's parameters there; waits for the device's turn. CZ_E_DECLINED: they do not
 * fit, or the circuit is too large; CZ_E_NODEV, CZ_E_CUDA: above; CZ_E_INPUT and CZ_E_IO: the
 * parameter file. */
CZ_MUST_CHECK cz_err cz_device_prover_load(cz_device_prover *d, const cz_device_circuit *circuit);

/** Before the parameters are closed, and while no call has to do with them. From then on the device
 * has not seen them. False: it is in a call, and drops what it has of them after that, without a
 * look at them. */
bool cz_device_prover_forget(cz_device_prover *d, const cz_params *params);

/** n proofs that share what they can, made with the folded file or without; loads the parameters if
 * they are not there. The witnesses stay whole, whatever happens. Errors as above, and CZ_E_NOMEM;
 * then nothing of `out` and `is_folded` counts. */
CZ_MUST_CHECK cz_err cz_device_prover_prove(cz_device_prover *d, const cz_device_circuit *circuit,
                                            const cz_device_partition *parts, unsigned n,
                                            cz_trace *trace, cz_proof *out, bool *is_folded);

/** What the self-check found of one of its proofs: good; or not, while it was good when made
 * elsewhere. Waits for no call: a device that is given up while one goes on is closed after it. */
void cz_device_prover_judge(cz_device_prover *d, bool good);

/** Partitions that one call should have: 0 when the device is given up or the circuit was found
 * not to fit it, now or ever; 1 for NULL and for circuits not seen yet. */
unsigned cz_device_prover_capacity(cz_device_prover *d, const cz_params *params);

/** Are the circuit's parameters there now, and no others being loaded, which takes long? */
bool cz_device_prover_holds(cz_device_prover *d, const cz_params *params);

/** As it was after the last loading or failure. */
void cz_device_prover_describe(cz_device_prover *d, cz_device_info *out);

/** How often parameters were loaded. */
uint64_t cz_device_prover_loads(cz_device_prover *d);

#endif
