/* fold_circuit.h: a small satisfied circuit whose C has inputs and every kind of coefficient. */
#ifndef CZ_TESTS_FOLD_CIRCUIT_H
#define CZ_TESTS_FOLD_CIRCUIT_H

#include "toy_circuit.h"

/* The toy circuit, then n_rows times: a random combination times one is that combination. Input 1
 * is in none of them. */
typedef struct {
    cz_circuit base;
    toy_circuit toy;
    unsigned n_rows;
    uint64_t coefficients; /* their seed */
} fold_circuit;

static inline cz_fr fold_coefficient(uint64_t *state)
{
    const uint64_t kind = toy_random(state) % 6;
    cz_fr v;

    cz_fr_from_u64(&v, kind < 3 ? 1 : (toy_random(state) >> 62) + 1);
    for (uint64_t i = toy_random(state) % 250; kind >= 4 && i > 0; i--)
        cz_fr_dbl(&v, &v);
    if (kind % 2 == 1)
        cz_fr_neg(&v, &v);
    return v;
}

static inline cz_var fold_variable(const cz_cs *cs, uint64_t *state, unsigned i)
{
    if (i == 0) {
        const uint32_t k = (uint32_t)(toy_random(state) % cs->n_inputs);

        return (cz_var){k == 1 ? 0 : k};
    }
    return (cz_var){CZ_VAR_AUX_BIT | (uint32_t)(toy_random(state) % cs->n_aux)};
}

static inline void fold_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const fold_circuit *f = (const fold_circuit *)(const void *)self;
    uint64_t variables = 77, coefficients = f->coefficients;
    cz_lc a, b, c;

    toy_synthesize(&f->toy.base, cs);
    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    for (unsigned row = 0; row < f->n_rows; row++) {
        for (unsigned i = 0; i < 5; i++) {
            const cz_var v = fold_variable(cs, &variables, i);
            const cz_fr k = fold_coefficient(&coefficients);

            cz_lc_add(&a, &k, v);
            cz_lc_add(&c, &k, v);
        }
        cz_lc_add_var(&b, CZ_VAR_ONE);
        toy_enforce(cs, "same", &a, &b, &c);
    }
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static inline fold_circuit fold_make(unsigned n_inputs, unsigned n_bits, unsigned n_products,
                                     unsigned n_rows)
{
    return (fold_circuit){.base = {.id = "fold", .synthesize = fold_synthesize},
                          .toy = toy_make(n_inputs, n_bits, n_products),
                          .n_rows = n_rows,
                          .coefficients = 99};
}

#endif
