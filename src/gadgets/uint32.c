/* uint32.c: 32-bit words in a circuit; see uint32.h. */
#include "gadgets/uint32.h"

#include <string.h>

void cz_uint32_constant(cz_uint32 *out, uint32_t value)
{
    out->value = value;
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] = cz_boolean_constant(value >> i & 1);
}

void cz_uint32_alloc(cz_cs *cs, cz_name name, cz_uint32 *out, uint32_t value)
{
    out->value = value;
    cz_cs_enter(cs, name);
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] =
            cz_boolean_from_bit(cz_bit_alloc(cs, CZ_NU("allocated bit %u", i), value >> i & 1));
    cz_cs_leave(cs);
}

void cz_uint32_from_bits_be(cz_uint32 *out, const cz_boolean bits[32])
{
    out->value = 0;
    for (unsigned i = 0; i < 32; i++) {
        out->bits[i] = bits[31 - i];
        out->value |= (uint32_t)bits[31 - i].value << i;
    }
}

void cz_uint32_to_bits_be(cz_boolean bits[32], const cz_uint32 *a)
{
    for (unsigned i = 0; i < 32; i++)
        bits[i] = a->bits[31 - i];
}

void cz_uint32_rotr(cz_uint32 *out, const cz_uint32 *a, unsigned by)
{
    CZ_ASSERT(by > 0 && by < 32);
    out->value = a->value >> by | a->value << (32 - by);
    memcpy(out->bits, a->bits + by, (32 - by) * sizeof *a->bits);
    memcpy(out->bits + 32 - by, a->bits, by * sizeof *a->bits);
}

void cz_uint32_shr(cz_uint32 *out, const cz_uint32 *a, unsigned by)
{
    CZ_ASSERT(by < 32);
    out->value = a->value >> by;
    memcpy(out->bits, a->bits + by, (32 - by) * sizeof *a->bits);
    for (unsigned i = 32 - by; i < 32; i++)
        out->bits[i] = cz_boolean_constant(false);
}

void cz_uint32_xor(cz_cs *cs, cz_name name, cz_uint32 *out, const cz_uint32 *a, const cz_uint32 *b)
{
    cz_cs_enter(cs, name);
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] = cz_boolean_xor(cs, CZ_NU("xor of bit %u", i), a->bits[i], b->bits[i]);
    cz_cs_leave(cs);
    out->value = a->value ^ b->value;
}

void cz_uint32_ch(cz_cs *cs, cz_name name, cz_uint32 *out, const cz_uint32 *a, const cz_uint32 *b,
                  const cz_uint32 *c)
{
    cz_cs_enter(cs, name);
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] = cz_boolean_ch(cs, CZ_NU("ch %u", i), a->bits[i], b->bits[i], c->bits[i]);
    cz_cs_leave(cs);
    out->value = (a->value & b->value) ^ (~a->value & c->value);
}

void cz_uint32_maj(cz_cs *cs, cz_name name, cz_uint32 *out, const cz_uint32 *a, const cz_uint32 *b,
                   const cz_uint32 *c)
{
    cz_cs_enter(cs, name);
    for (unsigned i = 0; i < 32; i++)
        out->bits[i] = cz_boolean_maj(cs, CZ_NU("maj %u", i), a->bits[i], b->bits[i], c->bits[i]);
    cz_cs_leave(cs);
    out->value = (a->value & b->value) ^ (a->value & c->value) ^ (b->value & c->value);
}

/* ---- addition ---- */

enum { MAX_SUM_BITS = 36 };

/* Bits of the largest sum of n words. */
static unsigned sum_bits(unsigned n)
{
    return 64 - (unsigned)__builtin_clzll((uint64_t)n * UINT32_MAX);
}

static bool is_constant(const cz_uint32 *a)
{
    for (unsigned i = 0; i < 32; i++)
        if (!cz_boolean_is_constant(a->bits[i]))
            return false;
    return true;
}

static bool all_constant(const cz_uint32 *const *operands, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (!is_constant(operands[i]))
            return false;
    return true;
}

static void alloc_sum(cz_cs *cs, cz_boolean *out, unsigned n_bits, uint64_t sum)
{
    for (unsigned i = 0; i < n_bits; i++)
        out[i] = cz_boolean_from_bit(cz_bit_alloc(cs, CZ_NU("result bit %u", i), sum >> i & 1));
}

static void enforce_sum(cz_multieq *m, const cz_boolean *result, unsigned n_bits,
                        const cz_uint32 *const *operands, unsigned n)
{
    cz_multieq_begin(m, n_bits);
    for (unsigned i = 0; i < n; i++)
        cz_multieq_add(m, &m->lhs, operands[i]->bits, 32);
    cz_multieq_add(m, &m->rhs, result, n_bits);
    cz_multieq_end(m, n_bits);
}

void cz_uint32_addmany(cz_multieq *m, cz_name name, cz_uint32 *out,
                       const cz_uint32 *const *operands, unsigned n)
{
    cz_boolean result[MAX_SUM_BITS]; /* the carries above bit 31 are dropped at the end */
    unsigned n_bits = sum_bits(n);
    uint64_t sum = 0;

    CZ_ASSERT(n >= 2 && n <= CZ_UINT32_MAX_OPERANDS);
    for (unsigned i = 0; i < n; i++)
        sum += operands[i]->value;
    if (all_constant(operands, n)) {
        cz_uint32_constant(out, (uint32_t)sum);
        return;
    }
    cz_cs_enter(m->cs, name);
    alloc_sum(m->cs, result, n_bits, sum);
    enforce_sum(m, result, n_bits, operands, n);
    cz_cs_leave(m->cs);
    memcpy(out->bits, result, sizeof out->bits);
    out->value = (uint32_t)sum;
}
