/* multipack.c: bits packed into field elements; see multipack.h. */
#include "gadgets/multipack.h"

#include "gadgets/product.h"

/* (sum of 2^i bits[i]) * 1 = packed */
static void enforce_packing(cz_cs *cs, cz_name name, const cz_boolean *bits, unsigned n,
                            cz_var packed)
{
    cz_product p;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    cz_lc_add_booleans(&p.a, bits, n);
    cz_lc_add_var(&p.b, CZ_VAR_ONE);
    cz_lc_add_var(&p.c, packed);
    cz_product_enforce(&p, cs, name);
}

static unsigned at_most_capacity(size_t n)
{
    return n < CZ_FR_CAPACITY ? (unsigned)n : CZ_FR_CAPACITY;
}

cz_num cz_pack_bits(cz_cs *cs, cz_name name, const cz_boolean *bits, size_t n)
{
    unsigned taken = at_most_capacity(n);
    cz_fr value = CZ_FR_ZERO;
    cz_num packed;

    if (cs->has_values)
        cz_booleans_value(&value, bits, taken);
    cz_cs_enter(cs, name);
    packed = cz_num_alloc(cs, CZ_N("input"), &value);
    enforce_packing(cs, CZ_N("packing constraint"), bits, taken, packed.var);
    cz_cs_leave(cs);
    return packed;
}

void cz_pack_into_inputs(cz_cs *cs, cz_name name, const cz_boolean *bits, size_t n)
{
    cz_cs_enter(cs, name);
    for (size_t i = 0; i * CZ_FR_CAPACITY < n; i++) {
        const cz_boolean *chunk = bits + i * CZ_FR_CAPACITY;
        unsigned taken = at_most_capacity(n - i * CZ_FR_CAPACITY);
        cz_fr value = CZ_FR_ZERO;
        cz_var input;

        if (cs->has_values)
            cz_booleans_value(&value, chunk, taken);
        input = cz_cs_alloc_input(cs, CZ_NU("input %u", i), &value);
        enforce_packing(cs, CZ_NU("packing constraint %u", i), chunk, taken, input);
    }
    cz_cs_leave(cs);
}

void cz_multipack(cz_fr *out, const bool *bits, size_t n)
{
    for (size_t i = 0; i * CZ_FR_CAPACITY < n; i++) {
        const bool *chunk = bits + i * CZ_FR_CAPACITY;
        cz_u256 v = {{0, 0, 0, 0}};

        for (unsigned j = 0; j < at_most_capacity(n - i * CZ_FR_CAPACITY); j++)
            v.l[j / 64] |= (uint64_t)chunk[j] << (j % 64);
        cz_fr_from_u256(&out[i], &v);
    }
}

void cz_bytes_to_bits_be(bool *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < 8 * n; i++)
        out[i] = bytes[i / 8] >> (7 - i % 8) & 1;
}

void cz_bytes_to_bits_le(bool *out, const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < 8 * n; i++)
        out[i] = bytes[i / 8] >> (i % 8) & 1;
}

size_t cz_reverse_bit_numbering(cz_boolean *out, const cz_boolean *bits, size_t n)
{
    size_t padded = (n + 7) / 8 * 8;

    for (size_t i = 0; i < padded; i++) {
        size_t from = i / 8 * 8 + (7 - i % 8);

        out[i] = from < n ? bits[from] : cz_boolean_constant(false);
    }
    return padded;
}
