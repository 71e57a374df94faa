/* select.h: what select_cuda.cu needs to know of a list to say where points of it go. Pointers are
 * to device memory. */
#ifndef CZ_GROTH16_SELECT_H
#define CZ_GROTH16_SELECT_H

#include <stdint.h>

/* What a list's words of 64 aux variables say. */
typedef struct cz_select_words {
    const uint64_t *dense;  /* which variables have a point */
    const uint64_t *mask;   /* ... in the bit part */
    const uint32_t *before; /* points before the word, those of inputs counted */
    const uint32_t *ranks;  /* ... in the bit part */
    uint32_t n_words;
} cz_select_words;

/* Points [first, first + n) of a list; places of the parts count from the given ones on. */
typedef struct cz_select_stretch {
    uint32_t first, n;
    uint32_t n_inputs; /* of the points, from number `first` on */
    uint32_t first_bit, first_tail;
} cz_select_stretch;

#define CZ_SELECT_TAIL 0x80000000u /* as params/points_device.h marks the second part */

#endif
