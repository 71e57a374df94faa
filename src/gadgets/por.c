/* por.c: inclusion of a leaf in a Merkle tree; see por.h. */
#include "gadgets/por.h"

#include "gadgets/constraint.h"
#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon_circuit.h"

/* ---- shapes ---- */

static unsigned log2_of(uint64_t n)
{
    return (unsigned)__builtin_ctzll(n);
}

static bool is_arity(unsigned arity)
{
    return arity == 2 || arity == 4 || arity == 8;
}

cz_err cz_tree_shape_init(cz_tree_shape *shape, cz_tree_hash hash, unsigned base_arity,
                          unsigned sub_arity, unsigned top_arity, uint64_t n_leaves)
{
    unsigned above = 0; /* index bits of the sub and top levels */

    if (!is_arity(base_arity) || (sub_arity != 0 && !is_arity(sub_arity)) ||
        (top_arity != 0 && (!is_arity(top_arity) || sub_arity == 0)))
        return cz_fail(CZ_E_ARG, "a tree of arities %u-%u-%u", base_arity, sub_arity, top_arity);
    if (n_leaves == 0 || (n_leaves & (n_leaves - 1)) != 0)
        return cz_fail(CZ_E_ARG, "a tree of %llu leaves, no power of two",
                       (unsigned long long)n_leaves);
    if (sub_arity != 0)
        above += log2_of(sub_arity);
    if (top_arity != 0)
        above += log2_of(top_arity);
    if (log2_of(n_leaves) < above || (log2_of(n_leaves) - above) % log2_of(base_arity) != 0)
        return cz_fail(CZ_E_ARG, "a tree of arities %u-%u-%u over %llu leaves", base_arity,
                       sub_arity, top_arity, (unsigned long long)n_leaves);
    *shape = (cz_tree_shape){hash, base_arity, sub_arity, top_arity,
                             (log2_of(n_leaves) - above) / log2_of(base_arity)};
    return CZ_OK;
}

unsigned cz_tree_levels(const cz_tree_shape *shape)
{
    return shape->base_levels + (shape->sub_arity != 0) + (shape->top_arity != 0);
}

unsigned cz_tree_level_arity(const cz_tree_shape *shape, unsigned level)
{
    if (level < shape->base_levels)
        return shape->base_arity;
    return level == shape->base_levels ? shape->sub_arity : shape->top_arity;
}

unsigned cz_tree_siblings(const cz_tree_shape *shape)
{
    unsigned n = 0;

    for (unsigned level = 0; level < cz_tree_levels(shape); level++)
        n += cz_tree_level_arity(shape, level) - 1;
    return n;
}

unsigned cz_tree_index_bits(const cz_tree_shape *shape)
{
    unsigned n = 0;

    for (unsigned level = 0; level < cz_tree_levels(shape); level++)
        n += log2_of(cz_tree_level_arity(shape, level));
    return n;
}

/* ---- the path with its own index bits and siblings ---- */

/* What climbing from the leaf to the root has reached. */
typedef struct {
    cz_cs *cs;
    cz_num node;
    const cz_fr *siblings;   /* of the next level; NULL without values */
    const uint32_t *indices; /* of the next level; NULL without values */
    cz_boolean index_bits[CZ_POR_MAX_INDEX_BITS];
    unsigned n_index_bits;
} climb;

static void alloc_index(climb *c, cz_bit *bits, unsigned n_bits)
{
    cz_cs *cs = c->cs;
    uint32_t index = cs->has_values ? *c->indices++ : 0;

    for (unsigned i = 0; i < n_bits; i++) {
        bits[i] = cz_bit_alloc(cs, CZ_NU("index bit %u", i), index >> i & 1);
        c->index_bits[c->n_index_bits++] = cz_boolean_from_bit(bits[i]);
    }
}

static void alloc_siblings(climb *c, cz_num *out, unsigned n)
{
    cz_cs *cs = c->cs;

    for (unsigned i = 0; i < n; i++)
        out[i] =
            cz_num_alloc(cs, CZ_NU("path element %u", i), cs->has_values ? c->siblings++ : NULL);
}

/* The children of the next level's node: the node so far among its siblings. */
static void open_level(climb *c, cz_num children[CZ_INSERT_MAX], unsigned arity)
{
    cz_bit bits[3];
    cz_num siblings[CZ_INSERT_MAX - 1];

    cz_cs_border(c->cs);
    alloc_index(c, bits, log2_of(arity));
    alloc_siblings(c, siblings, arity - 1);
    cz_insert(c->cs, children, arity, &c->node, bits, siblings);
}

/* Climbs side by side: their nodes from their children. */
static void hash_level(climb *climbs, unsigned n, cz_tree_hash hash,
                       cz_num children[][CZ_INSERT_MAX], unsigned arity)
{
    const cz_name name = CZ_N("computation of commitment hash");
    const cz_num *preimages[CZ_CS_LANES];
    cz_cs *systems[CZ_CS_LANES];
    cz_num nodes[CZ_CS_LANES];

    for (unsigned i = 0; i < n; i++) {
        preimages[i] = children[i];
        systems[i] = climbs[i].cs;
    }
    if (hash == CZ_TREE_POSEIDON)
        cz_poseidon_circuit_lanes(nodes, systems, n, name, preimages, arity);
    for (unsigned i = 0; i < n; i++)
        climbs[i].node = hash == CZ_TREE_POSEIDON
                             ? nodes[i]
                             : cz_tree_hash_node(systems[i], name, hash, children[i], arity);
}

