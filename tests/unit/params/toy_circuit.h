/* toy_circuit.h: a small satisfiable circuit of any size, for the tests of params and groth16.
 *
 * Like the real ones it is mostly bits: booleans b (1 - b) = 0, products of sums that make
 * full-size values, one packing of bits, so that variables occur in A only, in B only, in C only
 * and in several; a, b_g1 and b_g2 therefore have gaps. */
#ifndef CZ_TESTS_TOY_CIRCUIT_H
#define CZ_TESTS_TOY_CIRCUIT_H

#include "cs/cs.h"

typedef struct {
    cz_circuit base;
    unsigned n_inputs; /* public ones, at least 1 */
    unsigned n_bits;   /* at least 2 */
    unsigned n_products;
    uint64_t seed;      /* of the witness */
    bool unconstrained; /* add a variable that is in no constraint */
    bool unsatisfied;   /* the witness breaks the last constraint */
} toy_circuit;

static inline uint64_t toy_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1du;
}

/* The value of public input k (from 1), so that tests know it without the circuit. */
static inline cz_fr toy_input(const toy_circuit *toy, unsigned k)
{
    uint64_t state = toy->seed * 0x9e3779b97f4a7c15u + k;
    cz_u256 wide;
    cz_fr r;

    for (int i = 0; i < 4; i++)
        wide.l[i] = toy_random(&state);
    cz_fr_from_u256(&r, &wide);
    return r;
}

typedef struct {
    cz_var var;
    cz_fr value;
} toy_num;

static inline void toy_enforce(cz_cs *cs, const char *name, cz_lc *a, cz_lc *b, cz_lc *c)
{
    cz_cs_enforce(cs, (cz_name){name, 0}, a, b, c);
    cz_lc_reset(a);
    cz_lc_reset(b);
    cz_lc_reset(c);
}

static inline toy_num toy_bit(cz_cs *cs, uint64_t *state, cz_lc *a, cz_lc *b, cz_lc *c)
{
    toy_num bit = {.value = CZ_FR_ZERO};

    if (toy_random(state) >> 63)
        bit.value = CZ_FR_ONE;
    bit.var = cz_cs_alloc(cs, CZ_N("bit"), &bit.value);
    cz_lc_add_var(a, CZ_VAR_ONE);
    cz_lc_sub_var(a, bit.var);
    cz_lc_add_var(b, bit.var);
    toy_enforce(cs, "boolean", a, b, c);
    return bit;
}

/* next = (x + 3 bit) (x + y) */
static inline toy_num toy_product(cz_cs *cs, toy_num x, toy_num bit, toy_num y, cz_lc *a, cz_lc *b,
                                  cz_lc *c)
{
    toy_num next;
    cz_fr three, left, right;

    cz_fr_from_u64(&three, 3);
    cz_fr_mul(&left, &three, &bit.value);
    cz_fr_add(&left, &left, &x.value);
    cz_fr_add(&right, &x.value, &y.value);
    cz_fr_mul(&next.value, &left, &right);
    next.var = cz_cs_alloc(cs, CZ_N("product"), &next.value);
    cz_lc_add_var(a, x.var);
    cz_lc_add(a, &three, bit.var);
    cz_lc_add_var(b, x.var);
    cz_lc_add_var(b, y.var);
    cz_lc_add_var(c, next.var);
    toy_enforce(cs, "product", a, b, c);
    return next;
}

static inline void toy_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const toy_circuit *toy = (const toy_circuit *)self;
    uint64_t state = toy->seed * 2 + 1;
    toy_num first = {0}, input, x, bits[64];
    cz_fr packed = CZ_FR_ZERO, power = CZ_FR_ONE;
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (unsigned k = 1; k <= toy->n_inputs; k++) {
        input.value = toy_input(toy, k);
        input.var = cz_cs_alloc_input(cs, CZ_NU("input_%u", k), &input.value);
        first = k == 1 ? input : first;
    }
    for (unsigned i = 0; i < toy->n_bits; i++)
        bits[i % 64] = toy_bit(cs, &state, &a, &b, &c);
    x = first;
    for (unsigned i = 0; i < toy->n_products; i++)
        x = toy_product(cs, x, bits[i % (toy->n_bits < 64 ? toy->n_bits : 64)], first, &a, &b, &c);

    /* The sum of 2^i bit_i times one; the packed value is in C alone. */
    for (unsigned i = 0; i < toy->n_bits && i < 64; i++) {
        cz_fr term;

        cz_lc_add(&a, &power, bits[i].var);
        cz_fr_mul(&term, &power, &bits[i].value);
        cz_fr_add(&packed, &packed, &term);
        cz_fr_dbl(&power, &power);
    }
    if (toy->unsatisfied)
        cz_fr_dbl(&packed, &packed);
    cz_lc_add_var(&b, CZ_VAR_ONE);
    cz_lc_add_var(&c, cz_cs_alloc(cs, CZ_N("packed"), &packed));
    toy_enforce(cs, "packing", &a, &b, &c);
    if (toy->unconstrained)
        (void)cz_cs_alloc(cs, CZ_N("loose"), &packed);
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static inline toy_circuit toy_make(unsigned n_inputs, unsigned n_bits, unsigned n_products)
{
    return (toy_circuit){.base = {.id = "toy", .synthesize = toy_synthesize},
                         .n_inputs = n_inputs,
                         .n_bits = n_bits,
                         .n_products = n_products,
                         .seed = 1};
}

#endif
