/* uint32.h: 32-bit words in a circuit, for SHA-256. Bits are least significant first; rotations and
 * constants are free. Names and values: boolean.h. */
#ifndef CZ_GADGETS_UINT32_H
#define CZ_GADGETS_UINT32_H

#include "gadgets/multieq.h"

typedef struct {
    cz_boolean bits[32];
    uint32_t value;
} cz_uint32;

enum { CZ_UINT32_MAX_OPERANDS = 10 };

void cz_uint32_constant(cz_uint32 *out, uint32_t value);

/** 32 new bits, "allocated bit 0", … */
void cz_uint32_alloc(cz_cs *cs, cz_name name, cz_uint32 *out, uint32_t value);

/** Most significant bit first. */
void cz_uint32_from_bits_be(cz_uint32 *out, const cz_boolean bits[32]);
void cz_uint32_to_bits_be(cz_boolean bits[32], const cz_uint32 *a);

/* out must not overlap a */
void cz_uint32_rotr(cz_uint32 *out, const cz_uint32 *a, unsigned by);
void cz_uint32_shr(cz_uint32 *out, const cz_uint32 *a, unsigned by);

/* 32 constraints each (majority 64), fewer where bits are constant; out may be an operand */
void cz_uint32_xor(cz_cs *cs, cz_name name, cz_uint32 *out, const cz_uint32 *a, const cz_uint32 *b);
void cz_uint32_ch(cz_cs *cs, cz_name name, cz_uint32 *out, const cz_uint32 *a, const cz_uint32 *b,
                  const cz_uint32 *c);
void cz_uint32_maj(cz_cs *cs, cz_name name, cz_uint32 *out, const cz_uint32 *a, const cz_uint32 *b,
                   const cz_uint32 *c);

/** The sum mod 2^32 of 2 … 10 words, tied together through m. All constant: no constraint. */
void cz_uint32_addmany(cz_multieq *m, cz_name name, cz_uint32 *out,
                       const cz_uint32 *const *operands, unsigned n);

#endif