static void climb_level(climb *climbs, unsigned n, unsigned level, cz_tree_hash hash,
                        unsigned arity)
{
    cz_num children[CZ_CS_LANES][CZ_INSERT_MAX];

    for (unsigned i = 0; i < n; i++) {
        cz_cs_enter(climbs[i].cs, CZ_NU("merkle tree hash %u", level));
        open_level(&climbs[i], children[i], arity);
    }
    hash_level(climbs, n, hash, children, arity);
    for (unsigned i = 0; i < n; i++)
        cz_cs_leave(climbs[i].cs);
}

/* `levels` levels of one of the three parts of the path */
static void climb_part(climb *climbs, unsigned n, cz_name name, cz_tree_hash hash, unsigned arity,
                       unsigned levels)
{
    for (unsigned i = 0; i < n; i++)
        cz_cs_enter(climbs[i].cs, name);
    for (unsigned level = 0; level < levels; level++)
        climb_level(climbs, n, level, hash, arity);
    for (unsigned i = 0; i < n; i++)
        cz_cs_leave(climbs[i].cs);
}

static void climb_all(climb *climbs, unsigned n, const cz_tree_shape *shape)
{
    CZ_ASSERT(cz_tree_index_bits(shape) <= CZ_POR_MAX_INDEX_BITS);
    climb_part(climbs, n, CZ_N("base"), shape->hash, shape->base_arity, shape->base_levels);
    climb_part(climbs, n, CZ_N("sub"), shape->hash, shape->sub_arity, shape->sub_arity != 0);
    climb_part(climbs, n, CZ_N("top"), shape->hash, shape->top_arity, shape->top_arity != 0);
}

static void begin_climb(climb *c, cz_cs *cs, const cz_merkle_path *path, const cz_num *leaf)
{
    c->cs = cs;
    c->node = *leaf;
    c->siblings = path->siblings;
    c->indices = path->indices;
    c->n_index_bits = 0;
}

static void end_climb(climb *c, const cz_num *root)
{
    cz_pack_into_inputs(c->cs, CZ_N("path"), c->index_bits, c->n_index_bits);
    cz_enforce_equal(c->cs, CZ_N("enforce root is correct"), &c->node, root);
}

void cz_por_lanes(const cz_por_lane *lanes, unsigned n, const cz_tree_shape *shape)
{
    climb climbs[CZ_CS_LANES];

    CZ_ASSERT(n >= 1 && n <= CZ_CS_LANES);
    for (unsigned i = 0; i < n; i++) {
        const cz_por_lane *l = &lanes[i];
        cz_num leaf;

        cz_cs_enter(l->cs, l->name);
        leaf = l->num != NULL ? *l->num : cz_num_alloc(l->cs, CZ_N("value"), l->leaf);
        begin_climb(&climbs[i], l->cs, &l->path, &leaf);
    }
    climb_all(climbs, n, shape);
    for (unsigned i = 0; i < n; i++) {
        end_climb(&climbs[i], &lanes[i].root);
        cz_cs_leave(lanes[i].cs);
    }
}

void cz_por(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_merkle_path *path,
            const cz_num *leaf, const cz_num *root)
{
    const cz_por_lane lane = {.cs = cs, .name = name, .path = *path, .num = leaf, .root = *root};

    cz_por_lanes(&lane, 1, shape);
}

void cz_por_value(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_merkle_path *path,
                  const cz_fr *leaf, const cz_num *root)
{
    const cz_por_lane lane = {.cs = cs, .name = name, .path = *path, .leaf = leaf, .root = *root};

    cz_por_lanes(&lane, 1, shape);
}

/* ---- the path with index and siblings given ---- */

static cz_num level_at(cz_cs *cs, const cz_tree_shape *shape, unsigned level, const cz_num *node,
                       const cz_bit *bits, const cz_num *siblings)
{
    unsigned arity = cz_tree_level_arity(shape, level);
    cz_num children[CZ_INSERT_MAX];

    cz_cs_enter(cs, CZ_NU("merkle proof insert (height=%u)", level));
    cz_insert(cs, children, arity, node, bits, siblings);
    cz_cs_leave(cs);
    return cz_tree_hash_node(cs, CZ_NU("merkle proof hash (height=%u)", level), shape->hash,
                             children, arity);
}

void cz_por_at(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_bit *index_bits,
               const cz_num *siblings, const cz_num *leaf, const cz_num *root)
{
    cz_num node = *leaf;

    cz_cs_enter(cs, name);
    for (unsigned level = 0; level < cz_tree_levels(shape); level++) {
        node = level_at(cs, shape, level, &node, index_bits, siblings);
        index_bits += log2_of(cz_tree_level_arity(shape, level));
        siblings += cz_tree_level_arity(shape, level) - 1;
    }
    cz_enforce_equal(cs, CZ_N("calculated root == provided root"), &node, root);
    cz_cs_leave(cs);
}
