/* Proofs on a device whose parameters come from the file: the CPU's bytes, whatever the chunks and
 * the batches; failures in the middle of a proof. On the host's stand-in by default, on a device
 * with CUZK_TEST_CUDA. */
#define _GNU_SOURCE
#include "device_partitions.h"

#include <string.h>
#include <unistd.h>

static cz_device_key *load_streamed(prover *p, uint32_t points, unsigned batch)
{
    const cz_device_key_options options = {
        .mode = CZ_DEVICE_KEY_STREAMED, .most_points = points, .most_partitions = batch};
    cz_device_key *key;

    assert_ok(cz_device_key_load_with(&key, p->gpu, &p->params, p->compiled, &options, NULL, NULL));
    assert_true(cz_device_key_streams(key));
    assert_int_equal(cz_device_key_batch(key), batch);
    return key;
}

/* Batches that hold all, some, one. */
static void assert_streamed(prover *p, const subject *of, const uint32_t *points, size_t n)
{
    const unsigned batches[] = {MOST, 2, 1};
    partitions parts;

    partitions_begin(&parts, p, of);
    for (size_t i = 0; i < n; i++) {
        cz_device_key *key = load_streamed(p, points[i], batches[i % 3]);

        assert_proofs(key, &parts, 1);
        assert_proofs(key, &parts, 2);
        assert_proofs(key, &parts, MOST);
        cz_device_key_destroy(key);
        assert_int_equal(cz_gpu_used_bytes(p->gpu, CZ_GPU_DEVICE_MEMORY), 0);
        assert_int_equal(cz_gpu_used_bytes(p->gpu, CZ_GPU_PINNED_MEMORY), 0);
    }
    partitions_end(&parts);
}

static void assert_streamed_in(const subject *of, const char *name, const uint32_t *points,
                               size_t n)
{
    prover p;

    prover_begin(&p, circuit_of(of), name, 0);
    assert_streamed(&p, of, points, n);
    prover_end(&p);
}

static void test_streamed_proofs_of_toys(void **state)
{
    const subject first = a_toy(1, 2, 0), second = a_toy(2, 3, 4);
    const uint32_t points[] = {2, 3, 0};

    (void)state;
    assert_streamed_in(&first, "0.params", points, 3);
    assert_streamed_in(&second, "1.params", points, 3);
}

/* Nearly all variables are bits, as of PoRep. */
static void test_streamed_proofs_of_bits(void **state)
{
    const subject mixture = a_mixture(3), bits = {.toy = {.n_bits = 0}};
    const uint32_t points[] = {61, 128, 200, 0};

    (void)state;
    assert_streamed_in(&mixture, "0.params", points, 4);
    assert_streamed_in(&bits, "1.params", points, 2);
}

/* All variables are field elements, as nearly all of a window PoSt: tails of several chunks, and
 * chunks of inputs alone. */
static void test_streamed_proofs_of_fields(void **state)
{
    const subject toy = a_toy(80, 10, 200);
    const uint32_t points[] = {67, 100, 0};

    (void)state;
    assert_streamed_in(&toy, "toy.params", points, 3);
}

/* A resident key takes batches too: together where most variables are bits, else one by one. */
static void assert_resident(const subject *of, const char *name, unsigned asked, unsigned got)
{
    const cz_device_key_options options = {.mode = CZ_DEVICE_KEY_RESIDENT,
                                           .most_partitions = asked};
    partitions parts;
    cz_device_key *key;
    prover p;

    prover_begin(&p, circuit_of(of), name, 0);
    partitions_begin(&parts, &p, of);
    assert_ok(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &options, NULL, NULL));
    assert_false(cz_device_key_streams(key));
    assert_int_equal(cz_device_key_batch(key), got);
    assert_proofs(key, &parts, MOST);
    assert_proofs(key, &parts, 1);
    cz_device_key_destroy(key);
    partitions_end(&parts);
    prover_end(&p);
}

