/* bits.h: a growing plane of bits, one a variable. Inside cs/ only. */
#ifndef CZ_CS_BITS_H
#define CZ_CS_BITS_H

#include "cs/cs.h"

typedef struct {
    uint64_t *words;
    uint64_t capacity; /* bits, a multiple of 64 */
} cz_bits;             /* all zero: the empty plane */

/** Room for at least n bits, new ones zero; a failure goes to cs. */
void cz_bits_grow(cz_bits *bits, cz_cs *cs, uint64_t n);

static inline void cz_bits_ensure(cz_bits *bits, cz_cs *cs, uint64_t n)
{
    if (n > bits->capacity)
        cz_bits_grow(bits, cs, n);
}

/** Bit k must have room. */
static inline void cz_bits_set(cz_bits *bits, uint32_t k)
{
    CZ_ASSERT(k < bits->capacity);
    bits->words[k / 64] |= (uint64_t)1 << (k % 64);
}

/** Number of bits set. */
uint64_t cz_bits_count(const cz_bits *bits);

void cz_bits_clear(cz_bits *bits);

#endif
