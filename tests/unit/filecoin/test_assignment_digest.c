/* The assignment of whole circuits as digests: by the classic path and by the compiled form. */
#include "cs/assignment_digest.h"

#include <sys/resource.h>

#include "cs/compile.h"
#include "filecoin/gen_vanilla.h"
#include "golden_jobs.h"

static void compile(cz_compiled **out, const char *id, cz_pool *pool)
{
    const cz_compile_options options = {.pool = pool};
    cz_circuit *blank;

    assert_ok(cz_circuit_create_blank(&blank, id));
    assert_ok(cz_circuit_compile(out, blank, &options));
    cz_circuit_destroy(blank);
}

static void assert_same_digests(cz_assignment_digest *out, const cz_circuit *circuit,
                                const cz_compiled *c, cz_pool *pool)
{
    cz_assignment_digest compiled;
    const char *differs;
    cz_bit_witness w;

    assert_ok(cz_bit_witness_synthesize_pool(&w, c, circuit, pool));
    assert_ok(cz_assignment_digest_compiled(&compiled, c, &w, pool));
    cz_bit_witness_clear(&w);
    assert_ok(cz_assignment_digest_classic(out, circuit));
    differs = cz_assignment_digest_differs(out, &compiled);
    if (differs != NULL)
        fail_msg("%s: %s differ", circuit->id, differs);
}

/* ---- golden cases ---- */

static void check_golden(const char *name)
{
    golden_case g = open_case(name, "request.json");
    cz_assignment_digest digest;
    cz_circuit *circuit;
    uint8_t wanted[32];
    cz_compiled *c;
    cz_pool *pool;

    assert_ok(cz_pool_create(&pool, 2));
    compile(&c, cz_job_circuit_id(g.job), pool);
    for (size_t k = 0; k < cz_job_partitions(g.job); k++) {
        assert_ok(cz_job_circuit(g.job, k, &circuit));
        assert_same_digests(&digest, circuit, c, pool);
        golden_get_hex(golden_at(g.partitions, k), "witness_sha256", wanted, 32);
        assert_memory_equal(digest.witness, wanted, 32);
        cz_circuit_destroy(circuit);
    }
    cz_compiled_destroy(c);
    cz_pool_destroy(pool);
    close_case(&g);
}

static void test_winning_2k(void **state)
{
    (void)state;
    check_golden("winning-2k");
}

static void test_wpost_2k(void **state)
{
    (void)state;
    check_golden("wpost-2k-short");
}

static void test_slow_golden(void **state)
{
    (void)state;
    check_golden("porep-2k-v1_1");
    check_golden("porep-2k-synth");
    check_golden("porep-2k-ni");
    check_golden("snap-2k");
    check_golden("winning-8m");
    check_golden("wpost-8m");
}

/* A digest that nothing changes would compare nothing. */
static void test_each_bit_counts(void **state)
{
    golden_case g = open_case("wpost-2k-short", "request.json");
    cz_assignment_digest before, after;
    cz_circuit *circuit;
    cz_bit_witness w;
    cz_compiled *c;

    (void)state;
    compile(&c, cz_job_circuit_id(g.job), NULL);
    assert_ok(cz_job_circuit(g.job, 0, &circuit));
    assert_ok(cz_bit_witness_synthesize(&w, c, circuit));
    assert_ok(cz_assignment_digest_compiled(&before, c, &w, NULL));
    assert_null(cz_assignment_digest_differs(&before, &before));
    cz_fr_add(&w.fields[w.n_fields - 1], &w.fields[w.n_fields - 1], &w.inputs[0]);
    assert_ok(cz_assignment_digest_compiled(&after, c, &w, NULL));
    assert_non_null(cz_assignment_digest_differs(&before, &after));
    assert_memory_not_equal(before.witness, after.witness, 32);
    assert_memory_equal(before.densities, after.densities, 32);
    after = before;
    after.densities[31] ^= 1;
    assert_string_equal(cz_assignment_digest_differs(&before, &after), "densities");
    cz_bit_witness_clear(&w);
    cz_circuit_destroy(circuit);
    cz_compiled_destroy(c);
    close_case(&g);
}

/* ---- full size ---- */

static cz_job *synthetic_job(cz_proof_kind kind, cz_pool *pool)
{
    cz_request *request;
    cz_gen_text text;
    cz_job *job;

    assert_ok(cz_gen_request(&text, kind, (uint64_t)32 << 30, 1, pool));
    assert_ok(cz_request_parse(&request, text.bytes, text.n));
    cz_gen_text_clear(&text);
    assert_ok(cz_job_create(&job, request, pool));
    cz_request_destroy(request);
    return job;
}

/* The last partition of a synthetic 32 GiB request, in bounded memory. */
static void check_full_size(cz_proof_kind kind)
{
    const long most_kib = 12L << 20;
    cz_assignment_digest digest;
    cz_circuit *circuit;
    struct rusage usage;
    cz_compiled *c;
    cz_pool *pool;
    cz_job *job;

    assert_ok(cz_pool_create(&pool, 0));
    job = synthetic_job(kind, pool);
    compile(&c, cz_job_circuit_id(job), pool);
    assert_ok(cz_job_circuit(job, cz_job_partitions(job) - 1, &circuit));
    assert_same_digests(&digest, circuit, c, pool);
    cz_circuit_destroy(circuit);
    cz_compiled_destroy(c);
    cz_job_destroy(job);
    cz_pool_destroy(pool);
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < most_kib);
}

static void test_slow_porep_32g(void **state)
{
    (void)state;
    check_full_size(CZ_KIND_POREP);
}

static void test_slow_snap_32g(void **state)
{
    (void)state;
    check_full_size(CZ_KIND_SNAP);
}

static void test_slow_wpost_32g(void **state)
{
    (void)state;
    check_full_size(CZ_KIND_WINDOW);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_winning_2k),     cmocka_unit_test(test_wpost_2k),
    cmocka_unit_test(test_slow_golden),    cmocka_unit_test(test_each_bit_counts),
    cmocka_unit_test(test_slow_porep_32g), cmocka_unit_test(test_slow_snap_32g),
    cmocka_unit_test(test_slow_wpost_32g),
};
CZ_TEST_MAIN(cases)
