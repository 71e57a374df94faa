/* test_por.c: Merkle paths in a circuit against paths hashed natively: every tree shape, wrong
 * leaves, siblings, indices and roots. */
#include "gadgets/multipack.h"
#include "gadgets/por.h"
#include "hash/poseidon.h"
#include "hash/sha256.h"
#include "recorder.h"

enum { MAX_LEVELS = 32, MAX_SIBLINGS = 128 };

/* A random leaf with a random path over it. */
typedef struct {
    cz_tree_shape shape;
    cz_fr leaf, root;
    cz_fr siblings[MAX_SIBLINGS];
    uint32_t indices[MAX_LEVELS];
    uint64_t index;
} native_path;

static cz_fr random_node(void)
{
    uint8_t bytes[32];
    cz_fr v;

    cz_test_random_bytes(bytes, sizeof bytes);
    bytes[31] &= 0x3f;
    assert_true(cz_fr_from_le(&v, bytes));
    return v;
}

static void native_hash(cz_fr *out, cz_tree_hash hash, const cz_fr *children, unsigned n)
{
    uint8_t bytes[8][32], digest[32];

    if (hash == CZ_TREE_POSEIDON) {
        cz_poseidon_hash(out, cz_poseidon_get(n), children);
        return;
    }
    for (unsigned i = 0; i < n; i++)
        cz_fr_to_le(bytes[i], &children[i]);
    cz_sha256_of(digest, bytes, (size_t)n * 32);
    digest[31] &= 0x3f;
    assert_true(cz_fr_from_le(out, digest));
}

static void climb_natively(native_path *p)
{
    const cz_fr *siblings = p->siblings;
    cz_fr node = p->leaf;

    for (unsigned level = 0; level < cz_tree_levels(&p->shape); level++) {
        unsigned arity = cz_tree_level_arity(&p->shape, level);
        cz_fr children[8];

        for (unsigned i = 0; i < arity; i++)
            children[i] = i == p->indices[level] ? node : *siblings++;
        native_hash(&node, p->shape.hash, children, arity);
    }
    p->root = node;
}

static void make_path(native_path *p, cz_tree_hash hash, unsigned base, unsigned sub, unsigned top,
                      uint64_t n_leaves)
{
    unsigned shift = 0;

    assert_ok(cz_tree_shape_init(&p->shape, hash, base, sub, top, n_leaves));
    p->index = cz_test_random() % n_leaves;
    p->leaf = random_node();
    for (unsigned i = 0; i < cz_tree_siblings(&p->shape); i++)
        p->siblings[i] = random_node();
    for (unsigned level = 0; level < cz_tree_levels(&p->shape); level++) {
        unsigned arity = cz_tree_level_arity(&p->shape, level);

        p->indices[level] = (uint32_t)(p->index >> shift) & (arity - 1);
        shift += (unsigned)__builtin_ctz(arity);
    }
    assert_int_equal(shift, cz_tree_index_bits(&p->shape));
    climb_natively(p);
}

/* ---- with the path's own index ---- */

static void synthesize(recorder *r, const native_path *p)
{
    const cz_merkle_path path = {p->siblings, p->indices};
    cz_num root;

    recorder_init(r);
    root = cz_num_alloc(&r->cs, CZ_N("root"), &p->root);
    cz_por_value(&r->cs, CZ_N("por"), &p->shape, &path, &p->leaf, &root);
    assert_int_equal(cz_cs_status(&r->cs), CZ_OK);
}

static void check_rejects(native_path p)
{
    recorder r;

    synthesize(&r, &p);
    assert_violated(&r, "enforce root is correct");
    recorder_clear(&r);
}

static void check_wrong_paths(const native_path *p)
{
    native_path wrong = *p;

    wrong.leaf = random_node();
    check_rejects(wrong);
    wrong = *p;
    wrong.root = random_node();
    check_rejects(wrong);
    wrong = *p;
    wrong.siblings[cz_tree_siblings(&p->shape) - 1] = random_node();
    check_rejects(wrong);
    wrong = *p;
    wrong.indices[0] ^= 1;
    check_rejects(wrong);
}

static void check_tree(cz_tree_hash hash, unsigned base, unsigned sub, unsigned top,
                       uint64_t n_leaves)
{
    native_path p;
    cz_fr index;
    recorder r;

    make_path(&p, hash, base, sub, top, n_leaves);
    synthesize(&r, &p);
    assert_satisfied(&r);
    assert_int_equal(r.cs.n_inputs, 2);
    cz_fr_from_u64(&index, p.index);
    assert_true(cz_fr_equal(&r.inputs[1], &index));
    r.inputs[1] = random_node();
    assert_violated(&r, "packing constraint 0");
    recorder_clear(&r);
    check_wrong_paths(&p);
}

static void test_poseidon_trees(void **state)
{
    (void)state;
    check_tree(CZ_TREE_POSEIDON, 8, 0, 0, 64);
    check_tree(CZ_TREE_POSEIDON, 8, 2, 0, 128);
    check_tree(CZ_TREE_POSEIDON, 8, 4, 0, 256);
    check_tree(CZ_TREE_POSEIDON, 8, 8, 0, 512);
    check_tree(CZ_TREE_POSEIDON, 8, 8, 2, 8192);
    check_tree(CZ_TREE_POSEIDON, 2, 0, 0, 8);
}

static void test_sha254_trees(void **state)
{
    (void)state;
    check_tree(CZ_TREE_SHA254, 2, 0, 0, 4);
    check_tree(CZ_TREE_SHA254, 2, 0, 0, 8);
}

