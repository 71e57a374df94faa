/* The laboratory's switches: whatever they say, the proof is the same. */
#define _GNU_SOURCE
#include "toy_key.h"

#include <string.h>

#include "../filecoin/golden_request.h"
#include "cs/compile.h"
#include "golden_params.h"
#include "groth16/experiment.h"
#include "pairwise.h"

/* ---- combinations ---- */

enum { SWITCHES = 6 };

static const unsigned ways_of[SWITCHES] = {2, 2, 4, 2, 3, 3};

static cz_experiment experiment_of(const combination *c)
{
    cz_experiment x = cz_experiment_defaults();

    x.classic = c->way[0] == 1;
    x.inline_terms = c->way[1] == 1 ? 0 : CZ_LC_INLINE_TERMS;
    x.presize = (cz_presize)c->way[2];
    x.b2_serial = c->way[3] == 1;
    x.pin = (cz_pin_mode)c->way[4];
    x.window = (cz_msm_window)c->way[5];
    x.window_bits = 9;
    return x;
}

/* ---- proofs ---- */

typedef struct {
    const cz_prover_key *key;
    const cz_compiled *compiled;
    const cz_circuit *circuit;
    cz_pool *pool;
    cz_fr r, s;
    cz_trace *trace; /* may be NULL */
} bench;

static void prove(uint8_t out[CZ_PROOF_BYTES], const bench *b, const cz_experiment *x)
{
    cz_experiment_prover p;
    cz_proof proof;

    assert_ok(cz_experiment_open(&p, x, b->key, b->compiled, b->pool));
    assert_ok(cz_experiment_prove(&proof, &p, b->circuit, &b->r, &b->s, 0, b->trace));
    cz_experiment_close(&p);
    cz_proof_write(out, &proof);
}

static void test_all_combinations_slow_of_a_toy(void **state)
{
    const cz_experiment defaults = cz_experiment_defaults();
    uint8_t expected[CZ_PROOF_BYTES], got[CZ_PROOF_BYTES];
    bench b = {.r = toy_key_random(), .s = toy_key_random()};
    combination c = {{0}};
    cz_compiled *compiled;
    unsigned n = 0;
    toy_key k;

    (void)state;
    assert_ok(cz_pool_create(&b.pool, 2));
    toy_key_init(&k, toy_make(3, 40, 20), "x.params", b.pool);
    assert_ok(cz_circuit_compile(&compiled, &k.toy.base, NULL));
    b.key = k.key;
    b.compiled = compiled;
    b.circuit = &k.toy.base;
    prove(expected, &b, &defaults);
    do {
        const cz_experiment x = experiment_of(&c);

        prove(got, &b, &x);
        assert_memory_equal(got, expected, sizeof got);
        n++;
    } while (next_combination(&c, ways_of, SWITCHES));
    assert_int_equal(n, 2 * 2 * 4 * 2 * 3 * 3);
    cz_compiled_destroy(compiled);
    toy_key_free(&k);
    cz_pool_destroy(b.pool);
}

typedef struct {
    golden meta;
    cz_job *job;
    cz_circuit *circuit;
    cz_params params;
    cz_prover_key *key;
    cz_compiled *compiled;
    cz_compile_options options; /* holds the pool */
    bench bench;
} winning;

static cz_fr scalar(cz_json partition, const char *name)
{
    uint8_t bytes[32];
    cz_fr r;

    golden_get_hex(partition, name, bytes, 32);
    assert_true(cz_fr_from_le(&r, bytes));
    return r;
}

static void open_winning(winning *w)
{
    char params[512], vk[512];
    cz_circuit *blank;
    cz_json partition;

    *w = (winning){.key = NULL};
    assert_ok(cz_pool_create(&w->options.pool, 0));
    golden_params("winning-2k", params, vk, w->options.pool);
    w->meta = golden_open(cz_vector_path("golden/cases/winning-2k/meta.json"));
    w->job = golden_job("winning-2k");
    assert_ok(cz_job_circuit(w->job, 0, &w->circuit));
    assert_ok(cz_params_open(&w->params, params));
    assert_ok(cz_prover_key_load(&w->key, &w->params, w->options.pool, NULL));
    assert_ok(cz_circuit_create_blank(&blank, cz_job_circuit_id(w->job)));
    assert_ok(cz_circuit_compile(&w->compiled, blank, &w->options));
    cz_circuit_destroy(blank);
    partition = golden_at(golden_get(w->meta.root, "partitions"), 0);
    w->bench = (bench){.key = w->key,
                       .compiled = w->compiled,
                       .circuit = w->circuit,
                       .pool = w->options.pool,
                       .r = scalar(partition, "r"),
                       .s = scalar(partition, "s")};
}

static void close_winning(winning *w)
{
    cz_compiled_destroy(w->compiled);
    cz_prover_key_destroy(w->key);
    cz_params_close(&w->params);
    cz_circuit_destroy(w->circuit);
    cz_job_destroy(w->job);
    golden_close(&w->meta);
    cz_pool_destroy(w->options.pool);
}

/* What no phase covers is seen by nobody. On an idle machine it is less than 1 %; here it may be
 * more, as other tests run beside this one. */
