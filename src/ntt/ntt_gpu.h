/* ntt_gpu.h: the transforms of ntt.h and the quotient of quotient.h on a CUDA device.
 *
 * Same values, same order (natural in and out), same bits as ntt_ref.c; ntt_passes_cuda.h says how.
 * Vectors are n = 2^log_n elements in device memory with the bytes of cz_fr; a transform works on
 * xs and needs a scratch vector of the same length, whose contents are lost.
 *
 * Cost: three passes over memory at 2^19 and above, two from 2^10; about 14 multiplications an
 * element at 2^27.
 *
 * All calls are queued on the device's compute queue and return at once; failures on the device
 * surface in cz_gpu_sync. Threads: as the cz_gpu. */
#ifndef CZ_NTT_NTT_GPU_H
#define CZ_NTT_NTT_GPU_H

#include "field/fr.h"
#include "gpu/gpu.h"

enum { CZ_NTT_GPU_MAX_LOG_N = 27 };

/** Tables for size 2^log_n: 56 MiB of device memory at 2^27. CZ_E_DECLINED above 2^27, CZ_E_NOMEM.
 */
CZ_MUST_CHECK cz_err cz_ntt_gpu_create(cz_gpu *gpu, cz_gpu_ntt **out, unsigned log_n);

/** NULL is fine. Waits for the device. */
void cz_ntt_gpu_destroy(cz_gpu_ntt *ntt);

/** One transform of d_xs, canonical in and out. */
CZ_MUST_CHECK cz_err cz_ntt_gpu_run(cz_gpu_ntt *ntt, cz_gpu_ntt_kind kind, cz_fr *d_xs,
                                    cz_fr *d_scratch);

/** As cz_ntt_quotient: d_a becomes h; d_b, d_c and the scratch lose their contents. */
CZ_MUST_CHECK cz_err cz_ntt_gpu_quotient(cz_gpu_ntt *ntt, cz_fr *d_a, cz_fr *d_b, cz_fr *d_c,
                                         cz_fr *d_scratch);

/** The same in three vectors, c coming into the memory that b had. First: d_a becomes (A B mod
 * (X^n - 7^n)) / z, d_b and the scratch lose their contents. */
CZ_MUST_CHECK cz_err cz_ntt_gpu_quotient_product(cz_gpu_ntt *ntt, cz_fr *d_a, cz_fr *d_b,
                                                 cz_fr *d_scratch);

/** Then: d_c, the values of c, becomes -h, for d_a as the product left it; d_a and the scratch lose
 * their contents. */
CZ_MUST_CHECK cz_err cz_ntt_gpu_quotient_subtract(cz_gpu_ntt *ntt, cz_fr *d_c, cz_fr *d_a,
                                                  cz_fr *d_scratch);

/** For keys into which C is folded (params/folded.h), of values a, b on the domain: d_a[j] becomes
 * A(7 w^j) B(7 w^j); d_b and the scratch lose their contents. Four transforms. */
CZ_MUST_CHECK cz_err cz_ntt_gpu_coset_product(cz_gpu_ntt *ntt, cz_fr *d_a, cz_fr *d_b,
                                              cz_fr *d_scratch);

#endif
