/* list_sum.c: see list_sum.h. */
#include "groth16/list_sum.h"

#include <string.h>

#include "base/bytes.h"
#include "groth16/list_walk.h"
#include "msm/msm.h"
#include "msm/msm_memory.h"

/* Points collected before an MSM runs: large enough that splitting a sum of 2^27 costs little,
 * small enough for 0.25 GiB. */
enum { G1_TAIL_MAX = 1 << 21, G2_TAIL_MAX = 1 << 20 };

static void set_bits(uint64_t *bits, size_t n)
{
    memset(bits, 0xff, n / 64 * sizeof *bits);
    if (n % 64 != 0)
        bits[n / 64] = ((uint64_t)1 << (n % 64)) - 1;
}

#define JAC         cz_g1
#define AFFINE      cz_g1_affine
#define G(name)     cz_g1_##name
#define GATHER      cz_params_gather_g1
#define BIT_SUM     cz_bit_sum_g1
#define MSM         cz_msm_g1
#define BIT_SCRATCH cz_bit_sum_bytes_g1
#define MSM_SCRATCH cz_msm_bytes_g1
#define TAIL_MAX    G1_TAIL_MAX
#define LIST_SUM    cz_list_sum_g1
#define BYTES       cz_list_sum_bytes_g1
#define FN(name)    g1_##name
#include "groth16/list_sum_body.h"
#undef JAC
#undef AFFINE
#undef G
#undef GATHER
#undef BIT_SUM
#undef MSM
#undef TAIL_MAX
#undef LIST_SUM
#undef BYTES
#undef BIT_SCRATCH
#undef MSM_SCRATCH
#undef FN

#define JAC         cz_g2
#define AFFINE      cz_g2_affine
#define G(name)     cz_g2_##name
#define GATHER      cz_params_gather_g2
#define BIT_SUM     cz_bit_sum_g2
#define MSM         cz_msm_g2
#define BIT_SCRATCH cz_bit_sum_bytes_g2
#define MSM_SCRATCH cz_msm_bytes_g2
#define TAIL_MAX    G2_TAIL_MAX
#define LIST_SUM    cz_list_sum_g2
#define BYTES       cz_list_sum_bytes_g2
#define FN(name)    g2_##name
#include "groth16/list_sum_body.h"
