/* product.h: one constraint while it is being written: three combinations on the stack.
 *
 * Gadgets return early when !cs->wants_constraints, then: init, add terms to a, b, c, enforce. */
#ifndef CZ_GADGETS_PRODUCT_H
#define CZ_GADGETS_PRODUCT_H

#include "cs/cs.h"

typedef struct {
    cz_lc a, b, c;
} cz_product;

static inline void cz_product_init(cz_product *p)
{
    cz_lc_init(&p->a);
    cz_lc_init(&p->b);
    cz_lc_init(&p->c);
}

/** a * b = c; p is done with. */
static inline void cz_product_enforce(cz_product *p, cz_cs *cs, cz_name name)
{
    cz_cs_enforce(cs, name, &p->a, &p->b, &p->c);
    cz_lc_clear(&p->a);
    cz_lc_clear(&p->b);
    cz_lc_clear(&p->c);
}

#endif
