/* insertion.c: choosing among numbers by bits; see insertion.h. */
#include "gadgets/insertion.h"

#include "gadgets/product.h"

/* (b - a) condition = b - c */
static void enforce_pick(cz_cs *cs, cz_bit condition, cz_var a, cz_var b, cz_var c)
{
    cz_product p;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    cz_lc_add_var(&p.a, b);
    cz_lc_sub_var(&p.a, a);
    cz_lc_add_var(&p.b, condition.var);
    cz_lc_add_var(&p.c, b);
    cz_lc_sub_var(&p.c, c);
    cz_product_enforce(&p, cs, CZ_N("pick"));
}

cz_num cz_pick(cz_cs *cs, cz_name name, cz_bit condition, const cz_num *a, const cz_num *b)
{
    cz_num c;

    cz_cs_enter(cs, name);
    c = cz_num_alloc(cs, CZ_N("pick result"), condition.value ? &a->value : &b->value);
    enforce_pick(cs, condition, a->var, b->var, c.var);
    cz_cs_leave(cs);
    return c;
}

/* A name holds one number, these have two: the round is part of the text. */
static cz_name select_name(unsigned round, unsigned i)
{
    static const char *const texts[CZ_SELECT_MAX_BITS] = {"pick 0, %u", "pick 1, %u", "pick 2, %u",
                                                          "pick 3, %u", "pick 4, %u", "pick 5, %u",
                                                          "pick 6, %u", "pick 7, %u"};

    return (cz_name){texts[round], i};
}

cz_num cz_select(cz_cs *cs, cz_name name, const cz_num *from, const cz_bit *index_bits,
                 unsigned n_bits)
{
    cz_num left[1u << (CZ_SELECT_MAX_BITS - 1)]; /* what the bits seen so far leave over */

    CZ_ASSERT(n_bits >= 1 && n_bits <= CZ_SELECT_MAX_BITS);
    cz_cs_enter(cs, name);
    for (unsigned round = 0; round < n_bits; round++) {
        const cz_num *choices = round == 0 ? from : left;
        unsigned half = 1u << (n_bits - 1 - round);

        for (unsigned i = 0; i < half; i++)
            left[i] = cz_pick(cs, select_name(round, i), index_bits[n_bits - 1 - round],
                              &choices[half + i], &choices[i]);
    }
    cz_cs_leave(cs);
    return left[0];
}

/* The tables below say, for every position of the result, what stands there as the bits become
 * known. A is the element, b, c, d, … its siblings; pK_xyz is position K with b0 = x, b1 = y,
 * b2 = z, where x means not yet decided. */

static void insert_2(cz_cs *cs, cz_num *out, const cz_num *a, const cz_bit *bits, const cz_num *s)
{
    out[0] = cz_pick(cs, CZ_N("binary insert 0"), bits[0], &s[0], a);
    out[1] = cz_pick(cs, CZ_N("binary insert 1"), bits[0], a, &s[0]);
}

/* index 0: A b c d    1: b A c d    2: b c A d    3: b c d A */
static void insert_4(cz_cs *cs, cz_num *out, const cz_num *a, const cz_bit *bits, const cz_num *s)
{
    const cz_num *b = &s[0], *c = &s[1], *d = &s[2];
    cz_bit b0 = bits[0], b1 = bits[1];
    cz_num t;

    t = cz_pick(cs, CZ_N("p0_x0"), b0, b, a);
    out[0] = cz_pick(cs, CZ_N("p0"), b1, b, &t);
    t = cz_pick(cs, CZ_N("p1_x0"), b0, a, b);
    out[1] = cz_pick(cs, CZ_N("p1"), b1, c, &t);
    t = cz_pick(cs, CZ_N("p2_x1"), b0, d, a);
    out[2] = cz_pick(cs, CZ_N("p2"), b1, &t, c);
    t = cz_pick(cs, CZ_N("p3_x1"), b0, a, d);
    out[3] = cz_pick(cs, CZ_N("p3"), b1, &t, d);
}

/* index 0: A b c d e f g h    1: b A c d e f g h    …    7: b c d e f g h A */
static void insert_8(cz_cs *cs, cz_num *out, const cz_num *a, const cz_bit *bits, const cz_num *s)
{
    const cz_num *b = &s[0], *c = &s[1], *d = &s[2], *e = &s[3], *f = &s[4], *g = &s[5], *h = &s[6];
    cz_bit b0 = bits[0], b1 = bits[1], b2 = bits[2];
    cz_bit none = cz_bit_nor(cs, CZ_N("b0 nor b1"), b0, b1);
    cz_bit both = cz_bit_and(cs, CZ_N("b0 and b1"), b0, b1);
    cz_num t;

    t = cz_pick(cs, CZ_N("p0_xx0"), none, a, b);
    out[0] = cz_pick(cs, CZ_N("p0"), b2, b, &t);
    t = cz_pick(cs, CZ_N("p1_x00"), b0, a, b);
    t = cz_pick(cs, CZ_N("p1_xx0"), b1, c, &t);
    out[1] = cz_pick(cs, CZ_N("p1"), b2, c, &t);
    t = cz_pick(cs, CZ_N("p2_x10"), b0, d, a);
    t = cz_pick(cs, CZ_N("p2_xx0"), b1, &t, c);
    out[2] = cz_pick(cs, CZ_N("p2"), b2, d, &t);
    t = cz_pick(cs, CZ_N("p3_xx0"), both, a, d);
    out[3] = cz_pick(cs, CZ_N("p3"), b2, e, &t);
    t = cz_pick(cs, CZ_N("p4_xx1"), none, a, f);
    out[4] = cz_pick(cs, CZ_N("p4"), b2, &t, e);
    t = cz_pick(cs, CZ_N("p5_x01"), b0, a, f);
    t = cz_pick(cs, CZ_N("p5_xx1"), b1, g, &t);
    out[5] = cz_pick(cs, CZ_N("p5"), b2, &t, f);
    t = cz_pick(cs, CZ_N("p6_x11"), b0, h, a);
    t = cz_pick(cs, CZ_N("p6_xx1"), b1, &t, g);
    out[6] = cz_pick(cs, CZ_N("p6"), b2, &t, g);
    t = cz_pick(cs, CZ_N("p7_xx1"), both, a, h);
    out[7] = cz_pick(cs, CZ_N("p7"), b2, &t, h);
}

static void refuse_size(cz_cs *cs, cz_num *out, unsigned size, const cz_num *element)
{
    cz_cs_fail(cs, cz_fail(CZ_E_ARG, "insertion among %u nodes; only 2, 4, 8", size));
    for (unsigned i = 0; i < size; i++)
        out[i] = *element;
}

void cz_insert(cz_cs *cs, cz_num *out, unsigned size, const cz_num *element,
               const cz_bit *index_bits, const cz_num *siblings)
{
    if (size == 2)
        insert_2(cs, out, element, index_bits, siblings);
    else if (size == 4)
        insert_4(cs, out, element, index_bits, siblings);
    else if (size == 8)
        insert_8(cs, out, element, index_bits, siblings);
    else
        refuse_size(cs, out, size, element);
}
