/* shared_values.h: the values that many scalars share, from a sample of them.
 *
 * Used by the device's sums (sums_shared_cuda.h); plain C, so that it is tested without one. */
#ifndef CZ_MSM_SHARED_VALUES_H
#define CZ_MSM_SHARED_VALUES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { SHARED_SAMPLES = 2048, SHARED_MAX_VALUES = 256, SHARED_MIN_SEEN = 6 };

/* A scalar's bytes, whatever its form. */
typedef struct {
    uint64_t l[4];
} cz_shared_scalar;

static inline bool cz_shared_equal(const cz_shared_scalar *a, const cz_shared_scalar *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Which samples are the first of their value, and how often it was seen; a table with free places,
 * tried in turn. */
typedef struct {
    uint16_t first[2 * SHARED_SAMPLES]; /* sample number + 1 */
    uint16_t seen[2 * SHARED_SAMPLES];
} cz_shared_table;

static inline unsigned cz_shared_place(const cz_shared_table *table,
                                       const cz_shared_scalar *samples, unsigned i)
{
    const cz_shared_scalar *s = &samples[i];
    const uint64_t mixed = (s->l[0] ^ s->l[1] ^ s->l[2] ^ s->l[3]) * 0x9e3779b97f4a7c15u;
    unsigned at = (unsigned)(mixed >> 32) % (2 * SHARED_SAMPLES);

    while (table->first[at] != 0 && !cz_shared_equal(&samples[table->first[at] - 1], s))
        at = (at + 1) % (2 * SHARED_SAMPLES);
    return at;
}

/** Values other than 0 that are seen SHARED_MIN_SEEN times or more among SHARED_SAMPLES samples: to
 * values[SHARED_MAX_VALUES]; their number. */
static inline unsigned cz_shared_find(cz_shared_scalar *values, const cz_shared_scalar *samples)
{
    const cz_shared_scalar zero = {{0, 0, 0, 0}};
    cz_shared_table table;
    unsigned n = 0;

    memset(&table, 0, sizeof table);
    for (unsigned i = 0; i < SHARED_SAMPLES; i++) {
        const unsigned at = cz_shared_place(&table, samples, i);

        if (table.first[at] == 0)
            table.first[at] = (uint16_t)(i + 1);
        table.seen[at]++;
        if (table.seen[at] == SHARED_MIN_SEEN && n < SHARED_MAX_VALUES &&
            !cz_shared_equal(&samples[i], &zero))
            values[n++] = samples[i];
    }
    return n;
}

#endif
