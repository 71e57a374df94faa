/* num.c: field elements in a circuit; see num.h. */
#include "gadgets/num.h"

#include <pthread.h>

#include "gadgets/constraint.h"
#include "gadgets/product.h"

/* ---- powers of two and sums of bits ---- */

enum { N_POWERS = 256 };

static cz_fr powers_of_two[N_POWERS];

static void compute_powers(void)
{
    powers_of_two[0] = CZ_FR_ONE;
    for (unsigned i = 1; i < N_POWERS; i++)
        cz_fr_dbl(&powers_of_two[i], &powers_of_two[i - 1]);
}

const cz_fr *cz_powers_of_two(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, compute_powers);
    return powers_of_two;
}

void cz_lc_add_bits(cz_lc *lc, const cz_bit *bits, unsigned n)
{
    const cz_fr *powers = cz_powers_of_two();

    CZ_ASSERT(n <= N_POWERS);
    for (unsigned i = 0; i < n; i++)
        cz_lc_add(lc, &powers[i], bits[i].var);
}

void cz_lc_add_booleans(cz_lc *lc, const cz_boolean *bits, unsigned n)
{
    const cz_fr *powers = cz_powers_of_two();

    CZ_ASSERT(n <= N_POWERS);
    for (unsigned i = 0; i < n; i++)
        cz_lc_add_boolean(lc, &powers[i], bits[i]);
}

void cz_booleans_value(cz_fr *out, const cz_boolean *bits, unsigned n)
{
    cz_u256 v = {{0, 0, 0, 0}};

    CZ_ASSERT(n <= N_POWERS);
    for (unsigned i = 0; i < n; i++)
        v.l[i / 64] |= (uint64_t)bits[i].value << (i % 64);
    cz_fr_from_u256(out, &v);
}

/* ---- numbers ---- */

static cz_num new_num(cz_cs *cs, cz_name name, const cz_fr *value)
{
    cz_num num = {CZ_VAR_ONE, CZ_FR_ZERO};

    if (cs->has_values)
        num.value = *value;
    num.var = cz_cs_alloc(cs, name, &num.value);
    return num;
}

cz_num cz_num_alloc(cz_cs *cs, cz_name name, const cz_fr *value)
{
    cz_num num;

    cz_cs_enter(cs, name);
    num = new_num(cs, CZ_N("num"), value);
    cz_cs_leave(cs);
    return num;
}

cz_num cz_num_alloc_input(cz_cs *cs, cz_name name, const cz_fr *value)
{
    cz_num num = {CZ_VAR_ONE, CZ_FR_ZERO};

    if (cs->has_values)
        num.value = *value;
    cz_cs_enter(cs, name);
    num.var = cz_cs_alloc_input(cs, CZ_N("input num"), &num.value);
    cz_cs_leave(cs);
    return num;
}

void cz_num_inputize(cz_cs *cs, cz_name name, const cz_num *num)
{
    cz_var input;

    cz_cs_enter(cs, name);
    input = cz_cs_alloc_input(cs, CZ_N("input variable"), &num->value);
    cz_enforce_product(cs, CZ_N("enforce input is correct"), input, CZ_VAR_ONE, num->var);
    cz_cs_leave(cs);
}

cz_num cz_num_add(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b)
{
    cz_fr value = CZ_FR_ZERO;
    cz_num sum;

    if (cs->has_values)
        cz_fr_add(&value, &a->value, &b->value);
    cz_cs_enter(cs, name);
    sum = new_num(cs, CZ_N("sum num"), &value);
    cz_enforce_sum(cs, CZ_N("addition constraint"), a, b, &sum);
    cz_cs_leave(cs);
    return sum;
}

cz_num cz_num_mul(cz_cs *cs, cz_name name, const cz_num *a, const cz_num *b)
{
    cz_fr value = CZ_FR_ZERO;
    cz_num product;

    if (cs->has_values)
        cz_fr_mul(&value, &a->value, &b->value);
    cz_cs_enter(cs, name);
    product = new_num(cs, CZ_N("product num"), &value);
    cz_enforce_product(cs, CZ_N("multiplication constraint"), a->var, b->var, product.var);
    cz_cs_leave(cs);
    return product;
}

