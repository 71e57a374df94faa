/* uint64.h: 64-bit words in a circuit: challenges and node numbers. Bits are least significant
 * first. */
#ifndef CZ_GADGETS_UINT64_H
#define CZ_GADGETS_UINT64_H

#include "gadgets/boolean.h"

typedef struct {
    cz_boolean bits[64];
    uint64_t value;
} cz_uint64;

void cz_uint64_constant(cz_uint64 *out, uint64_t value);

/** 64 new bits, "allocated bit 0", … */
void cz_uint64_alloc(cz_cs *cs, cz_name name, cz_uint64 *out, uint64_t value);

/** One public input, "input 0" below `name`. */
void cz_uint64_pack_into_input(cz_cs *cs, cz_name name, const cz_uint64 *a);

/** Most significant bit first. */
void cz_uint64_to_bits_be(cz_boolean bits[64], const cz_uint64 *a);

#endif
