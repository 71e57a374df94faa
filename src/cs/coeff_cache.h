/* coeff_cache.h: canonical bytes of coefficients that occur again and again.
 *
 * A circuit of 700 million terms has some ten thousand different coefficients, most of them 1, -1
 * and powers of two. A table, one entry a slot, newest wins, saves the Montgomery reduction of
 * almost all. Inside cs/ only. */
#ifndef CZ_CS_COEFF_CACHE_H
#define CZ_CS_COEFF_CACHE_H

#include "field/fr.h"

enum { CZ_COEFF_CACHE_LOG = 13 };

typedef struct {
    cz_fr coeff;
    uint8_t bytes[32];
} cz_coeff_entry;

typedef struct {
    cz_coeff_entry entries[1 << CZ_COEFF_CACHE_LOG]; /* all zero: 0 maps to 0, rightly */
} cz_coeff_cache;

/** The 32 bytes of a coefficient; valid until the next call. */
static inline const uint8_t *cz_coeff_bytes(cz_coeff_cache *cache, const cz_fr *coeff)
{
    uint64_t slot = coeff->l[0] * 0x9e3779b97f4a7c15u >> (64 - CZ_COEFF_CACHE_LOG);
    cz_coeff_entry *entry = &cache->entries[slot];

    if (!cz_fr_equal(&entry->coeff, coeff)) {
        entry->coeff = *coeff;
        cz_fr_to_le(entry->bytes, coeff);
    }
    return entry->bytes;
}

#endif
