/* por_device.h: the variables of a Merkle path under Poseidon (por.h), on CUDA devices; the same
 * text runs on the host for tests.
 *
 * Twin of por.c, insertion.c and poseidon_circuit.c as far as variables go: a thread climbs one
 * path and writes, in the circuit's order, what each level allocates: index bits, siblings, what
 * the insertion picks (every one of them is one of the children) and the permutation's witness. */
#ifndef CZ_GADGETS_POR_DEVICE_H
#define CZ_GADGETS_POR_DEVICE_H

#include "hash/poseidon_device.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CZ_POR_DEVICE_LEVELS = 32, CZ_POR_DEVICE_ARITY = 8 };

/* A tree; arities are 2, 4 or 8. */
typedef struct {
    uint32_t n_levels, n_siblings; /* of a path */
    uint8_t log_arity[CZ_POR_DEVICE_LEVELS];
    cz_poseidon_device hash[3]; /* of arity 2, 4, 8 */
} cz_por_device;

/* Where the next variables go. */
typedef struct {
    cz_fr32 *field;
    uint32_t *plane; /* zero before */
    uint64_t aux;    /* the next variable's number */
} cz_por_cursor;

/* How many variables there are. */
typedef struct {
    uint32_t fields, bits;
} cz_por_counts;

/* ---- counts ---- */

CZ_DEV uint32_t cz_por_picks(uint32_t log_arity)
{
    return log_arity == 1 ? 2 : log_arity == 2 ? 8 : 20;
}

/** Of one path, the leaf's included. */
CZ_DEV cz_por_counts cz_por_device_counts(const cz_por_device *t)
{
    cz_por_counts n = {1, 0};

    for (uint32_t level = 0; level < t->n_levels; level++) {
        const uint32_t log_arity = t->log_arity[level];

        n.fields += (1u << log_arity) - 1 + cz_por_picks(log_arity) +
                    cz_poseidon_device_size(&t->hash[log_arity - 1]);
        n.bits += log_arity + (log_arity == 3 ? 2 : 0);
    }
    return n;
}

/* ---- variables ---- */

CZ_DEV void cz_por_put_field(cz_por_cursor *to, const cz_fr32 *value)
{
    cz_fr32_write(to->field++, value->v);
    to->aux++;
}

/* Paths share words of the plane. */
CZ_DEV void cz_por_or_word(uint32_t *word, uint32_t bits)
{
#ifdef __CUDA_ARCH__
    atomicOr(word, bits);
#else
    *word |= bits;
#endif
}

/* n bits, fewer than 32, the first one lowest. */
CZ_DEV void cz_por_put_bits(cz_por_cursor *to, uint32_t bits, uint32_t n)
{
    const uint32_t shift = (uint32_t)(to->aux % 32);
    uint32_t *word = to->plane + to->aux / 32;

    to->aux += n;
    if (bits == 0)
        return;
    cz_por_or_word(word, bits << shift);
    if (shift + n > 32)
        cz_por_or_word(word + 1, bits >> (32 - shift));
}

/* ---- insertion: children by number, 0 is the node, its siblings follow ---- */

typedef struct {
    cz_por_cursor *to;
    const cz_fr32 *children;
} cz_por_insertion;

CZ_DEV uint32_t cz_por_pick(const cz_por_insertion *in, uint32_t condition, uint32_t a, uint32_t b)
{
    const uint32_t which = condition ? a : b;

    cz_por_put_field(in->to, &in->children[which]);
    return which;
}

CZ_DEV void cz_por_insert_2(uint32_t *out, const cz_por_insertion *in, uint32_t index)
{
    out[0] = cz_por_pick(in, index, 1, 0);
    out[1] = cz_por_pick(in, index, 0, 1);
}

CZ_DEV void cz_por_insert_4(uint32_t *out, const cz_por_insertion *in, uint32_t index)
{
    const uint32_t b0 = index & 1, b1 = index >> 1;
    uint32_t t;

    t = cz_por_pick(in, b0, 1, 0);
    out[0] = cz_por_pick(in, b1, 1, t);
    t = cz_por_pick(in, b0, 0, 1);
    out[1] = cz_por_pick(in, b1, 2, t);
    t = cz_por_pick(in, b0, 3, 0);
    out[2] = cz_por_pick(in, b1, t, 2);
    t = cz_por_pick(in, b0, 0, 3);
    out[3] = cz_por_pick(in, b1, t, 3);
}

