/* From an update request to public inputs, challenges and witness; challenges of all sizes. */
#include "filecoin/snap_inputs.h"
#include "golden_jobs.h"

static void test_public_inputs(void **state)
{
    (void)state;
    check_public_inputs("snap-2k", "request.json");
}

static void test_witness(void **state)
{
    (void)state;
    check_witnesses("snap-2k", 0, 1);
}

static void test_challenges_of_the_case(void **state)
{
    golden g = golden_open(cz_vector_path("golden/cases/snap-2k/meta.json"));
    const cz_snap_dims dims = cz_snap_dims_of(cz_sector_shape_find(2048), CZ_SNAP_SHA);
    cz_json wanted = golden_get(golden_at(golden_get(g.root, "partitions"), 0), "challenges");
    uint32_t nodes[CZ_SNAP_MAX_CHALLENGES];
    uint8_t bytes[32];
    cz_fr comm_r_new;

    (void)state;
    golden_get_hex(g.root, "comm_r_new", bytes, 32);
    assert_true(cz_fr_from_le(&comm_r_new, bytes));
    assert_ok(cz_snap_challenges(nodes, &dims, &comm_r_new, 0));
    assert_int_equal(golden_size(wanted), dims.challenges);
    for (unsigned i = 0; i < dims.challenges; i++)
        assert_int_equal(nodes[i], golden_u64(golden_at(wanted, i)));
    golden_close(&g);
}

/* The first input of partition k: k, and above its bits the choice of h, one bit of six. It is the
 * fourth value of h, and the first of those that are all equal. Then the commitments in the
 * verifier's order. */
static void check_packed_input(uint64_t sector_size, unsigned k, uint64_t packed, unsigned h)
{
    cz_snap_statement s = {.shape = cz_sector_shape_find(sector_size), .variant = CZ_SNAP_SHA};
    cz_fr inputs[CZ_SNAP_INPUTS], wanted;

    cz_fr_from_u64(&s.comm_r_old, 11);
    cz_fr_from_u64(&s.comm_d_new, 12);
    cz_fr_from_u64(&s.comm_r_new, 13);
    cz_snap_public_inputs(inputs, &s, k);
    cz_fr_from_u64(&wanted, packed);
    assert_true(cz_fr_equal(&inputs[0], &wanted));
    assert_true(cz_fr_equal(&inputs[1], &s.comm_r_old));
    assert_true(cz_fr_equal(&inputs[2], &s.comm_d_new));
    assert_true(cz_fr_equal(&inputs[3], &s.comm_r_new));
    assert_int_equal(cz_snap_hs(s.shape)[cz_snap_h_index(s.shape)], h);
}

static void test_packed_input(void **state)
{
    (void)state;
    check_packed_input(UINT64_C(2) << 10, 0, 1, 1);
    check_packed_input(UINT64_C(32) << 10, 1, 1 | 1 << 1, 1);
    check_packed_input(UINT64_C(8) << 20, 3, 3 | 8 << 2, 10);
    check_packed_input(UINT64_C(512) << 20, 15, 15 | 8 << 4, 10);
    check_packed_input(UINT64_C(32) << 30, 0, 8 << 4, 10);
    check_packed_input(UINT64_C(32) << 30, 5, 5 | 8 << 4, 10);
    check_packed_input(UINT64_C(64) << 30, 15, 15 | 8 << 4, 10);
}

static void test_partition_out_of_range(void **state)
{
    golden_case c = open_case("snap-2k", "request.json");
    cz_circuit *circuit;

    (void)state;
    assert_fails(cz_job_circuit(c.job, 1, &circuit), CZ_E_ARG, "no partition 1, only 1");
    close_case(&c);
}

/* The sector size may be left out: the registered proof says it. */
static void test_without_sector_size(void **state)
{
    golden_case c = open_case("snap-2k", "request.json");
    cz_request *request = golden_request("snap-2k");
    cz_job *job;

    (void)state;
    request->sector_size = 0;
    assert_ok(cz_job_create(&job, request, NULL));
    assert_string_equal(cz_job_circuit_id(job), "snap-2k");
    cz_job_destroy(job);
    cz_request_destroy(request);
    close_case(&c);
}

/* --- known answers of the reference's own tests --- */

static void check_known_challenges(uint64_t size, unsigned k, cz_json wanted, const cz_fr *comm_r)
{
    const cz_snap_dims dims = cz_snap_dims_of(cz_sector_shape_find(size), CZ_SNAP_SHA);
    uint32_t nodes[CZ_SNAP_MAX_CHALLENGES];

    assert_ok(cz_snap_challenges(nodes, &dims, comm_r, k));
    for (unsigned i = 0; i < golden_size(wanted); i++)
        assert_int_equal(nodes[i], golden_u64(golden_at(wanted, i)));
}

static void test_known_challenges(void **state)
{
    const char *path = cz_shared_vector_path("challenges/challenge-kat.json");
    uint8_t bytes[32];
    cz_fr comm_r;
    cz_json kat, rows;
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    kat = golden_get(g.root, "snapdeals_empty_sector_update");
    golden_get_hex(kat, "comm_r_new_le_hex", bytes, 32);
    assert_true(cz_fr_from_le(&comm_r, bytes));
    rows = golden_get(kat, "first_5_challenges");
    for (size_t i = 0; i < golden_size(rows); i++) {
        const cz_json row = golden_at(rows, i);
        const uint64_t size = 32 * golden_get_u64(row, "sector_nodes");

        if (cz_sector_shape_find(size) != NULL) /* 1 KiB and 8 KiB have no circuit */
            check_known_challenges(size, (unsigned)golden_get_u64(row, "partition"),
                                   golden_get(row, "challenges"), &comm_r);
    }
    golden_close(&g);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_public_inputs),          cmocka_unit_test(test_witness),
    cmocka_unit_test(test_challenges_of_the_case), cmocka_unit_test(test_partition_out_of_range),
    cmocka_unit_test(test_packed_input),           cmocka_unit_test(test_without_sector_size),
    cmocka_unit_test(test_known_challenges),
};

CZ_TEST_MAIN(cases)
