/* multipack.h: bits packed into field elements, 254 a piece (always below r), least significant
 * first. */
#ifndef CZ_GADGETS_MULTIPACK_H
#define CZ_GADGETS_MULTIPACK_H

#include "gadgets/num.h"

/** The first 254 bits (or fewer) as one number. */
cz_num cz_pack_bits(cz_cs *cs, cz_name name, const cz_boolean *bits, size_t n);

/** All bits as public inputs "input 0", "input 1", … */
void cz_pack_into_inputs(cz_cs *cs, cz_name name, const cz_boolean *bits, size_t n);

/** Number of public inputs that n bits take. */
static inline size_t cz_multipack_inputs(size_t n)
{
    return (n + CZ_FR_CAPACITY - 1) / CZ_FR_CAPACITY;
}

/** The values of those inputs, outside of a circuit: out takes cz_multipack_inputs(n). */
void cz_multipack(cz_fr *out, const bool *bits, size_t n);

/** 8 n bits of n bytes, most / least significant bit of a byte first. */
void cz_bytes_to_bits_be(bool *out, const uint8_t *bytes, size_t n);
void cz_bytes_to_bits_le(bool *out, const uint8_t *bytes, size_t n);

/** Padded with constant zeros to a whole number of bytes, then every byte's bits reversed: the
 * order in which SHA-256 reads a little-endian number. `out` takes n rounded up to a multiple of 8;
 * it must not overlap bits. Returns that length. */
size_t cz_reverse_bit_numbering(cz_boolean *out, const cz_boolean *bits, size_t n);

#endif
