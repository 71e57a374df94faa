/* sums_g1_cuda.cu: device sums over G1. */
#include "msm/sums_bits_cuda.h"

struct g1_field {
    typedef coord_fp pairs;
    typedef coord_fp tail; /* where lanes go their own ways */
    static constexpr cz_gpu_group group = CZ_GPU_G1;
};

const sums_group sums_over_g1 = {sum_bytes<g1_field>, sum_full<g1_field>, sum_bits<g1_field>,
                                 sum_bits_many<g1_field>, sum_make_tables<g1_field>};
