/* bits_circuit.h: a circuit of bits and numbers, for provers that treat the two differently. */
#ifndef CZ_TESTS_BITS_CIRCUIT_H
#define CZ_TESTS_BITS_CIRCUIT_H

#include "gadgets/multipack.h"

/* A public number, its 255 bits, and a chain of products of it with sums of them. */
static inline void bits_synthesize(const cz_circuit *self, cz_cs *cs)
{
    cz_boolean bits[CZ_FR_BITS];
    cz_fr value = CZ_FR_ONE;
    cz_num num, product;

    (void)self;
    for (int i = 0; i < 9; i++)
        cz_fr_add(&value, &value, &value);
    cz_fr_inv(&value, &value);
    num = cz_num_alloc(cs, CZ_N("num"), &value);
    cz_num_inputize(cs, CZ_N("public"), &num);
    cz_num_to_bits_le_strict(cs, CZ_N("bits"), bits, &num);
    product = num;
    for (unsigned i = 0; i < 20; i++) {
        cz_num packed = cz_pack_bits(cs, CZ_NU("packed %u", i), bits + 10 * i, i);

        product = cz_num_mul(cs, CZ_NU("product %u", i), i % 4 == 3 ? &num : &product, &packed);
    }
}

static const cz_circuit bits_circuit = {"bits", bits_synthesize};

#endif
