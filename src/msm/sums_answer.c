/* sums_answer.c: see sums_answer.h. */
#include "msm/sums_answer.h"

#include <string.h>

#include "curve/curve.h"

enum { COORD_BYTES = 48, LANE_BYTES = 4 * COORD_BYTES };

_Static_assert(sizeof(cz_sum_point) >= sizeof(cz_g2) && sizeof(cz_g1_xyzz) == LANE_BYTES &&
                   sizeof(cz_g2_xyzz) == 2 * (size_t)LANE_BYTES,
               "points");

#define GROUP    cz_g1
#define XYZZ     cz_g1_xyzz
#define G(name)  cz_g1_##name
#define LANES    1
#define OP(name) g1_##name
#define HOST     cz_sum_host_g1
#include "msm/sums_answer_body.h"
#undef GROUP
#undef XYZZ
#undef G
#undef LANES
#undef OP
#undef HOST

#define GROUP    cz_g2
#define XYZZ     cz_g2_xyzz
#define G(name)  cz_g2_##name
#define LANES    2
#define OP(name) g2_##name
#define HOST     cz_sum_host_g2
#include "msm/sums_answer_body.h"
