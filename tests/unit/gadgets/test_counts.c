/* test_counts.c: what each gadget costs: variables, constraints and non-zero terms, in a table. A
 * change of a gadget shows up as a change of its row; the network's circuits allow none. */
#include "cs/digest.h"
#include "gadgets/create_label.h"
#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "gadgets/por.h"
#include "gadgets/poseidon_circuit.h"
#include "gadgets/sha256_circuit.h"
#include "support.h"

typedef struct {
    cz_circuit circuit; /* first */
    unsigned size;
    uint64_t inputs, aux, constraints, terms;
} cost;

static unsigned size_of(const cz_circuit *self)
{
    return ((const cost *)self)->size;
}

/* ---- operands: variables without any constraint; they count among the aux ---- */

enum { MAX_OPERANDS = 32 * 256 };

static cz_bit loose_bit(cz_cs *cs)
{
    cz_fr zero = CZ_FR_ZERO;

    return (cz_bit){cz_cs_alloc(cs, CZ_N("operand"), &zero), false};
}

static void loose_bits(cz_cs *cs, cz_boolean *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = cz_boolean_from_bit(loose_bit(cs));
}

static void loose_nums(cz_cs *cs, cz_num *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] = (cz_num){loose_bit(cs).var, CZ_FR_ZERO};
}

static void loose_words(cz_cs *cs, cz_uint32 *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        loose_bits(cs, out[i].bits, 32);
}

/* ---- circuits ---- */

static void word_xor(const cz_circuit *self, cz_cs *cs)
{
    cz_uint32 w[2], out;

    (void)self;
    loose_words(cs, w, 2);
    cz_uint32_xor(cs, CZ_N("xor"), &out, &w[0], &w[1]);
}

static void word_ch(const cz_circuit *self, cz_cs *cs)
{
    cz_uint32 w[3], out;

    (void)self;
    loose_words(cs, w, 3);
    cz_uint32_ch(cs, CZ_N("ch"), &out, &w[0], &w[1], &w[2]);
}

static void word_maj(const cz_circuit *self, cz_cs *cs)
{
    cz_uint32 w[3], out;

    (void)self;
    loose_words(cs, w, 3);
    cz_uint32_maj(cs, CZ_N("maj"), &out, &w[0], &w[1], &w[2]);
}

static void word_sum(const cz_circuit *self, cz_cs *cs)
{
    cz_uint32 w[CZ_UINT32_MAX_OPERANDS], out;
    const cz_uint32 *operands[CZ_UINT32_MAX_OPERANDS];
    cz_multieq m;

    loose_words(cs, w, size_of(self));
    for (unsigned i = 0; i < size_of(self); i++)
        operands[i] = &w[i];
    cz_multieq_init(&m, cs);
    cz_uint32_addmany(&m, CZ_N("sum"), &out, operands, size_of(self));
    cz_multieq_finish(&m);
}

static void sha256_message(const cz_circuit *self, cz_cs *cs)
{
    static cz_boolean bits[MAX_OPERANDS];
    cz_boolean digest[256];

    loose_bits(cs, bits, size_of(self));
    cz_sha256_circuit_of(cs, CZ_N("hash"), digest, bits, size_of(self));
}

static void sha254_node(const cz_circuit *self, cz_cs *cs)
{
    cz_num children[2];

    (void)self;
    loose_nums(cs, children, 2);
    (void)cz_tree_hash_node(cs, CZ_N("node"), CZ_TREE_SHA254, children, 2);
}

static void poseidon(const cz_circuit *self, cz_cs *cs)
{
    cz_num preimage[36];

    loose_nums(cs, preimage, size_of(self));
    (void)cz_poseidon_circuit(cs, CZ_N("hash"), preimage, size_of(self));
}

static void label(const cz_circuit *self, cz_cs *cs)
{
    static cz_boolean replica_id[CZ_LABEL_BITS], parents[14][CZ_LABEL_BITS];
    cz_uint64 node;

    loose_bits(cs, replica_id, CZ_LABEL_BITS);
    loose_bits(cs, node.bits, 64);
    for (unsigned i = 0; i < size_of(self); i++)
        loose_bits(cs, parents[i], CZ_LABEL_BITS);
    (void)cz_create_label(cs, CZ_N("label"), replica_id, size_of(self) == 6 ? 1 : 2, &node,
                          (const cz_boolean(*)[CZ_LABEL_BITS])parents, size_of(self));
}

static void bits_plain(const cz_circuit *self, cz_cs *cs)
{
    cz_boolean bits[CZ_FR_BITS];
    cz_num num;

    (void)self;
    loose_nums(cs, &num, 1);
    cz_num_to_bits_le(cs, CZ_N("bits"), bits, &num);
}

static void bits_strict(const cz_circuit *self, cz_cs *cs)
{
    cz_boolean bits[CZ_FR_BITS];
    cz_num num;

    (void)self;
    loose_nums(cs, &num, 1);
    cz_num_to_bits_le_strict(cs, CZ_N("bits"), bits, &num);
}

