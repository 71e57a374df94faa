/* bits.c: see bits.h. */
#include "cs/bits.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 4096 };

void cz_bits_grow(cz_bits *bits, cz_cs *cs, uint64_t n)
{
    uint64_t capacity = bits->capacity == 0 ? FIRST_CAPACITY : bits->capacity;
    uint64_t *words;

    while (capacity < n)
        capacity *= 2;
    words = realloc(bits->words, capacity / 8);
    if (words == NULL) {
        cz_cs_fail(cs, cz_fail(CZ_E_NOMEM, "no memory for a density plane"));
        return;
    }
    memset(words + bits->capacity / 64, 0, (capacity - bits->capacity) / 8);
    bits->words = words;
    bits->capacity = capacity;
}

uint64_t cz_bits_count(const cz_bits *bits)
{
    uint64_t n = 0;

    for (uint64_t i = 0; i < bits->capacity / 64; i++)
        n += (uint64_t)__builtin_popcountll(bits->words[i]);
    return n;
}

void cz_bits_clear(cz_bits *bits)
{
    free(bits->words);
    *bits = (cz_bits){0};
}
