/* Proofs on a device: the bytes of the other paths. On the host's stand-in by default, on a device
 * with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "device_partitions.h"

#include <string.h>

#include "cs/witness_source.h"

static void assert_same_proofs(prover *p)
{
    uint8_t want[CZ_PROOF_BYTES], got[CZ_PROOF_BYTES];
    const cz_fr r = toy_key_random(), s = toy_key_random();
    cz_device_key *key;
    cz_proof proof;

    assert_ok(
        cz_groth16_prove_compiled(&proof, p->host_key, p->compiled, &p->w, &r, &s, NULL, NULL));
    cz_proof_write(want, &proof);
    assert_ok(cz_device_key_load(&key, p->gpu, &p->params, p->compiled, NULL, NULL));
    for (unsigned round = 0; round < 2; round++) {
        assert_ok(cz_groth16_prove_device(&proof, key, &p->w, &r, &s, round, NULL));
        cz_proof_write(got, &proof);
        assert_memory_equal(got, want, sizeof got);
    }
    cz_device_key_destroy(key);
}

static void test_proofs_of_toys(void **state)
{
    const toy_circuit circuits[] = {toy_make(1, 2, 0), toy_make(2, 3, 4), toy_make(8, 100, 70)};
    const char *names[] = {"0.params", "1.params", "2.params"};

    (void)state;
    for (size_t i = 0; i < sizeof circuits / sizeof circuits[0]; i++) {
        prover p;

        prover_begin(&p, &circuits[i].base, names[i], 0);
        assert_same_proofs(&p);
        prover_end(&p);
    }
}

static void test_proof_of_bits(void **state)
{
    prover p;

    (void)state;
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    assert_same_proofs(&p);
    prover_end(&p);
}

/* ---- tails in the sum over H ---- */

/* The name of the region with H's points: first of the map. */
static void assert_h_region(const cz_device_key *key, const char *name)
{
    char *text = NULL, *line;
    size_t n;
    FILE *to = open_memstream(&text, &n);

    assert_non_null(to);
    cz_device_key_print(key, to);
    assert_int_equal(fclose(to), 0);
    line = strchr(text, '\n');
    assert_non_null(line);
    line++;
    assert_memory_equal(line, name, strlen(name));
    assert_non_null(strchr("0123456789", line[strlen(name) + strspn(line + strlen(name), " ")]));
    free(text);
}

/* As many as fit: none, one, the other, both; batches of partitions whose r are different. */
static void assert_joined(prover *p, const partitions *parts, size_t most_h_terms, const char *name)
{
    const cz_device_key_options options = {.mode = CZ_DEVICE_KEY_RESIDENT,
                                           .most_h_terms = most_h_terms};
    cz_device_key *key;

    assert_ok(cz_device_key_load_with(&key, p->gpu, &p->params, p->compiled, &options, NULL, NULL));
    assert_h_region(key, name);
    assert_proofs(key, parts, MOST);
    assert_proofs(key, parts, 1);
    cz_device_key_destroy(key);
}

static void test_tails_join_h(void **state)
{
    const subject mixture = a_mixture(2); /* B1's tail is shorter than L's */
    partitions parts;
    size_t h, l;
    prover p;

    (void)state;
    prover_begin(&p, circuit_of(&mixture), "mixed.params", 0);
    partitions_begin(&parts, &p, &mixture);
    h = p.params.h.n;
    l = p.w.n_fields;
    assert_joined(&p, &parts, h, "h");
    assert_joined(&p, &parts, h + l, "h, tail of l");
    assert_joined(&p, &parts, h + l - 1, "h, tail of b_g1");
    assert_joined(&p, &parts, 0, "h, tails of l and b_g1");
    partitions_end(&parts);
    prover_end(&p);
}

/* Where r is 0, so are all scalars of B1's tail; those of the partition after it are not. */
static void test_r_of_zero_and_one(void **state)
{
    const subject mixture = a_mixture(2); /* one batch for all partitions */
    partitions parts;
    prover p;

    (void)state;
    prover_begin(&p, circuit_of(&mixture), "mixed.params", 0);
    partitions_begin(&parts, &p, &mixture);
    parts.r[0] = parts.r[2] = parts.s[2] = CZ_FR_ZERO;
    parts.r[3] = CZ_FR_ONE;
    for (unsigned i = 0; i < MOST; i++)
        prove_on_host(parts.want[i], &p, &parts.w[i], &parts.r[i], &parts.s[i]);
    assert_joined(&p, &parts, 0, "h, tails of l and b_g1");
    assert_joined(&p, &parts, p.params.h.n, "h");
    partitions_end(&parts);
    prover_end(&p);
}

/* ---- a witness that the device makes: here, one that is copied from elsewhere ---- */

typedef struct {
    cz_witness_source base; /* first */
    const cz_bit_witness *w;
    unsigned filled;
    bool declines;
} copying_source;

