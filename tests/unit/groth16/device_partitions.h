/* device_partitions.h: partitions with witnesses of their own for proofs on a device, and the CPU's
 * proofs of them. Include with _GNU_SOURCE. */
#ifndef CZ_TESTS_DEVICE_PARTITIONS_H
#define CZ_TESTS_DEVICE_PARTITIONS_H

#include "bits_circuit.h"
#include "device_case.h"
#include "gadgets/constraint.h"

enum { MOST = 5 };

/* Mostly bits: public numbers, their bits, and chains of products of them with sums of those. */
typedef struct {
    cz_circuit base;
    unsigned n;
    bool echoes; /* has inputs that occur in C, besides those that do not */
    uint64_t seed;
} mixed_circuit;

static inline void mixed_echo(cz_cs *cs, unsigned k, const cz_num *num)
{
    const cz_var echo = cz_cs_alloc_input(cs, CZ_NU("echo %u", k), &num->value);

    cz_enforce_product(cs, CZ_NU("echoed %u", k), num->var, CZ_VAR_ONE, echo);
}

static inline void mixed_number(cz_cs *cs, unsigned k, const mixed_circuit *mixed)
{
    cz_boolean bits[CZ_FR_BITS];
    cz_num num, product;
    cz_fr value;

    cz_fr_from_u64(&value, 1000 * mixed->seed + 3 * k + 2);
    cz_fr_inv(&value, &value);
    num = cz_num_alloc(cs, CZ_NU("num %u", k), &value);
    cz_num_inputize(cs, CZ_NU("public %u", k), &num);
    if (mixed->echoes)
        mixed_echo(cs, k, &num);
    cz_num_to_bits_le_strict(cs, CZ_NU("bits %u", k), bits, &num);
    product = num;
    for (unsigned i = 0; i < 5; i++) {
        const unsigned number = 100 * k + i;
        cz_num packed = cz_pack_bits(cs, CZ_NU("packed %u", number), bits + 10 * i, i + 1);

        product =
            cz_num_mul(cs, CZ_NU("product %u", number), i % 4 == 3 ? &num : &product, &packed);
    }
}

static inline void mixed_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const mixed_circuit *mixed = (const mixed_circuit *)self;

    for (unsigned k = 0; k < mixed->n; k++)
        mixed_number(cs, k, mixed);
}

/* One of the two circuits, or that of bits_circuit.h, which has one witness. */
typedef struct {
    toy_circuit toy;     /* n_bits > 0: this one */
    mixed_circuit mixed; /* n > 0: this one */
} subject;

static inline subject a_toy(unsigned n_inputs, unsigned n_bits, unsigned n_products)
{
    return (subject){.toy = toy_make(n_inputs, n_bits, n_products)};
}

static inline subject a_mixture(unsigned n)
{
    return (subject){.mixed = {.base = {.id = "mixed", .synthesize = mixed_synthesize}, .n = n}};
}

static inline const cz_circuit *circuit_of(const subject *s)
{
    return s->toy.n_bits > 0 ? &s->toy.base : s->mixed.n > 0 ? &s->mixed.base : &bits_circuit;
}

/* Partitions with witnesses and scalars of their own, and the CPU's proofs of them. */
typedef struct {
    cz_bit_witness w[MOST];
    cz_fr r[MOST], s[MOST];
    cz_device_partition part[MOST];
    uint8_t want[MOST][CZ_PROOF_BYTES];
} partitions;

static inline void partitions_begin(partitions *p, const prover *with, const subject *of)
{
    for (unsigned i = 0; i < MOST; i++) {
        subject own = *of;

        own.toy.seed += i;
        own.mixed.seed += i;
        assert_ok(cz_bit_witness_synthesize(&p->w[i], with->compiled, circuit_of(&own)));
        p->r[i] = toy_key_random();
        p->s[i] = toy_key_random();
        p->part[i] =
            (cz_device_partition){.w = &p->w[i], .r = &p->r[i], .s = &p->s[i], .partition = i};
        prove_on_host(p->want[i], with, &p->w[i], &p->r[i], &p->s[i]);
    }
}

static inline void partitions_end(partitions *p)
{
    for (unsigned i = 0; i < MOST; i++)
        cz_bit_witness_clear(&p->w[i]);
}

static inline void assert_proofs(cz_device_key *key, const partitions *p, unsigned n)
{
    cz_proof proofs[MOST];

    assert_ok(cz_groth16_prove_device_batch(proofs, key, p->part, n, NULL));
    for (unsigned i = 0; i < n; i++) {
        uint8_t got[CZ_PROOF_BYTES];

        cz_proof_write(got, &proofs[i]);
        assert_memory_equal(got, p->want[i], sizeof got);
    }
}

#endif
