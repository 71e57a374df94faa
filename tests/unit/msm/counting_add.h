/* counting_add.h: the kernel of form "cpu", with what every call costs added up in `cost_of_task`.
 */
#include "msm/msm_cpu_add.h"

enum { INVERSION = 16 }; /* of the form in lanes: one takes the time of so many additions */

static double cost_of_task; /* in point additions */

static void counted_add_pairs(stored *pool, const pair *pairs, size_t n, uint32_t out,
                              add_scratch *s)
{
    cost_of_task += (double)n + INVERSION;
    add_pairs(pool, pairs, n, out, s);
}
#define add_pairs counted_add_pairs
