/* From a PoSt request to public inputs and witness: the golden cases and a real 32 GiB sector. */
#include "base/base64.h"
#include "golden_jobs.h"

static void test_case_winning_2k(void **state)
{
    (void)state;
    check_public_inputs("winning-2k", "request.json");
    check_witnesses("winning-2k", 0, 1);
}

static void test_case_winning_8m(void **state)
{
    (void)state;
    check_public_inputs("winning-8m", "request.json");
    check_witnesses("winning-8m", 0, 1);
}

static void test_case_wpost_2k_full(void **state)
{
    (void)state;
    check_public_inputs("wpost-2k-full", "request.json");
    check_witnesses("wpost-2k-full", 0, 1);
}

static void test_case_wpost_2k_short(void **state)
{
    (void)state;
    check_public_inputs("wpost-2k-short", "request.json");
    check_witnesses("wpost-2k-short", 0, 1);
}

static void test_case_wpost_2k_two(void **state)
{
    (void)state;
    check_public_inputs("wpost-2k-two", "request.json");
    check_witnesses("wpost-2k-two", 0, 1);
}

static void test_case_wpost_2k_v1_2(void **state)
{
    (void)state;
    check_public_inputs("wpost-2k-v1_2", "request.json");
    check_witnesses("wpost-2k-v1_2", 0, 1);
}

static void test_case_wpost_8m(void **state)
{
    (void)state;
    check_public_inputs("wpost-8m", "request.json");
    check_witnesses("wpost-8m", 0, 1);
}

/* --- a sector of the network --- */

/* A request for one vanilla proof as a client writes it. */
static cz_request *request_for(const uint8_t *proof, size_t n)
{
    static const char head[] =
        "{\"proofKind\":\"WINDOW_POST_PARTITION\",\"registeredProof\":8,\"minerId\":1000,"
        "\"randomness\":\"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\",\"vanillaProofs\":[\"";
    static const char tail[] = "\"]}";
    const size_t encoded = cz_base64_encoded_len(n);
    char *text = malloc(sizeof head + encoded + sizeof tail);
    cz_request *request;

    assert_non_null(text);
    memcpy(text, head, sizeof head);
    cz_base64_encode(text + sizeof head - 1, proof, n);
    memcpy(text + sizeof head - 1 + encoded, tail, sizeof tail);
    assert_ok(cz_request_parse(&request, (const uint8_t *)text, strlen(text)));
    free(text);
    return request;
}

static cz_job *real_sector_job(void)
{
    const char *path = cz_shared_vector_path("post-vanilla/post.vproof");
    cz_request *request;
    uint8_t *proof;
    cz_job *job;
    size_t n;

    if (path == NULL)
        skip();
    proof = cz_test_read(path, &n);
    request = request_for(proof, n);
    assert_ok(cz_job_create(&job, request, NULL));
    cz_request_destroy(request);
    free(proof);
    return job;
}

static void test_real_sector(void **state)
{
    cz_job *job = real_sector_job();
    cz_fr *inputs;
    size_t n;

    (void)state;
    assert_string_equal(cz_job_circuit_id(job), "wpost-32g");
    assert_int_equal(cz_job_partitions(job), 1);
    assert_ok(cz_job_public_inputs(job, 0, &inputs, &n));
    assert_int_equal(n, 2349 * 11);
    for (size_t i = 11; i < n; i++) /* one sector, repeated */
        assert_true(cz_fr_equal(&inputs[i], &inputs[i - 11]));
    free(inputs);
    cz_job_destroy(job);
}

static void test_real_sector_slow_witness(void **state)
{
    golden g = golden_open(cz_vector_path("golden/witness/wpost-32g-one-sector.json"));
    cz_job *job = real_sector_job();

    (void)state;
    check_witness_of(job, 0, golden_get(g.root, "witness"));
    cz_job_destroy(job);
    golden_close(&g);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_case_winning_2k),
    cmocka_unit_test(test_case_winning_8m),
    cmocka_unit_test(test_case_wpost_2k_full),
    cmocka_unit_test(test_case_wpost_2k_short),
    cmocka_unit_test(test_case_wpost_2k_two),
    cmocka_unit_test(test_case_wpost_2k_v1_2),
    cmocka_unit_test(test_case_wpost_8m),
    cmocka_unit_test(test_real_sector),
    cmocka_unit_test(test_real_sector_slow_witness),
};

CZ_TEST_MAIN(cases)