static void test_resident_batches(void **state)
{
    const subject bits = a_mixture(2), fields = a_toy(2, 10, 40);

    (void)state;
    assert_resident(&bits, "0.params", 0, 10);
    assert_resident(&bits, "1.params", 2, 2);
    assert_resident(&bits, "2.params", 1, 1);
    assert_resident(&fields, "3.params", 0, 1);
}

/* ---- budgets ---- */

static uint64_t bytes_of(prover *p, cz_device_key_options options)
{
    cz_device_key *key;
    uint64_t used;

    assert_ok(cz_device_key_load_with(&key, p->gpu, &p->params, p->compiled, &options, NULL, NULL));
    used = cz_gpu_used_bytes(p->gpu, CZ_GPU_DEVICE_MEMORY);
    cz_device_key_destroy(key);
    return used;
}

/* On the stand-in alone: a device's sums do with less scratch, so nobody knows where it ends. */
static void test_what_fits_no_more_streams(void **state)
{
    const cz_device_key_options any = {.most_points = 64, .most_partitions = 1};
    const subject bits = {.toy = {.n_bits = 0}};
    cz_device_key_options resident = any, streamed = any;
    uint64_t all, least;
    partitions parts;
    cz_device_key *key;
    prover p;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    resident.mode = CZ_DEVICE_KEY_RESIDENT;
    streamed.mode = CZ_DEVICE_KEY_STREAMED;
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    all = bytes_of(&p, resident);
    least = bytes_of(&p, streamed);
    assert_true(least < all);
    cz_gpu_close(p.gpu);

    p.gpu = host_gpu_open(all - 1);
    partitions_begin(&parts, &p, &bits);
    assert_ok(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &any, NULL, NULL));
    assert_true(cz_device_key_streams(key));
    assert_proofs(key, &parts, 2);
    cz_device_key_destroy(key);
    assert_fails(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &resident, NULL, NULL),
                 CZ_E_NOMEM, "with its parameters resident, the budget has");
    cz_gpu_close(p.gpu);

    p.gpu = host_gpu_open(least - 1);
    assert_fails(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &any, NULL, NULL),
                 CZ_E_NOMEM, "with them streamed, the budget has");
    assert_fails(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &streamed, NULL, NULL),
                 CZ_E_NOMEM, "with its parameters streamed, the budget has");
    assert_int_equal(cz_gpu_used_bytes(p.gpu, CZ_GPU_DEVICE_MEMORY), 0);
    partitions_end(&parts);
    prover_end(&p);
}

/* The largest block of memory that a key takes. */
static uint64_t block_of(prover *p, cz_device_key_options options)
{
    host_largest_taken = 0;
    (void)bytes_of(p, options);
    return host_largest_taken;
}

/* A key on a device that has no block of that many bytes, with the budget that nobody gave, or one
 * that somebody did; what is then left of it. */
static uint64_t budget_after_lack(prover *p, const cz_device_key_options *options, uint64_t bytes,
                                  cz_gpu_budget budget, unsigned batch)
{
    const bool given = budget.bytes == budget.cautious;
    const cz_gpu_budget usual = host_default_budget;
    cz_device_key *key;

    host_default_budget = budget;
    host_largest_bytes = bytes - 1;
    cz_gpu_close(p->gpu);
    p->gpu = host_gpu_open(given ? budget.bytes : 0);
    host_default_budget = usual;
    assert_ok(cz_device_key_load_with(&key, p->gpu, &p->params, p->compiled, options, NULL, NULL));
    host_largest_bytes = UINT64_MAX;
    assert_int_equal(cz_device_key_streams(key), options->mode == CZ_DEVICE_KEY_STREAMED);
    assert_int_equal(cz_device_key_batch(key), batch);
    cz_device_key_destroy(key);
    return cz_gpu_budget_bytes(p->gpu);
}

