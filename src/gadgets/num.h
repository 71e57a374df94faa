/* num.h: field elements in a circuit.
 *
 * A cz_num is an allocated variable with its value; the bits of a number come in two forms: the
 * plain one, which admits two encodings of small numbers (v and v + r both fit in 255 bits), and
 * the strict one, which admits only the canonical one. Names and values: boolean.h. */
#ifndef CZ_GADGETS_NUM_H
#define CZ_GADGETS_NUM_H

#include "cs/cs.h"
#include "gadgets/boolean.h"

typedef struct {
    cz_var var;
    cz_fr value;
} cz_num;

/** A new variable, "num" below `name`. `value` may be NULL without values. */
cz_num cz_num_alloc(cz_cs *cs, cz_name name, const cz_fr *value);

/** A new public input, "input num" below `name`. */
cz_num cz_num_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value);

/** A new public input that equals the number. */
void cz_num_inputize(cz_cs *cs, cz_name name, const cz_num *num);

cz_num cz_num_add(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b);
cz_num cz_num_mul(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b);
cz_num cz_num_square(cz_cs *cs, cz_name name, const cz_num *a);

/** 255 bits, least significant first; 256 constraints. */
void cz_num_to_bits_le(cz_cs *cs, cz_name name, cz_boolean out[CZ_FR_BITS], const cz_num *num);

/** The same, and the integer is below r; 388 constraints. */
void cz_num_to_bits_le_strict(cz_cs *cs, cz_name name, cz_boolean out[CZ_FR_BITS],
                              const cz_num *num);

/** lc += sum of 2^i bits[i]. n up to 256. */
void cz_lc_add_bits(cz_lc *lc, const cz_bit *bits, unsigned n);
void cz_lc_add_booleans(cz_lc *lc, const cz_boolean *bits, unsigned n);

/** The sum of 2^i bits[i] mod r. n up to 256. */
void cz_booleans_value(cz_fr *out, const cz_boolean *bits, unsigned n);

/** 2^0 … 2^255 mod r. Threads: built once, immutable. */
const cz_fr *cz_powers_of_two(void);

#endif
