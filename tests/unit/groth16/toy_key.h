/* toy_key.h: a toy circuit with parameters of its own, made by the test setup from known waste, so
 * that a proof can also be computed from the waste alone. */
#ifndef CZ_TESTS_TOY_KEY_H
#define CZ_TESTS_TOY_KEY_H

#include "../params/scratch.h"
#include "../params/toy_circuit.h"
#include "groth16/groth16.h"
#include "params/setup.h"

typedef struct {
    toy_circuit toy;
    cz_toxic_waste waste;
    cz_params params;
    cz_prover_key *key;
    cz_verifier *verifier;
} toy_key;

static inline cz_fr toy_key_random(void)
{
    uint8_t bytes[32];
    cz_fr r;

    cz_test_random_bytes(bytes, sizeof bytes);
    cz_fr_from_le_mod(&r, bytes);
    return r;
}

/* `name` must be new in the scratch folder. The key refers to k->params: do not copy a toy_key. */
static inline void toy_key_init(toy_key *k, toy_circuit toy, const char *name, cz_pool *pool)
{
    const char *path = scratch_path(name);

    *k = (toy_key){.toy = toy};
    k->waste = (cz_toxic_waste){toy_key_random(), toy_key_random(), toy_key_random(),
                                toy_key_random(), toy_key_random()};
    assert_ok(
        cz_params_setup(&toy.base, &k->waste, path, scratch_path("toy.vk"), pool, NULL, NULL));
    assert_ok(cz_params_open(&k->params, path));
    assert_ok(cz_prover_key_load(&k->key, &k->params, pool, NULL));
    assert_ok(cz_verifier_create(&k->verifier, cz_prover_key_vk(k->key)));
}

static inline void toy_key_free(toy_key *k)
{
    cz_verifier_destroy(k->verifier);
    cz_prover_key_destroy(k->key);
    cz_params_close(&k->params);
}

/* A proof of the toy circuit with the witness of `seed`; r and s fresh. */
static inline cz_proof toy_key_prove(const toy_key *k, uint64_t seed, cz_pool *pool)
{
    toy_circuit toy = k->toy;
    cz_assignment w;
    cz_proof proof;

    toy.seed = seed;
    assert_ok(cz_assignment_synthesize(&w, &toy.base));
    assert_ok(cz_groth16_prove_blinded(&proof, k->key, &w, pool, NULL));
    cz_assignment_clear(&w);
    return proof;
}

/* Its public inputs; n_inputs of them. */
static inline void toy_key_inputs(const toy_key *k, uint64_t seed, cz_fr *out)
{
    toy_circuit toy = k->toy;

    toy.seed = seed;
    for (unsigned i = 0; i < toy.n_inputs; i++)
        out[i] = toy_input(&toy, i + 1);
}

#endif
