/* Proofs on a device with folded keys (params/folded.h): the bytes of those without, which are the
 * CPU's. On the host's stand-in by default, on a device with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "device_partitions.h"

#include <string.h>

static cz_device_key *load(prover *p, cz_device_key_options options, bool streams)
{
    cz_device_key *key;

    options.folded = &p->folded;
    options.mode = streams ? CZ_DEVICE_KEY_STREAMED : CZ_DEVICE_KEY_RESIDENT;
    assert_ok(cz_device_key_load_with(&key, p->gpu, &p->params, p->compiled, &options, NULL, NULL));
    assert_true(cz_device_key_folded(key));
    assert_int_equal(cz_device_key_streams(key), streams);
    return key;
}

static void assert_all_proofs(prover *p, const partitions *parts, cz_device_key_options options,
                              bool streams)
{
    cz_device_key *key = load(p, options, streams);

    assert_proofs(key, parts, MOST);
    assert_proofs(key, parts, 1);
    cz_device_key_destroy(key);
    assert_int_equal(cz_gpu_used_bytes(p->gpu, CZ_GPU_DEVICE_MEMORY), 0);
    assert_int_equal(cz_gpu_used_bytes(p->gpu, CZ_GPU_PINNED_MEMORY), 0);
}

/* Resident and streamed, batches that hold all, some, one. */
static void assert_folded(const subject *of, const char *name, uint32_t points)
{
    partitions parts;
    prover p;

    prover_begin_with(&p, circuit_of(of), name, 0, true);
    partitions_begin(&parts, &p, of);
    assert_all_proofs(&p, &parts, (cz_device_key_options){.most_partitions = 0}, false);
    assert_all_proofs(&p, &parts, (cz_device_key_options){.most_partitions = 2}, false);
    assert_all_proofs(
        &p, &parts, (cz_device_key_options){.most_points = points, .most_partitions = MOST}, true);
    assert_all_proofs(
        &p, &parts, (cz_device_key_options){.most_points = points + 9, .most_partitions = 2}, true);
    partitions_end(&parts);
    prover_end(&p);
}

static void test_folded_proofs_of_toys(void **state)
{
    const subject first = a_toy(1, 2, 0), second = a_toy(2, 3, 4), third = a_toy(80, 10, 200);

    (void)state;
    assert_folded(&first, "0.params", 2);
    assert_folded(&second, "1.params", 3);
    assert_folded(&third, "2.params", 67); /* chunks of inputs alone */
}

/* Nearly all variables are bits, as of PoRep. */
static void test_folded_proofs_of_bits(void **state)
{
    subject mixture = a_mixture(2), bits = {.toy = {.n_bits = 0}};

    (void)state;
    assert_folded(&bits, "0.params", 61);
    assert_folded(&mixture, "1.params", 128);
    mixture.mixed.echoes = true; /* L' has points of inputs */
    assert_folded(&mixture, "2.params", 128);
}

/* The tails of L' and B1 in H's sum, or not: as many as may. */
static void test_folded_tails_join_h(void **state)
{
    const subject toy = a_toy(3, 10, 40);
    cz_device_key_options options = {.most_h_terms = 0};
    partitions parts;
    prover p;

    (void)state;
    prover_begin_with(&p, circuit_of(&toy), "toy.params", 0, true);
    partitions_begin(&parts, &p, &toy);
    assert_all_proofs(&p, &parts, options, false);
    options.most_h_terms = p.folded.file.h.n; /* none */
    assert_all_proofs(&p, &parts, options, false);
    options.most_h_terms += p.folded.file.l.n; /* at least that of L' */
    assert_all_proofs(&p, &parts, options, false);
    partitions_end(&parts);
    prover_end(&p);
}

/* Some inputs occur in C and some do not: the list has points of the former. */
static void test_inputs_of_c_have_points(void **state)
{
    subject mixture = a_mixture(3);
    prover p;

    (void)state;
    mixture.mixed.echoes = true;
    prover_begin_with(&p, circuit_of(&mixture), "mixed.params", 0, true);
    assert_int_equal(p.folded.n_inputs, 7);
    assert_int_equal(p.folded.input_has_point[0], 1 << 2 | 1 << 4 | 1 << 6);
    assert_int_equal(p.folded.file.l.n, 3 + p.folded.n_aux);
    assert_int_equal(p.folded.file.h.n, p.params.h.n + 1);
    prover_end(&p);
}

