/* constraint.h: linear relations between allocated numbers. `name` is the constraint's own name. */
#ifndef CZ_GADGETS_CONSTRAINT_H
#define CZ_GADGETS_CONSTRAINT_H

#include "gadgets/num.h"

/** a * b = c for single variables (CZ_VAR_ONE among them). */
void cz_enforce_product(cz_cs *cs, cz_name name, cz_var a, cz_var b, cz_var c);

/** a * 1 = b. */
void cz_enforce_equal(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b);

/** (a + b) * 1 = sum. */
void cz_enforce_sum(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b, const cz_num *sum);

/** (difference + b) * 1 = a. */
void cz_enforce_difference(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b,
                           const cz_num *difference);

#endif