static cz_err copy_witness(const cz_witness_source *base, cz_gpu *gpu, uint64_t *d_plane,
                           cz_fr *d_values, void *d_scratch, size_t scratch_bytes)
{
    copying_source *s = (copying_source *)(uintptr_t)base;
    const cz_bit_witness *w = s->w;

    s->filled++;
    if (s->declines)
        return cz_fail(CZ_E_DECLINED, "no witness today");
    assert_true(scratch_bytes >= 3 * (size_t)w->n_inputs * sizeof(cz_fr));
    CZ_TRY(cz_gpu_zero(gpu, CZ_GPU_COMPUTE, d_scratch, scratch_bytes));
    CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, d_plane, w->bits,
                       (((size_t)w->n_aux + 63) / 64 + 1) * sizeof *w->bits));
    CZ_TRY(cz_gpu_copy(gpu, CZ_GPU_COMPUTE, d_values, w->inputs, w->n_inputs * sizeof(cz_fr)));
    return cz_gpu_copy(gpu, CZ_GPU_COMPUTE, d_values + w->n_inputs, w->fields,
                       w->n_fields * sizeof(cz_fr));
}

static void forget_copy(cz_witness_source *base)
{
    (void)base;
}

static copying_source make_source(const cz_bit_witness *w)
{
    return (copying_source){.base = {w->n_inputs, w->n_aux, w->n_fields, copy_witness, forget_copy},
                            .w = w};
}

static void test_witness_of_a_source(void **state)
{
    uint8_t want[CZ_PROOF_BYTES], got[CZ_PROOF_BYTES];
    const cz_fr r = toy_key_random(), s = toy_key_random();
    copying_source source;
    cz_bit_witness w;
    cz_device_key *key;
    cz_proof proof;
    prover p;

    (void)state;
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    assert_ok(cz_device_key_load(&key, p.gpu, &p.params, p.compiled, NULL, NULL));
    assert_ok(cz_groth16_prove_device(&proof, key, &p.w, &r, &s, 0, NULL));
    cz_proof_write(want, &proof);
    source = make_source(&p.w);
    cz_bit_witness_from_source(&w, &source.base);
    assert_ok(cz_groth16_prove_device(&proof, key, &w, &r, &s, 0, NULL));
    cz_proof_write(got, &proof);
    assert_memory_equal(got, want, sizeof got);
    assert_int_equal(source.filled, 1);
    source.declines = true;
    assert_fails(cz_groth16_prove_device(&proof, key, &w, &r, &s, 0, NULL), CZ_E_DECLINED,
                 "no witness today");
    assert_fails(cz_groth16_prove_compiled(&proof, p.host_key, p.compiled, &w, &r, &s, NULL, NULL),
                 CZ_E_ARG, "only a device");
    cz_bit_witness_clear(&w);
    cz_device_key_destroy(key);
    prover_end(&p);
}

static void test_phases(void **state)
{
    const cz_fr r = toy_key_random(), s = toy_key_random();
    cz_device_key *key;
    cz_trace *trace;
    cz_proof proof;
    prover p;

    (void)state;
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    assert_ok(cz_trace_create(&trace));
    assert_ok(cz_device_key_load(&key, p.gpu, &p.params, p.compiled, NULL, trace));
    assert_ok(cz_groth16_prove_device(&proof, key, &p.w, &r, &s, 0, trace));
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_SRS_LOAD) > 0);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_EVALUATE) > 0);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_NTT_MSM_H) > 0);
    assert_true(cz_trace_total_ms(trace, CZ_PHASE_B_G2_MSM) > 0);
    cz_device_key_destroy(key);
    cz_trace_destroy(trace);
    prover_end(&p);
}

static void test_blinded_proof_verifies(void **state)
{
    toy_circuit toy = toy_make(2, 10, 5);
    cz_verifier *verifier;
    cz_device_key *key;
    cz_fr inputs[2];
    cz_proof proof;
    prover p;

    (void)state;
    prover_begin(&p, &toy.base, "toy.params", 0);
    assert_ok(cz_device_key_load(&key, p.gpu, &p.params, p.compiled, NULL, NULL));
    assert_ok(cz_groth16_prove_device_blinded(&proof, key, &p.w, 0, NULL));
    for (unsigned i = 0; i < 2; i++)
        inputs[i] = toy_input(&toy, i + 1);
    assert_ok(cz_verifier_create(&verifier, &p.params.vk));
    assert_ok(cz_groth16_verify(verifier, &proof, inputs, 2));
    cz_verifier_destroy(verifier);
    cz_device_key_destroy(key);
    prover_end(&p);
}