static void check_cover(const cz_trace *trace)
{
    double wall, covered;

    cz_trace_cover(trace, &wall, &covered);
    assert_true(covered > 0.85 * wall);
}

/* Every two ways of two switches meet in one of these proofs. `real`: a circuit whose proof takes
 * long enough to ask what its phases cover. */
static void prove_pairs(bench *b, const uint8_t expected[CZ_PROOF_BYTES], bool real)
{
    uint8_t got[CZ_PROOF_BYTES];
    unsigned n_pairs = 0, n_new;
    combination c;
    pairwise p = {.n = SWITCHES, .ways = ways_of};

    while ((n_new = pairwise_take(&p, &c)) != 0) {
        const cz_experiment x = experiment_of(&c);

        assert_ok(cz_trace_create(&b->trace));
        prove(got, b, &x);
        assert_memory_equal(got, expected, sizeof got);
        if (real)
            check_cover(b->trace);
        cz_trace_destroy(b->trace);
        n_pairs += n_new;
    }
    assert_int_equal(n_pairs, pairwise_all(&p));
}

static void test_pairs_of_switches_prove_winning_2k(void **state)
{
    uint8_t expected[CZ_PROOF_BYTES];
    winning w;

    (void)state;
    open_winning(&w);
    golden_get_hex(golden_at(golden_get(w.meta.root, "partitions"), 0), "proof", expected,
                   CZ_PROOF_BYTES);
    prove_pairs(&w.bench, expected, true);
    close_winning(&w);
}

static void test_pairs_of_switches_prove_a_toy(void **state)
{
    const cz_experiment defaults = cz_experiment_defaults();
    bench b = {.r = toy_key_random(), .s = toy_key_random()};
    uint8_t expected[CZ_PROOF_BYTES];
    cz_compiled *compiled;
    toy_key k;

    (void)state;
    assert_ok(cz_pool_create(&b.pool, 2));
    toy_key_init(&k, toy_make(3, 40, 20), "p.params", b.pool);
    assert_ok(cz_circuit_compile(&compiled, &k.toy.base, NULL));
    b.key = k.key;
    b.compiled = compiled;
    b.circuit = &k.toy.base;
    prove(expected, &b, &defaults);
    prove_pairs(&b, expected, false);
    cz_compiled_destroy(compiled);
    toy_key_free(&k);
    cz_pool_destroy(b.pool);
}

/* ---- what the switches do ---- */

static double phase_ms(const bench *b, const cz_experiment *x, cz_phase phase)
{
    cz_experiment_prover p;
    cz_trace *trace;
    cz_proof proof;
    double ms;

    assert_ok(cz_trace_create(&trace));
    assert_ok(cz_experiment_open(&p, x, b->key, b->compiled, b->pool));
    assert_ok(cz_experiment_prove(&proof, &p, b->circuit, &b->r, &b->s, 0, trace));
    cz_experiment_close(&p);
    ms = cz_trace_total_ms(trace, phase);
    cz_trace_destroy(trace);
    return ms;
}

static void test_switches_are_seen_in_the_trace(void **state)
{
    bench b = {.r = toy_key_random(), .s = toy_key_random()};
    cz_experiment x = cz_experiment_defaults();
    cz_experiment_prover p;
    cz_compiled *compiled;
    cz_proof proof;
    toy_key k;

    (void)state;
    toy_key_init(&k, toy_make(3, 40, 20), "t.params", NULL);
    assert_ok(cz_circuit_compile(&compiled, &k.toy.base, NULL));
    b.key = k.key;
    b.compiled = compiled;
    b.circuit = &k.toy.base;
    assert_true(phase_ms(&b, &x, CZ_PHASE_PIN) == 0);
    assert_true(phase_ms(&b, &x, CZ_PHASE_EVALUATE) > 0);
    x.pin = CZ_PIN_PER_PROOF;
    assert_true(phase_ms(&b, &x, CZ_PHASE_PIN) > 0);
    x.classic = true;
    assert_true(phase_ms(&b, &x, CZ_PHASE_PIN) > 0);
    assert_true(phase_ms(&b, &x, CZ_PHASE_EVALUATE) == 0);
    x.slow_down_percent = 200;
    assert_true(phase_ms(&b, &x, CZ_PHASE_ASSEMBLE) > phase_ms(&b, &x, CZ_PHASE_TAIL_MSM));

    /* a second proof makes no new blocks */
    x = cz_experiment_defaults();
    x.pin = CZ_PIN_POOLED;
    assert_ok(cz_experiment_open(&p, &x, k.key, compiled, NULL));
    for (size_t i = 0; i < 2; i++) {
        assert_ok(cz_experiment_prove(&proof, &p, &k.toy.base, &b.r, &b.s, 0, NULL));
        assert_int_equal(cz_blocks_count(p.blocks).made, 2);
        assert_int_equal(cz_blocks_count(p.blocks).reused, 2 * i);
    }
    cz_experiment_close(&p);
    cz_compiled_destroy(compiled);
    toy_key_free(&k);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_all_combinations_slow_of_a_toy),
    cmocka_unit_test(test_pairs_of_switches_prove_winning_2k),
    cmocka_unit_test(test_pairs_of_switches_prove_a_toy),
    cmocka_unit_test(test_switches_are_seen_in_the_trace),
};

CZ_TEST_MAIN(cases)
