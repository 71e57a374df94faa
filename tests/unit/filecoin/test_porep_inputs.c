/* Public inputs of sectors that others sealed and proved. */
#include "filecoin/porep_inputs.h"

#include "filecoin/graph.h"
#include "filecoin/replica_id.h"
#include "golden.h"

static void reverse(uint8_t b[32])
{
    for (unsigned i = 0; i < 16; i++) {
        const uint8_t t = b[i];

        b[i] = b[31 - i];
        b[31 - i] = t;
    }
}

static void assert_element_be(const cz_fr *got, const uint8_t wanted[32])
{
    uint8_t b[32];

    cz_fr_to_be(b, got);
    assert_memory_equal(b, wanted, 32);
}

/* A 2 KiB sector with a porep id of its own, from prover id and ticket to all 39 inputs. */
static void test_small_sector_of_another_chain(void **state)
{
    const char *path = cz_shared_vector_path("groth16-small/polka-storage-2kib-porep.json");
    cz_porep_statement s = {.shape = cz_sector_shape_find(2048), .api = CZ_API_1_1};
    uint8_t prover[32], ticket[32], replica_id[32], wanted[32];
    cz_porep_node nodes[2];
    cz_fr inputs[39];
    cz_json list;
    golden g;

    (void)state;
    if (path == NULL)
        skip();
    g = golden_open(path);
    golden_get_hex(g.root, "porep_id", s.porep_id, 32);
    golden_get_hex(g.root, "comm_d", s.comm_d, 32);
    golden_get_hex(g.root, "comm_r", s.comm_r, 32);
    golden_get_hex(g.root, "seed", s.seed, 32);
    golden_get_hex(g.root, "prover_id", prover, 32);
    golden_get_hex(g.root, "ticket", ticket, 32);
    golden_get_hex(g.root, "replica_id", replica_id, 32);
    cz_replica_id(s.replica_id, prover, golden_get_u64(g.root, "sector_id"), ticket, s.comm_d,
                  s.porep_id);
    assert_memory_equal(s.replica_id, replica_id, 32);

    assert_int_equal(cz_porep_n_inputs(s.shape), 39);
    assert_ok(cz_porep_nodes(nodes, &s, 0));
    assert_ok(cz_porep_inputs(inputs, &s, nodes));
    list = golden_get(g.root, "public_inputs_be_hex");
    assert_int_equal(golden_size(list), 39);
    for (size_t i = 0; i < 39; i++) {
        golden_hex(golden_at(list, i), wanted, 32);
        assert_element_be(&inputs[i], wanted);
    }
    golden_close(&g);
}

/* 327 big-endian inputs of one partition of a real 32 GiB sector. The seed is not known: challenges
 * are read from the inputs, all else follows from them. */
static void check_large_partition(const uint8_t *wanted)
{
    cz_porep_statement s = {.shape = cz_sector_shape_find(UINT64_C(32) << 30), .porep_id = {3}};
    cz_porep_node nodes[18];
    cz_fr inputs[327];
    cz_graph graph;

    memcpy(s.replica_id, wanted, 32);
    memcpy(s.comm_d, wanted + 32, 32);
    memcpy(s.comm_r, wanted + 64, 32);
    reverse(s.replica_id);
    reverse(s.comm_d);
    reverse(s.comm_r);
    cz_graph_init(&graph, s.shape->nodes, s.porep_id, CZ_API_1_0);
    for (size_t i = 0; i < 18; i++) {
        nodes[i].node = cz_load_be32(wanted + 32 * (3 + 18 * i) + 28);
        assert_ok(cz_graph_parents(&graph, nodes[i].node, nodes[i].parents));
    }
    assert_int_equal(cz_porep_n_inputs(s.shape), 327);
    assert_ok(cz_porep_inputs(inputs, &s, nodes));
    for (size_t i = 0; i < 327; i++)
        assert_element_be(&inputs[i], wanted + 32 * i);
}

static void test_large_sector(void **state)
{
    const char *path = cz_shared_vector_path("groth16-v27-32gib/porep-32gib-v27.inputs");
    uint8_t *bytes;
    size_t n;

    (void)state;
    if (path == NULL)
        skip();
    bytes = cz_test_read(path, &n);
    assert_int_equal(n, 10 * 327 * 32);
    for (size_t k = 0; k < 10; k++)
        check_large_partition(bytes + k * 327 * 32);
    free(bytes);
}

static void test_commitments_must_be_elements(void **state)
{
    cz_porep_statement s = {.shape = cz_sector_shape_find(2048)};
    cz_porep_node nodes[2] = {{0}};
    cz_fr inputs[39];

    (void)state;
    assert_ok(cz_porep_inputs(inputs, &s, nodes));
    s.comm_d[31] = 0x74;
    assert_fails(cz_porep_inputs(inputs, &s, nodes), CZ_E_INPUT, "comm_d: not a field element");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_small_sector_of_another_chain),
    cmocka_unit_test(test_large_sector),
    cmocka_unit_test(test_commitments_must_be_elements),
};

CZ_TEST_MAIN(cases)