/* The next plan then, by the cautious budget. On the stand-in alone: it knows when to lack. */
static void test_what_is_not_there_shrinks_the_budget(void **state)
{
    const cz_device_key_options any = {.most_points = 64};
    const cz_device_key_options ten = {.mode = CZ_DEVICE_KEY_STREAMED, .most_points = 64};
    const uint64_t much = 1 << 30;
    cz_device_key_options one = ten;
    uint64_t resident, most, least;
    prover p;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    one.most_partitions = 1;
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    resident = block_of(&p, any);
    most = block_of(&p, ten);
    least = bytes_of(&p, one);
    assert_true(least < most && most < much && resident < much);
    assert_true(budget_after_lack(&p, &any, resident, (cz_gpu_budget){much, much - 1}, 1) ==
                much - 1);
    assert_true(budget_after_lack(&p, &any, resident, (cz_gpu_budget){much, much}, 1) == much);
    assert_true(budget_after_lack(&p, &ten, most, (cz_gpu_budget){much, least}, 1) == least);
    prover_end(&p);
}

/* What a refusal says: the bytes needed with the parameters resident, and those left. */
static uint64_t number_before(const char *words)
{
    const char *message = cz_err_message(), *at = strstr(message, words);

    assert_non_null(at);
    while (at > message && at[-1] >= '0' && at[-1] <= '9')
        at--;
    return strtoull(at, NULL, 10);
}

static uint64_t number_after(const char *words)
{
    const char *at = strstr(cz_err_message(), words);

    assert_non_null(at);
    return strtoull(at + strlen(words), NULL, 10);
}

static const cz_device_key_options resident_alone = {.mode = CZ_DEVICE_KEY_RESIDENT,
                                                     .most_partitions = 1};

/* Refused with that budget; what is left of it for the block. */
static uint64_t refused_within(prover *p, uint64_t budget, uint64_t *needed)
{
    cz_device_key *key;

    cz_gpu_close(p->gpu);
    p->gpu = host_gpu_open(budget);
    assert_fails(
        cz_device_key_load_with(&key, p->gpu, &p->params, p->compiled, &resident_alone, NULL, NULL),
        CZ_E_NOMEM, "with its parameters resident, the budget has");
    assert_true(cz_gpu_lacked_budget());
    *needed = number_before(" bytes are needed");
    return number_after("the budget has ");
}

/* Also where there is not even room for what brings the points. */
static void test_the_bytes_needed_do_not_depend_on_those_left(void **state)
{
    uint64_t all, left, needed, needed_with_little;
    prover p;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    all = bytes_of(&p, resident_alone);
    left = refused_within(&p, all - 1, &needed);
    assert_true(left < needed && left > 100);
    assert_int_equal(refused_within(&p, all - 1 - (left - 100), &needed_with_little), 100);
    assert_int_equal(needed_with_little, needed);
    cz_gpu_close(p.gpu);
    p.gpu = host_gpu_open(all - 1 + (needed - left));
    (void)bytes_of(&p, resident_alone);
    prover_end(&p);
}

/* The batch that a budget gives. */
static unsigned batch_within(prover *p, const cz_device_key_options *options, uint64_t budget)
{
    cz_device_key *key;
    unsigned batch;

    cz_gpu_close(p->gpu);
    p->gpu = host_gpu_open(budget);
    assert_ok(cz_device_key_load_with(&key, p->gpu, &p->params, p->compiled, options, NULL, NULL));
    batch = cz_device_key_batch(key);
    cz_device_key_destroy(key);
    return batch;
}

