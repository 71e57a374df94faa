/* list_sum.h: the sum of one parameter list's points times the witness values that belong to them.
 *
 * The list is walked once, in chunks: the points whose value is one are gathered from the file and
 * added, the points of full-size values are gathered and collected for an MSM, and the points of
 * zeros are never looked at. Memory is that of the chunks, whatever the circuit's size.
 * list_sum_body.h is the text for both groups. */
#ifndef CZ_GROTH16_LIST_SUM_H
#define CZ_GROTH16_LIST_SUM_H

#include "base/pool.h"
#include "base/trace.h"
#include "groth16/split.h"
#include "params/params.h"

/* Consecutive variables; those whose density bit is set have a point in the list, in order. */
typedef struct {
    const cz_fr *values;
    const cz_split *split;
    const uint64_t *density; /* NULL: every variable has one */
    size_t n;
    /* Variables whose bit is set here are bits and have no place in `values`; NULL: all have one */
    const uint64_t *classes;
} cz_list_part;

typedef struct {
    const cz_params *params;
    const cz_point_list *list;
    cz_list_part parts[2]; /* inputs, aux */
    unsigned n_parts;
    unsigned partition;              /* for the trace */
    cz_phase ones_phase, tail_phase; /* gathering is srs_load */
    /* Points a chunk (a multiple of 64) and, at least as many, points a tail MSM; 0: the defaults.
     * Tests use few. */
    size_t chunk, tail_max;
} cz_list_sum;

/** Variables of the parts that have a point: must be the list's length. */
uint64_t cz_list_sum_points(const cz_list_sum *job);

/** CZ_E_INPUT for a damaged point, CZ_E_NOMEM; *out untouched then. */
CZ_MUST_CHECK cz_err cz_list_sum_g1(cz_g1 *out, const cz_list_sum *job, cz_pool *pool,
                                    cz_trace *trace);
CZ_MUST_CHECK cz_err cz_list_sum_g2(cz_g2 *out, const cz_list_sum *job, cz_pool *pool,
                                    cz_trace *trace);

/** Bytes that a sum takes with `tail_total` full-size values that have a point; chunk and tail_max
 * as above. */
size_t cz_list_sum_bytes_g1(cz_pool *pool, size_t tail_total, size_t chunk, size_t tail_max);
size_t cz_list_sum_bytes_g2(cz_pool *pool, size_t tail_total, size_t chunk, size_t tail_max);

#endif
