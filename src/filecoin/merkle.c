/* merkle.c: where an inclusion proof leads, and whether it should; see merkle.h. */
#include "filecoin/merkle.h"

#include <inttypes.h>
#include <string.h>

#include "filecoin/shapes.h"
#include "hash/poseidon_many.h"
#include "hash/sha256.h"

uint64_t cz_inclusion_index(const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    uint64_t index = 0, stride = 1;

    for (unsigned i = 0; i < cz_tree_levels(shape); i++) {
        index += p->indices[i] * stride;
        stride *= cz_tree_level_arity(shape, i);
    }
    return index;
}

/* A single node is not worth eight lanes. */
static cz_err poseidon_nodes(cz_fr *out, const cz_fr *children, unsigned arity, size_t n)
{
    const cz_poseidon_constants *k = cz_poseidon_get(arity);

    if (k == NULL)
        return cz_fail(CZ_E_NOMEM, "no Poseidon constants for arity %u", arity);
    if (n == 1)
        cz_poseidon_hash(out, k, children);
    else
        cz_poseidon_hash_many(out, k, children, n);
    return CZ_OK;
}

static cz_err sha254_node(cz_fr *out, const cz_fr *children)
{
    uint8_t left[32], right[32], node[32];

    cz_fr_to_le(left, &children[0]);
    cz_fr_to_le(right, &children[1]);
    cz_sha254_node(node, left, right);
    return cz_fr_from_le(out, node) ? CZ_OK : cz_fail(CZ_E_INTERNAL, "SHA-254 above r");
}

cz_err cz_merkle_node(cz_fr *out, cz_tree_hash hash, const cz_fr *children, unsigned arity)
{
    return cz_merkle_nodes(out, hash, children, arity, 1);
}

cz_err cz_merkle_nodes(cz_fr *out, cz_tree_hash hash, const cz_fr *children, unsigned arity,
                       size_t n)
{
    if (hash == CZ_TREE_POSEIDON)
        return poseidon_nodes(out, children, arity, n);
    CZ_ASSERT(arity == 2);
    for (size_t i = 0; i < n; i++)
        CZ_TRY(sha254_node(&out[i], children + 2 * i));
    return CZ_OK;
}

/* The children of the node that lies `level` levels above the leaf; `siblings` are that level's. */
static void take_children(cz_fr *children, const cz_inclusion_proof *p, unsigned level,
                          unsigned arity, const cz_fr *siblings, const cz_fr *node)
{
    const uint32_t at = p->indices[level];

    CZ_ASSERT(at < arity && arity <= CZ_TREE_ARITY);
    memcpy(children, siblings, at * sizeof *children);
    children[at] = *node;
    memcpy(children + at + 1, siblings + at, (arity - 1 - at) * sizeof *children);
}

enum { PATHS_AT_ONCE = 16 };

/* n at most PATHS_AT_ONCE */
static cz_err some_roots(cz_fr *nodes, const cz_tree_shape *shape,
                         const cz_inclusion_proof *const *p, size_t n)
{
    cz_fr children[PATHS_AT_ONCE * CZ_TREE_ARITY];
    size_t siblings = 0;

    for (size_t i = 0; i < n; i++)
        nodes[i] = p[i]->leaf;
    for (unsigned level = 0; level < cz_tree_levels(shape); level++) {
        const unsigned arity = cz_tree_level_arity(shape, level);

        for (size_t i = 0; i < n; i++)
            take_children(children + i * arity, p[i], level, arity, p[i]->siblings + siblings,
                          &nodes[i]);
        CZ_TRY(cz_merkle_nodes(nodes, shape->hash, children, arity, n));
        siblings += arity - 1;
    }
    return CZ_OK;
}

cz_err cz_inclusion_roots(cz_fr *out, const cz_tree_shape *shape,
                          const cz_inclusion_proof *const *p, size_t n)
{
    for (; n > PATHS_AT_ONCE; n -= PATHS_AT_ONCE) {
        CZ_TRY(some_roots(out, shape, p, PATHS_AT_ONCE));
        out += PATHS_AT_ONCE;
        p += PATHS_AT_ONCE;
    }
    return some_roots(out, shape, p, n);
}

cz_err cz_inclusion_root(cz_fr *out, const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    return some_roots(out, shape, &p, 1);
}

/* What the proof says of itself. */
static cz_err check_claim(const cz_tree_shape *shape, const cz_inclusion_proof *p, uint64_t index,
                          const cz_fr *root, const char *root_name)
{
    const uint64_t proved = cz_inclusion_index(shape, p);

    if (proved != index)
        return cz_fail(CZ_E_INPUT, "proves node %" PRIu64 ", expected node %" PRIu64, proved,
                       index);
    if (!cz_fr_equal(&p->root, root))
        return cz_fail(CZ_E_INPUT, "root differs from %s", root_name);
    return CZ_OK;
}

cz_err cz_inclusion_check_reached(const cz_tree_shape *shape, const cz_inclusion_proof *p,
                                  uint64_t index, const cz_fr *root, const char *root_name,
                                  const cz_fr *reached)
{
    CZ_TRY(check_claim(shape, p, index, root, root_name));
    if (!cz_fr_equal(reached, root))
        return cz_fail(CZ_E_INPUT, "path does not lead from the leaf to the root");
    return CZ_OK;
}

cz_err cz_inclusion_check(const cz_tree_shape *shape, const cz_inclusion_proof *p, uint64_t index,
                          const cz_fr *root, const char *root_name)
{
    cz_fr reached;

    CZ_TRY(check_claim(shape, p, index, root, root_name)); /* before any hash */
    CZ_TRY(cz_inclusion_root(&reached, shape, p));
    return cz_inclusion_check_reached(shape, p, index, root, root_name, &reached);
}
