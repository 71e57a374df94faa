/* gen_random.h: field elements that follow from a seed, for synthetic inputs: anyone can make the
 * same ones again, in any order. Not for secrets. */
#ifndef CZ_FILECOIN_GEN_RANDOM_H
#define CZ_FILECOIN_GEN_RANDOM_H

#include "field/fr.h"

/* What an element is for: SHA-256 of seed, purpose and two numbers gives it. */
typedef struct {
    uint64_t seed;
    const char *purpose; /* "tree d", … */
    uint64_t which;      /* of several things of one purpose, e.g. the sector */
} cz_gen_stream;

/** 32 bytes, the two top bits clear: a field element's. */
void cz_gen_bytes32(uint8_t out[32], const cz_gen_stream *s, uint64_t a, uint64_t b);
void cz_gen_element(cz_fr *out, const cz_gen_stream *s, uint64_t a, uint64_t b);
uint64_t cz_gen_u64(const cz_gen_stream *s, uint64_t a, uint64_t b);

#endif