/* Less memory: smaller batches, never a refusal while something smaller would do. */
static void test_batches_shrink_with_the_budget(void **state)
{
    const subject toy = a_toy(2, 10, 200);
    const cz_device_key_options ten = {.mode = CZ_DEVICE_KEY_STREAMED, .most_points = 64};
    cz_device_key_options one = ten;
    uint64_t most, least;
    unsigned before = 10;
    prover p;

    (void)state;
    one.most_partitions = 1;
    prover_begin(&p, circuit_of(&toy), "toy.params", 0);
    most = bytes_of(&p, ten);
    least = bytes_of(&p, one);
    for (uint64_t budget = most; budget > least; budget -= (most - least + 6) / 7) {
        const unsigned batch = batch_within(&p, &ten, budget);

        assert_true(batch <= before);
        before = batch;
    }
    assert_int_equal(batch_within(&p, &ten, most), 10);
    assert_int_equal(batch_within(&p, &ten, least), 1);
    prover_end(&p);
}

static void test_plan_in_words(void **state)
{
    cz_device_key *key;
    char *text = NULL;
    size_t n;
    FILE *to = open_memstream(&text, &n);
    prover p;

    (void)state;
    assert_non_null(to);
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    key = load_streamed(&p, 100, 3);
    cz_device_key_print(key, to);
    assert_int_equal(fclose(to), 0);
    assert_non_null(strstr(text, "parameters streamed, 3 partitions a batch, 3 at a time over H, "
                                 "chunks of 100 points"));
    assert_non_null(strstr(text, "a chunk's bytes"));
    free(text);
    cz_device_key_destroy(key);
    prover_end(&p);
}

/* ---- failures ---- */

static void cut_file(const char *path, off_t bytes)
{
    assert_int_equal(truncate(path, bytes), 0);
}

/* The end of the file is b_g2's: what is cut is found after all other lists were summed. */
static void test_file_that_is_cut_meanwhile(void **state)
{
    const subject toy = a_toy(2, 30, 20);
    partitions parts;
    cz_device_key *key;
    cz_proof proofs[2];
    uint8_t *whole;
    size_t n;
    prover p;

    (void)state;
    prover_begin(&p, circuit_of(&toy), "toy.params", 0);
    partitions_begin(&parts, &p, &toy);
    assert_ok(cz_file_read(p.path, SIZE_MAX, &whole, &n));
    key = load_streamed(&p, 40, 2);
    cut_file(p.path, (off_t)n - 200);
    for (int i = 0; i < 2; i++)
        assert_fails(cz_groth16_prove_device_batch(proofs, key, parts.part, 2, NULL), CZ_E_IO,
                     "toy.params: cut at byte");
    write_bytes(p.path, whole, n);
    assert_proofs(key, &parts, 2);
    free(whole);
    cz_device_key_destroy(key);
    partitions_end(&parts);
    prover_end(&p);
}

static void test_damaged_point_is_named(void **state)
{
    const subject toy = a_toy(2, 30, 20);
    partitions parts;
    cz_device_key *key;
    cz_proof proof;
    uint8_t *whole;
    size_t n, at;
    prover p;

    (void)state;
    prover_begin(&p, circuit_of(&toy), "toy.params", 0);
    partitions_begin(&parts, &p, &toy);
    assert_ok(cz_file_read(p.path, SIZE_MAX, &whole, &n));
    key = load_streamed(&p, 16, 1);
    at = (size_t)(p.params.a.bytes - p.params.map) + 20 * (size_t)CZ_G1_UNCOMPRESSED_BYTES + 50;
    whole[at] ^= 1;
    write_bytes(p.path, whole, n);
    assert_fails(cz_groth16_prove_device_batch(&proof, key, parts.part, 1, NULL), CZ_E_INPUT,
                 "toy.params: a[20]: ");
    whole[at] ^= 1;
    write_bytes(p.path, whole, n);
    assert_proofs(key, &parts, 1);
    free(whole);
    cz_device_key_destroy(key);
    partitions_end(&parts);
    prover_end(&p);
}

/* ---- secrets ---- */

/* Tables hold small integers. */
static bool is_telling(const cz_fr *value)
{
    cz_u256 plain;

    cz_fr_to_u256(&plain, value);
    return (plain.l[1] | plain.l[2]) != 0;
}

