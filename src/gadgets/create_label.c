/* create_label.c: the label of a node in a circuit; see create_label.h. */
#include "gadgets/create_label.h"

#include "gadgets/sha256_circuit.h"

/* The second half of the first block: layer and node, big-endian, and zeros. */
static void add_layer_and_node(cz_sha256_circuit *s, uint32_t layer, const cz_uint64 *node)
{
    cz_boolean bits[CZ_LABEL_BITS];

    for (unsigned i = 0; i < 32; i++)
        bits[i] = cz_boolean_constant(layer >> (31 - i) & 1);
    cz_uint64_to_bits_be(bits + 32, node);
    for (unsigned i = 96; i < CZ_LABEL_BITS; i++)
        bits[i] = cz_boolean_constant(false);
    cz_sha256_circuit_update(s, bits, CZ_LABEL_BITS);
}

cz_num cz_create_label(cz_cs *cs, cz_name name, const cz_boolean replica_id[CZ_LABEL_BITS],
                       uint32_t layer, const cz_uint64 *node,
                       const cz_boolean (*parents)[CZ_LABEL_BITS], unsigned n_parents)
{
    cz_boolean digest[256];
    cz_sha256_circuit s;
    cz_num label;

    cz_cs_enter(cs, name);
    cz_cs_enter(cs, CZ_N("hash"));
    cz_sha256_circuit_init(&s, cs);
    cz_sha256_circuit_update(&s, replica_id, CZ_LABEL_BITS);
    add_layer_and_node(&s, layer, node);
    for (unsigned i = 0; i < CZ_LABEL_PARENTS; i++)
        cz_sha256_circuit_update(&s, parents[i % n_parents], CZ_LABEL_BITS);
    cz_sha256_circuit_final(&s, digest);
    cz_cs_leave(cs);
    label = cz_sha256_digest_to_num(cs, CZ_N("result_num"), digest);
    cz_cs_leave(cs);
    return label;
}
