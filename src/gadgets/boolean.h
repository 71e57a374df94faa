/* boolean.h: bits in a circuit: allocated ones, their negations, and constants.
 *
 * A cz_bit is a variable constrained to be 0 or 1. A cz_boolean is a cz_bit, a negated one, or a
 * constant; it costs nothing to negate, and operations on constants make no constraint. Both are
 * eight bytes, passed by value.
 *
 * Names, here and in every gadget: a gadget with a `name` argument works one path level deeper,
 * under that name; one without works at the caller's level. The order of allocations and
 * constraints, and the names below, are the network's.
 *
 * Values: `value` means something only when the constraint system has values (constants: always).
 * Gadgets never branch on it, so without values it may be anything. Errors are sticky in the
 * constraint system. */
#ifndef CZ_GADGETS_BOOLEAN_H
#define CZ_GADGETS_BOOLEAN_H

#include "cs/cs.h"

enum { CZ_FR_BITS = 255, CZ_FR_CAPACITY = 254 }; /* bits of r; bits that always fit below r */

typedef struct {
    cz_var var;
    bool value;
} cz_bit;

typedef enum { CZ_BOOLEAN_CONSTANT, CZ_BOOLEAN_IS, CZ_BOOLEAN_NOT } cz_boolean_kind;

typedef struct {
    cz_var var;   /* not for constants */
    uint8_t kind; /* cz_boolean_kind */
    bool value;   /* of the boolean: of the variable, negated for CZ_BOOLEAN_NOT */
} cz_boolean;

static inline cz_boolean cz_boolean_constant(bool value)
{
    return (cz_boolean){CZ_VAR_ONE, CZ_BOOLEAN_CONSTANT, value};
}

static inline cz_boolean cz_boolean_from_bit(cz_bit bit)
{
    return (cz_boolean){bit.var, CZ_BOOLEAN_IS, bit.value};
}

static inline bool cz_boolean_is_constant(cz_boolean b)
{
    return b.kind == CZ_BOOLEAN_CONSTANT;
}

static inline cz_boolean cz_boolean_not(cz_boolean b)
{
    static const uint8_t negated[] = {CZ_BOOLEAN_CONSTANT, CZ_BOOLEAN_NOT, CZ_BOOLEAN_IS};

    return (cz_boolean){b.var, negated[b.kind], !b.value};
}

/** A new variable, a (1 - a) = 0. */
cz_bit cz_bit_alloc(cz_cs *cs, cz_name name, bool value);

/** A new variable, (1 - must_be_false - a) a = 0: a bit that is 0 when must_be_false is 1. */
cz_bit cz_bit_alloc_conditionally(cz_cs *cs, cz_name name, bool value, cz_bit must_be_false);

cz_bit cz_bit_and(cz_cs *cs, cz_name name, cz_bit a, cz_bit b);
cz_bit cz_bit_nor(cz_cs *cs, cz_name name, cz_bit a, cz_bit b);

/** The low n bits of value, least significant first, as "bit 0", "bit 1", … */
void cz_bits_alloc_u64(cz_cs *cs, cz_bit *out, unsigned n, uint64_t value);

/** The bits of a field element, least significant first, as "bit 0", … Nothing ties them to a
 * number yet. `value` may be NULL without values. */
void cz_bits_alloc_fr(cz_cs *cs, cz_bit out[CZ_FR_BITS], const cz_fr *value);

cz_boolean cz_boolean_xor(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b);
cz_boolean cz_boolean_and(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b);
cz_boolean cz_boolean_or(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b);

/** SHA-256's choice, (a and b) xor (not a and c). */
cz_boolean cz_boolean_ch(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b, cz_boolean c);

/** SHA-256's majority, (a and b) xor (a and c) xor (b and c). */
cz_boolean cz_boolean_maj(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b, cz_boolean c);

/** 0 * 0 = a - b. Two constants that differ fail the system with CZ_E_UNSATISFIED. */
void cz_boolean_enforce_equal(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b);

/** lc += coeff * b. */
void cz_lc_add_boolean(cz_lc *lc, const cz_fr *coeff, cz_boolean b);

#endif
