/* test_hashes.c: the hash circuits against their native twins: SHA-256, Poseidon, tree nodes,
 * labels. */
#include "base/bytes.h"
#include "gadgets/create_label.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon_circuit.h"
#include "gadgets/sha256_circuit.h"
#include "gadgets/tree_hash.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"
#include "recorder.h"

static cz_num num_of_bytes(recorder *r, const uint8_t bytes[32])
{
    cz_fr v;

    assert_true(cz_fr_from_le(&v, bytes));
    return cz_num_alloc(&r->cs, CZ_N("free"), &v);
}

/* 32 bytes that are a canonical number. */
static void random_node(uint8_t out[32])
{
    cz_test_random_bytes(out, 32);
    out[31] &= 0x3f;
}

static void assert_num_is(const recorder *r, const cz_num *num, const uint8_t want[32])
{
    uint8_t bytes[32];

    cz_fr_to_le(bytes, &num->value);
    assert_memory_equal(bytes, want, 32);
    cz_fr_to_le(bytes, recorder_value(r, num->var));
    assert_memory_equal(bytes, want, 32);
}

/* ---- SHA-256 ---- */

static void alloc_message(recorder *r, cz_boolean *out, const uint8_t *bytes, size_t n_bytes)
{
    for (size_t i = 0; i < 8 * n_bytes; i++)
        out[i] = cz_boolean_from_bit(
            cz_bit_alloc(&r->cs, CZ_NU("bit %u", i), bytes[i / 8] >> (7 - i % 8) & 1));
}

static void assert_digest(const recorder *r, const cz_boolean digest[256], const uint8_t want[32])
{
    for (unsigned i = 0; i < 256; i++) {
        bool bit = want[i / 8] >> (7 - i % 8) & 1;

        assert_int_equal(digest[i].value, bit);
        if (!cz_boolean_is_constant(digest[i]))
            assert_int_equal(cz_fr_is_one(recorder_value(r, digest[i].var)), bit);
    }
}

