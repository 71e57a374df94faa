/* The trees behind synthetic vanilla proofs: every path that they give is a true one. */
#include "filecoin/patterned_tree.h"
#include "filecoin/sparse_tree.h"
#include "golden.h"

typedef struct {
    cz_fr siblings[CZ_MAX_TREE_LEVELS * (CZ_TREE_ARITY - 1)];
    uint32_t indices[CZ_MAX_TREE_LEVELS];
} path_room;

static cz_inclusion_proof proof_in(path_room *room)
{
    return (cz_inclusion_proof){.siblings = room->siblings, .indices = room->indices};
}

/* --- sparse --- */

/* However many paths go side by side, each leads where it leads alone. */
static void check_side_by_side(const cz_tree_shape *shape, const cz_sparse_tree *tree,
                               const uint64_t *indices, size_t n)
{
    path_room rooms[20];
    cz_inclusion_proof proofs[20];
    const cz_inclusion_proof *paths[20];
    cz_fr roots[20], alone;

    for (size_t i = 0; i < n; i++) {
        proofs[i] = proof_in(&rooms[i]);
        paths[i] = &proofs[i];
        cz_sparse_tree_open(tree, &proofs[i], indices[i]);
    }
    cz_fr_from_u64(&proofs[n / 2].leaf, 77); /* and that one elsewhere */
    assert_ok(cz_inclusion_roots(roots, shape, paths, n));
    for (size_t i = 0; i < n; i++) {
        assert_ok(cz_inclusion_root(&alone, shape, &proofs[i]));
        assert_true(cz_fr_equal(&roots[i], &alone));
        assert_int_equal(cz_fr_equal(&alone, cz_sparse_tree_root(tree)), i != n / 2);
    }
}

static void check_sparse(const cz_tree_shape *shape, uint64_t n_leaves)
{
    const cz_gen_stream filler = {1, "test tree", 2};
    cz_tree_node leaves[20];
    uint64_t indices[20];
    cz_sparse_tree *tree;
    path_room room;

    for (size_t i = 0; i < 20; i++) {
        indices[i] = cz_test_random() % n_leaves;
        leaves[i].index = indices[i];
        cz_fr_from_u64(&leaves[i].value, indices[i] + 1); /* equal indices: equal values */
    }
    leaves[0].index = indices[0] = n_leaves - 1;
    cz_fr_from_u64(&leaves[0].value, n_leaves);
    assert_ok(cz_sparse_tree_create(&tree, shape, &filler, leaves, 20));
    for (size_t i = 0; i < 20; i++) {
        cz_inclusion_proof p = proof_in(&room);
        cz_fr leaf;

        cz_sparse_tree_open(tree, &p, indices[i]);
        assert_ok(cz_inclusion_check(shape, &p, indices[i], cz_sparse_tree_root(tree), "root"));
        cz_fr_from_u64(&leaf, indices[i] + 1);
        assert_true(cz_fr_equal(&p.leaf, &leaf));
    }
    for (size_t n = 1; n <= 20; n += n == 1 ? 14 : 1)
        check_side_by_side(shape, tree, indices, n);
    cz_sparse_tree_destroy(tree);
}

static void test_sparse_trees(void **state)
{
    size_t n;
    const cz_sector_shape *shapes = cz_sector_shapes(&n);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        check_sparse(&shapes[i].tree_r, shapes[i].nodes);
        check_sparse(&shapes[i].tree_d, shapes[i].nodes);
    }
}

/* --- patterned --- */

static void check_patterned(const cz_tree_shape *shape, unsigned range_count_bits)
{
    const uint64_t n_leaves = UINT64_C(1) << cz_tree_index_bits(shape);
    const unsigned range_bits = cz_tree_index_bits(shape) - range_count_bits;
    const size_t n_values = (size_t)CZ_PATTERN_VALUES << range_count_bits;
    cz_fr *values = malloc(n_values * sizeof *values);
    cz_patterned_tree *tree;
    path_room room;

    assert_non_null(values);
    for (size_t i = 0; i < n_values; i++)
        cz_fr_from_u64(&values[i], i + 1);
    assert_ok(cz_patterned_tree_create(&tree, shape, values, range_count_bits, NULL));
    for (unsigned i = 0; i < 20; i++) {
        const uint64_t leaf = i == 0 ? n_leaves - 1 : cz_test_random() % n_leaves;
        const size_t value = (leaf >> range_bits) * CZ_PATTERN_VALUES + cz_pattern_kind(leaf);
        cz_inclusion_proof p = proof_in(&room);

        cz_patterned_tree_open(tree, &p, leaf);
        assert_ok(cz_inclusion_check(shape, &p, leaf, cz_patterned_tree_root(tree), "root"));
        assert_true(cz_fr_equal(&p.leaf, &values[value]));
    }
    cz_patterned_tree_destroy(tree);
    free(values);
}

static void test_patterned_trees(void **state)
{
    size_t n;
    const cz_sector_shape *shapes = cz_sector_shapes(&n);

    (void)state;
    for (size_t i = 0; i < n; i++)
        for (unsigned bits = 0; bits <= 4; bits += 2) {
            check_patterned(&shapes[i].tree_r, bits);
            check_patterned(&shapes[i].tree_d, bits);
        }
}

/* A 2 KiB tree against one built node by node. */
static void test_patterned_against_plain(void **state)
{
    const cz_tree_shape *shape = &cz_sector_shape_find(2048)->tree_r;
    cz_fr values[2 * CZ_PATTERN_VALUES], row[64];
    cz_patterned_tree *tree;

    (void)state;
    for (size_t i = 0; i < 2 * CZ_PATTERN_VALUES; i++)
        cz_fr_from_u64(&values[i], 100 + i);
    for (uint64_t i = 0; i < 64; i++)
        row[i] = values[i / 32 * CZ_PATTERN_VALUES + (i / 8 + i % 8) % 8];
    for (unsigned n = 8; n > 0; n /= 8)
        for (unsigned i = 0; i < n; i++)
            assert_ok(cz_merkle_node(&row[i], CZ_TREE_POSEIDON, &row[(size_t)8 * i], 8));
    assert_ok(cz_patterned_tree_create(&tree, shape, values, 1, NULL));
    assert_true(cz_fr_equal(&row[0], cz_patterned_tree_root(tree)));
    cz_patterned_tree_destroy(tree);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_sparse_trees),
    cmocka_unit_test(test_patterned_trees),
    cmocka_unit_test(test_patterned_against_plain),
};

CZ_TEST_MAIN(cases)