static void inputs(const cz_circuit *self, cz_cs *cs)
{
    static cz_boolean bits[MAX_OPERANDS];

    loose_bits(cs, bits, size_of(self));
    cz_pack_into_inputs(cs, CZ_N("pack"), bits, size_of(self));
}

static void insertion(const cz_circuit *self, cz_cs *cs)
{
    cz_bit bits[3] = {loose_bit(cs), loose_bit(cs), loose_bit(cs)};
    cz_num nums[CZ_INSERT_MAX], out[CZ_INSERT_MAX];

    loose_nums(cs, nums, size_of(self));
    cz_insert(cs, out, size_of(self), &nums[0], bits, nums + 1);
}

static void selection(const cz_circuit *self, cz_cs *cs)
{
    cz_bit bits[CZ_SELECT_MAX_BITS];
    cz_num from[1 << CZ_SELECT_MAX_BITS];

    for (unsigned i = 0; i < size_of(self); i++)
        bits[i] = loose_bit(cs);
    loose_nums(cs, from, 1u << size_of(self));
    (void)cz_select(cs, CZ_N("select"), from, bits, size_of(self));
}

/* A path in the tree of a sector of 2^size nodes, of 32 GiB with its sub trees. */
static void path(const cz_circuit *self, cz_cs *cs)
{
    const cz_merkle_path none = {NULL, NULL};
    unsigned sub = size_of(self) == 30 ? 8 : 0;
    cz_tree_shape shape;
    cz_num root;

    assert_ok(
        cz_tree_shape_init(&shape, CZ_TREE_POSEIDON, 8, sub, 0, (uint64_t)1 << size_of(self)));
    loose_nums(cs, &root, 1);
    cz_por_value(cs, CZ_N("por"), &shape, &none, NULL, &root);
}

/* ---- the table ---- */

static const cost costs[] = {
    /* gadget, size; inputs, aux, constraints, terms */
    {{"word xor", word_xor}, 0, 1, 96, 32, 160},
    {{"word choice", word_ch}, 0, 1, 128, 32, 160},
    {{"word majority", word_maj}, 0, 1, 160, 64, 288},
    {{"sum of words", word_sum}, 2, 1, 97, 34, 197},
    {{"sum of words", word_sum}, 7, 1, 259, 36, 365},
    {{"SHA-256, bits", sha256_message}, 256, 1, 25474, 25244, 138149},
    {{"SHA-256, bits", sha256_message}, 512, 1, 45340, 44874, 244197},
    {{"SHA-256, bits", sha256_message}, 1024, 1, 72018, 71066, 388923},
    {{"SHA-254 node", sha254_node}, 2, 1, 45333, 45379, 246448},
    {{"Poseidon", poseidon}, 2, 1, 313, 311, 2818},
    {{"Poseidon", poseidon}, 4, 1, 381, 377, 3421},
    {{"Poseidon", poseidon}, 8, 1, 513, 505, 4735},
    {{"Poseidon", poseidon}, 11, 1, 609, 598, 5809},
    {{"Poseidon", poseidon}, 16, 1, 777, 761, 8086},
    {{"Poseidon", poseidon}, 24, 1, 1033, 1009, 12158},
    {{"Poseidon", poseidon}, 36, 1, 1421, 1385, 20091},
    {{"label, parents", label}, 6, 1, 523755, 522419, 2884998},
    {{"label, parents", label}, 14, 1, 525803, 522419, 2884998},
    {{"bits", bits_plain}, 0, 1, 256, 256, 1021},
    {{"bits, strict", bits_strict}, 0, 1, 388, 388, 1539},
    {{"bits into inputs", inputs}, 64, 2, 64, 1, 66},
    {{"bits into inputs", inputs}, 255, 3, 255, 2, 259},
    {{"insertion", insertion}, 2, 1, 7, 2, 10},
    {{"insertion", insertion}, 4, 1, 15, 8, 40},
    {{"insertion", insertion}, 8, 1, 33, 22, 108},
    {{"selection, bits", selection}, 3, 1, 18, 7, 35},
    {{"selection, bits", selection}, 7, 1, 262, 127, 635},
    {{"path, log2 leaves", path}, 6, 2, 1076, 1062, 9715},
    {{"path, log2 leaves", path}, 30, 2, 5372, 5302, 48555},
};

static void check_cost(const cost *c)
{
    cz_circuit_stats s;

    assert_ok(cz_circuit_count(&s, &c->circuit));
    if (s.inputs != c->inputs || s.aux != c->aux || s.constraints != c->constraints ||
        s.nnz_a + s.nnz_b + s.nnz_c != c->terms)
        fail_msg("%s %u: %lu inputs, %lu aux, %lu constraints, %lu terms", c->circuit.id, c->size,
                 (unsigned long)s.inputs, (unsigned long)s.aux, (unsigned long)s.constraints,
                 (unsigned long)(s.nnz_a + s.nnz_b + s.nnz_c));
}

static void test_costs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof costs / sizeof costs[0]; i++)
        check_cost(&costs[i]);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(test_costs),
};
CZ_TEST_MAIN(cases)
