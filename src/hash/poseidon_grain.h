/* poseidon_grain.h: the generator of Poseidon's round constants. Inside hash/ only. */
#ifndef CZ_HASH_POSEIDON_GRAIN_H
#define CZ_HASH_POSEIDON_GRAIN_H

#include "field/fr.h"

/** The first n constants of an instance over Fr with S-box x^5, `width` elements wide. */
void cz_poseidon_grain(cz_fr *out, unsigned n, unsigned width, unsigned full_rounds,
                       unsigned partial_rounds);

#endif