static void test_what_does_not_fit(void **state)
{
    prover p;
    cz_device_key *key;

    (void)state;
    prover_begin(&p, &bits_circuit, "bits.params", 10000);
    assert_fails(cz_device_key_load(&key, p.gpu, &p.params, p.compiled, NULL, NULL), CZ_E_NOMEM,
                 "the budget has 10000 left");
    prover_end(&p);
}

/* The sums' fastest form does not fit, another one does. */
static void test_less_scratch(void **state)
{
    const cz_device_key_options resident = {.mode = CZ_DEVICE_KEY_RESIDENT};
    const uint64_t spared = HOST_SCRATCH_BYTES / 2;
    toy_circuit toy = toy_make(2, 10, 5);
    unsigned long long needed;
    cz_device_key *key;
    prover p;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip(); /* other sizes there */
    prover_begin(&p, &toy.base, "toy.params", 10000);
    assert_fails(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &resident, NULL, NULL),
                 CZ_E_NOMEM, "with its parameters resident");
    needed = strtoull(strstr(cz_err_message(), "device: ") + strlen("device: "), NULL, 10);
    cz_gpu_close(p.gpu);
    p.gpu = host_gpu_open(needed - spared);
    assert_ok(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &resident, NULL, NULL));
    assert_false(cz_device_key_streams(key));
    assert_in_range(cz_device_key_bytes(key), 1, needed - spared);
    cz_device_key_destroy(key);
    assert_same_proofs(&p);
    prover_end(&p);
}

static void test_what_does_not_belong_together(void **state)
{
    toy_circuit toy = toy_make(2, 10, 5);
    const cz_fr r = toy_key_random();
    cz_bit_witness of_other;
    cz_compiled *other;
    cz_device_key *key;
    cz_proof proof;
    prover p;

    (void)state;
    prover_begin(&p, &toy.base, "toy.params", 0);
    assert_ok(cz_circuit_compile(&other, &bits_circuit, NULL));
    assert_ok(cz_bit_witness_synthesize(&of_other, other, &bits_circuit));
    assert_fails(cz_device_key_load(&key, p.gpu, &p.params, other, NULL, NULL), CZ_E_INPUT,
                 "toy.params");
    assert_ok(cz_device_key_load(&key, p.gpu, &p.params, p.compiled, NULL, NULL));
    assert_fails(cz_groth16_prove_device(&proof, key, &of_other, &r, &r, 0, NULL), CZ_E_ARG,
                 "not one of");
    cz_device_key_destroy(key);
    cz_bit_witness_clear(&of_other);
    cz_compiled_destroy(other);
    prover_end(&p);
}

/* Many proofs of several circuits in one process: all verify, and the device's memory is as it was
 * after each load. */
static void prove_and_verify(prover *p, unsigned n)
{
    cz_verifier *verifier;
    cz_device_key *key;
    uint64_t used;

    assert_ok(cz_verifier_create(&verifier, &p->params.vk));
    assert_ok(cz_device_key_load(&key, p->gpu, &p->params, p->compiled, NULL, NULL));
    used = cz_gpu_used_bytes(p->gpu, CZ_GPU_DEVICE_MEMORY);
    for (unsigned i = 0; i < n; i++) {
        cz_proof proof;

        assert_ok(cz_groth16_prove_device_blinded(&proof, key, &p->w, i, NULL));
        assert_ok(cz_groth16_verify(verifier, &proof, p->w.inputs + 1, p->w.n_inputs - 1));
        assert_int_equal(cz_gpu_used_bytes(p->gpu, CZ_GPU_DEVICE_MEMORY), used);
    }
    cz_device_key_destroy(key);
    assert_int_equal(cz_gpu_used_bytes(p->gpu, CZ_GPU_DEVICE_MEMORY), 0);
    assert_int_equal(cz_gpu_used_bytes(p->gpu, CZ_GPU_PINNED_MEMORY), 0);
    cz_verifier_destroy(verifier);
}

static void test_slow_many_proofs(void **state)
{
    const toy_circuit toys[] = {toy_make(2, 3, 4), toy_make(8, 100, 70), toy_make(3, 900, 30)};
    const char *names[] = {"0.params", "1.params", "2.params", "3.params"};
    prover p[4];

    (void)state;
    for (size_t i = 0; i < 4; i++)
        prover_begin(&p[i], i < 3 ? &toys[i].base : &bits_circuit, names[i], 0);
    for (unsigned round = 0; round < 25; round++)
        for (size_t i = 0; i < 4; i++)
            prove_and_verify(&p[i], 5);
    for (size_t i = 0; i < 4; i++)
        prover_end(&p[i]);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_proofs_of_toys, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_proof_of_bits, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_tails_join_h, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_r_of_zero_and_one, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_witness_of_a_source, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_phases, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_blinded_proof_verifies, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_what_does_not_fit, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_less_scratch, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_what_does_not_belong_together, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_slow_many_proofs, scratch_make, scratch_remove),
};
CZ_TEST_MAIN(cases)