/* A tree without base levels: names of the parts. */
static void test_names(void **state)
{
    native_path p;
    recorder r;

    (void)state;
    make_path(&p, CZ_TREE_POSEIDON, 8, 8, 2, 16);
    synthesize(&r, &p);
    assert_string_equal(r.aux_names[1], "por/value/num");
    assert_string_equal(r.aux_names[2], "por/sub/merkle tree hash 0/index bit 0/boolean");
    assert_string_equal(r.aux_names[5], "por/sub/merkle tree hash 0/path element 0/num");
    assert_string_equal(r.names[r.cs.n_constraints - 1], "por/enforce root is correct");
    assert_string_equal(r.names[r.cs.n_constraints - 2], "por/path/packing constraint 0");
    recorder_clear(&r);
}

/* The leaf may be there already: the same circuit but for its allocation. */
static void test_allocated_leaf(void **state)
{
    native_path p;
    cz_num leaf, root;
    recorder r;

    (void)state;
    make_path(&p, CZ_TREE_POSEIDON, 8, 0, 0, 8);
    recorder_init(&r);
    leaf = cz_num_alloc(&r.cs, CZ_N("leaf"), &p.leaf);
    root = cz_num_alloc(&r.cs, CZ_N("root"), &p.root);
    cz_por(&r.cs, CZ_N("por"), &p.shape, &(cz_merkle_path){p.siblings, p.indices}, &leaf, &root);
    assert_satisfied(&r);
    assert_string_equal(r.aux_names[2], "por/base/merkle tree hash 0/index bit 0/boolean");
    recorder_clear(&r);
}

/* ---- with index and siblings given ---- */

static void synthesize_at(recorder *r, const native_path *p)
{
    unsigned n_bits = cz_tree_index_bits(&p->shape);
    cz_num siblings[MAX_SIBLINGS], leaf, root;
    cz_bit bits[64];

    recorder_init(r);
    leaf = cz_num_alloc(&r->cs, CZ_N("leaf"), &p->leaf);
    root = cz_num_alloc(&r->cs, CZ_N("root"), &p->root);
    cz_bits_alloc_u64(&r->cs, bits, n_bits, p->index);
    for (unsigned i = 0; i < cz_tree_siblings(&p->shape); i++)
        siblings[i] = cz_num_alloc(&r->cs, CZ_NU("sibling %u", i), &p->siblings[i]);
    cz_por_at(&r->cs, CZ_N("por"), &p->shape, bits, siblings, &leaf, &root);
    assert_int_equal(cz_cs_status(&r->cs), CZ_OK);
    assert_int_equal(r->cs.n_inputs, 1);
}

static void check_at(cz_tree_hash hash, unsigned base, unsigned sub, unsigned top,
                     uint64_t n_leaves)
{
    native_path p;
    recorder r;

    make_path(&p, hash, base, sub, top, n_leaves);
    synthesize_at(&r, &p);
    assert_satisfied(&r);
    recorder_clear(&r);
    p.index ^= n_leaves / 2;
    synthesize_at(&r, &p);
    assert_violated(&r, "calculated root == provided root");
    recorder_clear(&r);
}

static void test_given_index(void **state)
{
    (void)state;
    check_at(CZ_TREE_POSEIDON, 8, 0, 0, 64);
    check_at(CZ_TREE_POSEIDON, 8, 8, 2, 1024);
    check_at(CZ_TREE_SHA254, 2, 0, 0, 4);
}

/* ---- shapes ---- */

static void test_shapes_of_sectors(void **state)
{
    cz_tree_shape s;

    (void)state;
    assert_ok(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 8, 0, (uint64_t)1 << 30)); /* 32 GiB */
    assert_int_equal(s.base_levels, 9);
    assert_int_equal(cz_tree_levels(&s), 10);
    assert_int_equal(cz_tree_siblings(&s), 70);
    assert_ok(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 8, 2, (uint64_t)1 << 31)); /* 64 GiB */
    assert_int_equal(s.base_levels, 9);
    assert_int_equal(cz_tree_level_arity(&s, 8), 8);
    assert_int_equal(cz_tree_level_arity(&s, 9), 8);
    assert_int_equal(cz_tree_level_arity(&s, 10), 2);
    assert_int_equal(cz_tree_index_bits(&s), 31);
    assert_ok(cz_tree_shape_init(&s, CZ_TREE_SHA254, 2, 0, 0, (uint64_t)1 << 30));
    assert_int_equal(cz_tree_levels(&s), 30);
}

static void test_bad_shapes_are_refused(void **state)
{
    cz_tree_shape s;

    (void)state;
    assert_fails(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 3, 0, 0, 64), CZ_E_ARG, "3-0-0");
    assert_fails(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 0, 2, 64), CZ_E_ARG, "8-0-2");
    assert_fails(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 16, 0, 64), CZ_E_ARG, "8-16-0");
    assert_fails(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 0, 0, 0), CZ_E_ARG, "power of two");
    assert_fails(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 0, 0, 65), CZ_E_ARG, "65 leaves");
    assert_fails(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 0, 0, 128), CZ_E_ARG, "128 leaves");
    assert_fails(cz_tree_shape_init(&s, CZ_TREE_POSEIDON, 8, 8, 2, 8), CZ_E_ARG, "8 leaves");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_poseidon_trees),
    cmocka_unit_test(test_sha254_trees),
    cmocka_unit_test(test_names),
    cmocka_unit_test(test_allocated_leaf),
    cmocka_unit_test(test_given_index),
    cmocka_unit_test(test_shapes_of_sectors),
    cmocka_unit_test(test_bad_shapes_are_refused),
};
CZ_TEST_MAIN(cases)
