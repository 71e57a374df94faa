/* tree_hash.c: the two hashes of Merkle trees, in a circuit. */
#include "gadgets/tree_hash.h"

#include "gadgets/insertion.h"
#include "gadgets/multipack.h"
#include "gadgets/poseidon_circuit.h"
#include "gadgets/sha256_circuit.h"

enum { NODE_BITS = 256 };

/* A number's 255 bits as the 32 bytes that SHA-256 reads. */
static void node_bits(cz_cs *cs, cz_name name, cz_boolean out[NODE_BITS], const cz_num *num)
{
    cz_boolean bits[CZ_FR_BITS];

    cz_num_to_bits_le(cs, name, bits, num);
    (void)cz_reverse_bit_numbering(out, bits, CZ_FR_BITS);
}

static cz_num sha254(cz_cs *cs, const cz_boolean *bits, size_t n)
{
    cz_boolean digest[256];

    cz_sha256_circuit_of(cs, CZ_N("hash"), digest, bits, n);
    return cz_sha256_digest_to_num(cs, CZ_N("pack_le"), digest);
}

static cz_num sha254_node(cz_cs *cs, cz_name name, const cz_num *children, unsigned n)
{
    cz_boolean bits[CZ_INSERT_MAX * NODE_BITS];
    cz_num node;

    CZ_ASSERT(n <= CZ_INSERT_MAX);
    cz_cs_enter(cs, name);
    for (unsigned i = 0; i < n; i++)
        node_bits(cs, CZ_NU("%u_num_into_bits", i), bits + i * NODE_BITS, &children[i]);
    node = sha254(cs, bits, (size_t)n * NODE_BITS);
    cz_cs_leave(cs);
    return node;
}

static cz_num sha254_hash2(cz_cs *cs, cz_name name, const cz_num *left, const cz_num *right)
{
    cz_boolean bits[2 * NODE_BITS];
    cz_num node;

    cz_cs_enter(cs, name);
    node_bits(cs, CZ_N("a_bits"), bits, left);
    node_bits(cs, CZ_N("b_bits"), bits + NODE_BITS, right);
    node = sha254(cs, bits, 2 * NODE_BITS);
    cz_cs_leave(cs);
    return node;
}

cz_num cz_tree_hash_node(cz_cs *cs, cz_name name, cz_tree_hash hash, const cz_num *children,
                         unsigned n)
{
    if (hash == CZ_TREE_POSEIDON)
        return cz_poseidon_circuit(cs, name, children, n);
    return sha254_node(cs, name, children, n);
}

cz_num cz_tree_hash2(cz_cs *cs, cz_name name, cz_tree_hash hash, const cz_num *left,
                     const cz_num *right)
{
    const cz_num children[2] = {*left, *right};

    if (hash == CZ_TREE_POSEIDON)
        return cz_poseidon_circuit(cs, name, children, 2);
    return sha254_hash2(cs, name, left, right);
}
