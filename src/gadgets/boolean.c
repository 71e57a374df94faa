/* boolean.c: bits in a circuit and what is computed with them; see boolean.h. */
#include "gadgets/boolean.h"

#include "gadgets/product.h"

/* Combinations that are written in the order of their variables need no sorting, so in the
 * constraints below the older variable goes first. */
static bool older(cz_var a, cz_var b)
{
    return a.id < b.id;
}

/* lc += 2 v */
static void add_twice(cz_lc *lc, cz_var v)
{
    static const cz_fr two = {
        /* 2^257 mod r: 2 in Montgomery form */
        {0x00000003fffffffc, 0xb1096ff400069004, 0x33189fdfd9789fea, 0x304962b3598a0adf}};

    cz_lc_add(lc, &two, v);
}

static cz_bit new_bit(cz_cs *cs, cz_name name, bool value)
{
    return (cz_bit){cz_cs_alloc_bit(cs, name, value), value};
}

/* lc += 1 - v */
static void add_negated(cz_lc *lc, cz_var v)
{
    cz_lc_add_var(lc, CZ_VAR_ONE);
    cz_lc_sub_var(lc, v);
}

void cz_lc_add_boolean(cz_lc *lc, const cz_fr *coeff, cz_boolean b)
{
    cz_fr minus;

    if (b.kind == CZ_BOOLEAN_IS) {
        cz_lc_add(lc, coeff, b.var);
    } else if (b.kind == CZ_BOOLEAN_NOT) {
        cz_fr_neg(&minus, coeff);
        cz_lc_add(lc, coeff, CZ_VAR_ONE);
        cz_lc_add(lc, &minus, b.var);
    } else if (b.value) {
        cz_lc_add(lc, coeff, CZ_VAR_ONE);
    }
}

static void plus(cz_lc *lc, cz_boolean b)
{
    if (b.kind == CZ_BOOLEAN_IS)
        cz_lc_add_var(lc, b.var);
    else if (b.kind == CZ_BOOLEAN_NOT)
        add_negated(lc, b.var);
    else if (b.value)
        cz_lc_add_var(lc, CZ_VAR_ONE);
}

static void minus(cz_lc *lc, cz_boolean b)
{
    if (b.kind == CZ_BOOLEAN_NOT) {
        cz_lc_sub_var(lc, CZ_VAR_ONE);
        cz_lc_add_var(lc, b.var);
    } else if (b.kind == CZ_BOOLEAN_IS) {
        cz_lc_sub_var(lc, b.var);
    } else if (b.value) {
        cz_lc_sub_var(lc, CZ_VAR_ONE);
    }
}

/* lc += b - c */
static void add_difference(cz_lc *lc, cz_boolean b, cz_boolean c)
{
    if (older(b.var, c.var)) {
        plus(lc, b);
        minus(lc, c);
    } else {
        minus(lc, c);
        plus(lc, b);
    }
}

/* ---- allocated bits ---- */

cz_bit cz_bit_alloc(cz_cs *cs, cz_name name, bool value)
{
    cz_product p;
    cz_bit bit;

    cz_cs_enter(cs, name);
    bit = new_bit(cs, CZ_N("boolean"), value);
    if (cs->wants_constraints) {
        cz_product_init(&p);
        add_negated(&p.a, bit.var);
        cz_lc_add_var(&p.b, bit.var);
        cz_product_enforce(&p, cs, CZ_N("boolean constraint"));
    }
    cz_cs_leave(cs);
    return bit;
}

cz_bit cz_bit_alloc_conditionally(cz_cs *cs, cz_name name, bool value, cz_bit must_be_false)
{
    cz_product p;
    cz_bit bit;

    cz_cs_enter(cs, name);
    bit = new_bit(cs, CZ_N("boolean"), value);
    if (cs->wants_constraints) {
        cz_product_init(&p);
        add_negated(&p.a, must_be_false.var);
        cz_lc_sub_var(&p.a, bit.var);
        cz_lc_add_var(&p.b, bit.var);
        cz_product_enforce(&p, cs, CZ_N("boolean constraint"));
    }
    cz_cs_leave(cs);
    return bit;
}

