/* blocks.h: circuits of repeated blocks for the tests of the compiled form. */
#ifndef CZ_TESTS_CS_BLOCKS_H
#define CZ_TESTS_CS_BLOCKS_H

#include "random_circuit.h"

/* ---- a chain of equal blocks, satisfied ---- */

/* What sets the block `odd` apart from the others. */
typedef enum {
    ODD_NOTHING,
    ODD_COEFFICIENT, /* 5 in place of 3 */
    ODD_CLASS,       /* the bit is allocated as a number */
    ODD_NEGATION,    /* the port as 1 - port, its value negated too */
    ODD_CONSTANT,    /* the constant one in place of the port */
    ODD_WITNESS      /* the same constraints, a wrong value */
} odd_kind;

/* One block: bit; (1 - bit) bit = 0; y = 3 x + 2^200 bit + port, where x is a square and port the
 * bit of the block before. Every tenth block allocates an input, equal to its y. */
typedef struct {
    cz_circuit circuit; /* first */
    unsigned n_blocks;
    unsigned odd;
    odd_kind kind;
} chain_circuit;

typedef struct {
    cz_var var;
    bool value;
} chain_bit;

static inline chain_bit chain_alloc_bit(cz_cs *cs, bool value, bool as_number)
{
    cz_fr v = toy_fr(value);

    if (as_number)
        return (chain_bit){cz_cs_alloc(cs, CZ_N("bit"), &v), value};
    return (chain_bit){cz_cs_alloc_bit(cs, CZ_N("bit"), value), value};
}

static inline void chain_port(cz_lc *lc, cz_fr *value, chain_bit port, odd_kind kind)
{
    if (kind == ODD_CONSTANT || kind == ODD_NEGATION)
        cz_lc_add_var(lc, CZ_VAR_ONE);
    if (kind == ODD_NEGATION)
        cz_lc_sub_var(lc, port.var);
    else if (kind != ODD_CONSTANT)
        cz_lc_add_var(lc, port.var);
    *value = toy_fr(kind == ODD_CONSTANT ? 1 : port.value ^ (kind == ODD_NEGATION));
}

static inline chain_bit chain_block(cz_cs *cs, unsigned i, chain_bit before, odd_kind kind)
{
    const int64_t factor = kind == ODD_COEFFICIENT ? 5 : 3;
    chain_bit bit = chain_alloc_bit(cs, i % 3 == 1, kind == ODD_CLASS);
    cz_fr x_value = toy_fr((int64_t)i * i);
    cz_fr power = toy_fr(2);
    cz_fr y_value, port_value;
    cz_lc a, b, c;
    cz_var x, y;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    cz_lc_add_var(&a, CZ_VAR_ONE);
    cz_lc_sub_var(&a, bit.var);
    cz_lc_add_var(&b, bit.var);
    toy_enforce(cs, CZ_N("boolean"), &a, &b, &c);

    for (int k = 0; k < 199; k++)
        cz_fr_add(&power, &power, &power);
    x = cz_cs_alloc(cs, CZ_N("x"), &x_value);
    chain_port(&a, &port_value, before, kind);
    toy_add(&a, factor, x);
    cz_lc_add(&a, &power, bit.var);
    y_value = toy_fr(factor * (int64_t)i * i + (kind == ODD_WITNESS));
    cz_fr_add(&y_value, &y_value, &port_value);
    if (bit.value)
        cz_fr_add(&y_value, &y_value, &power);
    y = cz_cs_alloc(cs, CZ_N("y"), &y_value);
    cz_lc_add_var(&b, CZ_VAR_ONE);
    cz_lc_add_var(&c, y);
    toy_enforce(cs, CZ_N("sum"), &a, &b, &c);
    cz_cs_border(cs);
    if (i % 10 == 7) {
        cz_var input = cz_cs_alloc_input(cs, CZ_N("input"), &y_value);

        cz_lc_add_var(&a, input);
        cz_lc_add_var(&b, CZ_VAR_ONE);
        cz_lc_add_var(&c, y);
        toy_enforce(cs, CZ_N("public"), &a, &b, &c);
        cz_cs_border(cs);
    }
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
    return bit;
}

static inline void chain_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const chain_circuit *t = (const chain_circuit *)(const void *)self;
    chain_bit bit = chain_alloc_bit(cs, true, false);

    cz_cs_border(cs);
    for (unsigned i = 0; i < t->n_blocks; i++)
        bit = chain_block(cs, i, bit, i == t->odd ? t->kind : ODD_NOTHING);
}

