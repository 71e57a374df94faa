/* list_walk.h: walking the variables of a list in chunks, the part of list_sum that does not depend
 * on the group. For list_sum.c alone. */
#ifndef CZ_GROTH16_LIST_WALK_H
#define CZ_GROTH16_LIST_WALK_H

#include "groth16/list_sum.h"

typedef struct {
    const cz_list_sum *job;
    size_t chunk; /* the most of each that a step finds; it ends at a word of the planes */
    unsigned part;
    size_t word;    /* next word of the part's planes */
    uint32_t point; /* list position of the next variable that has a point */
    size_t value;   /* where in `values` the word's first one is */

    /* What the last step found. */
    uint32_t *ones;   /* list positions of values that are one */
    uint32_t *tail;   /* list positions of full-size values … */
    cz_u256 *scalars; /* … and these values */
    size_t n_ones, n_tail;
} cz_list_walk;

CZ_MUST_CHECK cz_err cz_list_walk_begin(cz_list_walk *walk, const cz_list_sum *job);

/** The next chunk; false when there is none. */
bool cz_list_walk_next(cz_list_walk *walk);

/** Full-size values that have a point, in the whole list. */
size_t cz_list_walk_tail_total(const cz_list_sum *job);

/** Bytes of a walk. */
size_t cz_list_walk_bytes(size_t chunk);

/** The chunk that stands for 0. */
size_t cz_list_walk_chunk(size_t chunk);

/** Erases what was found. */
void cz_list_walk_end(cz_list_walk *walk);

#endif
