/* split_plan.h: the shape of a split: how a device brings entries to their segments (split_cuda.h).
 *
 * A segment is all entries whose keys agree above the lowest `low` bits; a part is 2^fine segments.
 * Digits of random scalars fill segments evenly, so each gets room for the mean and eight standard
 * deviations more, and nobody needs to count before entries are written. Scalars that fill a
 * segment beyond that are sorted instead.
 *
 * Plain C, so that it is tested without a device. */
#ifndef CZ_MSM_SPLIT_PLAN_H
#define CZ_MSM_SPLIT_PLAN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { CZ_SPLIT_MAX_BINS = 1024 }; /* parts, and segments of a part */

typedef struct {
    uint32_t low, fine;
    uint32_t n_parts, part_places; /* room for that many entries each */
    uint32_t n_segments, segment_places;
} cz_split_shape;

/* What a bin of that many entries on average may come to. */
static inline double cz_split_bound(double mean)
{
    return mean + 8 * sqrt(mean) + 64;
}

/** A split of n_keys keys, a multiple of 2 to max_low, that have `each` entries on average, into
 * segments of at most `capacity`. False: entries are so many that none does. */
static inline bool cz_split_plan(cz_split_shape *s, double each, uint32_t n_keys, unsigned max_low,
                                 uint32_t capacity)
{
    uint32_t bits = 0;
    double places;

    if (cz_split_bound(each) > capacity)
        return false;
    s->low = 0;
    while (s->low < max_low && cz_split_bound(each * (double)(2u << s->low)) <= capacity)
        s->low++;
    s->n_segments = n_keys >> s->low;
    while ((uint64_t)1 << bits < s->n_segments)
        bits++;
    s->fine = bits / 2;
    s->n_parts = ((s->n_segments - 1) >> s->fine) + 1;
    places = cz_split_bound(each * (double)((uint64_t)1 << (s->low + s->fine)));
    if (s->n_parts > CZ_SPLIT_MAX_BINS || places * s->n_parts > 4e9)
        return false;
    s->part_places = (uint32_t)places;
    s->segment_places = (uint32_t)cz_split_bound(each * (double)(1u << s->low)) & ~1u;
    return (double)s->segment_places * s->n_segments < 4e9;
}

#endif
