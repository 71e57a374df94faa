/* test_poseidon_witness.c: the witness that hash/poseidon_many.h computes is what the circuit
 * allocates. */
#include <stdlib.h>

#include "cs/assignment.h"
#include "gadgets/poseidon_circuit.h"
#include "hash/poseidon_many.h"
#include "support.h"

typedef struct {
    cz_circuit circuit;
    unsigned arity;
    cz_fr tag;
    cz_fr preimage[CZ_POSEIDON_MAX_ARITY];
} hash_circuit;

static void synthesize(const cz_circuit *self, cz_cs *cs)
{
    const hash_circuit *c = (const hash_circuit *)self;
    cz_num preimage[CZ_POSEIDON_MAX_ARITY];

    for (unsigned i = 0; i < c->arity; i++)
        preimage[i] = cz_num_alloc(cs, CZ_NU("element %u", i), &c->preimage[i]);
    (void)cz_poseidon_circuit_tagged(cs, CZ_N("hash"), &c->tag, preimage, c->arity);
}

static void compare(hash_circuit *c, const cz_poseidon_constants *k)
{
    const size_t size = cz_poseidon_witness_size(k);
    cz_fr *values = calloc(size, sizeof *values);
    cz_assignment w;

    assert_non_null(values);
    cz_poseidon_witness_many(&values, k, &c->tag, c->preimage, 1);
    assert_ok(cz_assignment_synthesize(&w, &c->circuit));
    assert_int_equal(w.n_aux, k->arity + size);
    assert_memory_equal(w.aux + k->arity, values, size * sizeof *values);
    cz_assignment_clear(&w);
    free(values);
}

static void compare_arity(unsigned arity)
{
    const cz_poseidon_constants *k = cz_poseidon_get(arity);
    hash_circuit c = {{"hash", synthesize}, .arity = arity};

    assert_non_null(k);
    for (unsigned i = 0; i < arity; i++)
        cz_fr_from_u64(&c.preimage[i], cz_test_random());
    c.tag = k->domain_tag;
    compare(&c, k);
    cz_fr_from_u64(&c.tag, (uint64_t)1 << 40);
    compare(&c, k);
}

static void test_the_witness_is_the_circuits(void **state)
{
    static const unsigned arities[] = {2, 4, 8, 11, 16};
    static const char *const forms[] = {"scalar", "ifma"};
    const char *best = cz_poseidon_form();

    (void)state;
    for (unsigned f = 0; f < 2; f++) {
        if (cz_poseidon_select(forms[f]) != CZ_OK) {
            print_message("form %s: not on this CPU\n", forms[f]);
            continue;
        }
        for (unsigned a = 0; a < sizeof arities / sizeof arities[0]; a++)
            compare_arity(arities[a]);
    }
    assert_ok(cz_poseidon_select(best));
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_the_witness_is_the_circuits),
};
CZ_TEST_MAIN(cases)
