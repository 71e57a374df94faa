/* toy.h: small circuits for the tests of cs/, and short ways to write combinations. */
#ifndef CZ_TESTS_CS_TOY_H
#define CZ_TESTS_CS_TOY_H

#include "cs/cs.h"
#include "support.h"

/* The field element of a small signed integer. */
static inline cz_fr toy_fr(int64_t v)
{
    cz_fr r;

    cz_fr_from_u64(&r, (uint64_t)(v < 0 ? -v : v));
    if (v < 0)
        cz_fr_neg(&r, &r);
    return r;
}

static inline cz_var toy_aux(uint32_t index)
{
    return (cz_var){CZ_VAR_AUX_BIT | index};
}

static inline cz_var toy_input(uint32_t index)
{
    return (cz_var){index};
}

static inline void toy_add(cz_lc *lc, int64_t coeff, cz_var v)
{
    cz_fr c = toy_fr(coeff);

    cz_lc_add(lc, &c, v);
}

/* The toy circuit: x is secret, its cube is public. In order:
 *
 *   cube/square:    x * x = x2
 *   cube/product:   x2 * x = x3
 *   out (input 1):  allocated after the first constraints
 *   equal:          (3 x3 + 2 x - 2 x + 0 x2 + 5) * 1 = 3 out + 5
 *   flag 4/boolean: (1 - bit) * bit = 0 */
typedef struct {
    cz_circuit circuit; /* first */
    int64_t x;
    int64_t out; /* x^3 when satisfied */
    int64_t bit; /* 0 or 1 when satisfied */
} toy_circuit;

static inline void toy_enforce(cz_cs *cs, cz_name name, cz_lc *a, cz_lc *b, cz_lc *c)
{
    cz_cs_enforce(cs, name, a, b, c);
    cz_lc_reset(a);
    cz_lc_reset(b);
    cz_lc_reset(c);
}

static inline void toy_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const toy_circuit *t = (const toy_circuit *)self;
    cz_fr x_value = toy_fr(t->x);
    cz_fr x2_value = toy_fr(t->x * t->x);
    cz_fr x3_value = toy_fr(t->x * t->x * t->x);
    cz_fr out_value = toy_fr(t->out);
    cz_fr bit_value = toy_fr(t->bit);
    cz_var x, x2, x3, out, bit;
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);

    x = cz_cs_alloc(cs, CZ_N("x"), &x_value);
    cz_cs_enter(cs, CZ_N("cube"));
    x2 = cz_cs_alloc(cs, CZ_N("x2"), &x2_value);
    cz_lc_add_var(&a, x);
    cz_lc_add_var(&b, x);
    cz_lc_add_var(&c, x2);
    toy_enforce(cs, CZ_N("square"), &a, &b, &c);
    x3 = cz_cs_alloc(cs, CZ_N("x3"), &x3_value);
    cz_lc_add_var(&a, x2);
    cz_lc_add_var(&b, x);
    cz_lc_add_var(&c, x3);
    toy_enforce(cs, CZ_N("product"), &a, &b, &c);
    cz_cs_leave(cs);

    out = cz_cs_alloc_input(cs, CZ_N("out"), &out_value);
    toy_add(&a, 3, x3);
    toy_add(&a, 2, x);
    toy_add(&a, -2, x);
    toy_add(&a, 0, x2);
    toy_add(&a, 5, CZ_VAR_ONE);
    cz_lc_add_var(&b, CZ_VAR_ONE);
    toy_add(&c, 3, out);
    toy_add(&c, 5, CZ_VAR_ONE);
    toy_enforce(cs, CZ_N("equal"), &a, &b, &c);

    cz_cs_enter(cs, CZ_NU("flag %u", 4));
    bit = cz_cs_alloc(cs, CZ_N("bit"), &bit_value);
    cz_lc_add_var(&a, CZ_VAR_ONE);
    cz_lc_sub_var(&a, bit);
    cz_lc_add_var(&b, bit);
    toy_enforce(cs, CZ_N("boolean"), &a, &b, &c);
    cz_cs_leave(cs);

    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static inline toy_circuit toy_make(int64_t x, int64_t out, int64_t bit)
{
    return (toy_circuit){{"toy", toy_synthesize}, x, out, bit};
}

#endif
