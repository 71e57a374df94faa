/* sums_g2_cuda.cu: device sums over G2. */
#include "msm/sums_bits_cuda.h"

struct g2_field {
    typedef coord_fp2 pairs;
    typedef coord_fp2_apart tail; /* where lanes go their own ways */
    static constexpr cz_gpu_group group = CZ_GPU_G2;
};

const sums_group sums_over_g2 = {sum_bytes<g2_field>, sum_full<g2_field>, sum_bits<g2_field>,
                                 sum_bits_many<g2_field>, sum_make_tables<g2_field>};
