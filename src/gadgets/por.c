#include "gadgets/por.h"

#include "gadgets/constraint.h"
#include "gadgets/insertion.h"
#include "gadgets/multipack.h"

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
    cz_num node;
    const cz_fr *siblings;   /* of the next level; NULL without values */
    const uint32_t *indices; /* of the next level; NULL without values */
    cz_boolean index_bits[CZ_POR_MAX_INDEX_BITS];
    unsigned n_index_bits;
} climb;

static void alloc_index(cz_cs *cs, climb *c, cz_bit *bits, unsigned n_bits)
{
    uint32_t index = cs->has_values ? *c->indices++ : 0;

    for (unsigned i = 0; i < n_bits; i++) {
        bits[i] = cz_bit_alloc(cs, CZ_NU("index bit %u", i), index >> i & 1);
        c->index_bits[c->n_index_bits++] = cz_boolean_from_bit(bits[i]);
    }
}

static void alloc_siblings(cz_cs *cs, climb *c, cz_num *out, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        out[i] =
            cz_num_alloc(cs, CZ_NU("path element %u", i), cs->has_values ? c->siblings++ : NULL);
}

static void climb_level(cz_cs *cs, climb *c, cz_tree_hash hash, unsigned arity)
{
    cz_bit bits[3];
    cz_num siblings[CZ_INSERT_MAX - 1];
    cz_num children[CZ_INSERT_MAX];

    cz_cs_border(cs);
    alloc_index(cs, c, bits, log2_of(arity));
    alloc_siblings(cs, c, siblings, arity - 1);
    cz_insert(cs, children, arity, &c->node, bits, siblings);
    c->node = cz_tree_hash_node(cs, CZ_N("computation of commitment hash"), hash, children, arity);
}

/* `levels` levels of one of the three parts of the path */
static void climb_part(cz_cs *cs, cz_name name, climb *c, cz_tree_hash hash, unsigned arity,
                       unsigned levels)
{
    cz_cs_enter(cs, name);
    for (unsigned i = 0; i < levels; i++) {
        cz_cs_enter(cs, CZ_NU("merkle tree hash %u", i));
        climb_level(cs, c, hash, arity);
        cz_cs_leave(cs);
    }
    cz_cs_leave(cs);
}

static void por_here(cz_cs *cs, const cz_tree_shape *shape, const cz_merkle_path *path,
                     const cz_num *leaf, const cz_num *root)
{
    climb c = {.node = *leaf, .siblings = path->siblings, .indices = path->indices};

    CZ_ASSERT(cz_tree_index_bits(shape) <= CZ_POR_MAX_INDEX_BITS);
    climb_part(cs, CZ_N("base"), &c, shape->hash, shape->base_arity, shape->base_levels);
    climb_part(cs, CZ_N("sub"), &c, shape->hash, shape->sub_arity, shape->sub_arity != 0);
    climb_part(cs, CZ_N("top"), &c, shape->hash, shape->top_arity, shape->top_arity != 0);
    cz_pack_into_inputs(cs, CZ_N("path"), c.index_bits, c.n_index_bits);
    cz_enforce_equal(cs, CZ_N("enforce root is correct"), &c.node, root);
}

void cz_por(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_merkle_path *path,
            const cz_num *leaf, const cz_num *root)
{
    cz_cs_enter(cs, name);
    por_here(cs, shape, path, leaf, root);
    cz_cs_leave(cs);
}

void cz_por_value(cz_cs *cs, cz_name name, const cz_tree_shape *shape, const cz_merkle_path *path,
                  const cz_fr *leaf, const cz_num *root)
{
    cz_num num;

    cz_cs_enter(cs, name);
    num = cz_num_alloc(cs, CZ_N("value"), leaf);
    por_here(cs, shape, path, &num, root);
    cz_cs_leave(cs);
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
