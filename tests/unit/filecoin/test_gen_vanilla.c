/* Synthetic vanilla proofs pass every check and satisfy their circuits, at all sizes. */
#include "filecoin/gen_vanilla.h"

#include <sys/resource.h>

#include "cs/satisfied.h"
#include "filecoin/circuits.h"
#include "filecoin/job.h"
#include "filecoin/porep_check.h"
#include "filecoin/porep_circuit.h"
#include "filecoin/post_check.h"
#include "filecoin/post_circuit.h"
#include "filecoin/snap_check.h"
#include "filecoin/snap_circuit.h"
#include "golden.h"

enum { SEED = 11 };

static void assert_satisfied(cz_circuit *circuit)
{
    cz_witness_report r;

    assert_ok(cz_circuit_check(&r, circuit));
    if (!r.satisfied)
        fail_msg("%s: constraint %llu fails: %s", circuit->id, (unsigned long long)r.first_failing,
                 r.failing_path);
    cz_witness_report_clear(&r);
    cz_circuit_destroy(circuit);
}

/* --- requests --- */

static cz_job *job_of(cz_proof_kind kind, uint64_t size, cz_pool *pool)
{
    cz_request *request;
    cz_gen_text text;
    cz_job *job;

    assert_ok(cz_gen_request(&text, kind, size, SEED, pool));
    assert_ok(cz_request_parse(&request, text.bytes, text.n));
    cz_gen_text_clear(&text);
    assert_ok(cz_job_create(&job, request, pool));
    cz_request_destroy(request);
    return job;
}

/* Request, job, and the witness of its last partition, in bounded memory. */
static void check_request(cz_proof_kind kind, uint64_t size)
{
    const long most_kib = 12L << 20;
    cz_circuit *circuit;
    struct rusage usage;
    cz_pool *pool;
    cz_job *job;

    assert_ok(cz_pool_create(&pool, 0));
    job = job_of(kind, size, pool);
    assert_ok(cz_job_circuit(job, cz_job_partitions(job) - 1, &circuit));
    assert_satisfied(circuit);
    cz_job_destroy(job);
    cz_pool_destroy(pool);
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(usage.ru_maxrss < most_kib);
}

static void test_small_requests(void **state)
{
    (void)state;
    check_request(CZ_KIND_POREP, 2048);
    check_request(CZ_KIND_WINNING, 2048);
    check_request(CZ_KIND_WINDOW, 2048);
    check_request(CZ_KIND_SNAP, 2048);
}

static void test_middle_requests(void **state)
{
    (void)state;
    check_request(CZ_KIND_WINNING, UINT64_C(512) << 20);
    check_request(CZ_KIND_WINDOW, UINT64_C(512) << 20);
    check_request(CZ_KIND_WINNING, UINT64_C(32) << 30);
    check_request(CZ_KIND_WINNING, UINT64_C(64) << 30);
}

static void test_same_seed_same_bytes(void **state)
{
    cz_gen_text a, b, c;

    (void)state;
    assert_ok(cz_gen_request(&a, CZ_KIND_WINDOW, 2048, 5, NULL));
    assert_ok(cz_gen_request(&b, CZ_KIND_WINDOW, 2048, 5, NULL));
    assert_ok(cz_gen_request(&c, CZ_KIND_WINDOW, 2048, 6, NULL));
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.bytes, b.bytes, a.n);
    assert_true(a.n != c.n || memcmp(a.bytes, c.bytes, a.n) != 0);
    cz_gen_text_clear(&a);
    cz_gen_text_clear(&b);
    cz_gen_text_clear(&c);
}

static void test_refused(void **state)
{
    const cz_gen_identity id = {1000, 1};
    const cz_proof_spec *synthetic;
    cz_porep_vanilla *v;
    cz_gen_text text;

    (void)state;
    assert_fails(cz_gen_request(&text, CZ_KIND_SNAP, 4096, 1, NULL), CZ_E_NOTFOUND,
                 "no registered snap proof has sectors of 4096 bytes");
    assert_ok(cz_proof_spec_find(&synthetic, CZ_KIND_POREP, 10, 0));
    assert_fails(cz_gen_porep(&v, synthetic, 1, &id, NULL), CZ_E_UNSUPPORTED, synthetic->name);
}

/* --- sealed sectors --- */