/* 2 a b = a + b - c */
static cz_bit xor_here(cz_cs *cs, cz_bit a, cz_bit b)
{
    cz_bit c = new_bit(cs, CZ_N("xor result"), a.value ^ b.value);
    cz_product p;

    if (!cs->wants_constraints)
        return c;
    cz_product_init(&p);
    add_twice(&p.a, a.var);
    cz_lc_add_var(&p.b, b.var);
    cz_lc_add_var(&p.c, older(a.var, b.var) ? a.var : b.var);
    cz_lc_add_var(&p.c, older(a.var, b.var) ? b.var : a.var);
    cz_lc_sub_var(&p.c, c.var);
    cz_product_enforce(&p, cs, CZ_N("xor constraint"));
    return c;
}

/* a b = c */
static cz_bit and_here(cz_cs *cs, cz_bit a, cz_bit b)
{
    cz_bit c = new_bit(cs, CZ_N("and result"), a.value & b.value);
    cz_product p;

    if (!cs->wants_constraints)
        return c;
    cz_product_init(&p);
    cz_lc_add_var(&p.a, a.var);
    cz_lc_add_var(&p.b, b.var);
    cz_lc_add_var(&p.c, c.var);
    cz_product_enforce(&p, cs, CZ_N("and constraint"));
    return c;
}

/* a (1 - b) = c */
static cz_bit and_not_here(cz_cs *cs, cz_bit a, cz_bit b)
{
    cz_bit c = new_bit(cs, CZ_N("and not result"), a.value & !b.value);
    cz_product p;

    if (!cs->wants_constraints)
        return c;
    cz_product_init(&p);
    cz_lc_add_var(&p.a, a.var);
    add_negated(&p.b, b.var);
    cz_lc_add_var(&p.c, c.var);
    cz_product_enforce(&p, cs, CZ_N("and not constraint"));
    return c;
}

/* (1 - a) (1 - b) = c */
static cz_bit nor_here(cz_cs *cs, cz_bit a, cz_bit b)
{
    cz_bit c = new_bit(cs, CZ_N("nor result"), !a.value & !b.value);
    cz_product p;

    if (!cs->wants_constraints)
        return c;
    cz_product_init(&p);
    add_negated(&p.a, a.var);
    add_negated(&p.b, b.var);
    cz_lc_add_var(&p.c, c.var);
    cz_product_enforce(&p, cs, CZ_N("nor constraint"));
    return c;
}

cz_bit cz_bit_and(cz_cs *cs, cz_name name, cz_bit a, cz_bit b)
{
    cz_bit c;

    cz_cs_enter(cs, name);
    c = and_here(cs, a, b);
    cz_cs_leave(cs);
    return c;
}

cz_bit cz_bit_nor(cz_cs *cs, cz_name name, cz_bit a, cz_bit b)
{
    cz_bit c;

    cz_cs_enter(cs, name);
    c = nor_here(cs, a, b);
    cz_cs_leave(cs);
    return c;
}

void cz_bits_alloc_u64(cz_cs *cs, cz_bit *out, unsigned n, uint64_t value)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = cz_bit_alloc(cs, CZ_NU("bit %u", i), value >> i & 1);
}

/* The fast form of a run of cz_bit_alloc, for modes that take words. */
static void alloc_words(cz_cs *cs, cz_bit *out, unsigned n, const uint64_t *values)
{
    for (unsigned done = 0; done < n; done += 64) {
        unsigned k = n - done < 64 ? n - done : 64;
        uint64_t word = values[done / 64];
        uint32_t first = cz_cs_alloc_bits(cs, word, k).id;

        for (unsigned i = 0; i < k; i++)
            out[done + i] = (cz_bit){{first + i}, word >> i & 1};
    }
}

void cz_bits_alloc_fr(cz_cs *cs, cz_bit out[CZ_FR_BITS], const cz_fr *value)
{
    cz_u256 v = {{0, 0, 0, 0}};

    if (cs->has_values)
        cz_fr_to_u256(&v, value);
    if (cz_cs_takes_words(cs)) {
        alloc_words(cs, out, CZ_FR_BITS, v.l);
        return;
    }
    for (unsigned i = 0; i < CZ_FR_BITS; i++)
        out[i] = cz_bit_alloc(cs, CZ_NU("bit %u", i), v.l[i / 64] >> (i % 64) & 1);
}