cz_num cz_num_square(cz_cs *cs, cz_name name, const cz_num *a)
{
    cz_fr value = CZ_FR_ZERO;
    cz_num square;

    if (cs->has_values)
        cz_fr_sqr(&value, &a->value);
    cz_cs_enter(cs, name);
    square = new_num(cs, CZ_N("squared num"), &value);
    cz_enforce_product(cs, CZ_N("squaring constraint"), a->var, a->var, square.var);
    cz_cs_leave(cs);
    return square;
}

/* ---- bits of a number ---- */

/* 0 * 0 = sum of 2^i bits[i] - num */
static void enforce_unpacking(cz_cs *cs, const cz_bit bits[CZ_FR_BITS], const cz_num *num)
{
    cz_product p;

    if (!cs->wants_constraints)
        return;
    cz_product_init(&p);
    cz_lc_sub_var(&p.c, num->var);
    cz_lc_add_bits(&p.c, bits, CZ_FR_BITS);
    cz_product_enforce(&p, cs, CZ_N("unpacking constraint"));
}

static void booleans_from_bits(cz_boolean out[CZ_FR_BITS], const cz_bit bits[CZ_FR_BITS])
{
    for (unsigned i = 0; i < CZ_FR_BITS; i++)
        out[i] = cz_boolean_from_bit(bits[i]);
}

void cz_num_to_bits_le(cz_cs *cs, cz_name name, cz_boolean out[CZ_FR_BITS], const cz_num *num)
{
    cz_bit bits[CZ_FR_BITS];

    cz_cs_border(cs);
    cz_cs_enter(cs, name);
    cz_bits_alloc_fr(cs, bits, &num->value);
    enforce_unpacking(cs, bits, num);
    cz_cs_leave(cs);
    cz_cs_border(cs);
    booleans_from_bits(out, bits);
}

/* The conjunction of n bits, n >= 1. */
static cz_bit and_all(cz_cs *cs, cz_name name, const cz_bit *bits, unsigned n)
{
    cz_bit all = bits[0];

    cz_cs_enter(cs, name);
    for (unsigned i = 1; i < n; i++)
        all = cz_bit_and(cs, CZ_NU("and %u", i), all, bits[i]);
    cz_cs_leave(cs);
    return all;
}

/* Allocate the bits from the top, comparing with r - 1 on the way: `equal` is true while all bits
 * above a run of zeros of r - 1 are those of r - 1's ones; then the bits of that run must be
 * zero. r - 1 starts with a one and ends in a run of zeros. */
static void alloc_bits_below_modulus(cz_cs *cs, cz_bit bits[CZ_FR_BITS], const cz_u256 *value)
{
    cz_bit run[CZ_FR_BITS + 1];
    cz_bit equal = {CZ_VAR_ONE, true};
    bool has_equal = false;
    unsigned run_length = 0;

    for (unsigned k = 0; k < CZ_FR_BITS; k++) {
        unsigned i = CZ_FR_BITS - 1 - k;
        uint64_t largest = cz_fr_modulus[i / 64] - (i / 64 == 0); /* the limb of r - 1; r is odd */
        bool bit = value->l[i / 64] >> (i % 64) & 1;

        if (largest >> (i % 64) & 1) {
            bits[i] = cz_bit_alloc(cs, CZ_NU("bit %u", k), bit);
            run[run_length++] = bits[i];
            continue;
        }
        if (run_length > 0) {
            if (has_equal)
                run[run_length++] = equal;
            equal = and_all(cs, CZ_NU("run ending at %u", k), run, run_length);
            has_equal = true;
            run_length = 0;
        }
        bits[i] = cz_bit_alloc_conditionally(cs, CZ_NU("bit %u", k), bit, equal);
    }
}

void cz_num_to_bits_le_strict(cz_cs *cs, cz_name name, cz_boolean out[CZ_FR_BITS],
                              const cz_num *num)
{
    cz_bit bits[CZ_FR_BITS];
    cz_u256 value = {{0, 0, 0, 0}};

    if (cs->has_values)
        cz_fr_to_u256(&value, &num->value);
    cz_cs_border(cs);
    cz_cs_enter(cs, name);
    alloc_bits_below_modulus(cs, bits, &value);
    enforce_unpacking(cs, bits, num);
    cz_cs_leave(cs);
    cz_cs_border(cs);
    booleans_from_bits(out, bits);
}
