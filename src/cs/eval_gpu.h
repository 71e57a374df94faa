/* eval_gpu.h: a = A w, b = B w, c = C w on a CUDA device, from the compiled form.
 *
 * Same values as compiled_eval.h, which is the reference. The tables go to the device once (31 MiB
 * for a 32 GiB PoRep partition); after that a partition costs its witness: the plane of bits and
 * the values of class field. Threads: as the cz_gpu. */
#ifndef CZ_CS_EVAL_GPU_H
#define CZ_CS_EVAL_GPU_H

#include "cs/compiled.h"
#include "gpu/gpu.h"

typedef struct cz_eval_gpu cz_eval_gpu;

/** Waits for the device. The compiled circuit is not needed afterwards. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_eval_gpu_create(cz_gpu *gpu, cz_eval_gpu **out, const cz_compiled *c);

/** NULL is fine. Waits for the device. */
void cz_eval_gpu_destroy(cz_eval_gpu *e);

/** Rows [0, domain) into d_a, d_b, d_c: the constraints, a row an input, zeros. NULL: not that one.
 *   d_bits    the plane of cz_bit_witness, its spare word too
 *   d_values  n_inputs inputs, then the n_fields values of class field
 * Queued on the compute queue. */
CZ_MUST_CHECK cz_err cz_eval_gpu_run(cz_eval_gpu *e, const uint64_t *d_bits, const cz_fr *d_values,
                                     uint64_t domain, cz_fr *d_a, cz_fr *d_b, cz_fr *d_c);

#endif
