/* Parts that are taken side by side: the same variables, constraints and values as one by one. */
#include "cs/assignment.h"
#include "cs/bit_witness.h"
#include "cs/compile.h"
#include "cs/compiled_eval.h"
#include "gadgets/por.h"
#include "gadgets/poseidon_circuit.h"
#include "hash/poseidon_many.h"
#include "support.h"

enum { LEVELS = 3, SIBLINGS = 7 * LEVELS, MAX_PATHS = 40 };

/* n paths of eight-ary trees, each to a root of its own: a hash beside it. */
typedef struct {
    cz_circuit circuit; /* first */
    size_t n;
    cz_fr siblings[MAX_PATHS][SIBLINGS];
    uint32_t indices[MAX_PATHS][LEVELS];
    cz_fr leaf[MAX_PATHS];
} paths_circuit;

static const cz_tree_shape tree = {CZ_TREE_POSEIDON, 8, 0, 0, LEVELS};

static void make_paths(const void *shared, cz_cs *const lanes[], unsigned n, size_t first)
{
    const paths_circuit *c = shared;
    cz_por_lane paths[CZ_CS_LANES];
    const cz_num *preimages[CZ_CS_LANES];
    cz_num pairs[CZ_CS_LANES][2], hashes[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        cz_cs_enter(lanes[i], CZ_NU("path %u", first + i));
        pairs[i][0] = cz_num_alloc(lanes[i], CZ_N("left"), &c->leaf[first + i]);
        pairs[i][1] = cz_num_alloc(lanes[i], CZ_N("right"), &c->siblings[first + i][0]);
        preimages[i] = pairs[i];
    }
    cz_poseidon_circuit_lanes(hashes, lanes, n, CZ_N("hash"), preimages, 2);
    for (unsigned i = 0; i < n; i++)
        paths[i] = (cz_por_lane){.cs = lanes[i],
                                 .name = CZ_NU("por %u", first + i),
                                 .path = {c->siblings[first + i], c->indices[first + i]},
                                 .leaf = &c->leaf[first + i],
                                 .root = hashes[i]};
    cz_por_lanes(paths, n, &tree);
    for (unsigned i = 0; i < n; i++)
        cz_cs_leave(lanes[i]);
}

static void paths_synthesize(const cz_circuit *self, cz_cs *cs)
{
    const paths_circuit *c = (const paths_circuit *)(const void *)self;

    cz_cs_part_lanes(cs, c->n, make_paths, c);
}

static void random_fr(cz_fr *r)
{
    cz_fr_from_u64(r, cz_test_random());
    cz_fr_sqr(r, r);
}

static void fill(paths_circuit *c, size_t n)
{
    *c = (paths_circuit){.circuit = {.id = "paths", .synthesize = paths_synthesize}, .n = n};
    for (size_t i = 0; i < n; i++) {
        random_fr(&c->leaf[i]);
        for (size_t k = 0; k < SIBLINGS; k++)
            random_fr(&c->siblings[i][k]);
        for (size_t k = 0; k < LEVELS; k++)
            c->indices[i][k] = (uint32_t)(cz_test_random() % 8);
    }
}

static void assert_witness(const paths_circuit *c, cz_pool *pool)
{
    cz_bit_witness w, same;
    cz_compiled *compiled;
    cz_assignment s;

    assert_ok(cz_circuit_compile(&compiled, &c->circuit, NULL));
    assert_ok(cz_assignment_synthesize(&s, &c->circuit));
    assert_ok(cz_bit_witness_synthesize_pool(&w, compiled, &c->circuit, pool));
    assert_ok(cz_bit_witness_from_values(&same, compiled, s.inputs, s.aux));
    assert_memory_equal(w.inputs, same.inputs, w.n_inputs * sizeof *w.inputs);
    assert_memory_equal(w.bits, same.bits, (w.n_aux / 64 + 1) * sizeof *w.bits);
    assert_memory_equal(w.fields, same.fields, w.n_fields * sizeof *w.fields);
    cz_bit_witness_clear(&w);
    cz_bit_witness_clear(&same);
    cz_assignment_clear(&s);
    cz_compiled_destroy(compiled);
}

static void check_form(const char *form)
{
    static paths_circuit c;
    cz_pool *pool;

    if (cz_poseidon_select(form) == CZ_E_NODEV)
        skip();
    assert_string_equal(cz_poseidon_form(), form);
    assert_ok(cz_pool_create(&pool, 3));
    for (size_t n = 1; n <= MAX_PATHS; n += n < 10 ? 1 : 15) {
        fill(&c, n);
        assert_witness(&c, pool);
        assert_witness(&c, NULL);
    }
    cz_pool_destroy(pool);
}

static void test_scalar(void **state)
{
    (void)state;
    check_form("scalar");
}

static void test_ifma(void **state)
{
    (void)state;
    check_form("ifma");
}

/* A lane that fails leaves no witness. */
static void test_other_circuit(void **state)
{
    static paths_circuit c;
    cz_compiled *compiled;
    cz_bit_witness w;

    (void)state;
    fill(&c, 20);
    assert_ok(cz_circuit_compile(&compiled, &c.circuit, NULL));
    fill(&c, 21);
    assert_fails(cz_bit_witness_synthesize(&w, compiled, &c.circuit), CZ_E_INTERNAL, "compiled");
    fill(&c, 19);
    assert_fails(cz_bit_witness_synthesize(&w, compiled, &c.circuit), CZ_E_INTERNAL, "other");
    cz_compiled_destroy(compiled);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_scalar),
    cmocka_unit_test(test_ifma),
    cmocka_unit_test(test_other_circuit),
};
CZ_TEST_MAIN(cases)