static void check_sealed(cz_proof_kind kind, uint64_t registered_proof)
{
    const cz_gen_order order = {.kind = kind,
                                .seed = SEED,
                                .sealed = true,
                                .has_registered_proof = true,
                                .registered_proof = registered_proof};
    cz_request *request;
    cz_circuit *circuit;
    cz_gen_text text;
    cz_job *job;

    assert_ok(cz_gen_request_for(&text, &order, NULL));
    assert_ok(cz_request_parse(&request, text.bytes, text.n));
    cz_gen_text_clear(&text);
    assert_ok(cz_job_create(&job, request, NULL));
    cz_request_destroy(request);
    assert_ok(cz_job_circuit(job, cz_job_partitions(job) - 1, &circuit));
    assert_satisfied(circuit);
    cz_job_destroy(job);
}

/* Legacy graph, current graph, synthetic and non-interactive challenges. */
static void test_sealed_porep(void **state)
{
    (void)state;
    for (uint64_t number = 0; number <= 15; number += 5)
        check_sealed(CZ_KIND_POREP, number);
}

static void test_sealed_post_and_update(void **state)
{
    (void)state;
    check_sealed(CZ_KIND_WINNING, 0);
    check_sealed(CZ_KIND_WINDOW, 5);
    check_sealed(CZ_KIND_WINDOW, 10);
    check_sealed(CZ_KIND_SNAP, 0);
}

static void test_slow_sealed_8m(void **state)
{
    (void)state;
    check_sealed(CZ_KIND_POREP, 6);
    check_sealed(CZ_KIND_SNAP, 1);
}

static void test_large_sectors_are_not_sealed(void **state)
{
    const cz_gen_order order = {
        .kind = CZ_KIND_WINNING, .sector_size = UINT64_C(512) << 20, .sealed = true};
    cz_gen_text text;

    (void)state;
    assert_fails(cz_gen_request_for(&text, &order, NULL), CZ_E_UNSUPPORTED, "512m");
}

/* --- shapes that no registered proof has: trees with sub and top levels in small --- */

static void check_porep(const char *tag)
{
    const cz_gen_identity id = {1000, 1};
    const cz_sector_shape *shape = cz_sector_shape_by_tag(tag);
    cz_porep_statement s = {.shape = shape, .api = CZ_API_1_1};
    const cz_proof_spec *base;
    cz_porep_node nodes[CZ_MAX_POREP_CHALLENGES];
    cz_circuit *circuit;
    cz_porep_vanilla *v;
    cz_proof_spec spec;

    assert_ok(cz_proof_spec_find(&base, CZ_KIND_POREP, 5, 0));
    spec = *base;
    spec.sector_size = shape->sector_size;
    spec.partitions = shape->porep_partitions;
    assert_ok(cz_gen_porep(&v, &spec, SEED, &id, NULL));
    memcpy(s.porep_id, spec.porep_id, 32);
    memcpy(s.replica_id, v->replica_id, 32);
    memcpy(s.comm_d, v->comm_d, 32);
    memcpy(s.comm_r, v->comm_r, 32);
    memcpy(s.seed, v->seed, 32);
    assert_ok(cz_porep_nodes(nodes, &s, 0));
    assert_ok(cz_porep_check(v, &s, nodes, NULL));
    assert_ok(cz_porep_circuit_create(&circuit, cz_circuit_id(CZ_FAMILY_POREP, shape), v,
                                      v->replica_id, 0));
    assert_satisfied(circuit);
    cz_porep_vanilla_destroy(v);
}

static void check_post(cz_proof_kind kind, const char *tag, size_t n_sectors)
{
    const cz_post_statement s = {
        .kind = kind, .shape = cz_sector_shape_by_tag(tag), .api = CZ_API_1_0};
    cz_post_vanilla *v;
    cz_circuit *circuit;

    assert_ok(cz_gen_post(&v, &s, SEED, 77, n_sectors, NULL));
    assert_ok(cz_post_check(v, &s, NULL));
    assert_ok(cz_post_circuit_create(&circuit, "post", kind, v));
    assert_satisfied(circuit);
    cz_post_vanilla_destroy(v);
}

