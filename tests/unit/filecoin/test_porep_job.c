/* From a request to public inputs and witness: the four golden PoRep cases and the real 8 MiB C1.
 */
#include "golden_jobs.h"

static void test_public_inputs_of_requests(void **state)
{
    (void)state;
    check_public_inputs("porep-2k-v1", "request.json");
    check_public_inputs("porep-2k-v1_1", "request.json");
    check_public_inputs("porep-2k-synth", "request.json");
    check_public_inputs("porep-2k-ni", "request.json");
}

static void test_public_inputs_of_bare_c1s(void **state)
{
    (void)state;
    check_public_inputs("porep-2k-v1", "c1.json");
    check_public_inputs("porep-2k-v1_1", "c1.json");
    check_public_inputs("porep-2k-synth", "c1.json");
    check_public_inputs("porep-2k-ni", "c1.json");
}

/* --- witnesses --- */

static void test_witness_v1(void **state)
{
    (void)state;
    check_witnesses("porep-2k-v1", 0, 1);
}

static void test_witness_v1_1(void **state)
{
    (void)state;
    check_witnesses("porep-2k-v1_1", 0, 1);
}

static void test_witness_synthetic(void **state)
{
    (void)state;
    check_witnesses("porep-2k-synth", 0, 1);
}

static void test_witness_non_interactive_last(void **state)
{
    (void)state;
    check_witnesses("porep-2k-ni", 12, 1);
}

static void test_witness_non_interactive_slow_all(void **state)
{
    (void)state;
    check_witnesses("porep-2k-ni", 0, 1);
}

/* --- the real C1 --- */

static void check_real_c1(const char *file, bool witness)
{
    const char *path = cz_shared_vector_path(file);
    golden g;
    cz_request *request;
    cz_job *job;

    if (path == NULL)
        skip();
    g = golden_open(cz_vector_path("golden/witness/c1-8MiB.json"));
    request = read_request(path);
    assert_ok(cz_job_create(&job, request, NULL));
    cz_request_destroy(request);
    assert_string_equal(cz_job_circuit_id(job), "porep-8m");
    assert_int_equal(cz_job_partitions(job), 1);
    if (witness)
        check_witness_of(job, 0, golden_get(g.root, "witness"));
    cz_job_destroy(job);
    golden_close(&g);
}

static void test_real_c1_bincode(void **state)
{
    (void)state;
    check_real_c1("c1/c2-input-8MiB.bincode", true);
}

static void test_real_c1_json(void **state)
{
    (void)state;
    check_real_c1("c1/c1-8MiB.converted.json", false);
}

static void test_partition_out_of_range(void **state)
{
    golden_case c = open_case("porep-2k-v1_1", "request.json");
    cz_circuit *circuit;

    (void)state;
    assert_fails(cz_job_circuit(c.job, 1, &circuit), CZ_E_ARG, "no partition 1, only 1");
    close_case(&c);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_public_inputs_of_requests),
    cmocka_unit_test(test_public_inputs_of_bare_c1s),
    cmocka_unit_test(test_witness_v1),
    cmocka_unit_test(test_witness_v1_1),
    cmocka_unit_test(test_witness_synthetic),
    cmocka_unit_test(test_witness_non_interactive_last),
    cmocka_unit_test(test_witness_non_interactive_slow_all),
    cmocka_unit_test(test_real_c1_bincode),
    cmocka_unit_test(test_real_c1_json),
    cmocka_unit_test(test_partition_out_of_range),
};

CZ_TEST_MAIN(cases)