CZ_DEV void cz_por_insert_8(uint32_t *out, const cz_por_insertion *in, uint32_t index)
{
    const uint32_t b0 = index & 1, b1 = index >> 1 & 1, b2 = index >> 2;
    const uint32_t none = !b0 && !b1, both = b0 && b1;
    uint32_t t;

    cz_por_put_bits(in->to, none | both << 1, 2);
    t = cz_por_pick(in, none, 0, 1);
    out[0] = cz_por_pick(in, b2, 1, t);
    t = cz_por_pick(in, b0, 0, 1);
    t = cz_por_pick(in, b1, 2, t);
    out[1] = cz_por_pick(in, b2, 2, t);
    t = cz_por_pick(in, b0, 3, 0);
    t = cz_por_pick(in, b1, t, 2);
    out[2] = cz_por_pick(in, b2, 3, t);
    t = cz_por_pick(in, both, 0, 3);
    out[3] = cz_por_pick(in, b2, 4, t);
    t = cz_por_pick(in, none, 0, 5);
    out[4] = cz_por_pick(in, b2, t, 4);
    t = cz_por_pick(in, b0, 0, 5);
    t = cz_por_pick(in, b1, 6, t);
    out[5] = cz_por_pick(in, b2, t, 5);
    t = cz_por_pick(in, b0, 7, 0);
    t = cz_por_pick(in, b1, t, 6);
    out[6] = cz_por_pick(in, b2, t, 6);
    t = cz_por_pick(in, both, 0, 7);
    out[7] = cz_por_pick(in, b2, t, 7);
}

CZ_DEV void cz_por_insert(uint32_t *out, const cz_por_insertion *in, uint32_t log_arity,
                          uint32_t index)
{
    if (log_arity == 1)
        cz_por_insert_2(out, in, index);
    else if (log_arity == 2)
        cz_por_insert_4(out, in, index);
    else
        cz_por_insert_8(out, in, index);
}

/* ---- hashes ---- */

/** The variables of the hash of the elements preimage[order[i]]; *digest may be one of them. */
CZ_DEV void cz_por_hash(cz_fr32 *digest, cz_por_cursor *to, const cz_poseidon_device *k,
                        const cz_fr32 *preimage, const uint32_t *order)
{
    const uint32_t size = cz_poseidon_device_size(k);
    cz_fr32 x[CZ_POSEIDON_DEVICE_WIDTH];

    cz_fr32_read(x[0].v, k->tag);
    for (uint32_t i = 1; i < k->width; i++)
        x[i] = preimage[order[i - 1]];
    cz_poseidon_device_witness(digest, to->field, x, k);
    to->field += size;
    to->aux += size;
}

/** All variables of a path: n_siblings siblings and n_levels indices, from the leaf up. */
CZ_DEV void cz_por_device_climb(cz_por_cursor *to, const cz_por_device *t, const cz_fr32 *leaf,
                                const cz_fr32 *siblings, const uint32_t *indices)
{
    cz_fr32 children[CZ_POR_DEVICE_ARITY];
    uint32_t order[CZ_POR_DEVICE_ARITY];
    cz_por_insertion in;

    in.to = to;
    in.children = children;
    cz_fr32_read(children[0].v, leaf);
    cz_por_put_field(to, &children[0]);
    for (uint32_t level = 0; level < t->n_levels; level++) {
        const uint32_t log_arity = t->log_arity[level];

        cz_por_put_bits(to, indices[level], log_arity);
        for (uint32_t i = 1; i < 1u << log_arity; i++) {
            cz_fr32_read(children[i].v, siblings++);
            cz_por_put_field(to, &children[i]);
        }
        cz_por_insert(order, &in, log_arity, indices[level]);
        cz_por_hash(&children[0], to, &t->hash[log_arity - 1], children, order);
    }
}

#ifdef __cplusplus
}
#endif
#endif