/* ---- booleans ---- */

/* the variable under a boolean that is no constant */
static cz_bit bit_of(cz_boolean b)
{
    return (cz_bit){b.var, b.value ^ (b.kind == CZ_BOOLEAN_NOT)};
}

static cz_boolean boolean_xor_here(cz_cs *cs, cz_boolean a, cz_boolean b)
{
    if (cz_boolean_is_constant(a))
        return a.value ? cz_boolean_not(b) : b;
    if (cz_boolean_is_constant(b))
        return b.value ? cz_boolean_not(a) : a;
    if (a.kind == b.kind)
        return cz_boolean_from_bit(xor_here(cs, bit_of(a), bit_of(b)));
    /* of the two variables, the plain one comes first */
    if (a.kind == CZ_BOOLEAN_IS)
        return cz_boolean_not(cz_boolean_from_bit(xor_here(cs, bit_of(a), bit_of(b))));
    return cz_boolean_not(cz_boolean_from_bit(xor_here(cs, bit_of(b), bit_of(a))));
}

static cz_boolean boolean_and_here(cz_cs *cs, cz_boolean a, cz_boolean b)
{
    if (cz_boolean_is_constant(a))
        return a.value ? b : a;
    if (cz_boolean_is_constant(b))
        return b.value ? a : b;
    if (a.kind == CZ_BOOLEAN_IS && b.kind == CZ_BOOLEAN_IS)
        return cz_boolean_from_bit(and_here(cs, bit_of(a), bit_of(b)));
    if (a.kind == CZ_BOOLEAN_IS)
        return cz_boolean_from_bit(and_not_here(cs, bit_of(a), bit_of(b)));
    if (b.kind == CZ_BOOLEAN_IS)
        return cz_boolean_from_bit(and_not_here(cs, bit_of(b), bit_of(a)));
    return cz_boolean_from_bit(nor_here(cs, bit_of(a), bit_of(b)));
}

/* not (not a and not b) */
static cz_boolean boolean_or_here(cz_cs *cs, cz_boolean a, cz_boolean b)
{
    return cz_boolean_not(boolean_and_here(cs, cz_boolean_not(a), cz_boolean_not(b)));
}

cz_boolean cz_boolean_xor(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b)
{
    cz_boolean c;

    cz_cs_enter(cs, name);
    c = boolean_xor_here(cs, a, b);
    cz_cs_leave(cs);
    return c;
}

cz_boolean cz_boolean_and(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b)
{
    cz_boolean c;

    cz_cs_enter(cs, name);
    c = boolean_and_here(cs, a, b);
    cz_cs_leave(cs);
    return c;
}

cz_boolean cz_boolean_or(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b)
{
    cz_boolean c;

    cz_cs_enter(cs, name);
    cz_cs_enter(cs, CZ_N("not and (not a) (not b)"));
    c = boolean_or_here(cs, a, b);
    cz_cs_leave(cs);
    cz_cs_leave(cs);
    return c;
}

/* a (b - c) = ch - c; b and c are no constants */
static cz_boolean ch_constraint(cz_cs *cs, cz_boolean a, cz_boolean b, cz_boolean c)
{
    cz_bit ch = new_bit(cs, CZ_N("ch"), a.value ? b.value : c.value);
    cz_product p;

    if (!cs->wants_constraints)
        return cz_boolean_from_bit(ch);
    cz_product_init(&p);
    add_difference(&p.a, b, c);
    plus(&p.b, a);
    minus(&p.c, c);
    cz_lc_add_var(&p.c, ch.var);
    cz_product_enforce(&p, cs, CZ_N("ch computation"));
    return cz_boolean_from_bit(ch);
}

static cz_boolean ch_here(cz_cs *cs, cz_boolean a, cz_boolean b, cz_boolean c)
{
    if (cz_boolean_is_constant(a) && cz_boolean_is_constant(b) && cz_boolean_is_constant(c))
        return a.value ? b : c;
    if (cz_boolean_is_constant(a) && !a.value)
        return c;
    if (cz_boolean_is_constant(b) && !b.value)
        return boolean_and_here(cs, cz_boolean_not(a), c);
    if (cz_boolean_is_constant(c) && !c.value)
        return boolean_and_here(cs, a, b);
    if (cz_boolean_is_constant(c))
        return boolean_or_here(cs, cz_boolean_not(a), b);
    if (cz_boolean_is_constant(b))
        return boolean_or_here(cs, a, c);
    return ch_constraint(cs, a, b, c); /* a may be the constant one: the network's circuit has it */
}