static void assert_not_in_memory(const cz_gpu *gpu, const cz_bit_witness *w)
{
    unsigned telling = 0;

    for (uint32_t i = 0; i < w->n_fields; i++) {
        if (!is_telling(&w->fields[i]))
            continue;
        telling++;
        for (const host_block *b = gpu->blocks; b != NULL; b = b->next)
            assert_null(memmem(b->memory, b->bytes, &w->fields[i], sizeof w->fields[i]));
    }
    assert_true(telling > 30);
}

/* It is a factor in a sum. */
static void assert_r_not_in_memory(const cz_gpu *gpu, const partitions *parts, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        for (const host_block *b = gpu->blocks; b != NULL; b = b->next)
            assert_null(memmem(b->memory, b->bytes, &parts->r[i], sizeof parts->r[i]));
}

/* No field element of a witness stays, after a proof and after a failure. */
static void test_witness_is_erased(void **state)
{
    const subject toy = a_toy(2, 10, 40);
    partitions parts;
    cz_device_key *key;
    cz_proof proof;
    prover p;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    prover_begin(&p, circuit_of(&toy), "toy.params", 0);
    partitions_begin(&parts, &p, &toy);
    key = load_streamed(&p, 32, 1);
    assert_proofs(key, &parts, 1);
    assert_not_in_memory(p.gpu, &parts.w[0]);
    cut_file(p.path, 1000);
    assert_fails(cz_groth16_prove_device_batch(&proof, key, parts.part, 1, NULL), CZ_E_IO, "cut");
    assert_not_in_memory(p.gpu, &parts.w[0]);
    cz_device_key_destroy(key);
    partitions_end(&parts);
    prover_end(&p);
}

/* Where rows are all that there is yet. */
static cz_err no_quotient(cz_gpu_ntt *ntt, void *d_a, void *d_b, void *d_c, void *d_scratch)
{
    (void)ntt;
    (void)d_a;
    (void)d_b;
    (void)d_c;
    (void)d_scratch;
    return cz_fail(CZ_E_CUDA, "no quotient today");
}

/* The same with the parameters on the device, where the rows of b and c lie in the sums' scratch.
 */
static void test_resident_witness_is_erased(void **state)
{
    const cz_device_key_options resident = {.mode = CZ_DEVICE_KEY_RESIDENT};
    const subject toy = a_toy(2, 10, 40);
    partitions parts;
    cz_device_key *key;
    cz_proof proofs[2];
    prover p;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    prover_begin(&p, circuit_of(&toy), "toy.params", 0);
    partitions_begin(&parts, &p, &toy);
    assert_ok(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &resident, NULL, NULL));
    assert_proofs(key, &parts, 2);
    assert_not_in_memory(p.gpu, &parts.w[0]);
    assert_r_not_in_memory(p.gpu, &parts, 2);
    host_gpu_table.ntt_quotient = no_quotient;
    assert_fails(cz_groth16_prove_device_batch(proofs, key, parts.part, 2, NULL), CZ_E_CUDA,
                 "no quotient today");
    host_gpu_table.ntt_quotient = host_ntt_quotient;
    assert_not_in_memory(p.gpu, &parts.w[0]);
    assert_r_not_in_memory(p.gpu, &parts, 2);
    cz_device_key_destroy(key);
    partitions_end(&parts);
    prover_end(&p);
}

/* Calls that succeed before the next fails; then all do again. */
static unsigned zeros_left, syncs_left;

static cz_err zero_that_may_fail(cz_gpu *gpu, cz_gpu_queue queue, void *memory, size_t bytes)
{
    return zeros_left-- == 0 ? cz_fail(CZ_E_CUDA, "no zeros today")
                             : host_zero(gpu, queue, memory, bytes);
}

static cz_err sync_that_may_fail(cz_gpu *gpu)
{
    return syncs_left-- == 0 ? cz_fail(CZ_E_CUDA, "nothing to wait for") : host_sync(gpu);
}

