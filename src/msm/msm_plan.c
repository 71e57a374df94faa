/* msm_plan.c: see msm_plan.h. */
#include "msm/msm_plan.h"

#include <stdbool.h>
#include <string.h>

#include "field/mont.h"

enum { HALF_BITS = 127, MIN_WIDTH = 12, MAX_WIDTH = 26, MAX_COLUMN_BITS = 12 };

/* What a bucket costs, in additions of a tree: it saves two there, and its merge, row and column
 * sums take the time of 3.2 (large sums over G1) to 4.2 (small ones). */
static const double BUCKET_WEIGHT = 1.75;

/* Lower window i of n_lower that cover `bits` bits together: as even as can be, wide ones first. */
static int width_of(int bits, int n_lower, int i)
{
    return bits / n_lower + (i < bits % n_lower);
}

/* Half of z^2, rounded up: the largest half-scalar. */
static cz_u128 largest_half(void)
{
    return ((cz_u128)0x5622d2008000d201 << 64 | 0x0000000080000000) + 1;
}

static void set_offset(cz_msm_plan *plan, int bits, int n_lower)
{
    cz_u128 offset = 0;
    int position = 0;

    for (int i = 0; i < n_lower; i++) {
        const int width = width_of(bits, n_lower, i);

        offset += (cz_u128)1 << (position + width - 1);
        position += width;
    }
    plan->offset_low = (uint64_t)offset;
    plan->offset_high = (uint64_t)(offset >> 64);
}

static void add_window(cz_msm_plan *plan, unsigned s, cz_msm_plan_window w, uint32_t buckets)
{
    cz_msm_plan_set *set = &plan->set[s];

    if (set->n_windows == 0)
        set->position = w.position;
    set->window[set->n_windows++] = w;
    if (set->buckets < buckets)
        set->buckets = buckets;
}

static void add_windows(cz_msm_plan *plan, int bits, int n_lower)
{
    const unsigned sets = (unsigned)n_lower / plan->tables;
    const cz_u128 top =
        (largest_half() + ((cz_u128)plan->offset_high << 64 | plan->offset_low)) >> bits;
    int position = 0;

    for (unsigned i = 0; i < (unsigned)n_lower; i++) {
        const int width = width_of(bits, n_lower, (int)i);

        if (i == sets)
            plan->shift = position;
        add_window(plan, i % sets, (cz_msm_plan_window){position, width, i / sets},
                   (uint32_t)1 << (width - 1));
        position += width;
    }
    plan->n_sets = sets + 1;
    add_window(plan, sets, (cz_msm_plan_window){bits, 0, 0}, (uint32_t)top + 1);
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void count_up(cz_msm_plan *plan)
{
    const uint64_t row = (uint64_t)1 << plan->column_bits;
    const uint64_t align = (uint64_t)1 << CZ_MSM_PLAN_KEY_BITS;
    uint64_t all_entries = 0;

    for (unsigned s = 0; s < plan->n_sets; s++) {
        cz_msm_plan_set *set = &plan->set[s];
        const uint64_t entries = 2 * plan->n * set->n_windows;

        set->stride = (uint32_t)round_up(set->buckets, plan->together ? larger(align, row) : align);
        set->padded_buckets = plan->together ? set->stride : round_up(set->buckets, row);
        set->first_bucket = plan->all_buckets;
        plan->all_buckets += set->padded_buckets;
        plan->max_entries = larger(plan->max_entries, entries);
        plan->max_keys = larger(plan->max_keys, 2 * (uint64_t)set->stride);
        plan->additions += (double)entries + BUCKET_WEIGHT * (double)set->padded_buckets;
        all_entries += entries;
    }
    if (!plan->together)
        return;
    plan->all = (cz_msm_plan_set){.buckets = (uint32_t)plan->all_buckets,
                                  .stride = (uint32_t)plan->all_buckets,
                                  .padded_buckets = plan->all_buckets};
    plan->max_entries = all_entries;
    plan->max_keys = 2 * plan->all_buckets;
}

/* Are the sets' buckets about equally full? The top set has as many as its digits take. */
static bool is_even(const cz_msm_plan *plan)
{
    const cz_msm_plan_set *top = &plan->set[plan->n_sets - 1];

    return 2 * top->buckets >= plan->set[0].buckets;
}

/* False when windows that share a set would not be `shift` apart, or a limit is passed. */
static bool make(cz_msm_plan *plan, uint64_t n, unsigned tables, bool together, int bits,
                 int n_lower)
{
    if (n_lower % (int)tables != 0 || n_lower / (int)tables >= CZ_MSM_PLAN_MAX_SETS ||
        width_of(bits, n_lower, 0) > MAX_WIDTH || bits / n_lower < MIN_WIDTH ||
        (tables > 1 && bits % n_lower != 0) || HALF_BITS - bits > MAX_WIDTH)
        return false;
    memset(plan, 0, sizeof *plan);
    plan->n = n;
    plan->tables = tables;
    plan->together = together;
    plan->column_bits = (unsigned)bits / (unsigned)n_lower / 2;
    if (plan->column_bits > MAX_COLUMN_BITS)
        plan->column_bits = MAX_COLUMN_BITS;
    set_offset(plan, bits, n_lower);
    add_windows(plan, bits, n_lower);
    count_up(plan);
    return !together || is_even(plan);
}

static void choose(cz_msm_plan *plan, uint64_t n, unsigned tables, bool together)
{
    cz_msm_plan try;
    bool any = false;

    for (int n_lower = 2; n_lower < CZ_MSM_PLAN_MAX_SETS; n_lower++)
        for (int bits = HALF_BITS - MAX_WIDTH; bits < HALF_BITS - 4; bits++)
            if (make(&try, n, tables, together, bits, n_lower) &&
                (!any || try.additions < plan->additions)) {
                *plan = try;
                any = true;
            }
    CZ_ASSERT(any);
}

void cz_msm_plan_choose(cz_msm_plan *plan, uint64_t n, unsigned tables)
{
    choose(plan, n, tables, false);
}

void cz_msm_plan_choose_together(cz_msm_plan *plan, uint64_t n)
{
    choose(plan, n, 1, true);
}
