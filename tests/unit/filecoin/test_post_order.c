/* The network verifies a window proof of sectors in ascending order, whatever order they were
 * handed in, and numbers them through a message: over all partitions that one message proves. */
#include "base/bytes.h"
#include "golden_jobs.h"

static void swap_sectors(cz_request *r)
{
    uint8_t *proof = r->vanilla_proofs[0];
    const size_t n = r->vanilla_proof_lens[0];

    assert_int_equal(r->n_vanilla_proofs, 2);
    assert_true(cz_load_le64(proof) < cz_load_le64(r->vanilla_proofs[1]));
    r->vanilla_proofs[0] = r->vanilla_proofs[1];
    r->vanilla_proof_lens[0] = r->vanilla_proof_lens[1];
    r->vanilla_proofs[1] = proof;
    r->vanilla_proof_lens[1] = n;
}

/* The job of a changed request has the inputs and the witness of the golden case. */
static void check_same_proof(const char *name, const cz_request *request)
{
    golden_case c = open_case(name, "request.json");
    cz_fr *inputs;
    size_t n;

    cz_job_destroy(c.job);
    assert_ok(cz_job_create(&c.job, request, NULL));
    assert_ok(cz_job_public_inputs(c.job, 0, &inputs, &n));
    assert_inputs_equal(golden_get(golden_at(c.partitions, 0), "public_inputs"), inputs, n);
    free(inputs);
    check_witness_of(c.job, 0, golden_at(c.partitions, 0));
    close_case(&c);
}

static void check_swapped(const char *name)
{
    cz_request *request = golden_request(name);

    swap_sectors(request);
    check_same_proof(name, request);
    cz_request_destroy(request);
}

static void test_any_order(void **state)
{
    (void)state;
    check_swapped("wpost-2k-v1_2");
}

/* Here a challenge depends on the sector's place among the others, too. */
static void test_any_order_of_old_challenges(void **state)
{
    (void)state;
    check_swapped("wpost-2k-full");
    check_swapped("wpost-2k-two");
}

/* Places in messages are the request's. */
static void test_places_in_messages(void **state)
{
    cz_request *request = golden_request("wpost-2k-full");
    char place[64];
    cz_job *job;

    (void)state;
    swap_sectors(request);
    (void)snprintf(place, sizeof place,
                   "[0]: sector %lu: ", (unsigned long)cz_load_le64(request->vanilla_proofs[0]));
    request->vanilla_proofs[0][92] ^= 1; /* the first leaf */
    assert_fails(cz_job_create(&job, request, NULL), CZ_E_INPUT, place);
    memset(request->vanilla_proofs[0] + 92, 0xff, 32);
    assert_fails(cz_job_create(&job, request, NULL), CZ_E_INPUT, place);
    request->vanilla_proof_lens[0] = 7;
    assert_fails(cz_job_create(&job, request, NULL), CZ_E_INPUT,
                 "vanilla_proofs: [0]: sector_id: ");
    cz_request_destroy(request);
}

/* A deadline's second partition in a message of its own is numbered from 0, as its clients do. */
static void test_second_partition_alone(void **state)
{
    cz_request *request = golden_request("wpost-2k-full");

    (void)state;
    request->partition_index = 1;
    check_same_proof("wpost-2k-full", request);
    cz_request_destroy(request);
}

/* One that was numbered on is not the first of anything. */
static void test_second_partition_is_not_first(void **state)
{
    cz_request *request = golden_request("wpost-2k-two");
    cz_job *job;

    (void)state;
    request->partition_index = 0;
    assert_fails(cz_job_create(&job, request, NULL), CZ_E_INPUT, "2 faulty sectors");
    request->partition_index = 2;
    assert_fails(cz_job_create(&job, request, NULL), CZ_E_INPUT, "2 faulty sectors");
    cz_request_destroy(request);
}

/* From api 1.2.0 on a sector's challenges are the same wherever it stands. */
static void test_partitions_do_not_matter_any_more(void **state)
{
    cz_request *request = golden_request("wpost-2k-v1_2");

    (void)state;
    request->partition_index = UINT32_MAX;
    check_same_proof("wpost-2k-v1_2", request);
    cz_request_destroy(request);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_any_order),
    cmocka_unit_test(test_any_order_of_old_challenges),
    cmocka_unit_test(test_places_in_messages),
    cmocka_unit_test(test_second_partition_alone),
    cmocka_unit_test(test_second_partition_is_not_first),
    cmocka_unit_test(test_partitions_do_not_matter_any_more),
};

CZ_TEST_MAIN(cases)