static cz_err prove_with_failure(cz_device_key *key, const partitions *parts, unsigned zeros,
                                 unsigned syncs)
{
    cz_proof proof;
    cz_err err;

    zeros_left = zeros;
    syncs_left = syncs;
    host_gpu_table.zero = zero_that_may_fail;
    host_gpu_table.sync = sync_that_may_fail;
    err = cz_groth16_prove_device_batch(&proof, key, parts->part, 1, NULL);
    host_gpu_table.zero = host_zero;
    host_gpu_table.sync = host_sync;
    return err;
}

/* The proof is made by then; but what could not be erased, or not be waited for, is an error. */
static void test_erasing_that_fails_is_an_error(void **state)
{
    const cz_device_key_options resident = {.mode = CZ_DEVICE_KEY_RESIDENT};
    const subject toy = a_toy(2, 10, 40);
    const unsigned many = 1000;
    unsigned zeros, syncs;
    partitions parts;
    cz_device_key *key;
    prover p;

    (void)state;
    if (getenv("CUZK_TEST_CUDA") != NULL)
        skip();
    prover_begin(&p, circuit_of(&toy), "toy.params", 0);
    partitions_begin(&parts, &p, &toy);
    assert_ok(cz_device_key_load_with(&key, p.gpu, &p.params, p.compiled, &resident, NULL, NULL));
    assert_ok(prove_with_failure(key, &parts, many, many));
    zeros = many - zeros_left;
    syncs = many - syncs_left;
    assert_true(zeros > 0 && syncs > 1);
    for (unsigned i = 0; i < zeros; i++)
        assert_fails(prove_with_failure(key, &parts, i, many), CZ_E_CUDA, "no zeros today");
    for (unsigned i = 0; i < syncs; i++)
        assert_fails(prove_with_failure(key, &parts, many, i), CZ_E_CUDA, "nothing to wait for");
    assert_proofs(key, &parts, 1);
    assert_not_in_memory(p.gpu, &parts.w[0]);
    assert_r_not_in_memory(p.gpu, &parts, 1);
    cz_device_key_destroy(key);
    partitions_end(&parts);
    prover_end(&p);
}

static void test_streamed_phases(void **state)
{
    const cz_phase phases[] = {CZ_PHASE_PIN,       CZ_PHASE_EVALUATE, CZ_PHASE_NTT_MSM_H,
                               CZ_PHASE_BATCH_ADD, CZ_PHASE_TAIL_MSM, CZ_PHASE_B_G2_MSM};
    cz_device_partition part[2];
    cz_proof proofs[2];
    cz_device_key *key;
    cz_trace *trace;
    prover p;

    (void)state;
    prover_begin(&p, &bits_circuit, "bits.params", 0);
    assert_ok(cz_trace_create(&trace));
    key = load_streamed(&p, 200, 2);
    for (unsigned i = 0; i < 2; i++)
        part[i] = (cz_device_partition){.w = &p.w, .partition = i};
    assert_ok(cz_groth16_prove_device_batch(proofs, key, part, 2, trace));
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++)
        assert_true(cz_trace_total_ms(trace, phases[i]) > 0);
    cz_device_key_destroy(key);
    cz_trace_destroy(trace);
    prover_end(&p);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(test_streamed_proofs_of_toys, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_streamed_proofs_of_bits, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_streamed_proofs_of_fields, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_resident_batches, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_what_fits_no_more_streams, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_what_is_not_there_shrinks_the_budget, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_the_bytes_needed_do_not_depend_on_those_left, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_batches_shrink_with_the_budget, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_plan_in_words, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_file_that_is_cut_meanwhile, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_damaged_point_is_named, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_witness_is_erased, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_resident_witness_is_erased, scratch_make, scratch_remove),
    cmocka_unit_test_setup_teardown(test_erasing_that_fails_is_an_error, scratch_make,
                                    scratch_remove),
    cmocka_unit_test_setup_teardown(test_streamed_phases, scratch_make, scratch_remove),
};
CZ_TEST_MAIN(cases)
