/* random_circuit.h: a circuit of random combinations, reproducible from its seed, with inputs
 * allocated between constraints. It is not satisfied: for tests of assignment and columns. */
#ifndef CZ_TESTS_CS_RANDOM_CIRCUIT_H
#define CZ_TESTS_CS_RANDOM_CIRCUIT_H

#include "toy.h"

typedef struct {
    cz_circuit circuit; /* first */
    uint64_t seed;
    uint32_t n_constraints;
} random_circuit;

static inline uint64_t random_next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static inline void random_lc(cz_lc *lc, const cz_cs *cs, uint64_t *s)
{
    uint64_t n = random_next(s) % 9;

    cz_lc_reset(lc);
    for (uint64_t i = 0; i < n; i++) {
        bool aux = random_next(s) % 3 != 0;
        uint32_t count = aux ? cs->n_aux : cs->n_inputs;
        uint32_t index = (uint32_t)(random_next(s) % count);
        int64_t coeff = (int64_t)(random_next(s) % 5) - 2;

        toy_add(lc, coeff, aux ? toy_aux(index) : toy_input(index));
    }
}

static inline void random_alloc(cz_cs *cs, uint64_t *s, bool input)
{
    cz_fr value = toy_fr((int64_t)(random_next(s) % 4) - 1);

    if (input)
        (void)cz_cs_alloc_input(cs, CZ_N("input"), &value);
    else
        (void)cz_cs_alloc(cs, CZ_N("aux"), &value);
}

static inline void random_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const random_circuit *r = (const random_circuit *)self;
    uint64_t s = r->seed;
    cz_lc a, b, c;

    cz_lc_init(&a);
    cz_lc_init(&b);
    cz_lc_init(&c);
    random_alloc(cs, &s, false);
    for (uint32_t i = 0; i < r->n_constraints; i++) {
        random_alloc(cs, &s, i % 16 == 5);
        random_lc(&a, cs, &s);
        random_lc(&b, cs, &s);
        random_lc(&c, cs, &s);
        cz_cs_enforce(cs, CZ_NU("row %u", i), &a, &b, &c);
    }
    cz_lc_clear(&a);
    cz_lc_clear(&b);
    cz_lc_clear(&c);
}

static inline random_circuit random_make(uint32_t n_constraints)
{
    return (random_circuit){{"random", random_synthesize}, cz_test_random() | 1, n_constraints};
}

#endif