cz_boolean cz_boolean_ch(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b, cz_boolean c)
{
    cz_boolean ch;

    cz_cs_enter(cs, name);
    ch = ch_here(cs, a, b, c);
    cz_cs_leave(cs);
    return ch;
}

/* bc = b c, (2 bc - b - c) a = bc - maj; none is constant, so bc is a new variable */
static cz_boolean maj_constraint(cz_cs *cs, cz_boolean a, cz_boolean b, cz_boolean c)
{
    bool value = (a.value & b.value) ^ (a.value & c.value) ^ (b.value & c.value);
    cz_bit maj = new_bit(cs, CZ_N("maj"), value);
    cz_boolean bc = cz_boolean_and(cs, CZ_N("b and c"), b, c);
    cz_product p;

    if (!cs->wants_constraints)
        return cz_boolean_from_bit(maj);
    cz_product_init(&p);
    minus(&p.a, older(b.var, c.var) ? b : c);
    minus(&p.a, older(b.var, c.var) ? c : b);
    add_twice(&p.a, bc.var);
    plus(&p.b, a);
    cz_lc_sub_var(&p.c, maj.var);
    cz_lc_add_var(&p.c, bc.var);
    cz_product_enforce(&p, cs, CZ_N("maj computation"));
    return cz_boolean_from_bit(maj);
}

static cz_boolean maj_here(cz_cs *cs, cz_boolean a, cz_boolean b, cz_boolean c)
{
    if (cz_boolean_is_constant(a) && !a.value)
        return boolean_and_here(cs, b, c);
    if (cz_boolean_is_constant(b) && !b.value)
        return boolean_and_here(cs, a, c);
    if (cz_boolean_is_constant(c) && !c.value)
        return boolean_and_here(cs, a, b);
    if (cz_boolean_is_constant(c))
        return boolean_or_here(cs, a, b);
    if (cz_boolean_is_constant(b))
        return boolean_or_here(cs, a, c);
    if (cz_boolean_is_constant(a))
        return boolean_or_here(cs, b, c);
    return maj_constraint(cs, a, b, c);
}

cz_boolean cz_boolean_maj(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b, cz_boolean c)
{
    cz_boolean maj;

    cz_cs_enter(cs, name);
    maj = maj_here(cs, a, b, c);
    cz_cs_leave(cs);
    return maj;
}

/* ---- equality ---- */

static cz_name equality_name(cz_boolean a, cz_boolean b)
{
    if ((cz_boolean_is_constant(a) && a.value) || (cz_boolean_is_constant(b) && b.value))
        return CZ_N("enforce equal to one");
    if (cz_boolean_is_constant(a) || cz_boolean_is_constant(b))
        return CZ_N("enforce equal to zero");
    return CZ_N("enforce equal");
}

static void enforce_equal_here(cz_cs *cs, cz_boolean a, cz_boolean b)
{
    cz_product p;

    /* the network's form has the constant one first, and a variable before the constant zero */
    if (cz_boolean_is_constant(b) && b.value) {
        enforce_equal_here(cs, b, a);
        return;
    }
    if (cz_boolean_is_constant(a) && !a.value) {
        enforce_equal_here(cs, b, a);
        return;
    }
    cz_product_init(&p);
    plus(&p.c, a);
    minus(&p.c, b);
    cz_product_enforce(&p, cs, equality_name(a, b));
}

void cz_boolean_enforce_equal(cz_cs *cs, cz_name name, cz_boolean a, cz_boolean b)
{
    if (cz_boolean_is_constant(a) && cz_boolean_is_constant(b)) {
        if (a.value != b.value)
            cz_cs_fail(cs, cz_fail(CZ_E_UNSATISFIED, "two different constants are to be equal"));
        return;
    }
    if (!cs->wants_constraints)
        return;
    cz_cs_enter(cs, name);
    enforce_equal_here(cs, a, b);
    cz_cs_leave(cs);
}
