/* select_device.h: those of a witness's bits that belong to a list's points, on CUDA devices; the
 * same text runs on the host for tests. */
#ifndef CZ_GROTH16_SELECT_DEVICE_H
#define CZ_GROTH16_SELECT_DEVICE_H

#include "field/limbs32_device.h"

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

#ifdef __cplusplus
}
#endif
#endif
