/* uint64.c: 64-bit words in a circuit; see uint64.h. */
#include "gadgets/uint64.h"

#include "gadgets/multipack.h"

void cz_uint64_constant(cz_uint64 *out, uint64_t value)
{
    out->value = value;
    for (unsigned i = 0; i < 64; i++)
        out->bits[i] = cz_boolean_constant(value >> i & 1);
}

void cz_uint64_alloc(cz_cs *cs, cz_name name, cz_uint64 *out, uint64_t value)
{
    out->value = value;
    cz_cs_enter(cs, name);
    for (unsigned i = 0; i < 64; i++)
        out->bits[i] =
            cz_boolean_from_bit(cz_bit_alloc(cs, CZ_NU("allocated bit %u", i), value >> i & 1));
    cz_cs_leave(cs);
}

void cz_uint64_pack_into_input(cz_cs *cs, cz_name name, const cz_uint64 *a)
{
    cz_pack_into_inputs(cs, name, a->bits, 64);
}

void cz_uint64_to_bits_be(cz_boolean bits[64], const cz_uint64 *a)
{
    for (unsigned i = 0; i < 64; i++)
        bits[i] = a->bits[63 - i];
}
