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

cz_err cz_inclusion_root(cz_fr *out, const cz_tree_shape *shape, const cz_inclusion_proof *p)
{
    const cz_fr *siblings = p->siblings;
    cz_fr children[CZ_TREE_ARITY];
    cz_fr node = p->leaf;

    for (unsigned i = 0; i < cz_tree_levels(shape); i++) {
        const unsigned arity = cz_tree_level_arity(shape, i);
        const uint32_t at = p->indices[i];

        CZ_ASSERT(at < arity && arity <= CZ_TREE_ARITY);
        memcpy(children, siblings, at * sizeof *children);
        children[at] = node;
        memcpy(children + at + 1, siblings + at, (arity - 1 - at) * sizeof *children);
        CZ_TRY(cz_merkle_node(&node, shape->hash, children, arity));
        siblings += arity - 1;
    }
    *out = node;
    return CZ_OK;
}

cz_err cz_inclusion_check(const cz_tree_shape *shape, const cz_inclusion_proof *p, uint64_t index,
                          const cz_fr *root, const char *root_name)
{
    const uint64_t proved = cz_inclusion_index(shape, p);
    cz_fr computed;

    if (proved != index)
        return cz_fail(CZ_E_INPUT, "proves node %" PRIu64 ", expected node %" PRIu64, proved,
                       index);
    if (!cz_fr_equal(&p->root, root))
        return cz_fail(CZ_E_INPUT, "root differs from %s", root_name);
    CZ_TRY(cz_inclusion_root(&computed, shape, p));
    if (!cz_fr_equal(&computed, root))
        return cz_fail(CZ_E_INPUT, "path does not lead from the leaf to the root");
    return CZ_OK;
}
