/* constraint.c: linear relations between allocated numbers. */
#include "gadgets/constraint.h"

#include "gadgets/product.h"

void cz_enforce_product(cz_cs *cs, cz_name name, cz_var a, cz_var b, cz_var c)
{
    cz_product p;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    cz_lc_add_var(&p.a, a);
    cz_lc_add_var(&p.b, b);
    cz_lc_add_var(&p.c, c);
    cz_product_enforce(&p, cs, name);
}

void cz_enforce_equal(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b)
{
    cz_enforce_product(cs, name, a->var, CZ_VAR_ONE, b->var);
}

void cz_enforce_sum(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b, const cz_num *sum)
{
    cz_product p;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    cz_lc_add_var(&p.a, a->var);
    cz_lc_add_var(&p.a, b->var);
    cz_lc_add_var(&p.b, CZ_VAR_ONE);
    cz_lc_add_var(&p.c, sum->var);
    cz_product_enforce(&p, cs, name);
}

void cz_enforce_difference(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b,
                           const cz_num *difference)
{
    cz_enforce_sum(cs, name, difference, b, a);
}
