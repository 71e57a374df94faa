/* select_device.h: those of a witness's bits that belong to a list's points, its values times a
 * factor, and where the points of a stretch of the list go, on CUDA devices; the same text runs on
 * the host for tests. */
#ifndef CZ_GROTH16_SELECT_DEVICE_H
#define CZ_GROTH16_SELECT_DEVICE_H

#include "field/fr_device.h"
#include "groth16/select.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The bits of `word` at the places where `mask` is set, moved together. */
CZ_DEV uint64_t cz_select_compress(uint64_t word, uint64_t mask)
{
    uint64_t r = 0, place = 1;

    if (mask == UINT64_MAX)
        return word;
    for (word &= mask; word != 0 && mask != 0; mask &= mask - 1, place <<= 1) {
        const uint64_t lowest = mask & (0 - mask);

        if (word & lowest)
            r |= place;
        word &= ~lowest;
    }
    return r;
}

/* The bits of a word that are numbers `rank` and on of a list, moved to where out[0] begins with
 * bit number first; earlier ones are dropped. In v what belongs at *at and after it. */
CZ_DEV uint64_t cz_select_moved(uint64_t v, uint32_t rank, uint32_t first, uint32_t *at)
{
    const uint32_t before = first - rank; /* of the word, if positive */

    if (rank >= first) {
        *at = rank - first;
        return v;
    }
    *at = 0;
    return before < 64 ? v >> before : 0;
}

/** One value times the factor, canonical as both are. */
CZ_DEV void cz_select_product(cz_fr32 *to, const cz_fr32 *value, const cz_fr32 *factor)
{
    uint32_t v[8], f[8];

    cz_fr32_read(v, value);
    cz_fr32_read(f, factor);
    cz_fr32_mul_canonical(v, v, f);
    cz_fr32_write(to, v);
}

/** The places of the stretch's points that belong to word w. Numbers wrap around, so points before
 * the stretch look like points after it. */
CZ_DEV void cz_select_word_places(uint32_t *to, const cz_select_words *words, uint32_t w,
                                  const cz_select_stretch *s)
{
    const uint64_t mask = words->mask[w];
    uint64_t dense = words->dense[w];
    uint32_t at = words->before[w] - s->first;
    uint32_t bit = words->ranks[w] - s->first_bit;
    uint32_t tail = words->before[w] - words->ranks[w] - s->first_tail;

    for (; dense != 0; dense &= dense - 1, at++) {
        const uint32_t place = mask & dense & (0 - dense) ? bit++ : tail++ | CZ_SELECT_TAIL;

        if (at < s->n)
            to[at] = place;
    }
}

/** The place of an input's point, number i from the stretch's first on. */
CZ_DEV void cz_select_input_place(uint32_t *to, uint32_t i, const cz_select_stretch *s)
{
    to[i] = (s->first + i - s->first_tail) | CZ_SELECT_TAIL;
}

#ifdef __cplusplus
}
#endif
#endif
