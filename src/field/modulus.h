/* modulus.h: the two moduli as limbs. */
#ifndef CZ_FIELD_MODULUS_H
#define CZ_FIELD_MODULUS_H

#include <stdint.h>

#include "field/field_constants.h"

static const uint64_t cz_fr_modulus[4] = CZ_FR_MODULUS;
static const uint64_t cz_fp_modulus[6] = CZ_FP_MODULUS;

#endif