static void check_message(size_t n_bytes)
{
    uint8_t bytes[256], want[32];
    cz_boolean bits[8 * sizeof bytes], digest[256];
    recorder r;

    recorder_init(&r);
    cz_test_random_bytes(bytes, n_bytes);
    cz_sha256_of(want, bytes, n_bytes);
    alloc_message(&r, bits, bytes, n_bytes);
    cz_sha256_circuit_of(&r.cs, CZ_N("hash"), digest, bits, 8 * n_bytes);
    assert_digest(&r, digest, want);
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_messages_of_many_lengths(void **state)
{
    static const size_t lengths[] = {1, 31, 32, 55, 56, 63, 64, 65, 119, 120};

    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
        check_message(lengths[i]);
}

/* Nothing but constants: no constraint, and the right digest. */
static void test_empty_message_is_constant(void **state)
{
    uint8_t want[32];
    cz_boolean digest[256];
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_sha256_of(want, "", 0);
    cz_sha256_circuit_of(&r.cs, CZ_N("hash"), digest, NULL, 0);
    assert_digest(&r, digest, want);
    assert_int_equal(r.cs.n_constraints + r.cs.n_aux, 0);
    recorder_clear(&r);
}

static void test_message_in_pieces_is_the_same(void **state)
{
    uint8_t bytes[100], want[32];
    cz_boolean bits[800], digest[256];
    cz_sha256_circuit s;
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_test_random_bytes(bytes, sizeof bytes);
    cz_sha256_of(want, bytes, sizeof bytes);
    alloc_message(&r, bits, bytes, sizeof bytes);
    cz_sha256_circuit_init(&s, &r.cs);
    cz_sha256_circuit_update(&s, bits, 3);
    cz_sha256_circuit_update(&s, bits + 3, 0);
    cz_sha256_circuit_update(&s, bits + 3, 797);
    cz_sha256_circuit_final(&s, digest);
    assert_digest(&r, digest, want);
    assert_satisfied(&r);
    recorder_clear(&r);
}

/* A forged digest bit breaks a sum. */
static void test_forged_digest_is_rejected(void **state)
{
    uint8_t bytes[32];
    cz_boolean bits[256], digest[256];
    cz_fr *bit;
    recorder r;

    (void)state;
    recorder_init(&r);
    cz_test_random_bytes(bytes, sizeof bytes);
    alloc_message(&r, bits, bytes, sizeof bytes);
    cz_sha256_circuit_of(&r.cs, CZ_N("hash"), digest, bits, 256);
    bit = &r.aux[cz_var_index(digest[200].var)];
    *bit = cz_fr_is_one(bit) ? CZ_FR_ZERO : CZ_FR_ONE;
    assert_non_null(recorder_violated(&r));
    assert_non_null(strstr(recorder_violated(&r), "multieq"));
    recorder_clear(&r);
}

/* ---- Poseidon ---- */

static void check_poseidon(unsigned arity, const cz_fr *tag)
{
    const cz_poseidon_constants *k = cz_poseidon_get(arity);
    cz_num nums[CZ_POSEIDON_MAX_ARITY], digest;
    cz_fr preimage[CZ_POSEIDON_MAX_ARITY], want;
    recorder r;

    recorder_init(&r);
    for (unsigned i = 0; i < arity; i++) {
        uint8_t bytes[32];

        random_node(bytes);
        nums[i] = num_of_bytes(&r, bytes);
        preimage[i] = nums[i].value;
    }
    if (tag == NULL) {
        cz_poseidon_ref_hash(&want, k, preimage);
        digest = cz_poseidon_circuit(&r.cs, CZ_N("hash"), nums, arity);
    } else {
        cz_poseidon_hash_tagged(&want, k, tag, preimage);
        digest = cz_poseidon_circuit_tagged(&r.cs, CZ_N("hash"), tag, nums, arity);
    }
    assert_true(cz_fr_equal(&digest.value, &want));
    assert_true(cz_fr_equal(recorder_value(&r, digest.var), &want));
    assert_satisfied(&r);
    want = CZ_FR_ONE;
    assert_every_change_caught(&r, 0, &want);
    recorder_clear(&r);
}

static void test_poseidon_of_every_arity(void **state)
{
    static const unsigned arities[] = {2, 4, 8, 11, 16, 24, 36};

    (void)state;
    for (size_t i = 0; i < sizeof arities / sizeof arities[0]; i++)
        check_poseidon(arities[i], NULL);
}

static void test_poseidon_with_another_tag(void **state)
{
    cz_fr tag;

    (void)state;
    cz_fr_from_u64(&tag, (uint64_t)1 << 40);
    check_poseidon(2, &tag);
    check_poseidon(8, &tag);
    tag = CZ_FR_ZERO;
    check_poseidon(4, &tag);
}

static void test_poseidon_of_other_arities_is_refused(void **state)
{
    cz_num nums[3] = {{CZ_VAR_ONE, CZ_FR_ONE}, {CZ_VAR_ONE, CZ_FR_ONE}, {CZ_VAR_ONE, CZ_FR_ONE}};
    recorder r;

    (void)state;
    recorder_init(&r);
    (void)cz_poseidon_circuit(&r.cs, CZ_N("hash"), nums, 3);
    assert_fails(cz_cs_status(&r.cs), CZ_E_ARG, "arity 3");
    recorder_clear(&r);
}

/* ---- tree nodes ---- */

static void test_sha254_nodes(void **state)
{
    uint8_t bytes[4][32], want[32];
    cz_num children[4], node;
    recorder r;

    (void)state;
    recorder_init(&r);
    for (int i = 0; i < 4; i++) {
        random_node(bytes[i]);
        children[i] = num_of_bytes(&r, bytes[i]);
    }
    cz_sha254_node(want, bytes[0], bytes[1]);
    node = cz_tree_hash2(&r.cs, CZ_N("pair"), CZ_TREE_SHA254, &children[0], &children[1]);
    assert_num_is(&r, &node, want);
    node = cz_tree_hash_node(&r.cs, CZ_N("node"), CZ_TREE_SHA254, children, 2);
    assert_num_is(&r, &node, want);
    cz_sha256_of(want, bytes, sizeof bytes);
    want[31] &= 0x3f;
    node = cz_tree_hash_node(&r.cs, CZ_N("four"), CZ_TREE_SHA254, children, 4);
    assert_num_is(&r, &node, want);
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_poseidon_nodes(void **state)
{
    uint8_t bytes[2][32];
    cz_num children[2], node, pair;
    cz_fr values[2], want;
    recorder r;

    (void)state;
    recorder_init(&r);
    for (int i = 0; i < 2; i++) {
        random_node(bytes[i]);
        children[i] = num_of_bytes(&r, bytes[i]);
        values[i] = children[i].value;
    }
    cz_poseidon_hash(&want, cz_poseidon_get(2), values);
    node = cz_tree_hash_node(&r.cs, CZ_N("node"), CZ_TREE_POSEIDON, children, 2);
    pair = cz_tree_hash2(&r.cs, CZ_N("pair"), CZ_TREE_POSEIDON, &children[0], &children[1]);
    assert_true(cz_fr_equal(&node.value, &want));
    assert_true(cz_fr_equal(&pair.value, &want));
    recorder_clear(&r);
}

/* ---- labels ---- */

enum { MAX_PARENTS = 14 };

static void native_label(uint8_t out[32], const uint8_t replica_id[32], uint32_t layer,
                         uint64_t node, uint8_t parents[][32], unsigned n_parents)
{
    uint8_t head[64] = {0};
    cz_sha256 s;

    memcpy(head, replica_id, 32);
    cz_store_be32(head + 32, layer);
    cz_store_be64(head + 36, node);
    cz_sha256_init(&s);
    cz_sha256_update(&s, head, sizeof head);
    for (unsigned i = 0; i < CZ_LABEL_PARENTS; i++)
        cz_sha256_update(&s, parents[i % n_parents], 32);
    cz_sha256_final(&s, out);
    out[31] &= 0x3f;
}

static void alloc_node_bits(recorder *r, cz_boolean out[CZ_LABEL_BITS], const uint8_t bytes[32])
{
    cz_num num = num_of_bytes(r, bytes);
    cz_boolean bits[CZ_FR_BITS];

    cz_num_to_bits_le(&r->cs, CZ_N("bits"), bits, &num);
    (void)cz_reverse_bit_numbering(out, bits, CZ_FR_BITS);
}

static void check_label(uint32_t layer, unsigned n_parents)
{
    static cz_boolean replica_bits[CZ_LABEL_BITS], parent_bits[MAX_PARENTS][CZ_LABEL_BITS];
    uint8_t replica_id[32], parents[MAX_PARENTS][32], want[32];
    uint64_t node = cz_test_random() >> 30;
    cz_uint64 number;
    cz_num label;
    recorder r;

    recorder_init(&r);
    random_node(replica_id);
    alloc_node_bits(&r, replica_bits, replica_id);
    for (unsigned i = 0; i < n_parents; i++) {
        random_node(parents[i]);
        alloc_node_bits(&r, parent_bits[i], parents[i]);
    }
    native_label(want, replica_id, layer, node, parents, n_parents);
    cz_uint64_alloc(&r.cs, CZ_N("node"), &number, node);
    label = cz_create_label(&r.cs, CZ_N("label"), replica_bits, layer, &number,
                            (const cz_boolean(*)[CZ_LABEL_BITS])parent_bits, n_parents);
    assert_num_is(&r, &label, want);
    assert_satisfied(&r);
    recorder_clear(&r);
}

static void test_labels(void **state)
{
    (void)state;
    check_label(1, 6);
    check_label(11, 14);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_messages_of_many_lengths),
    cmocka_unit_test(test_empty_message_is_constant),
    cmocka_unit_test(test_message_in_pieces_is_the_same),
    cmocka_unit_test(test_forged_digest_is_rejected),
    cmocka_unit_test(test_poseidon_of_every_arity),
    cmocka_unit_test(test_poseidon_with_another_tag),
    cmocka_unit_test(test_poseidon_of_other_arities_is_refused),
    cmocka_unit_test(test_sha254_nodes),
    cmocka_unit_test(test_poseidon_nodes),
    cmocka_unit_test(test_labels),
};
CZ_TEST_MAIN(cases)