/* With c where it was, b and c would be as large as before. */
static void test_folded_plan_is_smaller_and_says_so(void **state)
{
    const cz_device_key_options plain = {.mode = CZ_DEVICE_KEY_RESIDENT};
    const subject toy = a_toy(2, 10, 2000); /* rows beside which the sums' scratch is small */
    cz_device_key *folded, *classic;
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    prover p;

    (void)state;
    assert_non_null(to);
    prover_begin_with(&p, circuit_of(&toy), "toy.params", 0, true);
    assert_ok(cz_device_key_load_with(&classic, p.gpu, &p.params, p.compiled, &plain, NULL, NULL));
    assert_false(cz_device_key_folded(classic));
    folded = load(&p, plain, false);
    if (getenv("CUZK_TEST_CUDA") == NULL)
        assert_true(cz_device_key_bytes(folded) + 2000 * sizeof(cz_fr) <
                    cz_device_key_bytes(classic));
    cz_device_key_print(folded, to);
    assert_int_equal(fclose(to), 0);
    assert_non_null(strstr(text, "parameters resident, folded"));
    free(text);
    cz_device_key_destroy(classic);
    cz_device_key_destroy(folded);
    prover_end(&p);
}

/* Another one's, or one that says what is not so. */
static void test_folded_file_that_does_not_belong(void **state)
{
    const subject toy = a_toy(2, 10, 5), larger = a_toy(2, 10, 6);
    cz_device_key_options options = {.most_partitions = 1};
    cz_device_key *key;
    prover p, other;

    (void)state;
    prover_begin_with(&p, circuit_of(&toy), "toy.params", 0, true);
    prover_begin_with(&other, circuit_of(&larger), "larger.params", 0, true);
    options.folded = &other.folded;
    assert_fails(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &options, NULL, NULL),
                 CZ_E_INPUT, "larger.folded: folded for a domain");
    p.folded.input_has_point[0] ^= 1;
    options.folded = &p.folded;
    assert_fails(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &options, NULL, NULL),
                 CZ_E_INPUT, "toy.folded: l has");
    assert_int_equal(cz_gpu_used_bytes(p.gpu, CZ_GPU_DEVICE_MEMORY), 0);
    prover_end(&other);
    prover_end(&p);
}

/* The folded file's points are checked as the parameters' are, and it is what is named. */
static void test_damaged_folded_point_is_named(void **state)
{
    const subject toy = a_toy(2, 30, 20);
    cz_device_key_options options = {.most_points = 16, .most_partitions = 1};
    partitions parts;
    cz_device_key *key;
    cz_proof proof;
    uint8_t *whole;
    size_t n, at;
    prover p;

    (void)state;
    prover_begin_with(&p, circuit_of(&toy), "toy.params", 0, true);
    partitions_begin(&parts, &p, &toy);
    assert_ok(cz_file_read(p.folded.file.path, SIZE_MAX, &whole, &n));
    at = (size_t)(p.folded.file.l.bytes - p.folded.file.map) +
         20 * (size_t)CZ_G1_UNCOMPRESSED_BYTES + 50;
    key = load(&p, options, true);
    whole[at] ^= 1;
    write_bytes(p.folded.file.path, whole, n);
    assert_fails(cz_groth16_prove_device_batch(&proof, key, parts.part, 1, NULL), CZ_E_INPUT,
                 "toy.folded: l[20]: ");
    whole[at] ^= 1;
    write_bytes(p.folded.file.path, whole, n);
    assert_proofs(key, &parts, 1);
    cz_device_key_destroy(key);
    whole[at] ^= 1;
    write_bytes(p.folded.file.path, whole, n);
    options = (cz_device_key_options){.mode = CZ_DEVICE_KEY_RESIDENT, .folded = &p.folded};
    assert_fails(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &options, NULL, NULL),
                 CZ_E_INPUT, "toy.folded: l[20]: ");
    free(whole);
    partitions_end(&parts);
    prover_end(&p);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_folded_proofs_of_toys, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_folded_proofs_of_bits, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_folded_tails_join_h, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_inputs_of_c_have_points, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_folded_plan_is_smaller_and_says_so, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_folded_file_that_does_not_belong, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_damaged_folded_point_is_named, scratch_make,
                                    scratch_remove),
};
CZ_TEST_MAIN(cases)
