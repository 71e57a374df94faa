/* device_list.h: one parameter list as a device holds it: in two parts, whose order the circuit
 * fixes.
 *
 * The bit part has the points of the aux variables of class bit, the tail those of the inputs and
 * of the variables of class field. So a proof's sum over the list is the sum of the bit part's
 * points that a plane selects, and a full-width sum over the whole tail: nothing is picked or
 * sorted out when a proof is made, and the witness's classes never meet on the device.
 *
 * A list that streams is taken in chunks of the file's order. A chunk's points of the bit part are
 * summed at once; those of the tail gather in a buffer over several chunks, for sums over few
 * points cost as much as over many, and are summed when the next chunk's would not fit.
 *
 * Planning only, on the host; select_cuda.cu makes a list's plane and scalars from a witness. */
#ifndef CZ_GROTH16_DEVICE_LIST_H
#define CZ_GROTH16_DEVICE_LIST_H

#include "cs/compiled.h"

typedef struct {
    size_t n_bits, n_tail; /* points of the parts */
    size_t n_words;        /* of the planes over aux */
    uint32_t n_inputs;     /* points of inputs, the first ones */
    uint64_t *dense;       /* the variables that have a point, and how many points lie before ... */
    uint32_t *before;      /* ... each word, those of inputs counted */
    uint64_t *mask;        /* the variables of the bit part ... */
    uint32_t *ranks;       /* ... and how many of them lie before each word */
    uint32_t *tail_at;     /* of each point of the tail: its value's number, inputs first, then
                              fields */
} cz_device_list;

/* Which variables have a point. */
typedef struct {
    const cz_compiled *circuit;
    bool has_inputs;
    const uint64_t *dens_input, *dens_aux; /* NULL: all */
} cz_device_list_vars;

/** CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_device_list_make(cz_device_list *out, const cz_device_list_vars *vars);
void cz_device_list_clear(cz_device_list *list);

/* Part of a list, in the order of the file. */
typedef struct {
    uint32_t first, n;            /* points of the list */
    uint32_t n_inputs;            /* of them */
    uint32_t first_word, n_words; /* of aux, in which the others lie */
    uint32_t first_bit, n_bits;   /* numbers in the parts */
    uint32_t first_tail, n_tail;
    uint32_t tail_begin; /* of the tail's buffer: the number of its first point */
    bool sum_tail;       /* after this chunk */
} cz_device_chunk;

/** Cut a list into chunks of at most `points` points, for a buffer of tail_points, at least as many
 * or all of the tail. The caller frees *out. CZ_E_NOMEM. */
CZ_MUST_CHECK cz_err cz_device_list_chunks(cz_device_chunk **out, size_t *n,
                                           const cz_device_list *list, size_t points,
                                           size_t tail_points);

/* Where the list's points go, in the order of the file. */
typedef struct {
    const cz_device_list_vars *vars;
    uint32_t input; /* next one to look at */
    uint32_t word;  /* of aux, taken apart in `left` and `classes` */
    uint64_t left, classes;
    uint32_t next_bit, next_tail;
} cz_device_places;

cz_device_places cz_device_places_begin(const cz_device_list_vars *vars);

/** The next n places, as params/points_gpu.h wants them (ctx: a cz_device_places). */
void cz_device_places_fill(void *ctx, uint32_t *to, size_t first, size_t n);

#endif