static void check_snap(cz_snap_variant variant, const char *tag)
{
    cz_snap_statement s = {.shape = cz_sector_shape_by_tag(tag), .variant = variant};
    cz_snap_vanilla *v;

    assert_ok(cz_gen_snap(&v, &s, SEED, NULL));
    assert_ok(cz_snap_check(v, &s, NULL));
    for (unsigned k = 0; k < v->dims.partitions; k++) {
        cz_circuit *circuit;

        assert_ok(cz_snap_circuit_create(&circuit, "snap", &s, v, k));
        assert_satisfied(circuit);
    }
    cz_snap_vanilla_destroy(v);
}

static void test_porep_of_other_shapes(void **state)
{
    (void)state;
    check_porep("4k");
    check_porep("32k");
}

static void test_post_of_other_shapes(void **state)
{
    static const char *const tags[] = {"2k", "4k", "16k", "32k", "8m"};

    (void)state;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        check_post(CZ_KIND_WINNING, tags[i], 1);
        check_post(CZ_KIND_WINDOW, tags[i], 1);
        check_post(CZ_KIND_WINDOW, tags[i], 2);
    }
}

static void test_snap_of_other_shapes(void **state)
{
    (void)state;
    check_snap(CZ_SNAP_SHA, "4k");
}

static void test_slow_snap_of_two_partitions(void **state)
{
    (void)state;
    check_snap(CZ_SNAP_SHA, "16k");
    check_snap(CZ_SNAP_SHA, "32k");
}

static void test_snap_poseidon(void **state)
{
    static const char *const tags[] = {"2k", "4k", "16k", "32k", "8m"};

    (void)state;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++)
        check_snap(CZ_SNAP_POSEIDON, tags[i]);
}

/* --- the network's shapes --- */

static void test_slow_porep_32g(void **state)
{
    (void)state;
    check_request(CZ_KIND_POREP, UINT64_C(32) << 30);
}

static void test_slow_porep_64g(void **state)
{
    (void)state;
    check_request(CZ_KIND_POREP, UINT64_C(64) << 30);
}

static void test_slow_wpost_32g(void **state)
{
    (void)state;
    check_request(CZ_KIND_WINDOW, UINT64_C(32) << 30);
}

static void test_slow_wpost_64g(void **state)
{
    (void)state;
    check_request(CZ_KIND_WINDOW, UINT64_C(64) << 30);
}

static void test_slow_snap_32g(void **state)
{
    (void)state;
    check_request(CZ_KIND_SNAP, UINT64_C(32) << 30);
}

static void test_slow_snap_64g(void **state)
{
    (void)state;
    check_request(CZ_KIND_SNAP, UINT64_C(64) << 30);
}

static void test_slow_snap_poseidon_32g(void **state)
{
    (void)state;
    check_snap(CZ_SNAP_POSEIDON, "32g");
}

static void test_requests_by_circuit(void **state)
{
    static const char *const none[] = {"porep",    "porep-",           "-2k",
                                       "porep-3k", "snap-poseidon-2k", ""};
    cz_request *r;

    (void)state;
    assert_ok(cz_gen_circuit_request(&r, "wpost-2k", 5, NULL));
    assert_int_equal(r->kind, CZ_KIND_WINDOW);
    cz_request_destroy(r);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_fails(cz_gen_circuit_request(&r, none[i], 5, NULL), CZ_E_INPUT, "is no circuit");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_requests_by_circuit),
    cmocka_unit_test(test_small_requests),
    cmocka_unit_test(test_middle_requests),
    cmocka_unit_test(test_same_seed_same_bytes),
    cmocka_unit_test(test_refused),
    cmocka_unit_test(test_sealed_porep),
    cmocka_unit_test(test_sealed_post_and_update),
    cmocka_unit_test(test_slow_sealed_8m),
    cmocka_unit_test(test_large_sectors_are_not_sealed),
    cmocka_unit_test(test_porep_of_other_shapes),
    cmocka_unit_test(test_post_of_other_shapes),
    cmocka_unit_test(test_snap_of_other_shapes),
    cmocka_unit_test(test_slow_snap_of_two_partitions),
    cmocka_unit_test(test_snap_poseidon),
    cmocka_unit_test(test_slow_porep_32g),
    cmocka_unit_test(test_slow_porep_64g),
    cmocka_unit_test(test_slow_wpost_32g),
    cmocka_unit_test(test_slow_wpost_64g),
    cmocka_unit_test(test_slow_snap_32g),
    cmocka_unit_test(test_slow_snap_64g),
    cmocka_unit_test(test_slow_snap_poseidon_32g),
};

CZ_TEST_MAIN(cases)