static inline chain_circuit chain_make(unsigned n_blocks, unsigned odd, odd_kind kind)
{
    return (chain_circuit){{"chain", chain_synthesize}, n_blocks, odd, kind};
}

/* ---- random blocks, each of a few kinds many times, with every kind of coefficient ---- */

typedef struct {
    cz_circuit circuit; /* first */
    uint64_t seed;
    unsigned n_blocks;
    unsigned n_kinds;
} random_blocks;

static inline cz_fr random_coeff(uint64_t *s)
{
    cz_fr v = toy_fr((int64_t)(random_next(s) % 9) - 4);
    uint64_t kind = random_next(s) % 8;

    if (kind == 0) { /* anything */
        cz_fr t;

        cz_fr_from_u64(&t, random_next(s));
        cz_fr_from_u64(&v, random_next(s));
        for (int i = 0; i < 5; i++)
            cz_fr_mul(&v, &v, &t);
    } else if (kind < 4) { /* +-2^i, sometimes two digits */
        uint64_t n = random_next(s) % 254;

        v = toy_fr(random_next(s) % 2 == 0 ? 1 : -1);
        for (uint64_t i = 0; i < n; i++)
            cz_fr_add(&v, &v, &v);
        if (kind == 3) {
            cz_fr one = toy_fr((int64_t)(random_next(s) % 3) + 1);

            cz_fr_add(&v, &v, &one);
        }
    }
    return v;
}

/* A local of the block, one of the last variables before it, one, or the last input. */
static inline cz_var random_var(const cz_cs *cs, uint64_t *s, uint32_t base)
{
    uint64_t kind = random_next(s) % 8;
    uint64_t pick = random_next(s);

    if (kind == 0)
        return CZ_VAR_ONE;
    if (kind == 1)
        return toy_input(cs->n_inputs - 1);
    if (kind < 4 && base >= 8)
        return toy_aux(base - 1 - (uint32_t)(pick % 8));
    return toy_aux(base + (uint32_t)(pick % (cs->n_aux - base)));
}

static inline void random_sum(cz_lc *lc, const cz_cs *cs, uint64_t *s, uint32_t base)
{
    uint64_t n = random_next(s) % 8;

    if (n == 7)
        n = 120;
    for (uint64_t i = 0; i < n; i++) {
        cz_fr coeff = random_coeff(s);

        cz_lc_add(lc, &coeff, random_var(cs, s, base));
    }
}

static inline void random_alloc_any(cz_cs *cs, uint64_t *s, uint64_t *values)
{
    uint64_t v = random_next(values);

    if (random_next(s) % 4 != 0) {
        (void)cz_cs_alloc_bit(cs, CZ_N("bit"), v >> 20 & 1);
    } else {
        cz_fr value = random_coeff(values);

        (void)cz_cs_alloc(cs, CZ_N("number"), &value);
    }
}

static inline void random_block(cz_cs *cs, uint64_t kind, uint64_t *values)
{
    uint64_t s = kind;
    uint32_t base = cs->n_aux;
    unsigned n = 1 + (unsigned)(random_next(&s) % 90);
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (unsigned i = 0; i < n; i++) {
        random_alloc_any(cs, &s, values);
        if (random_next(&s) % 64 == 0) {
            cz_fr value = random_coeff(values);

            (void)cz_cs_alloc_input(cs, CZ_N("input"), &value);
        }
        random_sum(&a, cs, &s, base);
        random_sum(&b, cs, &s, base);
        random_sum(&c, cs, &s, base);
        toy_enforce(cs, CZ_N("row"), &a, &b, &c);
    }
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
    cz_cs_border(cs);
}

static inline void random_blocks_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const random_blocks *r = (const random_blocks *)(const void *)self;
    uint64_t values = r->seed ^ 0x5555;
    uint64_t order = r->seed;

    for (unsigned i = 0; i < r->n_blocks; i++)
        random_block(cs, r->seed + 1 + random_next(&order) % r->n_kinds, &values);
}

static inline random_blocks random_blocks_make(unsigned n_blocks, unsigned n_kinds)
{
    return (random_blocks){
        {"random-blocks", random_blocks_synthesize}, cz_test_random() | 1, n_blocks, n_kinds};
}

#endif
